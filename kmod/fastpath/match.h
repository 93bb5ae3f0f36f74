/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a rule matches, and the flows that are held against it.
 */
#ifndef NETTOLL_FASTPATH_MATCH_H
#define NETTOLL_FASTPATH_MATCH_H

#include <linux/if.h>
#include <linux/in6.h>
#include <linux/types.h>

/**
 * struct nettoll_prefix - addresses that begin alike
 * @addr: IPv4 in the first word; bits behind the prefix are 0
 * @family: AF_INET, AF_INET6, or 0 for any address
 * @len: bits that count
 */
struct nettoll_prefix {
	struct in6_addr addr;
	u16 family;
	u8 len;
};

/**
 * struct nettoll_ports - a range of ports in host order; all if @max is 0
 * @min: the first
 * @max: the last
 */
struct nettoll_ports {
	u16 min;
	u16 max;
};

/**
 * struct nettoll_match - what a rule matches; 0 or empty matches anything
 * @protocol: IPPROTO_UDP or IPPROTO_TCP
 * @family: AF_INET or AF_INET6, of the packets
 * @local: address of this host
 * @remote: address of the peer
 * @lport: port of this host
 * @rport: port of the peer
 * @device: name of the device
 * @cgroup: inode number of a cgroup
 * @uid_min: first owner
 * @uid_max: last owner
 * @has_uid: whether the owner counts
 */
struct nettoll_match {
	u8 protocol;
	u16 family;
	struct nettoll_prefix local;
	struct nettoll_prefix remote;
	struct nettoll_ports lport;
	struct nettoll_ports rport;
	char device[IFNAMSIZ];
	u64 cgroup;
	u32 uid_min;
	u32 uid_max;
	bool has_uid;
};

/**
 * struct nettoll_flow - a socket and its peer, or a packet
 * @protocol: IPPROTO_UDP or IPPROTO_TCP
 * @family: AF_INET or AF_INET6, of the packets
 * @lport: port of this host, host order
 * @rport: port of the peer, host order
 * @laddr: address of this host, IPv4 in the first word; any if not yet chosen
 * @raddr: address of the peer
 * @device: name of the device, NULL if unknown
 * @uid: owner of the socket, in the initial user namespace
 * @in_cgroup: whether the socket is in a cgroup or below it; NULL for packets
 * @sk: what @in_cgroup is asked of
 */
struct nettoll_flow {
	u8 protocol;
	u16 family;
	u16 lport;
	u16 rport;
	struct in6_addr laddr;
	struct in6_addr raddr;
	const char *device;
	u32 uid;
	bool (*in_cgroup)(const void *sk, u64 id);
	const void *sk;
};

void nettoll_prefix_trim(struct nettoll_prefix *prefix);
bool nettoll_match_socket(const struct nettoll_match *m, const struct nettoll_flow *flow);
bool nettoll_match_peer(const struct nettoll_match *m, const struct nettoll_flow *flow);
bool nettoll_match_names_peer(const struct nettoll_match *m);
bool nettoll_match_is_device(const struct nettoll_match *m);

/** nettoll_match_flow() - whether a rule matches all of a flow */
static inline bool nettoll_match_flow(const struct nettoll_match *m,
				      const struct nettoll_flow *flow)
{
	return nettoll_match_socket(m, flow) && nettoll_match_peer(m, flow);
}

#endif /* NETTOLL_FASTPATH_MATCH_H */
