// SPDX-License-Identifier: GPL-2.0-or-later
/* Receive coalescing: differences of readings, percentiles, words. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/coalesce.h"

static void edge__rises_by_a_sixteenth(void **state)
{
	size_t i;

	(void)state;
	assert_int_equal(coalesce_edge_ns(0), 64);
	assert_int_equal(coalesce_edge_ns(15), 1024);
	assert_int_equal(coalesce_edge_ns(16), 1088);
	assert_int_equal(coalesce_edge_ns(31), 2048);
	assert_int_equal(coalesce_edge_ns(COALESCE_BUCKETS - 1), 1ull << 32);
	for (i = 16; i < COALESCE_BUCKETS; i++)
		assert_true((coalesce_edge_ns(i) - coalesce_edge_ns(i - 1)) * 16 <= coalesce_edge_ns(i - 1));
}

static void wait__percentiles(void **state)
{
	struct coalesce_info c = { .device = "eth0" };

	(void)state;
	assert_true(isnan(coalesce_wait_us(&c, 0.99)));
	/* Those that nothing made wait. */
	c.waits[0] = 50;
	assert_float_equal(coalesce_wait_us(&c, 1), 0, 0);
	c.waits[31] = 49;
	c.waits[47] = 1;
	assert_float_equal(coalesce_wait_us(&c, 0.5), 0, 0);
	assert_float_equal(coalesce_wait_us(&c, 0.51), 2.048, 1e-9);
	assert_float_equal(coalesce_wait_us(&c, 0.99), 2.048, 1e-9);
	assert_float_equal(coalesce_wait_us(&c, 1), 4.096, 1e-9);
}

static void since__subtracts_counters_only(void **state)
{
	struct coalesce_info a = { .ifindex = 3, .since_ns = 5, .time_ns = 100, .interrupts = 7, .timers = 1,
				   .polls = 9, .packets = 20, .bytes = 2000, .drops = 1, .turns = 2, .hold_ns = 50 };
	struct coalesce_info b = { .ifindex = 3, .since_ns = 5, .time_ns = 300, .interrupts = 17, .timers = 4,
				   .polls = 29, .packets = 60, .bytes = 7000, .drops = 1, .turns = 5, .hold_ns = 70 };

	(void)state;
	a.waits[3] = 4;
	b.waits[3] = 10;
	coalesce_since(&b, &a);
	assert_int_equal(b.time_ns - b.since_ns, 200);
	assert_int_equal(b.interrupts, 10);
	assert_int_equal(b.timers, 3);
	assert_int_equal(b.polls, 20);
	assert_int_equal(b.packets, 40);
	assert_int_equal(b.bytes, 5000);
	assert_int_equal(b.drops, 0);
	assert_int_equal(b.turns, 3);
	assert_int_equal(b.waits[3], 6);
	assert_int_equal(b.hold_ns, 70);
	coalesce_since(&a, NULL);
	assert_int_equal(a.since_ns, 5);
	assert_int_equal(a.packets, 20);
}

/* A device whose moderation ended and began anew has counters that began anew, too. */
static void find__not_across_a_new_beginning(void **state)
{
	struct coalesce_info items[] = { { .ifindex = 2, .since_ns = 10 }, { .ifindex = 3, .since_ns = 20 } };
	struct coalesce_list list = { 2, items };
	struct coalesce_info later = { .ifindex = 3, .since_ns = 20 };

	(void)state;
	assert_ptr_equal(coalesce_find(&list, &later), &items[1]);
	later.since_ns = 30;
	assert_null(coalesce_find(&list, &later));
	later = (struct coalesce_info) { .ifindex = 4, .since_ns = 20 };
	assert_null(coalesce_find(&list, &later));
}

static void words__are_those_of_the_specification(void **state)
{
	(void)state;
	assert_string_equal(coalesce_mode(NETTOLL_COALESCE_MODE_LATENCY), "latency");
	assert_string_equal(coalesce_mode(NETTOLL_COALESCE_MODE_THROUGHPUT), "throughput");
	assert_string_equal(coalesce_mode(2), "?");
	assert_string_equal(coalesce_change(NETTOLL_COALESCE_CHANGE_STARTED), "started");
	assert_string_equal(coalesce_change(NETTOLL_COALESCE_CHANGE_OWNER), "owner");
	assert_string_equal(coalesce_change(NETTOLL_COALESCE_CHANGE_GONE), "gone");
	assert_string_equal(coalesce_change(6), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edge__rises_by_a_sixteenth),
		cmocka_unit_test(wait__percentiles),
		cmocka_unit_test(since__subtracts_counters_only),
		cmocka_unit_test(find__not_across_a_new_beginning),
		cmocka_unit_test(words__are_those_of_the_specification),
	};

	return cmocka_run_group_tests_name("coalesce", tests, NULL, NULL);
}
