// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How steady the sustained part of runs is: their map, their exponents, always against shuffled likes of equal
 * length.
 */
#include "profile/dynamics.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"
#include "profile/ramp.h"

#define SHUFFLES	30	/* of all runs of a point together; of each one at least */
#define COARSE_ENOUGH	50	/* samples: else those of the finer traces are taken */
#define SAME		1e-3	/* of an interval */
#define MOST		0.1	/* of the runs may be too short */
#define STRUCTURE	2.326	/* standard errors below shuffled samples: one in a hundred by chance */
#define EQUAL		1e-9	/* spread by mean of samples that are all the same */
#define FREEDOM_ONE	7	/* degrees of freedom of a single run's error */

const char *dynamics_word(enum dynamics_verdict v)
{
	static const char *const words[] = { "short", "steady", "noise", "stable", "unstable", "undecided" };

	return words[v];
}

size_t dynamics_sustained(const struct store *s, const struct run *run, double interval_s, const float **samples)
{
	const struct trace *t = &run->coarse;
	size_t first, i;
	struct ramp r;

	if (fabs(t->interval_s - interval_s) > SAME * interval_s)
		t = &run->fine;
	if (!t->n || fabs(t->interval_s - interval_s) > SAME * interval_s)
		return 0;
	/* The end of ramp-up is told best by the finest samples. */
	if (!ramp_find(s->samples + run->fine.at, run->fine.n, run->fine.interval_s, run->rtt_ms, &r))
		return 0;
	first = (size_t)ceil((double)r.first * run->fine.interval_s / t->interval_s - 1e-6);
	if (first >= t->n)
		return 0;
	*samples = s->samples + t->at + first;
	for (i = 0; i < t->n - first; i++)
		if (!isfinite((*samples)[i]))
			return 0;
	return t->n - first < SERIES_MAX ? t->n - first : SERIES_MAX;
}

