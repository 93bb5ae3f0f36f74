// SPDX-License-Identifier: GPL-2.0-or-later
/* Shapes of profiles against the reference model's closed forms: transitions, chords, phases, bounds, intervals. */
#include <gsl/gsl_randist.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/bound.h"
#include "profile/fit.h"
#include "profile/refmodel.h"

static const double rtts[] = { 0.4, 11.8, 22.6, 45.6, 91.6, 183, 366 };
#define NODES	(sizeof(rtts) / sizeof(*rtts))
#define REPEATS	10

/* A store of one group: the model at all RTTs, each run with noise. */
static void make(struct store *s, struct run *runs, struct group *g, const struct refmodel *m, size_t repeats,
		 double noise, unsigned long seed)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	size_t i;

	gsl_rng_set(rng, seed);
	for (i = 0; i < NODES * repeats; i++)
		runs[i] = (struct run) {
			.rtt_ms = rtts[i / repeats], .rtt_measured_ms = NAN, .rwnd_share = NAN, .sndbuf_share = NAN,
			.buffer_bytes = m->buffer_bytes, .repeat = (uint32_t)(i % repeats),
			.bps = refmodel_bps(m, rtts[i / repeats], NULL) * (1 + gsl_ran_gaussian(rng, noise)),
		};
	gsl_rng_free(rng);
	*g = (struct group) { .campaign = "c", .variant = "cubic", .buffer = "b", .streams = (uint32_t)m->streams,
			      .capacity_bps = m->capacity_bps, .n = NODES * repeats };
	*s = (struct store) { .runs = runs, .n = NODES * repeats, .groups = g, .ngroups = 1 };
}

static const struct fit_options options = { .confidence = 0.95, .eps = 0.1, .reps = 500, .seed = 3 };

static void refmodel__closed_forms(void **state)
{
	struct refmodel m = { 1e10, 1, 1e9, REFMODEL_INITIAL, 10, 2 };
	struct refmodel_phases p;

	(void)state;
	assert_float_equal(refmodel_bps(&m, 0.4, &p), 9.999e9, 1e6);
	assert_float_equal(p.ramp_s, 0.002, 0.0005);
	assert_float_equal(refmodel_bps(&m, 366, &p), 5.057e9, 1e6);
	assert_float_equal(p.ramp_s, 5.471, 0.001);
	/* The phases make up the whole. */
	assert_float_equal(p.share * p.ramp_bps + (1 - p.share) * p.sustained_bps, refmodel_bps(&m, 366, NULL), 1e3);
	m.streams = 10;
	assert_float_equal(refmodel_bps(&m, 183, NULL), 8.319e9, 1e6);
	m = (struct refmodel) { 1e10, 1, 250e3, REFMODEL_INITIAL, 10, 2 };
	assert_float_equal(refmodel_bps(&m, 11.8, NULL), 0.1689e9, 1e5);
	assert_float_equal(refmodel_turn_ms(&m), 0.2, 1e-9);
	/* Still ramping up at the end. */
	m = (struct refmodel) { 1e10, 1, 1e9, REFMODEL_INITIAL, 0.5, 2 };
	refmodel_bps(&m, 366, &p);
	assert_float_equal(p.share, 1, 1e-12);
}

/* Without noise, both forms find what the model has; the second is the paper's. */
static void sigmoid__golden(void **state)
{
	static const struct { double buffer, streams, seconds, freed, unit, unit_sse; } cases[] = {
		{ 1e9, 1, 10, 366, 366, 7.6e-3 }, { 1e9, 10, 10, 366, 366, 2.1e-2 }, { 250e6, 1, 100, 366, 366, NAN },
		{ 60e6, 1, 100, 91.6, 91.6, NAN }, { 250e3, 1, 10, 0.4, 0.4, NAN }, { 250e3, 10, 10, 0.4, 11.8, NAN },
	};
	struct run runs[NODES];
	struct refmodel m;
	struct store s;
	struct group g;
	struct fit f;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		m = (struct refmodel) { 1e10, cases[i].streams, cases[i].buffer, REFMODEL_INITIAL,
					cases[i].seconds, 2 };
		make(&s, runs, &g, &m, 1, 0, 1);
		assert_int_equal(fit_group(&s, &g, &options, &f), 0);
		assert_true(f.node[f.sigmoid[SIGMOID_FREE].turn].rtt_ms == cases[i].freed);
		assert_true(f.node[f.sigmoid[SIGMOID_UNIT].turn].rtt_ms == cases[i].unit);
		if (!isnan(cases[i].unit_sse))
			assert_float_equal(f.sigmoid[SIGMOID_UNIT].sse, cases[i].unit_sse, 0.01 * cases[i].unit_sse);
		/* One run each: nothing is said of its certainty. */
		assert_true(isnan(f.node[0].mean.low) && isnan(f.level[SIGMOID_FREE]) && f.unrepeated == NODES);
		fit_free(&f);
	}
}

