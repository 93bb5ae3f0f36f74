// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Intervals of what is linear in a profile's means: bootstrap-t, and Student's t where there is too little to draw
 * from.
 */
#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

#include "lib/err.h"
#include "profile/curve.h"

#define SAME		1e-12	/* relative to the value: a spread that is none */
#define EXTREME		1e9	/* t of a replicate that drew one run only */

const char *interval_word(enum interval_how how)
{
	static const char *const words[] = { "none", "t", "bootstrap", "exact" };

	return words[how];
}

/* One node of one replicate: @m draws with replacement. Mean and squared standard error of the mean. */
static void draw(gsl_rng *rng, const double *y, size_t m, double center, double *mean, double *error2)
{
	double d, sum = 0, squares = 0;
	size_t i;

	/* Differences from the center, so that the squares lose no digits. */
	for (i = 0; i < m; i++) {
		d = y[(uint64_t)gsl_rng_get(rng) * m >> 32] - center;
		sum += d;
		squares += d * d;
	}
	*mean = center + sum / (double)m;
	squares -= sum * sum / (double)m;
	*error2 = m > 1 ? fmax(0, squares) / (double)(m - 1) / (double)m : NAN;
}

int boot_make(struct boot *b, const struct curve *c, size_t reps, uint64_t seed)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	const struct node *d;
	size_t r, k;

	*b = (struct boot) { .reps = reps, .n = c->n };
	b->mean = calloc(reps * c->n + 1, sizeof(*b->mean));
	b->error2 = calloc(reps * c->n + 1, sizeof(*b->error2));
	if (!rng || !b->mean || !b->error2) {
		if (rng)
			gsl_rng_free(rng);
		boot_free(b);
		return err_set(-ENOMEM, NULL, "out of memory");
	}
	/* mt19937 takes 32 bits. */
	gsl_rng_set(rng, (unsigned long)((seed ^ seed >> 32) & 0xffffffff));
	for (r = 0; r < reps; r++) {
		for (k = 0; k < c->n; k++) {
			d = &c->node[k];
			draw(rng, c->y + d->first, d->m, d->mean, &b->mean[r * c->n + k], &b->error2[r * c->n + k]);
		}
	}
	gsl_rng_free(rng);
	return 0;
}

void boot_free(struct boot *b)
{
	free(b->mean);
	free(b->error2);
	*b = (struct boot) { 0 };
}

/* Quantiles of a replicate's deviation in its own standard errors. */
static bool boot_quantiles(const struct curve *c, const struct boot *b, const double *weight, double tail, double *low,
			   double *high)
{
	double *t = calloc(b->reps, sizeof(*t)), d, error2;
	const double *mean, *e2;
	size_t r, k;

	if (!t || b->reps < 2) {
		free(t);
		return false;
	}
	for (r = 0; r < b->reps; r++) {
		mean = b->mean + r * b->n;
		e2 = b->error2 + r * b->n;
		for (d = 0, error2 = 0, k = 0; k < c->n; k++) {
			if (weight[k] == 0)
				continue;
			d += weight[k] * (mean[k] - c->node[k].mean);
			error2 += weight[k] * weight[k] * e2[k];
		}
		t[r] = error2 > 0 ? d / sqrt(error2) : d == 0 ? 0 : copysign(EXTREME, d);
	}
	gsl_sort(t, 1, b->reps);
	*low = t[(size_t)floor(tail * (double)(b->reps - 1))];
	*high = t[(size_t)ceil((1 - tail) * (double)(b->reps - 1))];
	free(t);
	return fabs(*low) < EXTREME && fabs(*high) < EXTREME;
}

struct interval interval_of(const struct curve *c, const struct boot *b, const double *weight, double confidence)
{
	double part, error2 = 0, freedom = 0, error, low, high, size = 0, tail = (1 - confidence) / 2;
	struct interval v = { 0, NAN, NAN, INTERVAL_NONE };
	size_t k, least = SIZE_MAX;

	for (k = 0; k < c->n; k++) {
		if (weight[k] == 0)
			continue;
		v.value += weight[k] * c->node[k].mean;
		size += fabs(weight[k] * c->node[k].mean);
		least = c->node[k].m < least ? c->node[k].m : least;
		if (c->node[k].m < 2)
			continue;
		part = weight[k] * weight[k] * c->node[k].var / (double)c->node[k].m;
		error2 += part;
		freedom += part * part / (double)(c->node[k].m - 1);
	}
	if (least < 2 || least == SIZE_MAX)
		return v;
	error = sqrt(error2);
	if (error <= SAME * size) {
		v.low = v.high = v.value;
		v.how = INTERVAL_EXACT;
		return v;
	}
	if (least >= BOOT_RUNS_MIN && b && boot_quantiles(c, b, weight, tail, &low, &high)) {
		v.low = v.value - high * error;
		v.high = v.value - low * error;
		v.how = INTERVAL_BOOT;
		return v;
	}
	freedom = error2 * error2 / freedom;
	high = gsl_cdf_tdist_Pinv(1 - tail, freedom);
	v.low = v.value - high * error;
	v.high = v.value + high * error;
	v.how = INTERVAL_T;
	return v;
}
