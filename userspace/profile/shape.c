// SPDX-License-Identifier: GPL-2.0-or-later
/* What the means alone say of a profile's shape: chord residuals, utilisation, concavity; no model is assumed. */
#include "profile/shape.h"

#include <math.h>
#include <stdlib.h>

#define STRAIGHT	1e-6	/* of the scale: a residual of runs that do not differ which is none */

static struct interval none(void)
{
	return (struct interval) { NAN, NAN, NAN, INTERVAL_NONE };
}

struct interval shape_chord(const struct curve *c, const struct boot *b, size_t k, double confidence)
{
	double *weight, share;
	struct interval v;

	weight = k && k + 1 < c->n ? calloc(c->n, sizeof(*weight)) : NULL;
	if (!weight)
		return none();
	share = (c->node[k].rtt_ms - c->node[k - 1].rtt_ms) / (c->node[k + 1].rtt_ms - c->node[k - 1].rtt_ms);
	weight[k - 1] = share - 1;
	weight[k] = 1;
	weight[k + 1] = -share;
	v = interval_of(c, b, weight, confidence);
	free(weight);
	return v;
}

enum shape_sign shape_sign(const struct curve *c, const struct interval *chord)
{
	if (chord->how == INTERVAL_NONE)
		return SHAPE_UNKNOWN;
	if (chord->how == INTERVAL_EXACT && fabs(chord->value) <= STRAIGHT * c->scale)
		return SHAPE_UNKNOWN;
	return chord->low > 0 ? SHAPE_CONCAVE : chord->high < 0 ? SHAPE_CONVEX : SHAPE_UNKNOWN;
}

struct shape_bracket shape_bracket(const enum shape_sign *sign, size_t n)
{
	struct shape_bracket b = { .high = n - 1, .below = true, .above = true };
	size_t k;

	for (k = 1; k + 1 < n; k++) {
		if (sign[k] == SHAPE_CONCAVE) {
			b.mixed |= !b.above;
			b.low = k;
			b.below = false;
		} else if (sign[k] == SHAPE_CONVEX && b.above) {
			b.high = k;
			b.above = false;
		}
	}
	return b;
}

/* Weights of the trapezoids below the profile; and, for the concavity, less those of the chord of the ends. */
static struct interval area(const struct curve *c, const struct boot *b, double confidence, bool chord)
{
	double *weight, span;
	struct interval v;
	size_t k;

	weight = c->n > 1 ? calloc(c->n, sizeof(*weight)) : NULL;
	if (!weight)
		return none();
	span = c->node[c->n - 1].rtt_ms - c->node[0].rtt_ms;
	for (k = 0; k + 1 < c->n; k++) {
		weight[k] += (c->node[k + 1].rtt_ms - c->node[k].rtt_ms) / 2 / span / c->scale;
		weight[k + 1] += (c->node[k + 1].rtt_ms - c->node[k].rtt_ms) / 2 / span / c->scale;
	}
	if (chord) {
		weight[0] -= 0.5 / c->scale;
		weight[c->n - 1] -= 0.5 / c->scale;
	}
	v = interval_of(c, b, weight, confidence);
	free(weight);
	return v;
}

struct interval shape_utilization(const struct curve *c, const struct boot *b, double confidence)
{
	return area(c, b, confidence, false);
}

struct interval shape_concavity(const struct curve *c, const struct boot *b, double confidence)
{
	return c->n > 2 ? area(c, b, confidence, true) : none();
}
