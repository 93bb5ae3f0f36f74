// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Exponents and verdicts of series whose dynamics are known: chaotic maps, noise with and without memory, none at
 * all.
 */
#include <gsl/gsl_randist.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/dynamics.h"
#include "profile/series.h"

#define N	600
#define NEAR(a, b, eps)	assert_true(fabs((a) - (b)) <= (eps))

enum kind { LOGISTIC, TENT, NOISE, AR };

static void fill(enum kind kind, float *x, size_t n, gsl_rng *rng)
{
	double v = 0.1 + 0.8 * gsl_rng_uniform(rng);
	size_t i;

	for (i = 0; i < n; i++) {
		switch (kind) {
		case LOGISTIC: v = 4 * v * (1 - v); break;
		case TENT: v = v < 0.5 ? 1.9 * v : 1.9 * (1 - v); break;
		case NOISE: v = gsl_ran_gaussian(rng, 1); break;
		case AR: v = 0.5 * v + gsl_ran_gaussian(rng, 1); break;
		}
		x[i] = (float)v;
	}
}

static void exponents__of_maps(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	static const double truth[] = { 0.6931, 0.6419 };
	struct series s;
	float x[N];
	int kind, i;

	(void)state;
	for (kind = LOGISTIC; kind <= TENT; kind++) {
		for (i = 0; i < 5; i++) {
			fill(kind, x, N, rng);
			assert_int_equal(series_make(&s, x, N), 0);
			NEAR(lyapunov_nearest(&s), truth[kind], 0.02);
			NEAR(lyapunov_rosenstein(&s), truth[kind], 0.02);
			NEAR(lyapunov_kantz(&s), truth[kind], 0.04);
			NEAR(series_map(&s).exponent, truth[kind], 0.04);
			assert_true(series_residual(&s) < 0.01);
			series_free(&s);
		}
	}
	gsl_rng_free(rng);
}

/* On noise the classical estimates are positive and grow with the length: only shuffled samples tell. */
static void exponents__of_noise_are_those_of_shuffled_noise(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double sum = 0, shuffled = 0;
	struct series s;
	float x[N];
	int i;

	(void)state;
	for (i = 0; i < 10; i++) {
		fill(NOISE, x, N, rng);
		assert_int_equal(series_make(&s, x, N), 0);
		sum += lyapunov_nearest(&s) / 10;
		assert_true(series_residual(&s) > 0.9);
		series_shuffle(&s, rng);
		shuffled += lyapunov_nearest(&s) / 10;
		series_free(&s);
	}
	NEAR(sum, 5.96, 0.15);
	NEAR(sum, shuffled, 0.15);
	gsl_rng_free(rng);
}

static void shuffle__keeps_the_values(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	unsigned char seen[N] = { 0 };
	struct series s;
	float x[N];
	size_t i;

	(void)state;
	fill(AR, x, N, rng);
	assert_int_equal(series_make(&s, x, N), 0);
	NEAR(series_lag1(&s), 0.5, 0.1);
	for (i = 0; i < N; i++)
		assert_true((float)s.value[s.rank[i]] == x[i]);
	series_shuffle(&s, rng);
	NEAR(series_lag1(&s), 0, 0.15);
	for (i = 0; i < N; i++) {
		assert_int_equal(s.rank[s.time[i]], i);
		seen[s.time[i]]++;
	}
	for (i = 0; i < N; i++)
		assert_int_equal(seen[i], 1);
	series_free(&s);
	gsl_rng_free(rng);
}

#define RUNS	3
#define SAMPLES	100

/* The verdict on a point of a few runs of a kind. */
static struct dynamics judge(enum kind kind, gsl_rng *rng, double scale)
{
	static float samples[RUNS * SAMPLES];
	struct dynamics_options o = { .confidence = 0.95, .seed = 1 };
	struct group g = { .campaign = "c", .hash = 5 };
	struct run runs[RUNS] = { 0 };
	struct store s = { .runs = runs, .n = RUNS, .groups = &g, .ngroups = 1, .samples = samples };
	struct dynamics d;
	size_t i;

	for (i = 0; i < RUNS * SAMPLES; i += SAMPLES)
		fill(kind, samples + i, SAMPLES, rng);
	/* As throughput: above 0. */
	for (i = 0; i < RUNS * SAMPLES; i++)
		samples[i] = (float)((kind < NOISE ? 20 : 1000) + scale * samples[i]);
	for (i = 0; i < RUNS; i++) {
		runs[i].rtt_ms = 10;
		runs[i].fine = runs[i].coarse = (struct trace) { i * SAMPLES, SAMPLES, 1 };
	}
	dynamics_plan(&s, &o);
	assert_true(o.interval_s == 1 && o.samples == SAMPLES);
	assert_int_equal(dynamics_point(&s, runs, RUNS, &o, &d), 0);
	return d;
}

static void verdict__of_known_dynamics(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	int i, unstable = 0, noise = 0, memory = 0;

	(void)state;
	for (i = 0; i < 20; i++) {
		assert_int_equal(judge(LOGISTIC, rng, 1).verdict, DYNAMICS_UNSTABLE);
		unstable += judge(NOISE, rng, 1).verdict == DYNAMICS_UNSTABLE;
		noise += judge(NOISE, rng, 1).verdict == DYNAMICS_NOISE;
		unstable += judge(AR, rng, 1).verdict == DYNAMICS_UNSTABLE;
		memory += judge(AR, rng, 1).verdict == DYNAMICS_STABLE;
	}
	assert_true(unstable <= 1);
	/* Three runs are few: the others with memory are undecided. */
	assert_true(noise >= 16 && memory >= 10);
	assert_int_equal(judge(NOISE, rng, 0).verdict, DYNAMICS_STEADY);
	gsl_rng_free(rng);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(exponents__of_maps),
		cmocka_unit_test(exponents__of_noise_are_those_of_shuffled_noise),
		cmocka_unit_test(shuffle__keeps_the_values),
		cmocka_unit_test(verdict__of_known_dynamics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
