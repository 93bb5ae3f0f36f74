// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages from one socket to another, in known numbers, every byte verified. One task is both ends
 * (send one, receive one), unless the receiver is to sleep: then a child sends after a while.
 */
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util.h"

#define BATCH	8

enum how { SEND, SENDTO, SENDMSG, SENDMMSG, WRITE, CORK };

static const char *const hows[] = { "send", "sendto", "sendmsg", "sendmmsg", "write", "cork" };

static struct {
	bool tcp;
	enum how how;
	long count;
	long size;
	long sleep_ms;		/* a child sends, so long after the last */
	bool told;		/* a child sends each when a line comes */
	long pause_ms;		/* between message and the next */
	bool reply;		/* the receiver answers with one byte */
	bool hold;		/* print "ready" and wait for a line before the first message */
	const char *to;
	const char *rx_ns, *tx_ns;
} o = { .count = 10, .size = 1000, .to = "127.0.0.1" };

static int rx, tx;
static unsigned long sends, recvs, received, bytes, bad;

static void usage(void)
{
	fputs("usage: exchange [-p udp|tcp] [-d ADDRESS] [-n COUNT] [-l BYTES] [-R RECEIVER-NETNS] [-T SENDER-NETNS]\n"
	      "                [-m send|sendto|sendmsg|sendmmsg|write|cork] [-S MS | -G] [-P MS] [-E] [-w]\n"
	      "-S: a child sends each message so long after the last, while the receiver sleeps\n"
	      "-G: a child sends a message for each line of standard input\n"
	      "-P: pause between messages   -E: the receiver answers with a byte   -w: wait for a line before the first\n",
	      stderr);
	exit(2);
}

