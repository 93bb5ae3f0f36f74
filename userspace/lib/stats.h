/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mean, spread and confidence of repeated measurements. */
#ifndef NETTOLL_LIB_STATS_H
#define NETTOLL_LIB_STATS_H

#include <stddef.h>

/**
 * struct stats_summary - what a sample says
 * @n: number of values
 * @mean: NaN when there are none
 * @sd: standard deviation of the sample; NaN below two values
 * @half: half the width of the mean's confidence interval (Student's t); NaN below two values
 */
struct stats_summary {
	size_t n;
	double mean, sd, min, max;
	double half;
};

/** stats_summarize() - @confidence: 0.95 for the 95 % interval */
struct stats_summary stats_summarize(const double *values, size_t n, double confidence);

/**
 * stats_difference() - mean of @b less mean of @a with its confidence interval (Welch's t)
 *
 * In the result, n is the smaller of the two and sd, min and max are NaN.
 */
struct stats_summary stats_difference(const double *a, size_t na, const double *b, size_t nb,
				      double confidence);

/**
 * stats_ratio() - the ratio of two sums of pairs, as of cycles to the time in which they were counted
 *
 * In the result, mean is sum of @y / sum of @x and half that of its confidence interval (by the linearised
 * variance of a ratio, Student's t with n - 1 degrees); sd, min and max are NaN.
 */
struct stats_summary stats_ratio(const double *y, const double *x, size_t n, double confidence);

/** stats_quantile() - the @q quantile (0 to 1), by linear interpolation; sorts @values */
double stats_quantile(double *values, size_t n, double q);

#endif
