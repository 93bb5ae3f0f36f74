// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fronts of the sends: who has no rule goes on at once; who has one is
 * counted and handed to the fast paths that it asks for.
 */
#include <linux/uio.h>

#include "coalesce.h"
#include "flow.h"
#include "front.h"
#include "known.h"
#include "send.h"
#include "sock.h"
#include "zerocopy.h"

/* An IPv6 socket's datagram for an IPv4 address comes again, as one of IPv4. */
static bool comes_again(struct sock *sk, const struct msghdr *msg, u16 family)
{
	struct nettoll_flow flow;

	return family == AF_INET6 && sk->sk_protocol == IPPROTO_UDP &&
	       !nettoll_flow_of_send(&flow, sk, msg, family);
}

/* Of a send that a rule was for. */
static void send_count(const struct nettoll_rule *rule, int ret)
{
	this_cpu_inc(rule->count->sends);
	if (ret > 0)
		this_cpu_add(rule->count->bytes, ret);
}

/* A send that a rule may be for. The original is called directly where this is inlined. */
static __always_inline int send_ruled(struct sock *sk, struct msghdr *msg, size_t len, u16 family,
				      nettoll_send_fn *orig)
{
	struct nettoll_coalesce_try try = { .sk = sk, .orig = orig, .family = family };
	struct nettoll_rule *rule;
	struct nettoll_sock *ns;
	struct nettoll_stay stay;
	int ret;

	if (nettoll_known_copies(sk, msg, len, family) ||
	    nettoll_sock_quiet_careful(sk, nettoll_flow_name(sk, msg)))
		return orig(sk, msg, len);
	nettoll_stay_begin(&stay);
	/* Before the rule is asked for. */
	try.gen = smp_load_acquire(&nettoll_rules_gen);
	ns = nettoll_known_get(sk, msg, family, &rule) ?:
	     nettoll_sock_decide(sk, msg, family, &rule);
	if (!ns) {
		if (READ_ONCE(nettoll_coalescers) && !comes_again(sk, msg, family))
			nettoll_coalesce_flush(sk, NETTOLL_LEFT_CALL);
		nettoll_stay_end(&stay);
		return orig(sk, msg, len);
	}
	try.ns = ns;
	try.rule = rule;
	if (READ_ONCE(nettoll_coalescers) && nettoll_coalesce_send(&try, msg, len)) {
		/* It is counted with its batch. */
		ret = len;
		goto put;
	}
	if (rule->act.zerocopy != NETTOLL_ZEROCOPY_OFF)
		ret = nettoll_zerocopy_send(ns, rule, sk, msg, len, family, orig);
	else
		ret = orig(sk, msg, len);
	if (try.began)
		nettoll_coalesce_sent(&try, ret);
	send_count(rule, ret);
put:
	nettoll_rule_put(rule);
	nettoll_sock_put(ns);
	nettoll_stay_end(&stay);
	return ret;
}

static int orig_udp(struct sock *sk, struct msghdr *msg, size_t len)
{
	return nettoll_orig(udp_sendmsg)(sk, msg, len);
}

static int orig_udpv6(struct sock *sk, struct msghdr *msg, size_t len)
{
	return nettoll_orig(udpv6_sendmsg)(sk, msg, len);
}

static int orig_tcp(struct sock *sk, struct msghdr *msg, size_t len)
{
	return nettoll_orig(tcp_sendmsg)(sk, msg, len);
}

static noinline int udp_ruled(struct sock *sk, struct msghdr *msg, size_t len)
{
	return send_ruled(sk, msg, len, AF_INET, orig_udp);
}

static noinline int udpv6_ruled(struct sock *sk, struct msghdr *msg, size_t len)
{
	return send_ruled(sk, msg, len, AF_INET6, orig_udpv6);
}

static noinline int tcp_ruled(struct sock *sk, struct msghdr *msg, size_t len)
{
	return send_ruled(sk, msg, len, nettoll_tcp_family(sk), orig_tcp);
}

/* A send that goes alone, by a rule whose reference ends with it. */
static noinline int send_alone(struct nettoll_rule *rule, struct sock *sk, struct msghdr *msg,
			       size_t len, nettoll_send_fn *orig)
{
	struct nettoll_stay stay;
	int ret;

	nettoll_stay_begin(&stay);
	ret = orig(sk, msg, len);
	send_count(rule, ret);
	nettoll_rule_put(rule);
	nettoll_stay_end(&stay);
	return ret;
}

/* A batch that waits asks nothing more of a datagram that goes with it. */
static noinline int udp_joined(struct sock *sk, struct msghdr *msg, size_t len)
{
	struct nettoll_rule *alone = NULL;
	int ret;

	if (READ_ONCE(nettoll_coalescers) &&
	    nettoll_coalesce_join(sk, msg, len, AF_INET, &ret, &alone))
		return ret;
	if (alone)
		return send_alone(alone, sk, msg, len, orig_udp);
	return udp_ruled(sk, msg, len);
}

static noinline int udpv6_joined(struct sock *sk, struct msghdr *msg, size_t len)
{
	struct nettoll_rule *alone = NULL;
	int ret;

	if (READ_ONCE(nettoll_coalescers) &&
	    nettoll_coalesce_join(sk, msg, len, AF_INET6, &ret, &alone))
		return ret;
	if (alone)
		return send_alone(alone, sk, msg, len, orig_udpv6);
	return udpv6_ruled(sk, msg, len);
}

/** nettoll_front_udp_sendmsg() - UDP over IPv4, also of IPv6 sockets */
int nettoll_front_udp_sendmsg(struct sock *sk, struct msghdr *msg, size_t len)
{
	if (likely(nettoll_sock_quiet(sk, msg->msg_name, AF_INET)) ||
	    sk->sk_protocol != IPPROTO_UDP)
		return nettoll_orig(udp_sendmsg)(sk, msg, len);
	return udp_joined(sk, msg, len);
}

/** nettoll_front_udpv6_sendmsg() - UDP over IPv6 */
int nettoll_front_udpv6_sendmsg(struct sock *sk, struct msghdr *msg, size_t len)
{
	if (likely(nettoll_sock_quiet(sk, msg->msg_name, AF_INET6)) ||
	    sk->sk_protocol != IPPROTO_UDP)
		return nettoll_orig(udpv6_sendmsg)(sk, msg, len);
	return udpv6_joined(sk, msg, len);
}

/** nettoll_front_tcp_sendmsg() - TCP over both */
int nettoll_front_tcp_sendmsg(struct sock *sk, struct msghdr *msg, size_t len)
{
	if (likely(nettoll_sock_quiet(sk, NULL, 0)))
		return nettoll_orig(tcp_sendmsg)(sk, msg, len);
	return tcp_ruled(sk, msg, len);
}
