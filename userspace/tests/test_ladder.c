// SPDX-License-Identifier: GPL-2.0-or-later
/* The arithmetic on a climbed ladder: effects, interactions, which layers changed, and the JSON document. */
#include <json-c/json.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "ladder/effect.h"
#include "ladder/report.h"

#define GBIT	1e9

#define assert_close(a, b, eps)	assert_true(fabs((a) - (b)) <= (eps))

/* A cell with up to four samples; the array is the test's. */
static struct cell cell(struct sample *s, uint32_t mask, size_t n, const double *gbit)
{
	size_t i;

	memset(s, 0, 4 * sizeof(*s));
	for (i = 0; i < n; i++) {
		s[i].rate_bps = gbit[i] * GBIT;
		s[i].sent = 100;
		s[i].bytes = 1000000;
		s[i].zerocopy = NAN;
	}
	return (struct cell) { .mask = mask, .n = n, .sample = s, .bound = NAN };
}

#define CELL(store, mask, ...)						\
	cell(store, mask, sizeof((double[]){ __VA_ARGS__ }) / sizeof(double), (double[]){ __VA_ARGS__ })

static void effect__of_repeats_that_agree(void **state)
{
	struct sample s[2][4];
	struct cell a = CELL(s[0], 1, 1.0, 1.0), b = CELL(s[1], 3, 1.25, 1.25);
	struct effect e = effect_of(&a, &b, 0);

	(void)state;
	assert_close(e.rate.mean, 0.25 * GBIT, 1);
	assert_true(e.known && e.significant);
	assert_close(e.rate.half, 0, 0);
	e = effect_of(&a, &a, 0);
	assert_true(e.known && !e.significant);
}

static void effect__within_the_noise(void **state)
{
	struct sample s[2][4];
	struct cell a = CELL(s[0], 1, 1.0, 1.2, 0.9, 1.1), b = CELL(s[1], 3, 1.1, 1.2, 1.0, 1.1);
	struct effect e = effect_of(&a, &b, 0);

	(void)state;
	assert_close(e.rate.mean, 0.05 * GBIT, 1);
	assert_true(e.known && !e.significant);
	assert_true(e.rate.half > 0.05 * GBIT);
}

static void effect__one_sample_tells_no_interval(void **state)
{
	struct sample s[2][4];
	struct cell a = CELL(s[0], 1, 1.0), b = CELL(s[1], 3, 1.5);
	struct effect e = effect_of(&a, &b, 0);

	(void)state;
	assert_close(e.rate.mean, 0.5 * GBIT, 1);
	assert_false(e.known);
	assert_false(e.significant);
	assert_int_equal(e.nchanges, 0);
}

/* Both drift alike by far more than the rung gains: by turns the gain is plain, and as two samples it is not. */
static void effect__by_turns_does_not_drift(void **state)
{
	struct sample s[2][4];
	struct cell a = CELL(s[0], 1, 1.0, 1.1, 1.2, 1.3), b = CELL(s[1], 3, 1.031, 1.129, 1.23, 1.33);
	struct effect e = effect_of(&a, &b, 0.01);

	(void)state;
	assert_int_equal(e.verdict, EFFECT_UNCLEAR);
	assert_false(e.significant);
	a.turn = b.turn = 1;
	e = effect_of(&a, &b, 0.01);
	assert_close(e.rate.mean, 0.03 * GBIT, 1);
	assert_true(e.rate.half < 0.002 * GBIT);
	assert_int_equal(e.verdict, EFFECT_GAIN);
	assert_true(e.significant);
	/* Turns of something else are none. */
	b.turn = 2;
	assert_int_equal(effect_of(&a, &b, 0.01).verdict, EFFECT_UNCLEAR);
}

static void effect__verdicts(void **state)
{
	struct sample s[2][4];
	struct cell a = CELL(s[0], 1, 1.0, 1.0), b = CELL(s[1], 3, 1.02, 1.02);
	struct cell wild;

	(void)state;
	assert_int_equal(effect_of(&a, &b, 0.01).verdict, EFFECT_GAIN);
	assert_int_equal(effect_of(&b, &a, 0.01).verdict, EFFECT_LOSS);
	/* Certain, and too small to count. */
	assert_int_equal(effect_of(&a, &b, 0.03).verdict, EFFECT_NONE);
	assert_int_equal(effect_of(&a, &a, 0).verdict, EFFECT_NONE);
	wild = CELL(s[1], 3, 0.9, 1.2);
	assert_int_equal(effect_of(&a, &wild, 0.01).verdict, EFFECT_UNCLEAR);
	wild = CELL(s[1], 3, 0.9999, 1.0002);
	assert_int_equal(effect_of(&a, &wild, 0.01).verdict, EFFECT_NONE);
	wild = CELL(s[1], 3, 1.5);
	assert_int_equal(effect_of(&a, &wild, 0.01).verdict, EFFECT_UNCLEAR);
}

