// SPDX-License-Identifier: GPL-2.0-only
/*
 * account/span.h and span.c: what a span charges to whom, exactly.
 */
#include "../account/span.c"
#include "../account/hook.h"

#define OUTER	3
#define INNER	5

static const struct nettoll_own free_of_cost;

static struct nettoll_charge *charge(unsigned int hook, unsigned int dir, int cpu)
{
	return per_cpu_ptr(nettoll_charges, cpu) + hook * 2 + dir;
}

static int setup(void **state)
{
	shim_percpu_reset();
	shim_cycles = 1000;
	return nettoll_span_init(NETTOLL_HOOKS);
}

static int teardown(void **state)
{
	nettoll_span_exit_all();
	assert_int_equal(shim_allocated, 0);
	return 0;
}

static void span__charges_its_time_and_ends(void **state)
{
	struct nettoll_span s;

	nettoll_span_enter(&s, nettoll_slot(OUTER, NETTOLL_DIRECTION_RX), false);
	assert_ptr_equal(__this_cpu_read(nettoll_cpu.cur), &s);
	assert_int_equal(nettoll_span_open(), 1);
	shim_cycles += 70;
	nettoll_span_exit(&s, &free_of_cost);

	assert_null(__this_cpu_read(nettoll_cpu.cur));
	assert_int_equal(nettoll_span_open(), 0);
	assert_int_equal(charge(OUTER, NETTOLL_DIRECTION_RX, 0)->calls, 1);
	assert_int_equal(charge(OUTER, NETTOLL_DIRECTION_RX, 0)->self, 70);
	assert_int_equal(charge(OUTER, NETTOLL_DIRECTION_RX, 0)->total, 70);
	assert_int_equal(charge(OUTER, NETTOLL_DIRECTION_TX, 0)->calls, 0);
	assert_int_equal(__this_cpu_read(nettoll_cpu.inclusive), 70);
}

static void span__nested_time_is_not_the_outer_ones(void **state)
{
	struct nettoll_span outer, inner;
	int i;

	nettoll_span_enter(&outer, nettoll_slot(OUTER, 0), false);
	shim_cycles += 10;
	for (i = 0; i < 3; i++) {
		nettoll_span_enter(&inner, nettoll_slot(INNER, 0), false);
		shim_cycles += 100;
		nettoll_span_exit(&inner, &free_of_cost);
		shim_cycles += 1;
	}
	assert_int_equal(__this_cpu_read(nettoll_cpu.inclusive), 0);
	assert_int_equal(nettoll_span_ended_in(__this_cpu_read(nettoll_cpu.cur)), 300);
	nettoll_span_exit(&outer, &free_of_cost);

	assert_int_equal(charge(INNER, 0, 0)->calls, 3);
	assert_int_equal(charge(INNER, 0, 0)->self, 300);
	assert_int_equal(charge(OUTER, 0, 0)->self, 13);
	assert_int_equal(charge(OUTER, 0, 0)->total, 313);
	assert_int_equal(__this_cpu_read(nettoll_cpu.inclusive), 313);
}

static void span__direction_of_the_encloser_or_tx(void **state)
{
	struct nettoll_span outer, inner;

	nettoll_span_enter(&inner, nettoll_slot(INNER, NETTOLL_DIRECTION_TX), true);
	nettoll_span_exit(&inner, &free_of_cost);
	assert_int_equal(charge(INNER, NETTOLL_DIRECTION_TX, 0)->calls, 1);

	nettoll_span_enter(&outer, nettoll_slot(OUTER, NETTOLL_DIRECTION_RX), false);
	nettoll_span_enter(&inner, nettoll_slot(INNER, NETTOLL_DIRECTION_TX), true);
	nettoll_span_exit(&inner, &free_of_cost);
	/* A hook with a direction of its own keeps it. */
	nettoll_span_enter(&inner, nettoll_slot(INNER, NETTOLL_DIRECTION_TX), false);
	nettoll_span_exit(&inner, &free_of_cost);
	nettoll_span_exit(&outer, &free_of_cost);
	assert_int_equal(charge(INNER, NETTOLL_DIRECTION_RX, 0)->calls, 1);
	assert_int_equal(charge(INNER, NETTOLL_DIRECTION_TX, 0)->calls, 2);
}

static void span__own_cost_goes_where_it_falls(void **state)
{
	const struct nettoll_own own = { .inner = 7, .outer = 20 };
	struct nettoll_span outer, inner;

	nettoll_span_enter(&outer, nettoll_slot(OUTER, 0), false);
	nettoll_span_enter(&inner, nettoll_slot(INNER, 0), false);
	nettoll_span_exit(&inner, &own);
	nettoll_span_enter(&inner, nettoll_slot(INNER, 0), false);
	nettoll_span_exit(&inner, &own);
	nettoll_span_exit(&outer, &own);
	assert_int_equal(charge(INNER, 0, 0)->own, 2 * 7);
	assert_int_equal(charge(OUTER, 0, 0)->own, 7 + 2 * 20);
}

static void slot__holds_hook_and_direction(void **state)
{
	unsigned int hook, dir;

	for (hook = 0; hook < NETTOLL_HOOKS; hook++)
		for (dir = 0; dir < 2; dir++) {
			assert_int_equal(nettoll_slot_hook(nettoll_slot(hook, dir)), hook);
			assert_int_equal(nettoll_slot_dir(nettoll_slot(hook, dir)), dir);
		}
}

