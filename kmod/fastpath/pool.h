/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pools of buffers that programs send from.
 */
#ifndef NETTOLL_FASTPATH_POOL_H
#define NETTOLL_FASTPATH_POOL_H

#include <linux/bvec.h>
#include <linux/llist.h>
#include <linux/mm_types.h>
#include <linux/skbuff.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <uapi/linux/nettoll_pool.h>

#include "zerocopy.h"

/**
 * enum slot_state - who has a slot
 * @SLOT_IDLE: the program
 * @SLOT_USED: a call, or packets; while the count of the ubuf is 0, whoever ends that
 * @SLOT_CLOSED: as used, and the pool waits for it
 */
enum slot_state {
	SLOT_IDLE,
	SLOT_USED,
	SLOT_CLOSED,
};

/**
 * struct nettoll_slot - a buffer of a pool
 * @ubuf: what packets refer to; its count is theirs and the calls'
 * @pool: its pool
 * @state: enum slot_state
 * @taken: a packet refers or referred to it
 * @copied: bytes that were copied on the way after all
 * @bytes: sent by the call that took the slot
 * @train: slots whose packets refer to this one, and which end with it
 * @coach: in the @train of another
 * @train_bytes: of all of them
 * @role: enum slot_role
 * @ns: the socket of that call, with a reference
 * @rule: for that call, with a reference
 *
 * From @bytes on they are of whoever made it used, until it is not any more.
 */
struct nettoll_slot {
	struct ubuf_info ubuf;
	struct nettoll_pool *pool;
	atomic_t state;
	bool taken;
	atomic_long_t copied;
	size_t bytes;
	struct llist_head train;
	struct llist_node coach;
	size_t train_bytes;
	atomic_t role;
	struct nettoll_sock *ns;
	struct nettoll_rule *rule;
};

/**
 * struct nettoll_pool - a pool
 * @node: in the bucket of @mm
 * @mm: of the process that maps the slots, NULL if none does; not a reference
 * @start: where it maps them
 * @bytes: of the slots
 * @slots: how many
 * @slot_shift: their size, as a power of two
 * @chunk_shift: the size of a piece of contiguous memory
 * @chunks: all memory, in pieces; each its own page reference
 * @nchunks: how many
 * @slot: the slots
 * @shared: what the program reads
 * @shared_bytes: of that
 * @wait: for slots that become free
 * @pin: what is charged to RLIMIT_MEMLOCK
 * @pending: slots in use after the file was closed, and one while it closes
 * @free_work: when there are none any more
 */
struct nettoll_pool {
	struct hlist_node node;
	struct mm_struct *mm;
	unsigned long start;
	unsigned long bytes;
	unsigned int slots;
	unsigned int slot_shift;
	unsigned int chunk_shift;
	struct bio_vec *chunks;
	unsigned int nchunks;
	struct nettoll_slot *slot;
	struct nettoll_pool_state *shared;
	size_t shared_bytes;
	wait_queue_head_t wait;
	struct mmpin pin;
	atomic_t pending;
	struct work_struct free_work;
};

void nettoll_slot_init(struct nettoll_slot *slot);
struct nettoll_pool *nettoll_pool_new(unsigned int slots, unsigned int slot_bytes);
void nettoll_pool_unused(struct nettoll_pool *pool);
void nettoll_pool_close(struct nettoll_pool *pool);
int nettoll_pool_publish(struct nettoll_pool *pool, struct mm_struct *mm, unsigned long start);
void nettoll_pool_unpublish(struct nettoll_pool *pool);
struct nettoll_pool *nettoll_pool_find(unsigned long addr);
bool nettoll_pool_idle(const struct nettoll_pool *pool, unsigned int slot);
int nettoll_pool_send(const struct nettoll_zc_call *call, struct nettoll_sock *ns, int *ret);
int nettoll_pools_init(void);
void nettoll_pools_exit(void);

#endif /* NETTOLL_FASTPATH_POOL_H */
