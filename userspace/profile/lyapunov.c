// SPDX-License-Identifier: GPL-2.0-or-later
/* Estimates of the largest Lyapunov exponent of a series, from how neighbours part. */
#include <math.h>
#include <stdint.h>

#include "profile/series.h"

#define STEPS		8	/* that neighbours are followed */
#define SATURATED	0.6	/* of the way from the first distance to that of any two values, in logarithms */
#define SIDE		2	/* neighbours on each side that make up a neighbourhood */

/*
 * A mean of logarithms as the logarithm of a product, which is brought back into range now and then: logarithms are
 * what this costs most.
 */
struct mean_log {
	double product;
	int64_t exponent;
	size_t n;
};

static void mean_log_add(struct mean_log *m, double v)
{
	int e;

	m->product *= v;
	m->n++;
	if (m->product < 1e-200 || m->product > 1e200) {
		m->product = frexp(m->product, &e);
		m->exponent += e;
	}
}

static double mean_log(const struct mean_log *m)
{
	return m->n ? (log(m->product) + (double)m->exponent * M_LN2) / (double)m->n : NAN;
}

/*
 * The nearest value to that at place @p that differs from it and was taken at least @ahead samples before the end;
 * SIZE_MAX: none.
 */
static size_t nearest(const struct series *s, size_t p, size_t ahead)
{
	size_t low = p, high = p;
	double x = s->value[p];

	do {
		if (low-- == 0) {
			low = SIZE_MAX;
			break;
		}
	} while (s->value[low] == x || s->time[low] + ahead >= s->n);
	do {
		if (++high == s->n) {
			high = SIZE_MAX;
			break;
		}
	} while (s->value[high] == x || s->time[high] + ahead >= s->n);
	if (low == SIZE_MAX || high == SIZE_MAX)
		return low == SIZE_MAX ? high : low;
	return x - s->value[low] <= s->value[high] - x ? low : high;
}

/* Distance of what follows two places by @step samples. */
static double apart(const struct series *s, size_t p, size_t q, size_t step)
{
	return fabs(s->value[s->rank[s->time[p] + step]] - s->value[s->rank[s->time[q] + step]]);
}

double lyapunov_nearest(const struct series *s)
{
	struct mean_log m = { 1, 0, 0 };
	double before, after;
	size_t p, q;

	for (p = 0; p < s->n; p++) {
		if (s->time[p] + 1 >= s->n)
			continue;
		q = nearest(s, p, 1);
		if (q == SIZE_MAX)
			continue;
		before = fabs(s->value[p] - s->value[q]);
		after = apart(s, p, q, 1);
		if (after > 0)
			mean_log_add(&m, after / before);
	}
	return mean_log(&m);
}

/* The logarithm of the distance of any two values, in the mean. */
static double far_apart(const struct series *s)
{
	struct mean_log m = { 1, 0, 0 };
	size_t i, half = s->n / 2;
	double d;

	/*
	 * Places that are far from each other by size as well as near: all distances between halves of a shuffled
	 * deck.
	 */
	for (i = 0; i < s->n; i++) {
		d = fabs(s->value[i] - s->value[(i * 7 + half) % s->n]);
		if (d > 0)
			mean_log_add(&m, d);
	}
	return mean_log(&m);
}

/* Slope of the curve of divergence, from its beginning to where it flattens out. */
static double slope(const double *curve, double far)
{
	double x = 0, y = 0, xx = 0, xy = 0, n;
	size_t k, last = 1;

	while (last < STEPS && curve[last + 1] <= curve[0] + SATURATED * (far - curve[0]))
		last++;
	n = (double)(last + 1);
	for (k = 0; k <= last; k++) {
		x += (double)k;
		y += curve[k];
		xx += (double)(k * k);
		xy += (double)k * curve[k];
	}
	return (xy - x * y / n) / (xx - x * x / n);
}

double lyapunov_rosenstein(const struct series *s)
{
	struct mean_log m[STEPS + 1];
	double curve[STEPS + 1], d;
	size_t p, q, k;

	for (k = 0; k <= STEPS; k++)
		m[k] = (struct mean_log) { 1, 0, 0 };
	for (p = 0; p < s->n; p++) {
		if (s->time[p] + STEPS >= s->n)
			continue;
		q = nearest(s, p, STEPS);
		for (k = 0; q != SIZE_MAX && k <= STEPS; k++) {
			d = apart(s, p, q, k);
			if (d > 0)
				mean_log_add(&m[k], d);
		}
	}
	for (k = 0; k <= STEPS; k++)
		curve[k] = mean_log(&m[k]);
	return slope(curve, far_apart(s));
}

double lyapunov_kantz(const struct series *s)
{
	struct mean_log m[STEPS + 1];
	double curve[STEPS + 1], sum;
	size_t p, q, k, near[2 * SIDE], n;

	for (k = 0; k <= STEPS; k++)
		m[k] = (struct mean_log) { 1, 0, 0 };
	for (p = 0; p < s->n; p++) {
		if (s->time[p] + STEPS >= s->n)
			continue;
		for (n = 0, q = p; q-- > 0 && n < SIDE;)
			if (s->time[q] + STEPS < s->n)
				near[n++] = q;
		for (k = n, q = p + 1; q < s->n && n < k + SIDE; q++)
			if (s->time[q] + STEPS < s->n)
				near[n++] = q;
		for (k = 0; n && k <= STEPS; k++) {
			for (sum = 0, q = 0; q < n; q++)
				sum += apart(s, p, near[q], k);
			if (sum > 0)
				mean_log_add(&m[k], sum / (double)n);
		}
	}
	for (k = 0; k <= STEPS; k++)
		curve[k] = mean_log(&m[k]);
	return slope(curve, far_apart(s));
}
