// SPDX-License-Identifier: GPL-2.0-only
/*
 * account/park.c: tasks that leave the CPU inside a span, on any CPU, in any
 * order, and who of them keeps the module. All tasks share two buckets.
 */
#include "../account/span.c"
#include "../account/park.c"

#define HOOK	3

static const struct nettoll_own free_of_cost;
static struct task_struct idle[SHIM_CPUS], tasks[40];

static struct nettoll_charge *charge(unsigned int hook, unsigned int dir, int cpu)
{
	return per_cpu_ptr(nettoll_charges, cpu) + hook * 2 + dir;
}

static void switch_to(struct task_struct *from, struct task_struct *to)
{
	nettoll_park_switch(NULL, false, from, to, 0);
}

static int setup(void **state)
{
	unsigned int i;

	shim_percpu_reset();
	shim_cycles = 1000;
	shim_module_refs = 0;
	memset(tasks, 0, sizeof(tasks));
	for (i = 0; i < ARRAY_SIZE(tasks); i++) {
		tasks[i].pid = 100 + i;
		snprintf(tasks[i].comm, sizeof(tasks[i].comm), "task%u", i);
	}
	return nettoll_span_init(NETTOLL_HOOKS);
}

static int teardown(void **state)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(park_table); i++)
		assert_null(park_table[i].head);
	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		assert_int_equal(tasks[i].refs, 0);
	assert_int_equal(shim_module_refs, 0);
	assert_int_equal(nettoll_span_open(), 0);
	nettoll_span_exit_all();
	return 0;
}

/* Task @t enters a span of @dir and falls asleep in @state. */
static void fall_asleep(struct nettoll_span *s, struct task_struct *t, unsigned int dir,
			unsigned int state)
{
	nettoll_span_enter(s, nettoll_slot(HOOK, dir), false);
	t->__state = state;
	switch_to(t, &idle[shim_cpu]);
	assert_null(__this_cpu_read(nettoll_cpu.cur));
}

static void wake_up(struct nettoll_span *s, struct task_struct *t)
{
	t->__state = 0;
	switch_to(&idle[shim_cpu], t);
	assert_ptr_equal(__this_cpu_read(nettoll_cpu.cur), s);
	nettoll_span_exit(s, &free_of_cost);
	switch_to(t, &idle[shim_cpu]);
}

static void switch__sleep_is_wait_and_not_the_layers(void **state)
{
	struct nettoll_span s;

	fall_asleep(&s, &tasks[0], NETTOLL_DIRECTION_RX, TASK_INTERRUPTIBLE);
	shim_cycles += 5000;
	wake_up(&s, &tasks[0]);
	assert_int_equal(charge(HOOK, NETTOLL_DIRECTION_RX, 0)->self, 0);
	assert_int_equal(charge(HOOK, NETTOLL_DIRECTION_RX, 0)->total, 5000);
	assert_int_equal(charge(NETTOLL_HOOK_WAIT, NETTOLL_DIRECTION_RX, 0)->calls, 1);
	assert_int_equal(charge(NETTOLL_HOOK_WAIT, NETTOLL_DIRECTION_RX, 0)->self, 5000);
	assert_int_equal(charge(NETTOLL_HOOK_WAIT, NETTOLL_DIRECTION_TX, 0)->calls, 0);
	assert_int_equal(per_cpu(nettoll_cpu.inclusive, 0), 5000);
}

static void switch__nested_sleep_is_nobodys_self_time(void **state)
{
	struct nettoll_span outer, inner;

	nettoll_span_enter(&outer, nettoll_slot(HOOK, 0), false);
	shim_cycles += 3;
	nettoll_span_enter(&inner, nettoll_slot(HOOK + 1, 0), false);
	shim_cycles += 4;
	switch_to(&tasks[0], &idle[0]);
	shim_cycles += 1000;
	switch_to(&idle[0], &tasks[0]);
	assert_ptr_equal(__this_cpu_read(nettoll_cpu.cur), &inner);
	shim_cycles += 5;
	nettoll_span_exit(&inner, &free_of_cost);
	shim_cycles += 6;
	nettoll_span_exit(&outer, &free_of_cost);
	assert_int_equal(charge(HOOK, 0, 0)->self, 3 + 6);
	assert_int_equal(charge(HOOK + 1, 0, 0)->self, 4 + 5);
	assert_int_equal(charge(NETTOLL_HOOK_WAIT, 0, 0)->self, 1000);
	assert_int_equal(per_cpu(nettoll_cpu.inclusive, 0), 1018);
}

static void switch__task_moves_to_another_cpu(void **state)
{
	struct nettoll_span s;

	fall_asleep(&s, &tasks[0], 0, TASK_INTERRUPTIBLE);
	shim_cycles += 10;
	shim_cpu = 3;
	wake_up(&s, &tasks[0]);
	assert_int_equal(charge(HOOK, 0, 0)->calls, 0);
	assert_int_equal(charge(HOOK, 0, 3)->calls, 1);
	assert_int_equal(charge(NETTOLL_HOOK_WAIT, 0, 3)->self, 10);
	assert_int_equal(per_cpu(nettoll_cpu.open, 0) + per_cpu(nettoll_cpu.open, 3), 0);
}

