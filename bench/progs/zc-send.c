// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sends messages from one network namespace to another, as a program would that uses this or that way not to copy
 * them, and prints what a send costs its host, in counts of the TSC, and how fast they arrive.
 *
 *   zc-send -t NETNS -d ADDRESS [-u] [-m plain|msgzc|uring|pool] [-l BYTES] [-w WARM-UP] [-n SENDS]
 *           [-a | -k THREAD]
 *
 * -a: datagrams that nobody takes, so that the sender's host is alone on the machine, and all that is not idle is its.
 * -k: the time of the process and of THREAD, the kernel thread that polls its NIC, is the sender's; the receiver has
 * the CPU when neither wants it.
 */
#include <getopt.h>
#include <linux/sockios.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <x86intrin.h>

#include "zc-ways.h"

#define RECEIVER_BYTES	(256 << 10)
/* The median counts. */
#define ROUNDS		5
#define PORT		5201
/* Without a byte more for so long, nothing more is coming. */
#define SOAK_MAX	200
#define PATIENCE_NS	300000000ull

static struct {
	const char *netns, *way;
	struct sockaddr_in to;
	bool udp, alone;
	size_t bytes;
	unsigned long warm, sends;
	long thread;
} opt = { .way = "plain", .bytes = 16384, .warm = 64, .sends = 64, .to = { .sin_family = AF_INET } };

/* What the receiver tells. */
static struct shared {
	uint64_t bytes;
	uint64_t tsc;
	uint64_t idle;
	int ready;
} *shared;

static uint64_t nanoseconds(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t))
		die("clock_gettime");
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
}

static void idle_class(void)
{
	if (sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){ 0 }))
		die("SCHED_IDLE");
}

/* The receiver: takes everything, and says how much it has. */
static _Noreturn void receive(void)
{
	int room = 64 << 20, one = 1, fd;
	static char buffer[RECEIVER_BYTES];
	ssize_t n;

	if (opt.thread)
		idle_class();
	enter_netns(opt.netns);
	fd = socket(AF_INET, (opt.udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    (opt.udp && setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room))) ||
	    bind(fd, (struct sockaddr *)&opt.to, sizeof(opt.to)) || (!opt.udp && listen(fd, 1)))
		die("the receiver's socket");
	__atomic_store_n(&shared->ready, 1, __ATOMIC_RELEASE);
	if (!opt.udp) {
		fd = accept(fd, NULL, NULL);
		if (fd < 0)
			die("accept");
	}
	for (;;) {
		n = recv(fd, buffer, sizeof(buffer), 0);
		if (n <= 0)
			exit(n < 0);
		shared->tsc = __rdtsc();
		__atomic_store_n(&shared->bytes, shared->bytes + (uint64_t)n, __ATOMIC_RELEASE);
	}
}

/*
 * Takes the CPU when nobody else wants it, and counts how long that is. What comes between two looks at the clock is
 * not idle: an interrupt, or others that have the CPU.
 */
static _Noreturn void soak(void)
{
	uint64_t last, now;

	idle_class();
	__atomic_store_n(&shared->ready, 1, __ATOMIC_RELEASE);
	for (last = __rdtsc();; last = now) {
		now = __rdtsc();
		if (now - last < SOAK_MAX)
			__atomic_store_n(&shared->idle, shared->idle + now - last, __ATOMIC_RELAXED);
	}
}

/* Until the receiver has so many bytes, or no more come. Returns those that it has. */
static uint64_t arrived(uint64_t bytes)
{
	uint64_t now = nanoseconds(CLOCK_MONOTONIC), seen = 0, got;

	for (;;) {
		got = __atomic_load_n(&shared->bytes, __ATOMIC_ACQUIRE);
		if (got >= bytes || opt.alone)
			return got;
		if (got != seen)
			now = nanoseconds(CLOCK_MONOTONIC);
		seen = got;
		if (nanoseconds(CLOCK_MONOTONIC) - now > PATIENCE_NS)
			return got;
		nap();
	}
}

