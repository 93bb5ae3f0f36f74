// SPDX-License-Identifier: GPL-2.0-or-later
/* The ways of bench/zero-copy: copying, MSG_ZEROCOPY, io_uring's SEND_ZC from registered buffers, a pool of nettoll. */
#include "zc-ways.h"

#include <fcntl.h>
#include <libnettoll.h>
#include <liburing.h>
#include <linux/errqueue.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int sock;
static size_t message;
/* The next buffer, of those that are taken in turn. */
static unsigned int next;
static uint64_t copied;
static char *buffers;
/* Sends of each buffer that are not done with. */
static unsigned int busy[BUFFERS];

_Noreturn void die(const char *what)
{
	fprintf(stderr, "zc-send: %s: %s\n", what, strerror(errno));
	exit(1);
}

_Noreturn void usage(void)
{
	fputs("usage: zc-send -t NETNS -d ADDRESS [-u] [-m plain|msgzc|uring|pool] [-l BYTES] [-w WARM-UP] [-n SENDS]"
	      " [-a | -k THREAD]\n", stderr);
	exit(2);
}

void enter_netns(const char *name)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		die(path);
	close(fd);
}

static uint64_t copied_count(void)
{
	return copied;
}

/* Page-aligned, and there already. */
static size_t stride(void)
{
	return (message + 4095) & ~(size_t)4095;
}

