// SPDX-License-Identifier: GPL-2.0-or-later
/* A series of samples as a map of each value to the next: its order, its smoothness, and its shuffled likes. */
#include "profile/series.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"

#define NEIGHBOURS_MIN	8	/* of a line */
#define BATCHES		8	/* of an error of what is correlated in time */
#define SLOPE_MIN	1e-6	/* so that one flat place is not minus infinity */

static int by_value(const void *va, const void *vb, void *samples)
{
	const float *s = samples;
	unsigned int a = *(const unsigned int *)va, b = *(const unsigned int *)vb;

	/* Equal values by time, so that the order is always the same. */
	return s[a] < s[b] ? -1 : s[a] > s[b] ? 1 : a < b ? -1 : 1;
}

int series_make(struct series *s, const float *samples, size_t n)
{
	double sum = 0, squares = 0;
	size_t i;

	*s = (struct series) { .n = n };
	s->room = malloc(n * (sizeof(*s->value) + sizeof(*s->time) + sizeof(*s->rank)));
	if (!s->room)
		return err_set(-ENOMEM, NULL, "out of memory");
	s->value = s->room;
	s->time = (unsigned int *)(s->value + n);
	s->rank = s->time + n;
	for (i = 0; i < n; i++)
		s->time[i] = (unsigned int)i;
	qsort_r(s->time, n, sizeof(*s->time), by_value, (void *)samples);
	for (i = 0; i < n; i++) {
		s->value[i] = samples[s->time[i]];
		s->rank[s->time[i]] = (unsigned int)i;
		sum += s->value[i];
	}
	s->mean = sum / (double)n;
	for (i = 0; i < n; i++)
		squares += (s->value[i] - s->mean) * (s->value[i] - s->mean);
	s->sd = sqrt(squares / (double)(n - 1));
	return 0;
}

void series_free(struct series *s)
{
	free(s->room);
	*s = (struct series) { 0 };
}

void series_shuffle(struct series *s, gsl_rng *rng)
{
	unsigned int t;
	size_t i, j;

	for (i = s->n - 1; i > 0; i--) {
		j = (size_t)((unsigned long long)gsl_rng_get(rng) * (i + 1) >> 32);
		t = s->time[i];
		s->time[i] = s->time[j];
		s->time[j] = t;
	}
	for (i = 0; i < s->n; i++)
		s->rank[s->time[i]] = (unsigned int)i;
}

static double at(const struct series *s, size_t time)
{
	return s->value[s->rank[time]] - s->mean;
}

double series_lag1(const struct series *s)
{
	double xy = 0;
	size_t i;

	for (i = 0; i + 1 < s->n; i++)
		xy += at(s, i) * at(s, i + 1);
	return s->sd > 0 ? xy / ((double)(s->n - 1) * s->sd * s->sd) : NAN;
}

/* Sums over the pairs up to a place, so that those of any window are differences. */
struct sums {
	double x, y, xx, xy, yy;
};

struct pairs {
	size_t n;
	double *x, *y;
	unsigned int *time;
	struct sums *before;
};

static bool pairs_make(struct pairs *p, const struct series *s)
{
	struct sums sum = { 0 };
	size_t i;

	*p = (struct pairs) { 0 };
	p->before = malloc(s->n * (sizeof(*p->before) + 2 * sizeof(*p->x) + sizeof(*p->time)));
	if (!p->before)
		return false;
	p->x = (double *)(p->before + s->n);
	p->y = p->x + s->n;
	p->time = (unsigned int *)(p->y + s->n);
	p->before[0] = sum;
	for (i = 0; i < s->n; i++) {
		if (s->time[i] + 1 == s->n)
			continue;
		/* In units of the spread, so that the sums keep their digits. */
		p->x[p->n] = (s->value[i] - s->mean) / s->sd;
		p->y[p->n] = at(s, s->time[i] + 1) / s->sd;
		p->time[p->n] = s->time[i];
		sum.x += p->x[p->n];
		sum.y += p->y[p->n];
		sum.xx += p->x[p->n] * p->x[p->n];
		sum.xy += p->x[p->n] * p->y[p->n];
		sum.yy += p->y[p->n] * p->y[p->n];
		p->before[++p->n] = sum;
	}
	return true;
}

struct line {
	double slope, at, slope2;	/* slope2: squared standard error of the slope */
};

