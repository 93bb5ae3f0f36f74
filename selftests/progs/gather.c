// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sender as programs are, its receiver, and a capture between them: every datagram is to arrive once, whole and in
 * order, and to have left in time.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "util.h"

#define BATCH		8
#define SIZE_MOST	65507
#define COUNT_MOST	100000
#define QUIET_MS	300	/* nothing more comes after so long */

/* In front of the pattern. */
struct head {
	uint32_t number;
	uint32_t len;
};

static struct {
	long count;
	long size;
	long every;		/* each so many, a shorter one */
	long gap_ns;		/* busy between two */
	long pause_us;		/* asleep between bursts */
	long burst;		/* datagrams in one */
	bool named;		/* sendto() */
	bool many;		/* sendmmsg() */
	const char *to, *rx_ns, *tx_ns, *device;
} o = { .count = 100, .size = 200, .burst = 1 << 30, .to = "127.0.0.1" };

static int rx, tx, tap = -1;
static uint32_t seen[COUNT_MOST];
static uint64_t left_ns[COUNT_MOST], sent_ns[COUNT_MOST];

static void usage(void)
{
	fputs("usage: gather [-d ADDRESS] [-n COUNT] [-l BYTES] [-e EVERY] [-g GAP-NS] [-b BURST -p PAUSE-US] [-s | -m]\n"
	      "              [-R RECEIVER-NETNS] [-T SENDER-NETNS] [-D DEVICE]\n"
	      "-e: each so many is 1 byte shorter   -s: sendto()   -m: sendmmsg()   -D: captured there, at the sender\n", stderr);
	exit(2);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static size_t length_of(long i)
{
	return (size_t)(o.size - (o.every && i % o.every == o.every - 1));
}

static size_t make(uint8_t *to, long i)
{
	struct head head = { .number = (uint32_t)i, .len = (uint32_t)length_of(i) };

	memcpy(to, &head, sizeof(head));
	memcpy(to + sizeof(head), pattern_at((uint64_t)i * 7919), head.len - sizeof(head));
	sent_ns[i] = now_ns();
	return head.len;
}

static void rest(long i)
{
	struct timespec pause = { o.pause_us / 1000000, o.pause_us % 1000000 * 1000 };
	uint64_t until;

	if (o.gap_ns)
		for (until = now_ns() + (uint64_t)o.gap_ns; now_ns() < until;)
			;
	if (i % o.burst == o.burst - 1 && o.pause_us)
		nanosleep(&pause, NULL);
}

static void send_one_by_one(const struct sockaddr_storage *to, socklen_t to_len)
{
	static uint8_t data[SIZE_MOST];

	for (long i = 0; i < o.count; i++) {
		size_t len = make(data, i);

		if (o.named)
			check(sendto(tx, data, len, 0, (const void *)to, to_len), "sendto");
		else
			check(send(tx, data, len, 0), "send");
		/* What the kernel has taken is the program's again. */
		memset(data, 0xee, len);
		rest(i);
	}
}

static void send_many(void)
{
	static uint8_t data[BATCH][SIZE_MOST];
	struct mmsghdr vec[BATCH] = { 0 };
	struct iovec iov[BATCH];

	for (long i = 0, n; i < o.count; i += n) {
		n = o.count - i < BATCH ? o.count - i : BATCH;
		for (long k = 0; k < n; k++) {
			iov[k] = (struct iovec){ data[k], make(data[k], i + k) };
			vec[k].msg_hdr = (struct msghdr){ .msg_iov = &iov[k], .msg_iovlen = 1 };
		}
		if (check(sendmmsg(tx, vec, (unsigned int)n, 0), "sendmmsg") != n)
			die(0, "sendmmsg sent less than asked");
		rest(i + n - 1);
	}
}

static void open_tap(void)
{
	struct sockaddr_ll ll = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	int one = 1, room = 256 << 20;

	if (!o.device)
		return;
	enter_ns(o.tx_ns);
	tap = (int)check(socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "packet socket");
	check(setsockopt(tap, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)), "SO_RCVBUFFORCE");
	check(setsockopt(tap, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof(one)), "SO_TIMESTAMPNS");
	ll.sll_ifindex = (int)if_nametoindex(o.device);
	if (!ll.sll_ifindex)
		die(errno, "%s", o.device);
	check(bind(tap, (struct sockaddr *)&ll, sizeof(ll)), "bind the packet socket");
}

static bool comes(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return check(poll(&p, 1, ms), "poll") > 0;
}

/* Datagrams in one packet, which may be one that is still to be cut up. */
static long captured(const uint8_t *data, size_t len, uint64_t at)
{
	struct head head;
	long n = 0;

	for (size_t off = 0; off + sizeof(head) <= len; off += head.len, n++) {
		memcpy(&head, data + off, sizeof(head));
		if (head.number >= o.count || head.len < sizeof(head))
			break;
		left_ns[head.number] = at;
	}
	return n;
}

