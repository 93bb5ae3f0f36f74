// SPDX-License-Identifier: GPL-2.0-or-later
/* The arithmetic on two readings: differences, closure, own cost, scaling, and what must not be divided. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/err.h"
#include "lib/model.h"

enum { TX = NETTOLL_DIRECTION_TX, RX = NETTOLL_DIRECTION_RX, BOTH = NETTOLL_DIRECTION_BOTH };

static struct hook_info hook_array[] = {
	{ .id = 0, .layer = NETTOLL_LAYER_UDP, .name = "udp_sendmsg", .state = NETTOLL_HOOK_STATE_ATTACHED },
	{ .id = 1, .layer = NETTOLL_LAYER_UDP, .name = "udp_recvmsg", .state = NETTOLL_HOOK_STATE_ATTACHED,
	  .missed = 3 },
	{ .id = 2, .layer = NETTOLL_LAYER_SKB, .name = "__alloc_skb", .state = NETTOLL_HOOK_STATE_ATTACHED,
	  .missed = 4 },
	{ .id = 7, .layer = NETTOLL_LAYER_WAIT, .name = "sched/sched_switch",
	  .state = NETTOLL_HOOK_STATE_ABSENT },
};
static const struct hook_list hooks = { 4, hook_array };

/* 100 packets out, 50 in; the layers' self times add up to the inclusive time. */
static struct stat_cpu cpu_from[] = { { -1, 2, 1000, 10, 1000, 20, 2000 } };
static struct stat_cpu cpu_to[] = { { -1, 2, 1000 + 9000, 110, 151000, 70, 77000 } };
static struct stat_charge charge_from[] = {
	{ 0, TX, -1, 5, 500, 50, 900 },
	{ 1, RX, -1, 1, 100, 10, 100 },
};
static struct stat_charge charge_to[] = {
	{ 0, TX, -1, 105, 4500, 1050, 8900 },
	{ 1, RX, -1, 51, 1100, 510, 1100 },
	{ 2, TX, -1, 100, 2000, 1000, 2000 },	/* was never entered before */
	{ 2, BOTH, -1, 2, 600, 20, 600 },
	{ 7, RX, -1, 4, 1400, 0, 1400 },
};

static struct stat_reading from(void)
{
	return (struct stat_reading) { 4, 1000000000, 5000000, 700, 1, 2, cpu_from, charge_from };
}

static struct stat_reading to(void)
{
	return (struct stat_reading) { 4, 2000000000, 6000000, 1000000700, 1, 5, cpu_to, charge_to };
}

static void diff__by_layer_hook_and_direction(void **state)
{
	struct stat_reading a = from(), b = to();
	struct toll_diff d;

	(void)state;
	assert_int_equal(toll_diff_make(&d, &a, &b, &hooks), 0);
	assert_true(d.ns == 1000000000 && d.cycles == 1000000 && d.cpus == 2);
	assert_false(d.changed);
	assert_true(d.layer[NETTOLL_LAYER_UDP][TX].calls == 100);
	assert_true(d.layer[NETTOLL_LAYER_UDP][TX].self == 4000);
	assert_true(d.layer[NETTOLL_LAYER_UDP][TX].own == 1000);
	assert_true(d.layer[NETTOLL_LAYER_UDP][TX].total == 8000);
	assert_true(d.layer[NETTOLL_LAYER_UDP][RX].self == 1000);
	assert_true(d.layer[NETTOLL_LAYER_SKB][TX].self == 2000);
	assert_true(d.layer[NETTOLL_LAYER_SKB][RX].calls == 0);
	assert_true(d.layer[NETTOLL_LAYER_SKB][BOTH].self == 600);
	assert_true(d.hook[2][TX].calls == 100 && d.hook[2][BOTH].calls == 2 && d.hook[0][RX].calls == 0);
	assert_true(d.nhooks == 8 && d.hook[7][RX].self == 1400);
	assert_true(d.charged[TX].self == 6000 && d.charged[RX].self == 1000 && d.charged[BOTH].self == 600);
	assert_true(d.all.self == 7600 && d.all.calls == 252);
	assert_true(d.wait.self == 1400 && d.wait.calls == 4);
	assert_true(toll_packets(&d.count, TX) == 100 && toll_packets(&d.count, RX) == 50);
	assert_true(toll_packets(&d.count, BOTH) == 150);
	assert_true(toll_bytes(&d.count, TX) == 150000 && toll_bytes(&d.count, RX) == 75000);
	toll_diff_free(&d);
}

