/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libnettoll: buffers that the kernel module nettoll sends without copying them.
 *
 * Take a buffer, fill it, send it with send(), sendmsg(), sendmmsg() or write(), give it back. It is handed out again
 * once the device, or the peer of a TCP connection, is done with it. See libnettoll(3).
 */
#ifndef LIBNETTOLL_H
#define LIBNETTOLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A pool of buffers of one size. Not for several threads at once without a lock of their own. */
struct nettoll_pool;

enum nettoll_pool_flags {
	/* Where the module is missing or refuses, have ordinary memory: sends copy, everything else is the same. */
	NETTOLL_POOL_OR_PLAIN = 1,
};

/**
 * nettoll_pool_open() - a pool
 * @buffers: how many, from 1 to 65536
 * @bytes: that each holds at least; rounded up to a power of two and a page, at most 16 MiB; 1 GiB in all
 * @flags: enum nettoll_pool_flags
 *
 * The memory is charged to RLIMIT_MEMLOCK. Returns NULL and sets errno: ENOENT, the module is not loaded; EINVAL, a
 * bound; ENOBUFS, RLIMIT_MEMLOCK; ENOMEM.
 */
struct nettoll_pool *nettoll_pool_open(unsigned int buffers, size_t bytes, int flags);

/** nettoll_pool_close() - unmap a pool; what is being sent is still sent. NULL does nothing. */
void nettoll_pool_close(struct nettoll_pool *pool);

/** nettoll_pool_bytes() - what each buffer holds */
size_t nettoll_pool_bytes(const struct nettoll_pool *pool);

/** nettoll_pool_plain() - whether it is ordinary memory, for want of the module */
bool nettoll_pool_plain(const struct nettoll_pool *pool);

/** nettoll_pool_fd() - its file descriptor, -1 for a plain one */
int nettoll_pool_fd(const struct nettoll_pool *pool);

/**
 * nettoll_pool_alloc() - a buffer that may be written
 *
 * Does not wait. Returns NULL and sets errno: EAGAIN, all those that were given back are still being sent, wait with
 * nettoll_pool_wait(pool, NULL, ...); ENOBUFS, the program has all.
 */
void *nettoll_pool_alloc(struct nettoll_pool *pool);

/**
 * nettoll_pool_free() - give a buffer back
 * @buffer: from nettoll_pool_alloc(); may still be being sent
 */
void nettoll_pool_free(struct nettoll_pool *pool, void *buffer);

/** nettoll_pool_completed() - whether nothing of a buffer, or of what it points into, is being sent any more */
bool nettoll_pool_completed(const struct nettoll_pool *pool, const void *buffer);

/**
 * nettoll_pool_wait() - wait until a buffer may be written again
 * @buffer: which, or NULL: any of those that were given back
 * @timeout_ms: milliseconds, negative for ever
 *
 * Returns 0, or -1 and sets errno: ETIME, time is out; EINTR, a signal; ENOBUFS, none was given back.
 */
int nettoll_pool_wait(struct nettoll_pool *pool, const void *buffer, int timeout_ms);

/**
 * struct nettoll_pool_counters - what a pool sent so far
 * @zerocopy_bytes: from where they lay
 * @copied_bytes: that were to be sent so and were copied on the way (loopback, a capture, a device that cannot)
 *
 * What was copied from the start, since no rule is for the socket or the send is too small, is in neither.
 */
struct nettoll_pool_counters {
	uint64_t zerocopy_bytes;
	uint64_t copied_bytes;
};

void nettoll_pool_counters(const struct nettoll_pool *pool, struct nettoll_pool_counters *counters);

#ifdef __cplusplus
}
#endif

#endif /* LIBNETTOLL_H */
