/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trace events of the fast paths, below events/nettoll in tracefs.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM nettoll

#if !defined(NETTOLL_FASTPATH_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define NETTOLL_FASTPATH_TRACE_H

#include <linux/if.h>
#include <linux/netdevice.h>
#include <linux/tracepoint.h>

#include "csum.h"

#ifndef NETTOLL_TRACE_ADDR
#define NETTOLL_TRACE_ADDR
/* IPv4 addresses are shown as IPv6 shows them, ::ffff:1.2.3.4. */
static inline void nettoll_trace_addr(u8 *to, const u8 *addr, u16 family)
{
	if (family == AF_INET6) {
		memcpy(to, addr, 16);
		return;
	}
	memset(to, 0, 10);
	memset(to + 10, 0xff, 2);
	memcpy(to + 12, addr, 4);
}
#endif

/*
 * A device vouched for a checksum, and audit found it wrong.
 *
 * found, computed: what the packet says and what it should; or, where complete
 * is 1, what the device and what the CPU sums the whole packet to.
 */
TRACE_EVENT(csum_mismatch,
	TP_PROTO(const struct net_device *dev, const struct nettoll_csum_packet *pkt,
		 const struct nettoll_csum_fault *fault),
	TP_ARGS(dev, pkt, fault),
	TP_STRUCT__entry(
		__array(char, device, IFNAMSIZ)
		__field(int, ifindex)
		__field(u32, rule)
		__field(u8, protocol)
		__field(u8, complete)
		__field(u16, sport)
		__field(u16, dport)
		__field(u16, found)
		__field(u16, computed)
		__field(u32, length)
		__array(u8, saddr, 16)
		__array(u8, daddr, 16)
		__field(u16, kept)
		__array(u8, head, NETTOLL_CSUM_KEPT)
	),
	TP_fast_assign(
		memcpy(__entry->device, dev->name, IFNAMSIZ);
		__entry->ifindex = dev->ifindex;
		__entry->rule = fault->rule;
		__entry->protocol = pkt->protocol;
		__entry->complete = fault->complete;
		__entry->sport = pkt->sport;
		__entry->dport = pkt->dport;
		__entry->found = fault->found;
		__entry->computed = fault->computed;
		__entry->length = pkt->len;
		nettoll_trace_addr(__entry->saddr, pkt->saddr, pkt->family);
		nettoll_trace_addr(__entry->daddr, pkt->daddr, pkt->family);
		__entry->kept = fault->kept;
		memcpy(__entry->head, fault->head, NETTOLL_CSUM_KEPT);
	),
	TP_printk("dev=%s ifindex=%d rule=%u protocol=%u saddr=%pI6c sport=%u daddr=%pI6c dport=%u length=%u complete=%u found=0x%04x computed=0x%04x head=%s",
		  __entry->device, __entry->ifindex, __entry->rule, __entry->protocol,
		  __entry->saddr, __entry->sport, __entry->daddr, __entry->dport,
		  __entry->length, __entry->complete, __entry->found, __entry->computed,
		  __print_hex_str(__entry->head, __entry->kept))
);

#endif /* NETTOLL_FASTPATH_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH fastpath
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
