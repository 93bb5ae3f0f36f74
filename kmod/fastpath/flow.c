// SPDX-License-Identifier: GPL-2.0-only
/*
 * The flow that a send of a socket belongs to: addresses and ports of both
 * ends, and what of the socket rules can match.
 */
#include <linux/cgroup.h>
#include <linux/inet.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>
#include <net/route.h>

#include "flow.h"

static bool sock_in_cgroup(const void *sk, u64 id)
{
#ifdef CONFIG_SOCK_CGROUP_DATA
	struct cgroup *cgrp = sock_cgroup_ptr(&((struct sock *)sk)->sk_cgrp_data);

	for (; cgrp; cgrp = cgroup_parent(cgrp))
		if (cgroup_id(cgrp) == id)
			return true;
#endif
	return false;
}

static bool peer_of_ipv4(struct nettoll_flow *flow, const struct sock *sk,
			 const struct msghdr *msg)
{
	const struct sockaddr_in *sin = nettoll_flow_name(sk, msg);

	flow->laddr.s6_addr32[0] = inet_sk(sk)->inet_saddr;
	if (!sin) {
		flow->raddr.s6_addr32[0] = inet_sk(sk)->inet_daddr;
		flow->rport = ntohs(inet_sk(sk)->inet_dport);
		return true;
	}
	/* What is wrong with it is for the protocol to say. */
	if (msg->msg_namelen < sizeof(*sin))
		return false;
	flow->raddr.s6_addr32[0] = sin->sin_addr.s_addr;
	flow->rport = ntohs(sin->sin_port);
	return true;
}

#if IS_ENABLED(CONFIG_IPV6)
static bool peer_of_ipv6(struct nettoll_flow *flow, const struct sock *sk,
			 const struct msghdr *msg)
{
	const struct sockaddr_in6 *sin6 = nettoll_flow_name(sk, msg);

	flow->laddr = inet6_sk(sk)->saddr;
	flow->raddr = sk->sk_v6_daddr;
	flow->rport = ntohs(inet_sk(sk)->inet_dport);
	if (sin6) {
		if (msg->msg_namelen < SIN6_LEN_RFC2133 || sin6->sin6_family != AF_INET6)
			return false;
		flow->raddr = sin6->sin6_addr;
		flow->rport = ntohs(sin6->sin6_port);
	}
	/* Sent as IPv4, by a call that comes past us. */
	return !ipv6_addr_v4mapped(&flow->raddr);
}
#else
static bool peer_of_ipv6(struct nettoll_flow *flow, const struct sock *sk,
			 const struct msghdr *msg)
{
	return false;
}
#endif

/**
 * nettoll_flow_of_send() - the flow that a send belongs to
 * @flow: where to put it; its device is left unknown
 * @sk: the socket
 * @msg: what is sent, and to whom
 * @family: of the packets
 *
 * Return: false if there is none that a rule could match.
 */
bool nettoll_flow_of_send(struct nettoll_flow *flow, struct sock *sk, const struct msghdr *msg,
			  u16 family)
{
	memset(flow, 0, sizeof(*flow));
	flow->protocol = sk->sk_protocol;
	flow->family = family;
	flow->lport = inet_sk(sk)->inet_num;
	flow->uid = __kuid_val(sk->sk_uid);
	flow->in_cgroup = sock_in_cgroup;
	flow->sk = sk;
	if (family == AF_INET)
		return peer_of_ipv4(flow, sk, msg);
	return peer_of_ipv6(flow, sk, msg);
}

/**
 * nettoll_flow_key() - all that a decision depends on
 * @key: where to put it; its padding is cleared, for comparing
 * @flow: the flow
 * @sk: the socket
 * @cookie: of the socket
 */
void nettoll_flow_key(struct nettoll_sock_key *key, const struct nettoll_flow *flow,
		      const struct sock *sk, u64 cookie)
{
	const struct net *net = sock_net(sk);

	memset(key, 0, sizeof(*key));
	key->cookie = cookie;
	/* Before anything that the rules are asked of. */
	key->gen = smp_load_acquire(&nettoll_rules_gen);
	key->route = flow->family == AF_INET ? rt_genid_ipv4(net) : rt_genid_ipv6(net);
	key->local = flow->laddr;
	key->remote = flow->raddr;
	key->rport = htons(flow->rport);
	key->family = flow->family;
	key->portpair = sk->sk_portpair;
	key->uid = flow->uid;
	key->bound_dev_if = sk->sk_bound_dev_if;
}

static struct dst_entry *route_ipv4(struct nettoll_flow *flow, struct sock *sk)
{
	struct flowi4 fl4;
	struct rtable *rt;

	flowi4_init_output(&fl4, sk->sk_bound_dev_if, READ_ONCE(sk->sk_mark),
			   inet_sk(sk)->tos & INET_DSCP_MASK, RT_SCOPE_UNIVERSE, sk->sk_protocol,
			   inet_sk_flowi_flags(sk), flow->raddr.s6_addr32[0],
			   flow->laddr.s6_addr32[0], htons(flow->rport), htons(flow->lport),
			   sk->sk_uid);
	rt = ip_route_output_flow(sock_net(sk), &fl4, sk);
	if (IS_ERR(rt))
		return ERR_CAST(rt);
	flow->laddr.s6_addr32[0] = fl4.saddr;
	return &rt->dst;
}

#if IS_ENABLED(CONFIG_IPV6)
static struct dst_entry *route_ipv6(struct nettoll_flow *flow, struct sock *sk,
				    const struct msghdr *msg)
{
	const struct sockaddr_in6 *sin6 = nettoll_flow_name(sk, msg);
	struct flowi6 fl6 = {
		.flowi6_oif = sk->sk_bound_dev_if,
		.flowi6_mark = READ_ONCE(sk->sk_mark),
		.flowi6_proto = sk->sk_protocol,
		.flowi6_uid = sk->sk_uid,
		.daddr = flow->raddr,
		.saddr = flow->laddr,
		.fl6_dport = htons(flow->rport),
		.fl6_sport = htons(flow->lport),
	};
	struct dst_entry *dst;

	if (!fl6.flowi6_oif && sin6 && msg->msg_namelen >= sizeof(*sin6) &&
	    __ipv6_addr_needs_scope_id(ipv6_addr_type(&flow->raddr)))
		fl6.flowi6_oif = sin6->sin6_scope_id;
	dst = ip6_dst_lookup_flow(sock_net(sk), sk, &fl6, NULL);
	if (!IS_ERR(dst))
		flow->laddr = fl6.saddr;
	return dst;
}
#else
static struct dst_entry *route_ipv6(struct nettoll_flow *flow, struct sock *sk,
				    const struct msghdr *msg)
{
	return ERR_PTR(-EAFNOSUPPORT);
}
#endif

/**
 * nettoll_flow_route() - the device that a flow leaves by, and its local address
 * @flow: the flow; both stay unknown where there is no route
 * @sk: the socket
 * @msg: what is sent, and to whom
 * @device: room for the name
 *
 * May sleep.
 */
void nettoll_flow_route(struct nettoll_flow *flow, struct sock *sk, const struct msghdr *msg,
			char device[IFNAMSIZ])
{
	struct dst_entry *dst = nettoll_flow_name(sk, msg) ? NULL : sk_dst_get(sk);

	if (!dst)
		dst = flow->family == AF_INET ? route_ipv4(flow, sk) : route_ipv6(flow, sk, msg);
	if (IS_ERR(dst))
		return;
	rcu_read_lock();
	strscpy(device, dst->dev->name, IFNAMSIZ);
	rcu_read_unlock();
	flow->device = device;
	dst_release(dst);
}
