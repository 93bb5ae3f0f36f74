// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a program can do to a socket whose datagrams are being gathered. The rule lets them wait for longer than any
 * of this takes, so that what arrives at once was made to leave.
 *   gather_cases [-R RECEIVER-NETNS] [-T SENDER-NETNS] [-d ADDRESS]
 *   gather_cases [-R RECEIVER-NETNS] [-T SENDER-NETNS] [-d ADDRESS] -o OTHER
 * With -o, an address of the same receiver that the rule is not for, only the order between the two is looked at.
 * Prints "ok TEXT" or "not ok TEXT" for each case.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util.h"

#define COUNT_OF(a)	(sizeof(a) / sizeof(*(a)))

#define SIZE	100
#define BURST	20
#define SOON_MS	60	/* less than the rule's bound */
#define LATE_MS	1500	/* more */

static const char *to = "127.0.0.1", *other_to, *rx_ns, *tx_ns;
static int rx, tx;
static char why[200];

#define want(cond, ...)								\
	do {									\
		if (!(cond)) {							\
			snprintf(why, sizeof(why), __VA_ARGS__);		\
			return false;						\
		}								\
	} while (0)

static void fill(uint8_t *data, int i, size_t len)
{
	memcpy(data, pattern_at((uint64_t)i * 7919), len);
}

static ssize_t send_one(int fd, int i, size_t len, int flags)
{
	uint8_t data[2000];
	ssize_t n;

	fill(data, i, len);
	n = send(fd, data, len, flags);
	memset(data, 0xee, len);
	return n;
}

static bool send_some(int fd, int first, int n)
{
	for (int i = first; i < first + n; i++)
		want(send_one(fd, i, SIZE, 0) == SIZE, "send %d: %s", i, strerror(errno));
	return true;
}

static ssize_t receive(int fd, void *data, size_t len, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) > 0 ? recv(fd, data, len, 0) : -1;
}

static bool got_one(int fd, int i, size_t len, int ms)
{
	uint8_t data[70000];
	ssize_t n = receive(fd, data, sizeof(data), ms);

	want(n == (ssize_t)len, "datagram %d: %zd bytes, %zu are right", i, n, len);
	want(pattern_ok(data, len, (uint64_t)i * 7919), "datagram %d has other bytes, or is another", i);
	return true;
}

static bool got_some(int fd, int first, int n, int ms)
{
	for (int i = first; i < first + n; i++)
		if (!got_one(fd, i, SIZE, ms))
			return false;
	return true;
}

static bool got_no_more(int fd)
{
	uint8_t data[2000];

	want(receive(fd, data, sizeof(data), SOON_MS) < 0, "a datagram too many");
	return true;
}

