/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All that is said of one profile: means, shape, transition, phases, bounds. */
#ifndef NETTOLL_PROFILE_FIT_H
#define NETTOLL_PROFILE_FIT_H

#include "profile/curve.h"
#include "profile/ramp.h"
#include "profile/shape.h"
#include "profile/sigmoid.h"
#include "profile/store.h"

/**
 * struct fit_options - how it is fitted
 * @confidence: of intervals and sets
 * @reps: replicates for intervals; a set takes a fifth of them
 * @eps: of the distribution-free bound
 */
struct fit_options {
	double confidence, eps;
	size_t reps;
	uint64_t seed;
};

#define FIT_REPS	1000

/**
 * struct fit_node - one RTT
 * @mean, @chord: bits per second; the intervals of all chords hold together at the confidence
 * @measured_ms: mean of the RTTs that were measured; NaN when none was
 * @sign: what the chord says
 * @share: of the replicates that have the transition here, by form
 * @in_set: whether it belongs to the form's set
 * @ramp: means over the runs whose phases could be told, @ramps of them
 * @terms: why the slope changes; NaN where a neighbour lacks its phases
 * @window_bps: n * B / RTT, at most the scale; NaN when the buffer is left to the kernel
 * @limited: share of the busy time that the receiver's window or the send buffer held it up; NaN when not known
 */
struct fit_node {
	double rtt_ms, measured_ms;
	size_t runs;
	struct interval mean, chord;
	double sd;
	enum shape_sign sign;
	double share[SIGMOID_FORMS];
	bool in_set[SIGMOID_FORMS];
	struct ramp ramp;
	size_t ramps;
	struct ramp_terms terms;
	double window_bps, limited;
};

/**
 * struct fit - one profile
 * @shaped: there are RTTs enough for @sigmoid, @bracket and the sets
 * @level: share of the replicates in each form's set; NaN without repeats
 * @model_ms: where the reference model turns, n * B / capacity; NaN when not known or when the buffer is not fixed
 * @bound_log10, @bound_runs: the distribution-free bound with these runs, and the runs for 1 - confidence
 */
struct fit {
	const struct group *group;
	struct curve curve;
	struct boot boot;
	struct fit_node *node;
	size_t n, runs, unrepeated;
	bool shaped;
	struct sigmoid_fit sigmoid[SIGMOID_FORMS];
	double level[SIGMOID_FORMS];
	struct shape_bracket bracket;
	struct interval utilization, concavity;
	double model_ms, bound_log10, bound_runs;
};

/** fit_group() - fit one group of a sorted store; 0, or a negative errno described by err_set() */
int fit_group(const struct store *s, const struct group *g, const struct fit_options *o, struct fit *f);
void fit_free(struct fit *f);

#endif
