// SPDX-License-Identifier: GPL-2.0-only
/*
 * The arithmetic of the receive coalescing controller. Nothing here knows a
 * device; kmod/tests runs it as a program.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "moderate_logic.h"

#define UNIT_SHIFT	6	/* 64 ns */
#define SUB_SHIFT	4	/* 16 buckets for each power of two */
#define SUBS		16U

/*
 * What is promised holds for 99 of 100 packets. It is aimed at for 995 of 1000,
 * and an eighth of the target is left: measured times are rounded up by a
 * sixteenth, twice, and the next window is not the last one.
 */
#define LATE_PERMILLE	995
#define MARGIN_SHIFT	3

/**
 * nettoll_hist_bucket() - the bucket that holds a time
 * @ns: the time
 */
unsigned int nettoll_hist_bucket(u64 ns)
{
	u64 v = ns >> UNIT_SHIFT;
	unsigned int top, bucket;

	if (v < SUBS)
		return v;
	top = fls64(v) - 1;
	bucket = (top - SUB_SHIFT + 1) * SUBS + ((v >> (top - SUB_SHIFT)) & (SUBS - 1));
	return min_t(unsigned int, bucket, NETTOLL_HIST_BUCKETS - 1);
}

/**
 * nettoll_hist_edge() - the time below which all of a bucket lies
 * @bucket: its number
 *
 * Return: nanoseconds.
 */
u64 nettoll_hist_edge(unsigned int bucket)
{
	unsigned int power = bucket / SUBS;

	if (!power)
		return (u64)(bucket + 1) << UNIT_SHIFT;
	return ((u64)(SUBS + bucket % SUBS) + 1) << (power - 1 + UNIT_SHIFT);
}

/**
 * nettoll_hist_percentile() - the time that so many of all stay below
 * @count: the buckets
 * @permille: how many of a thousand
 *
 * Return: nanoseconds, the upper edge of the bucket; 0 if all buckets are empty.
 */
u64 nettoll_hist_percentile(const u64 *count, unsigned int permille)
{
	u64 sum = 0, seen = 0, rank;
	unsigned int i;

	for (i = 0; i < NETTOLL_HIST_BUCKETS; i++)
		sum += count[i];
	if (!sum)
		return 0;
	rank = div_u64(sum * permille + 999, 1000);
	for (i = 0; i < NETTOLL_HIST_BUCKETS - 1; i++) {
		seen += count[i];
		if (seen >= rank)
			break;
	}
	return nettoll_hist_edge(i);
}

/**
 * nettoll_moderate_bound_init() - begin with a target and nothing known
 * @b: the bound
 * @target_ns: the target; 0: none
 *
 * Nothing known is half of the target, so that it holds from the beginning.
 */
void nettoll_moderate_bound_init(struct nettoll_moderate_bound *b, u32 target_ns)
{
	memset(b, 0, sizeof(*b));
	b->target_ns = target_ns;
	b->slack_ns = target_ns / 2;
	b->room_ns = target_ns ?: NETTOLL_MODERATE_HOLD_MAX_NS;
}

/**
 * nettoll_moderate_bound_update() - learn from a window
 * @b: the bound
 * @w: the window
 *
 * Late polls count for eight windows or so, so that the odd one that no bound
 * could help does not rule. Where there were none to be measured, as without
 * any hold-off, what was known fades, or a device that was busy once would never
 * be tried again; slowly, since a try that fails costs more than it gains.
 */
void nettoll_moderate_bound_update(struct nettoll_moderate_bound *b,
				   const struct nettoll_moderate_window *w)
{
	u32 most = b->target_ns ?: NETTOLL_MODERATE_HOLD_MAX_NS;
	bool any = false;
	unsigned int i;

	for (i = 0; i < NETTOLL_HIST_BUCKETS; i++) {
		b->recent[i] -= (b->recent[i] + 7) >> 3;
		b->recent[i] += w->excess.count[i] << 3;
		any |= w->excess.count[i];
	}
	if (any)
		b->slack_ns = min_t(u64, nettoll_hist_percentile(b->recent, LATE_PERMILLE),
				    S32_MAX);
	else
		b->slack_ns -= (b->slack_ns >> 6) + !!b->slack_ns;
	if (w->drops)
		b->room_ns = max(b->room_ns / 2, NETTOLL_MODERATE_HOLD_MIN_NS);
	else
		b->room_ns += min(b->room_ns >> 4, most - b->room_ns);
}

