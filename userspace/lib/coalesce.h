/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Receive coalescing as the module tells it, and the arithmetic on two readings of it. */
#ifndef NETTOLL_LIB_COALESCE_H
#define NETTOLL_LIB_COALESCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/nettoll.h>

/* As many as the module has; a newer module's further ones are added to the last. */
#define COALESCE_BUCKETS	368

/**
 * struct coalesce_info - a device whose receiving is moderated; see the netlink specification
 * @irq_known: the driver has rx-usecs, and what was found is in *_old
 * @rx_usecs: as it is now; -1: not turned
 * @waits: packets by the longest they can have waited
 *
 * Counters are free-running since @since_ns.
 */
struct coalesce_info {
	char device[16];
	uint32_t ifindex;
	uint32_t mode, target_ns, pid;
	bool while_open, idle;
	uint32_t hold_ns, bound_ns, slack_ns, level;
	bool irq_known, irq_left, defer_left;
	int32_t irq_error;
	int64_t rx_usecs;
	uint32_t rx_usecs_old, rx_frames_old, adaptive_rx_old;
	uint64_t flush_ns_old;
	uint32_t hard_irqs_old;
	uint64_t time_ns, since_ns;
	uint64_t interrupts, timers, polls, packets, bytes, drops, turns;
	uint64_t waits[COALESCE_BUCKETS];
};

struct coalesce_list {
	size_t n;
	struct coalesce_info *item;
};

/** coalesce_find() - the reading of a device as it began at the same time as @of, or NULL */
const struct coalesce_info *coalesce_find(const struct coalesce_list *list, const struct coalesce_info *of);

/**
 * coalesce_since() - what happened between two readings
 * @info: the later; its counters become differences, its since_ns the time of the earlier
 * @from: the earlier; NULL: the beginning
 */
void coalesce_since(struct coalesce_info *info, const struct coalesce_info *from);

/** coalesce_edge_ns() - the time that all packets of a bucket stayed below, in nanoseconds */
uint64_t coalesce_edge_ns(size_t bucket);

/** coalesce_wait_us() - the time that this share (0 to 1) of the packets waited at most; NaN without packets */
double coalesce_wait_us(const struct coalesce_info *info, double share);

/** coalesce_mode() - the word of the netlink specification */
const char *coalesce_mode(uint32_t mode);

/** coalesce_change() - the word of the netlink specification */
const char *coalesce_change(uint32_t change);

#endif
