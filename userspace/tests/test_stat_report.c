// SPDX-License-Identifier: GPL-2.0-or-later
/* The bill from made-up readings: each figure that stat prints, against figures worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "cmd/stat_report.h"
#include "cmd/stat_windows.h"
#include "tests/capture.h"

enum { TX = NETTOLL_DIRECTION_TX, RX = NETTOLL_DIRECTION_RX, BOTH = NETTOLL_DIRECTION_BOTH };

static struct hook_info hook_array[] = {
	{ .id = 0, .layer = NETTOLL_LAYER_UDP, .name = "udp_sendmsg", .state = NETTOLL_HOOK_STATE_ATTACHED },
	{ .id = 1, .layer = NETTOLL_LAYER_DRIVER, .name = "napi", .state = NETTOLL_HOOK_STATE_ATTACHED },
	{ .id = 2, .layer = NETTOLL_LAYER_SYSCALL, .name = "__sys_sendto",
	  .state = NETTOLL_HOOK_STATE_ATTACHED },
	{ .id = 3, .layer = NETTOLL_LAYER_WAIT, .name = "sched/sched_switch",
	  .state = NETTOLL_HOOK_STATE_ATTACHED },
	{ .id = 4, .layer = NETTOLL_LAYER_TCP, .name = "gone", .state = NETTOLL_HOOK_STATE_ABSENT },
	{ .id = 5, .layer = NETTOLL_LAYER_TCP, .name = "taken", .state = NETTOLL_HOOK_STATE_FAILED },
	{ .id = 6, .layer = NETTOLL_LAYER_SYSCALL, .name = "__sys_recvfrom",
	  .state = NETTOLL_HOOK_STATE_ATTACHED },
};
static const struct hook_list hooks = { 7, hook_array };

static struct stat_cpu zero_cpu[] = { { -1, 4, 0, 0, 0, 0, 0 } };
/* inclusive: 3000 + 1000 + 2000 + 1000 + 500 + 300 */
static struct stat_cpu cpu[] = { { -1, 4, 7800, 10, 1000, 5, 2000 } };
static struct stat_charge charge[] = {
	{ 0, TX, -1, 10, 3000, 200, 4000 },
	{ 2, TX, -1, 10, 1000, 100, 5000 },
	{ 1, RX, -1, 5, 2000, 50, 2000 },
	{ 6, RX, -1, 5, 1000, 50, 1500 },
	{ 3, RX, -1, 2, 500, 0, 500 },
	{ 1, BOTH, -1, 1, 300, 0, 300 },
};

/* 2 seconds, 4 CPUs, 100000 cycles each. */
static struct stat_reading before = { 1, 1000000000, 0, 0, 1, 0, zero_cpu, NULL };
static struct stat_reading after = { 1, 3000000000, 100000, 2000000000, 1, 6, cpu, charge };

static char text[16384];

static struct json_object *bill(const struct stat_view *view)
{
	struct out_doc *doc = out_begin("stat", 0);
	struct json_object *root;
	struct toll_diff d;

	assert_int_equal(toll_diff_make(&d, &before, &after, &hooks), 0);
	stat_report(doc, &d, &hooks, 9, view);
	toll_diff_free(&d);
	assert_int_equal(capture(doc, OUT_JSON, text, sizeof(text)), 0);
	root = json_tokener_parse(text);
	assert_non_null(root);
	return root;
}

static struct json_object *row(struct json_object *root, const char *group, size_t i)
{
	return json_object_array_get_idx(json_object_object_get(root, group), i);
}

static double number(struct json_object *obj, const char *key)
{
	struct json_object *value;

	assert_true(json_object_object_get_ex(obj, key, &value));
	return value ? json_object_get_double(value) : NAN;
}

#define CLOSE(a, b)	assert_float_equal(a, b, 1e-9)
#define WORD(obj, key, word) \
	assert_string_equal(json_object_get_string(json_object_object_get(obj, key)), word)