static void shape__chords_of_a_known_profile(void **state)
{
	static const double known[] = { 0.0001, 0.0001, 0.157, -0.229, -0.131 };
	struct refmodel m = { 1e10, 1, 60e6, REFMODEL_INITIAL, 100, 2 };
	struct run runs[NODES * REPEATS];
	struct store s;
	struct group g;
	struct fit f;
	size_t k;

	(void)state;
	make(&s, runs, &g, &m, REPEATS, 0, 1);
	assert_int_equal(fit_group(&s, &g, &options, &f), 0);
	for (k = 1; k + 1 < NODES; k++) {
		assert_float_equal(f.node[k].chord.value / 1e10, known[k - 1], 1e-3);
		assert_int_equal(f.node[k].sign, known[k - 1] > 0 ? SHAPE_CONCAVE : SHAPE_CONVEX);
	}
	/* 48 ms lies there. */
	assert_true(f.node[f.bracket.low].rtt_ms == 45.6 && f.node[f.bracket.high].rtt_ms == 91.6 && !f.bracket.mixed);
	assert_float_equal(f.model_ms, 48, 1e-9);
	fit_free(&f);
}

static void fit__sets_hold_the_truth(void **state)
{
	struct refmodel m = { 1e10, 1, 60e6, REFMODEL_INITIAL, 100, 2 };
	struct run runs[NODES * REPEATS];
	struct store s;
	struct group g;
	struct fit f;
	unsigned long seed;
	int found = 0;

	(void)state;
	for (seed = 1; seed <= 20; seed++) {
		make(&s, runs, &g, &m, REPEATS, 0.02, seed);
		assert_int_equal(fit_group(&s, &g, &options, &f), 0);
		found += f.node[3].in_set[SIGMOID_FREE] || f.node[4].in_set[SIGMOID_FREE];
		assert_true(f.level[SIGMOID_FREE] >= options.confidence);
		fit_free(&f);
	}
	assert_true(found >= 18);
}

static void fit__same_seed_same_numbers(void **state)
{
	struct refmodel m = { 1e10, 2, 60e6, REFMODEL_INITIAL, 10, 2 };
	struct run runs[NODES * REPEATS];
	struct fit_options other = options;
	struct fit a, b;
	struct store s;
	struct group g;
	size_t k;

	(void)state;
	make(&s, runs, &g, &m, REPEATS, 0.02, 5);
	assert_int_equal(fit_group(&s, &g, &options, &a), 0);
	assert_int_equal(fit_group(&s, &g, &options, &b), 0);
	for (k = 0; k < NODES; k++) {
		assert_true(a.node[k].mean.low == b.node[k].mean.low && a.node[k].mean.high == b.node[k].mean.high);
		assert_true(a.node[k].share[SIGMOID_FREE] == b.node[k].share[SIGMOID_FREE]);
	}
	fit_free(&b);
	other.seed++;
	assert_int_equal(fit_group(&s, &g, &other, &b), 0);
	assert_true(a.node[2].mean.low != b.node[2].mean.low && a.node[2].mean.value == b.node[2].mean.value);
	fit_free(&a);
	fit_free(&b);
}

static void interval__methods(void **state)
{
	struct refmodel m = { 1e10, 1, 60e6, REFMODEL_INITIAL, 10, 2 };
	static const enum interval_how want[] = { INTERVAL_NONE, INTERVAL_T, INTERVAL_BOOT };
	static const size_t repeats[] = { 1, 3, 8 };
	struct run runs[NODES * REPEATS];
	double weight[NODES] = { [2] = 1 };
	struct interval v;
	struct curve c;
	struct boot b;
	struct store s;
	struct group g;
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		make(&s, runs, &g, &m, repeats[i], 0.02, 2);
		assert_int_equal(curve_make(&c, runs, s.n, 1e10), 0);
		assert_int_equal(boot_make(&b, &c, 500, 1), 0);
		v = interval_of(&c, &b, weight, 0.95);
		assert_int_equal(v.how, want[i]);
		if (v.how != INTERVAL_NONE)
			assert_true(v.low < v.value && v.value < v.high);
		boot_free(&b);
		curve_free(&c);
	}
	make(&s, runs, &g, &m, 3, 0, 2);
	assert_int_equal(curve_make(&c, runs, s.n, 1e10), 0);
	v = interval_of(&c, NULL, weight, 0.95);
	assert_true(v.how == INTERVAL_EXACT && v.low == v.high);
	curve_free(&c);
}

