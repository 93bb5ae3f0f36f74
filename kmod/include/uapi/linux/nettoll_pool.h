/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/*
 * Pools of buffers that are sent without being copied.
 *
 * A program opens /dev/nettoll, creates a pool and maps it. What it then sends
 * from the pool with the ordinary calls, over a UDP or TCP socket that a rule
 * with "zerocopy pool" or "zerocopy auto" is for, goes to the device from where
 * it lies. The call returns at once; when the buffer may be written again is in
 * a second mapping. libnettoll does all of this.
 *
 * A pool is an array of slots of equal size. A send goes without copying if its
 * data lies within one slot and in one piece; else it is copied, and the buffer
 * is free when the call returns. Either way a slot is free if, after the call
 * has returned, its counts of struct nettoll_pool_slot are equal.
 *
 * A pool belongs to the process that maps it. A child does not inherit the
 * mapping. The mapping cannot be moved or split; when it goes, or the process
 * does, what is being sent is still sent.
 */
#ifndef _UAPI_LINUX_NETTOLL_POOL_H
#define _UAPI_LINUX_NETTOLL_POOL_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define NETTOLL_POOL_DEVICE	"/dev/nettoll"

/* Bounds of a pool. */
#define NETTOLL_POOL_SLOTS_MAX		65536
#define NETTOLL_POOL_SLOT_BYTES_MAX	(1U << 24)
#define NETTOLL_POOL_BYTES_MAX		(1ULL << 30)

/**
 * struct nettoll_pool_create - argument of NETTOLL_POOL_CREATE
 * @flags: 0
 * @slots: how many, from 1 to NETTOLL_POOL_SLOTS_MAX
 * @slot_bytes: of each, a power of two, from a page to NETTOLL_POOL_SLOT_BYTES_MAX
 * @reserved: 0
 * @data_offset: out: where to map the slots, in one piece, shared, once
 * @data_bytes: out: of the slots
 * @state_offset: out: where to map struct nettoll_pool_state, shared, for reading only
 * @state_bytes: out: of the state
 */
struct nettoll_pool_create {
	__u32 flags;
	__u32 slots;
	__u32 slot_bytes;
	__u32 reserved;
	__u64 data_offset;
	__u64 data_bytes;
	__u64 state_offset;
	__u64 state_bytes;
};

/**
 * struct nettoll_pool_slot - whether a slot is free
 * @sent: times that it was taken for sending; read it first
 * @done: times that it was free again; modulo 2^32, as @sent
 */
struct nettoll_pool_slot {
	__u32 sent;
	__u32 done;
};

/**
 * struct nettoll_pool_state - what the kernel tells of a pool
 * @slots: how many there are
 * @slot_bytes: of each
 * @zerocopy_bytes: sent from the slots and done with
 * @copied_bytes: of what was to be sent so, copied on the way
 * @slot: by number
 */
struct nettoll_pool_state {
	__u32 slots;
	__u32 slot_bytes;
	__u64 zerocopy_bytes;
	__u64 copied_bytes;
	struct nettoll_pool_slot slot[];
};

/* In struct nettoll_pool_wait, whichever slot is free first. */
#define NETTOLL_POOL_ANY	(~(__u32)0)

/**
 * struct nettoll_pool_wait - argument of NETTOLL_POOL_WAIT
 * @slot: its number, or NETTOLL_POOL_ANY; out: one that is free
 * @reserved: 0
 * @timeout_ns: nanoseconds to wait at most, negative for ever
 */
struct nettoll_pool_wait {
	__u32 slot;
	__u32 reserved;
	__s64 timeout_ns;
};

/*
 * Make the pool of this file. Errors: EINVAL, a bound; EBUSY, it has one;
 * ENOBUFS, RLIMIT_MEMLOCK; ENOMEM.
 */
#define NETTOLL_POOL_CREATE	_IOWR(0xB7, 0x40, struct nettoll_pool_create)

/*
 * Wait until a slot is free. Errors: ETIME, none was in time; EINTR; EINVAL, no
 * such slot; ENXIO, the file has no pool.
 */
#define NETTOLL_POOL_WAIT	_IOWR(0xB7, 0x41, struct nettoll_pool_wait)

#endif /* _UAPI_LINUX_NETTOLL_POOL_H */
