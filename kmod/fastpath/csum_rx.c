// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checksums of what is received: the fronts of the functions by which drivers
 * hand packets up, before GRO merges any and before the stack believes them.
 */
#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/timekeeping.h>
#include <net/checksum.h>
#include <net/ip6_checksum.h>

#include "../compat/skb.h"
#include "csum.h"
#include "front.h"
#include "trace.h"

/* The rest of a checksum whose field is filled; 0 where it is right. */
static __sum16 transport_sum(const struct nettoll_csum_packet *pkt, __wsum csum)
{
	struct in6_addr saddr, daddr;

	memcpy(&saddr, pkt->saddr, sizeof(saddr));
	memcpy(&daddr, pkt->daddr, sizeof(daddr));
	if (pkt->family == AF_INET6)
		return csum_ipv6_magic(&saddr, &daddr, pkt->len, pkt->protocol, csum);
	return csum_tcpudp_magic(saddr.s6_addr32[0], daddr.s6_addr32[0], pkt->len,
				 pkt->protocol, csum);
}

/* What the field should hold. */
static u16 right_sum(const struct nettoll_csum_packet *pkt, __wsum csum)
{
	__wsum field = csum_unfold((__force __sum16)htons(pkt->check));
	__sum16 sum = transport_sum(pkt, csum_sub(csum, field));

	if (pkt->protocol == IPPROTO_UDP && !sum)
		sum = CSUM_MANGLED_0;
	return ntohs((__force __be16)sum);
}

/* Of the two zeros of these sums, one. */
static u16 one_zero(__sum16 sum)
{
	u16 value = ntohs((__force __be16)sum);

	return value == 0xffff ? 0 : value;
}

static noinline void disagree(struct nettoll_rule *rule, const struct sk_buff *skb,
			      unsigned int link, const struct nettoll_csum_packet *pkt,
			      struct nettoll_csum_fault *fault)
{
	fault->time_ns = ktime_get_real_ns();
	fault->rule = rule->id;
	fault->kept = min_t(unsigned int, skb->len - link, NETTOLL_CSUM_KEPT);
	skb_copy_bits(skb, link, fault->head, fault->kept);
	this_cpu_inc(rule->count->disagreed);
	nettoll_csum_count(skb->dev, NETTOLL_CSUM_DISAGREED);
	nettoll_csum_note(skb->dev, fault);
	trace_csum_mismatch(skb->dev, pkt, fault);
}

/* Verify a packet that the device vouched for, as it lies there. */
static noinline void audit(struct nettoll_rule *rule, const struct sk_buff *skb,
			   unsigned int link, const struct nettoll_csum_packet *pkt)
{
	struct nettoll_csum_fault fault = { .complete = skb->ip_summed == CHECKSUM_COMPLETE };
	__wsum csum;

	/* A sum of 0 says that there is none, which the device need not say. */
	if (pkt->routed || !nettoll_skb_readable(skb) ||
	    (pkt->protocol == IPPROTO_UDP && !pkt->check)) {
		nettoll_csum_count(skb->dev, NETTOLL_CSUM_PASSED);
		return;
	}
	this_cpu_inc(rule->count->audited);
	nettoll_csum_count(skb->dev, NETTOLL_CSUM_AUDITED);
	if (fault.complete) {
		csum = skb_checksum(skb, link, skb->len - link, 0);
		fault.found = one_zero(csum_fold(skb->csum));
		fault.computed = one_zero(csum_fold(csum));
		if (fault.found != fault.computed)
			disagree(rule, skb, link, pkt, &fault);
		return;
	}
	csum = skb_checksum(skb, link + pkt->at, pkt->len, 0);
	if (!transport_sum(pkt, csum))
		return;
	fault.found = pkt->check;
	fault.computed = right_sum(pkt, csum);
	disagree(rule, skb, link, pkt, &fault);
}

static bool vouched(const struct sk_buff *skb)
{
	return skb->ip_summed == CHECKSUM_UNNECESSARY || skb->ip_summed == CHECKSUM_COMPLETE;
}

static void rx_treat(struct nettoll_rule *rule, struct sk_buff *skb, unsigned int link,
		     const struct nettoll_csum_packet *pkt)
{
	switch (rule->act.csum_rx) {
	case NETTOLL_CSUM_RX_SW:
		skb->ip_summed = CHECKSUM_NONE;
		skb->csum_valid = 0;
		skb->csum_level = 0;
		break;
	case NETTOLL_CSUM_RX_TRUST:
		if (skb->ip_summed == CHECKSUM_NONE &&
		    (pkt->protocol == IPPROTO_TCP || pkt->check)) {
			skb->ip_summed = CHECKSUM_UNNECESSARY;
			skb->csum_level = 0;
		}
		break;
	case NETTOLL_CSUM_RX_AUDIT:
		if (!vouched(skb))
			return;
		if (!((u32)this_cpu_inc_return(rule->count->vouched) %
		      (rule->act.audit_rate ?: 1)))
			audit(rule, skb, link, pkt);
		break;
	default:
		return;
	}
	this_cpu_inc(rule->count->csum_packets);
}

