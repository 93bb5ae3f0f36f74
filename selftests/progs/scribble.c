// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sends a pattern from one namespace to another, writes over its buffer the moment a call has returned (or, from a
 * pool, the moment it is free again), and verifies every byte that arrives.
 *
 *   scribble [-p udp|tcp] [-d ADDR] [-r NS] [-t NS] [-l BYTES] [-n SENDS] [-c CALL] [-b BUFFER]
 *            [-k BATCH] [-x] [-u] [-e] [-s SNDBUF]
 *
 * CALL is send, sendto, sendmsg, sendmmsg, write or writev; BUFFER is anon, huge, file, readonly, cow, hole (the second
 * half of it is not mapped) or pool. -x: non-blocking; -u: the UDP socket is not connected; -k: datagrams of a
 * sendmmsg; -e: the pool is closed before anything is verified; -o: the buffer begins so many bytes into a page.
 */
#include <errno.h>
#include <fcntl.h>
#include <libnettoll.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util.h"

#define BATCH_MAX	64
#define HUGE_BYTES	(2ul << 20)
#define PATIENCE_MS	20000

static struct {
	const char *host, *rx_ns, *tx_ns, *call, *buffer;
	bool tcp, nonblock, unconnected, early;
	size_t len, offset;
	long sends, batch, sndbuf;
} opt = { .host = "127.0.0.1", .call = "send", .buffer = "anon", .len = 16000, .sends = 16, .batch = 8 };

static struct {
	uint64_t bytes;
	unsigned long partial, again, faults;
	uint64_t sending_ns;
} seen;

/* Of a pool: datagrams on their way at once, and buffers. */
#define POOL_AHEAD	7
#define POOL_BUFFERS	8

static struct nettoll_pool *pool;
static struct sockaddr_storage peer;
static socklen_t peer_len;
static int rx, tx;

static bool buffer_is(const char *kind)
{
	return !strcmp(opt.buffer, kind);
}

static uint8_t *map(size_t bytes, int flags, int fd)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (p == MAP_FAILED)
		die(errno, "mmap of %zu bytes", bytes);
	return p;
}

/* Memory of the kind asked for, @bytes of it and what the offset takes. */
static uint8_t *buffer_new(size_t bytes)
{
	char path[] = "/tmp/scribble.XXXXXX";
	size_t page = (size_t)sysconf(_SC_PAGESIZE), all = (bytes + opt.offset + page - 1) / page * page;
	uint8_t *p;
	int fd;

	if (buffer_is("huge")) {
		all = (all + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
		return map(all, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1) + opt.offset;
	}
	if (buffer_is("file")) {
		fd = (int)check(mkstemp(path), path);
		unlink(path);
		check(ftruncate(fd, (off_t)all), "ftruncate");
		p = map(all, MAP_SHARED, fd);
		close(fd);
		return p + opt.offset;
	}
	p = map(all, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (buffer_is("hole"))
		check(munmap(p + (all / 2 + page - 1) / page * page, all - (all / 2 + page - 1) / page * page), "munmap");
	return p + opt.offset;
}

static void protect(uint8_t *buffer, size_t bytes, int prot)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *start = buffer - (uintptr_t)buffer % page;

	check(mprotect(start, bytes + (size_t)(buffer - start), prot), "mprotect");
}

static ssize_t send_one(const uint8_t *data, size_t len)
{
	struct iovec iov[2] = { { (void *)data, len / 2 }, { (void *)(data + len / 2), len - len / 2 } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };
	void *to = opt.unconnected ? &peer : NULL;
	socklen_t to_len = opt.unconnected ? peer_len : 0;
	int flags = opt.nonblock ? MSG_DONTWAIT : 0;

	if (strcmp(opt.call, "write") == 0)
		return write(tx, data, len);
	if (strcmp(opt.call, "writev") == 0)
		return writev(tx, iov, 2);
	if (strcmp(opt.call, "sendmsg") == 0) {
		msg.msg_name = to;
		msg.msg_namelen = to_len;
		return sendmsg(tx, &msg, flags);
	}
	return sendto(tx, data, len, flags, to, to_len);
}

/* Datagrams of the buffer, of opt.len bytes each; how many were sent. */
static long send_batch(const uint8_t *data, long n)
{
	struct mmsghdr msgs[BATCH_MAX] = {};
	struct iovec iov[BATCH_MAX];
	long i;

	for (i = 0; i < n; i++) {
		iov[i] = (struct iovec){ (void *)(data + (size_t)i * opt.len), opt.len };
		msgs[i].msg_hdr.msg_iov = &iov[i];
		msgs[i].msg_hdr.msg_iovlen = 1;
		if (opt.unconnected) {
			msgs[i].msg_hdr.msg_name = &peer;
			msgs[i].msg_hdr.msg_namelen = peer_len;
		}
	}
	return sendmmsg(tx, msgs, (unsigned int)n, opt.nonblock ? MSG_DONTWAIT : 0);
}

/* As the pattern goes on, in pieces that it can give at once. */
static void fill(uint8_t *to, size_t len, uint64_t at)
{
	size_t n;

	for (; len; to += n, at += n, len -= n) {
		n = len < PATTERN_MAX ? len : PATTERN_MAX;
		memcpy(to, pattern_at(at), n);
	}
}

static void wait_writable(void)
{
	struct pollfd p = { .fd = tx, .events = POLLOUT };

	seen.again++;
	if (poll(&p, 1, PATIENCE_MS) != 1)
		die(0, "the socket does not become writable");
}

static void verify_datagram(uint64_t at)
{
	static uint8_t got[65536];
	struct pollfd p = { .fd = rx, .events = POLLIN };
	ssize_t n;

	if (poll(&p, 1, PATIENCE_MS) != 1)
		die(0, "the datagram at %llu did not arrive", (unsigned long long)at);
	n = check(recv(rx, got, sizeof(got), 0), "recv");
	if ((size_t)n != opt.len || !pattern_ok(got, (size_t)n, at))
		die(0, "the datagram at %llu is not what was sent", (unsigned long long)at);
}

/* A child that shares the pages until told to go. */
static pid_t share(int *told)
{
	int fd[2];
	pid_t pid;
	char c;

	check(pipe(fd), "pipe");
	pid = (pid_t)check(fork(), "fork");
	if (pid == 0) {
		close(fd[1]);
		_exit(read(fd[0], &c, 1) != 0);
	}
	close(fd[0]);
	*told = fd[1];
	return pid;
}

static ssize_t send_shared(const uint8_t *data, size_t len)
{
	int told, status;
	pid_t pid;
	ssize_t n;

	if (!buffer_is("cow"))
		return send_one(data, len);
	pid = share(&told);
	n = send_one(data, len);
	close(told);
	check(waitpid(pid, &status, 0), "waitpid");
	return n;
}

static void prepare(uint8_t *data, size_t len, uint64_t at)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (buffer_is("hole"))
		len = (len / 2 + page - 1) / page * page - opt.offset;
	if (buffer_is("readonly"))
		protect(data, len, PROT_READ | PROT_WRITE);
	fill(data, len, at);
	if (buffer_is("readonly"))
		protect(data, len, PROT_READ);
}

