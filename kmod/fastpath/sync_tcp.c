// SPDX-License-Identifier: GPL-2.0-only
/*
 * TCP from the user's pages: the head of a message is held until the peer has
 * it, the tail is copied, so that there is something to send meanwhile. What
 * takes too long is copied in the queues of the socket.
 */
#include <linux/math64.h>
#include <linux/sched/signal.h>
#include <linux/tcp.h>
#include <linux/uio.h>
#include <net/tcp.h>

#include "zerocopy.h"

/* A call waits for so many round trips, and within these bounds. */
#define PATIENCE_TRIPS		8
#define PATIENCE_MIN_US		(2 * USEC_PER_MSEC)
#define PATIENCE_MAX_US		(200 * USEC_PER_MSEC)
/* A call that is not to block is only kept so long, and only where that suffices. */
#define PATIENCE_NONBLOCK_US	(2 * USEC_PER_MSEC)
/* Enough segments for a peer that acknowledges every second one to do so at once. */
#define TAIL_SEGMENTS		4

/* What the path holds, twice over: the peer's answer and the next call are late. */
static u64 tcp_tail(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 mss = READ_ONCE(tp->mss_cache);
	u32 interval = READ_ONCE(tp->rate_interval_us);
	u32 rtt = tcp_min_rtt(tp);
	u64 path = (u64)tcp_snd_cwnd(tp) * mss;

	if (interval && rtt != ~0U)
		path = min(path, div_u64((u64)READ_ONCE(tp->rate_delivered) * mss * rtt, interval));
	return max_t(u64, 2 * path, TAIL_SEGMENTS * mss);
}

/* Have a packet that may wait in the socket keep its data itself. */
static bool skb_copy_held(struct sock *sk, struct sk_buff *skb, const struct ubuf_info *ubuf)
{
	unsigned int truesize = skb->truesize;
	u32 extra;

	if (skb_zcopy(skb) != ubuf)
		return true;
	/* As tcp_sendmsg() does with what stops being the user's memory alone. */
	if (skb_zcopy_pure(skb)) {
		extra = truesize - SKB_TRUESIZE(skb_end_offset(skb));
		if (!sk_wmem_schedule(sk, extra))
			return false;
		sk_mem_charge(sk, extra);
		skb_shinfo(skb)->flags &= ~SKBFL_PURE_ZEROCOPY;
	}
	if (skb_copy_ubufs(skb, sk->sk_allocation))
		return false;
	skb->truesize = truesize;
	return true;
}

/*
 * What has not arrived is copied, but for clones that a device or a queueing
 * discipline has. False if there is no memory for all of it.
 */
static bool tcp_copy_held(struct sock *sk, const struct ubuf_info *ubuf)
{
	struct sk_buff *skb;
	bool all = true;

	lock_sock(sk);
	for (skb = skb_rb_first(&sk->tcp_rtx_queue); skb; skb = skb_rb_next(skb))
		all &= skb_copy_held(sk, skb, ubuf);
	skb_queue_walk(&sk->sk_write_queue, skb)
		all &= skb_copy_held(sk, skb, ubuf);
	release_sock(sk);
	return all;
}

/* Like nettoll_held_wait(), but the peer cannot make it last. */
static bool tcp_wait(const struct nettoll_zc_call *call, struct nettoll_held *held, u32 patience)
{
	struct sock *sk = call->sk;

	if (wait_for_completion_interruptible_timeout(&held->done, usecs_to_jiffies(patience)) > 0)
		return true;
	nettoll_zc_fallback(call->zs, call->rule, NETTOLL_FALLBACK_INTERRUPTED);
	while (!tcp_copy_held(sk, &held->ubuf))
		if (wait_for_completion_killable_timeout(&held->done, HZ / 100 ?: 1))
			break;
	return nettoll_held_wait(held);
}

/* An error of the tail is for the next call to tell, as where one call sends both. */
static void tcp_keep_error(struct sock *sk, int err)
{
	if (err < 0 && err != -EAGAIN && err != -EPIPE && err != -EFAULT &&
	    err != -ERESTARTSYS && err != -EINTR)
		WRITE_ONCE(sk->sk_err, -err);
}

