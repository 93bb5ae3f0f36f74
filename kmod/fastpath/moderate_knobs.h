/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The values of a device that the receive coalescing controller turns: the
 * driver's interrupt moderation and NAPI deferral.
 */
#ifndef NETTOLL_FASTPATH_MODERATE_KNOBS_H
#define NETTOLL_FASTPATH_MODERATE_KNOBS_H

#include <linux/ethtool.h>

struct net_device;

/**
 * struct nettoll_moderate_irq - what of a driver's moderation is turned
 * @usecs: rx-usecs
 * @frames: rx-frames
 * @adaptive: adaptive-rx
 */
struct nettoll_moderate_irq {
	u32 usecs, frames;
	bool adaptive;
};

/**
 * struct nettoll_moderate_defer - NAPI deferral
 * @flush_ns: gro_flush_timeout
 * @hard_irqs: napi_defer_hard_irqs
 */
struct nettoll_moderate_defer {
	unsigned long flush_ns;
	u32 hard_irqs;
};

/**
 * struct nettoll_moderate_knobs - the values of one device, under RTNL
 * @irq_old: as they were found
 * @irq: as they were set last, in the driver's own rounding
 * @irq_turned: the driver has such values, and they are ours to turn
 * @irq_foreign: another has set them meanwhile; they are left alone
 * @irq_error: why the driver refused, if it did, and they are left alone
 * @defer_old: as they were found
 * @defer: as they were set last
 * @defer_foreign: another has set them meanwhile; they are left alone
 */
struct nettoll_moderate_knobs {
	struct nettoll_moderate_irq irq_old, irq;
	bool irq_turned, irq_foreign;
	int irq_error;
	struct nettoll_moderate_defer defer_old, defer;
	bool defer_foreign;
};

void nettoll_moderate_take(struct net_device *dev, struct nettoll_moderate_knobs *k);
void nettoll_moderate_check(struct net_device *dev, struct nettoll_moderate_knobs *k);
void nettoll_moderate_turn(struct net_device *dev, struct nettoll_moderate_knobs *k, u32 hold_ns);
void nettoll_moderate_give_back(struct net_device *dev, struct nettoll_moderate_knobs *k);

#endif /* NETTOLL_FASTPATH_MODERATE_KNOBS_H */
