// SPDX-License-Identifier: GPL-2.0-or-later
/* The distribution-free bound on how far a profile of means is from the best one. */
#include "profile/bound.h"

#include <math.h>

#define VARIATION	2.0	/* total variation of a unimodal function with values in [0, 1] */
#define RUNS_MAX	1e15

/* Natural logarithm of the size of a cover of the profiles, at @n points and scale @eps. */
static double log_cover(double eps, double n)
{
	double d = 1 + floor(2 * VARIATION / eps);

	return log(2) + d * log2(4 * M_E * n / (d * eps)) * log(4 * n / (eps * eps));
}

static double log_bound(double eps, double n)
{
	return log(16) + log_cover(eps, n) + log(n) - eps * eps * n / 16;
}

double bound_log10(double eps, double n)
{
	return log_bound(eps, n) / log(10);
}

double bound_runs(double eps, double delta)
{
	double low = 1, high = RUNS_MAX, mid;

	/* It falls once it is small; where it rises it is far above 1. */
	while (high / low > 1 + 1e-6) {
		mid = sqrt(low * high);
		if (log_bound(eps, mid) <= log(delta))
			high = mid;
		else
			low = mid;
	}
	return ceil(high);
}

double bound_hoeffding(double m, double confidence)
{
	return sqrt(log(2 / (1 - confidence)) / (2 * m));
}
