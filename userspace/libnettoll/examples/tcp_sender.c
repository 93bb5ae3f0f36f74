// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sends standard input over TCP from a pool:  tcp_sender ADDRESS PORT <FILE
 *
 * For it not to be copied, a rule has to be for the socket: nettoll rule add proto tcp rport PORT zerocopy pool
 */
#include <arpa/inet.h>
#include <errno.h>
#include <libnettoll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define BUFFERS	32
#define BYTES	(256 << 10)

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* All of a buffer, whatever a call takes of it. */
static void send_all(int fd, const char *data, size_t len)
{
	ssize_t n;

	for (; len; data += n, len -= (size_t)n) {
		n = send(fd, data, len, MSG_NOSIGNAL);
		if (n < 0 && errno != EINTR)
			fail("send");
		if (n < 0)
			n = 0;
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	struct nettoll_pool_counters sent;
	struct nettoll_pool *pool;
	void *buffer;
	ssize_t n;
	int fd;

	if (argc != 3 || inet_pton(AF_INET, argv[1], &to.sin_addr) != 1) {
		fprintf(stderr, "usage: tcp_sender ADDRESS PORT <FILE\n");
		return 2;
	}
	to.sin_port = htons((uint16_t)atoi(argv[2]));
	pool = nettoll_pool_open(BUFFERS, BYTES, NETTOLL_POOL_OR_PLAIN);
	if (!pool)
		fail("nettoll_pool_open");
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (void *)&to, sizeof(to)) < 0)
		fail("connect");
	for (;;) {
		while (!(buffer = nettoll_pool_alloc(pool)))
			if (nettoll_pool_wait(pool, NULL, -1) < 0 && errno != EINTR)
				fail("nettoll_pool_wait");
		n = read(STDIN_FILENO, buffer, BYTES);
		if (n < 0)
			fail("read");
		if (n == 0)
			break;
		send_all(fd, buffer, (size_t)n);
		/* It comes out of nettoll_pool_alloc() again once the peer has acknowledged it. */
		nettoll_pool_free(pool, buffer);
	}
	shutdown(fd, SHUT_WR);
	/* The peer closes when it has everything. */
	while (read(fd, &(char){ 0 }, 1) > 0)
		;
	nettoll_pool_counters(pool, &sent);
	fprintf(stderr, "%s: %llu bytes not copied, %llu copied on the way\n",
		nettoll_pool_plain(pool) ? "no module" : "pool", (unsigned long long)sent.zerocopy_bytes,
		(unsigned long long)sent.copied_bytes);
	nettoll_pool_close(pool);
	close(fd);
	return 0;
}
