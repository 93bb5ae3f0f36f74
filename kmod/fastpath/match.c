// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holding flows against what rules match. Split in two: what stands still
 * while a socket is as it is, and what depends on whom it sends to.
 */
#include <linux/socket.h>
#include <linux/string.h>

#include "match.h"

/**
 * nettoll_prefix_trim() - clear the bits behind a prefix
 * @prefix: with @len not above the bits of its family
 */
void nettoll_prefix_trim(struct nettoll_prefix *prefix)
{
	unsigned int bits, i;

	for (i = 0; i < 16; i++) {
		bits = prefix->len > i * 8 ? prefix->len - i * 8 : 0;
		if (bits < 8)
			prefix->addr.s6_addr[i] &= 0xff00 >> bits;
	}
}

static bool prefix_holds(const struct nettoll_prefix *prefix, u16 family,
			 const struct in6_addr *addr)
{
	unsigned int bytes = prefix->len / 8, bits = prefix->len % 8;

	if (!prefix->family)
		return true;
	if (prefix->family != family)
		return false;
	if (memcmp(prefix->addr.s6_addr, addr->s6_addr, bytes))
		return false;
	return !bits || !((prefix->addr.s6_addr[bytes] ^ addr->s6_addr[bytes]) >> (8 - bits));
}

static bool ports_hold(const struct nettoll_ports *ports, u16 port)
{
	return !ports->max || (port >= ports->min && port <= ports->max);
}

/**
 * nettoll_match_socket() - whether a rule matches what stands still of a flow
 * @m: what the rule matches
 * @flow: the flow; its peer, family, local address and device are not looked at
 */
bool nettoll_match_socket(const struct nettoll_match *m, const struct nettoll_flow *flow)
{
	if (m->protocol && m->protocol != flow->protocol)
		return false;
	if (!ports_hold(&m->lport, flow->lport))
		return false;
	if (m->has_uid && (!flow->sk || flow->uid < m->uid_min || flow->uid > m->uid_max))
		return false;
	return !m->cgroup || (flow->in_cgroup && flow->in_cgroup(flow->sk, m->cgroup));
}

/**
 * nettoll_match_peer() - whether a rule matches the rest of a flow
 * @m: what the rule matches
 * @flow: the flow
 */
bool nettoll_match_peer(const struct nettoll_match *m, const struct nettoll_flow *flow)
{
	if (m->family && m->family != flow->family)
		return false;
	if (!prefix_holds(&m->local, flow->family, &flow->laddr) ||
	    !prefix_holds(&m->remote, flow->family, &flow->raddr) ||
	    !ports_hold(&m->rport, flow->rport))
		return false;
	return !m->device[0] || (flow->device && !strncmp(m->device, flow->device, IFNAMSIZ));
}

/**
 * nettoll_match_names_peer() - whether nettoll_match_peer() can say no
 * @m: what the rule matches
 */
bool nettoll_match_names_peer(const struct nettoll_match *m)
{
	return m->family || m->local.family || m->remote.family || m->rport.max || m->device[0];
}

/**
 * nettoll_match_is_device() - whether nothing but a device, or nothing, is matched
 * @m: what the rule matches
 */
bool nettoll_match_is_device(const struct nettoll_match *m)
{
	return !m->protocol && !m->family && !m->local.family && !m->remote.family &&
	       !m->lport.max && !m->rport.max && !m->cgroup && !m->has_uid;
}