static void fit__two_rtts_have_no_shape(void **state)
{
	struct refmodel m = { 1e10, 1, 60e6, REFMODEL_INITIAL, 10, 2 };
	struct run runs[NODES * REPEATS];
	struct store s;
	struct group g;
	struct fit f;

	(void)state;
	make(&s, runs, &g, &m, REPEATS, 0.02, 2);
	g.n = 2 * REPEATS;
	assert_int_equal(fit_group(&s, &g, &options, &f), 0);
	assert_true(!f.shaped && f.n == 2 && isfinite(f.node[1].mean.low) && isnan(f.node[1].chord.value));
	fit_free(&f);
}

static void shape__areas(void **state)
{
	static const double x[] = { 0, 1, 3 };
	struct run runs[3] = { 0 };
	struct curve c;
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		runs[i].rtt_ms = x[i];
		runs[i].bps = i == 2 ? 0 : 1;
	}
	assert_int_equal(curve_make(&c, runs, 3, 1), 0);
	/* (1 + 2 / 2) / 3, and less the triangle. */
	assert_float_equal(shape_utilization(&c, NULL, 0.95).value, 2 / 3.0, 1e-12);
	assert_float_equal(shape_concavity(&c, NULL, 0.95).value, 2 / 3.0 - 0.5, 1e-12);
	curve_free(&c);
}

static void ramp__phases_of_a_doubling_window(void **state)
{
	float bps[200];
	struct ramp r;
	size_t i;

	(void)state;
	/* Doubles every 0.5 s up to 1e9 at 5 s. */
	for (i = 0; i < 200; i++)
		bps[i] = (float)(1e9 * fmin(1, exp2(((double)i * 0.1 - 5) / 0.5)));
	assert_true(ramp_find(bps, 200, 0.1, 500, &r));
	assert_float_equal(r.growth, 2, 1e-3);
	assert_float_equal(r.seconds, 5, 0.15);
	assert_float_equal(r.sustained_bps, 1e9, 1e6);
	assert_float_equal(r.share * r.ramp_bps + (1 - r.share) * r.sustained_bps,
			   (r.ramp_bps * r.first + r.sustained_bps * (200 - r.first)) / 200, 1);
	/* Up to the end: no plateau, and nothing is said. */
	assert_false(ramp_find(bps, 50, 0.1, 500, &r));
	bps[20] = NAN;
	assert_false(ramp_find(bps, 200, 0.1, 500, &r));
}

static void ramp__terms_add_up(void **state)
{
	static const double x[] = { 10, 20, 50 };
	struct ramp r[3] = {
		{ .share = 0.1, .ramp_bps = 3, .sustained_bps = 10 },
		{ .share = 0.2, .ramp_bps = 2.5, .sustained_bps = 9.5 },
		{ .share = 0.6, .ramp_bps = 2, .sustained_bps = 8 },
	};
	struct ramp_terms t = ramp_terms(r, x);
	double y[3];
	int i;

	(void)state;
	for (i = 0; i < 3; i++)
		y[i] = r[i].share * r[i].ramp_bps + (1 - r[i].share) * r[i].sustained_bps;
	assert_float_equal(t.sustained + t.ramp + t.share, (y[2] - y[1]) / 30 - (y[1] - y[0]) / 10, 1e-6);
	assert_true(t.share < 0);
}

static void bound__sizes(void **state)
{
	(void)state;
	/* The notes that it was written by have 1.65e5, 9.5e5 and 4.3e7. */
	assert_float_equal(bound_runs(0.5, 0.05), 1.65e5, 0.05 * 1.65e5);
	assert_float_equal(bound_runs(0.3, 0.05), 9.5e5, 0.05 * 9.5e5);
	assert_float_equal(bound_runs(0.1, 0.05), 4.3e7, 0.05 * 4.3e7);
	assert_true(bound_log10(0.1, 70) > 0);
	assert_float_equal(bound_log10(0.1, bound_runs(0.1, 0.05)), log10(0.05), 0.01);
	assert_float_equal(bound_hoeffding(10, 0.95), 0.43, 0.005);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(refmodel__closed_forms),
		cmocka_unit_test(sigmoid__golden),
		cmocka_unit_test(shape__chords_of_a_known_profile),
		cmocka_unit_test(fit__sets_hold_the_truth),
		cmocka_unit_test(fit__same_seed_same_numbers),
		cmocka_unit_test(interval__methods),
		cmocka_unit_test(fit__two_rtts_have_no_shape),
		cmocka_unit_test(shape__areas),
		cmocka_unit_test(ramp__phases_of_a_doubling_window),
		cmocka_unit_test(ramp__terms_add_up),
		cmocka_unit_test(bound__sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
