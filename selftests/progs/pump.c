// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Traffic at full rate, both ways, every byte verified and counted, until standard input ends.
 *   pump [-d ADDRESS] [-A NETNS] [-B NETNS] [-u FLOWS] [-t FLOWS] [-l BYTES] [-n NICE]
 * ADDRESS is in the namespace B. A TCP flow is a connection with both directions busy. UDP flows go from A to B and,
 * every second of them, from B to A. Each keeps up to WINDOW datagrams on the way and hears of each that arrives, so
 * that none may be lost. All block in plain send() and recv(). Prints "pumping" once every flow moves, and at the end
 * a line for UDP and one for TCP. A flow that does not move for STALL seconds is a failure; where it hangs is shown.
 */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util.h"

#define FLOWS_MAX	64
#define WINDOW		16
#define STALL		60
#define MET		65536

/* One direction: what a sender sent and a receiver got. */
struct way {
	uint64_t sent, got;	/* bytes (TCP) or datagrams (UDP) */
	uint64_t bad;		/* pieces with wrong bytes, or (TCP) out of order */
	uint64_t eintr;		/* plain calls that ended with EINTR */
	uint64_t part;		/* blocking sends that took only a part */
	uint64_t error;		/* calls that failed otherwise */
	int errnum;
	uint64_t done;		/* the receiver has seen the end */
};

static struct shared {
	int stop;
	struct way tcp[FLOWS_MAX * 2], udp[FLOWS_MAX];
} *shared;

static const char *to = "127.0.0.1", *ns_a, *ns_b;
static long udp_flows = 1, tcp_flows = 1, size = 1400;

static bool stopping(void) { return __atomic_load_n(&shared->stop, __ATOMIC_RELAXED); }

/* Both ends of a flow count into the same words. */
static void count(uint64_t *to, uint64_t n) { __atomic_add_fetch(to, n, __ATOMIC_RELAXED); }

static bool failed(struct way *w)
{
	if (errno == EINTR) {
		count(&w->eintr, 1);
		return false;
	}
	count(&w->error, 1);
	w->errnum = errno;
	return true;
}

static void tcp_sender(int fd, struct way *w)
{
	uint64_t end = 0, sent = 0;
	ssize_t n;

	while (!stopping()) {
		/* Pieces of changing size, so that segments are cut at ever other places. */
		end += 1 + (end * 7 + 31 * (uint64_t)size) % 50000;
		while (sent < end) {
			n = send(fd, pattern_at(sent), end - sent, MSG_NOSIGNAL);
			if (n < 0) {
				if (failed(w))
					return;
				continue;
			}
			count(&w->part, (uint64_t)n < end - sent);
			sent += (uint64_t)n;
			__atomic_store_n(&w->sent, sent, __ATOMIC_RELAXED);
		}
	}
	shutdown(fd, SHUT_WR);
}

