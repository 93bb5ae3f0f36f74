// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pools: their memory, finding the one that an address lies in, sending from a
 * slot, and going when the last packet has let go.
 *
 * A send allocates nothing, pins nothing and takes no lock. A slot is taken by
 * one compare-and-exchange, its pages belong to the pool, and the pool cannot
 * go as long as a slot is in use.
 */
#include <linux/hashtable.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uio.h>
#include <linux/vmalloc.h>

#include "../compat/mm.h"
#include "../compat/ubuf.h"
#include "pool.h"

/* Larger pieces than a huge page are not asked for. */
#define CHUNK_ORDER_MAX	9

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

/* Nobody but a closing pool may still need the slot when this ends. Under RCU. */
static void slot_end(struct nettoll_slot *slot)
{
	struct nettoll_pool *pool = slot->pool;
	size_t copied = slot->taken ? atomic_long_read(&slot->copied) : slot->bytes;
	struct nettoll_zc_sock *zs;

	copied = min(copied, slot->bytes);
	if (slot->ns) {
		zs = slot->ns->part[NETTOLL_PART_ZEROCOPY];
		nettoll_zc_result(zs, slot->rule, slot->taken, copied, slot->bytes);
		nettoll_rule_put(slot->rule);
		nettoll_sock_put(slot->ns);
	}
	/* Of slots that end at the same time one may be lost; it is a report. */
	pool->shared->zerocopy_bytes += slot->bytes - copied;
	pool->shared->copied_bytes += copied;
	if (atomic_cmpxchg(&slot->state, SLOT_USED, SLOT_IDLE) == SLOT_CLOSED) {
		if (atomic_dec_and_test(&pool->pending))
			queue_work(pools_wq, &pool->free_work);
		return;
	}
	/* From here on another send may have the slot, and end it too. */
	atomic_inc((atomic_t *)&pool->shared->slot[slot - pool->slot].done);
	if (wq_has_sleeper(&pool->wait))
		wake_up_all(&pool->wait);
}

static void slot_complete(struct sk_buff *skb, struct ubuf_info *ubuf, bool success)
{
	struct nettoll_slot *slot = container_of(ubuf, struct nettoll_slot, ubuf);

	if (skb) {
		WRITE_ONCE(slot->taken, true);
		if (!success)
			atomic_long_add(skb->data_len ?: skb->len, &slot->copied);
	}
	rcu_read_lock();
	if (refcount_dec_and_test(&ubuf->refcnt))
		slot_end(slot);
	rcu_read_unlock();
}

NETTOLL_UBUF_OPS(slot_ops, slot_complete);

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
		nettoll_ubuf_set(&slot->ubuf, slot_ops);
		slot->ubuf.flags = SKBFL_ZEROCOPY_FRAG | SKBFL_DONT_ORPHAN;
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
	if (atomic_dec_and_test(&pool->pending))
		queue_work(pools_wq, &pool->free_work);
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

/* The pool of the current process that has such an address. Under RCU. */
static struct nettoll_pool *pool_find(unsigned long addr)
{
	struct mm_struct *mm = current->mm;
	struct nettoll_pool *pool;

	hash_for_each_possible_rcu(pools, pool, node, (unsigned long)mm)
		if (READ_ONCE(pool->mm) == mm && addr - pool->start < pool->bytes)
			return pool;
	return NULL;
}

/* Where the data of a message begins, if it is in one piece; else 0. */
static unsigned long iter_address(const struct iov_iter *iter)
{
	const struct iovec *iov;

	if (iter_is_ubuf(iter))
		return (unsigned long)iter->ubuf + iter->iov_offset;
	iov = nettoll_iter_iov(iter);
	if (iov->iov_len - iter->iov_offset < iter->count)
		return 0;
	return (unsigned long)iov->iov_base + iter->iov_offset;
}

/* Whether the call shares the slot with one before it, whose packets still have it. */
static int slot_take(struct nettoll_pool *pool, struct nettoll_slot *slot, bool *shares)
{
	struct nettoll_pool_slot *shared = &pool->shared->slot[slot - pool->slot];
	int was = atomic_cmpxchg(&slot->state, SLOT_IDLE, SLOT_USED);

	*shares = was != SLOT_IDLE;
	if (was == SLOT_CLOSED)
		return NETTOLL_FALLBACK_NOT_POOL;
	if (*shares)
		return refcount_inc_not_zero(&slot->ubuf.refcnt) ? NETTOLL_ZC_SENT :
								   NETTOLL_FALLBACK_LIMIT;
	slot->taken = false;
	atomic_long_set(&slot->copied, 0);
	slot->bytes = 0;
	slot->ns = NULL;
	slot->rule = NULL;
	WRITE_ONCE(shared->sent, shared->sent + 1);
	/* Whoever shares the slot from here on has been seen to use it. */
	smp_wmb();
	refcount_set(&slot->ubuf.refcnt, 1);
	return NETTOLL_ZC_SENT;
}

