/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who puts pages into a packet that is being made, and accounts for them (the
 * caller since 6.10), and where a socket's options are (bits since 6.6).
 */
#ifndef NETTOLL_COMPAT_UDP_H
#define NETTOLL_COMPAT_UDP_H

#include <linux/skbuff.h>
#include <linux/socket.h>
#include <net/ipv6.h>
#include "features.h"

/* Makes a NAME for msghdr::sg_from_iter of fill(skb, from, length), which adds to skb->truesize. */
#ifdef NETTOLL_HAVE_SG_FROM_ITER_SOCK
#define NETTOLL_SG_FROM_ITER(name, fill)						\
	static int name(struct sock *sk, struct sk_buff *skb, struct iov_iter *from,	\
			size_t length)							\
	{										\
		unsigned int before = skb->truesize;					\
		int err = fill(skb, from, length);					\
											\
		refcount_add(skb->truesize - before, &skb->sk->sk_wmem_alloc);		\
		return err;								\
	}
#else
#define NETTOLL_SG_FROM_ITER(name, fill)						\
	static int name(struct sk_buff *skb, struct iov_iter *from, size_t length)	\
	{										\
		return fill(skb, from, length);						\
	}
#endif

/* Whether errors are reported with the datagram that met them. */
static inline bool nettoll_sk_recverr(const struct sock *sk)
{
#ifdef NETTOLL_HAVE_INET_TEST_BIT
	return inet_test_bit(RECVERR, sk) ||
	       (sk->sk_family == AF_INET6 && inet6_test_bit(RECVERR6, sk));
#else
	return inet_sk(sk)->recverr || (sk->sk_family == AF_INET6 && inet6_sk(sk)->recverr);
#endif
}

#endif /* NETTOLL_COMPAT_UDP_H */