static void diff__closure_is_self_over_inclusive(void **state)
{
	struct stat_reading a = from(), b = to();
	struct toll_diff d;

	(void)state;
	assert_int_equal(toll_diff_make(&d, &a, &b, &hooks), 0);
	assert_true(toll_self_sum(&d) == 9000);
	assert_true(toll_self_sum(&d) == d.count.inclusive);
	toll_diff_free(&d);
}

static void diff__own_cost_is_subtracted_unless_raw(void **state)
{
	static const struct toll cheap = { 3, 100, 130, 100 };
	struct stat_reading a = from(), b = to();
	struct toll_diff d;

	(void)state;
	assert_int_equal(toll_diff_make(&d, &a, &b, &hooks), 0);
	assert_true(toll_net(&d.layer[NETTOLL_LAYER_UDP][TX], false) == 3000);
	assert_true(toll_net(&d.layer[NETTOLL_LAYER_UDP][TX], true) == 4000);
	assert_true(toll_layer_per_packet(&d, NETTOLL_LAYER_UDP, TX, false) == 30);
	assert_true(toll_layer_per_packet(&d, NETTOLL_LAYER_UDP, TX, true) == 40);
	assert_true(toll_layer_per_byte(&d, NETTOLL_LAYER_UDP, TX, false) == 0.02);
	/* own: 1000 + 500 + 1000 + 20 of 1000000 cycles on 2 CPUs */
	assert_float_equal(toll_own_share(&d), 2520 / 2e6, 1e-12);
	/* An average cost may exceed a small self time; it must not wrap around. */
	assert_true(toll_net(&cheap, false) == -30);
	toll_diff_free(&d);
}

static void diff__coverage_leaves_wait_out(void **state)
{
	struct stat_reading a = from(), b = to();
	struct toll_diff d;

	(void)state;
	assert_int_equal(toll_diff_make(&d, &a, &b, &hooks), 0);
	assert_float_equal(toll_coverage(&d), (9000 - 1400) / 2e6, 1e-12);
	toll_diff_free(&d);
}

static void diff__scales_what_was_attached_in_part(void **state)
{
	struct stat_reading a = from(), b = to();
	struct toll_diff d;

	(void)state;
	assert_int_equal(toll_diff_make(&d, &a, &b, &hooks), 0);
	assert_true(d.scale == 1);
	toll_diff_free(&d);

	b.attached_ns = a.attached_ns + 10000000;	/* 1 % */
	assert_int_equal(toll_diff_make(&d, &a, &b, &hooks), 0);
	assert_float_equal(d.scale, 100, 1e-9);
	/* Ratios stay, shares of all time grow, and what we cost is what we really cost. */
	assert_true(toll_layer_per_packet(&d, NETTOLL_LAYER_UDP, TX, false) == 30);
	assert_float_equal(toll_coverage(&d), 100 * (9000 - 1400) / 2e6, 1e-9);
	assert_float_equal(toll_own_share(&d), 2520 / 2e6, 1e-12);
	toll_diff_free(&d);

	/* The two clock readings of an attached module may differ by a little. */
	b.attached_ns = a.attached_ns + 999999000;
	assert_int_equal(toll_diff_make(&d, &a, &b, &hooks), 0);
	assert_true(d.scale == 1);
	toll_diff_free(&d);

	/* Not attached at all: nothing to scale. */
	b.attached_ns = a.attached_ns;
	assert_int_equal(toll_diff_make(&d, &a, &b, &hooks), 0);
	assert_true(d.scale == 1);
	toll_diff_free(&d);
}

