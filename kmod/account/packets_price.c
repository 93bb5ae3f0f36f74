// SPDX-License-Identifier: GPL-2.0-only
/*
 * What counting a packet costs: the probes of the devices' tracepoints, on a
 * packet that is none. The cheapest of several batches counts.
 */
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/netdevice.h>
#include <linux/preempt.h>
#include <linux/skbuff.h>
#include <linux/slab.h>

#include "packets.h"
#include "span.h"

#define BATCHES	8
#define CALLS	128

/* Stands for the list of a tracepoint's probes. */
static const void *probe_data;

/*
 * What a tracepoint with one probe does; those of the devices cannot be called
 * from a module, and must not for a packet that is none.
 */
#define as_tracepoint(probe, ...)				\
	do {							\
		if (!cpu_online(raw_smp_processor_id()))	\
			break;					\
		preempt_disable_notrace();			\
		if (READ_ONCE(probe_data))			\
			probe(NULL, __VA_ARGS__);		\
		preempt_enable_notrace();			\
	} while (0)

enum what { NOTHING, TX, RX };

static __always_inline u64 cheapest_batch(enum what what, const struct sk_buff *skb,
					  const struct net_device *dev)
{
	struct nettoll_span around = { };
	struct nettoll_cpu saved;
	u64 best = U64_MAX, t;
	unsigned long flags;
	int batch, i;

	for (batch = 0; batch < BATCHES; batch++) {
		local_irq_save(flags);
		saved = *this_cpu_ptr(&nettoll_cpu);
		__this_cpu_write(nettoll_cpu.cur, &around);
		t = get_cycles();
		for (i = 0; i < CALLS; i++) {
			if (what == TX)
				as_tracepoint(nettoll_packets_tx, skb, dev);
			else if (what == RX)
				as_tracepoint(nettoll_packets_rx, skb);
			barrier();
		}
		t = get_cycles() - t;
		*this_cpu_ptr(&nettoll_cpu) = saved;
		local_irq_restore(flags);
		best = min(best, t);
	}
	return best;
}

/* What one call costs; a batch that was disturbed may seem cheaper than nothing at all. */
static u64 one_of(u64 batch, u64 bare)
{
	return batch > bare ? div_u64(batch - bare + CALLS / 2, CALLS) : 0;
}

/**
 * nettoll_packets_price() - price the counting of a packet
 *
 * Nothing may be attached. Without memory for it, it is taken to be free.
 */
void nettoll_packets_price(void)
{
	struct net_device *dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	struct sk_buff *skb = alloc_skb(ETH_ZLEN, GFP_KERNEL);
	u64 bare;

	if (!dev || !skb)
		goto out;
	INIT_LIST_HEAD(&dev->adj_list.lower);
	skb->dev = dev;
	skb_reset_mac_header(skb);
	probe_data = dev;
	bare = cheapest_batch(NOTHING, skb, dev);
	nettoll_own_tx = one_of(cheapest_batch(TX, skb, dev), bare);
	nettoll_own_rx = one_of(cheapest_batch(RX, skb, dev), bare);
	skb->dev = NULL;
out:
	dev_kfree_skb(skb);
	kfree(dev);
}
