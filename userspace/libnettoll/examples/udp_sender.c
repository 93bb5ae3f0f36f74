// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sends datagrams from a pool:  udp_sender ADDRESS PORT [DATAGRAMS [BYTES]]
 *
 * For them not to be copied, a rule has to be for the socket: nettoll rule add proto udp rport PORT zerocopy pool
 */
#include <arpa/inet.h>
#include <errno.h>
#include <libnettoll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

int main(int argc, char **argv)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	struct nettoll_pool_counters sent;
	struct nettoll_pool *pool;
	long i, n, bytes;
	void *buffer;
	int fd;

	if (argc < 3 || inet_pton(AF_INET, argv[1], &to.sin_addr) != 1) {
		fprintf(stderr, "usage: udp_sender ADDRESS PORT [DATAGRAMS [BYTES]]\n");
		return 2;
	}
	to.sin_port = htons((uint16_t)atoi(argv[2]));
	n = argc > 3 ? atol(argv[3]) : 1000;
	bytes = argc > 4 ? atol(argv[4]) : 8192;

	pool = nettoll_pool_open(64, (size_t)bytes, NETTOLL_POOL_OR_PLAIN);
	if (!pool)
		fail("nettoll_pool_open");
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (void *)&to, sizeof(to)) < 0)
		fail("socket");
	for (i = 0; i < n; i++) {
		while (!(buffer = nettoll_pool_alloc(pool)))
			if (nettoll_pool_wait(pool, NULL, -1) < 0 && errno != EINTR)
				fail("nettoll_pool_wait");
		memset(buffer, (int)i, (size_t)bytes);
		if (send(fd, buffer, (size_t)bytes, 0) < 0)
			fail("send");
		/* It comes out of nettoll_pool_alloc() again once the device has let go of it. */
		nettoll_pool_free(pool, buffer);
	}
	/* To tell what became of the last ones as well. */
	for (i = 0; i < 64 && (buffer = nettoll_pool_alloc(pool)); i++)
		;
	nettoll_pool_counters(pool, &sent);
	printf("%s: %llu bytes not copied, %llu copied on the way\n", nettoll_pool_plain(pool) ? "no module" : "pool",
	       (unsigned long long)sent.zerocopy_bytes, (unsigned long long)sent.copied_bytes);
	nettoll_pool_close(pool);
	close(fd);
	return 0;
}
