// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets and bytes that pass the devices: probes of the tracepoints where a
 * packet is handed to a driver or comes from one. A device on top of another
 * (VLAN, bond, bridge) does not count, so that each packet counts once.
 */
#include <linux/if_ether.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <linux/udp.h>

#include "packets.h"
#include "span.h"

u64 nettoll_own_tx, nettoll_own_rx;

/* The probe lands in the span around it, whose time it is not. Preemption is disabled here. */
static __always_inline void ours(u64 price)
{
	struct nettoll_span *cur = __this_cpu_read(nettoll_cpu.cur);

	if (cur)
		nettoll_add(&cur->own, price);
}

static bool on_top(const struct net_device *dev)
{
	return !list_empty(&dev->adj_list.lower);
}

/** nettoll_packets_tx() - probe of net/net_dev_start_xmit */
void nettoll_packets_tx(void *data, const struct sk_buff *skb, const struct net_device *dev)
{
	unsigned int segs = 1, len = skb->len, header;

	if (on_top(dev))
		return;
	if (skb_is_gso(skb) && skb_transport_header_was_set(skb)) {
		/* Each segment but the first repeats the headers. */
		segs = max_t(unsigned int, skb_shinfo(skb)->gso_segs, 1);
		header = skb_transport_offset(skb);
		if (skb_shinfo(skb)->gso_type & (SKB_GSO_TCPV4 | SKB_GSO_TCPV6))
			header += tcp_hdrlen(skb);
		else
			header += sizeof(struct udphdr);
		len += (segs - 1) * header;
	}
	this_cpu_add(nettoll_cpu.tx_packets, segs);
	this_cpu_add(nettoll_cpu.tx_bytes, len);
	ours(nettoll_own_tx);
}

/** nettoll_packets_rx() - probe of the entry points that drivers hand packets to */
void nettoll_packets_rx(void *data, const struct sk_buff *skb)
{
	unsigned int segs = 1, len = skb->len;

	if (on_top(skb->dev))
		return;
	if (skb_mac_header_was_set(skb))
		len += skb->data - skb_mac_header(skb);
	if (skb_is_gso(skb))
		segs = max_t(unsigned int, skb_shinfo(skb)->gso_segs, 1);
	this_cpu_add(nettoll_cpu.rx_packets, segs);
	this_cpu_add(nettoll_cpu.rx_bytes, len);
	ours(nettoll_own_rx);
}