static void by_layer__rows(void **state)
{
	static const struct stat_view view = { .by = STAT_BY_LAYER };
	struct json_object *root = bill(&view), *r;

	(void)state;
	/* Down the path first, then up, then what has no direction. */
	assert_int_equal(json_object_array_length(json_object_object_get(root, "rows")), 5);
	r = row(root, "rows", 0);
	WORD(r, "layer", "syscall");
	WORD(r, "direction", "tx");
	r = row(root, "rows", 1);
	WORD(r, "layer", "udp");
	CLOSE(number(r, "calls"), 10);
	CLOSE(number(r, "cycles"), 2800);
	CLOSE(number(r, "own_cycles"), 200);
	CLOSE(number(r, "calls_per_s"), 5);
	CLOSE(number(r, "cycles_per_s"), 1400);
	CLOSE(number(r, "cycles_per_call"), 280);
	CLOSE(number(r, "cycles_per_packet"), 280);
	CLOSE(number(r, "cycles_per_byte"), 2.8);
	/* of 7300 less 400 */
	CLOSE(number(r, "percent"), 2800 / 69.0);
	WORD(row(root, "rows", 2), "layer", "driver");
	WORD(row(root, "rows", 3), "layer", "syscall");
	r = row(root, "rows", 4);
	WORD(r, "direction", "both");
	CLOSE(number(r, "cycles_per_packet"), 20);
	json_object_put(root);
}

static void by_layer__wait_is_apart(void **state)
{
	static const struct stat_view view = { .by = STAT_BY_LAYER };
	struct json_object *root = bill(&view), *r = row(root, "wait", 0);
	double sum = 0;
	size_t i;

	(void)state;
	assert_int_equal(json_object_array_length(json_object_object_get(root, "wait")), 1);
	WORD(r, "layer", "wait");
	CLOSE(number(r, "cycles"), 500);
	assert_true(isnan(number(r, "percent")));
	for (i = 0; i < json_object_array_length(json_object_object_get(root, "rows")); i++)
		sum += number(row(root, "rows", i), "percent");
	CLOSE(sum, 100);
	json_object_put(root);
}

static void by_layer__totals(void **state)
{
	static const struct stat_view view = { .by = STAT_BY_LAYER };
	struct json_object *root = bill(&view), *r;

	(void)state;
	assert_int_equal(json_object_array_length(json_object_object_get(root, "totals")), 4);
	r = row(root, "totals", 0);
	WORD(r, "direction", "tx");
	CLOSE(number(r, "cycles"), 3700);
	CLOSE(number(r, "cycles_per_packet"), 370);
	r = row(root, "totals", 3);
	WORD(r, "direction", "all");
	CLOSE(number(r, "cycles"), 6900);
	CLOSE(number(r, "percent"), 100);
	assert_true(isnan(number(r, "cycles_per_packet")));
	json_object_put(root);
}

static void footer__figures(void **state)
{
	static const struct stat_view view = { .by = STAT_BY_LAYER };
	struct json_object *root = bill(&view);

	(void)state;
	CLOSE(number(root, "seconds"), 2);
	CLOSE(number(root, "tx_packets"), 10);
	CLOSE(number(root, "rx_bytes"), 2000);
	CLOSE(number(root, "own_cycles"), 400);
	CLOSE(number(root, "own_cycles_per_span"), 400 / 33.0);
	CLOSE(number(root, "own_percent"), 100 * 400 / 400000.0);
	CLOSE(number(root, "self_cycles"), 7800);
	CLOSE(number(root, "inclusive_cycles"), 7800);
	CLOSE(number(root, "closure_percent"), 100);
	CLOSE(number(root, "coverage_percent"), 100 * 7300 / 400000.0);
	CLOSE(number(root, "hooks_attached"), 5);
	CLOSE(number(root, "hooks_absent"), 1);
	CLOSE(number(root, "hooks_failed"), 1);
	CLOSE(number(root, "missed"), 9);
	CLOSE(number(root, "scale"), 1);
	json_object_put(root);
}

static void raw__subtracts_nothing(void **state)
{
	static const struct stat_view view = { .by = STAT_BY_LAYER, .raw = true };
	struct json_object *root = bill(&view);

	(void)state;
	CLOSE(number(row(root, "rows", 1), "cycles"), 3000);
	CLOSE(number(row(root, "rows", 1), "percent"), 3000 / 73.0);
	assert_false(json_object_get_boolean(json_object_object_get(root, "own_subtracted")));
	json_object_put(root);
}

static void by_hook__dearest_first(void **state)
{
	static const struct stat_view view = { .by = STAT_BY_HOOK };
	struct json_object *root = bill(&view), *r = row(root, "rows", 0);

	(void)state;
	WORD(r, "hook", "udp_sendmsg");
	WORD(r, "layer", "udp");
	CLOSE(number(r, "inclusive_cycles"), 4000);
	WORD(row(root, "rows", 1), "hook", "napi");
	WORD(row(root, "rows", 4), "direction", "both");
	WORD(row(root, "wait", 0), "hook", "sched/sched_switch");
	json_object_put(root);
}