#define TRIALS	100
#define TURNS	5

/*
 * How many of so many comparisons have this verdict, when one state has @gain times the throughput of the other, each
 * measurement has 0.6 % of noise, and all of them drift: up by 5 % within a comparison.
 */
static size_t count_verdicts(gsl_rng *rng, double gain, bool by_turns, enum effect_verdict verdict)
{
	struct sample s[2][TURNS];
	struct cell c[2] = { { .n = TURNS, .sample = s[0] }, { .n = TURNS, .sample = s[1] } };
	size_t trial, i, k, which, n = 0;
	double drift;

	for (trial = 0; trial < TRIALS; trial++) {
		memset(s, 0, sizeof(s));
		for (i = 0; i < 2 * TURNS; i++) {
			/* In order: all of one, then all of the other. */
			k = by_turns ? i / 2 : i % TURNS;
			which = by_turns ? ((i / 2) ^ i) & 1 : i / TURNS;
			drift = 1 + 0.05 * (double)i / (2 * TURNS);
			s[which][k].rate_bps = GBIT * (which ? gain : 1) * drift *
				(1 + gsl_ran_gaussian(rng, 0.006));
		}
		c[0].turn = c[1].turn = by_turns ? 1 : 0;
		n += effect_of(&c[0], &c[1], 0.01).verdict == verdict;
	}
	return n;
}

static void effect__tells_a_gain_from_chance(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	(void)state;
	assert_non_null(rng);
	gsl_rng_set(rng, 1);
	assert_true(count_verdicts(rng, 1, true, EFFECT_GAIN) + count_verdicts(rng, 1, true, EFFECT_LOSS) <= 10);
	assert_true(count_verdicts(rng, 1.03, true, EFFECT_GAIN) >= 90);
	/* For which the drift itself often passes where the states do not take turns. */
	assert_true(count_verdicts(rng, 1, false, EFFECT_GAIN) >= 50);
	gsl_rng_free(rng);
}

static void interaction__each_needs_the_other(void **state)
{
	struct sample s[4][4];
	struct cell base = CELL(s[0], 1, 1.0, 1.0), a = CELL(s[1], 3, 0.98, 0.98);
	struct cell b = CELL(s[2], 5, 0.91, 0.91), both = CELL(s[3], 7, 1.13, 1.13);
	struct interaction i = interaction_of(&base, &a, &b, &both);

	(void)state;
	assert_close(i.a, -0.02 * GBIT, 1);
	assert_close(i.b, -0.09 * GBIT, 1);
	assert_close(i.both, 0.13 * GBIT, 1);
	assert_close(i.value, 0.24 * GBIT, 1);
	assert_close(i.half, 0, 0);
}

static void interaction__has_the_widths_of_all_four(void **state)
{
	struct sample s[4][4];
	struct cell base = CELL(s[0], 1, 1.0, 1.1), a = CELL(s[1], 3, 1.0, 1.0);
	struct cell b = CELL(s[2], 5, 1.0, 1.0), both = CELL(s[3], 7, 1.3, 1.4);
	struct interaction i = interaction_of(&base, &a, &b, &both);
	double half = cell_rate(&base).half;

	(void)state;
	assert_close(i.half, sqrt(2) * half, 1e-3);
	a = CELL(s[1], 3, 1.0);
	i = interaction_of(&base, &a, &b, &both);
	assert_true(isnan(i.half));
}

/* Makes a bill of one million bytes from cycles a byte. */
static void set_bill(struct cell *c, uint32_t layer, double tx, double rx)
{
	c->bill.valid = true;
	c->bill.sample.bytes = 1000000;
	c->bill.sample.rate_bps = c->sample[0].rate_bps;
	c->bill.layer[layer].cycles[0] = tx * 1e6;
	c->bill.layer[layer].cycles[1] = rx * 1e6;
	if (layer != NETTOLL_LAYER_WAIT)
		c->bill.total += (tx + rx) * 1e6;
	c->bill.cycles = 1e9;
	c->bill.cpus = 1;
	c->bill.self = c->bill.inclusive = 12345;
}

