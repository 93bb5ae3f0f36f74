// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One task sends UDP datagrams, or pieces of a TCP stream, to itself over the loopback and prints what one costs,
 * in counts of the TSC.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
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

/* Where the datagrams go out and come in: one socket, but for TCP. */
struct path {
	int out, in;
	const struct sockaddr *to;	/* NULL if connected */
	socklen_t to_len;
};

static void pass_datagrams(const struct path *path, size_t size, unsigned int n)
{
	while (n--) {
		if (sendto(path->out, buffer, size, 0, path->to, path->to_len) != (ssize_t)size)
			die("sendto");
		if (recv(path->in, buffer, size, MSG_WAITALL) != (ssize_t)size)
			die("recv");
	}
}

/* Counts of the median batch of a round, batches being of n datagrams. */
static uint64_t run_round(const struct path *path, size_t size, unsigned int n)
{
	static uint64_t counts[BATCHES];
	unsigned int i;
	uint64_t start;

	for (i = 0; i < BATCHES; i++) {
		start = __rdtsc();
		pass_datagrams(path, size, n);
		counts[i] = __rdtsc() - start;
	}
	qsort(counts, BATCHES, sizeof(counts[0]), by_value);
	return counts[BATCHES / 2];
}

static const struct {
	const char *name;
	int family, type, connected;
} shapes[] = {
	{ "udp", AF_INET, SOCK_DGRAM, 0 },
	{ "udp-connected", AF_INET, SOCK_DGRAM, 1 },
	{ "udp6", AF_INET6, SOCK_DGRAM, 0 },
	{ "udp6-connected", AF_INET6, SOCK_DGRAM, 1 },
	{ "tcp", AF_INET, SOCK_STREAM, 1 },
	{ "tcp6", AF_INET6, SOCK_STREAM, 1 },
	{ NULL, 0, 0, 0 }
};

static union {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
} self;

/* Sockets on the loopback, of this shape. */
static struct path open_path(unsigned int shape)
{
	int family = shapes[shape].family, one = 1;
	struct path path = { .to_len = family == AF_INET ? sizeof(self.in) : sizeof(self.in6) };

	self.any.sa_family = family;
	if (family == AF_INET)
		self.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		self.in6.sin6_addr = in6addr_loopback;
	path.out = path.in = socket(family, shapes[shape].type | SOCK_CLOEXEC, 0);
	if (path.in < 0)
		die("socket");
	if (bind(path.in, &self.any, path.to_len) || getsockname(path.in, &self.any, &path.to_len))
		die("bind");
	path.to = &self.any;
	if (shapes[shape].type == SOCK_STREAM) {
		path.out = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (path.out < 0 || listen(path.in, 1) || connect(path.out, path.to, path.to_len) ||
		    setsockopt(path.out, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
			die("connect");
		path.in = accept(path.in, NULL, NULL);
		if (path.in < 0)
			die("accept");
	} else if (shapes[shape].connected && connect(path.out, path.to, path.to_len)) {
		die("connect");
	}
	if (shapes[shape].connected) {
		path.to = NULL;
		path.to_len = 0;
	}
	return path;
}

static _Noreturn void usage(void)
{
	fputs("usage: udp-self [BYTES [SHAPE]]    shapes:", stderr);
	for (unsigned int i = 0; shapes[i].name; i++)
		fprintf(stderr, " %s", shapes[i].name);
	fputs("\n", stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	unsigned int rounds, datagrams = WARM_UP, shape = 0;
	uint64_t last = 0, count, empty;
	struct path path;
	size_t size = 64;
	char *end = "";

	if (argc > 1)
		size = strtoul(argv[1], &end, 10);
	if (argc > 3 || *end || !size || size > sizeof(buffer))
		usage();
	if (argc > 2)
		while (strcmp(argv[2], shapes[shape].name))
			if (!shapes[++shape].name)
				usage();
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		die("mlockall");
	path = open_path(shape);

	pass_datagrams(&path, size, WARM_UP);
	empty = run_round(&path, size, 0);
	/* Until a round repeats the one before, at least two. */
	for (rounds = 1; rounds <= ROUNDS_MAX; rounds++) {
		count = run_round(&path, size, BATCH) - empty;
		datagrams += BATCH * BATCHES;
		if (count == last)
			break;
		last = count;
	}
	printf("udp-self: instructions=%.3f datagrams=%u rounds=%u repeated=%d\n", (double)count / BATCH, datagrams,
	       rounds <= ROUNDS_MAX ? rounds : ROUNDS_MAX, rounds <= ROUNDS_MAX);
	return 0;
}