static void tcp_receiver(int fd, struct way *w)
{
	static uint8_t buf[65536];
	uint64_t got = 0;
	ssize_t n;

	for (;;) {
		n = recv(fd, buf, sizeof(buf), 0);
		if (n < 0) {
			if (failed(w))
				return;
			continue;
		}
		if (!n)
			break;
		count(&w->bad, !pattern_ok(buf, (size_t)n, got));
		got += (uint64_t)n;
		__atomic_store_n(&w->got, got, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&w->done, 1, __ATOMIC_SEQ_CST);
}

/* Which numbers have come, of the last MET. */
struct met {
	uint64_t last;
	uint64_t bits[MET / 64];
};

/* UDP may overtake itself where a sender moves to another CPU, but each number comes once, none too far ahead. */
static bool first_time(struct met *m, uint64_t n)
{
	uint64_t *word = &m->bits[n % MET / 64], bit = 1ULL << n % 64;
	bool first;

	if (n > m->last + WINDOW || n + MET <= m->last)
		return false;
	while (m->last < n) {
		m->last++;
		m->bits[m->last % MET / 64] &= ~(1ULL << m->last % 64);
	}
	first = !(*word & bit);
	*word |= bit;
	return first;
}

/* A datagram is its number and the pattern from there on; number 0 says that it was the last. */
static void udp_sender(int fd, struct way *w)
{
	uint64_t seq = 0, acked = 0, ack = 0;
	static uint8_t buf[65536];
	static struct met met;
	ssize_t n;

	while (!stopping() || acked < seq) {
		while (!stopping() && seq - acked < WINDOW) {
			seq++;
			memcpy(buf, &seq, sizeof(seq));
			memcpy(buf + sizeof(seq), pattern_at(seq * 7919), (size_t)size - sizeof(seq));
			while (send(fd, buf, (size_t)size, 0) < 0)
				if (failed(w))
					return;
			__atomic_store_n(&w->sent, seq, __ATOMIC_RELAXED);
		}
		if (acked == seq)
			continue;
		n = recv(fd, &ack, sizeof(ack), 0);
		if (n < 0) {
			if (failed(w))
				return;
			continue;
		}
		count(&w->bad, n != (ssize_t)sizeof(ack) || ack > seq || !first_time(&met, ack));
		acked++;
	}
	seq = 0;
	while (send(fd, &seq, sizeof(seq), 0) < 0)
		if (failed(w))
			return;
}

static void udp_receiver(int fd, struct way *w)
{
	struct sockaddr_storage from;
	static uint8_t buf[65536];
	static struct met met;
	uint64_t seq, got = 0;
	socklen_t len;
	ssize_t n;

	for (;;) {
		len = sizeof(from);
		n = recvfrom(fd, buf, sizeof(buf), 0, (void *)&from, &len);
		if (n < 0) {
			if (failed(w))
				return;
			continue;
		}
		memcpy(&seq, buf, sizeof(seq));
		if (!seq)
			break;
		count(&w->bad, n != size || !first_time(&met, seq) ||
		      !pattern_ok(buf + sizeof(seq), (size_t)n - sizeof(seq), seq * 7919));
		__atomic_store_n(&w->got, ++got, __ATOMIC_RELAXED);
		while (sendto(fd, &seq, sizeof(seq), 0, (void *)&from, len) < 0)
			if (failed(w))
				return;
	}
	__atomic_store_n(&w->done, 1, __ATOMIC_SEQ_CST);
}

/* A socket that is bound only can send to one that is connected to it. */
static void answer_to(int fd, int peer)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);

	check(getsockname(peer, (void *)&ss, &len), "getsockname");
	check(connect(fd, (void *)&ss, len), "connect");
}

static pid_t children[FLOWS_MAX * 8];
static size_t nchildren;

static void start(void (*run)(int fd, struct way *w), int fd, struct way *w)
{
	pid_t pid = (pid_t)check(fork(), "fork");

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run(fd, w);
		_exit(0);
	}
	children[nchildren++] = pid;
}

static uint64_t moved(const struct way *w)
{
	return __atomic_load_n(&w->got, __ATOMIC_RELAXED) + __atomic_load_n(&w->done, __ATOMIC_RELAXED);
}

static void show_stacks(void)
{
	char path[64], line[256];
	FILE *f;

	for (size_t i = 0; i < nchildren; i++) {
		snprintf(path, sizeof(path), "/proc/%d/stack", (int)children[i]);
		f = fopen(path, "re");
		say("# where process %d is:\n", (int)children[i]);
		while (f && fgets(line, sizeof(line), f))
			say("#   %s", line);
		if (f)
			fclose(f);
	}
}

/* Watches that every flow moves; returns at the end of standard input. */
static bool watch(void)
{
	static uint64_t last[FLOWS_MAX * 3];
	static time_t since[FLOWS_MAX * 3];
	struct pollfd p = { .fd = 0, .events = POLLIN };
	struct timespec now;
	bool told = false, all;
	char line[16];
	size_t i, n = (size_t)(tcp_flows * 2 + udp_flows);

	for (;;) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		all = true;
		for (i = 0; i < n; i++) {
			size_t tcp = (size_t)tcp_flows * 2;
			struct way *w = i < tcp ? &shared->tcp[i] : &shared->udp[i - tcp];
			uint64_t m = moved(w);

			if (m != last[i] || !since[i])
				since[i] = now.tv_sec;
			last[i] = m;
			all &= m > 0;
			if (now.tv_sec - since[i] > STALL) {
				say("stalled flow=%zu sent=%llu got=%llu\n", i, (unsigned long long)w->sent,
				    (unsigned long long)w->got);
				show_stacks();
				return false;
			}
		}
		if (all && !told) {
			say("pumping\n");
			told = true;
		}
		if (poll(&p, 1, 100) > 0 && !fgets(line, sizeof(line), stdin))
			return true;
	}
}