static void doze(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

/* The message of this number begins at its offset of the stream, or, a datagram, at its own. */
static uint64_t offset_of(long i)
{
	return o.tcp ? (uint64_t)i * o.size : (uint64_t)i * 7919;
}

static void send_some(const uint8_t *data, size_t len, int flags)
{
	struct iovec iov = { (void *)data, len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct sockaddr_storage ss;
	socklen_t sslen = sizeof(ss);
	ssize_t n;

	while (len) {
		switch (o.how) {
		case SENDTO:
			/* A connected socket may be told its own peer. */
			if (o.tcp || getpeername(tx, (void *)&ss, &sslen))
				n = sendto(tx, data, len, flags, NULL, 0);
			else
				n = sendto(tx, data, len, flags, (void *)&ss, sslen);
			break;
		case SENDMSG:
			iov = (struct iovec){ (void *)data, len };
			n = sendmsg(tx, &msg, flags);
			break;
		case WRITE:
			n = write(tx, data, len);
			break;
		default:
			n = send(tx, data, len, flags);
		}
		check(n, hows[o.how]);
		sends++;
		data += n;
		len -= (size_t)n;
	}
}

static void send_batch(long first, long n)
{
	struct mmsghdr vec[BATCH] = { 0 };
	struct iovec iov[BATCH];

	for (long i = 0; i < n; i++) {
		iov[i] = (struct iovec){ (void *)pattern_at(offset_of(first + i)), (size_t)o.size };
		vec[i].msg_hdr = (struct msghdr){ .msg_iov = &iov[i], .msg_iovlen = 1 };
	}
	if (check(sendmmsg(tx, vec, (unsigned int)n, 0), "sendmmsg") != n)
		die(0, "sendmmsg sent less than asked");
	sends++;
}

/* Messages @first and up, @n of them (one, unless they go in batches). */
static void send_messages(long first, long n)
{
	const uint8_t *data = pattern_at(offset_of(first));

	if (o.how == SENDMMSG) {
		send_batch(first, n);
	} else if (o.how == CORK) {
		send_some(data, (size_t)o.size / 2, MSG_MORE);
		send_some(data + o.size / 2, (size_t)(o.size - o.size / 2), 0);
	} else {
		send_some(data, (size_t)o.size, 0);
	}
}

static void receive_message(long i)
{
	static uint8_t data[PATTERN_MAX];
	size_t got = 0;
	ssize_t n;

	do {
		n = recv(rx, data + got, sizeof(data) - got < (size_t)o.size - got || !o.tcp ?
			 sizeof(data) - got : (size_t)o.size - got, 0);
		check(n, "recv");
		recvs++;
		if (!n)
			die(0, "the stream ended after %lu messages", received);
		got += (size_t)n;
	} while (o.tcp && got < (size_t)o.size);
	received++;
	bytes += got;
	if (got != (size_t)o.size || !pattern_ok(data, got, offset_of(i)))
		bad++;
	if (o.reply) {
		/* The TCP connection is used both ways, so that acknowledgements may be delayed. */
		check(send(rx, data, 1, 0), "reply");
		check(recv(tx, data, 1, 0), "receive the reply");
		sends++;
		recvs++;
	}
}

static void run(void)
{
	long step = o.how == SENDMMSG ? BATCH : 1, i, k, n;
	pid_t child = 0;
	char line[16];
	int status = 0;

	if (o.sleep_ms || o.told) {
		child = (pid_t)check(fork(), "fork");
		if (!child) {
			for (i = 0; i < o.count; i += step) {
				if (!o.told)
					doze(o.sleep_ms);
				else if (!fgets(line, sizeof(line), stdin))
					_exit(1);
				send_messages(i, o.count - i < step ? o.count - i : step);
			}
			_exit(0);
		}
		sends = (unsigned long)(o.count + step - 1) / step;
	}
	for (i = 0; i < o.count; i += step) {
		n = o.count - i < step ? o.count - i : step;
		if (!child)
			send_messages(i, n);
		if (o.pause_ms && !o.reply)
			doze(o.pause_ms);
		for (k = i; k < i + n; k++)
			receive_message(k);
		if (o.pause_ms && o.reply)
			doze(o.pause_ms);
	}
	if (child)
		check(waitpid(child, &status, 0), "waitpid");
	if (status)
		die(0, "the sender failed");
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "p:d:n:l:R:T:m:S:GP:Ew")) != -1) {
		switch (c) {
		case 'p':
			o.tcp = !strcmp(optarg, "tcp");
			if (!o.tcp && strcmp(optarg, "udp"))
				usage();
			break;
		case 'd':
			o.to = optarg;
			break;
		case 'n':
			o.count = number(optarg, 1, 10000000);
			break;
		case 'l':
			o.size = number(optarg, 1, PATTERN_MAX);
			break;
		case 'R':
			o.rx_ns = optarg;
			break;
		case 'T':
			o.tx_ns = optarg;
			break;
		case 'm':
			for (c = 0; c <= CORK && strcmp(hows[c], optarg); c++)
				;
			if (c > CORK)
				usage();
			o.how = (enum how)c;
			break;
		case 'S':
			o.sleep_ms = number(optarg, 1, 10000);
			break;
		case 'G':
			o.told = true;
			break;
		case 'P':
			o.pause_ms = number(optarg, 1, 10000);
			break;
		case 'E':
			o.reply = true;
			break;
		case 'w':
			o.hold = true;
			break;
		default:
			usage();
		}
	}
	if (optind != argc)
		usage();
	if (o.reply && !o.tcp)
		die(0, "-E is for TCP");
}

int main(int argc, char **argv)
{
	int one = 1, room = 4 << 20;
	char line[16];

	parse(argc, argv);
	alarm(120);
	if (o.tcp) {
		tcp_pair(o.to, o.rx_ns, o.tx_ns, &rx, &tx);
		check(setsockopt(tx, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)), "TCP_NODELAY");
	} else {
		udp_pair(o.to, o.rx_ns, o.tx_ns, &rx, &tx);
		check(setsockopt(rx, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)), "SO_RCVBUFFORCE");
	}
	if (o.hold) {
		say("ready\n");
		if (!fgets(line, sizeof(line), stdin))
			die(0, "nobody said when to begin");
	}
	run();
	printf("messages=%lu sends=%lu recvs=%lu bytes=%lu bad=%lu\n", received, sends, recvs, bytes, bad);
	return bad || received != (unsigned long)o.count;
}
