/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A measured profile: the mean throughput at each RTT, and intervals of what is linear in the means. */
#ifndef NETTOLL_PROFILE_CURVE_H
#define NETTOLL_PROFILE_CURVE_H

#include <stddef.h>
#include <stdint.h>

#include "profile/store.h"

/**
 * struct node - the runs at one RTT
 * @first, @m: its runs in the curve's values
 * @mean: bits per second
 * @var: of a run (not of the mean); NaN below two runs
 */
struct node {
	double rtt_ms;
	size_t first, m;
	double mean, var;
};

/**
 * struct curve - nodes by rising RTT
 * @y: the throughput of every run, bits per second
 * @scale: what throughput is divided by to lie in [0, 1]: the capacity, or the highest value when that is not known
 *	or lower
 */
struct curve {
	struct node *node;
	size_t n;
	double *y;
	size_t ny;
	double scale;
};

/** curve_make() - from sorted runs of one group; 0, or a negative errno described by err_set() */
int curve_make(struct curve *c, const struct run *runs, size_t n, double capacity_bps);

/** curve_without() - a copy without node @k */
int curve_without(struct curve *to, const struct curve *from, size_t k);

void curve_free(struct curve *c);

/** curve_weights() - of the means, for the straight line between nodes at @rtt_ms; -ERANGE outside of them */
int curve_weights(const struct curve *c, double rtt_ms, double *weight);

/**
 * struct boot - the means and their squared standard errors of resampled profiles
 * @mean, @error2: of replicate r and node k at [r * n + k]
 *
 * Runs are drawn with replacement within each node.
 */
struct boot {
	size_t reps, n;
	double *mean, *error2;
};

/** boot_make() - @seed and the curve determine it */
int boot_make(struct boot *b, const struct curve *c, size_t reps, uint64_t seed);
void boot_free(struct boot *b);

/* How an interval came about. */
enum interval_how {
	INTERVAL_NONE,		/* there is none: a node has one run only */
	INTERVAL_T,		/* Student's t with Welch's degrees of freedom: too few runs to draw from */
	INTERVAL_BOOT,		/* bootstrap-t */
	INTERVAL_EXACT,		/* the runs do not differ */
};

#define BOOT_RUNS_MIN	5	/* of each node, for INTERVAL_BOOT; see Documentation/profile-method.rst */

/**
 * struct interval - a value with what lies around it at the confidence asked for; low and high NaN for
 *	INTERVAL_NONE
 */
struct interval {
	double value, low, high;
	enum interval_how how;
};

/** interval_of() - of sum of weight[k] * mean of node k */
struct interval interval_of(const struct curve *c, const struct boot *b, const double *weight, double confidence);

/** interval_word() - none, t, bootstrap or exact */
const char *interval_word(enum interval_how how);

#endif