static void scribble(uint8_t *data, size_t len)
{
	if (buffer_is("readonly"))
		protect(data, len, PROT_READ | PROT_WRITE);
	memset(data, 0xee, len);
}

/* The next buffer of the pool, which is written over at once, and then with what is to be sent. */
static uint8_t *pool_next(uint64_t at)
{
	uint8_t *data;

	while (!(data = nettoll_pool_alloc(pool)))
		check(nettoll_pool_wait(pool, NULL, PATIENCE_MS), "no buffer becomes free");
	memset(data, 0xee, nettoll_pool_bytes(pool));
	fill(data + opt.offset, opt.len, at);
	return data;
}

static void run_udp_pool(void)
{
	uint64_t verified = 0;
	uint8_t *data;
	long done;

	for (done = 0; done < opt.sends; done++, seen.bytes += opt.len) {
		data = pool_next(seen.bytes);
		while (send_one(data + opt.offset, opt.len) < 0) {
			if (errno != EAGAIN)
				die(errno, "%s", opt.call);
			wait_writable();
		}
		nettoll_pool_free(pool, data);
		if (done >= POOL_AHEAD && !opt.early) {
			verify_datagram(verified);
			verified += opt.len;
		}
	}
	if (opt.early) {
		nettoll_pool_close(pool);
		pool = NULL;
	}
	for (; verified < seen.bytes; verified += opt.len)
		verify_datagram(verified);
}

