// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One task sends UDP datagrams as fast as it can, each by a call of its own or many by one call with UDP_SEGMENT, and
 * prints what one costs the sender, in counts of the TSC, from the first call to the socket being closed.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <x86intrin.h>

#define SIZE_MAX_UDP	65507
#define SEGMENTS_MAX	64
#define ROUNDS		5

static char buffer[SIZE_MAX_UDP];

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "udp-burst: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void send_plain(int fd, size_t size, unsigned int n)
{
	while (n--)
		if (send(fd, buffer, size, 0) != (ssize_t)size)
			die("send");
}

/* As many in a call as the kernel takes. */
static void send_segments(int fd, size_t size, unsigned int n)
{
	unsigned int most = SIZE_MAX_UDP / size < SEGMENTS_MAX ? SIZE_MAX_UDP / size : SEGMENTS_MAX, k;
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(uint16_t))];
	} control = { .head = { CMSG_LEN(sizeof(uint16_t)), SOL_UDP, UDP_SEGMENT } };
	struct iovec iov = { .iov_base = buffer };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control),
	};

	memcpy(CMSG_DATA(&control.head), &(uint16_t){ size }, sizeof(uint16_t));
	for (; n; n -= k) {
		k = n < most ? n : most;
		iov.iov_len = k * size;
		if (sendmsg(fd, &msg, 0) != (ssize_t)iov.iov_len)
			die("sendmsg with UDP_SEGMENT");
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9) };
	unsigned long size, n, counts[ROUNDS + 1];
	void (*send_all)(int fd, size_t size, unsigned int n) = send_plain;

	if (argc != 5 || inet_pton(AF_INET, argv[2], &to.sin_addr) != 1 ||
	    (strcmp(argv[1], "plain") && strcmp(argv[1], "segment"))) {
		fputs("usage: udp-burst plain|segment ADDRESS BYTES COUNT\n", stderr);
		return 2;
	}
	if (!strcmp(argv[1], "segment"))
		send_all = send_segments;
	size = strtoul(argv[3], NULL, 10);
	n = strtoul(argv[4], NULL, 10);
	if (!size || size > sizeof(buffer) || !n || n > 1000000)
		return 2;
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		die("mlockall");
	/* The first round warms up. */
	for (int i = 0; i <= ROUNDS; i++) {
		int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		uint64_t start;

		if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)))
			die("connect");
		start = __rdtsc();
		send_all(fd, size, (unsigned int)n);
		close(fd);
		counts[i] = __rdtsc() - start;
	}
	qsort(counts + 1, ROUNDS, sizeof(counts[0]), by_value);
	printf("udp-burst: instructions=%.1f datagrams=%lu\n", (double)counts[1 + ROUNDS / 2] / (double)n, n);
	return 0;
}