static void flow_of(struct nettoll_flow *flow, const struct nettoll_csum_packet *pkt,
		    const struct net_device *dev)
{
	memset(flow, 0, sizeof(*flow));
	flow->protocol = pkt->protocol;
	flow->family = pkt->family;
	flow->lport = pkt->dport;
	flow->rport = pkt->sport;
	memcpy(&flow->laddr, pkt->daddr, sizeof(flow->laddr));
	memcpy(&flow->raddr, pkt->saddr, sizeof(flow->raddr));
	flow->device = dev->name;
}

/* A packet in a namespace that has rules for some; @link bytes of link header are before it. */
static noinline void rx_ruled(const struct nettoll_rules *rules, struct sk_buff *skb,
			      unsigned int link, u16 ethertype)
{
	unsigned int have, i, size = skb->len - link;
	struct nettoll_csum_packet pkt;
	u8 buf[NETTOLL_CSUM_HEAD];
	enum nettoll_csum_kind kind;
	struct nettoll_flow flow;
	const u8 *head;

	/* Sent on this very machine, and never summed. */
	if (skb->ip_summed == CHECKSUM_PARTIAL)
		return;
	have = nettoll_skb_readable(skb) ? size : skb_headlen(skb) - link;
	have = min_t(unsigned int, have, sizeof(buf));
	head = skb_header_pointer(skb, link, have, buf);
	if (!head)
		return;
	kind = nettoll_csum_parse(&pkt, head, have, size, ethertype);
	if (kind == NETTOLL_CSUM_NOT_IP)
		return;
	/* Of what the device has merged there is no sum to verify. */
	if (kind == NETTOLL_CSUM_UNTREATED || skb_is_gso(skb)) {
		nettoll_csum_count(skb->dev, NETTOLL_CSUM_PASSED);
		return;
	}
	flow_of(&flow, &pkt, skb->dev);
	for (i = 0; i < rules->rx; i++) {
		struct nettoll_rule *rule = rules->rule[rules->n + i];

		if (nettoll_match_flow(&rule->match, &flow)) {
			rx_treat(rule, skb, link, &pkt);
			break;
		}
	}
}

static __always_inline void rx_packet(struct sk_buff *skb)
{
	const struct nettoll_rules *rules;

	rcu_read_lock();
	rules = nettoll_rules_rcu(dev_net(skb->dev));
	if (rules && rules->rx)
		rx_ruled(rules, skb, 0, ntohs(skb->protocol));
	rcu_read_unlock();
}

/* The link header has not been taken off, nor looked at. */
static __always_inline void rx_frame(struct sk_buff *skb)
{
	const struct nettoll_rules *rules;
	const struct ethhdr *eth;
	struct ethhdr buf;

	rcu_read_lock();
	rules = nettoll_rules_rcu(dev_net(skb->dev));
	if (rules && rules->rx) {
		eth = skb_header_pointer(skb, 0, sizeof(buf), &buf);
		if (eth)
			rx_ruled(rules, skb, sizeof(buf), ntohs(eth->h_proto));
	}
	rcu_read_unlock();
}

/** nettoll_front_napi_gro_receive() - one packet of a driver with NAPI */
gro_result_t nettoll_front_napi_gro_receive(struct napi_struct *napi, struct sk_buff *skb)
{
	rx_packet(skb);
	return nettoll_orig(napi_gro_receive)(napi, skb);
}

/** nettoll_front_napi_gro_frags() - one frame of a driver that fills a packet of NAPI's */
gro_result_t nettoll_front_napi_gro_frags(struct napi_struct *napi)
{
	if (likely(napi->skb))
		rx_frame(napi->skb);
	return nettoll_orig(napi_gro_frags)(napi);
}

/** nettoll_front_netif_receive_skb() - one packet that is not for GRO */
int nettoll_front_netif_receive_skb(struct sk_buff *skb)
{
	rx_packet(skb);
	return nettoll_orig(netif_receive_skb)(skb);
}

/** nettoll_front_netif_receive_skb_list() - several of them */
void nettoll_front_netif_receive_skb_list(struct list_head *head)
{
	struct sk_buff *skb;

	list_for_each_entry(skb, head, list)
		rx_packet(skb);
	nettoll_orig(netif_receive_skb_list)(head);
}

/** nettoll_front_netif_rx() - one packet of a driver without NAPI */
int nettoll_front_netif_rx(struct sk_buff *skb)
{
	rx_packet(skb);
	return nettoll_orig(netif_rx)(skb);
}

/** nettoll_front___netif_rx() - the same, from a softirq */
int nettoll_front___netif_rx(struct sk_buff *skb)
{
	rx_packet(skb);
	return nettoll_orig(__netif_rx)(skb);
}
