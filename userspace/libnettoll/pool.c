// SPDX-License-Identifier: GPL-2.0-or-later
/* A pool: two mappings of /dev/nettoll, and a queue of the buffers that the program has given back. */
#include "libnettoll.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nettoll_pool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* For how long at most half of the buffers are waited for while one may be free already. */
#define MOMENT_NS	500000

/**
 * struct nettoll_pool - a pool
 * @fd: the device; -1 for ordinary memory
 * @data: the buffers
 * @data_bytes: of all
 * @state: what the kernel tells; NULL for ordinary memory
 * @state_bytes: of that
 * @buffers: how many
 * @buffer_bytes: of each
 * @queue: numbers of those that were given back, a ring, the one given back first at @head
 * @head: in @queue
 * @queued: how many
 */
struct nettoll_pool {
	int fd;
	unsigned char *data;
	size_t data_bytes;
	const struct nettoll_pool_state *state;
	size_t state_bytes;
	unsigned int buffers;
	size_t buffer_bytes;
	unsigned int *queue;
	unsigned int head;
	unsigned int queued;
};

static size_t round_up(size_t bytes)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);

	while (size < bytes && size <= NETTOLL_POOL_SLOT_BYTES_MAX)
		size *= 2;
	return size;
}

static void *map(size_t bytes, int prot, int flags, int fd, uint64_t offset)
{
	void *p = mmap(NULL, bytes, prot, flags, fd, (off_t)offset);

	return p == MAP_FAILED ? NULL : p;
}

/* 0, or -1 and errno. */
static int open_device(struct nettoll_pool *pool)
{
	struct nettoll_pool_create create = {
		.slots = pool->buffers,
		.slot_bytes = (uint32_t)pool->buffer_bytes,
	};

	pool->fd = open(NETTOLL_POOL_DEVICE, O_RDWR | O_CLOEXEC);
	if (pool->fd < 0 || ioctl(pool->fd, NETTOLL_POOL_CREATE, &create) < 0)
		return -1;
	pool->data_bytes = create.data_bytes;
	pool->data = map(create.data_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, pool->fd, create.data_offset);
	pool->state_bytes = create.state_bytes;
	pool->state = map(create.state_bytes, PROT_READ, MAP_SHARED, pool->fd, create.state_offset);
	return pool->data && pool->state ? 0 : -1;
}

static void unmap(struct nettoll_pool *pool)
{
	if (pool->data)
		munmap(pool->data, pool->data_bytes);
	if (pool->state)
		munmap((void *)pool->state, pool->state_bytes);
	if (pool->fd >= 0)
		close(pool->fd);
	pool->data = NULL;
	pool->state = NULL;
	pool->fd = -1;
}