static void diff__nothing_happened(void **state)
{
	struct stat_reading a = to(), b = to();
	struct toll_diff d;

	(void)state;
	assert_int_equal(toll_diff_make(&d, &a, &b, &hooks), 0);
	assert_true(isnan(toll_layer_per_packet(&d, NETTOLL_LAYER_UDP, TX, false)));
	assert_true(isnan(toll_layer_per_byte(&d, NETTOLL_LAYER_UDP, RX, false)));
	assert_true(isnan(toll_coverage(&d)));
	assert_true(isnan(toll_own_share(&d)));
	assert_true(toll_self_sum(&d) == 0 && d.count.inclusive == 0);
	toll_diff_free(&d);
}

static void diff__empty_readings(void **state)
{
	static const struct hook_list none = { 0, NULL };
	struct stat_reading a = { 0 }, b = { .time_ns = 5, .cycles = 5 };
	struct toll_diff d;

	(void)state;
	assert_int_equal(toll_diff_make(&d, &a, &b, &none), 0);
	assert_true(d.ncpu == 0 && d.nhooks == 0 && d.all.calls == 0);
	toll_diff_free(&d);
}

static void diff__counters_wrap(void **state)
{
	struct stat_charge c0[] = { { 0, TX, -1, UINT64_MAX - 1, UINT64_MAX - 99, UINT64_MAX, UINT64_MAX } };
	struct stat_charge c1[] = { { 0, TX, -1, 3, 900, 9, 4 } };
	struct stat_cpu p0[] = { { -1, 1, UINT64_MAX - 99, 0, 0, 0, 0 } };
	struct stat_cpu p1[] = { { -1, 1, 900, 0, 0, 0, 0 } };
	struct stat_reading a = { 1, 10, UINT64_MAX, 0, 1, 1, p0, c0 };
	struct stat_reading b = { 1, 20, 99, 10, 1, 1, p1, c1 };
	struct toll_diff d;

	(void)state;
	assert_int_equal(toll_diff_make(&d, &a, &b, &hooks), 0);
	assert_true(d.cycles == 100);
	assert_true(d.all.calls == 5 && d.all.self == 1000 && d.all.own == 10 && d.all.total == 5);
	assert_true(d.count.inclusive == 1000);
	toll_diff_free(&d);
}

static void diff__module_loaded_anew(void **state)
{
	struct stat_charge fewer[] = { { 0, TX, -1, 1, 10, 1, 10 } };
	struct stat_charge unknown[] = { { 5, TX, -1, 1, 10, 1, 10 } };
	struct stat_charge nonsense[] = { { 0, 9, -1, 1, 10, 1, 10 } };
	struct stat_reading a = from(), b = to();
	struct toll_diff d;

	(void)state;
	b.charge = fewer;
	b.ncharges = 1;
	assert_int_equal(toll_diff_make(&d, &a, &b, &hooks), -ESTALE);
	assert_non_null(strstr(err_text(-ESTALE), "loaded anew"));
	b.charge = unknown;
	assert_int_equal(toll_diff_make(&d, &a, &b, &hooks), -ESTALE);
	b.charge = nonsense;
	assert_int_equal(toll_diff_make(&d, &a, &b, &hooks), -ESTALE);
}

static void diff__readings_in_the_wrong_order(void **state)
{
	struct stat_reading a = from(), b = to();
	struct toll_diff d;

	(void)state;
	assert_int_equal(toll_diff_make(&d, &b, &a, &hooks), -EINVAL);
}

static void diff__notes_a_change_of_the_hooks(void **state)
{
	struct stat_reading a = from(), b = to();
	struct toll_diff d;

	(void)state;
	b.generation++;
	assert_int_equal(toll_diff_make(&d, &a, &b, &hooks), 0);
	assert_true(d.changed);
	toll_diff_free(&d);
}

