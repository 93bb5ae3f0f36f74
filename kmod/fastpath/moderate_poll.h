/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the polls of a device tell: rounds, what began them, and how long
 * packets can have waited.
 */
#ifndef NETTOLL_FASTPATH_MODERATE_POLL_H
#define NETTOLL_FASTPATH_MODERATE_POLL_H

#include <linux/workqueue.h>

#include "moderate_logic.h"

struct napi_struct;
struct net_device;

/**
 * struct nettoll_moderate_napi - what one NAPI instance has done
 * @napi: the instance; set once
 * @base_ns: end of the last round, CLOCK_MONOTONIC
 * @armed_ns: length of the deferral timer armed then; 0: an interrupt begins the next round
 * @within: a round is under way: the last poll found more than its budget
 * @polls: all
 * @rounds: polls that began one
 * @timers: of which a timer began
 * @packets: that polls have found
 * @asked: @rounds when a decision was last asked for
 * @waits: packets by the longest they can have waited
 * @excess: those of rounds that a timer began, by what of that the timer was not meant to take
 *
 * Written by who polls, one at a time; read by anyone.
 */
struct nettoll_moderate_napi {
	const struct napi_struct *napi;
	u64 base_ns;
	u32 armed_ns;
	bool within;
	u64 polls, rounds, timers, packets, asked;
	struct nettoll_hist waits, excess;
};

/**
 * struct nettoll_moderate_polls - the polls of a device
 * @node: in the table of the devices that are watched, by @dev
 * @dev: the device; not to be followed, it may have gone
 * @irq_wait_ns: how long the device itself makes packets wait before it interrupts
 * @asked_ns: when a decision was last asked for, CLOCK_MONOTONIC
 * @decide: what decides
 * @queue: where it runs
 * @napis: number of elements of @napi, a power of two
 * @napi: the instances, hashed by address
 */
struct nettoll_moderate_polls {
	struct hlist_node node;
	const struct net_device *dev;
	u32 irq_wait_ns;
	u64 asked_ns;
	struct delayed_work *decide;
	struct workqueue_struct *queue;
	unsigned int napis;
	struct nettoll_moderate_napi napi[];
};

/**
 * struct nettoll_moderate_sum - the counters of all NAPI instances
 */
struct nettoll_moderate_sum {
	u64 polls, rounds, timers, packets;
};

struct nettoll_moderate_polls *nettoll_moderate_watch(const struct net_device *dev,
						      struct delayed_work *decide,
						      struct workqueue_struct *queue);
void nettoll_moderate_unwatch(struct nettoll_moderate_polls *p);
void nettoll_moderate_sum(const struct nettoll_moderate_polls *p, struct nettoll_moderate_sum *sum,
			  struct nettoll_hist *waits, struct nettoll_hist *excess);

#endif /* NETTOLL_FASTPATH_MODERATE_POLL_H */