static void buffers_open(int fd, size_t bytes)
{
	sock = fd;
	message = bytes;
	buffers = mmap(NULL, BUFFERS * stride(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buffers == MAP_FAILED)
		die("mmap");
	memset(buffers, 'n', BUFFERS * stride());
}

static char *buffer(unsigned int n)
{
	return buffers + n * stride();
}

/* A blocking send is partial only when a signal comes. */
static void send_whole(const char *data, int flags)
{
	if (send(sock, data, message, flags) != (ssize_t)message)
		die("send");
}

static void plain_send(void)
{
	send_whole(buffer(next++ % BUFFERS), 0);
}

static void plain_settle(void)
{
}

/* MSG_ZEROCOPY. Sends are numbered; which are done with is read when the next buffer is not known to be. */
static uint32_t zc_sent, zc_done;

static void msgzc_open(int fd, size_t bytes)
{
	int one = 1;

	buffers_open(fd, bytes);
	if (setsockopt(fd, SOL_SOCKET, SO_ZEROCOPY, &one, sizeof(one)))
		die("SO_ZEROCOPY");
}

/* All that is there to read. */
static void msgzc_read(void)
{
	char control[128];

	for (;;) {
		struct msghdr msg = { .msg_control = control, .msg_controllen = sizeof(control) };
		struct sock_extended_err *err;

		if (recvmsg(sock, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) {
			if (errno == EAGAIN)
				return;
			die("the error queue");
		}
		err = (void *)CMSG_DATA(CMSG_FIRSTHDR(&msg));
		if (err->ee_origin != SO_EE_ORIGIN_ZEROCOPY || err->ee_errno)
			die("another error");
		zc_done += err->ee_data - err->ee_info + 1;
		if (err->ee_code & SO_EE_CODE_ZEROCOPY_COPIED)
			copied += err->ee_data - err->ee_info + 1;
	}
}

static void msgzc_wait(uint32_t most)
{
	struct pollfd p = { .fd = sock };

	while (zc_sent - zc_done > most) {
		msgzc_read();
		if (zc_sent - zc_done > most && poll(&p, 1, -1) < 0)
			die("poll");
	}
}

static void msgzc_send(void)
{
	msgzc_wait(BUFFERS - 1);
	send_whole(buffer(next++ % BUFFERS), MSG_ZEROCOPY);
	zc_sent++;
}

static void msgzc_settle(void)
{
	msgzc_wait(0);
}

/* io_uring: ring, socket and buffers are registered, so that a send looks up and pins nothing. */
static struct io_uring ring;
static bool result_seen;

static void uring_open(int fd, size_t bytes)
{
	struct iovec iov[BUFFERS];
	unsigned int i;
	int err;

	buffers_open(fd, bytes);
	for (i = 0; i < BUFFERS; i++)
		iov[i] = (struct iovec){ .iov_base = buffer(i), .iov_len = message };
	err = io_uring_queue_init(4 * BUFFERS, &ring, IORING_SETUP_COOP_TASKRUN | IORING_SETUP_SINGLE_ISSUER);
	if (!err)
		err = io_uring_register_buffers(&ring, iov, BUFFERS);
	if (!err)
		err = io_uring_register_files(&ring, &fd, 1);
	if (!err)
		err = io_uring_register_ring_fd(&ring) == 1 ? 0 : -EINVAL;
	errno = -err;
	if (err)
		die("io_uring");
}

/* What is there: results of sends, and buffers that are free. */
static void uring_read(void)
{
	struct io_uring_cqe *cqe;
	unsigned int head, n = 0;

	io_uring_for_each_cqe(&ring, head, cqe) {
		if (!(cqe->flags & IORING_CQE_F_NOTIF)) {
			errno = cqe->res < 0 ? -cqe->res : EMSGSIZE;
			if (cqe->res != (int)message)
				die("SEND_ZC");
			result_seen = true;
		}
		if (!(cqe->flags & IORING_CQE_F_MORE))
			busy[cqe->user_data]--;
		n++;
	}
	io_uring_cq_advance(&ring, n);
}

static void uring_wait(void)
{
	struct io_uring_cqe *cqe;
	int err = io_uring_wait_cqe(&ring, &cqe);

	errno = -err;
	if (err)
		die("io_uring_wait_cqe");
	uring_read();
}

static void uring_send(void)
{
	unsigned int n = next++ % BUFFERS;
	struct io_uring_sqe *sqe;

	uring_read();
	while (busy[n])
		uring_wait();
	sqe = io_uring_get_sqe(&ring);
	io_uring_prep_send_zc_fixed(sqe, 0, buffer(n), message, MSG_WAITALL, 0, n);
	sqe->flags |= IOSQE_FIXED_FILE;
	sqe->user_data = n;
	busy[n]++;
	result_seen = false;
	if (io_uring_submit(&ring) != 1)
		die("io_uring_submit");
	/* The next message of a stream has to come after this one. */
	uring_read();
	while (!result_seen)
		uring_wait();
}

static void uring_settle(void)
{
	unsigned int n;

	for (n = 0; n < BUFFERS; n++)
		while (busy[n])
			uring_wait();
}

/* A pool. */
static struct nettoll_pool *pool;
/* Sends are not counted as copied by pools, but bytes are; those of a rule that copies are in neither counter. */
static uint64_t pool_bytes;

static void pool_open(int fd, size_t bytes)
{
	sock = fd;
	message = bytes;
	pool = nettoll_pool_open(BUFFERS, bytes, 0);
	if (!pool)
		die("nettoll_pool_open");
}

static void pool_send(void)
{
	void *p;

	while (!(p = nettoll_pool_alloc(pool)))
		if (nettoll_pool_wait(pool, NULL, -1))
			die("nettoll_pool_wait");
	send_whole(p, 0);
	nettoll_pool_free(pool, p);
	pool_bytes += message;
}

static void pool_settle(void)
{
	void *taken[BUFFERS];
	unsigned int n;

	for (n = 0; n < BUFFERS; n++)
		while (!(taken[n] = nettoll_pool_alloc(pool)))
			if (nettoll_pool_wait(pool, NULL, -1))
				die("nettoll_pool_wait");
	while (n)
		nettoll_pool_free(pool, taken[--n]);
}

static uint64_t pool_copied(void)
{
	struct nettoll_pool_counters c;

	nettoll_pool_counters(pool, &c);
	return (pool_bytes - c.zerocopy_bytes) / message;
}

static const struct way ways[] = {
	{ "plain", buffers_open, plain_send, plain_settle, copied_count },
	{ "msgzc", msgzc_open, msgzc_send, msgzc_settle, copied_count },
	{ "uring", uring_open, uring_send, uring_settle, copied_count },
	{ "pool", pool_open, pool_send, pool_settle, pool_copied },
};

const struct way *way_find(const char *name)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(ways[i].name, name))
			return &ways[i];
	return NULL;
}