/* All buffers come back; what was not copied, and what was on the way. */
static void pool_end(void)
{
	struct nettoll_pool_counters counters;
	int i;

	for (i = 0; i < POOL_BUFFERS; i++)
		pool_next(0);
	if (nettoll_pool_alloc(pool) || errno != ENOBUFS)
		die(0, "the pool has more buffers than it was asked for");
	nettoll_pool_counters(pool, &counters);
	say("pool_zerocopy=%llu pool_copied=%llu ", (unsigned long long)counters.zerocopy_bytes,
	    (unsigned long long)counters.copied_bytes);
	nettoll_pool_close(pool);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void run_udp(void)
{
	bool many = strcmp(opt.call, "sendmmsg") == 0;
	long batch = many ? opt.batch : 1, done = 0, i;
	uint8_t *data = buffer_new(opt.len * (size_t)batch);
	long n;

	while (done < opt.sends) {
		prepare(data, opt.len * (size_t)batch, seen.bytes);
		seen.sending_ns -= now_ns();
		n = many ? send_batch(data, batch) : send_shared(data, opt.len);
		seen.sending_ns += now_ns();
		if (n < 0 && errno == EAGAIN) {
			wait_writable();
			continue;
		}
		if (n < 0 && errno == EFAULT && buffer_is("hole")) {
			seen.faults++;
			done++;
			continue;
		}
		check(n, opt.call);
		if (!many)
			n = n == (long)opt.len ? 1 : 0;
		if (!n)
			die(0, "a part of a datagram was sent");
		scribble(data, opt.len * (size_t)batch);
		for (i = 0; i < n; i++, seen.bytes += opt.len)
			verify_datagram(seen.bytes);
		done += n;
	}
}

static void *receive(void *unused)
{
	static uint8_t got[PATTERN_MAX];
	uint64_t at = 0;
	ssize_t n;

	(void)unused;
	while ((n = check(recv(rx, got, sizeof(got), 0), "recv")) > 0) {
		if (!pattern_ok(got, (size_t)n, at))
			die(0, "the stream differs from what was sent within %zd bytes at %llu", n, (unsigned long long)at);
		at += (uint64_t)n;
	}
	if (at != seen.bytes)
		die(0, "%llu bytes were sent, %llu arrived", (unsigned long long)seen.bytes, (unsigned long long)at);
	return NULL;
}

static void run_tcp(void)
{
	uint8_t *data = pool ? NULL : buffer_new(opt.len);
	uint8_t *buffer = NULL;
	pthread_t receiver;
	long done;
	size_t at;
	ssize_t n;

	if (pthread_create(&receiver, NULL, receive, NULL))
		die(0, "no thread");
	for (done = 0; done < opt.sends; done++) {
		if (pool) {
			buffer = pool_next(seen.bytes);
			data = buffer + opt.offset;
		} else {
			prepare(data, opt.len, seen.bytes);
		}
		for (at = 0; at < opt.len; at += (size_t)n) {
			n = send_shared(data + at, opt.len - at);
			if (n < 0 && errno == EAGAIN) {
				wait_writable();
				n = 0;
				continue;
			}
			if (n < 0 && errno == EFAULT && buffer_is("hole")) {
				seen.faults++;
				break;
			}
			check(n, opt.call);
			seen.partial += at + (size_t)n < opt.len;
			seen.bytes += (uint64_t)n;
			if (!pool)
				scribble(data + at, (size_t)n);
		}
		if (pool)
			nettoll_pool_free(pool, buffer);
	}
	check(shutdown(tx, SHUT_WR), "shutdown");
	pthread_join(receiver, NULL);
}

int main(int argc, char **argv)
{
	int c, size = 4 << 20;

	while ((c = getopt(argc, argv, "p:d:r:t:l:n:c:b:k:o:s:xue")) != -1) {
		switch (c) {
		case 'p': opt.tcp = strcmp(optarg, "tcp") == 0; break;
		case 'd': opt.host = optarg; break;
		case 'r': opt.rx_ns = optarg; break;
		case 't': opt.tx_ns = optarg; break;
		case 'l': opt.len = (size_t)number(optarg, 1, 64 << 20); break;
		case 'n': opt.sends = number(optarg, 1, 1 << 24); break;
		case 'c': opt.call = optarg; break;
		case 'b': opt.buffer = optarg; break;
		case 'k': opt.batch = number(optarg, 1, BATCH_MAX); break;
		case 'o': opt.offset = (size_t)number(optarg, 0, 4095); break;
		case 's': opt.sndbuf = number(optarg, 1, 1 << 30); break;
		case 'x': opt.nonblock = true; break;
		case 'e': opt.early = true; break;
		case 'u': opt.unconnected = true; break;
		default: die(0, "see the top of scribble.c");
		}
	}
	(opt.tcp ? tcp_pair : udp_pair)(opt.host, opt.rx_ns, opt.tx_ns, &rx, &tx);
	if (!opt.tcp)
		check(setsockopt(rx, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)), "SO_RCVBUFFORCE");
	if (opt.sndbuf) {
		size = (int)opt.sndbuf;
		check(setsockopt(tx, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)), "SO_SNDBUF");
	}
	if (opt.nonblock)
		check(fcntl(tx, F_SETFL, O_NONBLOCK), "O_NONBLOCK");
	if (opt.unconnected) {
		struct sockaddr nobody = { .sa_family = AF_UNSPEC };

		peer_len = address(&peer, opt.host, socket_port(rx));
		check(connect(tx, &nobody, sizeof(nobody)), "connect");
	}
	if (buffer_is("pool")) {
		pool = nettoll_pool_open(POOL_BUFFERS, opt.len + opt.offset, 0);
		if (!pool)
			die(errno, "nettoll_pool_open");
	}
	(opt.tcp ? run_tcp : pool ? run_udp_pool : run_udp)();
	if (pool)
		pool_end();
	say("bytes=%llu partial=%lu again=%lu faults=%lu sending_us=%llu\n", (unsigned long long)seen.bytes,
	    seen.partial, seen.again,
	    seen.faults, (unsigned long long)seen.sending_ns / 1000);
	return 0;
}
