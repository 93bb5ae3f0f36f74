// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Looks at the packets that come by a device, until standard input ends, and says what their checksums are.
 *   csum_wire NETNS DEVICE
 * Prints "ready", and at the end "udp packets=N good=N bad=N zero=N largest=BYTES" and the same of tcp; a fragment,
 * which has no checksum of its own, is counted in packets only.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util.h"

static struct counts {
	const char *name;
	unsigned long packets, good, bad, zero, largest;
} udp = { .name = "udp" }, tcp = { .name = "tcp" };

static uint16_t word(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static uint32_t sum_up(const uint8_t *data, size_t len, uint32_t sum)
{
	for (size_t i = 0; i < len; i++)
		sum += i & 1 ? data[i] : data[i] << 8;
	return sum;
}

static void judge(const uint8_t *th, size_t len, uint8_t protocol, const uint8_t *addrs, size_t addrs_len)
{
	struct counts *c = protocol == IPPROTO_TCP ? &tcp : &udp;
	uint32_t sum;

	if (len > c->largest)
		c->largest = len;
	if (protocol == IPPROTO_UDP && !word(th + 6)) {
		c->zero++;
		return;
	}
	sum = sum_up(th, len, sum_up(addrs, addrs_len, (uint32_t)len + protocol));
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	if (sum == 0xffff)
		c->good++;
	else
		c->bad++;
}

static void look(const uint8_t *ip, size_t len, uint16_t type)
{
	bool six = type == ETH_P_IPV6;
	uint8_t protocol;
	size_t hlen, total;

	if ((!six && type != ETH_P_IP) || len < (six ? 40 : 20))
		return;
	protocol = six ? ip[6] : ip[9];
	hlen = six ? 40 : (ip[0] & 15) * 4u;
	total = six ? 40u + word(ip + 4) : word(ip + 2);
	if (protocol == IPPROTO_TCP)
		tcp.packets++;
	else if (protocol == IPPROTO_UDP)
		udp.packets++;
	else
		return;
	if ((!six && word(ip + 6) & 0x3fff) || total > len)
		return;
	judge(ip + hlen, total - hlen, protocol, ip + (six ? 8 : 12), six ? 32 : 8);
}

static void show(const struct counts *c)
{
	say("%s packets=%lu good=%lu bad=%lu zero=%lu largest=%lu\n", c->name, c->packets, c->good, c->bad, c->zero,
	    c->largest);
}

/* What is there, without waiting. */
static void drain(int fd)
{
	static uint8_t buf[1 << 17];
	struct sockaddr_ll from;
	socklen_t len;
	ssize_t n;

	for (;;) {
		len = sizeof(from);
		n = recvfrom(fd, buf, sizeof(buf), MSG_DONTWAIT, (struct sockaddr *)&from, &len);
		if (n < 0)
			return;
		if (from.sll_pkttype != PACKET_OUTGOING)
			look(buf, (size_t)n, ntohs(from.sll_protocol));
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_ll ll = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	struct pollfd fds[2] = { { .fd = 0, .events = POLLIN }, { .events = POLLIN } };
	int room = 64 << 20;
	char line[64];

	if (argc != 3)
		die(0, "usage: csum_wire NETNS DEVICE");
	enter_ns(argv[1]);
	ll.sll_ifindex = (int)if_nametoindex(argv[2]);
	if (!ll.sll_ifindex)
		die(errno, "%s", argv[2]);
	/* Without the link header, which is another on each device. */
	fds[1].fd = (int)check(socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, htons(ETH_P_ALL)), "packet socket");
	check(setsockopt(fds[1].fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)), "SO_RCVBUFFORCE");
	check(bind(fds[1].fd, (struct sockaddr *)&ll, sizeof(ll)), "bind");
	say("ready\n");
	for (;;) {
		check(poll(fds, 2, -1), "poll");
		drain(fds[1].fd);
		if (fds[0].revents && read(0, line, sizeof(line)) <= 0)
			break;
	}
	show(&udp);
	show(&tcp);
	return 0;
}
