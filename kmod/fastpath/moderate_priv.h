/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a receive coalescing controller consists of.
 */
#ifndef NETTOLL_FASTPATH_MODERATE_PRIV_H
#define NETTOLL_FASTPATH_MODERATE_PRIV_H

#include <linux/dim.h>
#include <linux/if_link.h>
#include <linux/workqueue.h>

#include "moderate.h"
#include "moderate_poll.h"

/**
 * struct controller - one device, under RTNL
 * @list: in the list of all
 * @dev: the device; NULL when it ended
 * @net: its namespace
 * @request: what was asked
 * @knobs: the device's values
 * @bound: how long packets may wait
 * @pause: whether waiting pays
 * @dim: net_dim; its work applies what it decided
 * @clock: what it is shown
 * @hold_ns: how long packets wait now
 * @idle: too little happens to moderate it
 * @no_bytes: the driver counts bytes too rarely to decide by them
 * @owner_gone: the socket that it was bound to was closed
 * @decide: looks at what happened and asks net_dim
 * @reap: frees it, where one may wait
 * @polls: what the polls tell
 * @since_ns: when it began
 * @turns: changes of @hold_ns
 * @at: the counters at the last decision
 * @window: what happened since then
 * @excess: that histogram at the last decision
 * @base: the device's counters when it began
 */
struct controller {
	struct list_head list;
	struct net_device *dev;
	struct net *net;
	struct nettoll_moderate_request request;
	struct nettoll_moderate_knobs knobs;
	struct nettoll_moderate_bound bound;
	struct nettoll_moderate_pause pause;
	struct dim dim;
	struct nettoll_moderate_clock clock;
	u32 hold_ns;
	bool idle, no_bytes, owner_gone;
	struct delayed_work decide;
	struct work_struct reap;
	struct nettoll_moderate_polls *polls;
	u64 since_ns, turns;
	struct {
		u64 ns, rounds, packets;
		struct rtnl_link_stats64 stats;
	} at;
	struct nettoll_moderate_window window;
	struct nettoll_hist excess;
	struct rtnl_link_stats64 base;
};

#endif /* NETTOLL_FASTPATH_MODERATE_PRIV_H */
