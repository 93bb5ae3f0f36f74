// SPDX-License-Identifier: GPL-2.0-or-later
/* Means and confidence intervals against values worked out by hand and from tables of t. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/progress.h"
#include "lib/stats.h"

#define CLOSE(a, b)	assert_float_equal(a, b, 1e-6)

static void summary__t_interval(void **state)
{
	static const double v[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct stats_summary s = stats_summarize(v, 8, 0.95);

	(void)state;
	CLOSE(s.mean, 5);
	CLOSE(s.sd, sqrt(32 / 7.0));
	CLOSE(s.min, 2);
	CLOSE(s.max, 9);
	/* t(0.975, 7) = 2.364624 */
	assert_float_equal(s.half, 2.364624 * sqrt(32 / 7.0) / sqrt(8), 1e-5);
}

static void summary__too_few_values(void **state)
{
	static const double v[] = { 3 };
	struct stats_summary s = stats_summarize(v, 0, 0.95);

	(void)state;
	assert_true(isnan(s.mean) && isnan(s.half));
	s = stats_summarize(v, 1, 0.95);
	CLOSE(s.mean, 3);
	assert_true(isnan(s.sd) && isnan(s.half));
}

static void ratio__by_hand(void **state)
{
	static const double y[] = { 10, 22, 28 }, x[] = { 1, 2, 3 };
	struct stats_summary s = stats_ratio(y, x, 3, 0.95);

	(void)state;
	CLOSE(s.mean, 10);
	/* Residuals 0, 2, -2; t(0.975, 2) = 4.302653 */
	assert_float_equal(s.half, 4.302653 * sqrt(8 * 3 / 2.0) / 6, 1e-5);
	/* In proportion, whatever the lengths: no doubt. */
	assert_float_equal(stats_ratio((double[]){ 10, 20, 30 }, x, 3, 0.95).half, 0, 1e-9);
	assert_true(isnan(stats_ratio(y, x, 1, 0.95).half));
	CLOSE(stats_ratio(y, x, 1, 0.95).mean, 10);
	assert_true(isnan(stats_ratio(y, x, 0, 0.95).mean));
}

static void difference__welch(void **state)
{
	static const double a[] = { 1, 2, 3 }, b[] = { 11, 13, 15, 17 };
	struct stats_summary d = stats_difference(a, 3, b, 4, 0.95);
	double va = 1 / 3.0, vb = 20 / 3.0 / 4, freedom;

	(void)state;
	CLOSE(d.mean, 12);
	freedom = (va + vb) * (va + vb) / (va * va / 2 + vb * vb / 3);
	/* t(0.975, 4.234...) lies between those of 4 and 5 degrees */
	assert_true(freedom > 4 && freedom < 5);
	assert_true(d.half < 2.776446 * sqrt(va + vb) && d.half > 2.570582 * sqrt(va + vb));
}

static void difference__without_spread(void **state)
{
	static const double a[] = { 1, 1 }, b[] = { 2, 2 };

	(void)state;
	CLOSE(stats_difference(a, 2, b, 2, 0.95).half, 0);
	assert_true(isnan(stats_difference(a, 1, b, 2, 0.95).half));
}

static void quantile__interpolates(void **state)
{
	double v[] = { 4, 1, 3, 2 };

	(void)state;
	CLOSE(stats_quantile(v, 4, 0.5), 2.5);
	CLOSE(stats_quantile(v, 4, 0), 1);
	CLOSE(stats_quantile(v, 4, 1), 4);
	assert_true(isnan(stats_quantile(v, 0, 0.5)));
}

static void progress__time_left(void **state)
{
	(void)state;
	assert_true(progress_left(1, 4, 10) == 30);
	assert_true(progress_left(4, 4, 10) == 0);
	assert_true(progress_left(0, 4, 10) == UINT64_MAX);
	assert_true(progress_left(5, 4, 10) == UINT64_MAX);
	assert_true(progress_left(1ull << 62, 1ull << 63, 1ull << 60) == 1ull << 60);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(summary__t_interval),
		cmocka_unit_test(summary__too_few_values),
		cmocka_unit_test(ratio__by_hand),
		cmocka_unit_test(difference__welch),
		cmocka_unit_test(difference__without_spread),
		cmocka_unit_test(quantile__interpolates),
		cmocka_unit_test(progress__time_left),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
