// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Takes UDP datagrams of both families, whatever is in them, until standard input ends.
 *   csum_sink NETNS PORT
 */
#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>

#include "util.h"

static int open_sink(const char *any, uint16_t port)
{
	struct sockaddr_storage ss;
	socklen_t len = address(&ss, any, port);
	int fd = (int)check(socket(ss.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");

	if (ss.ss_family == AF_INET6)
		check(setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &(int) { 1 }, sizeof(int)), "IPV6_V6ONLY");
	check(bind(fd, (struct sockaddr *)&ss, len), "bind");
	return fd;
}

int main(int argc, char **argv)
{
	static char buf[1 << 16];
	struct pollfd fds[3] = { { .fd = 0, .events = POLLIN } };
	uint16_t port;

	if (argc != 3)
		die(0, "usage: csum_sink NETNS PORT");
	enter_ns(argv[1]);
	port = (uint16_t)number(argv[2], 1, 65535);
	fds[1] = (struct pollfd) { .fd = open_sink("0.0.0.0", port), .events = POLLIN };
	fds[2] = (struct pollfd) { .fd = open_sink("::", port), .events = POLLIN };
	say("ready\n");
	for (;;) {
		check(poll(fds, 3, -1), "poll");
		for (int i = 1; i < 3; i++)
			while (recv(fds[i].fd, buf, sizeof(buf), MSG_DONTWAIT) >= 0)
				;
		if (fds[0].revents && read(0, buf, sizeof(buf)) <= 0)
			return 0;
	}
}