static bool report(const char *name, const struct way *ways, long n)
{
	struct way s = { 0 };
	uint64_t lost = 0;

	for (long i = 0; i < n; i++) {
		const struct way *w = &ways[i];

		s.sent += w->sent;
		s.got += w->got;
		s.bad += w->bad;
		s.eintr += w->eintr;
		s.part += w->part;
		s.error += w->error;
		s.errnum = w->errnum ? w->errnum : s.errnum;
		s.done += w->done;
		lost += w->sent > w->got ? w->sent - w->got : w->got - w->sent;
	}
	printf("%s sent=%llu got=%llu lost=%llu bad=%llu eintr=%llu part=%llu error=%llu (%s) unfinished=%llu\n", name,
	       (unsigned long long)s.sent, (unsigned long long)s.got, (unsigned long long)lost,
	       (unsigned long long)s.bad, (unsigned long long)s.eintr, (unsigned long long)s.part,
	       (unsigned long long)s.error, s.errnum ? strerror(s.errnum) : "none",
	       (unsigned long long)n - (unsigned long long)s.done);
	return !lost && !s.bad && !s.eintr && !s.error && s.done == (uint64_t)n;
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "d:A:B:u:t:l:n:")) != -1) {
		switch (c) {
		case 'd':
			to = optarg;
			break;
		case 'A':
			ns_a = optarg;
			break;
		case 'B':
			ns_b = optarg;
			break;
		case 'u':
			udp_flows = number(optarg, 0, FLOWS_MAX);
			break;
		case 't':
			tcp_flows = number(optarg, 0, FLOWS_MAX);
			break;
		case 'l':
			size = number(optarg, 16, 60000);
			break;
		case 'n':
			/* What runs beside it is not held up, and what it leaves idle is ours. */
			check(setpriority(PRIO_PROCESS, 0, (int)number(optarg, -20, 19)), "setpriority");
			break;
		default:
			die(0, "usage: pump [-d ADDRESS] [-A NETNS] [-B NETNS] [-u FLOWS] [-t FLOWS] [-l BYTES] [-n NICE]");
		}
	}
	if (udp_flows + tcp_flows == 0)
		die(0, "no flow at all");
}

int main(int argc, char **argv)
{
	bool good;
	int a, b, c;

	parse(argc, argv);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		die(errno, "mmap");
	pattern_at(0);
	for (long i = 0; i < tcp_flows; i++) {
		tcp_pair(to, ns_b, ns_a, &b, &a);
		start(tcp_sender, a, &shared->tcp[2 * i]);
		start(tcp_receiver, b, &shared->tcp[2 * i]);
		start(tcp_sender, b, &shared->tcp[2 * i + 1]);
		start(tcp_receiver, a, &shared->tcp[2 * i + 1]);
		close(a);
		close(b);
	}
	for (long i = 0; i < udp_flows; i++) {
		udp_pair(to, ns_b, ns_a, &b, &a);
		if (i % 2) {
			answer_to(b, a);
			c = a;
			a = b;
			b = c;
		}
		start(udp_sender, a, &shared->udp[i]);
		start(udp_receiver, b, &shared->udp[i]);
		close(a);
		close(b);
	}
	good = watch();
	__atomic_store_n(&shared->stop, 1, __ATOMIC_SEQ_CST);
	if (!good)
		for (size_t i = 0; i < nchildren; i++)
			kill(children[i], SIGKILL);
	alarm(60);
	while (wait(NULL) > 0)
		;
	good &= report("udp", shared->udp, udp_flows);
	good &= report("tcp", shared->tcp, 2 * tcp_flows);
	return !good;
}
