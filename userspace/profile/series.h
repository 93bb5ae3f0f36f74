/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A series of samples as a map of each value to the next: smoothness, Lyapunov exponents, and its shuffled likes. */
#ifndef NETTOLL_PROFILE_SERIES_H
#define NETTOLL_PROFILE_SERIES_H

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>

#define SERIES_MIN	30	/* samples: of fewer nothing is said */
#define SERIES_MAX	8192

/**
 * struct series - @n samples, sorted
 * @value: by size
 * @time: when each was taken, by size
 * @rank: the place by size of each, by time
 * @mean, @sd: of the values
 */
struct series {
	size_t n;
	double *value, mean, sd;
	unsigned int *time, *rank;
	void *room;
};

/** series_make() - from samples in the order of time; 0, or a negative errno described by err_set() */
int series_make(struct series *s, const float *samples, size_t n);
void series_free(struct series *s);

/** series_shuffle() - the same values in random order: what nothing but the values can explain */
void series_shuffle(struct series *s, gsl_rng *rng);

/** series_lag1() - correlation of each sample with the next */
double series_lag1(const struct series *s);

/**
 * struct series_map - the map M of X[i] to X[i + 1], by lines through the nearest values
 * @residual: variance about it, each sample left out of its own line, by that of X: near 0 for a curve, 1 for a cloud
 * @exponent: mean of ln |M'|, nats a sample: below 0, nearby states come together
 * @error: standard error of the exponent
 */
struct series_map {
	double residual, exponent, error;
};

/** series_map() - with the width of neighbourhood that predicts best; NaN when all values are equal */
struct series_map series_map(const struct series *s);

/** series_residual() - of the map only */
double series_residual(const struct series *s);

/* Estimates of the largest Lyapunov exponent, nats a sample; NaN when there are no neighbours. */

/** lyapunov_nearest() - how much further apart nearest neighbours are after one sample */
double lyapunov_nearest(const struct series *s);

/** lyapunov_rosenstein() - slope of the mean logarithm of the distance of nearest neighbours, while it rises */
double lyapunov_rosenstein(const struct series *s);

/** lyapunov_kantz() - the same of the logarithm of the mean distance in neighbourhoods of a few values */
double lyapunov_kantz(const struct series *s);

#endif
