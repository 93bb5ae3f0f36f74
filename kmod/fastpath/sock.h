/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What fast paths know of a socket: which rule is for it, and what they have
 * gathered or learned.
 */
#ifndef NETTOLL_FASTPATH_SOCK_H
#define NETTOLL_FASTPATH_SOCK_H

#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <net/ipv6.h>
#include <net/sock.h>

#include "rule.h"

/**
 * struct nettoll_quiet - a socket that no rule is for, on one CPU
 * @cookie: of the socket; no other ever has the same
 * @addrpair: its IPv4 addresses
 * @ports: its ports, with family and state, which follow them
 * @gen: of the rules
 * @uid: its owner
 * @bound_dev_if: device that it is bound to
 * @plain: an IPv4 socket, whomever it sends to, which is all there is to know
 * @any: whomever it sends to; else its peer, where the send names no other
 * @local6: its IPv6 address
 * @remote6: that of its peer
 *
 * Nothing that a rule can match differs from when the rules were last asked.
 */
struct nettoll_quiet {
	u64 cookie;
	__addrpair addrpair;
	u64 ports;
	u32 gen;
	u32 uid;
	int bound_dev_if;
	bool plain;
	bool any;
	struct in6_addr local6;
	struct in6_addr remote6;
};

#define NETTOLL_QUIETS	256

extern struct nettoll_quiet __percpu *nettoll_quiets;

static __always_inline u64 nettoll_sock_ports(const struct sock *sk)
{
	u64 ports;

	memcpy(&ports, (const void *)sk + offsetof(struct sock, sk_portpair), sizeof(ports));
	return ports;
}

static __always_inline bool nettoll_quiet_is(const struct nettoll_quiet *q, const struct sock *sk,
					     const struct msghdr *msg, u64 cookie)
{
	if (q->cookie != cookie || q->gen != READ_ONCE(nettoll_rules_gen) ||
	    q->addrpair != sk->sk_addrpair || q->ports != nettoll_sock_ports(sk) ||
	    q->bound_dev_if != sk->sk_bound_dev_if || q->uid != __kuid_val(sk->sk_uid))
		return false;
	if (likely(q->plain))
		return true;
	if (!q->any && msg->msg_name)
		return false;
#if IS_ENABLED(CONFIG_IPV6)
	if (sk->sk_family == AF_INET6)
		return ipv6_addr_equal(&q->local6, &sk->sk_v6_rcv_saddr) &&
		       ipv6_addr_equal(&q->remote6, &sk->sk_v6_daddr);
#endif
	return true;
}

/**
 * nettoll_sock_quiet() - whether it is known that no rule is for a send
 * @sk: the socket
 * @msg: what is sent
 *
 * All that a send of a socket without a rule pays, so every instruction counts.
 */
static __always_inline bool nettoll_sock_quiet(const struct sock *sk, const struct msghdr *msg)
{
	u64 cookie = atomic64_read(&sk->sk_cookie);
	const struct nettoll_quiet *q;
	bool quiet;

	preempt_disable();
	q = this_cpu_ptr(nettoll_quiets) + cookie % NETTOLL_QUIETS;
	quiet = nettoll_quiet_is(q, sk, msg, cookie);
	preempt_enable();
	return quiet;
}

/**
 * struct nettoll_sock_key - what a decision was made for
 * @cookie: of the socket
 * @local: its address, IPv4 in the first word
 * @remote: where the data goes, IPv4 in the first word
 * @gen: of the rules
 * @route: of the routes
 * @portpair: ports of the socket
 * @uid: its owner
 * @bound_dev_if: device that it is bound to
 * @rport: port that the data goes to
 * @family: of the packets
 */
struct nettoll_sock_key {
	u64 cookie;
	struct in6_addr local;
	struct in6_addr remote;
	u32 gen;
	u32 route;
	__portpair portpair;
	u32 uid;
	int bound_dev_if;
	__be16 rport;
	u16 family;
};

/**
 * enum nettoll_part - who keeps something of a socket
 * @NETTOLL_PARTS: how many do
 */
enum nettoll_part {
	NETTOLL_PARTS,
};

/**
 * struct nettoll_sock - a socket that a rule is or was for
 * @node: in its bucket
 * @sk: the socket
 * @cookie: of the socket
 * @ref: the table and whoever uses it now
 * @gone: the socket is being freed; the table has let go
 * @lock: of @key and @rule
 * @key: what @rule was decided for
 * @rule: for the last destination, NULL for none; holds a reference
 * @part: what each fast path keeps, by enum nettoll_part; NULL until needed
 * @rcu: it may be found under RCU until the last reference is gone
 */
struct nettoll_sock {
	struct hlist_node node;
	struct sock *sk;
	u64 cookie;
	refcount_t ref;
	bool gone;
	/* Of key and rule. */
	spinlock_t lock;
	struct nettoll_sock_key key;
	struct nettoll_rule *rule;
	void *part[NETTOLL_PARTS + 1];
	struct rcu_head rcu;
};

struct nettoll_sock *nettoll_sock_decide(struct sock *sk, const struct msghdr *msg, u16 family,
					 struct nettoll_rule **rule);
struct nettoll_sock *nettoll_sock_find_rcu(const struct sock *sk);
void nettoll_sock_put(struct nettoll_sock *ns);
int nettoll_socks_init(void);
void nettoll_socks_exit(void);

#endif /* NETTOLL_FASTPATH_SOCK_H */
