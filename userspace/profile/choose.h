/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which settings are best for an RTT, by the profiles that were measured; and how good such choices are. */
#ifndef NETTOLL_PROFILE_CHOOSE_H
#define NETTOLL_PROFILE_CHOOSE_H

#include "profile/fit.h"

enum choose_shape { CHOOSE_MEASURED, CHOOSE_CONCAVE, CHOOSE_CONVEX, CHOOSE_UNKNOWN };

/** choose_word() - measured, concave, convex or unknown */
const char *choose_word(enum choose_shape shape);

/**
 * struct choice - what one group promises at an RTT
 * @predicted: by the straight line between the RTTs next to it, bits per second
 * @win_share: of the resampled profiles, in which it is the best
 * @shape: between those RTTs
 * @floor_bps: what the shape guarantees of the means: the prediction where concave, else the lower of the two
 */
struct choice {
	const struct group *group;
	struct interval predicted;
	double win_share;
	enum choose_shape shape;
	double floor_bps;
};

/**
 * struct ranking - all groups that reach the RTT, best first
 * @out_of_reach: groups whose RTTs do not enclose it
 * @loss, @loss_share: of the second against the first, bits per second with an interval, and as share; NaN without a
 *	second
 */
struct ranking {
	struct choice *choice;
	size_t n, out_of_reach;
	struct interval loss;
	double loss_share;
};

/**
 * choose_rank() - rank the groups of a sorted store of one campaign
 * @shapes: of how many of the best the shape is looked at
 *
 * Return: 0, or a negative errno described by err_set(): -ERANGE when no group reaches the RTT.
 */
int choose_rank(const struct store *s, double rtt_ms, const struct fit_options *o, size_t shapes, struct ranking *r);
void choose_free(struct ranking *r);

/**
 * struct held_out - a choice for an RTT by profiles that lack it
 * @predicted_bps: what the choice promised; @measured_bps: what it gives; @best_bps: what the best gives
 * @regret: 1 - measured / best
 */
struct held_out {
	double rtt_ms;
	const struct group *choice, *best;
	double predicted_bps, measured_bps, best_bps, regret;
};

/**
 * choose_evaluate() - leave each inner RTT out in turn
 * @all: freed by the caller; NULL when there is no inner RTT
 *
 * Return: how many, or a negative errno described by err_set().
 */
int choose_evaluate(const struct store *s, struct held_out **all);

#endif
