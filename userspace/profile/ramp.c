// SPDX-License-Identifier: GPL-2.0-or-later
/* The phases of a run, told from its trace: how it ramped up, and what it sustained. */
#include "profile/ramp.h"

#include <gsl/gsl_statistics_float.h>
#include <math.h>
#include <string.h>

#define SAMPLES_MIN	8
#define SAMPLES_MAX	(1 << 15)
#define REACHED		0.9	/* of the plateau */
#define RISING		1.1	/* the last quarter over the one before: no plateau yet */
#define GROWTH_TOP	0.7	/* of the plateau: above, the growth is already slowed */
#define GROWTH_SAMPLES	3

static double median(const float *v, size_t n)
{
	static _Thread_local float room[SAMPLES_MAX];

	memcpy(room, v, n * sizeof(*v));
	return gsl_stats_float_median(room, 1, n);
}

static double mean(const float *v, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += v[i];
	return n ? sum / (double)n : NAN;
}

/* Growth per round trip: the slope of the logarithm over time. */
static double growth(const float *bps, size_t n, double interval_s, double rtt_ms, double plateau)
{
	double x = 0, y = 0, xx = 0, xy = 0, ln;
	size_t i, used = 0;

	for (i = 0; i < n; i++) {
		if (!(bps[i] > 0) || bps[i] > GROWTH_TOP * plateau)
			continue;
		ln = log(bps[i]);
		x += (double)i;
		y += ln;
		xx += (double)i * (double)i;
		xy += (double)i * ln;
		used++;
	}
	if (used < GROWTH_SAMPLES)
		return NAN;
	xx -= x * x / (double)used;
	xy -= x * y / (double)used;
	return exp(xy / xx / interval_s * rtt_ms / 1e3);
}

bool ramp_find(const float *bps, size_t n, double interval_s, double rtt_ms, struct ramp *r)
{
	double plateau;
	size_t i;

	if (n < SAMPLES_MIN || n > SAMPLES_MAX)
		return false;
	for (i = 0; i < n; i++)
		if (!isfinite(bps[i]))
			return false;
	plateau = median(bps + n / 2, n - n / 2);
	if (median(bps + n - n / 4, n / 4) > RISING * median(bps + n / 2, n - n / 4 - n / 2))
		return false;
	for (i = 0; i < n && bps[i] < REACHED * plateau; i++)
		;
	if (!(plateau > 0) || i >= n / 2)
		return false;
	*r = (struct ramp) {
		.first = i, .share = (double)i / (double)n, .ramp_bps = mean(bps, i),
		.sustained_bps = mean(bps + i, n - i), .growth = growth(bps, i, interval_s, rtt_ms, plateau),
	};
	/* Between the middles of the two samples. */
	if (i)
		r->seconds = interval_s * ((double)i - 0.5 +
					   (REACHED * plateau - bps[i - 1]) / (double)(bps[i] - bps[i - 1]));
	return true;
}

/* How the profile changes from one node to the next, term by term; exact, since products change by their means. */
static struct ramp_terms step(const struct ramp *a, const struct ramp *b, double ms)
{
	/* Without a ramp-up it has no throughput, and no weight. */
	double ramp_a = isnan(a->ramp_bps) ? a->sustained_bps : a->ramp_bps;
	double ramp_b = isnan(b->ramp_bps) ? b->sustained_bps : b->ramp_bps;
	double share = (a->share + b->share) / 2;

	return (struct ramp_terms) {
		.sustained = (1 - share) * (b->sustained_bps - a->sustained_bps) / ms,
		.ramp = share * (ramp_b - ramp_a) / ms,
		.share = (b->share - a->share) * (ramp_a + ramp_b - a->sustained_bps - b->sustained_bps) / 2 / ms,
	};
}

struct ramp_terms ramp_terms(const struct ramp r[3], const double rtt_ms[3])
{
	struct ramp_terms a = step(&r[0], &r[1], rtt_ms[1] - rtt_ms[0]);
	struct ramp_terms b = step(&r[1], &r[2], rtt_ms[2] - rtt_ms[1]);

	return (struct ramp_terms) { b.sustained - a.sustained, b.ramp - a.ramp, b.share - a.share };
}
