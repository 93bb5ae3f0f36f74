/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The phases of a run, told from its trace: how it ramped up, and what it sustained. */
#ifndef NETTOLL_PROFILE_RAMP_H
#define NETTOLL_PROFILE_RAMP_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct ramp - phases of a trace
 * @first: sample that the sustained part begins with
 * @seconds: ramp-up, until nine tenths of the plateau were reached
 * @share: of the time that is ramp-up, in whole samples
 * @ramp_bps, @sustained_bps: means; share * ramp + (1 - share) * sustained is the trace's mean
 * @growth: in a round trip, while it ramps up; NaN when that is shorter than a few samples
 */
struct ramp {
	size_t first;
	double seconds, share, ramp_bps, sustained_bps, growth;
};

/**
 * ramp_find() - tell the phases of @n samples
 *
 * Return: false when there is no sustained part: too few samples, a sample that is missing, or it still ramps up at
 * the end.
 */
bool ramp_find(const float *bps, size_t n, double interval_s, double rtt_ms, struct ramp *r);

/**
 * struct ramp_terms - why the slope of a profile changes at a node, bits per second per ms; their sum is the change
 * @sustained: the sustained throughput falls faster (below 0) or more slowly
 * @ramp: so does that of the ramp-up
 * @share: ramp-up takes more of the time, or its growth does
 */
struct ramp_terms {
	double sustained, ramp, share;
};

/** ramp_terms() - at the middle one of three nodes */
struct ramp_terms ramp_terms(const struct ramp r[3], const double rtt_ms[3]);

#endif
