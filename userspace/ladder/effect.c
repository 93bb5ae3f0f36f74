// SPDX-License-Identifier: GPL-2.0-or-later
/* What a rung did, and what two of them did together: arithmetic on measured cells. */
#include "ladder/effect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The most repeats that a comparison looks at; plans allow fewer. */
#define VALUES_MAX	PLAN_REPEATS_MAX

const char *const effect_verdict_names[EFFECT_VERDICTS] = {
	[EFFECT_UNCLEAR] = "unclear", [EFFECT_NONE] = "none", [EFFECT_GAIN] = "gain", [EFFECT_LOSS] = "loss",
};

static size_t rates(const struct cell *cell, double *values)
{
	size_t i, n = cell->n < VALUES_MAX ? cell->n : VALUES_MAX;

	for (i = 0; i < n; i++)
		values[i] = cell->sample[i].rate_bps;
	return n;
}

struct stats_summary cell_rate(const struct cell *cell)
{
	double values[VALUES_MAX];

	return stats_summarize(values, rates(cell, values), EFFECT_CONFIDENCE);
}

double cell_mean(const struct cell *cell, size_t offset)
{
	double sum = 0, one;
	size_t i;

	for (i = 0; i < cell->n; i++) {
		memcpy(&one, (const char *)&cell->sample[i] + offset, sizeof(one));
		sum += one;
	}
	return cell->n ? sum / (double)cell->n : NAN;
}

uint64_t cell_lost(const struct cell *cell)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < cell->n; i++)
		sum += cell->sample[i].lost;
	return sum;
}

static int by_change(const void *a, const void *b)
{
	double x = ((const struct layer_change *)a)->per_byte;
	double y = ((const struct layer_change *)b)->per_byte;

	return (x > y) - (x < y);
}

static struct stats_summary difference(const struct cell *from, const struct cell *to)
{
	double a[VALUES_MAX], b[VALUES_MAX];
	size_t i, na = rates(from, a), nb = rates(to, b);

	if (!from->turn || from->turn != to->turn || na != nb)
		return stats_difference(a, na, b, nb, EFFECT_CONFIDENCE);
	for (i = 0; i < na; i++)
		b[i] -= a[i];
	return stats_summarize(b, na, EFFECT_CONFIDENCE);
}

enum effect_verdict effect_judge(double change, double half, double least)
{
	double size = fabs(change);

	if (isnan(half))
		return EFFECT_UNCLEAR;
	if (size > half) {
		/* Certain, but perhaps too small. */
		if (size < least)
			return EFFECT_NONE;
		return change > 0 ? EFFECT_GAIN : EFFECT_LOSS;
	}
	/* More than the least is ruled out, or nothing has moved at all. */
	return size + half < least || (size == 0 && half == 0) ? EFFECT_NONE : EFFECT_UNCLEAR;
}

struct effect effect_of(const struct cell *from, const struct cell *to, double least)
{
	struct effect e = { .rate = difference(from, to) };
	uint32_t layer;

	e.known = !isnan(e.rate.half);
	e.verdict = effect_judge(e.rate.mean, e.rate.half, least * fabs(cell_rate(from).mean));
	e.significant = e.verdict == EFFECT_GAIN || e.verdict == EFFECT_LOSS;
	if (!from->bill.valid || !to->bill.valid)
		return e;
	for (layer = 0; layer < MODEL_LAYERS; layer++) {
		/* Sleeping is no cost. */
		if (layer == NETTOLL_LAYER_WAIT)
			continue;
		e.change[e.nchanges++] = (struct layer_change) {
			.layer = layer,
			.per_byte = bill_per_byte(&to->bill, layer) - bill_per_byte(&from->bill, layer),
		};
	}
	qsort(e.change, e.nchanges, sizeof(*e.change), by_change);
	return e;
}

struct interaction interaction_of(const struct cell *base, const struct cell *a,
				  const struct cell *b, const struct cell *both)
{
	struct stats_summary s[4] = {
		cell_rate(base), cell_rate(a), cell_rate(b), cell_rate(both)
	};
	struct interaction i = {
		.a = s[1].mean - s[0].mean,
		.b = s[2].mean - s[0].mean,
		.both = s[3].mean - s[0].mean,
	};

	i.value = i.both - i.a - i.b;
	/* Each interval's own width is at least what its share of a common one would be. */
	i.half = sqrt(s[0].half * s[0].half + s[1].half * s[1].half + s[2].half * s[2].half +
		      s[3].half * s[3].half);
	return i;
}
