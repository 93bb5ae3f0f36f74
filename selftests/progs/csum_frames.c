// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes Ethernet frames of UDP or TCP with a right, a wrong or no checksum: to a device, as if a wire damaged
 * them behind the sender, or into a tap device, whose driver then hands them up. Prints "frames=N".
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "util.h"

enum sum { GOOD, BAD, ZERO };

static struct {
	const char *ns, *dev, *from, *to;
	uint8_t mac[ETH_ALEN];
	bool tcp, fragment, hold;
	enum sum sum;
	long count, size, port, vlan;
	short tap;		/* flags of a tap device, 0: any device, by a packet socket */
} o = { .count = 1, .size = 100, .port = 9 };

static uint8_t frame[2048];
static size_t at;

static void usage(void)
{
	fputs("usage: csum_frames -i DEVICE -s ADDRESS -d ADDRESS -m MAC [-N NETNS] [-t] [-p PORT] [-n COUNT] [-l BYTES]\n"
	      "                   [-c good|bad|zero] [-v VLAN] [-f] [-T plain|napi|frags] [-w]\n"
	      "-t: TCP   -f: the first fragment of a datagram   -T: DEVICE is a tap device, made here\n"
	      "-w: print \"ready\" and wait for a line before the first frame, and for another after the last\n", stderr);
	exit(2);
}

static void put(const void *data, size_t len)
{
	memcpy(frame + at, data, len);
	at += len;
}

static void put16(uint16_t value)
{
	value = htons(value);
	put(&value, 2);
}

static uint32_t sum_up(const uint8_t *data, size_t len, uint32_t sum)
{
	for (size_t i = 0; i < len; i++)
		sum += i & 1 ? data[i] : data[i] << 8;
	return sum;
}

static uint16_t fold(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

/* An address in numbers; returns its length. */
static size_t parse_address(const char *text, uint8_t *addr)
{
	bool six = strchr(text, ':');

	if (inet_pton(six ? AF_INET6 : AF_INET, text, addr) != 1)
		die(0, "not an address: %s", text);
	return six ? 16 : 4;
}

static void put_ip(const uint8_t *from, const uint8_t *to, size_t alen, size_t len)
{
	uint8_t protocol = o.tcp ? IPPROTO_TCP : IPPROTO_UDP;
	size_t ip = at;
	uint16_t check;

	if (alen == 16) {
		put("\x60\0\0", 4);
		put16((uint16_t)len);
		put((uint8_t[]) { protocol, 64 }, 2);
		put(from, 16);
		put(to, 16);
		return;
	}
	put("\x45", 2);
	put16((uint16_t)(20 + len));
	put16(1);
	put16(o.fragment ? 0x2000 : 0);
	put((uint8_t[]) { 64, protocol, 0, 0 }, 4);
	put(from, 4);
	put(to, 4);
	check = htons(fold(sum_up(frame + ip, 20, 0)));
	memcpy(frame + ip + 10, &check, 2);
}

static void put_transport(const uint8_t *from, const uint8_t *to, size_t alen, size_t len)
{
	size_t th = at, field = th + (o.tcp ? 16 : 6);
	uint16_t sum;

	put16(4000);
	put16((uint16_t)o.port);
	if (o.tcp) {
		put("\0\0\0\1\0\0\0\1\x50\x10\x20", 12);
		put("\0\0\0", 4);
	} else {
		put16((uint16_t)len);
		put16(0);
	}
	put(pattern_at(0), th + len - at);
	sum = fold(sum_up(frame + th, len, sum_up(from, alen, sum_up(to, alen, (uint32_t)len)) +
					   (o.tcp ? IPPROTO_TCP : IPPROTO_UDP)));
	sum = htons(sum ? sum : 0xffff);
	if (o.sum != ZERO)
		memcpy(frame + field, &sum, 2);
	/* One bit of the payload, as memory would flip it. */
	if (o.sum == BAD)
		frame[th + len - 1] ^= 0x10;
}

static void make_frame(void)
{
	size_t len = (size_t)o.size + (o.tcp ? 20 : 8), alen;
	uint8_t from[16], to[16];

	alen = parse_address(o.from, from);
	if (parse_address(o.to, to) != alen)
		die(0, "two families");
	put(o.mac, ETH_ALEN);
	put("\x02\0\0\0\0\x77", ETH_ALEN);
	if (o.vlan) {
		put16(ETH_P_8021Q);
		put16((uint16_t)o.vlan);
	}
	put16(alen == 16 ? ETH_P_IPV6 : ETH_P_IP);
	put_ip(from, to, alen, len);
	put_transport(from, to, alen, len);
}

static int open_tap(void)
{
	struct ifreq ifr = { .ifr_flags = (short)(IFF_TAP | IFF_NO_PI | IFF_VNET_HDR | o.tap) };
	int fd = (int)check(open("/dev/net/tun", O_RDWR | O_CLOEXEC), "/dev/net/tun");

	strncpy(ifr.ifr_name, o.dev, IFNAMSIZ - 1);
	check(ioctl(fd, TUNSETIFF, &ifr), "TUNSETIFF");
	return fd;
}

static int open_device(struct sockaddr_ll *ll)
{
	*ll = (struct sockaddr_ll) {
		.sll_family = AF_PACKET, .sll_halen = ETH_ALEN, .sll_protocol = htons(ETH_P_IP),
		.sll_ifindex = (int)if_nametoindex(o.dev),
	};
	if (!ll->sll_ifindex)
		die(errno, "%s", o.dev);
	return (int)check(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), "packet socket");
}