static void layers__sorted_by_change(void **state)
{
	struct sample s[2][4];
	struct cell a = CELL(s[0], 1, 1.0), b = CELL(s[1], 3, 1.5);
	char text[256];
	struct effect e;

	(void)state;
	set_bill(&a, NETTOLL_LAYER_IP, 2, 1);
	set_bill(&a, NETTOLL_LAYER_COPY, 1, 1);
	set_bill(&a, NETTOLL_LAYER_QDISC, 0.3, 0);
	set_bill(&a, NETTOLL_LAYER_IRQ, 0, 0.2);
	set_bill(&a, NETTOLL_LAYER_UDP, 0.5, 0);
	set_bill(&a, NETTOLL_LAYER_WAIT, 50, 50);
	set_bill(&b, NETTOLL_LAYER_IP, 1, 0.5);
	set_bill(&b, NETTOLL_LAYER_COPY, 1, 1.3);
	set_bill(&b, NETTOLL_LAYER_QDISC, 0.2, 0);
	set_bill(&b, NETTOLL_LAYER_IRQ, 0, 0.15);
	set_bill(&b, NETTOLL_LAYER_UDP, 0, 0);
	e = effect_of(&a, &b, 0);
	assert_int_equal(e.nchanges, MODEL_LAYERS - 1);
	assert_int_equal(e.change[0].layer, NETTOLL_LAYER_IP);
	assert_close(e.change[0].per_byte, -1.5, 1e-9);
	assert_int_equal(e.change[e.nchanges - 1].layer, NETTOLL_LAYER_COPY);
	report_changes(&e, 0, text, sizeof(text));
	assert_string_equal(text, "ip -1.50, udp -0.50, qdisc -0.10; copy +0.30");
	/* What was aimed at is shown although it changed little. */
	report_changes(&e, 1u << NETTOLL_LAYER_IRQ | 1u << NETTOLL_LAYER_IP, text, sizeof(text));
	assert_string_equal(text, "ip* -1.50, udp -0.50, qdisc -0.10, irq* -0.05; copy +0.30");
	/* It is cut, not overrun. */
	report_changes(&e, 0, text, 12);
	assert_string_equal(text, "ip -1.50, u");
	e = effect_of(&a, &a, 0);
	report_changes(&e, ~0u, text, sizeof(text));
	assert_string_equal(text, "");
	assert_close(bill_total_per_byte(&a.bill), 6, 1e-9);
	assert_close(bill_cpus(&a.bill), 6e6 / 1e9, 1e-12);
}

/* A climb of two rungs and a pair, as climb_run() leaves it. */
static void make_climb(struct climb *c, struct plan *plan, struct sample (*s)[4])
{
	memset(c, 0, sizeof(*c));
	memset(plan, 0, sizeof(*plan));
	strcpy(plan->name, "p");
	plan->line_bps = 2000000000;
	strcpy(plan->peer[0], "here");
	strcpy(plan->peer[1], "here");
	plan->nrungs = 4;
	strcpy(plan->rung[0].name, "stock");
	strcpy(plan->rung[1].name, "a");
	strcpy(plan->rung[2].name, "b");
	strcpy(plan->rung[3].name, "c");
	plan->npairs = 1;
	plan->pair[0].a = 3;
	plan->pair[0].b = 2;
	c->plan = plan;
	c->repeats = 2;
	/* Without rung a. */
	c->nsteps = 3;
	c->step[1] = 2;
	c->step[2] = 3;
	c->cell[0] = CELL(s[0], 1, 1.0, 1.0);
	c->cell[1] = CELL(s[1], 5, 1.2, 1.2);
	c->cell[2] = CELL(s[2], 13, 1.5, 1.5);
	c->cell[3] = CELL(s[3], 9, 1.1, 1.1);
	c->ncells = 4;
	set_bill(&c->cell[0], NETTOLL_LAYER_IP, 2, 1);
	set_bill(&c->cell[1], NETTOLL_LAYER_IP, 1, 1);
}

static void climb__masks(void **state)
{
	static struct climb c;
	static struct plan plan;
	struct sample s[4][4];

	(void)state;
	make_climb(&c, &plan, s);
	assert_int_equal(climb_mask(&c, 0), 1);
	assert_int_equal(climb_mask(&c, 1), 5);
	assert_int_equal(climb_mask(&c, 2), 13);
	assert_int_equal(climb_below(&c, 3), 5);
	assert_int_equal(climb_below(&c, 2), 1);
	assert_true(climb_has_rung(&c, 2));
	assert_false(climb_has_rung(&c, 1));
	assert_ptr_equal(climb_cell(&c, 13), &c.cell[2]);
	assert_null(climb_cell(&c, 3));
}

