// SPDX-License-Identifier: GPL-2.0-or-later
/* Mean, spread and confidence of repeated measurements, by GSL. */
#include "lib/stats.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

struct stats_summary stats_summarize(const double *values, size_t n, double confidence)
{
	struct stats_summary s = { n, NAN, NAN, NAN, NAN, NAN };

	if (!n)
		return s;
	s.mean = gsl_stats_mean(values, 1, n);
	gsl_stats_minmax(&s.min, &s.max, values, 1, n);
	if (n < 2)
		return s;
	s.sd = gsl_stats_sd_m(values, 1, n, s.mean);
	s.half = gsl_cdf_tdist_Pinv(0.5 + confidence / 2, n - 1) * s.sd / sqrt(n);
	return s;
}

struct stats_summary stats_difference(const double *a, size_t na, const double *b, size_t nb,
				      double confidence)
{
	struct stats_summary sa = stats_summarize(a, na, confidence);
	struct stats_summary sb = stats_summarize(b, nb, confidence);
	struct stats_summary d = { na < nb ? na : nb, sb.mean - sa.mean, NAN, NAN, NAN, NAN };
	double va, vb, freedom;

	if (na < 2 || nb < 2)
		return d;
	va = sa.sd * sa.sd / na;
	vb = sb.sd * sb.sd / nb;
	if (va + vb == 0) {
		d.half = 0;
		return d;
	}
	freedom = (va + vb) * (va + vb) / (va * va / (na - 1) + vb * vb / (nb - 1));
	d.half = gsl_cdf_tdist_Pinv(0.5 + confidence / 2, freedom) * sqrt(va + vb);
	return d;
}

struct stats_summary stats_ratio(const double *y, const double *x, size_t n, double confidence)
{
	struct stats_summary s = { n, NAN, NAN, NAN, NAN, NAN };
	double sum_y = 0, sum_x = 0, rest, squares = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		sum_y += y[i];
		sum_x += x[i];
	}
	if (sum_x == 0)
		return s;
	s.mean = sum_y / sum_x;
	if (n < 2)
		return s;
	for (i = 0; i < n; i++) {
		rest = y[i] - s.mean * x[i];
		squares += rest * rest;
	}
	s.half = gsl_cdf_tdist_Pinv(0.5 + confidence / 2, n - 1) *
		 sqrt(squares * n / (n - 1)) / fabs(sum_x);
	return s;
}

double stats_quantile(double *values, size_t n, double q)
{
	if (!n)
		return NAN;
	gsl_sort(values, 1, n);
	return gsl_stats_quantile_from_sorted_data(values, 1, n, q);
}
