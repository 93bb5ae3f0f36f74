/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the means alone say of a profile's shape: chord residuals, utilisation, concavity; no model is assumed. */
#ifndef NETTOLL_PROFILE_SHAPE_H
#define NETTOLL_PROFILE_SHAPE_H

#include "profile/curve.h"

enum shape_sign { SHAPE_CONVEX = -1, SHAPE_UNKNOWN = 0, SHAPE_CONCAVE = 1 };

/**
 * shape_chord() - mean at inner node @k less the chord between its neighbours, bits per second: above 0 where
 *	concave
 */
struct interval shape_chord(const struct curve *c, const struct boot *b, size_t k, double confidence);

/** shape_sign() - what a chord residual says for certain: its interval has to leave 0 out */
enum shape_sign shape_sign(const struct curve *c, const struct interval *chord);

/**
 * struct shape_bracket - where the signs of the chord residuals have the transition
 * @low, @high: nodes; the transition lies from @low to @high
 * @below, @above: it may lie below the first node, or above the last
 * @mixed: convex before concave: there is no such transition
 */
struct shape_bracket {
	size_t low, high;
	bool below, above, mixed;
};

/** shape_bracket() - from the signs at all nodes (those of the ends are not looked at) */
struct shape_bracket shape_bracket(const enum shape_sign *sign, size_t n);

/** shape_utilization() - area below the profile, as share of that below the scale */
struct interval shape_utilization(const struct curve *c, const struct boot *b, double confidence);

/** shape_concavity() - area between the profile and the chord of its ends, by the same measure; below 0: convex */
struct interval shape_concavity(const struct curve *c, const struct boot *b, double confidence);

#endif