/* NAPI frags wants the frame in pieces. */
static void write_tap(int fd)
{
	struct virtio_net_hdr hdr = { .flags = VIRTIO_NET_HDR_F_DATA_VALID };
	struct iovec iov[4] = {
		{ &hdr, sizeof(hdr) }, { frame, 64 }, { frame + 64, 16 }, { frame + 80, at - 80 },
	};

	check(writev(fd, iov, 4), "write to the tap device");
}

static void wait_line(void)
{
	char line[16];

	if (o.hold && !fgets(line, sizeof(line), stdin))
		exit(0);
}

static void parse_mac(const char *text)
{
	if (sscanf(text, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &o.mac[0], &o.mac[1], &o.mac[2], &o.mac[3],
		   &o.mac[4], &o.mac[5]) != 6)
		die(0, "not a MAC address: %s", text);
}

static void parse_options(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "i:s:d:m:N:tp:n:l:c:v:fT:w")) != -1) {
		switch (c) {
		case 'i': o.dev = optarg; break;
		case 's': o.from = optarg; break;
		case 'd': o.to = optarg; break;
		case 'm': parse_mac(optarg); break;
		case 'N': o.ns = optarg; break;
		case 't': o.tcp = true; break;
		case 'p': o.port = number(optarg, 1, 65535); break;
		case 'n': o.count = number(optarg, 1, 1000000); break;
		case 'l': o.size = number(optarg, 24, 1400); break;
		case 'c': o.sum = !strcmp(optarg, "bad") ? BAD : !strcmp(optarg, "zero") ? ZERO : GOOD; break;
		case 'v': o.vlan = number(optarg, 1, 4094); break;
		case 'f': o.fragment = true; break;
		case 'T':
			o.tap = !strcmp(optarg, "frags") ? IFF_NAPI | IFF_NAPI_FRAGS :
				!strcmp(optarg, "napi") ? IFF_NAPI : IFF_NO_PI;
			break;
		case 'w': o.hold = true; break;
		default: usage();
		}
	}
	if (optind != argc || !o.dev || !o.from || !o.to)
		usage();
}

int main(int argc, char **argv)
{
	struct sockaddr_ll ll;
	int fd;

	parse_options(argc, argv);
	enter_ns(o.ns);
	fd = o.tap ? open_tap() : open_device(&ll);
	make_frame();
	if (o.hold)
		say("ready\n");
	wait_line();
	for (long i = 0; i < o.count; i++) {
		if (o.tap)
			write_tap(fd);
		else
			check(sendto(fd, frame, at, 0, (struct sockaddr *)&ll, sizeof(ll)), "send");
	}
	say("frames=%ld\n", o.count);
	wait_line();
	return 0;
}
