// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sending from a slot of a pool, until no packet refers to it any more.
 *
 * A send allocates nothing, pins nothing and takes no lock of its own. A slot
 * is taken by one compare-and-exchange, its pages belong to the pool, and the
 * pool cannot go as long as a slot is in use.
 */
#include <linux/uio.h>
#include <net/tcp.h>

#include "../compat/mm.h"
#include "../compat/ubuf.h"
#include "pool.h"

/* Slots whose sends TCP may put into common packets, which are done with together. */
#define TRAIN_BYTES		(256 << 10)

/**
 * enum slot_role - whose packets those of a slot are
 * @ROLE_OPEN: its own
 * @ROLE_TRAIN: its own, and others may share them
 * @ROLE_COACH: those of another
 */
enum slot_role {
	ROLE_OPEN,
	ROLE_TRAIN,
	ROLE_COACH,
};

static void slot_end(struct nettoll_slot *slot);

/* No packet refers to a slot any more for those that share them; of their bytes @copied were. */
static void train_end(struct nettoll_slot *slot, size_t copied)
{
	struct llist_node *node = llist_del_all(&slot->train);
	struct nettoll_slot *other, *next;
	size_t of_it;

	llist_for_each_entry_safe(other, next, node, coach) {
		of_it = min(copied, other->bytes);
		copied -= of_it;
		atomic_long_add(of_it, &other->copied);
		WRITE_ONCE(other->taken, true);
		/* A coach is no train, so this goes no deeper. */
		if (refcount_dec_and_test(&other->ubuf.refcnt))
			slot_end(other);
	}
}

/* Nobody but a closing pool may still need the slot when this ends. Under RCU. */
static void slot_end(struct nettoll_slot *slot)
{
	struct nettoll_pool *pool = slot->pool;
	size_t copied = slot->taken ? atomic_long_read(&slot->copied) : slot->bytes;
	struct nettoll_zc_sock *zs;

	if (!llist_empty(&slot->train))
		train_end(slot, copied - min(copied, slot->bytes));
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
		nettoll_pool_unused(pool);
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

/** nettoll_slot_init() - a slot of a new pool, which is set */
void nettoll_slot_init(struct nettoll_slot *slot)
{
	nettoll_ubuf_set(&slot->ubuf, slot_ops);
	slot->ubuf.flags = SKBFL_ZEROCOPY_FRAG | SKBFL_DONT_ORPHAN;
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
	init_llist_head(&slot->train);
	slot->train_bytes = 0;
	atomic_set(&slot->role, ROLE_OPEN);
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

/*
 * The slot whose packet a stream's next bytes can be added to, with a reference;
 * a packet refers to one only. Else NULL. With the socket locked.
 */
static struct nettoll_slot *train_of(const struct nettoll_zc_call *call)
{
	struct sk_buff *tail = tcp_write_queue_tail(call->sk);
	struct ubuf_info *ubuf = tail ? skb_zcopy(tail) : NULL;
	struct nettoll_slot *slot;

	if (!ubuf || !nettoll_ubuf_is(ubuf, slot_ops))
		return NULL;
	slot = container_of(ubuf, struct nettoll_slot, ubuf);
	if (slot->train_bytes + call->len > TRAIN_BYTES ||
	    atomic_cmpxchg(&slot->role, ROLE_OPEN, ROLE_TRAIN) == ROLE_COACH)
		return NULL;
	return refcount_inc_not_zero(&slot->ubuf.refcnt) ? slot : NULL;
}

/* Within one lock, so that the packet that can be added to stays the last. */
static int pool_call_tcp(const struct nettoll_zc_call *call, struct nettoll_slot *slot, bool shares)
{
	struct nettoll_slot *train;
	struct sock *sk = call->sk;
	int ret;

	lock_sock(sk);
	train = shares ? NULL : train_of(call);
	/* Unless another thread sends from it already, and has packets of its own. */
	if (train && atomic_cmpxchg(&slot->role, ROLE_OPEN, ROLE_COACH) == ROLE_OPEN)
		call->msg->msg_ubuf = &train->ubuf;
	ret = tcp_sendmsg_locked(sk, call->msg, call->len);
	if (ret > 0 && call->msg->msg_ubuf != &slot->ubuf) {
		train->train_bytes += ret;
		refcount_inc(&slot->ubuf.refcnt);
		llist_add(&slot->coach, &train->train);
	}
	release_sock(sk);
	if (train)
		slot_complete(NULL, &train->ubuf, true);
	return ret;
}

/* The protocol's send, of what lies @off bytes into the pool. */
static int pool_call(const struct nettoll_zc_call *call, struct nettoll_slot *slot,
		     unsigned long off, bool shares)
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
	if (call->sk->sk_protocol == IPPROTO_TCP)
		ret = pool_call_tcp(call, slot, shares);
	else
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
	pool = nettoll_pool_find(addr);
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
	*ret = pool_call(call, slot, off, shares);
	if (*ret > 0) {
		if (shares)
			nettoll_zc_count(call->zs, call->rule, *ret, 0);
		else
			slot->bytes = *ret;
	}
	slot_complete(NULL, &slot->ubuf, true);
	return NETTOLL_ZC_SENT;
}