static void switch__each_task_gets_its_own_span_back(void **state)
{
	struct nettoll_span s[10];
	int i;

	for (i = 0; i < 10; i++)
		fall_asleep(&s[i], &tasks[i], 0, TASK_INTERRUPTIBLE);
	/* One that was in no span disturbs nobody. */
	switch_to(&idle[0], &tasks[20]);
	assert_null(__this_cpu_read(nettoll_cpu.cur));
	switch_to(&tasks[20], &idle[0]);
	for (i = 0; i < 10; i += 2)
		wake_up(&s[i], &tasks[i]);
	for (i = 9; i > 0; i -= 2)
		wake_up(&s[i], &tasks[i]);
}

static void hold__kernel_threads_that_sleep_keep_the_module(void **state)
{
	struct nettoll_span s;

	tasks[0].flags = PF_KTHREAD;
	fall_asleep(&s, &tasks[0], 0, TASK_UNINTERRUPTIBLE);
	assert_int_equal(shim_module_refs, 1);
	wake_up(&s, &tasks[0]);
	assert_int_equal(shim_module_refs, 0);

	/* Preempted, it comes back by itself. */
	fall_asleep(&s, &tasks[0], 0, 0);
	assert_int_equal(shim_module_refs, 0);
	wake_up(&s, &tasks[0]);

	/* A user's task can be nudged. */
	fall_asleep(&s, &tasks[1], 0, TASK_INTERRUPTIBLE);
	assert_int_equal(shim_module_refs, 0);
	wake_up(&s, &tasks[1]);
}

static void hold__user_task_stuck_for_a_second(void **state)
{
	struct nettoll_span s, t;

	fall_asleep(&s, &tasks[0], 0, TASK_UNINTERRUPTIBLE);
	fall_asleep(&t, &tasks[1], 0, TASK_INTERRUPTIBLE);
	shim_cycles += 1000ULL * tsc_khz;
	nettoll_park_hold_stuck();
	assert_int_equal(shim_module_refs, 0);
	shim_cycles += 1;
	nettoll_park_hold_stuck();
	assert_int_equal(shim_module_refs, 1);
	/* Once is enough. */
	nettoll_park_hold_stuck();
	assert_int_equal(shim_module_refs, 1);
	wake_up(&s, &tasks[0]);
	wake_up(&t, &tasks[1]);
}

static void exit__forgets_the_spans_of_a_dying_task(void **state)
{
	struct nettoll_span outer, inner;

	nettoll_span_enter(&outer, nettoll_slot(HOOK, 0), false);
	nettoll_span_enter(&inner, nettoll_slot(HOOK, 0), false);
	nettoll_park_exit(NULL, &tasks[0]);
	assert_null(__this_cpu_read(nettoll_cpu.cur));
	assert_int_equal(nettoll_span_open(), 0);
	assert_int_equal(charge(HOOK, 0, 0)->calls, 0);
}

static void list__names_them_and_counts_beyond_its_room(void **state)
{
	struct nettoll_holder list[2];
	struct nettoll_span s[3];
	int i;

	assert_int_equal(nettoll_park_list(list, 2), 0);
	tasks[0].flags = PF_KTHREAD;
	fall_asleep(&s[0], &tasks[0], NETTOLL_DIRECTION_RX, TASK_INTERRUPTIBLE);
	assert_int_equal(nettoll_park_list(list, 2), 1);
	assert_int_equal(list[0].pid, 100);
	assert_string_equal(list[0].comm, "task0");
	assert_int_equal(list[0].hook, HOOK);
	assert_true(list[0].kthread);
	assert_int_equal(list[0].since, shim_cycles);
	fall_asleep(&s[1], &tasks[1], 0, TASK_INTERRUPTIBLE);
	fall_asleep(&s[2], &tasks[2], 0, TASK_INTERRUPTIBLE);
	assert_int_equal(nettoll_park_list(list, 2), 3);
	for (i = 0; i < 3; i++)
		wake_up(&s[i], &tasks[i]);
}

/* More in one bucket than are looked at together; none is forgotten, none asked twice. */
static void nudge__every_user_task_that_can_be_woken(void **state)
{
	struct nettoll_span s[40];
	int i;

	for (i = 0; i < 40; i++) {
		tasks[i].flags = i % 5 == 1 ? PF_KTHREAD : 0;
		fall_asleep(&s[i], &tasks[i], 0,
			    i % 5 == 2 ? TASK_UNINTERRUPTIBLE : TASK_INTERRUPTIBLE);
	}
	assert_int_equal(nettoll_park_nudge(), 40 - 8 - 8);
	for (i = 0; i < 40; i++) {
		bool asked = i % 5 != 1 && i % 5 != 2;

		assert_int_equal(tasks[i].woken, asked);
		assert_int_equal(tasks[i].tif, asked ? BIT(TIF_NOTIFY_SIGNAL) : 0);
		wake_up(&s[i], &tasks[i]);
	}
}

