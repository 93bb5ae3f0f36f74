/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the fast paths of sends are called with.
 */
#ifndef NETTOLL_FASTPATH_SEND_H
#define NETTOLL_FASTPATH_SEND_H

#include <net/ipv6.h>
#include <net/sock.h>

/**
 * typedef nettoll_send_fn - the protocol's own send
 *
 * Return: bytes taken, or a negative errno.
 */
typedef int nettoll_send_fn(struct sock *sk, struct msghdr *msg, size_t len);

/* An IPv6 socket may be connected to an IPv4 address. */
static inline u16 nettoll_tcp_family(const struct sock *sk)
{
#if IS_ENABLED(CONFIG_IPV6)
	if (sk->sk_family == AF_INET6 && !ipv6_addr_v4mapped(&sk->sk_v6_daddr))
		return AF_INET6;
#endif
	return AF_INET;
}

#endif /* NETTOLL_FASTPATH_SEND_H */