static int open_plain(struct nettoll_pool *pool)
{
	unmap(pool);
	pool->data_bytes = pool->buffers * pool->buffer_bytes;
	pool->data = map(pool->data_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return pool->data ? 0 : -1;
}

struct nettoll_pool *nettoll_pool_open(unsigned int buffers, size_t bytes, int flags)
{
	struct nettoll_pool *pool;
	unsigned int i;
	int err;

	if (!buffers || buffers > NETTOLL_POOL_SLOTS_MAX || !bytes || bytes > NETTOLL_POOL_SLOT_BYTES_MAX ||
	    buffers * (uint64_t)round_up(bytes) > NETTOLL_POOL_BYTES_MAX || flags & ~NETTOLL_POOL_OR_PLAIN) {
		errno = EINVAL;
		return NULL;
	}
	pool = calloc(1, sizeof(*pool));
	if (!pool)
		return NULL;
	pool->fd = -1;
	pool->buffers = buffers;
	pool->buffer_bytes = round_up(bytes);
	pool->queue = calloc(buffers, sizeof(*pool->queue));
	if (!pool->queue || (open_device(pool) < 0 && (!(flags & NETTOLL_POOL_OR_PLAIN) || open_plain(pool) < 0))) {
		err = errno;
		nettoll_pool_close(pool);
		errno = err;
		return NULL;
	}
	for (i = 0; i < buffers; i++)
		pool->queue[i] = i;
	pool->queued = buffers;
	return pool;
}

void nettoll_pool_close(struct nettoll_pool *pool)
{
	if (!pool)
		return;
	unmap(pool);
	free(pool->queue);
	free(pool);
}

size_t nettoll_pool_bytes(const struct nettoll_pool *pool)
{
	return pool->buffer_bytes;
}

bool nettoll_pool_plain(const struct nettoll_pool *pool)
{
	return pool->fd < 0;
}

int nettoll_pool_fd(const struct nettoll_pool *pool)
{
	return pool->fd;
}

static unsigned int number_of(const struct nettoll_pool *pool, const void *buffer)
{
	return (unsigned int)((size_t)((const unsigned char *)buffer - pool->data) / pool->buffer_bytes);
}

static bool is_free(const struct nettoll_pool *pool, unsigned int n)
{
	const struct nettoll_pool_slot *slot;
	uint32_t sent;

	if (!pool->state)
		return true;
	slot = &pool->state->slot[n];
	/* In this order: what is sent after the first look is the program's own doing. */
	sent = __atomic_load_n(&slot->sent, __ATOMIC_ACQUIRE);
	return sent == __atomic_load_n(&slot->done, __ATOMIC_ACQUIRE);
}

bool nettoll_pool_completed(const struct nettoll_pool *pool, const void *buffer)
{
	return is_free(pool, number_of(pool, buffer));
}

void *nettoll_pool_alloc(struct nettoll_pool *pool)
{
	unsigned int i, at, n;

	/* The one that was given back first is most likely free; the others move up to its place. */
	for (i = 0; i < pool->queued; i++) {
		at = (pool->head + i) % pool->buffers;
		n = pool->queue[at];
		if (!is_free(pool, n))
			continue;
		pool->queue[at] = pool->queue[pool->head];
		pool->head = (pool->head + 1) % pool->buffers;
		pool->queued--;
		return pool->data + n * pool->buffer_bytes;
	}
	errno = pool->queued ? EAGAIN : ENOBUFS;
	return NULL;
}

void nettoll_pool_free(struct nettoll_pool *pool, void *buffer)
{
	pool->queue[(pool->head + pool->queued++) % pool->buffers] = number_of(pool, buffer);
}

/* Whether one of those that were given back may be written. */
static bool any_free(const struct nettoll_pool *pool)
{
	unsigned int i;

	for (i = 0; i < pool->queued; i++)
		if (is_free(pool, pool->queue[(pool->head + i) % pool->buffers]))
			return true;
	return false;
}

/* 0, or -1 and errno. */
static int wait_for(const struct nettoll_pool *pool, unsigned int n, int64_t timeout_ns)
{
	struct nettoll_pool_wait wait = { .slot = n, .timeout_ns = timeout_ns };

	return is_free(pool, n) ? 0 : ioctl(pool->fd, NETTOLL_POOL_WAIT, &wait);
}

/*
 * They come free in about the order of sending. To be woken up for each would cost more than sending it, so a moment is
 * given to half of them.
 */
static int wait_any(const struct nettoll_pool *pool, int64_t timeout_ns)
{
	int64_t moment = timeout_ns < 0 || timeout_ns > MOMENT_NS ? MOMENT_NS : timeout_ns;

	if (any_free(pool) || !wait_for(pool, pool->queue[(pool->head + pool->queued / 2) % pool->buffers], moment))
		return 0;
	if (errno != ETIME || any_free(pool))
		return errno == ETIME ? 0 : -1;
	return wait_for(pool, pool->queue[pool->head], timeout_ns < 0 ? -1 : timeout_ns - moment);
}

int nettoll_pool_wait(struct nettoll_pool *pool, const void *buffer, int timeout_ms)
{
	int64_t timeout_ns = timeout_ms < 0 ? -1 : timeout_ms * 1000000ll;

	if (!buffer && !pool->queued) {
		errno = ENOBUFS;
		return -1;
	}
	return buffer ? wait_for(pool, number_of(pool, buffer), timeout_ns) : wait_any(pool, timeout_ns);
}

void nettoll_pool_counters(const struct nettoll_pool *pool, struct nettoll_pool_counters *counters)
{
	counters->zerocopy_bytes = pool->state ? __atomic_load_n(&pool->state->zerocopy_bytes, __ATOMIC_RELAXED) : 0;
	counters->copied_bytes = pool->state ? __atomic_load_n(&pool->state->copied_bytes, __ATOMIC_RELAXED) : 0;
}
