// SPDX-License-Identifier: GPL-2.0-or-later
/* Full factorial designs: effects of rungs and of sets of them, their intervals, the best state, the order. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ladder/factorial.h"

#define assert_close(a, b, eps)	assert_true(fabs((a) - (b)) <= (eps))

/* Each state twice, with this spread. */
static void fill(struct factorial *f, size_t k, const double *mean, double sd)
{
	size_t s;

	*f = (struct factorial) { .k = k };
	for (s = 0; s < (size_t)1 << k; s++) {
		f->n[s] = 2;
		f->mean[s] = mean[s];
		f->sd[s] = sd;
	}
}

static void effects__of_two_rungs(void **state)
{
	/* Neither, a, b, both: a is worth 2 without b, and 6 with it. */
	static const double mean[] = { 10, 12, 11, 17 };
	struct factorial f;

	(void)state;
	fill(&f, 2, mean, 0);
	assert_close(factorial_effect(&f, 1, 0.95).value, 4, 1e-12);
	assert_close(factorial_effect(&f, 2, 0.95).value, 3, 1e-12);
	assert_close(factorial_effect(&f, 3, 0.95).value, 2, 1e-12);
	assert_close(factorial_effect(&f, 3, 0.95).half, 0, 0);
	assert_int_equal(factorial_best(&f), 3);
}

static void effects__of_a_sum_have_no_interactions(void **state)
{
	static const double worth[] = { 1, -2, 4, 0.5 };
	double mean[16];
	struct factorial f;
	uint32_t s, i;

	(void)state;
	for (s = 0; s < 16; s++)
		for (i = 0, mean[s] = 7; i < 4; i++)
			mean[s] += s & 1u << i ? worth[i] : 0;
	fill(&f, 4, mean, 0);
	for (s = 1; s < 16; s++) {
		i = (uint32_t)__builtin_ctz(s);
		assert_close(factorial_effect(&f, s, 0.95).value, s == 1u << i ? worth[i] : 0, 1e-12);
	}
	/* All but the one that does harm. */
	assert_int_equal(factorial_best(&f), 13);
}

static void effects__width_is_that_of_the_pooled_spread(void **state)
{
	static const double mean[] = { 1, 1, 1, 1 };
	struct factorial f;

	(void)state;
	fill(&f, 2, mean, 3);
	/* 4 degrees of freedom: t = 2.776445; the error of a contrast of four means of two is 3 * sqrt(4 / 2) / 2. */
	assert_close(factorial_effect(&f, 1, 0.95).half, 2.776445 * 3 * sqrt(2) / 2, 1e-5);
	/* A state that was measured once adds no freedom, and its mean is less certain. */
	f.n[2] = 1;
	f.sd[2] = NAN;
	assert_close(factorial_effect(&f, 1, 0.95).half, 3.182446 * 3 * sqrt(2.5) / 2, 1e-5);
	f.n[0] = f.n[1] = f.n[3] = 1;
	assert_true(isnan(factorial_effect(&f, 1, 0.95).half));
}

static void best__of_equals_is_the_one_with_fewest_rungs(void **state)
{
	static const double mean[] = { 1, 5, 2, 5 };
	struct factorial f;

	(void)state;
	fill(&f, 2, mean, 0);
	assert_int_equal(factorial_best(&f), 1);
}

static void order__is_a_permutation_and_repeats(void **state)
{
	uint32_t a[FACTORIAL_STATES_MAX], b[FACTORIAL_STATES_MAX], i;
	bool seen[FACTORIAL_STATES_MAX] = { false };

	(void)state;
	factorial_order(a, FACTORIAL_STATES_MAX, 3);
	for (i = 0; i < FACTORIAL_STATES_MAX; i++) {
		assert_true(a[i] < FACTORIAL_STATES_MAX && !seen[a[i]]);
		seen[a[i]] = true;
	}
	factorial_order(b, FACTORIAL_STATES_MAX, 3);
	assert_memory_equal(a, b, sizeof(a));
	factorial_order(b, FACTORIAL_STATES_MAX, 4);
	assert_memory_not_equal(a, b, sizeof(a));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(effects__of_two_rungs),
		cmocka_unit_test(effects__of_a_sum_have_no_interactions),
		cmocka_unit_test(effects__width_is_that_of_the_pooled_spread),
		cmocka_unit_test(best__of_equals_is_the_one_with_fewest_rungs),
		cmocka_unit_test(order__is_a_permutation_and_repeats),
	};

	return cmocka_run_group_tests_name("ladder_factorial", tests, NULL, NULL);
}
