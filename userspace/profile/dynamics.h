/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How steady the sustained part of runs is: their map, their exponents, always against shuffled likes of equal
 * length.
 */
#ifndef NETTOLL_PROFILE_DYNAMICS_H
#define NETTOLL_PROFILE_DYNAMICS_H

#include <stdint.h>

#include "profile/series.h"
#include "profile/store.h"

enum dynamics_verdict {
	DYNAMICS_SHORT,		/* no run has a sustained part that is long enough */
	DYNAMICS_STEADY,	/* all samples are equal */
	DYNAMICS_NOISE,		/* a sample depends on the last no more than shuffled ones do: exponents mean nothing */
	DYNAMICS_STABLE,	/* it depends, and nearby states come together */
	DYNAMICS_UNSTABLE,	/* and nearby states part */
	DYNAMICS_UNDECIDED,	/* the exponent may be of either sign */
};

/** dynamics_word() - the word for it */
const char *dynamics_word(enum dynamics_verdict v);

/**
 * struct dynamics_options - how runs are looked at
 * @samples: of each run; 0: as many as dynamics_plan() finds that most have
 * @interval_s: of the traces; 0: chosen by dynamics_plan()
 */
struct dynamics_options {
	double confidence, interval_s;
	size_t samples;
	uint64_t seed;
};

/** struct dynamics_pair - an estimate, and its mean over shuffled samples */
struct dynamics_pair {
	double value, shuffled;
};

/**
 * struct dynamics - of one RTT; means over its runs
 * @runs: that are long enough, of @all
 * @mean_bps, @cv: of the samples; the latter is spread by mean
 * @low, @high: interval of map.exponent
 */
struct dynamics {
	double rtt_ms;
	size_t runs, all;
	double mean_bps, cv, lag1, low, high;
	struct series_map map;
	double map_shuffled;	/* residual of shuffled samples */
	struct dynamics_pair nearest, rosenstein, kantz;
	enum dynamics_verdict verdict;
};

/** dynamics_plan() - choose what was left open, from all runs of a store: exponents of unequal length do not compare */
void dynamics_plan(const struct store *s, struct dynamics_options *o);

/** dynamics_sustained() - the sustained part of a run; its length, 0 when there is none */
size_t dynamics_sustained(const struct store *s, const struct run *run, double interval_s, const float **samples);

/** dynamics_point() - @runs: @n runs of one group and RTT; 0, or a negative errno described by err_set() */
int dynamics_point(const struct store *s, const struct run *runs, size_t n, const struct dynamics_options *o,
		   struct dynamics *d);

#endif
