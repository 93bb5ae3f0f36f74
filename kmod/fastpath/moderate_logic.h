/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the receive coalescing controller decides, as arithmetic: how long the
 * device may hold its packets back, and what net_dim is shown.
 */
#ifndef NETTOLL_FASTPATH_MODERATE_LOGIC_H
#define NETTOLL_FASTPATH_MODERATE_LOGIC_H

#include <linux/types.h>

/* Steps between no hold-off and the longest allowed: as many as net_dim has profiles. */
#define NETTOLL_MODERATE_LEVELS		5
#define NETTOLL_MODERATE_TOP		(NETTOLL_MODERATE_LEVELS - 1)
/* Shorter is not worth a timer, and drivers give numbers below 10 us meanings of their own. */
#define NETTOLL_MODERATE_HOLD_MIN_NS	10000U
/* Without a target: the longest hold-off of net_dim's own profiles. */
#define NETTOLL_MODERATE_HOLD_MAX_NS	256000U
#define NETTOLL_MODERATE_TARGET_MAX_NS	10000000U
/* Wake-ups of one decision: net_dim's DIM_NEVENTS. */
#define NETTOLL_MODERATE_EVENTS		64
/* Fewer wake-ups than those of one decision in so long, and there is nothing to moderate. */
#define NETTOLL_MODERATE_IDLE_NS	100000000ULL

/*
 * Histogram of times: 16 buckets of 64 ns, then 16 for each power of two, so
 * that a bucket is at most 1/16 wide; all above 4 s is in the last.
 */
#define NETTOLL_HIST_BUCKETS		368

/**
 * struct nettoll_hist - packets by how long they can have waited
 * @count: packets of each bucket, free-running
 */
struct nettoll_hist {
	u64 count[NETTOLL_HIST_BUCKETS];
};

unsigned int nettoll_hist_bucket(u64 ns);
u64 nettoll_hist_edge(unsigned int bucket);
u64 nettoll_hist_percentile(const u64 *count, unsigned int permille);

/**
 * struct nettoll_moderate_window - what a device did between two decisions
 * @ns: how long that was
 * @events: wake-ups: by interrupts, and by deferral timers
 * @packets: received
 * @bytes: received
 * @drops: packets that the device had no room for
 * @excess: packets by how much later than its timer a poll delivered them
 */
struct nettoll_moderate_window {
	u64 ns, events, packets, bytes, drops;
	struct nettoll_hist excess;
};

/**
 * struct nettoll_moderate_bound - how long a hold-off may be at most
 * @target_ns: that 99 of 100 packets are to wait at most; 0: no matter
 * @slack_ns: what of it goes to timers and polls that come late, measured
 * @room_ns: what the device's ring has room for, learnt from drops
 * @recent: the last windows' excess, older ones faded, in eighths of packets
 */
struct nettoll_moderate_bound {
	u32 target_ns, slack_ns, room_ns;
	u64 recent[NETTOLL_HIST_BUCKETS];
};

void nettoll_moderate_bound_init(struct nettoll_moderate_bound *b, u32 target_ns);
void nettoll_moderate_bound_update(struct nettoll_moderate_bound *b,
				   const struct nettoll_moderate_window *w);
u32 nettoll_moderate_bound_ns(const struct nettoll_moderate_bound *b);

/* Windows without a hold-off after one that gained nothing; doubled each time, up to the latter. */
#define NETTOLL_MODERATE_PAUSE_MIN	8
#define NETTOLL_MODERATE_PAUSE_MAX	256

/**
 * struct nettoll_moderate_pause - whether waiting pays at all
 * @left: windows to go without
 * @next: how many it will be if it does not pay again
 *
 * Between request and answer nothing comes that a packet could wait for. It is
 * tried again and again, but so rarely that few notice.
 */
struct nettoll_moderate_pause {
	unsigned int left, next;
};

bool nettoll_moderate_pause(struct nettoll_moderate_pause *p, bool held,
			    const struct nettoll_moderate_window *w);

/**
 * struct nettoll_moderate_clock - time and counters as net_dim is shown them
 *
 * net_dim takes it that a measurement ends with the 64th event. It is asked
 * later than that, so it gets the rates of the whole window on a clock that
 * runs for 64 events a window.
 */
struct nettoll_moderate_clock {
	u64 ns;
	u32 packets, bytes;
	u16 events;
};

void nettoll_moderate_clock_advance(struct nettoll_moderate_clock *c,
				    const struct nettoll_moderate_window *w);

bool nettoll_moderate_is_idle(const struct nettoll_moderate_window *w);
u32 nettoll_moderate_hold_ns(u32 bound_ns, unsigned int level);
bool nettoll_moderate_worth(u32 now_ns, u32 wanted_ns, u32 bound_ns);

#endif /* NETTOLL_FASTPATH_MODERATE_LOGIC_H */
