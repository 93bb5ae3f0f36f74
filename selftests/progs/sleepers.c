// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tasks that sleep for a message in every way there is. A line "wake" on standard input sends each its
 * message and prints, for each way, what they have met so far; the end of input ends them.
 *   sleepers [-n TASKS-A-WAY] [-t RECEIVE-TIMEOUT-MS] [-4|-6]
 * Prints "asleep" (after the start and after each wake) once all wait in the kernel.
 */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util.h"

enum way { UDP_RECV, TCP_RECV, TCP_READ, UDP_RECVMSG, UDP_RECVMMSG, UDP_TIMEOUT, TCP_TIMEOUT, TCP_WAITALL,
	   EPOLL, POLL, WAYS };

static const char *const names[WAYS] = {
	"udp_recv", "tcp_recv", "tcp_read", "udp_recvmsg", "udp_recvmmsg", "udp_timeout", "tcp_timeout", "tcp_waitall",
	"epoll", "poll",
};

/* What the tasks of one way have met; shared with the parent. */
struct tally {
	uint64_t got, bad, eintr, timeout, partial, error;
	uint64_t waiting;	/* calls begun */
};

static struct tally *tally;
static long tasks = 2, timeout_ms = 20000;

static bool is_tcp(enum way w) { return w == TCP_RECV || w == TCP_READ || w == TCP_TIMEOUT || w == TCP_WAITALL; }

static void add(uint64_t *to) { __atomic_add_fetch(to, 1, __ATOMIC_SEQ_CST); }

static long take(enum way w, int fd, int epfd, uint8_t *buf, size_t size)
{
	struct iovec iov = { buf, size };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct mmsghdr vec = { .msg_hdr = msg };
	struct epoll_event ev;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	long n;

	switch (w) {
	case TCP_READ:
		return read(fd, buf, size);
	case UDP_RECVMSG:
		return recvmsg(fd, &msg, 0);
	case UDP_RECVMMSG:
		n = recvmmsg(fd, &vec, 1, 0, NULL);
		return n < 0 ? n : (long)vec.msg_len;
	case TCP_WAITALL:
		return recv(fd, buf, 2, MSG_WAITALL);
	case EPOLL:
		n = epoll_wait(epfd, &ev, 1, -1);
		return n < 0 ? n : recv(fd, buf, size, MSG_DONTWAIT);
	case POLL:
		n = poll(&p, 1, -1);
		return n < 0 ? n : recv(fd, buf, size, MSG_DONTWAIT);
	default:
		return recv(fd, buf, size, 0);
	}
}

static void sleeper(enum way w, int fd)
{
	struct timeval tv = { timeout_ms / 1000, timeout_ms % 1000 * 1000 };
	struct epoll_event ev = { .events = EPOLLIN };
	struct tally *t = &tally[w];
	size_t have = 0;
	uint8_t buf[64];
	int epfd = -1;
	long n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (w == UDP_TIMEOUT || w == TCP_TIMEOUT)
		check(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)), "SO_RCVTIMEO");
	if (w == EPOLL) {
		epfd = (int)check(epoll_create1(0), "epoll");
		check(epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &ev), "epoll_ctl");
	}
	add(&t->waiting);
	for (;;) {
		n = take(w, fd, epfd, buf + have, 2 - have);
		if (n == 2 || (n == 1 && have)) {
			/* Counted as waiting again before it is counted as done. */
			if (buf[0] != 'a' || buf[1] != 'z')
				add(&t->bad);
			have = 0;
			add(&t->waiting);
			add(&t->got);
		} else if (n == 1) {
			/* Of a stream, half a message may come; with MSG_WAITALL only if the wait was cut short. */
			add(&t->partial);
			have = 1;
		} else if (n < 0 && errno == EINTR) {
			add(&t->eintr);
		} else if (n < 0 && errno == EAGAIN) {
			add(&t->timeout);
		} else {
			add(&t->error);
		}
	}
}

static pid_t pids[WAYS * 64];
static int senders[WAYS * 64];

static bool all(uint64_t rounds, bool got)
{
	for (int w = 0; w < WAYS; w++)
		if (__atomic_load_n(got ? &tally[w].got : &tally[w].waiting, __ATOMIC_SEQ_CST) <
		    rounds * (uint64_t)tasks)
			return false;
	return true;
}

/* A task that sleeps is in state S; until then it runs. */
static bool asleep(void)
{
	char path[64], line[512], *end;
	FILE *f;

	for (long i = 0; i < WAYS * tasks; i++) {
		snprintf(path, sizeof(path), "/proc/%d/stat", (int)pids[i]);
		f = fopen(path, "re");
		if (!f || !fgets(line, sizeof(line), f))
			die(0, "a sleeper is gone");
		fclose(f);
		end = strrchr(line, ')');
		if (!end || end[2] != 'S')
			return false;
	}
	return true;
}

static void wait_asleep(uint64_t rounds)
{
	for (int i = 0; !all(rounds, false) || !asleep(); i++) {
		if (i > 3000)
			die(0, "the sleepers do not fall asleep");
		usleep(10000);
	}
	say("asleep\n");
}

static void wake(uint64_t round)
{
	for (long i = 0; i < WAYS * tasks; i++)
		check(send(senders[i], "az", 2, MSG_NOSIGNAL), "send");
	for (int i = 0; !all(round, true); i++) {
		if (i > 3000)
			break;	/* the tally shows who did not get it */
		usleep(10000);
	}
	for (int w = 0; w < WAYS; w++) {
		struct tally *t = &tally[w];

		say("%s sent=%llu got=%llu bad=%llu eintr=%llu timeout=%llu partial=%llu error=%llu\n", names[w],
		    (unsigned long long)round * (unsigned long long)tasks, (unsigned long long)t->got,
		    (unsigned long long)t->bad, (unsigned long long)t->eintr, (unsigned long long)t->timeout,
		    (unsigned long long)t->partial, (unsigned long long)t->error);
	}
}

int main(int argc, char **argv)
{
	const char *host = "127.0.0.1";
	uint64_t round = 0;
	char line[16];
	long n = 0;
	int c, rx;

	while ((c = getopt(argc, argv, "46n:t:")) != -1) {
		switch (c) {
		case '4':
			break;
		case '6':
			host = "::1";
			break;
		case 'n':
			tasks = number(optarg, 1, 64);
			break;
		case 't':
			timeout_ms = number(optarg, 1, 100000);
			break;
		default:
			die(0, "usage: sleepers [-n TASKS-A-WAY] [-t RECEIVE-TIMEOUT-MS] [-4|-6]");
		}
	}
	tally = mmap(NULL, sizeof(*tally) * WAYS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tally == MAP_FAILED)
		die(errno, "mmap");
	for (int w = 0; w < WAYS; w++)
		for (long i = 0; i < tasks; i++, n++) {
			if (is_tcp(w))
				tcp_pair(host, NULL, NULL, &rx, &senders[n]);
			else
				udp_pair(host, NULL, NULL, &rx, &senders[n]);
			pids[n] = (pid_t)check(fork(), "fork");
			if (!pids[n]) {
				sleeper(w, rx);
				_exit(1);
			}
			close(rx);
		}
	wait_asleep(1);
	while (fgets(line, sizeof(line), stdin))
		if (!strcmp(line, "wake\n")) {
			wake(++round);
			wait_asleep(round + 1);
		}
	for (n = 0; n < WAYS * tasks; n++)
		kill(pids[n], SIGKILL);
	while (wait(NULL) > 0)
		;
	return 0;
}
