// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pools: their memory, finding the one that an address lies in, and going when
 * the last packet has let go.
 */
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "pool.h"

/* Larger pieces than a huge page are not asked for. */
#define CHUNK_ORDER_MAX	9

static DEFINE_HASHTABLE(pools, 6);
/* Of whoever adds or removes. */
static DEFINE_SPINLOCK(pools_lock);
/* Where pools are freed. */
static struct workqueue_struct *pools_wq;

static void chunks_free(struct nettoll_pool *pool)
{
	while (pool->nchunks)
		__free_pages(pool->chunks[--pool->nchunks].bv_page,
			     pool->chunk_shift - PAGE_SHIFT);
	kvfree(pool->chunks);
	pool->chunks = NULL;
}

/* All memory in pieces of one size. */
static int chunks_alloc(struct nettoll_pool *pool, unsigned int order)
{
	unsigned int n = pool->bytes >> (PAGE_SHIFT + order);
	gfp_t gfp = GFP_USER | __GFP_ZERO | __GFP_ACCOUNT;
	struct page *page;

	/* A large piece is worth no effort: smaller ones do. */
	if (order)
		gfp |= __GFP_COMP | __GFP_NOWARN | __GFP_NORETRY;
	pool->chunk_shift = PAGE_SHIFT + order;
	pool->chunks = kvcalloc(n, sizeof(*pool->chunks), GFP_KERNEL_ACCOUNT);
	if (!pool->chunks)
		return -ENOMEM;
	while (pool->nchunks < n) {
		page = alloc_pages(gfp, order);
		if (!page || fatal_signal_pending(current)) {
			if (page)
				__free_pages(page, order);
			chunks_free(pool);
			return -ENOMEM;
		}
		pool->chunks[pool->nchunks++] = (struct bio_vec){
			.bv_page = page, .bv_len = PAGE_SIZE << order,
		};
	}
	return 0;
}

static void pool_free(struct nettoll_pool *pool)
{
	if (pool->chunks)
		chunks_free(pool);
	kvfree(pool->slot);
	vfree(pool->shared);
	mm_unaccount_pinned_pages(&pool->pin);
	kfree(pool);
}

static void pool_free_work(struct work_struct *work)
{
	/* Whoever ended the last use of a slot may still be about to wake somebody. */
	synchronize_rcu();
	pool_free(container_of(work, struct nettoll_pool, free_work));
	/* nettoll_pools_exit() waits for the last instructions. */
	module_put(THIS_MODULE);
}

/**
 * nettoll_pool_new() - a pool that nobody maps yet
 * @slots: how many
 * @slot_bytes: of each
 *
 * For nettoll_pool_close(). May sleep. Return: the pool, or an error: -EINVAL,
 * -ENOBUFS for RLIMIT_MEMLOCK, -ENOMEM.
 */
struct nettoll_pool *nettoll_pool_new(unsigned int slots, unsigned int slot_bytes)
{
	struct nettoll_pool *pool;
	int order, err;
	unsigned int i;

	if (!slots || slots > NETTOLL_POOL_SLOTS_MAX || !is_power_of_2(slot_bytes) ||
	    slot_bytes < PAGE_SIZE || slot_bytes > NETTOLL_POOL_SLOT_BYTES_MAX ||
	    (u64)slots * slot_bytes > NETTOLL_POOL_BYTES_MAX)
		return ERR_PTR(-EINVAL);
	pool = kzalloc(sizeof(*pool), GFP_KERNEL_ACCOUNT);
	if (!pool)
		return ERR_PTR(-ENOMEM);
	init_waitqueue_head(&pool->wait);
	INIT_WORK(&pool->free_work, pool_free_work);
	pool->slots = slots;
	pool->slot_shift = ilog2(slot_bytes);
	pool->bytes = (unsigned long)slots * slot_bytes;
	err = mm_account_pinned_pages(&pool->pin, pool->bytes);
	if (err)
		goto err;
	err = -ENOMEM;
	order = min_t(int, pool->slot_shift - PAGE_SHIFT, CHUNK_ORDER_MAX);
	while (chunks_alloc(pool, order))
		if (--order < 0 || fatal_signal_pending(current))
			goto err;
	pool->slot = kvcalloc(slots, sizeof(*pool->slot), GFP_KERNEL_ACCOUNT);
	pool->shared_bytes = PAGE_ALIGN(struct_size(pool->shared, slot, slots));
	pool->shared = vmalloc_user(pool->shared_bytes);
	if (!pool->slot || !pool->shared)
		goto err;
	pool->shared->slots = slots;
	pool->shared->slot_bytes = slot_bytes;
	for (i = 0; i < slots; i++) {
		struct nettoll_slot *slot = &pool->slot[i];

		slot->pool = pool;
		nettoll_slot_init(slot);
	}
	return pool;

err:
	pool_free(pool);
	return ERR_PTR(err);
}