static void open__only_the_sum_over_cpus_counts(void **state)
{
	struct nettoll_span s;

	nettoll_span_enter(&s, nettoll_slot(OUTER, 0), false);
	__this_cpu_write(nettoll_cpu.cur, NULL);
	shim_cpu = 2;
	nettoll_span_exit(&s, &free_of_cost);
	assert_int_equal(per_cpu(nettoll_cpu.open, 0), 1);
	assert_int_equal(per_cpu(nettoll_cpu.open, 2), -1);
	assert_int_equal(nettoll_span_open(), 0);
}

static void init__out_of_memory(void **state)
{
	nettoll_span_exit_all();
	shim_fail_in = 0;
	assert_int_equal(nettoll_span_init(NETTOLL_HOOKS), -ENOMEM);
}

/*
 * An interrupt, which is a span of its own, at the n-th chance from now: before
 * and after each reading of the clock. Its 30 cycles belong to it alone.
 */
#define IRQ	8
static int chances;

static void interrupt(void)
{
	struct nettoll_span irq;

	if (chances-- != 0)
		return;
	nettoll_span_enter(&irq, nettoll_slot(IRQ, NETTOLL_DIRECTION_RX), false);
	shim_cycles += 30;
	nettoll_span_exit(&irq, &free_of_cost);
}

static void interrupt__is_nobody_elses_time(void **state)
{
	struct nettoll_span outer, inner;
	int at, came = 0;

	for (at = 0; at < 12; at++) {
		u64 outer_self = charge(OUTER, 0, 0)->self, inner_self = charge(INNER, 0, 0)->self;
		u64 irq_self = charge(IRQ, 1, 0)->self, inclusive = __this_cpu_read(nettoll_cpu.inclusive);

		chances = at;
		shim_interrupt = interrupt;
		nettoll_span_enter(&outer, nettoll_slot(OUTER, 0), false);
		shim_cycles += 5;
		nettoll_span_enter(&inner, nettoll_slot(INNER, 0), false);
		shim_cycles += 7;
		nettoll_span_exit(&inner, &free_of_cost);
		nettoll_span_exit(&outer, &free_of_cost);
		shim_interrupt = NULL;

		came += chances < 0;
		assert_int_equal(charge(OUTER, 0, 0)->self - outer_self, 5);
		assert_int_equal(charge(INNER, 0, 0)->self - inner_self, 7);
		assert_int_equal(charge(IRQ, 1, 0)->self - irq_self, chances < 0 ? 30 : 0);
		/* Where it came into no span at all, it is an outermost one itself. */
		assert_int_equal(__this_cpu_read(nettoll_cpu.inclusive) - inclusive, 12 + (chances < 0 ? 30 : 0));
		assert_int_equal(nettoll_span_open(), 0);
	}
	assert_in_range(came, 8, 12);
}

/* Calls hooked functions at random from within hooked functions. */
static void wander(unsigned int depth, unsigned int *seed)
{
	struct nettoll_span s;
	int i, n = rand_r(seed) % 4;

	nettoll_span_enter(&s, nettoll_slot(rand_r(seed) % NETTOLL_HOOK_WAIT, 0), rand_r(seed) % 2);
	for (i = 0; i < n && depth; i++) {
		shim_cycles += rand_r(seed) % 50;
		wander(depth - 1, seed);
	}
	shim_cycles += rand_r(seed) % 50;
	nettoll_span_exit(&s, &free_of_cost);
}

static unsigned int interrupt_seed;
static void interrupt_at_random(void)
{
	static int depth;
	struct nettoll_span irq;

	if (depth == 2 || rand_r(&interrupt_seed) % 4)
		return;
	depth++;
	nettoll_span_enter(&irq, nettoll_slot(IRQ, NETTOLL_DIRECTION_RX), false);
	shim_cycles += rand_r(&interrupt_seed) % 50;
	nettoll_span_exit(&irq, &free_of_cost);
	depth--;
}

static void closure__selfs_add_up_to_inclusive(void **state)
{
	unsigned int seed = 1, i;
	u64 self = 0, began = shim_cycles;

	shim_interrupt = interrupt_at_random;
	for (i = 0; i < 1000; i++)
		wander(5, &seed);
	shim_interrupt = NULL;
	for (i = 0; i < NETTOLL_HOOKS * 2; i++)
		self += charge(0, i, 0)->self;
	assert_int_equal(self, __this_cpu_read(nettoll_cpu.inclusive));
	assert_int_equal(self, shim_cycles - began);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(span__charges_its_time_and_ends, setup, teardown),
		cmocka_unit_test_setup_teardown(span__nested_time_is_not_the_outer_ones, setup, teardown),
		cmocka_unit_test_setup_teardown(span__direction_of_the_encloser_or_tx, setup, teardown),
		cmocka_unit_test_setup_teardown(span__own_cost_goes_where_it_falls, setup, teardown),
		cmocka_unit_test_setup_teardown(slot__holds_hook_and_direction, setup, teardown),
		cmocka_unit_test_setup_teardown(open__only_the_sum_over_cpus_counts, setup, teardown),
		cmocka_unit_test_setup_teardown(init__out_of_memory, setup, teardown),
		cmocka_unit_test_setup_teardown(interrupt__is_nobody_elses_time, setup, teardown),
		cmocka_unit_test_setup_teardown(closure__selfs_add_up_to_inclusive, setup, teardown),
	};

	return cmocka_run_group_tests_name("span", tests, NULL, NULL);
}
