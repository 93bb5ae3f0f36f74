// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What programs do around their sends, with every byte verified:
 *   calls [-p udp|tcp] [-d ADDRESS] [-r NETNS] [-t NETNS] [-l BYTES] [-n SENDS] CASE
 *   own       MSG_ZEROCOPY of their own: the buffer is written over when the completion has come
 *   sendfile  from a file, whose pages go as they are
 *   signals   a timer interrupts all the time, with a handler that does not restart calls
 *   nobufs    the sender hears of packets that its own queue drops (IP_RECVERR): ENOBUFS, and that one is lost
 *   again     non-blocking, with a send buffer of one datagram: EAGAIN, and it becomes writable again
 * Prints bytes=N sends=N and what the case has met.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/errqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/time.h>
#include <unistd.h>

#include "util.h"

#define PATIENCE_MS	20000

static const char *host = "127.0.0.1", *rx_ns, *tx_ns, *what;
static bool tcp;
static size_t len = 8000;
static long sends = 16;
static int rx, tx;
static uint8_t *buf;
static uint64_t bytes;
static unsigned long done, interrupted, nobufs, again, completions, copied;
static volatile sig_atomic_t signals;

static void on_signal(int sig)
{
	(void)sig;
	signals++;
}

static void wait_for(int fd, short events, const char *for_what)
{
	struct pollfd p = { .fd = fd, .events = events };
	int n;

	do {
		n = poll(&p, 1, PATIENCE_MS);
	} while (n < 0 && errno == EINTR);
	if (n != 1)
		die(0, "%s does not come", for_what);
}

/* Takes what the protocol says of MSG_ZEROCOPY, until it has said it of so many sends. */
static void completed(unsigned long wanted)
{
	const struct sock_extended_err *e;
	char control[128];
	struct msghdr msg;

	while (completions < wanted) {
		wait_for(tx, 0, "a completion");
		msg = (struct msghdr){ .msg_control = control, .msg_controllen = sizeof(control) };
		if (recvmsg(tx, &msg, MSG_ERRQUEUE) < 0) {
			if (errno == EAGAIN)
				continue;
			die(errno, "the error queue");
		}
		e = (const void *)CMSG_DATA(CMSG_FIRSTHDR(&msg));
		if (e->ee_origin != SO_EE_ORIGIN_ZEROCOPY || e->ee_errno)
			die((int)e->ee_errno, "an error that is no completion");
		completions += e->ee_data - e->ee_info + 1;
		copied += e->ee_code & SO_EE_CODE_ZEROCOPY_COPIED ? e->ee_data - e->ee_info + 1 : 0;
	}
}

/* One piece, or what is left of it; how much was taken, 0: try again. */
static size_t send_piece(size_t at, int file)
{
	int flags = MSG_NOSIGNAL;
	off_t from = (off_t)bytes;
	ssize_t n;

	if (!strcmp(what, "own"))
		flags |= MSG_ZEROCOPY;
	n = file >= 0 ? sendfile(tx, file, &from, len - at) : send(tx, buf + at, len - at, flags);
	if (n < 0 && errno == EINTR) {
		interrupted++;
		return 0;
	}
	if (n < 0 && errno == EAGAIN) {
		again++;
		wait_for(tx, POLLOUT, "room to send");
		return 0;
	}
	if (n < 0 && errno == ENOBUFS && !tcp) {
		nobufs++;
		done++;
		return len;
	}
	check(n, "send");
	done++;
	bytes += (uint64_t)n;
	if (!strcmp(what, "own"))
		completed(done);
	memset(buf + at, 0xee, (size_t)n);
	return (size_t)n;
}

static void *receive(void *unused)
{
	static uint8_t got[PATTERN_MAX];
	uint64_t at = 0;
	ssize_t n;

	(void)unused;
	for (;;) {
		n = recv(rx, got, sizeof(got), 0);
		if (n < 0 && errno == EINTR)
			continue;
		check(n, "recv");
		/* The end of a stream, or a datagram that says so. */
		if (n < 2)
			break;
		if (!pattern_ok(got, (size_t)n, at))
			die(0, "%zd bytes at %llu are not what was sent", n, (unsigned long long)at);
		at += (uint64_t)n;
	}
	if (at != bytes)
		die(0, "%llu bytes were sent, %llu arrived", (unsigned long long)bytes, (unsigned long long)at);
	return NULL;
}

