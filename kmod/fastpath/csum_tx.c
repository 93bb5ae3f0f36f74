// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checksums of what is sent: the front of the function by which the stack
 * asks, for every packet, what the device can do for it.
 */
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/netdevice.h>
#include <linux/udp.h>
#include <net/xfrm.h>

#include "../compat/skb.h"
#include "csum.h"
#include "front.h"
#include "sock.h"

static bool rule_listed(const struct nettoll_rules *rules, const struct nettoll_rule *rule)
{
	unsigned int i;

	for (i = 0; rules && i < rules->n; i++)
		if (rules->rule[i] == rule)
			return true;
	return false;
}

/* The rule that the last send of a packet's socket was under, if it still is one. */
static struct nettoll_rule *rule_of_socket(const struct sock *sk)
{
	struct nettoll_sock *ns;
	struct nettoll_rule *rule;

	if (!sk || !sk_fullsock(sk))
		return NULL;
	ns = nettoll_sock_find_rcu(sk);
	if (!ns)
		return NULL;
	rule = READ_ONCE(ns->rule);
	/* Any change makes the decision old; it stands until the next send if the rule does. */
	if (READ_ONCE(ns->key.gen) != READ_ONCE(nettoll_rules_gen) &&
	    !rule_listed(nettoll_rules_rcu(sock_net(sk)), rule))
		return NULL;
	return rule;
}

/* Else the first that is for all of a device. */
static struct nettoll_rule *rule_of_device(const struct net_device *dev)
{
	const struct nettoll_rules *rules = nettoll_rules_rcu(dev_net(dev));
	struct nettoll_rule *rule;
	unsigned int i;

	for (i = 0; rules && i < rules->tx; i++) {
		rule = rules->rule[rules->n + rules->rx + i];
		if (!rule->match.device[0] || !strncmp(rule->match.device, dev->name, IFNAMSIZ))
			return rule;
	}
	return NULL;
}

static void count_packets(const struct nettoll_rule *rule, const struct sk_buff *skb)
{
	this_cpu_add(rule->count->csum_packets,
		     skb_is_gso(skb) ? skb_shinfo(skb)->gso_segs ?: 1 : 1);
}

/*
 * Whether somebody else depends on who makes the sum: a device that encrypts
 * the bytes, or one that sums otherwise.
 */
static bool is_others(struct sk_buff *skb)
{
	return nettoll_skb_plain(skb) || !nettoll_skb_readable(skb) || xfrm_offload(skb) ||
	       skb_csum_is_sctp(skb);
}

static netdev_features_t tx_software(const struct nettoll_rule *rule, struct sk_buff *skb,
				     netdev_features_t features)
{
	if (skb->ip_summed != CHECKSUM_PARTIAL)
		return features;
	if (is_others(skb)) {
		nettoll_rule_fallback(rule, NETTOLL_FALLBACK_OPTION);
		return features;
	}
	count_packets(rule, skb);
	/* A device that cannot sum cannot segment either. */
	return features & ~(NETIF_F_CSUM_MASK | NETIF_F_GSO_MASK);
}

/* What the device could sum if it were allowed to, and its driver does not object. */
static netdev_features_t tx_hardware(const struct nettoll_rule *rule, struct sk_buff *skb,
				     netdev_features_t features)
{
	struct net_device *dev = skb->dev;
	netdev_features_t more = dev->hw_features & ~dev->features & NETIF_F_CSUM_MASK;
	__be16 type;

	if (skb->encapsulation)
		more &= dev->hw_enc_features;
	if (skb_vlan_tagged(skb))
		more &= dev->vlan_features;
	if (more && dev->netdev_ops->ndo_features_check)
		more &= dev->netdev_ops->ndo_features_check(skb, dev, features | more);
	type = vlan_get_protocol(skb);
	if (skb->ip_summed == CHECKSUM_PARTIAL && !skb_csum_is_sctp(skb) &&
	    can_checksum_protocol(features | more, type)) {
		count_packets(rule, skb);
		return features | more;
	}
	/* What is only forwarded has its sum. */
	if (skb->ip_summed == CHECKSUM_PARTIAL || skb->sk)
		nettoll_rule_fallback(rule, NETTOLL_FALLBACK_NO_SG);
	return features;
}