static int by_size(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

/* The length that most runs have. */
static size_t common_length(const struct store *s, double interval_s)
{
	size_t *len = calloc(s->n, sizeof(*len)), i, n = 0, common;
	const float *samples;

	if (!len)
		return 0;
	for (i = 0; i < s->n; i++) {
		len[n] = dynamics_sustained(s, &s->runs[i], interval_s, &samples);
		n += len[n] > 0;
	}
	qsort(len, n, sizeof(*len), by_size);
	common = n ? len[(size_t)(MOST * (double)n)] : 0;
	free(len);
	return common;
}

void dynamics_plan(const struct store *s, struct dynamics_options *o)
{
	double coarse = 0, fine = INFINITY;
	size_t i, n = 0;

	for (i = 0; i < s->n; i++) {
		coarse = fmax(coarse, s->runs[i].coarse.interval_s);
		if (s->runs[i].fine.n)
			fine = fmin(fine, s->runs[i].fine.interval_s);
	}
	if (!(o->interval_s > 0)) {
		n = coarse > 0 ? common_length(s, coarse) : 0;
		o->interval_s = n >= COARSE_ENOUGH || !isfinite(fine) ? coarse : fine;
	}
	if (o->samples || !(o->interval_s > 0))
		return;
	n = common_length(s, o->interval_s);
	o->samples = n < SERIES_MIN ? SERIES_MIN : n;
}

struct tally {
	double residual, residual2, nearest, rosenstein, kantz;
	size_t n;
};

static void shuffle(struct series *x, gsl_rng *rng, size_t times, struct tally *t)
{
	double r;

	for (; times; times--) {
		series_shuffle(x, rng);
		r = series_residual(x);
		t->residual += r;
		t->residual2 += r * r;
		t->nearest += lyapunov_nearest(x);
		t->rosenstein += lyapunov_rosenstein(x);
		t->kantz += lyapunov_kantz(x);
		t->n++;
	}
}

/* Adds what one run says. */
static void look(struct series *x, struct dynamics *d, double *exponent2, double *error2)
{
	struct series_map m = series_map(x);

	d->runs++;
	d->mean_bps += x->mean;
	d->cv += x->sd / x->mean;
	d->lag1 += series_lag1(x);
	d->map.residual += m.residual;
	d->map.exponent += m.exponent;
	*exponent2 += m.exponent * m.exponent;
	*error2 += m.error * m.error;
	d->nearest.value += lyapunov_nearest(x);
	d->rosenstein.value += lyapunov_rosenstein(x);
	d->kantz.value += lyapunov_kantz(x);
}

/* From sums to means, and to a verdict. */
static void judge(struct dynamics *d, const struct tally *t, double exponent2, double error2, double confidence)
{
	double n = (double)d->runs, shuffles = (double)t->n, between, freedom, spread, half;

	d->mean_bps /= n;
	d->cv /= n;
	d->lag1 /= n;
	d->map.residual /= n;
	d->map.exponent /= n;
	d->nearest.value /= n;
	d->rosenstein.value /= n;
	d->kantz.value /= n;
	d->nearest.shuffled = t->nearest / shuffles;
	d->rosenstein.shuffled = t->rosenstein / shuffles;
	d->kantz.shuffled = t->kantz / shuffles;
	d->map_shuffled = t->residual / shuffles;
	/* Runs that differ more than each is uncertain have the say. */
	between = d->runs > 2 ? fmax(0, exponent2 - n * d->map.exponent * d->map.exponent) / (n - 1) : 0;
	d->map.error = sqrt(fmax(between, error2 / n) / n);
	freedom = d->runs > 2 ? n - 1 : FREEDOM_ONE;
	half = gsl_cdf_tdist_Pinv(0.5 + confidence / 2, freedom) * d->map.error;
	d->low = d->map.exponent - half;
	d->high = d->map.exponent + half;
	spread = sqrt(fmax(0, t->residual2 / shuffles - d->map_shuffled * d->map_shuffled));
	if (!(d->map_shuffled - d->map.residual > STRUCTURE * spread * sqrt(1 / n + 1 / shuffles)))
		d->verdict = DYNAMICS_NOISE;
	else if (d->low > 0)
		d->verdict = DYNAMICS_UNSTABLE;
	else
		d->verdict = d->high < 0 ? DYNAMICS_STABLE : DYNAMICS_UNDECIDED;
}

int dynamics_point(const struct store *s, const struct run *runs, size_t n, const struct dynamics_options *o,
		   struct dynamics *d)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	size_t i, times = (SHUFFLES + n - 1) / n, steady = 0;
	double exponent2 = 0, error2 = 0, bps = 0;
	struct tally t = { 0 };
	const float *samples;
	struct series x;
	uint64_t bits;
	int ret = 0;

	*d = (struct dynamics) { .rtt_ms = runs[0].rtt_ms, .all = n };
	if (!rng)
		return err_set(-ENOMEM, NULL, "out of memory");
	/* The numbers drawn are the point's own. */
	memcpy(&bits, &d->rtt_ms, sizeof(bits));
	bits ^= o->seed ^ s->groups[runs[0].group].hash;
	gsl_rng_set(rng, (unsigned long)((bits ^ bits >> 32) & 0xffffffff));
	for (i = 0; i < n && !ret; i++) {
		if (o->samples < SERIES_MIN || dynamics_sustained(s, &runs[i], o->interval_s, &samples) < o->samples)
			continue;
		ret = series_make(&x, samples, o->samples);
		if (ret)
			break;
		if (x.sd <= EQUAL * x.mean) {
			steady++;
			bps += x.mean;
		} else {
			look(&x, d, &exponent2, &error2);
			shuffle(&x, rng, times, &t);
		}
		series_free(&x);
	}
	gsl_rng_free(rng);
	if (ret)
		return ret;
	if (d->runs) {
		judge(d, &t, exponent2, error2, o->confidence);
		return 0;
	}
	d->runs = steady;
	d->verdict = steady ? DYNAMICS_STEADY : DYNAMICS_SHORT;
	d->mean_bps = steady ? bps / (double)steady : NAN;
	d->cv = steady ? 0 : NAN;
	d->lag1 = d->low = d->high = d->map_shuffled = NAN;
	d->map = (struct series_map) { NAN, NAN, NAN };
	d->nearest = d->rosenstein = d->kantz = (struct dynamics_pair) { NAN, NAN };
	return 0;
}
