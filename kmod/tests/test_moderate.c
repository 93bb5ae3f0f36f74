// SPDX-License-Identifier: GPL-2.0-only
/*
 * fastpath/moderate_logic.c: histograms, the bound, the pause, what net_dim is
 * shown.
 */
#include "../fastpath/moderate_logic.c"

static struct nettoll_moderate_bound bound;
static struct nettoll_moderate_window window;

static int setup(void **state)
{
	memset(&window, 0, sizeof(window));
	nettoll_moderate_bound_init(&bound, 200000);
	return 0;
}

static void hist__each_time_lies_in_its_bucket(void **state)
{
	unsigned int last = 0, b;
	u64 ns;

	for (ns = 0; ns < 1ULL << 33; ns += ns / 37 + 1) {
		b = nettoll_hist_bucket(ns);
		assert_in_range(b, last, NETTOLL_HIST_BUCKETS - 1);
		if (b < NETTOLL_HIST_BUCKETS - 1)
			assert_true(ns < nettoll_hist_edge(b));
		if (b)
			assert_true(ns >= nettoll_hist_edge(b - 1));
		last = b;
	}
	assert_int_equal(last, NETTOLL_HIST_BUCKETS - 1);
	assert_int_equal(nettoll_hist_bucket(U64_MAX), NETTOLL_HIST_BUCKETS - 1);
}

static void hist__buckets_are_a_sixteenth_wide(void **state)
{
	unsigned int b;

	assert_int_equal(nettoll_hist_edge(0), 64);
	assert_int_equal(nettoll_hist_edge(15), 1024);
	for (b = 16; b < NETTOLL_HIST_BUCKETS; b++) {
		u64 from = nettoll_hist_edge(b - 1), to = nettoll_hist_edge(b);

		assert_true(to > from && (to - from) * 16 <= from);
	}
}

static void percentile__is_the_upper_edge(void **state)
{
	u64 count[NETTOLL_HIST_BUCKETS] = {};

	assert_int_equal(nettoll_hist_percentile(count, 990), 0);
	count[nettoll_hist_bucket(100)] = 990;
	count[nettoll_hist_bucket(5000)] = 10;
	assert_int_equal(nettoll_hist_percentile(count, 990), 128);
	assert_in_range(nettoll_hist_percentile(count, 991), 5000, 5320);
	assert_in_range(nettoll_hist_percentile(count, 1000), 5000, 5320);
	count[NETTOLL_HIST_BUCKETS - 1] = 1000000;
	assert_int_equal(nettoll_hist_percentile(count, 990),
			 nettoll_hist_edge(NETTOLL_HIST_BUCKETS - 1));
}

static void bound__begins_below_half_of_the_target(void **state)
{
	assert_in_range(nettoll_moderate_bound_ns(&bound), 1, 100000);
}

/* Hold-off and lateness together stay within the target, whatever comes late, as long as anything does. */
static void bound__what_comes_late_is_taken_off(void **state)
{
	u32 late;

	for (late = 1000; late < 400000; late += 7919) {
		setup(NULL);
		memset(window.excess.count, 0, sizeof(window.excess.count));
		window.excess.count[nettoll_hist_bucket(late)] = 300;
		nettoll_moderate_bound_update(&bound, &window);
		assert_in_range(bound.slack_ns, late, late + late / 16 + 64);
		assert_true(late > 200000 ? !nettoll_moderate_bound_ns(&bound) :
			    nettoll_moderate_bound_ns(&bound) + late <= 200000);
	}
}

static void bound__the_odd_one_does_not_rule(void **state)
{
	int i;

	window.excess.count[nettoll_hist_bucket(10000)] = 300;
	for (i = 0; i < 16; i++)
		nettoll_moderate_bound_update(&bound, &window);
	window.excess.count[nettoll_hist_bucket(150000)] = 1;
	nettoll_moderate_bound_update(&bound, &window);
	assert_in_range(bound.slack_ns, 10000, 11000);
	/* One of a hundred does. */
	window.excess.count[nettoll_hist_bucket(150000)] = 30;
	nettoll_moderate_bound_update(&bound, &window);
	assert_true(bound.slack_ns > 150000);
}

static void bound__forgets_when_it_measures_again(void **state)
{
	int i;

	window.excess.count[nettoll_hist_bucket(150000)] = 300;
	nettoll_moderate_bound_update(&bound, &window);
	memset(&window, 0, sizeof(window));
	window.excess.count[nettoll_hist_bucket(5000)] = 300;
	for (i = 0; i < 64; i++)
		nettoll_moderate_bound_update(&bound, &window);
	assert_in_range(bound.slack_ns, 5000, 5400);
}

/* With nothing measured it is tried again in the end, but not at once. */
static void bound__fades_slowly(void **state)
{
	int i;

	window.excess.count[nettoll_hist_bucket(300000)] = 300;
	nettoll_moderate_bound_update(&bound, &window);
	assert_int_equal(nettoll_moderate_bound_ns(&bound), 0);
	memset(&window, 0, sizeof(window));
	for (i = 0; !nettoll_moderate_bound_ns(&bound); i++)
		nettoll_moderate_bound_update(&bound, &window);
	assert_in_range(i, 20, 200);
	for (i = 0; i < 100000 && bound.slack_ns; i++)
		nettoll_moderate_bound_update(&bound, &window);
	assert_int_equal(bound.slack_ns, 0);
}