/* The line through the window's pairs, without the pair @out (SIZE_MAX: with all), at x. */
static struct line line_of(const struct pairs *p, size_t first, size_t end, size_t out, double x)
{
	const struct sums *a = &p->before[first], *b = &p->before[end];
	struct sums s = { b->x - a->x, b->y - a->y, b->xx - a->xx, b->xy - a->xy, b->yy - a->yy };
	double n = (double)(end - first), xx, xy, yy;
	struct line l;

	if (out != SIZE_MAX) {
		n--;
		s.x -= p->x[out];
		s.y -= p->y[out];
		s.xx -= p->x[out] * p->x[out];
		s.xy -= p->x[out] * p->y[out];
		s.yy -= p->y[out] * p->y[out];
	}
	xx = s.xx - s.x * s.x / n;
	xy = s.xy - s.x * s.y / n;
	yy = s.yy - s.y * s.y / n;
	l.slope = xx > 1e-12 * n ? xy / xx : 0;
	l.at = s.y / n + l.slope * (x - s.x / n);
	l.slope2 = xx > 1e-12 * n ? fmax(0, yy - l.slope * xy) / (n - 2) / xx : 0;
	return l;
}

/* The window of @width pairs about place @i. */
static size_t window(const struct pairs *p, size_t width, size_t i)
{
	size_t first = i > width / 2 ? i - width / 2 : 0;

	return first + width > p->n ? p->n - width : first;
}

static double residual_of(const struct pairs *p, size_t width)
{
	double sum = 0, d;
	size_t i, first;

	for (i = 0; i < p->n; i++) {
		first = window(p, width, i);
		d = p->y[i] - line_of(p, first, first + width, i, p->x[i]).at;
		sum += d * d;
	}
	return sum / (double)p->n;
}

/* The width that predicts best, and how well it does. */
static size_t best_width(const struct pairs *p, double *residual)
{
	size_t part, width, last = 0, best = p->n;
	double r;

	*residual = INFINITY;
	for (part = 1; part <= 64; part *= 2) {
		width = p->n / part < NEIGHBOURS_MIN ? NEIGHBOURS_MIN : p->n / part;
		if (width == last)
			break;
		last = width;
		r = residual_of(p, width);
		if (r < *residual) {
			*residual = r;
			best = width;
		}
	}
	return best;
}

double series_residual(const struct series *s)
{
	struct pairs p;
	double r = NAN;

	if (s->sd > 0 && pairs_make(&p, s)) {
		best_width(&p, &r);
		free(p.before);
	}
	return r;
}

/* Squared standard error of the mean of what is correlated in time, by the means of batches. */
static double batch_error2(const double *by_time, size_t n)
{
	double mean[BATCHES] = { 0 }, all = 0, squares = 0;
	size_t b, i, first, end;

	for (b = 0; b < BATCHES; b++) {
		first = b * n / BATCHES;
		end = (b + 1) * n / BATCHES;
		for (i = first; i < end; i++)
			mean[b] += by_time[i] / (double)(end - first);
		all += mean[b] / BATCHES;
	}
	for (b = 0; b < BATCHES; b++)
		squares += (mean[b] - all) * (mean[b] - all);
	return squares / (BATCHES - 1) / BATCHES;
}

struct series_map series_map(const struct series *s)
{
	struct series_map m = { NAN, NAN, NAN };
	double *by_time, fitted = 0, slope;
	struct pairs p;
	struct line l;
	size_t width, i, first;

	if (!(s->sd > 0) || !pairs_make(&p, s))
		return m;
	by_time = calloc(s->n, sizeof(*by_time));
	if (!by_time) {
		free(p.before);
		return m;
	}
	width = best_width(&p, &m.residual);
	m.exponent = 0;
	for (i = 0; i < p.n; i++) {
		first = window(&p, width, i);
		l = line_of(&p, first, first + width, SIZE_MAX, p.x[i]);
		slope = fmax(fabs(l.slope), SLOPE_MIN);
		by_time[p.time[i]] = log(slope);
		m.exponent += log(slope) / (double)p.n;
		/* A slope that is not known at all tells nothing of its logarithm; more than that it cannot say. */
		fitted += fmin(1, l.slope2 / (slope * slope)) / (double)p.n;
	}
	/* Windows overlap: there are n / width of their own. */
	m.error = sqrt(batch_error2(by_time, p.n) + fitted * (double)width / (double)p.n);
	free(by_time);
	free(p.before);
	return m;
}