static void climb__goes_on_without_reverted_rungs(void **state)
{
	static struct climb c;
	static struct plan plan;
	struct sample s[4][4];

	(void)state;
	make_climb(&c, &plan, s);
	assert_ptr_equal(climb_base(&c, 2), &c.cell[1]);
	assert_ptr_equal(climb_last(&c), &c.cell[2]);
	c.reverted = 1u << 2;
	/* The step itself has its own rung in force. */
	assert_int_equal(climb_mask(&c, 1), 5);
	assert_int_equal(climb_mask(&c, 2), 9);
	assert_int_equal(climb_retained(&c), 9);
	assert_int_equal(climb_below(&c, 3), 1);
	assert_true(climb_has_rung(&c, 2));
	assert_ptr_equal(climb_above(&c, 2), &c.cell[3]);
	assert_ptr_equal(climb_base(&c, 2), &c.cell[0]);
	assert_ptr_equal(climb_last(&c), &c.cell[3]);
	c.reverted = 1u << 2 | 1u << 3;
	assert_ptr_equal(climb_last(&c), &c.cell[0]);
	/* What was measured by turns goes before what the masks say. */
	c.at[1] = (struct comparison) { &c.cell[2], &c.cell[3] };
	assert_ptr_equal(climb_base(&c, 1), &c.cell[2]);
	assert_ptr_equal(climb_above(&c, 1), &c.cell[3]);
}

static struct json_object *get(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	assert_true(json_object_object_get_ex(o, key, &v));
	return v;
}

static double real(struct json_object *o, const char *key)
{
	return json_object_get_double(get(o, key));
}

static void json__what_programs_read(void **state)
{
	static struct climb c;
	static struct plan plan;
	struct json_object *root, *rungs, *rung, *pair, *account;
	struct sample s[4][4];

	(void)state;
	make_climb(&c, &plan, s);
	s[2][1].lost = 3;
	root = report_json(&c);
	assert_non_null(root);
	assert_int_equal(json_object_get_int(get(root, "version")), 1);
	assert_string_equal(json_object_get_string(get(root, "command")), "ladder");
	assert_true(json_object_get_boolean(get(root, "complete")));
	rungs = get(root, "rungs");
	assert_int_equal(json_object_array_length(rungs), 3);
	rung = json_object_array_get_idx(rungs, 0);
	assert_null(get(rung, "effect"));
	assert_close(real(rung, "share"), 0.5, 1e-9);
	account = get(rung, "account");
	assert_close(real(account, "cycles_per_byte"), 3, 1e-9);
	rung = json_object_array_get_idx(rungs, 1);
	assert_string_equal(json_object_get_string(get(rung, "name")), "b");
	assert_close(real(get(rung, "effect"), "ratio"), 0.2, 1e-9);
	assert_string_equal(json_object_get_string(get(get(rung, "effect"), "verdict")), "gain");
	assert_true(json_object_get_boolean(get(rung, "retained")));
	assert_null(get(rung, "left_out"));
	rung = json_object_array_get_idx(rungs, 2);
	assert_null(get(rung, "account"));
	assert_int_equal(json_object_get_int(get(rung, "lost")), 3);
	assert_int_equal(json_object_get_int(get(rung, "sent")), 200);
	pair = json_object_array_get_idx(get(root, "interactions"), 0);
	assert_string_equal(json_object_get_string(get(pair, "a")), "c");
	/* 1.5 - 1.1 - 1.2 + 1.0 */
	assert_close(real(pair, "interaction_bps"), 0.2e9, 1);
	assert_int_equal(json_object_array_length(get(pair, "cells")), 4);
	json_object_put(root);
}

static void json__of_a_climb_that_was_broken_off(void **state)
{
	static struct climb c;
	static struct plan plan;
	struct json_object *root;
	struct sample s[4][4];

	(void)state;
	make_climb(&c, &plan, s);
	c.ncells = 2;
	root = report_json(&c);
	assert_false(json_object_get_boolean(get(root, "complete")));
	assert_int_equal(json_object_array_length(get(root, "rungs")), 2);
	assert_int_equal(json_object_array_length(get(root, "interactions")), 0);
	json_object_put(root);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(effect__of_repeats_that_agree),
		cmocka_unit_test(effect__within_the_noise),
		cmocka_unit_test(effect__one_sample_tells_no_interval),
		cmocka_unit_test(effect__by_turns_does_not_drift),
		cmocka_unit_test(effect__verdicts),
		cmocka_unit_test(effect__tells_a_gain_from_chance),
		cmocka_unit_test(interaction__each_needs_the_other),
		cmocka_unit_test(interaction__has_the_widths_of_all_four),
		cmocka_unit_test(layers__sorted_by_change),
		cmocka_unit_test(climb__masks),
		cmocka_unit_test(climb__goes_on_without_reverted_rungs),
		cmocka_unit_test(json__what_programs_read),
		cmocka_unit_test(json__of_a_climb_that_was_broken_off),
	};

	return cmocka_run_group_tests_name("ladder", tests, NULL, NULL);
}