static int pattern_file(uint64_t size)
{
	char path[] = "/tmp/calls.XXXXXX";
	int fd = (int)check(mkstemp(path), path);
	uint64_t at;

	unlink(path);
	for (at = 0; at < size; at += len)
		if (pwrite(fd, pattern_at(at), len, (off_t)at) != (ssize_t)len)
			die(errno, "write a file");
	return fd;
}

static void prepare(void)
{
	struct sigaction act = { .sa_handler = on_signal };
	struct itimerval often = { { 0, 700 }, { 0, 700 } };
	int one = 1, room = (int)len;

	if (!strcmp(what, "own")) {
		check(setsockopt(tx, SOL_SOCKET, SO_ZEROCOPY, &one, sizeof(one)), "SO_ZEROCOPY");
	} else if (!strcmp(what, "signals")) {
		sigaction(SIGALRM, &act, NULL);
		check(setitimer(ITIMER_REAL, &often, NULL), "setitimer");
	} else if (!strcmp(what, "nobufs")) {
		check(setsockopt(tx, IPPROTO_IP, IP_RECVERR, &one, sizeof(one)), "IP_RECVERR");
	} else if (!strcmp(what, "again")) {
		check(setsockopt(tx, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room)), "SO_SNDBUF");
		check(fcntl(tx, F_SETFL, O_NONBLOCK), "O_NONBLOCK");
	} else if (strcmp(what, "sendfile")) {
		die(0, "see the top of calls.c");
	}
}

static void send_all(int file)
{
	size_t at;
	long i;

	for (i = 0; i < sends; i++) {
		memcpy(buf, pattern_at(bytes), len);
		for (at = 0; at < len;)
			at += send_piece(at, file);
	}
}

static void finish(void)
{
	struct itimerval never = { 0 };

	setitimer(ITIMER_REAL, &never, NULL);
	if (tcp) {
		check(shutdown(tx, SHUT_WR), "shutdown");
		return;
	}
	while (send(tx, "", 1, 0) < 0) {
		if (errno != ENOBUFS && errno != EAGAIN)
			die(errno, "send the last");
		usleep(10000);
	}
}

int main(int argc, char **argv)
{
	int c, file = -1, room = 4 << 20;
	pthread_t receiver;
	sigset_t set;

	while ((c = getopt(argc, argv, "p:d:r:t:l:n:")) != -1) {
		switch (c) {
		case 'p': tcp = !strcmp(optarg, "tcp"); break;
		case 'd': host = optarg; break;
		case 'r': rx_ns = optarg; break;
		case 't': tx_ns = optarg; break;
		case 'l': len = (size_t)number(optarg, 1, PATTERN_MAX); break;
		case 'n': sends = number(optarg, 1, 1 << 20); break;
		default: die(0, "see the top of calls.c");
		}
	}
	if (optind != argc - 1)
		die(0, "see the top of calls.c");
	what = argv[optind];
	buf = malloc(len);
	(tcp ? tcp_pair : udp_pair)(host, rx_ns, tx_ns, &rx, &tx);
	if (!tcp)
		check(setsockopt(rx, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)), "SO_RCVBUFFORCE");
	if (!strcmp(what, "sendfile"))
		file = pattern_file(len * (uint64_t)sends);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (pthread_create(&receiver, NULL, receive, NULL))
		die(0, "no thread");
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	prepare();
	send_all(file);
	finish();
	pthread_join(receiver, NULL);
	say("bytes=%llu sends=%lu signals=%d eintr=%lu again=%lu nobufs=%lu completions=%lu copied=%lu\n",
	    (unsigned long long)bytes, done, (int)signals, interrupted, again, nobufs, completions, copied);
	return 0;
}
