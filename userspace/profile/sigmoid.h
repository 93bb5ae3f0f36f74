/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a profile turns from concave to convex, by the regression with two flipped sigmoids. */
#ifndef NETTOLL_PROFILE_SIGMOID_H
#define NETTOLL_PROFILE_SIGMOID_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/curve.h"

/*
 * A branch is s * g(rtt), g(rtt) = 1 / (1 + exp(a * (rtt - t0))), a > 0: concave left of t0, convex right of it. The
 * concave branch has t0 at the turn or right of it and covers the nodes up to the turn, the convex branch t0 at the
 * turn or left of it and the nodes from the turn on; the turn is a node and belongs to both.
 */

enum sigmoid_form {
	SIGMOID_UNIT,	/* the paper's: s = 1, and the turn of the least sum of squares */
	SIGMOID_FREE,	/* ours: s by least squares for each branch, and a turn has to earn its parameters */
	SIGMOID_FORMS
};

/** struct sigmoid_branch - @sse of the means, weighted by their runs; throughput divided by the curve's scale */
struct sigmoid_branch {
	bool used;
	double amplitude, a, t0, sse;
};

/**
 * struct sigmoid_fit - the best of one form
 * @turn: node of the transition; the first: wholly convex, the last: wholly concave
 * @sse: sum of squares of all runs, with what they differ among themselves at each RTT
 */
struct sigmoid_fit {
	size_t turn;
	struct sigmoid_branch concave, convex;
	double sse;
};

struct sigmoid_plan;

/**
 * sigmoid_plan() - what all fits of a curve, and of its replicates, share
 *
 * Return: NULL described by err_set() when memory is short or the curve has less than 3 nodes.
 */
struct sigmoid_plan *sigmoid_plan(const struct curve *c);
void sigmoid_plan_free(struct sigmoid_plan *p);

/** sigmoid_turn() - the turn of each form for other means at the same nodes, by grid only: for replicates */
void sigmoid_turn(struct sigmoid_plan *p, const double *mean, size_t turn[SIGMOID_FORMS]);

/** sigmoid_fit() - the fit of the curve itself */
void sigmoid_fit(struct sigmoid_plan *p, const struct curve *c, enum sigmoid_form form, struct sigmoid_fit *fit);

/** sigmoid_at() - throughput of a fit, as share of the curve's scale; @node says on which side of the turn */
double sigmoid_at(const struct sigmoid_fit *fit, const struct curve *c, double rtt_ms);

#endif