/*
 * Tasks enter, leave, sleep and move at random, and interrupts come between.
 * At any moment the self times add up to what has ended.
 */
#define TASKS	12
#define DEPTH	6

static struct nettoll_span stack[TASKS][DEPTH];
static int depth[TASKS], runs_on[SHIM_CPUS];

static u64 sum_self(void)
{
	u64 sum = 0;
	int cpu, i;

	for (cpu = 0; cpu < SHIM_CPUS; cpu++)
		for (i = 0; i < NETTOLL_HOOKS * 2; i++)
			sum += charge(0, i, cpu)->self;
	return sum;
}

static u64 sum_inclusive(void)
{
	u64 sum = nettoll_park_ended_in();
	int cpu;

	for (cpu = 0; cpu < SHIM_CPUS; cpu++)
		sum += per_cpu(nettoll_cpu.inclusive, cpu) +
		       nettoll_span_ended_in(per_cpu(nettoll_cpu.cur, cpu));
	return sum;
}

static struct task_struct *task_of(int t)
{
	return t < 0 ? &idle[shim_cpu] : &tasks[t];
}

static void step(unsigned int *seed)
{
	struct nettoll_span irq;
	int now, next, cpu;

	shim_cpu = rand_r(seed) % SHIM_CPUS;
	now = runs_on[shim_cpu];
	shim_cycles += rand_r(seed) % 30;
	switch (rand_r(seed) % 4) {
	case 0:
		if (now >= 0 && depth[now] < DEPTH)
			nettoll_span_enter(&stack[now][depth[now]++],
					   nettoll_slot(rand_r(seed) % NETTOLL_HOOK_WAIT,
							rand_r(seed) % 2), rand_r(seed) % 2);
		break;
	case 1:
		if (now >= 0 && depth[now])
			nettoll_span_exit(&stack[now][--depth[now]], &free_of_cost);
		break;
	case 2:
		nettoll_span_enter(&irq, nettoll_slot(HOOK, 1), false);
		shim_cycles += rand_r(seed) % 30;
		nettoll_span_exit(&irq, &free_of_cost);
		break;
	case 3:
		next = rand_r(seed) % (TASKS + 1) - 1;
		for (cpu = 0; cpu < SHIM_CPUS; cpu++)
			if (next >= 0 && runs_on[cpu] == next)
				return;
		switch_to(task_of(now), task_of(next));
		runs_on[shim_cpu] = next;
		break;
	}
}

static void closure__at_any_moment(void **state)
{
	unsigned int seed = 1, i;
	int cpu, t;

	for (cpu = 0; cpu < SHIM_CPUS; cpu++)
		runs_on[cpu] = -1;
	for (i = 0; i < 20000; i++) {
		step(&seed);
		assert_int_equal(sum_self(), sum_inclusive());
	}
	for (cpu = 0; cpu < SHIM_CPUS; cpu++) {
		shim_cpu = cpu;
		switch_to(task_of(runs_on[cpu]), &idle[cpu]);
	}
	for (t = 0; t < TASKS; t++) {
		switch_to(&idle[shim_cpu], &tasks[t]);
		while (depth[t])
			nettoll_span_exit(&stack[t][--depth[t]], &free_of_cost);
		switch_to(&tasks[t], &idle[shim_cpu]);
	}
	assert_int_equal(nettoll_park_ended_in(), 0);
	assert_int_equal(sum_self(), sum_inclusive());
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(switch__sleep_is_wait_and_not_the_layers, setup, teardown),
		cmocka_unit_test_setup_teardown(switch__nested_sleep_is_nobodys_self_time, setup, teardown),
		cmocka_unit_test_setup_teardown(switch__task_moves_to_another_cpu, setup, teardown),
		cmocka_unit_test_setup_teardown(switch__each_task_gets_its_own_span_back, setup, teardown),
		cmocka_unit_test_setup_teardown(hold__kernel_threads_that_sleep_keep_the_module, setup, teardown),
		cmocka_unit_test_setup_teardown(hold__user_task_stuck_for_a_second, setup, teardown),
		cmocka_unit_test_setup_teardown(exit__forgets_the_spans_of_a_dying_task, setup, teardown),
		cmocka_unit_test_setup_teardown(list__names_them_and_counts_beyond_its_room, setup, teardown),
		cmocka_unit_test_setup_teardown(nudge__every_user_task_that_can_be_woken, setup, teardown),
		cmocka_unit_test_setup_teardown(closure__at_any_moment, setup, teardown),
	};

	return cmocka_run_group_tests_name("park", tests, NULL, NULL);
}