/**
 * nettoll_pool_publish() - sends of a process from some addresses are from the pool
 * @pool: the pool
 * @mm: of the process
 * @start: where its slots are mapped
 *
 * Return: 0, or -EBUSY if they are mapped already.
 */
int nettoll_pool_publish(struct nettoll_pool *pool, struct mm_struct *mm, unsigned long start)
{
	int err = -EBUSY;

	spin_lock(&pools_lock);
	if (!pool->mm) {
		pool->mm = mm;
		pool->start = start;
		hash_add_rcu(pools, &pool->node, (unsigned long)mm);
		err = 0;
	}
	spin_unlock(&pools_lock);
	return err;
}

/**
 * nettoll_pool_unpublish() - the mapping goes
 * @pool: the pool
 *
 * A send that has found the pool may still take a slot until a grace period is
 * over. May sleep.
 */
void nettoll_pool_unpublish(struct nettoll_pool *pool)
{
	bool was;

	spin_lock(&pools_lock);
	was = pool->mm;
	if (was)
		hash_del_rcu(&pool->node);
	spin_unlock(&pools_lock);
	if (!was)
		return;
	/* Before it can be published again, which would relink what others walk. */
	synchronize_rcu();
	spin_lock(&pools_lock);
	pool->mm = NULL;
	spin_unlock(&pools_lock);
}

/** nettoll_pool_unused() - one thing less that a closed pool waits for */
void nettoll_pool_unused(struct nettoll_pool *pool)
{
	if (atomic_dec_and_test(&pool->pending))
		queue_work(pools_wq, &pool->free_work);
}

/**
 * nettoll_pool_close() - nobody needs the pool any more but the packets
 * @pool: not mapped, and no file's; it is gone, or goes with its last packet
 *
 * The module stays until then. The caller is within a call of the file, which
 * holds the module as well. May sleep.
 */
void nettoll_pool_close(struct nettoll_pool *pool)
{
	unsigned int i;

	nettoll_pool_unpublish(pool);
	__module_get(THIS_MODULE);
	atomic_set(&pool->pending, 1);
	for (i = 0; i < pool->slots; i++) {
		atomic_inc(&pool->pending);
		if (atomic_xchg(&pool->slot[i].state, SLOT_CLOSED) == SLOT_IDLE)
			atomic_dec(&pool->pending);
	}
	nettoll_pool_unused(pool);
}

/** nettoll_pools_init() - 0 or -ENOMEM */
int nettoll_pools_init(void)
{
	pools_wq = alloc_workqueue("nettoll_pool", WQ_UNBOUND, 0);
	return pools_wq ? 0 : -ENOMEM;
}

/** nettoll_pools_exit() - wait for the last pools; no file is open, no slot in use */
void nettoll_pools_exit(void)
{
	destroy_workqueue(pools_wq);
}

/** nettoll_pool_idle() - whether a slot is free */
bool nettoll_pool_idle(const struct nettoll_pool *pool, unsigned int slot)
{
	return atomic_read(&pool->slot[slot].state) == SLOT_IDLE;
}

/** nettoll_pool_find() - the pool of the current process that has such an address, under RCU */
struct nettoll_pool *nettoll_pool_find(unsigned long addr)
{
	struct mm_struct *mm = current->mm;
	struct nettoll_pool *pool;

	hash_for_each_possible_rcu(pools, pool, node, (unsigned long)mm)
		if (READ_ONCE(pool->mm) == mm && addr - pool->start < pool->bytes)
			return pool;
	return NULL;
}