/* In the receiver's namespace, on this address; its port. */
static int receiver_at(const char *at, uint16_t *port)
{
	struct sockaddr_storage ss;
	socklen_t len = address(&ss, at, 0);
	int fd;

	enter_ns(rx_ns);
	fd = (int)check(socket(ss.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");
	check(bind(fd, (struct sockaddr *)&ss, len), "bind");
	*port = socket_port(fd);
	enter_ns(tx_ns);
	return fd;
}

static int receiver(uint16_t *port)
{
	return receiver_at(to, port);
}

static int connect_to(uint16_t port)
{
	struct sockaddr_storage ss;
	socklen_t len = address(&ss, to, port);

	return connect(tx, (struct sockaddr *)&ss, len);
}

static bool case_waits(void)
{
	uint8_t data[SIZE];

	if (!send_some(tx, 0, BURST) || !got_one(rx, 0, SIZE, SOON_MS))
		return false;
	/* Or all the other cases show nothing. */
	want(receive(rx, data, sizeof(data), 5) < 0, "nothing is gathered");
	return got_some(rx, 1, BURST - 1, LATE_MS) && got_no_more(rx);
}

static bool case_close(void)
{
	if (!send_some(tx, 0, BURST))
		return false;
	close(tx);
	tx = -1;
	return got_some(rx, 0, BURST, SOON_MS) && got_no_more(rx);
}

static bool case_kill(void)
{
	int status;
	pid_t child = fork();

	if (!child) {
		send_some(tx, 0, BURST);
		raise(SIGKILL);
	}
	close(tx);
	tx = -1;
	check(waitpid(child, &status, 0), "waitpid");
	return got_some(rx, 0, BURST, SOON_MS) && got_no_more(rx);
}

static bool case_connect(void)
{
	uint16_t port;
	int other = receiver(&port);
	bool ok;

	ok = send_some(tx, 0, BURST) && !connect_to(port) && send_some(tx, 100, BURST) &&
	     got_some(rx, 0, BURST, SOON_MS) && got_some(other, 100, BURST, LATE_MS) && got_no_more(rx);
	close(other);
	return ok;
}

static bool case_shutdown(void)
{
	if (!send_some(tx, 0, BURST))
		return false;
	want(!shutdown(tx, SHUT_WR), "shutdown: %s", strerror(errno));
	want(send_one(tx, 0, SIZE, MSG_NOSIGNAL) < 0 && errno == EPIPE, "a send after shutdown: %s", strerror(errno));
	return got_some(rx, 0, BURST, SOON_MS) && got_no_more(rx);
}

static bool case_option(void)
{
	char control[100];
	uint8_t data[SIZE];
	struct iovec iov = { data, sizeof(data) };
	int six = !!strchr(to, ':'), one = 1, tos;

	check(setsockopt(rx, six ? IPPROTO_IPV6 : IPPROTO_IP, six ? IPV6_RECVTCLASS : IP_RECVTOS, &one, sizeof(one)), "RECVTOS");
	if (!send_some(tx, 0, BURST))
		return false;
	tos = 0x20;
	check(setsockopt(tx, six ? IPPROTO_IPV6 : IPPROTO_IP, six ? IPV6_TCLASS : IP_TOS, &tos, sizeof(tos)), "TOS");
	if (!send_some(tx, BURST, BURST))
		return false;
	for (int i = 0; i < 2 * BURST; i++) {
		struct msghdr msg = {
			.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control),
		};
		struct pollfd p = { .fd = rx, .events = POLLIN };
		struct cmsghdr *c;

		want(poll(&p, 1, i < BURST ? SOON_MS : LATE_MS) == 1, "datagram %d does not come", i);
		want(recvmsg(rx, &msg, 0) == SIZE, "datagram %d is of another size", i);
		want(pattern_ok(data, SIZE, (uint64_t)i * 7919), "datagram %d is another", i);
		c = CMSG_FIRSTHDR(&msg);
		want(c, "no TOS");
		want((*CMSG_DATA(c) == 0x20) == (i >= BURST), "datagram %d has TOS %u", i, *CMSG_DATA(c));
	}
	return got_no_more(rx);
}

static bool case_fault(void)
{
	if (!send_some(tx, 0, BURST))
		return false;
	want(send(tx, (void *)8, SIZE, 0) < 0 && errno == EFAULT, "a send from nowhere: %s", strerror(errno));
	return got_some(rx, 0, BURST, SOON_MS) && send_some(tx, BURST, BURST) && got_some(rx, BURST, BURST, LATE_MS) &&
	       got_no_more(rx);
}

static bool case_too_large(void)
{
	static uint8_t data[70000];

	if (!send_some(tx, 0, BURST))
		return false;
	want(send(tx, data, sizeof(data), 0) < 0 && errno == EMSGSIZE, "70000 bytes: %s", strerror(errno));
	return got_some(rx, 0, BURST, SOON_MS) && got_no_more(rx);
}

static bool case_sizes(void)
{
	static const size_t sizes[] = {
		100, 100, 100, 100, 60, 100, 100, 100, 100, 200, 200, 200, 200, 1, 1, 1, 1, 0, 100, 100, 3000,
		100, 100, 100
	};
	int n = COUNT_OF(sizes);

	for (int i = 0; i < 10 * n; i++) {
		uint8_t data[3000];

		fill(data, i, sizes[i % n]);
		want(send(tx, data, sizes[i % n], 0) == (ssize_t)sizes[i % n], "send %d: %s", i, strerror(errno));
	}
	for (int i = 0; i < 10 * n; i++)
		if (!got_one(rx, i, sizes[i % n], LATE_MS))
			return false;
	return got_no_more(rx);
}

static bool case_cork(void)
{
	uint8_t data[SIZE];

	for (int i = 0; i < BURST; i++) {
		if (!send_some(tx, i * 5, 4))
			return false;
		fill(data, i * 5 + 4, SIZE);
		want(send(tx, data, 30, MSG_MORE) == 30, "MSG_MORE: %s", strerror(errno));
		want(send(tx, data + 30, SIZE - 30, 0) == SIZE - 30, "after MSG_MORE: %s", strerror(errno));
	}
	return got_some(rx, 0, BURST * 5, LATE_MS) && got_no_more(rx);
}

static bool case_own(void)
{
	uint8_t data[4 * SIZE];
	int size = SIZE;

	if (!send_some(tx, 0, BURST))
		return false;
	check(setsockopt(tx, SOL_UDP, UDP_SEGMENT, &size, sizeof(size)), "UDP_SEGMENT");
	for (int i = 0; i < 4; i++)
		fill(data + i * SIZE, BURST + i, SIZE);
	want(send(tx, data, sizeof(data), 0) == sizeof(data), "UDP_SEGMENT: %s", strerror(errno));
	return got_some(rx, 0, BURST + 4, SOON_MS) && got_no_more(rx);
}

static bool case_no_checksum(void)
{
	int one = 1;

	check(setsockopt(tx, SOL_SOCKET, SO_NO_CHECK, &one, sizeof(one)), "SO_NO_CHECK");
	return send_some(tx, 0, BURST) && got_some(rx, 0, BURST, SOON_MS) && got_no_more(rx);
}

static void set_recverr(int value)
{
	int six = !!strchr(to, ':');

	check(setsockopt(tx, six ? IPPROTO_IPV6 : IPPROTO_IP, six ? IPV6_RECVERR : IP_RECVERR, &value,
			 sizeof(value)), "RECVERR");
}

static bool case_recverr(void)
{
	set_recverr(1);
	if (!send_some(tx, 0, BURST) || !got_some(rx, 0, BURST, SOON_MS))
		return false;
	set_recverr(0);
	return case_waits();
}

static bool case_refused(void)
{
	int seen = 0;

	/* Nobody is there any more, and ICMP says so after the first. */
	close(rx);
	rx = -1;
	for (int i = 0; i < 200 && !seen; i++) {
		if (send_one(tx, i, SIZE, 0) < 0) {
			want(errno == ECONNREFUSED, "not ECONNREFUSED: %s", strerror(errno));
			seen++;
		}
		usleep(1000);
	}
	want(seen, "no send told that nobody is there");
	return true;
}

static bool case_pending_error(void)
{
	int err = 0;
	socklen_t len = sizeof(err);

	/* All of these go before the answer to the first comes, or wait; the error is for SO_ERROR to tell. */
	close(rx);
	rx = -1;
	for (int i = 0; i < BURST; i++)
		send_one(tx, i, SIZE, 0);
	for (int i = 0; i < LATE_MS / 5 && !err; i++) {
		usleep(5000);
		check(getsockopt(tx, SOL_SOCKET, SO_ERROR, &err, &len), "SO_ERROR");
	}
	want(err == ECONNREFUSED, "SO_ERROR is %d, not ECONNREFUSED", err);
	return true;
}

static bool case_many_peers(void)
{
	uint16_t port[2];
	struct sockaddr_storage ss;
	int other[2] = { receiver(&port[0]), receiver(&port[1]) }, fd;
	socklen_t len = address(&ss, to, port[0]);
	uint8_t data[SIZE];
	bool ok = true;

	fd = (int)check(socket(ss.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");
	/* Now and then two for the same, so that some are gathered. */
	for (int i = 0; i < 300 && ok; i++) {
		len = address(&ss, to, port[i / 100 == 2 ? 0 : i % 2]);
		fill(data, i, SIZE);
		ok = sendto(fd, data, SIZE, 0, (struct sockaddr *)&ss, len) == SIZE;
	}
	close(fd);
	for (int i = 0; i < 300 && ok; i++)
		ok = got_one(other[i / 100 == 2 ? 0 : i % 2], i, SIZE, LATE_MS);
	ok = ok && got_no_more(other[0]) && got_no_more(other[1]);
	close(other[0]);
	close(other[1]);
	return ok;
}

static bool send_to(int fd, const char *whom, uint16_t port, int first, int n)
{
	struct sockaddr_storage ss;
	socklen_t len = address(&ss, whom, port);
	uint8_t data[SIZE];

	for (int i = first; i < first + n; i++) {
		fill(data, i, SIZE);
		want(sendto(fd, data, SIZE, 0, (struct sockaddr *)&ss, len) == SIZE, "sendto %d: %s", i,
		     strerror(errno));
	}
	return true;
}

/* Peers that the rule is for and is not for, by turns: what a socket sends comes in the order it was sent. */
static bool case_other_peer(void)
{
	uint16_t port;
	int both = receiver_at(strchr(to, ':') ? "::" : "0.0.0.0", &port), fd;
	bool ok;

	fd = (int)check(socket(strchr(to, ':') ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");
	/* It is known that no rule is for these when the first is gathered. */
	ok = send_to(fd, other_to, port, 0, 5) && send_to(fd, to, port, 5, BURST) &&
	     send_to(fd, other_to, port, 5 + BURST, 1) && got_some(both, 0, BURST + 6, SOON_MS);
	for (int round = 0; ok && round < 5; round++)
		/* It would be known again after these. */
		ok = send_to(fd, other_to, port, 0, 2) && send_to(fd, to, port, 2, BURST) &&
		     send_to(fd, other_to, port, 2 + BURST, 1) && got_some(both, 0, BURST + 3, SOON_MS);
	ok = ok && got_no_more(both);
	close(fd);
	close(both);
	return ok;
}

static bool case_room(void)
{
	int room = 4608, sent = 0, status = 0;
	struct pollfd p = { .events = POLLOUT };

	check(setsockopt(tx, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room)), "SO_SNDBUF");
	p.fd = tx;
	while (sent < 500) {
		if (send_one(tx, sent, SIZE, MSG_DONTWAIT) == SIZE) {
			sent++;
			continue;
		}
		want(errno == EAGAIN, "send %d: %s", sent, strerror(errno));
		status++;
		want(poll(&p, 1, LATE_MS) == 1, "it never becomes writable again");
	}
	printf("# %d sends told EAGAIN\n", status);
	return got_some(rx, 0, sent, LATE_MS) && got_no_more(rx);
}

static const struct test_case {
	const char *what;
	bool (*fn)(void);
} cases[] = {
	{ "the rule gathers, and nothing waits for ever", case_waits },
	{ "close() has a batch leave", case_close },
	{ "so does the end of a killed process", case_kill },
	{ "what was sent before connect() goes to the peer of before", case_connect },
	{ "shutdown() has a batch leave, and ends sending", case_shutdown },
	{ "what was sent before an option was set goes without it", case_option },
	{ "EFAULT is for the call that earned it", case_fault },
	{ "EMSGSIZE is for the call that earned it", case_too_large },
	{ "datagrams of many sizes stay what they are", case_sizes },
	{ "MSG_MORE makes one datagram of its own", case_cork },
	{ "a program that uses UDP_SEGMENT itself", case_own },
	{ "a socket without checksums", case_no_checksum },
	{ "IP_RECVERR is left alone, and gathered from once it is off", case_recverr },
	{ "ECONNREFUSED is told by a send", case_refused },
	{ "ECONNREFUSED is told by SO_ERROR", case_pending_error },
	{ "many destinations", case_many_peers },
	{ "a small send buffer: EAGAIN, POLLOUT, nothing lost", case_room },
}, order = { "the order of peers with and without a rule", case_other_peer };

static bool run_case(const struct test_case *c)
{
	int room = 16 << 20;
	bool ok;

	udp_pair(to, rx_ns, tx_ns, &rx, &tx);
	/* Some cases send all before they receive any. */
	check(setsockopt(rx, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)), "SO_RCVBUFFORCE");
	enter_ns(tx_ns);
	why[0] = 0;
	ok = c->fn();
	if (!ok)
		printf("# %s\n", why);
	printf("%s %s (%s)\n", ok ? "ok" : "not ok", c->what, strchr(to, ':') ? "IPv6" : "IPv4");
	if (rx >= 0)
		close(rx);
	if (tx >= 0)
		close(tx);
	return ok;
}

int main(int argc, char **argv)
{
	bool failed = false;
	int c;

	while ((c = getopt(argc, argv, "R:T:d:o:")) != -1) {
		if (c == 'R')
			rx_ns = optarg;
		else if (c == 'T')
			tx_ns = optarg;
		else if (c == 'd')
			to = optarg;
		else if (c == 'o')
			other_to = optarg;
		else
			return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	pattern_at(0);
	if (other_to)
		return !run_case(&order);
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		failed |= !run_case(&cases[i]);
	return failed;
}