/* Both parts under one lock, so that another thread's data does not come between. */
static int tcp_send_parts(const struct nettoll_zc_call *call, struct nettoll_held *held,
			  size_t head)
{
	struct msghdr *msg = call->msg;
	unsigned int flags = msg->msg_flags;
	struct sock *sk = call->sk;
	int sent, more;

	lock_sock(sk);
	iov_iter_truncate(&msg->msg_iter, head);
	msg->msg_ubuf = &held->ubuf;
	msg->msg_flags = (flags | MSG_ZEROCOPY) & ~MSG_EOR;
	sent = tcp_sendmsg_locked(sk, msg, head);
	msg->msg_ubuf = NULL;
	msg->msg_flags = flags;
	iov_iter_reexpand(&msg->msg_iter, msg->msg_iter.count + call->len - head);

	if (sent == head && !READ_ONCE(sk->sk_err) && !(sk->sk_shutdown & SEND_SHUTDOWN)) {
		msg->msg_flags |= MSG_NOSIGNAL;
		more = tcp_sendmsg_locked(sk, msg, call->len - head);
		msg->msg_flags = flags;
		if (more > 0)
			sent += more;
		else
			tcp_keep_error(sk, more);
	}
	release_sock(sk);
	return sent;
}

/**
 * nettoll_sync_tcp() - send from the user's pages
 * @call: the send, which is fit for it
 * @ret: where to put what the protocol's send would have returned
 *
 * Returns when the peer has what was sent from the pages, or it was copied
 * after all. Return: NETTOLL_ZC_SENT, or why it was not sent.
 */
int nettoll_sync_tcp(const struct nettoll_zc_call *call, int *ret)
{
	u32 trip = READ_ONCE(tcp_sk(call->sk)->srtt_us) >> 3;
	struct iov_iter from = call->msg->msg_iter;
	u64 tail = tcp_tail(call->sk);
	struct nettoll_held *held;
	size_t head, held_bytes;
	u32 patience;

	/* The path would run dry while the call waits. */
	if (tail > call->len / 2)
		return NETTOLL_FALLBACK_SLOWER;
	head = call->len - tail;
	/* Whole segments, lest one be sent short for the sake of the tail. */
	head -= head % max_t(u32, READ_ONCE(tcp_sk(call->sk)->mss_cache), 1);
	if (head < call->rule->act.zerocopy_min)
		return NETTOLL_FALLBACK_SMALL;
	patience = clamp_t(u32, PATIENCE_TRIPS * trip, PATIENCE_MIN_US, PATIENCE_MAX_US);
	if (call->msg->msg_flags & MSG_DONTWAIT) {
		if (2 * trip > PATIENCE_NONBLOCK_US)
			return NETTOLL_FALLBACK_OPTION;
		patience = PATIENCE_NONBLOCK_US;
	}
	held = nettoll_held_get(call->zs);
	if (!held)
		return NETTOLL_FALLBACK_NO_MEMORY;
	if (mm_account_pinned_pages(&held->pin, head)) {
		nettoll_held_put(call->zs, held);
		return NETTOLL_FALLBACK_MEMLOCK;
	}
	*ret = tcp_send_parts(call, held, head);
	nettoll_held_release(held);
	held_bytes = *ret > 0 ? min_t(size_t, *ret, head) : 0;
	if (tcp_wait(call, held, patience)) {
		nettoll_zc_result(call->zs, call->rule, held->taken,
				  atomic_long_read(&held->copied), held_bytes);
		if (*ret > 0 && *ret > held_bytes)
			nettoll_zc_count(call->zs, call->rule, *ret - held_bytes,
					 *ret - held_bytes);
		nettoll_held_put(call->zs, held);
	}
	if (*ret != -EFAULT)
		return NETTOLL_ZC_SENT;
	/* Memory that can be read, but has no pages to hold, as a device's. */
	call->msg->msg_iter = from;
	return NETTOLL_FALLBACK_NOT_USER;
}
