/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sends whose rule is known: on each CPU, so that one like the last costs little.
 */
#ifndef NETTOLL_FASTPATH_KNOWN_H
#define NETTOLL_FASTPATH_KNOWN_H

#include <net/ip.h>

#include "coalesce.h"
#include "flow.h"
#include "sock.h"

#define NETTOLL_KNOWNS	64

/**
 * struct nettoll_known - a send that a rule is for, on one CPU
 * @q: what has to be the same, besides
 * @route: the routes, and
 * @bound_dev_if: the device that the socket is bound to
 * @ns: the socket; not a reference: it is known as long as it can send
 * @rule: the rule; not a reference: all entries go when the rules change, before it may
 */
struct nettoll_known {
	struct nettoll_quiet q;
	u32 route;
	int bound_dev_if;
	struct nettoll_sock *ns;
	struct nettoll_rule *rule;
};

extern struct nettoll_known __percpu *nettoll_knowns;

static __always_inline bool nettoll_known_is(const struct nettoll_known *k, const struct sock *sk,
					     const void *name, u16 family)
{
	const struct nettoll_quiet *q = &k->q;

	if (q->cookie != atomic64_read(&sk->sk_cookie) || !k->rule ||
	    q->ports != nettoll_sock_ports(sk) || q->family != family ||
	    q->uid != __kuid_val(sk->sk_uid) || k->bound_dev_if != sk->sk_bound_dev_if)
		return false;
	if (family == AF_INET)
		return k->route == rt_genid_ipv4(sock_net(sk)) && nettoll_quiet_ipv4(q, sk, name);
#if IS_ENABLED(CONFIG_IPV6)
	return k->route == rt_genid_ipv6(sock_net(sk)) && nettoll_quiet_ipv6(q, sk, name) &&
	       ipv6_addr_equal(&q->local6, &inet6_sk(sk)->saddr);
#else
	return false;
#endif
}

bool nettoll_known_copy(struct sock *sk, const struct msghdr *msg, size_t len, u16 family);
struct nettoll_sock *nettoll_known_get(const struct sock *sk, const struct msghdr *msg, u16 family,
				       struct nettoll_rule **rule);
void nettoll_known_note(struct nettoll_sock *ns, struct nettoll_rule *rule,
			const struct nettoll_sock_key *key, const struct sock *sk,
			const void *name);
void nettoll_knowns_clear_here(void);
void nettoll_knowns_clear_of(int cpu);
int nettoll_knowns_init(void);
void nettoll_knowns_exit(void);

/**
 * nettoll_known_copies() - whether it is known that a send is copied, which is then counted
 * @sk: the socket
 * @msg: what is sent
 * @len: bytes of it
 * @family: of the packets
 *
 * What is left of such a send is the protocol's, so that its caller need not
 * stay. Only where it is going to take all of it, or fail for good; and what
 * asks for zero-copy by itself is not copied.
 */
static __always_inline bool nettoll_known_copies(struct sock *sk, const struct msghdr *msg,
						 size_t len, u16 family)
{
	if (msg->msg_flags & (MSG_DONTWAIT | MSG_ZEROCOPY) || READ_ONCE(nettoll_coalescers))
		return false;
	return nettoll_known_copy(sk, msg, len, family);
}

#endif /* NETTOLL_FASTPATH_KNOWN_H */
