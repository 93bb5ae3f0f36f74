// SPDX-License-Identifier: GPL-2.0-or-later
/* One task sends UDP datagrams to itself over the loopback and prints what one costs, in counts of the TSC. */
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <x86intrin.h>

/*
 * Where one instruction is one count (scripts/vm, virtual clock), the cost is
 * exact but for interrupts. The clock is read around batches, small enough that
 * most see no timer tick and large enough to even out what comes once in a few
 * datagrams; the median batch counts.
 */
#define BATCH		16
#define BATCHES		125	/* a round: 2000 datagrams */
#define WARM_UP		500
#define ROUNDS_MAX	10
#define SIZE_MAX_UDP	65507

static char buffer[SIZE_MAX_UDP];

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "udp-self: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void pass_datagrams(int fd, const struct sockaddr_in *self, size_t size, unsigned int n)
{
	while (n--) {
		if (sendto(fd, buffer, size, 0, (const struct sockaddr *)self, sizeof(*self)) != (ssize_t)size)
			die("sendto");
		if (recv(fd, buffer, sizeof(buffer), 0) != (ssize_t)size)
			die("recv");
	}
}

/* Counts of the median batch of a round, batches being of n datagrams. */
static uint64_t run_round(int fd, const struct sockaddr_in *self, size_t size, unsigned int n)
{
	static uint64_t counts[BATCHES];
	unsigned int i;
	uint64_t start;

	for (i = 0; i < BATCHES; i++) {
		start = __rdtsc();
		pass_datagrams(fd, self, size, n);
		counts[i] = __rdtsc() - start;
	}
	qsort(counts, BATCHES, sizeof(counts[0]), by_value);
	return counts[BATCHES / 2];
}

int main(int argc, char **argv)
{
	struct sockaddr_in self = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	unsigned int rounds, datagrams = WARM_UP;
	socklen_t len = sizeof(self);
	uint64_t last = 0, count, empty;
	size_t size = 64;
	char *end = "";
	int fd;

	if (argc > 1)
		size = strtoul(argv[1], &end, 10);
	if (argc > 2 || *end || !size || size > sizeof(buffer)) {
		fputs("usage: udp-self [BYTES]\n", stderr);
		return 2;
	}
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		die("mlockall");
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		die("socket");
	if (bind(fd, (struct sockaddr *)&self, sizeof(self)) || getsockname(fd, (struct sockaddr *)&self, &len))
		die("bind");

	pass_datagrams(fd, &self, size, WARM_UP);
	empty = run_round(fd, &self, size, 0);
	/* Until a round repeats the one before, at least two. */
	for (rounds = 1; rounds <= ROUNDS_MAX; rounds++) {
		count = run_round(fd, &self, size, BATCH) - empty;
		datagrams += BATCH * BATCHES;
		if (count == last)
			break;
		last = count;
	}
	close(fd);
	printf("udp-self: instructions=%.3f datagrams=%u rounds=%u repeated=%d\n", (double)count / BATCH, datagrams,
	       rounds <= ROUNDS_MAX ? rounds : ROUNDS_MAX, rounds <= ROUNDS_MAX);
	return 0;
}
