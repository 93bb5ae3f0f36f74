/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The flow that a send of a socket belongs to.
 */
#ifndef NETTOLL_FASTPATH_FLOW_H
#define NETTOLL_FASTPATH_FLOW_H

#include "match.h"
#include "sock.h"

/**
 * nettoll_flow_name() - whom a send names, NULL if nobody
 * @sk: the socket
 * @msg: what is sent
 *
 * TCP does not look at it: the socket has its peer.
 */
static inline void *nettoll_flow_name(const struct sock *sk, const struct msghdr *msg)
{
	return sk->sk_protocol == IPPROTO_TCP ? NULL : msg->msg_name;
}

bool nettoll_flow_of_send(struct nettoll_flow *flow, struct sock *sk, const struct msghdr *msg,
			  u16 family);
void nettoll_flow_key(struct nettoll_sock_key *key, const struct nettoll_flow *flow,
		      const struct sock *sk, u64 cookie);
void nettoll_flow_route(struct nettoll_flow *flow, struct sock *sk, const struct msghdr *msg,
			char device[IFNAMSIZ]);

#endif /* NETTOLL_FASTPATH_FLOW_H */