/* The UDP header of a packet that carries one for all to see, as far as it can be read. */
static struct udphdr *udp_of(struct sk_buff *skb, const struct iphdr *iph)
{
	unsigned int at = skb_network_offset(skb) + iph->ihl * 4;

	if (iph->version != 4 || iph->ihl < 5 || iph->protocol != IPPROTO_UDP ||
	    ntohs(iph->frag_off) & IP_OFFSET || at + sizeof(struct udphdr) > skb_headlen(skb))
		return NULL;
	return (struct udphdr *)(skb->data + at);
}

/* Whether a rule for a socket is for this packet of it, as it is about to leave. */
static bool is_for(const struct nettoll_rule *rule, const struct sk_buff *skb,
		   const struct iphdr *iph, const struct udphdr *uh)
{
	struct nettoll_flow flow = {
		.protocol = IPPROTO_UDP,
		.family = AF_INET,
		.lport = ntohs(uh->source),
		.rport = ntohs(uh->dest),
		.device = skb->dev->name,
	};

	flow.laddr.s6_addr32[0] = iph->saddr;
	flow.raddr.s6_addr32[0] = iph->daddr;
	/* The header of a tunnel around it has another port. */
	return uh->source == inet_sk(skb->sk)->inet_sport &&
	       nettoll_match_peer(&rule->match, &flow);
}

/* No checksum, which UDP over IPv4 says with 0. */
static void tx_none(const struct nettoll_rule *rule, struct sk_buff *skb)
{
	int at = skb_network_offset(skb);
	struct udphdr *uh;
	struct iphdr *iph;

	/* A rule says so of UDP sockets over IPv4 only; later fragments have no checksum. */
	if (skb->protocol != htons(ETH_P_IP) || at < 0 ||
	    at + sizeof(*iph) > skb_headlen(skb))
		return;
	iph = ip_hdr(skb);
	if (ntohs(iph->frag_off) & IP_OFFSET)
		return;
	uh = udp_of(skb, iph);
	/* The sum still to be made may be that of a packet within. */
	if (!uh || skb->encapsulation || is_others(skb) ||
	    (skb->ip_summed == CHECKSUM_PARTIAL &&
	     (u8 *)uh != skb->data + skb_checksum_start_offset(skb))) {
		nettoll_rule_fallback(rule, NETTOLL_FALLBACK_OPTION);
		return;
	}
	if (!is_for(rule, skb, iph, uh)) {
		nettoll_rule_fallback(rule, NETTOLL_FALLBACK_DESTINATION);
		return;
	}
	/* Segments are summed one by one, after us. */
	if (skb_is_gso(skb)) {
		nettoll_rule_fallback(rule, NETTOLL_FALLBACK_OWN);
		return;
	}
	/* A stacked device has asked before. */
	if (skb->ip_summed != CHECKSUM_PARTIAL && !uh->check)
		return;
	if (skb_ensure_writable(skb, (u8 *)(uh + 1) - skb->data)) {
		nettoll_rule_fallback(rule, NETTOLL_FALLBACK_NO_MEMORY);
		return;
	}
	udp_of(skb, ip_hdr(skb))->check = 0;
	skb->ip_summed = CHECKSUM_NONE;
	count_packets(rule, skb);
}

static noinline netdev_features_t tx_ruled(struct sk_buff *skb, netdev_features_t features)
{
	struct nettoll_rule *rule = rule_of_socket(skb->sk) ?: rule_of_device(skb->dev);

	switch (rule ? rule->act.csum_tx : NETTOLL_CSUM_TX_AUTO) {
	case NETTOLL_CSUM_TX_SW:
		return tx_software(rule, skb, features);
	case NETTOLL_CSUM_TX_HW:
		return tx_hardware(rule, skb, features);
	case NETTOLL_CSUM_TX_NONE:
		tx_none(rule, skb);
		break;
	}
	return features;
}

/** nettoll_front_netif_skb_features() - what a device can do for a packet */
netdev_features_t nettoll_front_netif_skb_features(struct sk_buff *skb)
{
	netdev_features_t features = nettoll_orig(netif_skb_features)(skb);

	rcu_read_lock();
	features = tx_ruled(skb, features);
	rcu_read_unlock();
	return features;
}
