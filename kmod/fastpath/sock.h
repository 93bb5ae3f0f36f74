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
 * enum nettoll_quiet_kind - what has to be the same for no rule to be for a send
 * @NETTOLL_QUIET_ALL: the ports, whomever it goes to
 * @NETTOLL_QUIET_IPV4: also the addresses and the peer, of an IPv4 socket
 * @NETTOLL_QUIET_IPV6: also the peer, of an IPv6 socket
 * @NETTOLL_QUIET_CAREFUL: all of it, and the owner
 */
enum nettoll_quiet_kind {
	NETTOLL_QUIET_ALL,
	NETTOLL_QUIET_IPV4,
	NETTOLL_QUIET_IPV6,
	NETTOLL_QUIET_CAREFUL,
};

/**
 * struct nettoll_quiet - a send that no rule is for, on one CPU
 * @cookie: of the socket; no other ever has the same
 * @ports: its ports, with family and state, which follow them
 * @kind: enum nettoll_quiet_kind
 * @family: of the packets
 * @uid: owner of the socket
 * @to: whom the send names: the first 8 bytes of its struct sockaddr_in, or 4
 *	of its sockaddr_in6; 0 if it names nobody
 * @addrpair: IPv4 addresses of the socket
 * @local6: IPv6 address of the socket
 * @peer6: the one that the send names, or else that of the socket's peer
 *
 * Nothing that a rule can match differs from when the rules were last asked.
 * All entries go when the rules change. One is a cache line.
 */
struct nettoll_quiet {
	u64 cookie;
	u64 ports;
	u16 kind;
	u16 family;
	u32 uid;
	u64 to;
	union {
		__addrpair addrpair;
		struct in6_addr local6;
	};
	struct in6_addr peer6;
};
static_assert(sizeof(struct nettoll_quiet) == 64);

#define NETTOLL_QUIETS	256

extern struct nettoll_quiet __percpu *nettoll_quiets;

static __always_inline u64 nettoll_sock_ports(const struct sock *sk)
{
	u64 ports;

	memcpy(&ports, (const void *)sk + offsetof(struct sock, sk_portpair), sizeof(ports));
	return ports;
}

/*
 * The name may be shorter than what is looked at: it lies in a sockaddr_storage,
 * and the protocol, which looks at the length, refuses it whatever comes of this.
 */
static __always_inline bool nettoll_quiet_ipv4(const struct nettoll_quiet *q,
					       const struct sock *sk, const void *name)
{
	return q->addrpair == sk->sk_addrpair && q->to == (name ? *(u64 *)name : 0);
}

static __always_inline bool nettoll_quiet_ipv6(const struct nettoll_quiet *q,
					       const struct sock *sk, const void *name)
{
#if IS_ENABLED(CONFIG_IPV6)
	const struct sockaddr_in6 *sin6 = name;

	/* Family and port, then the address. */
	if (sin6)
		return q->to == *(u32 *)sin6 && ipv6_addr_equal(&q->peer6, &sin6->sin6_addr);
	return !q->to && ipv6_addr_equal(&q->peer6, &sk->sk_v6_daddr);
#else
	return false;
#endif
}

static __always_inline bool nettoll_quiet_is(const struct nettoll_quiet *q, const struct sock *sk,
					     const void *name, u64 cookie, u16 family)
{
	if (q->cookie != cookie || q->ports != nettoll_sock_ports(sk))
		return false;
	if (likely(q->kind == NETTOLL_QUIET_ALL))
		return true;
	if (family != AF_INET6 && q->kind == NETTOLL_QUIET_IPV4)
		return nettoll_quiet_ipv4(q, sk, name);
	return family != AF_INET && q->kind == NETTOLL_QUIET_IPV6 &&
	       nettoll_quiet_ipv6(q, sk, name);
}

/**
 * nettoll_sock_quiet() - whether it is known that no rule is for a send
 * @sk: the socket
 * @name: whom the send names, NULL if nobody
 * @family: of the packets, 0 for either
 *
 * All that most sends without a rule pay, so every instruction counts, and so
 * that no register has to be saved no function is called. Where false,
 * nettoll_sock_quiet_careful() may know more.
 */
static __always_inline bool nettoll_sock_quiet(const struct sock *sk, const void *name, u16 family)
{
	u64 cookie = atomic64_read(&sk->sk_cookie);
	const struct nettoll_quiet *q;
	bool quiet;

	preempt_disable();
	q = this_cpu_ptr(nettoll_quiets) + cookie % NETTOLL_QUIETS;
	quiet = nettoll_quiet_is(q, sk, name, cookie, family);
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
 * @NETTOLL_PART_GATHER: send coalescing, struct nettoll_gather
 * @NETTOLL_PART_ZEROCOPY: struct nettoll_zc_sock
 * @NETTOLL_PARTS: how many do
 */
enum nettoll_part {
	NETTOLL_PART_GATHER,
	NETTOLL_PART_ZEROCOPY,
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

bool nettoll_sock_quiet_careful(const struct sock *sk, const void *name);
void nettoll_quiets_clear(void);
struct nettoll_sock *nettoll_sock_decide(struct sock *sk, const struct msghdr *msg, u16 family,
					 struct nettoll_rule **rule);
struct nettoll_sock *nettoll_sock_find_rcu(const struct sock *sk);
void nettoll_sock_put(struct nettoll_sock *ns);
void nettoll_socks_each(bool (*wanted)(const struct nettoll_sock *ns),
			void (*fn)(struct nettoll_sock *ns));
int nettoll_socks_init(void);
void nettoll_socks_exit(void);

#endif /* NETTOLL_FASTPATH_SOCK_H */