static void by_cpu__divides_by_the_cpu_s_own_packets(void **state)
{
	static const struct stat_view view = { .by = STAT_BY_CPU };
	static struct stat_cpu cpus[] = { { 1, 1, 100, 4, 400, 0, 0 }, { 0, 1, 300, 1, 100, 0, 0 } };
	static struct stat_charge charges[] = {
		{ 0, TX, 1, 4, 100, 0, 100 }, { 0, TX, 0, 1, 250, 0, 250 }, { 3, TX, 0, 1, 50, 0, 50 },
	};
	static const struct stat_reading per_cpu = {
		1, 3000000000, 100000, 2000000000, 2, 3, cpus, charges
	};
	struct stat_reading old = after, none = before;
	struct json_object *root, *r;

	(void)state;
	none.ncpus = 0;
	before = none;
	after = per_cpu;
	root = bill(&view);
	after = old;
	before.ncpus = 1;
	r = row(root, "rows", 0);
	CLOSE(number(r, "cpu"), 0);
	CLOSE(number(r, "cycles_per_packet"), 250);
	r = row(root, "rows", 1);
	CLOSE(number(r, "cpu"), 1);
	CLOSE(number(r, "cycles_per_packet"), 25);
	CLOSE(number(row(root, "wait", 0), "cycles"), 50);
	CLOSE(number(root, "closure_percent"), 100);
	json_object_put(root);
}

static void scaled__counts_but_not_ratios(void **state)
{
	static const struct stat_view view = { .by = STAT_BY_LAYER, .totals = true };
	struct json_object *root, *r;

	(void)state;
	after.attached_ns = 20000000;	/* 1 % */
	root = bill(&view);
	after.attached_ns = 2000000000;
	r = row(root, "rows", 1);
	CLOSE(number(r, "calls"), 1000);
	CLOSE(number(r, "cycles"), 280000);
	CLOSE(number(r, "cycles_per_packet"), 280);
	CLOSE(number(r, "percent"), 2800 / 69.0);
	CLOSE(number(root, "tx_packets"), 1000);
	CLOSE(number(root, "own_percent"), 0.1);
	CLOSE(number(root, "attached_share"), 0.01);
	CLOSE(number(root, "closure_percent"), 100);
	json_object_put(root);
}

/* Two parts with windows as long, of which one saw a quarter of the traffic: the interval of a ratio, by hand. */
static void scaled__confidence_by_how_parts_differ(void **state)
{
	struct stat_view view = { .by = STAT_BY_LAYER, .totals = true };
	struct stat_charge half_charge[6];
	struct stat_reading middle = after;
	struct json_object *root, *r;
	struct toll_diff part[2];
	size_t i;

	(void)state;
	/* A quarter of everything in the first half of the time, which had half of the window. */
	memcpy(half_charge, charge, sizeof(charge));
	for (i = 0; i < 6; i++) {
		half_charge[i].self /= 4;
		half_charge[i].own /= 4;
	}
	middle.charge = half_charge;
	middle.time_ns = 2000000000;
	middle.attached_ns = 10000000;
	after.attached_ns = 20000000;
	assert_int_equal(toll_diff_make(&part[0], &before, &middle, &hooks), 0);
	assert_int_equal(toll_diff_make(&part[1], &middle, &after, &hooks), 0);
	view.nparts = 2;
	view.part = part;
	root = bill(&view);
	after.attached_ns = 2000000000;
	r = row(root, "rows", 1);
	CLOSE(number(r, "cycles"), 280000);
	/* udp: 700 and 2100 cycles in 10 ms each. Residuals 700; t(0.975, 1) = 12.706205; times 2 s / 20 ms. */
	assert_float_equal(number(r, "cycles_half"), 12.706205 * sqrt(2 * 700.0 * 700 * 2) * 100, 1);
	assert_int_equal((int)number(root, "parts"), 2);
	/* The sums have theirs: 1725 and 5175 of 6900, but for the rounding of their parts. */
	r = row(root, "totals", json_object_array_length(json_object_object_get(root, "totals")) - 1);
	assert_float_equal(number(r, "cycles_half"), 12.706205 * sqrt(2 * 1725.0 * 1725 * 2) * 100, 5000);
	json_object_put(root);
	/* Attached throughout, nothing is in doubt. */
	root = bill(&view);
	assert_true(isnan(number(row(root, "rows", 1), "cycles_half")));
	assert_int_equal((int)number(root, "parts"), 0);
	json_object_put(root);
	toll_diff_free(&part[0]);
	toll_diff_free(&part[1]);
}

