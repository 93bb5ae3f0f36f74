/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What packets refer to when they hold pages of others. 6.10 moved the
 * callback of struct ubuf_info to a table of operations; and whoever fills
 * packets from such pages accounted for their memory himself until 6.10.
 */
#ifndef NETTOLL_COMPAT_UBUF_H
#define NETTOLL_COMPAT_UBUF_H

#include <linux/skbuff.h>
#include <linux/socket.h>
#include <net/sock.h>
#include "features.h"

#ifdef NETTOLL_HAVE_UBUF_OPS
#define NETTOLL_UBUF_OPS(name, fn) \
	static const struct ubuf_info_ops name = { .complete = fn }
#define nettoll_ubuf_set(ubuf, name)	((ubuf)->ops = &(name))
#define nettoll_ubuf_is(ubuf, name)	((ubuf)->ops == &(name))
#else
#define NETTOLL_UBUF_OPS(name, fn) \
	static void (*const name)(struct sk_buff *, struct ubuf_info *, bool) = fn
#define nettoll_ubuf_set(ubuf, name)	((ubuf)->callback = (name))
#define nettoll_ubuf_is(ubuf, name)	((ubuf)->callback == (name))
#endif

/*
 * The arguments of a message's sg_from_iter. It adds what it took to the
 * packet's lengths and truesize, and calls nettoll_fill_done() last, with what
 * the truesize was before.
 */
#ifdef NETTOLL_HAVE_SG_FROM_ITER_SOCK
#define NETTOLL_FILL_ARGS \
	struct sock *sk, struct sk_buff *skb, struct iov_iter *from, size_t length
#define nettoll_fill_done(skb, before)	nettoll_fill_account(sk, skb, before)

static inline void nettoll_fill_account(struct sock *sk, struct sk_buff *skb, unsigned int before)
{
	if (sk && sk->sk_type == SOCK_STREAM) {
		sk_wmem_queued_add(sk, skb->truesize - before);
		if (!skb_zcopy_pure(skb))
			sk_mem_charge(sk, skb->truesize - before);
	} else {
		refcount_add(skb->truesize - before, &skb->sk->sk_wmem_alloc);
	}
}
#else
#define NETTOLL_FILL_ARGS \
	struct sk_buff *skb, struct iov_iter *from, size_t length

static inline void nettoll_fill_done(struct sk_buff *skb, unsigned int before)
{
}
#endif

#endif /* NETTOLL_COMPAT_UBUF_H */