/* Nanoseconds that a thread has had a CPU. */
static uint64_t thread_time(long thread)
{
	unsigned long long ns = 0;
	char path[64];
	FILE *f;

	if (!thread)
		return 0;
	snprintf(path, sizeof(path), "/proc/%ld/schedstat", thread);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%llu", &ns) != 1)
		die(path);
	fclose(f);
	return ns;
}

/* Nothing that was sent is still queued. */
static void drain(int fd)
{
	int queued = 1;

	while (!ioctl(fd, SIOCOUTQ, &queued) && queued)
		nap();
}

static int connect_to(void)
{
	int one = 1, fd = socket(AF_INET, (opt.udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&opt.to, sizeof(opt.to)))
		die("connect");
	if (!opt.udp && setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
		die("TCP_NODELAY");
	return fd;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Returns the bytes that arrived. What a send cost, and megabits a second, from the first send to the last byte. */
static uint64_t run_round(const struct way *way, int fd, uint64_t before, double *instructions, double *mbps)
{
	uint64_t task, thread, idle, start, end, got;
	unsigned long i;

	task = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
	thread = thread_time(opt.thread);
	idle = __atomic_load_n(&shared->idle, __ATOMIC_RELAXED);
	start = __rdtsc();
	for (i = 0; i < opt.sends; i++)
		way->send();
	way->settle();
	idle = __atomic_load_n(&shared->idle, __ATOMIC_RELAXED) - idle;
	end = __rdtsc();
	task = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - task;
	drain(fd);
	got = arrived(before + opt.sends * opt.bytes) - before;
	thread = thread_time(opt.thread) - thread;
	*instructions = (double)(opt.alone ? end - start - idle : task + thread) / (double)opt.sends;
	*mbps = (double)got * 8000 / (double)(shared->tsc - start);
	return got;
}

static void arguments(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "t:d:uam:l:w:n:k:")) != -1) {
		switch (c) {
		case 't': opt.netns = optarg; break;
		case 'd':
			if (inet_pton(AF_INET, optarg, &opt.to.sin_addr) != 1)
				usage();
			break;
		case 'u': opt.udp = true; break;
		case 'a': opt.alone = true; break;
		case 'm': opt.way = optarg; break;
		case 'l': opt.bytes = strtoul(optarg, NULL, 10); break;
		case 'w': opt.warm = strtoul(optarg, NULL, 10); break;
		case 'n': opt.sends = strtoul(optarg, NULL, 10); break;
		case 'k': opt.thread = strtol(optarg, NULL, 10); break;
		default: usage();
		}
	}
	if (optind != argc || !opt.netns || !opt.to.sin_addr.s_addr || !opt.bytes || !opt.sends)
		usage();
	opt.to.sin_port = htons(PORT);
}

int main(int argc, char **argv)
{
	double costs[ROUNDS], rates[ROUNDS];
	uint64_t expected, before;
	const struct way *way;
	unsigned long i;
	pid_t pid;
	int fd;

	arguments(argc, argv);
	way = way_find(opt.way);
	if (!way)
		usage();
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		die("mmap");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid && opt.alone)
		soak();
	if (!pid)
		receive();
	while (!__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE)) {
		if (waitpid(pid, NULL, WNOHANG))
			exit(1);
		nap();
	}
	fd = connect_to();
	way->open(fd, opt.bytes);
	for (i = 0; i < opt.warm; i++)
		way->send();
	way->settle();
	drain(fd);
	before = expected = arrived(opt.warm * opt.bytes);

	for (i = 0; i < ROUNDS; i++)
		expected += run_round(way, fd, expected, &costs[i], &rates[i]);
	qsort(costs, ROUNDS, sizeof(costs[0]), by_value);
	qsort(rates, ROUNDS, sizeof(rates[0]), by_value);
	printf("zc-send: instructions=%.1f mbps=%.3f lost=%.4f copied=%llu\n", costs[ROUNDS / 2], rates[ROUNDS / 2],
	       1 - (double)(expected - before) / (double)(ROUNDS * opt.sends * opt.bytes),
	       (unsigned long long)way->copied());
	kill(pid, SIGKILL);
	return 0;
}