/* Readings fall anywhere; a part has a window or more, or nothing is known of how windows differ. */
static void windows__parts_have_whole_ones(void **state)
{
	static struct stat_windows w = { .period_ns = 100, .window_ns = 10 };
	static const uint64_t attached_ns[] = { 0, 5, 10, 10, 20, 24 };
	static struct toll_diff part[STAT_PARTS_MAX];
	struct stat_reading at[6];
	size_t i;

	(void)state;
	for (i = 0; i < 6; i++) {
		at[i] = before;
		at[i].time_ns = before.time_ns + 100 * i;
		at[i].attached_ns = attached_ns[i];
		if (i > 0 && i < 5)
			w.mark[w.n++] = at[i];
	}
	assert_int_equal(stat_windows_diffs(&w, &at[0], &at[5], &hooks, part), 2);
	assert_int_equal(part[0].attached_ns, 10);
	assert_int_equal(part[0].ns, 200);
	assert_int_equal(part[1].attached_ns, 14);
	assert_int_equal(part[1].ns, 300);
	toll_diff_free(&part[0]);
	toll_diff_free(&part[1]);
	/* One window, and a reading in its middle. */
	w.n = 1;
	assert_int_equal(stat_windows_diffs(&w, &at[0], &at[2], &hooks, part), 1);
	assert_int_equal(part[0].attached_ns, 10);
	toll_diff_free(&part[0]);
	/* Less than one. */
	assert_int_equal(stat_windows_diffs(&w, &at[0], &at[1], &hooks, part), 0);
	w.period_ns = 0;
	assert_int_equal(stat_windows_diffs(&w, &at[0], &at[5], &hooks, part), 0);
}

static void idle__prints_without_dividing(void **state)
{
	static const struct stat_view view = { .by = STAT_BY_LAYER };
	static const struct hook_list none = { 0, NULL };
	struct stat_reading old = after;
	struct json_object *root;
	struct out_doc *doc;
	struct toll_diff d;

	(void)state;
	after.ncharges = 0;
	after.ncpus = 0;
	after.attached_ns = 0;
	root = bill(&view);
	assert_int_equal(json_object_array_length(json_object_object_get(root, "rows")), 0);
	assert_true(isnan(number(root, "coverage_percent")));
	CLOSE(number(root, "closure_percent"), 100);
	json_object_put(root);
	assert_int_equal(toll_diff_make(&d, &before, &after, &hooks), 0);
	after = old;
	doc = out_begin("stat", 0);
	stat_report(doc, &d, &none, 0, &view);
	assert_int_equal(capture(doc, OUT_PEOPLE, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "no hook was attached"));
	assert_null(strstr(text, "nan"));
	/* Hooks in state attached, and yet never so: their windows fell elsewhere. */
	doc = out_begin("stat", 0);
	stat_report(doc, &d, &hooks, 0, &view);
	assert_int_equal(capture(doc, OUT_PEOPLE, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "no window with hooks attached"));
	toll_diff_free(&d);
}

static void people__see_rates_or_totals(void **state)
{
	static const struct stat_view rates = { .by = STAT_BY_LAYER };
	static const struct stat_view totals = { .by = STAT_BY_LAYER, .totals = true };
	struct out_doc *doc;
	struct toll_diff d;

	(void)state;
	assert_int_equal(toll_diff_make(&d, &before, &after, &hooks), 0);
	doc = out_begin("stat", 0);
	stat_report(doc, &d, &hooks, 0, &rates);
	assert_int_equal(capture(doc, OUT_PEOPLE, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "calls/s"));
	assert_non_null(strstr(text, "closure   100 %"));
	doc = out_begin("stat", 0);
	stat_report(doc, &d, &hooks, 0, &totals);
	assert_int_equal(capture(doc, OUT_PEOPLE, text, sizeof(text)), 0);
	assert_null(strstr(text, "calls/s"));
	assert_non_null(strstr(text, "calls"));
	assert_non_null(strstr(text, "packets   tx 10 (5/s)  rx 5 (2.500/s)"));
	toll_diff_free(&d);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_layer__rows),
		cmocka_unit_test(by_layer__wait_is_apart),
		cmocka_unit_test(by_layer__totals),
		cmocka_unit_test(footer__figures),
		cmocka_unit_test(raw__subtracts_nothing),
		cmocka_unit_test(by_hook__dearest_first),
		cmocka_unit_test(by_cpu__divides_by_the_cpu_s_own_packets),
		cmocka_unit_test(scaled__counts_but_not_ratios),
		cmocka_unit_test(scaled__confidence_by_how_parts_differ),
		cmocka_unit_test(windows__parts_have_whole_ones),
		cmocka_unit_test(idle__prints_without_dividing),
		cmocka_unit_test(people__see_rates_or_totals),
	};

	return cmocka_run_group_tests_name("stat_report", tests, NULL, NULL);
}
