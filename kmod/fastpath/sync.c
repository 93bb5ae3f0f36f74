// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages that packets hold while the call that sent them waits: for UDP, until
 * the device has let go of them, once for all datagrams of a system call.
 */
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include "../compat/ubuf.h"
#include "front.h"
#include "zerocopy.h"

/*
 * A wait is long after so many jiffies. For ten times as long as it took, the
 * socket's datagrams are copied, so that whoever is behind a slow queue waits
 * for a tenth of the time at most.
 */
#define LONG_WAIT	(HZ / 10)
#define AFTER_LONG_WAIT	10

/**
 * enum held_state - who is responsible for pages that are held
 * @HELD_WAITED: a call, which waits for the packets
 * @HELD_DONE: a call, and no packet holds them any more
 * @HELD_ABANDONED: the last packet; the task is being killed
 */
enum held_state {
	HELD_WAITED,
	HELD_DONE,
	HELD_ABANDONED,
};

static void held_free(struct nettoll_held *held)
{
	mm_unaccount_pinned_pages(&held->pin);
	kfree(held);
}

/* A packet, or the call, lets go. In any context. */
static void held_complete(struct sk_buff *skb, struct ubuf_info *ubuf, bool success)
{
	struct nettoll_held *held = container_of(ubuf, struct nettoll_held, ubuf);

	if (skb) {
		WRITE_ONCE(held->taken, true);
		if (!success)
			atomic_long_add(skb->data_len ?: skb->len, &held->copied);
	}
	if (!refcount_dec_and_test(&ubuf->refcnt))
		return;
	if (atomic_xchg(&held->state, HELD_DONE) == HELD_ABANDONED) {
		held_free(held);
		module_put(THIS_MODULE);
	} else {
		complete(&held->done);
	}
}

NETTOLL_UBUF_OPS(held_ops, held_complete);

/**
 * nettoll_held_get() - begin to hold pages
 * @zs: the socket's
 *
 * Return: with a reference, for nettoll_held_release(); NULL without memory.
 */
struct nettoll_held *nettoll_held_get(struct nettoll_zc_sock *zs)
{
	struct nettoll_held *held = xchg(&zs->spare, NULL);

	if (!held)
		held = kmalloc(sizeof(*held), GFP_KERNEL_ACCOUNT);
	if (!held)
		return NULL;
	memset(held, 0, sizeof(*held));
	nettoll_ubuf_set(&held->ubuf, held_ops);
	/* Kept where a packet is cloned: the clone's pages are waited for as well. */
	held->ubuf.flags = SKBFL_ZEROCOPY_FRAG | SKBFL_DONT_ORPHAN;
	refcount_set(&held->ubuf.refcnt, 1);
	init_completion(&held->done);
	return held;
}

/**
 * nettoll_held_release() - the call has sent all that it will
 * @held: the pages
 */
void nettoll_held_release(struct nettoll_held *held)
{
	held_complete(NULL, &held->ubuf, true);
}

/**
 * nettoll_held_put() - what no packet holds any more
 * @zs: the socket's
 * @held: after nettoll_held_wait()
 */
void nettoll_held_put(struct nettoll_zc_sock *zs, struct nettoll_held *held)
{
	mm_unaccount_pinned_pages(&held->pin);
	kfree(xchg(&zs->spare, held));
}

/**
 * nettoll_held_wait() - wait until no packet holds the pages
 * @held: the pages, after nettoll_held_release()
 *
 * Nobody but the device can end this, since who gave the buffer back earlier
 * would let the program change what is yet to be sent; unless the task is being
 * killed, which changes nothing any more. How long a device keeps a packet is
 * bounded by its queueing discipline and its transmit timeout. Whoever waits
 * long holds the module, so that unloading is refused rather than delayed.
 *
 * Return: false if the task is being killed; the pages are then let go of when
 * the last packet is.
 */
bool nettoll_held_wait(struct nettoll_held *held)
{
	long left = wait_for_completion_killable_timeout(&held->done, LONG_WAIT);
	bool module;

	if (likely(left > 0))
		return true;
	module = try_module_get(THIS_MODULE);
	if (!left)
		left = wait_for_completion_killable(&held->done) ? -EINTR : 1;
	if (left < 0) {
		/* The reference goes with the pages. */
		if (module && atomic_cmpxchg(&held->state, HELD_WAITED, HELD_ABANDONED) ==
		    HELD_WAITED)
			return false;
		wait_for_completion(&held->done);
	}
	if (module)
		module_put(THIS_MODULE);
	return true;
}

