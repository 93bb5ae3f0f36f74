// SPDX-License-Identifier: GPL-2.0-or-later
/* Percentiles, mean, deviation and histogram of round trips. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "traffic/latency.h"

static void test_no_samples(void **state)
{
	struct traffic_rtt r = { .min = 5, .max = 6, .mean = 7 };

	(void)state;
	latency_summary(&r, NULL, 0);
	assert_int_equal(r.min, 0);
	assert_int_equal(r.max, 0);
	assert_true(r.mean == 0 && r.sd == 0);
}

static void test_one_sample(void **state)
{
	uint64_t s[] = { 42 };
	struct traffic_rtt r;

	(void)state;
	latency_summary(&r, s, 1);
	assert_int_equal(r.min, 42);
	assert_int_equal(r.p50, 42);
	assert_int_equal(r.p999, 42);
	assert_int_equal(r.max, 42);
	assert_true(r.mean == 42 && r.sd == 0);
}

static void test_nearest_rank(void **state)
{
	uint64_t s[1000];
	struct traffic_rtt r;
	int i;

	(void)state;
	/* 1 .. 1000, from the top down: percentile p is exactly 10 p. */
	for (i = 0; i < 1000; i++)
		s[i] = 1000 - i;
	latency_summary(&r, s, 1000);
	assert_int_equal(r.min, 1);
	assert_int_equal(r.p50, 500);
	assert_int_equal(r.p90, 900);
	assert_int_equal(r.p99, 990);
	assert_int_equal(r.p999, 999);
	assert_int_equal(r.max, 1000);
	assert_true(fabs(r.mean - 500.5) < 1e-9);
	/* The sample deviation of 1 .. n is sqrt(n (n + 1) / 12). */
	assert_true(fabs(r.sd - sqrt(1000. * 1001 / 12)) < 1e-9);
	/* With few samples the rank is rounded up: half of five is the third. */
	for (i = 0; i < 5; i++)
		s[i] = 10 * (i + 1);
	latency_summary(&r, s, 5);
	assert_int_equal(r.p50, 30);
	assert_int_equal(r.p90, 50);
}

static void test_deviation_of_large_samples(void **state)
{
	uint64_t s[] = { 1000000000000001, 1000000000000003 };
	struct traffic_rtt r;

	(void)state;
	latency_summary(&r, s, 2);
	assert_true(fabs(r.sd - sqrt(2)) < 1e-6);
}

static void test_buckets_cover_every_number_once(void **state)
{
	unsigned int b;
	uint64_t low, next;

	(void)state;
	for (b = 0; b + 1 < TRAFFIC_HIST; b++) {
		low = latency_bucket_low(b);
		next = latency_bucket_low(b + 1);
		assert_true(next > low);
		assert_int_equal(latency_bucket(low), b);
		assert_int_equal(latency_bucket(next - 1), b);
		/* No bucket is wider than an eighth of its bound. */
		assert_true(next - low == 1 || (next - low) * 8 <= low);
	}
	assert_int_equal(latency_bucket(0), 0);
	assert_int_equal(latency_bucket(UINT64_MAX), TRAFFIC_HIST - 1);
}

static void test_histogram_counts_all(void **state)
{
	uint64_t s[500], sum = 0;
	struct traffic_rtt r;
	int i;

	(void)state;
	for (i = 0; i < 500; i++)
		s[i] = (uint64_t)i * i * 37;
	latency_summary(&r, s, 500);
	for (i = 0; i < TRAFFIC_HIST; i++)
		sum += r.hist[i];
	assert_int_equal(sum, 500);
	assert_int_equal(r.hist[latency_bucket(37 * 499 * 499)] > 0, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_samples),
		cmocka_unit_test(test_one_sample),
		cmocka_unit_test(test_nearest_rank),
		cmocka_unit_test(test_deviation_of_large_samples),
		cmocka_unit_test(test_buckets_cover_every_number_once),
		cmocka_unit_test(test_histogram_counts_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