static void bound__drops_halve_it(void **state)
{
	int i;

	nettoll_moderate_bound_init(&bound, 0);
	assert_int_equal(nettoll_moderate_bound_ns(&bound), NETTOLL_MODERATE_HOLD_MAX_NS);
	window.drops = 1;
	nettoll_moderate_bound_update(&bound, &window);
	assert_int_equal(nettoll_moderate_bound_ns(&bound), NETTOLL_MODERATE_HOLD_MAX_NS / 2);
	for (i = 0; i < 20; i++)
		nettoll_moderate_bound_update(&bound, &window);
	assert_int_equal(nettoll_moderate_bound_ns(&bound), NETTOLL_MODERATE_HOLD_MIN_NS);
	window.drops = 0;
	for (i = 0; i < 200; i++)
		nettoll_moderate_bound_update(&bound, &window);
	assert_int_equal(nettoll_moderate_bound_ns(&bound), NETTOLL_MODERATE_HOLD_MAX_NS);
}

static void hold__levels(void **state)
{
	unsigned int level;

	for (level = 1; level < NETTOLL_MODERATE_LEVELS; level++)
		assert_true(nettoll_moderate_hold_ns(200000, level) >
			    nettoll_moderate_hold_ns(200000, level - 1));
	assert_int_equal(nettoll_moderate_hold_ns(200000, 0), 0);
	assert_int_equal(nettoll_moderate_hold_ns(200000, NETTOLL_MODERATE_TOP), 200000);
	assert_int_equal(nettoll_moderate_hold_ns(9999, NETTOLL_MODERATE_TOP), 0);
	assert_int_equal(nettoll_moderate_hold_ns(20000, 1), 0);
	assert_int_equal(nettoll_moderate_hold_ns(0, NETTOLL_MODERATE_TOP), 0);
}

static void worth__small_changes_are_not(void **state)
{
	assert_false(nettoll_moderate_worth(100000, 100000, 200000));
	assert_false(nettoll_moderate_worth(100000, 105000, 200000));
	assert_false(nettoll_moderate_worth(100000, 95000, 200000));
	assert_true(nettoll_moderate_worth(100000, 107000, 200000));
	assert_true(nettoll_moderate_worth(100000, 0, 200000));
	assert_true(nettoll_moderate_worth(0, 10000, 200000));
	assert_false(nettoll_moderate_worth(0, 0, 200000));
	/* But none that would break the bound. */
	assert_true(nettoll_moderate_worth(100000, 99000, 99000));
}

static void pause__when_nothing_is_gained(void **state)
{
	struct nettoll_moderate_pause p = {};
	unsigned int i, n, last = 0;

	window.events = 64;
	window.packets = 64;
	for (i = 0; i < 10; i++) {
		assert_true(nettoll_moderate_pause(&p, true, &window));
		for (n = 1; nettoll_moderate_pause(&p, false, &window); n++)
			;
		assert_in_range(n, max(last, NETTOLL_MODERATE_PAUSE_MIN), NETTOLL_MODERATE_PAUSE_MAX);
		last = n;
	}
	assert_int_equal(last, NETTOLL_MODERATE_PAUSE_MAX);
	/* One that gains something makes up for all of them. */
	window.packets = 80;
	assert_false(nettoll_moderate_pause(&p, true, &window));
	window.packets = 79;
	assert_true(nettoll_moderate_pause(&p, true, &window));
	assert_int_equal(p.left, NETTOLL_MODERATE_PAUSE_MIN);
}

static void clock__keeps_the_rates(void **state)
{
	struct nettoll_moderate_clock c = { .events = 65500 };

	window = (struct nettoll_moderate_window) {
		.ns = 10000000, .events = 640, .packets = 6400, .bytes = 9600000,
	};
	nettoll_moderate_clock_advance(&c, &window);
	assert_int_equal(c.ns, 1000000);
	assert_int_equal(c.packets, 640);
	assert_int_equal(c.bytes, 960000);
	/* The counter is 16 bits wide, as net_dim's. */
	assert_int_equal(c.events, 28);
	/* What would not fit into 64 bits on the way. */
	window = (struct nettoll_moderate_window) { .ns = 1ULL << 60, .events = 1ULL << 50 };
	nettoll_moderate_clock_advance(&c, &window);
	assert_int_equal(c.ns, 1000000 + (64 << 10));
}

static void idle__below_a_decision_in_a_tenth_of_a_second(void **state)
{
	window.ns = 100000000;
	window.events = 63;
	assert_true(nettoll_moderate_is_idle(&window));
	window.events = 64;
	assert_false(nettoll_moderate_is_idle(&window));
	window.ns = 10000000000;
	assert_true(nettoll_moderate_is_idle(&window));
	window.ns = 1000000;
	window.events = 3;
	assert_false(nettoll_moderate_is_idle(&window));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(hist__each_time_lies_in_its_bucket),
		cmocka_unit_test(hist__buckets_are_a_sixteenth_wide),
		cmocka_unit_test(percentile__is_the_upper_edge),
		cmocka_unit_test_setup(bound__begins_below_half_of_the_target, setup),
		cmocka_unit_test_setup(bound__what_comes_late_is_taken_off, setup),
		cmocka_unit_test_setup(bound__the_odd_one_does_not_rule, setup),
		cmocka_unit_test_setup(bound__forgets_when_it_measures_again, setup),
		cmocka_unit_test_setup(bound__fades_slowly, setup),
		cmocka_unit_test_setup(bound__drops_halve_it, setup),
		cmocka_unit_test_setup(hold__levels, setup),
		cmocka_unit_test_setup(worth__small_changes_are_not, setup),
		cmocka_unit_test_setup(pause__when_nothing_is_gained, setup),
		cmocka_unit_test_setup(clock__keeps_the_rates, setup),
		cmocka_unit_test_setup(idle__below_a_decision_in_a_tenth_of_a_second, setup),
	};

	return cmocka_run_group_tests_name("moderate", tests, NULL, NULL);
}