/**
 * nettoll_moderate_bound_ns() - how long the hold-off may be now
 * @b: the bound
 *
 * Return: nanoseconds; 0 where the target cannot be held with any.
 */
u32 nettoll_moderate_bound_ns(const struct nettoll_moderate_bound *b)
{
	u32 late = b->slack_ns + (b->target_ns >> MARGIN_SHIFT);
	u32 left = b->target_ns ? b->target_ns - min(b->target_ns, late)
				: NETTOLL_MODERATE_HOLD_MAX_NS;

	return min(left, b->room_ns);
}

static u64 share(u64 what, u64 events)
{
	return mul_u64_u64_div_u64(what, NETTOLL_MODERATE_EVENTS, events);
}

/**
 * nettoll_moderate_clock_advance() - add a window as 64 events at its rates
 * @c: the clock
 * @w: the window, with at least one event
 */
void nettoll_moderate_clock_advance(struct nettoll_moderate_clock *c,
				    const struct nettoll_moderate_window *w)
{
	c->ns += share(w->ns, w->events);
	c->packets += share(w->packets, w->events);
	c->bytes += share(w->bytes, w->events);
	c->events += NETTOLL_MODERATE_EVENTS;
}

/**
 * nettoll_moderate_is_idle() - too little happened in a window to moderate it
 * @w: the window
 */
bool nettoll_moderate_is_idle(const struct nettoll_moderate_window *w)
{
	return w->events * NETTOLL_MODERATE_IDLE_NS < NETTOLL_MODERATE_EVENTS * w->ns;
}

/**
 * nettoll_moderate_pause() - learn from a window whether waiting pays
 * @p: the pause
 * @held: packets waited for each other
 * @w: the window
 *
 * Without a hold-off there is one wake-up a packet at most. With one there are
 * timers as well, which may find nothing; five packets for four wake-ups is the
 * least that is a gain.
 *
 * Return: whether to go without in the next window.
 */
bool nettoll_moderate_pause(struct nettoll_moderate_pause *p, bool held,
			    const struct nettoll_moderate_window *w)
{
	if (!held) {
		p->left -= !!p->left;
	} else if (4 * w->packets >= 5 * w->events) {
		p->next = NETTOLL_MODERATE_PAUSE_MIN;
	} else {
		p->left = max_t(unsigned int, p->next, NETTOLL_MODERATE_PAUSE_MIN);
		p->next = min_t(unsigned int, 2 * p->left, NETTOLL_MODERATE_PAUSE_MAX);
	}
	return p->left;
}

/**
 * nettoll_moderate_hold_ns() - the hold-off of a level
 * @bound_ns: the longest allowed
 * @level: 0, none, to NETTOLL_MODERATE_TOP, the longest
 *
 * Quarters of the bound, not net_dim's own powers of two: what is shorter than
 * the distance of two packets gains nothing, so that net_dim, which walks step
 * by step, would turn back there.
 *
 * Return: nanoseconds, 0 for none.
 */
u32 nettoll_moderate_hold_ns(u32 bound_ns, unsigned int level)
{
	u32 hold = (u64)bound_ns * level / NETTOLL_MODERATE_TOP;

	return hold < NETTOLL_MODERATE_HOLD_MIN_NS ? 0 : hold;
}

/**
 * nettoll_moderate_worth() - whether a hold-off is to be changed
 * @now_ns: the one in force
 * @wanted_ns: the one computed
 * @bound_ns: the longest allowed
 *
 * A driver may have to ask its firmware, so not for a sixteenth; but what
 * begins and what ends matters, and so does the bound.
 */
bool nettoll_moderate_worth(u32 now_ns, u32 wanted_ns, u32 bound_ns)
{
	u32 by = now_ns > wanted_ns ? now_ns - wanted_ns : wanted_ns - now_ns;

	return by && (!now_ns || !wanted_ns || now_ns > bound_ns || by > now_ns / 16);
}
