// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sends messages from one network namespace to another and verifies every byte.
 *   csum_send udp|tcp ADDRESS RECEIVER-NETNS SENDER-NETNS BYTES COUNT [SEGMENT]
 * SEGMENT: with UDP_SEGMENT, datagrams of so many bytes. Prints "sent=N received=N bad=N".
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util.h"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

/* Bytes of a message that came, up to its end or until nothing more comes. */
static size_t receive(int fd, uint8_t *to, size_t len)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	size_t got = 0;
	ssize_t n;

	while (got < len && poll(&pfd, 1, 2000) == 1) {
		n = recv(fd, to + got, len - got, MSG_DONTWAIT);
		if (n <= 0 && errno != EAGAIN)
			break;
		if (n > 0)
			got += (size_t)n;
	}
	return got;
}

int main(int argc, char **argv)
{
	static uint8_t in[PATTERN_MAX];
	unsigned long sent = 0, received = 0, bad = 0;
	long size, count, segment;
	int rx, tx, room = 4 << 20;
	size_t n;

	if (argc < 7 || argc > 8)
		die(0, "usage: csum_send udp|tcp ADDRESS RECEIVER-NETNS SENDER-NETNS BYTES COUNT [SEGMENT]");
	size = number(argv[5], 1, PATTERN_MAX);
	count = number(argv[6], 1, 100000);
	segment = argc == 8 ? number(argv[7], 1, 65000) : 0;
	if (!strcmp(argv[1], "tcp"))
		tcp_pair(argv[2], argv[3], argv[4], &rx, &tx);
	else
		udp_pair(argv[2], argv[3], argv[4], &rx, &tx);
	check(setsockopt(rx, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)), "SO_RCVBUFFORCE");
	check(setsockopt(tx, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)), "SO_SNDBUFFORCE");
	if (segment)
		check(setsockopt(tx, IPPROTO_UDP, UDP_SEGMENT, &(int) { (int)segment }, sizeof(int)), "UDP_SEGMENT");
	for (long i = 0; i < count; i++) {
		if (check(send(tx, pattern_at((uint64_t)i), (size_t)size, 0), "send") != size)
			die(0, "a short send");
		sent++;
		n = receive(rx, in, (size_t)size);
		if (n == (size_t)size)
			received++;
		if (!pattern_ok(in, n, (uint64_t)i))
			bad++;
	}
	say("sent=%lu received=%lu bad=%lu\n", sent, received, bad);
	return received == sent && !bad ? 0 : 1;
}