/**
 * nettoll_bunch_end() - wait for the datagrams that were sent together
 * @batch: on the stack of the front; can be used again
 */
void nettoll_bunch_end(struct nettoll_bunch *batch)
{
	struct nettoll_held *held = batch->held;
	unsigned long start = jiffies, waited;

	if (!held)
		return;
	batch->held = NULL;
	nettoll_held_release(held);
	if (nettoll_held_wait(held)) {
		nettoll_zc_result(batch->zs, batch->rule, held->taken,
				  atomic_long_read(&held->copied), batch->bytes);
		nettoll_held_put(batch->zs, held);
	}
	waited = jiffies - start;
	if (waited >= LONG_WAIT)
		WRITE_ONCE(batch->zs->slow_until, (jiffies + AFTER_LONG_WAIT * waited) | 1);
	nettoll_rule_put(batch->rule);
	nettoll_sock_put(batch->ns);
}

static void batch_begin(struct nettoll_bunch *batch, const struct nettoll_zc_call *call,
			struct nettoll_sock *ns, struct nettoll_held *held)
{
	batch->held = held;
	batch->zs = call->zs;
	batch->rule = call->rule;
	batch->ns = ns;
	batch->bytes = 0;
	refcount_inc(&call->rule->ref);
	refcount_inc(&ns->ref);
}

/* Whether the last long wait was not long ago. */
static bool is_slow(struct nettoll_zc_sock *zs)
{
	unsigned long until = READ_ONCE(zs->slow_until);

	if (likely(!until))
		return false;
	if (time_before(jiffies, until))
		return true;
	WRITE_ONCE(zs->slow_until, 0);
	return false;
}

/**
 * nettoll_sync_udp() - send a datagram from the user's pages
 * @call: the send, which is fit for it
 * @ns: the socket
 * @ret: where to put what the protocol's send returned
 *
 * Returns when the device has let go of the pages, or, within sendmmsg, leaves
 * that to nettoll_bunch_end(). Return: NETTOLL_ZC_SENT, or why it was not sent.
 */
int nettoll_sync_udp(const struct nettoll_zc_call *call, struct nettoll_sock *ns, int *ret)
{
	struct nettoll_bunch *batch = nettoll_stay_bunch(), alone = {};
	struct msghdr *msg = call->msg;
	struct iov_iter from = msg->msg_iter;
	struct nettoll_held *held;

	if (is_slow(call->zs))
		return NETTOLL_FALLBACK_SLOWER;
	if (!batch)
		batch = &alone;
	if (batch->held && (batch->ns != ns || batch->rule != call->rule))
		nettoll_bunch_end(batch);
	if (!batch->held) {
		held = nettoll_held_get(call->zs);
		if (!held)
			return NETTOLL_FALLBACK_NO_MEMORY;
		batch_begin(batch, call, ns, held);
	}
	held = batch->held;
	if (mm_account_pinned_pages(&held->pin, call->len)) {
		if (batch == &alone)
			nettoll_bunch_end(batch);
		return NETTOLL_FALLBACK_MEMLOCK;
	}

	msg->msg_ubuf = &held->ubuf;
	msg->msg_flags |= MSG_ZEROCOPY;
	*ret = call->orig(call->sk, msg, call->len);
	msg->msg_ubuf = NULL;
	msg->msg_flags &= ~MSG_ZEROCOPY;

	if (*ret > 0)
		batch->bytes += *ret;
	if (batch == &alone)
		nettoll_bunch_end(batch);
	if (*ret != -EFAULT)
		return NETTOLL_ZC_SENT;
	/* Memory that can be read, but has no pages to hold, as a device's. */
	msg->msg_iter = from;
	return NETTOLL_FALLBACK_NOT_USER;
}

/* The datagrams of one call are waited for together. */
int nettoll_front___sys_sendmmsg(int fd, struct mmsghdr __user *mmsg, unsigned int vlen,
				 unsigned int flags, bool forbid_cmsg_compat)
{
	struct nettoll_bunch batch = {};
	struct nettoll_stay stay;
	int ret;

	if (vlen < 2)
		return nettoll_orig(__sys_sendmmsg)(fd, mmsg, vlen, flags, forbid_cmsg_compat);
	nettoll_stay_begin(&stay);
	stay.batch = &batch;
	ret = nettoll_orig(__sys_sendmmsg)(fd, mmsg, vlen, flags, forbid_cmsg_compat);
	nettoll_bunch_end(&batch);
	nettoll_stay_end(&stay);
	return ret;
}