/* Put pieces of the pool into a packet; it keeps the pages, unless others are there already. */
static int pool_fill(NETTOLL_FILL_ARGS)
{
	struct skb_shared_info *shinfo = skb_shinfo(skb);
	unsigned int before = skb->truesize;
	bool managed = !shinfo->nr_frags || skb_zcopy_managed(skb);
	int err = 0;

	if (managed)
		shinfo->flags |= SKBFL_MANAGED_FRAG_REFS;
	length = min(length, iov_iter_count(from));
	while (length) {
		const struct bio_vec *chunk = from->bvec;
		size_t off = from->iov_offset, n = min(length, chunk->bv_len - off);

		if (shinfo->nr_frags == MAX_SKB_FRAGS) {
			err = -EMSGSIZE;
			break;
		}
		if (!managed)
			get_page(chunk->bv_page);
		skb_fill_page_desc_noacc(skb, shinfo->nr_frags, chunk->bv_page, off, n);
		skb->data_len += n;
		skb->len += n;
		skb->truesize += PAGE_ALIGN(n + offset_in_page(off));
		iov_iter_advance(from, n);
		length -= n;
	}
	nettoll_fill_done(skb, before);
	return err;
}

/* The protocol's send, of what lies @off bytes into the pool. */
static int pool_call(const struct nettoll_zc_call *call, struct nettoll_slot *slot,
		     unsigned long off)
{
	struct nettoll_pool *pool = slot->pool;
	unsigned int first = off >> pool->chunk_shift;
	struct msghdr *msg = call->msg;
	struct iov_iter from = msg->msg_iter;
	int ret;

	iov_iter_bvec(&msg->msg_iter, ITER_SOURCE, &pool->chunks[first], pool->nchunks - first,
		      call->len);
	msg->msg_iter.iov_offset = off & ((1UL << pool->chunk_shift) - 1);
	msg->msg_ubuf = &slot->ubuf;
	msg->sg_from_iter = pool_fill;
	msg->msg_flags |= MSG_ZEROCOPY;
	ret = call->orig(call->sk, msg, call->len);
	msg->msg_flags &= ~MSG_ZEROCOPY;
	msg->sg_from_iter = NULL;
	msg->msg_ubuf = NULL;
	msg->msg_iter = from;
	if (ret > 0)
		iov_iter_advance(&msg->msg_iter, ret);
	return ret;
}

/**
 * nettoll_pool_send() - send from a slot, if that is where the data lies
 * @call: the send, which is fit for it
 * @ns: the socket
 * @ret: where to put what the protocol's send returned
 *
 * Return: NETTOLL_ZC_SENT, or why it was not sent.
 */
int nettoll_pool_send(const struct nettoll_zc_call *call, struct nettoll_sock *ns, int *ret)
{
	unsigned long addr = iter_address(&call->msg->msg_iter), off = 0;
	int reason = NETTOLL_FALLBACK_NOT_POOL;
	struct nettoll_slot *slot = NULL;
	struct nettoll_pool *pool;
	bool shares = false;

	rcu_read_lock();
	pool = pool_find(addr);
	if (pool) {
		off = addr - pool->start;
		slot = &pool->slot[off >> pool->slot_shift];
		if (off + call->len <= pool->bytes &&
		    (off + call->len - 1) >> pool->slot_shift == off >> pool->slot_shift)
			reason = slot_take(pool, slot, &shares);
	}
	rcu_read_unlock();
	if (reason != NETTOLL_ZC_SENT)
		return reason;

	if (!shares) {
		refcount_inc(&ns->ref);
		refcount_inc(&call->rule->ref);
		slot->ns = ns;
		slot->rule = call->rule;
	}
	*ret = pool_call(call, slot, off);
	if (*ret > 0) {
		if (shares)
			nettoll_zc_count(call->zs, call->rule, *ret, 0);
		else
			slot->bytes = *ret;
	}
	slot_complete(NULL, &slot->ubuf, true);
	return NETTOLL_ZC_SENT;
}
