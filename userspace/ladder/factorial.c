// SPDX-License-Identifier: GPL-2.0-or-later
/* All combinations of a few rungs, and what each rung and each set of rungs does by itself. */
#include "ladder/factorial.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

static size_t states_of(const struct factorial *f)
{
	return (size_t)1 << f->k;
}

/* Plus where an even number of the set's rungs is missing. */
static double sign(uint32_t state, uint32_t set)
{
	return __builtin_popcount(set & ~state) & 1 ? -1 : 1;
}

struct factorial_effect factorial_effect(const struct factorial *f, uint32_t set, double confidence)
{
	struct factorial_effect e = { 0, NAN };
	double squares = 0, freedom = 0, spread = 0;
	size_t s, states = states_of(f);

	for (s = 0; s < states; s++) {
		e.value += sign((uint32_t)s, set) * f->mean[s];
		spread += 1 / (double)f->n[s];
		if (f->n[s] > 1) {
			squares += f->sd[s] * f->sd[s] * (double)(f->n[s] - 1);
			freedom += (double)(f->n[s] - 1);
		}
	}
	e.value /= (double)states / 2;
	if (freedom > 0)
		e.half = gsl_cdf_tdist_Pinv(0.5 + confidence / 2, freedom) *
			 sqrt(squares / freedom * spread) / ((double)states / 2);
	return e;
}

uint32_t factorial_best(const struct factorial *f)
{
	uint32_t s, best = 0;

	for (s = 1; s < states_of(f); s++)
		if (f->mean[s] > f->mean[best] ||
		    (f->mean[s] == f->mean[best] && __builtin_popcount(s) < __builtin_popcount(best)))
			best = s;
	return best;
}

void factorial_order(uint32_t *order, size_t states, uint64_t seed)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	uint32_t s;

	for (s = 0; s < states; s++)
		order[s] = s;
	/* Without memory the order is the plain one. */
	if (!rng)
		return;
	gsl_rng_set(rng, seed + 1);
	gsl_ran_shuffle(rng, order, states, sizeof(*order));
	gsl_rng_free(rng);
}
