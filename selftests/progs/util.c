// SPDX-License-Identifier: GPL-2.0-or-later
/* What the test programs share. */
#include "util.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void die(int err, const char *fmt, ...)
{
	va_list args;

	fflush(stdout);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	if (err)
		fprintf(stderr, ": %s", strerror(err));
	fputc('\n', stderr);
	exit(1);
}

long check(long ret, const char *what)
{
	if (ret < 0)
		die(errno, "%s", what);
	return ret;
}

long number(const char *text, long min, long max)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || end == text || *end || n < min || n > max)
		die(0, "'%s' is not a number from %ld to %ld", text, min, max);
	return n;
}

void enter_ns(const char *name)
{
	static int home = -1;
	char path[PATH_MAX];
	int fd;

	if (home < 0)
		home = (int)check(open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), "/proc/self/ns/net");
	if (!name || !*name) {
		check(setns(home, CLONE_NEWNET), "setns");
		return;
	}
	snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = (int)check(open(path, O_RDONLY | O_CLOEXEC), path);
	check(setns(fd, CLONE_NEWNET), path);
	close(fd);
}

socklen_t address(struct sockaddr_storage *ss, const char *host, uint16_t port)
{
	struct sockaddr_in6 *in6 = (void *)ss;
	struct sockaddr_in *in = (void *)ss;

	memset(ss, 0, sizeof(*ss));
	if (inet_pton(AF_INET, host, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		return sizeof(*in);
	}
	if (inet_pton(AF_INET6, host, &in6->sin6_addr) != 1)
		die(0, "'%s' is no address", host);
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(port);
	return sizeof(*in6);
}

uint16_t socket_port(int fd)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);

	check(getsockname(fd, (void *)&ss, &len), "getsockname");
	return ntohs(ss.ss_family == AF_INET ? ((struct sockaddr_in *)&ss)->sin_port :
		     ((struct sockaddr_in6 *)&ss)->sin6_port);
}

static int open_bound(int type, const char *host)
{
	struct sockaddr_storage ss;
	socklen_t len = address(&ss, host, 0);
	int fd = (int)check(socket(ss.ss_family, type | SOCK_CLOEXEC, 0), "socket");

	check(bind(fd, (void *)&ss, len), "bind");
	return fd;
}

static int open_connected(int type, const char *host, uint16_t port)
{
	struct sockaddr_storage ss;
	socklen_t len = address(&ss, host, port);
	int fd = (int)check(socket(ss.ss_family, type | SOCK_CLOEXEC, 0), "socket");

	check(connect(fd, (void *)&ss, len), "connect");
	return fd;
}

void udp_pair(const char *host, const char *rx_ns, const char *tx_ns, int *rx, int *tx)
{
	enter_ns(rx_ns);
	*rx = open_bound(SOCK_DGRAM, host);
	enter_ns(tx_ns);
	*tx = open_connected(SOCK_DGRAM, host, socket_port(*rx));
	enter_ns(NULL);
}

void tcp_pair(const char *host, const char *rx_ns, const char *tx_ns, int *rx, int *tx)
{
	int listener;

	enter_ns(rx_ns);
	listener = open_bound(SOCK_STREAM, host);
	check(listen(listener, 1), "listen");
	enter_ns(tx_ns);
	*tx = open_connected(SOCK_STREAM, host, socket_port(listener));
	enter_ns(NULL);
	*rx = (int)check(accept4(listener, NULL, NULL, SOCK_CLOEXEC), "accept");
	close(listener);
}

const uint8_t *pattern_at(uint64_t at)
{
	static uint8_t pattern[PATTERN_PERIOD + PATTERN_MAX];

	if (!pattern[1])
		for (uint32_t i = 0; i < sizeof(pattern); i++) {
			uint32_t o = i % PATTERN_PERIOD;

			pattern[i] = (uint8_t)((o * 2654435761u) >> 21);
		}
	return pattern + at % PATTERN_PERIOD;
}

bool pattern_ok(const void *data, size_t len, uint64_t at)
{
	return len <= PATTERN_MAX && !memcmp(data, pattern_at(at), len);
}

void say(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	fflush(stdout);
}