static long read_tap(uint64_t *packets)
{
	static uint8_t data[SIZE_MOST + 100];
	char control[256];
	struct sockaddr_ll from;
	struct iovec iov = { data, sizeof(data) };
	struct msghdr msg = { .msg_name = &from, .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control };
	struct timespec ts;
	long n = 0;

	while (comes(tap, 0)) {
		size_t skip;
		ssize_t len;

		msg.msg_namelen = sizeof(from);
		msg.msg_controllen = sizeof(control);
		len = check(recvmsg(tap, &msg, 0), "read the capture");
		if (from.sll_pkttype != PACKET_OUTGOING)
			continue;
		if (from.sll_protocol == htons(ETH_P_IP) && data[9] == IPPROTO_UDP)
			skip = (size_t)(data[0] & 15) * 4 + 8;
		else if (from.sll_protocol == htons(ETH_P_IPV6) && data[6] == IPPROTO_UDP)
			skip = 40 + 8;
		else
			continue;
		for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c))
			if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_TIMESTAMPNS)
				memcpy(&ts, CMSG_DATA(c), sizeof(ts));
		n += captured(data + skip, (size_t)len - skip,
			      (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec);
		++*packets;
	}
	return n;
}

static void print_late(void)
{
	uint64_t packets = 0, late, most = 0, which = 0;
	long n = read_tap(&packets), missing = 0;

	for (long i = 0; i < o.count; i++) {
		if (!left_ns[i]) {
			missing++;
			continue;
		}
		late = left_ns[i] - sent_ns[i];
		if (late > most) {
			most = late;
			which = (uint64_t)i;
		}
		if (getenv("GATHER_VERBOSE"))
			fprintf(stderr, "%ld sent %lu left +%lu\n", i, (sent_ns[i] - sent_ns[0]) / 1000, late / 1000);
	}
	printf("captured=%ld packets=%lu missing=%ld late_us_max=%.1f latest=%lu first_us=%.1f\n", n, packets, missing,
	       (double)most / 1000, which, (double)(left_ns[0] - sent_ns[0]) / 1000);
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "d:n:l:e:g:b:p:smR:T:D:")) != -1) {
		switch (c) {
		case 'd': o.to = optarg; break;
		case 'n': o.count = number(optarg, 1, COUNT_MOST); break;
		case 'l': o.size = number(optarg, sizeof(struct head) + 1, SIZE_MOST); break;
		case 'e': o.every = number(optarg, 1, COUNT_MOST); break;
		case 'g': o.gap_ns = number(optarg, 0, 1000000000); break;
		case 'b': o.burst = number(optarg, 1, COUNT_MOST); break;
		case 'p': o.pause_us = number(optarg, 0, 10000000); break;
		case 's': o.named = true; break;
		case 'm': o.many = true; break;
		case 'R': o.rx_ns = optarg; break;
		case 'T': o.tx_ns = optarg; break;
		case 'D': o.device = optarg; break;
		default: usage();
		}
	}
	if (optind != argc)
		usage();
}

int main(int argc, char **argv)
{
	static uint8_t data[SIZE_MOST + 1];
	long got = 0, bad = 0, next = 0;
	struct sockaddr_storage to;
	struct head head;
	socklen_t to_len;
	int room = 256 << 20;
	uint64_t began;

	parse(argc, argv);
	udp_pair(o.to, o.rx_ns, o.tx_ns, &rx, &tx);
	check(setsockopt(rx, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)), "SO_RCVBUFFORCE");
	to_len = address(&to, o.to, socket_port(rx));
	if (o.named) {
		close(tx);
		enter_ns(o.tx_ns);
		tx = (int)check(socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");
	}
	open_tap();
	pattern_at(0);
	began = now_ns();
	if (o.many)
		send_many();
	else
		send_one_by_one(&to, to_len);
	began = now_ns() - began;
	while (comes(rx, QUIET_MS)) {
		ssize_t len = check(recv(rx, data, sizeof(data), 0), "recv");

		memcpy(&head, data, sizeof(head));
		got++;
		if ((size_t)len < sizeof(head) || head.number >= o.count || head.number != next || head.len != len ||
		    (size_t)len != length_of(head.number) || seen[head.number]++ ||
		    !pattern_ok(data + sizeof(head), (size_t)len - sizeof(head), (uint64_t)head.number * 7919))
			bad++;
		next = (long)head.number + 1;
	}
	printf("sent=%ld got=%ld bad=%ld ns_each=%lu\n", o.count, got, bad, began / (uint64_t)o.count);
	if (tap >= 0)
		print_late();
	return bad || got != o.count;
}