/* The later reading lists CPUs and charges in another order, and more of them. */
static void diff__per_cpu(void **state)
{
	struct stat_cpu p0[] = { { 0, 1, 100, 1, 100, 0, 0 }, { 1, 1, 200, 2, 200, 0, 0 } };
	struct stat_cpu p1[] = { { 2, 1, 30, 3, 300, 0, 0 }, { 1, 1, 260, 3, 300, 9, 900 },
				 { 0, 1, 110, 2, 220, 0, 0 } };
	struct stat_charge c0[] = { { 0, TX, 0, 1, 100, 0, 100 }, { 0, TX, 1, 2, 200, 0, 200 } };
	struct stat_charge c1[] = { { 0, TX, 2, 3, 30, 1, 30 }, { 0, TX, 1, 4, 240, 2, 240 },
				    { 7, TX, 1, 1, 20, 0, 20 }, { 0, TX, 0, 2, 110, 1, 110 } };
	struct stat_reading a = { 1, 10, 1000, 0, 2, 2, p0, c0 };
	struct stat_reading b = { 1, 20, 2000, 10, 3, 4, p1, c1 };
	struct toll_diff d;

	(void)state;
	assert_int_equal(toll_diff_make(&d, &a, &b, &hooks), 0);
	assert_true(d.cpus == 3 && d.ncpu == 3);
	assert_true(d.cpu[0].cpu == 0 && d.cpu[1].cpu == 1 && d.cpu[2].cpu == 2);
	assert_true(d.cpu[0].charged[TX].self == 10 && d.cpu[0].charged[TX].calls == 1);
	assert_true(d.cpu[1].charged[TX].self == 40 && d.cpu[1].wait[TX].self == 20);
	assert_true(d.cpu[2].charged[TX].self == 30);
	assert_true(d.cpu[0].count.tx_packets == 1 && d.cpu[1].count.rx_bytes == 900);
	assert_true(d.all.self == 80 && d.wait.self == 20 && d.count.inclusive == 100);
	assert_true(d.hook[0][TX].calls == 6 && d.count.tx_packets == 5);
	toll_diff_free(&d);
}

static void hooks__counted(void **state)
{
	(void)state;
	assert_int_equal(hook_count(&hooks, NETTOLL_HOOK_STATE_ATTACHED), 3);
	assert_int_equal(hook_count(&hooks, NETTOLL_HOOK_STATE_ABSENT), 1);
	assert_true(hook_missed(&hooks) == 7);
	assert_ptr_equal(hook_by_id(&hooks, 7), &hook_array[3]);
	assert_null(hook_by_id(&hooks, 3));
}

static void words__of_the_specification(void **state)
{
	(void)state;
	assert_string_equal(model_layer(NETTOLL_LAYER_SYSCALL), "syscall");
	assert_string_equal(model_layer(NETTOLL_LAYER_WAIT), "wait");
	assert_string_equal(model_layer(99), "?");
	assert_string_equal(model_backend(NETTOLL_BACKEND_TRACEPOINT), "tracepoint");
	assert_string_equal(model_hook_state(NETTOLL_HOOK_STATE_FAILED), "failed");
	assert_string_equal(model_state(NETTOLL_STATE_DRAINING), "draining");
	assert_string_equal(model_event(NETTOLL_EVENT_SETTING), "setting");
	assert_string_equal(model_direction(BOTH), "both");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(diff__by_layer_hook_and_direction),
		cmocka_unit_test(diff__closure_is_self_over_inclusive),
		cmocka_unit_test(diff__own_cost_is_subtracted_unless_raw),
		cmocka_unit_test(diff__coverage_leaves_wait_out),
		cmocka_unit_test(diff__scales_what_was_attached_in_part),
		cmocka_unit_test(diff__nothing_happened),
		cmocka_unit_test(diff__empty_readings),
		cmocka_unit_test(diff__counters_wrap),
		cmocka_unit_test(diff__module_loaded_anew),
		cmocka_unit_test(diff__readings_in_the_wrong_order),
		cmocka_unit_test(diff__notes_a_change_of_the_hooks),
		cmocka_unit_test(diff__per_cpu),
		cmocka_unit_test(hooks__counted),
		cmocka_unit_test(words__of_the_specification),
	};

	return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
