/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The receive coalescing controller: per device, driven by net_dim within a
 * bound of what packets may wait.
 */
#ifndef NETTOLL_FASTPATH_MODERATE_H
#define NETTOLL_FASTPATH_MODERATE_H

#include <uapi/linux/nettoll.h>

#include "moderate_knobs.h"
#include "moderate_logic.h"

struct net;
struct net_device;
struct netlink_ext_ack;

/**
 * struct nettoll_moderate_request - what is asked for a device
 * @mode: enum nettoll_coalesce_mode
 * @target_ns: in latency mode
 * @portid: the netlink socket that it ends with; 0: with none
 * @pid: who asks
 */
struct nettoll_moderate_request {
	unsigned int mode;
	u32 target_ns;
	u32 portid;
	u32 pid;
};

/**
 * struct nettoll_moderate_reading - what a controller has done, and does now
 * @device: name of the device
 * @ifindex: its number
 * @request: what was asked
 * @knobs: the device's values, as found and as they are
 * @hold_ns: time that packets wait now
 * @bound_ns: the longest that this may be now
 * @slack_ns: time that polls come late
 * @level: net_dim's step
 * @idle: too little happens to moderate it
 * @time_ns: now, CLOCK_MONOTONIC
 * @since_ns: when it began
 * @interrupts: rounds of polling begun by interrupts
 * @timers: and by deferral timers
 * @polls: all polls
 * @packets: received since it began, as the device counts
 * @bytes: received
 * @drops: for want of room in the device
 * @turns: changes of @hold_ns
 * @waits: packets by the longest time they can have waited
 */
struct nettoll_moderate_reading {
	char device[IFNAMSIZ];
	int ifindex;
	struct nettoll_moderate_request request;
	struct nettoll_moderate_knobs knobs;
	u32 hold_ns, bound_ns, slack_ns;
	unsigned int level;
	bool idle;
	u64 time_ns, since_ns;
	u64 interrupts, timers, polls;
	u64 packets, bytes, drops;
	u64 turns;
	struct nettoll_hist waits;
};

/**
 * struct nettoll_moderate_event - a controller began, changed or ended
 * @net: namespace of the device
 * @device: its name
 * @change: enum nettoll_coalesce_change
 * @pid: who asked; 0: the module itself
 * @left: another had set values of the device, which stay
 */
struct nettoll_moderate_event {
	struct net *net;
	const char *device;
	unsigned int change;
	u32 pid;
	bool left;
};

int nettoll_moderate_init(void);
void nettoll_moderate_exit(void);
void nettoll_moderate_listen(void (*fn)(const struct nettoll_moderate_event *e));

int nettoll_moderate_probe_get(void);
void nettoll_moderate_probe_put(void);

/* All under RTNL. */
int nettoll_moderate_set(struct net_device *dev, const struct nettoll_moderate_request *req,
			 struct netlink_ext_ack *extack);
int nettoll_moderate_end(struct net_device *dev, unsigned int change, u32 pid,
			 struct nettoll_moderate_reading *last);
int nettoll_moderate_read(struct net_device *dev, struct nettoll_moderate_reading *r);
struct net_device *nettoll_moderate_device(struct net *net, unsigned int nth);
unsigned int nettoll_moderate_generation(void);

#endif /* NETTOLL_FASTPATH_MODERATE_H */
