// SPDX-License-Identifier: GPL-2.0-only
/*
 * account/duty.c: how long hooks are attached in windows, and that windows end.
 */
#include "shim.h"

/* A clock in nanoseconds, and one work that is due at a time. */
static u64 now_ns;
#define NSEC_PER_MSEC		1000000ULL
#define ktime_get_ns()		now_ns
#define div_u64(a, b)		((u64)(a) / (u32)(b))
#define NSEC_PER_USEC		1000ULL
#define div64_u64(a, b)		((u64)(a) / (u64)(b))
#define num_online_cpus()	4
#define msecs_to_jiffies(ms)	((unsigned long)(ms))

struct work_struct {
	int unused;
};

struct delayed_work {
	void (*fn)(struct work_struct *work);
	bool queued;
	u64 due_ns;
};

#define DECLARE_DELAYED_WORK(name, f)	struct delayed_work name = { .fn = f }
#define delayed_work_pending(w)		((w)->queued)
#define schedule_delayed_work(w, ms)	((w)->queued = true, (w)->due_ns = now_ns + (ms) * NSEC_PER_MSEC)
#define mod_delayed_work(wq, w, ms)	schedule_delayed_work(w, ms)
#define cancel_delayed_work(w)		((w)->queued = false)
#define cancel_delayed_work_sync(w)	((w)->queued = false)

/* 2 GHz. */
static u64 own_share_ppm;	/* of all CPUs, while attached */
#define NETTOLL_COMPAT_CLOCK_H
#define nettoll_clock_khz()	2000000U

/* Patching is work, all of it. */
static struct {
	struct {
		u64 sum_exec_runtime;
	} se;
} worker;
#define current			(&worker)

#include "../account/duty.c"

/* Windows are open while hooks are attached, all of them. */
static bool window_open = true;
static unsigned int windows;
static int window_error;

int nettoll_window_init(void)
{
	return window_error;
}

void nettoll_window_shut(void)
{
	window_open = false;
}

void nettoll_window_open(void)
{
	windows += !window_open;
	window_open = true;
}

struct mutex nettoll_account_lock;
struct nettoll_hook nettoll_hooks[NETTOLL_HOOKS];
static unsigned int attached, attaches, detaches;
static u64 attach_takes_ns, detach_takes_ns, attached_ns, since_ns;

/* Of the windows before, and of the one that is open. */
static u64 own_before;

u64 nettoll_account_own(void)
{
	u64 on = attached ? now_ns - since_ns : 0;

	return own_before + on * 2 * num_online_cpus() / 1000000 * own_share_ppm;
}

unsigned int nettoll_account_attached(void)
{
	return attached;
}

int nettoll_account_attach(const unsigned long *set, unsigned int backend, bool strict,
			   struct nettoll_outcome *out)
{
	lockdep_assert_held(&nettoll_account_lock);
	assert_int_equal(attached, 0);
	assert_int_equal(backend, NETTOLL_BACKEND_KRETPROBE);
	assert_false(window_open);
	assert_false(strict);
	attached = bitmap_weight(set, NETTOLL_HOOKS);
	since_ns = now_ns;
	attaches++;
	now_ns += attach_takes_ns;
	worker.se.sum_exec_runtime += attach_takes_ns;
	return 0;
}

int nettoll_account_detach(const unsigned long *set, struct nettoll_outcome *out)
{
	lockdep_assert_held(&nettoll_account_lock);
	assert_int_equal(attached, bitmap_weight(set, NETTOLL_HOOKS));
	assert_false(window_open);
	own_before = nettoll_account_own();
	attached = 0;
	attached_ns += now_ns - since_ns;
	detaches++;
	now_ns += detach_takes_ns;
	worker.se.sum_exec_runtime += detach_takes_ns;
	return 0;
}

static int setup(void **state)
{
	now_ns = 7000000000ULL;
	attached = attaches = detaches = 0;
	own_before = own_share_ppm = 0;
	attach_takes_ns = detach_takes_ns = attached_ns = 0;
	mutex_lock(&nettoll_account_lock);
	return 0;
}

static int teardown(void **state)
{
	mutex_unlock(&nettoll_account_lock);
	nettoll_duty_exit();
	assert_false(duty_work.queued);
	assert_int_equal(nettoll_duty(), NETTOLL_DUTY_ALWAYS);
	assert_int_equal(nettoll_duty_hooks(), 0);
	return 0;
}

static void begin(u32 share, u32 ceiling, u32 window_ms)
{
	DECLARE_BITMAP(set, NETTOLL_HOOKS);

	bitmap_zero(set, NETTOLL_HOOKS);
	__set_bit(2, set);
	__set_bit(5, set);
	attached = 2;
	since_ns = now_ns;
	nettoll_duty_start(set, NETTOLL_BACKEND_KRETPROBE, share, ceiling, window_ms);
}

static void start(u32 share, u32 window_ms)
{
	begin(share, 0, window_ms);
}

/* Lets @ms pass, with the work done when it is due. */
static void pass(u64 ms)
{
	u64 end = now_ns + ms * NSEC_PER_MSEC;

	while (duty_work.queued && duty_work.due_ns <= end) {
		if (duty_work.due_ns > now_ns)
			now_ns = duty_work.due_ns;
		duty_work.queued = false;
		mutex_unlock(&nettoll_account_lock);
		duty_work.fn(NULL);
		mutex_lock(&nettoll_account_lock);
	}
	if (now_ns < end)
		now_ns = end;
}

static void window__and_pause(void **state)
{
	start(1000, 100);
	assert_int_equal(nettoll_duty(), 1000);
	assert_int_equal(nettoll_duty_hooks(), 2);
	pass(99);
	assert_int_equal(attached, 2);
	pass(2);
	assert_int_equal(attached, 0);
	/* They are the user's all the same. */
	assert_int_equal(nettoll_duty_hooks(), 2);
	assert_false(window_open);
	pass(898);
	assert_int_equal(attached, 0);
	pass(2);
	assert_int_equal(attached, 2);
	assert_true(window_open);
	assert_int_equal(attaches, 1);
}

static void share__is_kept_over_time(void **state)
{
	static const u32 shares[] = { 1, 50, 100, 3333, 9999 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(shares); i++) {
		u64 began = now_ns, whole = 2000ULL * 100 * NETTOLL_DUTY_ALWAYS / shares[i];

		attached_ns = 0;
		start(shares[i], 100);
		pass(whole);
		if (attached)
			attached_ns += now_ns - since_ns;
		/* Within a hundredth of what was asked for, and one window. */
		assert_in_range(attached_ns, 0, (now_ns - began) / NETTOLL_DUTY_ALWAYS * shares[i] * 101 / 100 +
				100 * NSEC_PER_MSEC);
		assert_in_range((now_ns - began) / NETTOLL_DUTY_ALWAYS * shares[i] * 99 / 100, 0, attached_ns);
		nettoll_duty_stop();
		attached = 0;
	}
}

/* Attaching itself takes a second: the pauses make up for it. */
static void share__is_kept_where_attaching_is_slow(void **state)
{
	u64 began = now_ns;

	attach_takes_ns = 1000 * NSEC_PER_MSEC;
	start(100, 10);
	pass(3600 * 1000);
	assert_in_range(attached_ns, 0, (now_ns - began) / 100 + 1100 * NSEC_PER_MSEC);
	assert_true(attaches > 20);
}

static void share__is_kept_where_detaching_is_slow(void **state)
{
	u64 begin = now_ns;

	detach_takes_ns = 70 * NSEC_PER_MSEC;
	start(2000, 20);
	pass(10000);
	assert_in_range(attached_ns * 10000 / (now_ns - begin), 1900, 2100);

	/* Longer than the whole pause: no sooner than at once. */
	detach_takes_ns = 200 * NSEC_PER_MSEC;
	attaches = 0;
	pass(2200);
	assert_in_range(attaches, 9, 11);
}

static void holds__only_its_own_hooks(void **state)
{
	assert_false(nettoll_duty_holds(2));
	start(100, 10);
	pass(20);
	assert_int_equal(attached, 0);
	assert_true(nettoll_duty_holds(2));
	assert_true(nettoll_duty_holds(5));
	assert_false(nettoll_duty_holds(3));
	nettoll_duty_stop();
	assert_false(nettoll_duty_holds(2));
}

static void stop__leaves_what_is_attached(void **state)
{
	start(100, 10);
	nettoll_duty_stop();
	pass(100000);
	assert_int_equal(attached, 2);
	assert_int_equal(detaches, 0);
}

/* It had begun when it was stopped, and waited for the lock. */
static void stop__a_work_that_comes_too_late_does_nothing(void **state)
{
	start(100, 10);
	nettoll_duty_stop();
	mutex_unlock(&nettoll_account_lock);
	duty_work.fn(NULL);
	mutex_lock(&nettoll_account_lock);
	assert_int_equal(detaches, 0);
	assert_false(duty_work.queued);
}

/* The same, and other windows have begun since. */
static void start__a_work_that_comes_too_late_leaves_the_window(void **state)
{
	start(100, 10);
	nettoll_duty_stop();
	start(100, 10);
	mutex_unlock(&nettoll_account_lock);
	duty_work.fn(NULL);
	mutex_lock(&nettoll_account_lock);
	assert_int_equal(detaches, 0);
	pass(9);
	assert_int_equal(detaches, 0);
	pass(2);
	assert_int_equal(detaches, 1);
	pass(900);
	assert_int_equal(attaches, 0);
}

/* Else no pause would ever end, and readings would stand still. */
static void start__takes_what_else_is_attached(void **state)
{
	nettoll_hooks[9].state = NETTOLL_HOOK_STATE_ATTACHED;
	attached = 3;
	since_ns = now_ns;
	nettoll_duty_start((unsigned long[3]) { BIT(2) | BIT(5) }, NETTOLL_BACKEND_KRETPROBE, 5000, 0, 10);
	nettoll_hooks[9].state = NETTOLL_HOOK_STATE_DETACHED;
	assert_int_equal(nettoll_duty_hooks(), 3);
	assert_true(nettoll_duty_holds(9));
	pass(11);
	assert_int_equal(attached, 0);
	pass(11);
	assert_int_equal(attached, 3);
	assert_true(window_open);
}

/*
 * Our own cost as share of what all CPUs had, in millionths, until the window that is open now began; patching is one
 * CPU's.
 */
static u64 cost_ppm(u64 began_ns)
{
	u64 patching = (attaches - 1) * attach_takes_ns + detaches * detach_takes_ns;

	return (own_before / 2 + patching) / ((since_ns - began_ns) * num_online_cpus() / 1000000);
}

static void ceiling__is_kept(void **state)
{
	static const u64 loads[] = { 10001, 20000, 100000, 500000 };
	unsigned int i;

	attach_takes_ns = 5 * NSEC_PER_MSEC;
	detach_takes_ns = 12 * NSEC_PER_MSEC;
	for (i = 0; i < ARRAY_SIZE(loads); i++) {
		u64 began = now_ns;

		own_before = attaches = detaches = 0;
		own_share_ppm = loads[i];
		begin(NETTOLL_DUTY_ALWAYS, 100, 100);
		assert_int_equal(nettoll_duty_ceiling(), 100);
		assert_int_equal(nettoll_duty_window_ms(), 100);
		pass(600 * 1000);
		/* At the end of a pause, never above; and not much below, or too little would be seen. */
		while (!attached)
			pass(1);
		assert_in_range(cost_ppm(began), 9000, 10000);
		assert_in_range(nettoll_duty(), 1, NETTOLL_DUTY_ALWAYS - 1);
		nettoll_duty_stop();
		attached = 0;
	}
	assert_int_equal(nettoll_duty_ceiling(), 0);
}

static void ceiling__no_pauses_below_it(void **state)
{
	own_share_ppm = 9000;
	begin(NETTOLL_DUTY_ALWAYS, 100, 100);
	pass(60 * 1000);
	assert_int_equal(attached, 2);
	assert_int_equal(attaches + detaches, 0);
	assert_int_equal(nettoll_duty(), NETTOLL_DUTY_ALWAYS);
	/* More traffic: within one window, pauses. */
	own_before = nettoll_account_own();
	since_ns = now_ns;
	own_share_ppm = 100000;
	pass(101);
	assert_int_equal(attached, 0);
	/* And less again. */
	own_share_ppm = 100;
	pass(2000);
	assert_int_equal(attached, 2);
	assert_int_equal(nettoll_duty(), NETTOLL_DUTY_ALWAYS);
}

static void init__leaves_out_until_the_first_window(void **state)
{
	window_error = -ENOMEM;
	assert_int_equal(nettoll_duty_init(), -ENOMEM);
	assert_true(window_open);
	window_error = 0;
	assert_int_equal(nettoll_duty_init(), 0);
	assert_false(window_open);
	start(100, 10);
	assert_true(window_open);
	/* Stopped in a pause: what is attached from now on counts. */
	pass(20);
	assert_false(window_open);
	nettoll_duty_stop();
	assert_true(window_open);
}

static void states(int state)
{
	nettoll_hooks[2].state = nettoll_hooks[5].state = state;
}

/* In a pause the hooks are their user's all the same. */
static void drop__windows_of_the_others_go_on(void **state)
{
	DECLARE_BITMAP(set, NETTOLL_HOOKS);

	bitmap_zero(set, NETTOLL_HOOKS);
	assert_int_equal(nettoll_duty_drop(set), 0);
	states(NETTOLL_HOOK_STATE_ATTACHED);
	start(1000, 100);
	pass(101);
	assert_int_equal(attached, 0);
	states(NETTOLL_HOOK_STATE_DETACHED);
	__set_bit(3, set);
	__set_bit(5, set);
	assert_int_equal(nettoll_duty_drop(set), 1);
	assert_int_equal(nettoll_duty_hooks(), 1);
	assert_false(nettoll_duty_holds(5));
	pass(901);
	assert_int_equal(attached, 1);
	states(NETTOLL_HOOK_STATE_ATTACHED);

	/* The last of them, in a window: the account detaches it. */
	__set_bit(2, set);
	assert_int_equal(nettoll_duty_drop(set), 0);
	assert_int_equal(nettoll_duty_hooks(), 0);
	assert_false(duty_work.queued);
	states(NETTOLL_HOOK_STATE_ABSENT);
}

static void join__what_a_pause_keeps_detached(void **state)
{
	DECLARE_BITMAP(set, NETTOLL_HOOKS);

	bitmap_zero(set, NETTOLL_HOOKS);
	assert_int_equal(nettoll_duty_join(set), 0);
	states(NETTOLL_HOOK_STATE_ATTACHED);
	start(1000, 100);
	assert_int_equal(nettoll_duty_join(set), 0);
	pass(101);
	nettoll_hooks[2].state = NETTOLL_HOOK_STATE_DETACHED;
	nettoll_hooks[5].state = NETTOLL_HOOK_STATE_FAILED;
	assert_int_equal(nettoll_duty_join(set), 1);
	assert_int_equal(bitmap_weight(set, NETTOLL_HOOKS), 1);
	assert_true(test_bit(2, set));
	states(NETTOLL_HOOK_STATE_ABSENT);
}

static void resume__as_if_it_had_not_been_tried(void **state)
{
	/* Without windows, what has been counted in vain is left out. */
	nettoll_duty_init();
	nettoll_duty_resume();
	assert_true(window_open);

	/* In a window it is open again, in a pause it stays shut. */
	start(1000, 100);
	nettoll_duty_init();
	nettoll_duty_resume();
	assert_true(window_open);
	pass(101);
	nettoll_duty_init();
	nettoll_duty_resume();
	assert_false(window_open);
	pass(901);
	assert_true(window_open);
	assert_int_equal(attached, 2);
}

static void pause__has_a_bound(void **state)
{
	start(1, 10000);
	assert_int_equal(pause_ms(U64_MAX / 2), INT_MAX);
	assert_int_equal(pause_ms(10000 * NSEC_PER_MSEC), 10000 * 9999);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(window__and_pause, setup, teardown),
		cmocka_unit_test_setup_teardown(share__is_kept_over_time, setup, teardown),
		cmocka_unit_test_setup_teardown(share__is_kept_where_attaching_is_slow, setup, teardown),
		cmocka_unit_test_setup_teardown(share__is_kept_where_detaching_is_slow, setup, teardown),
		cmocka_unit_test_setup_teardown(holds__only_its_own_hooks, setup, teardown),
		cmocka_unit_test_setup_teardown(stop__leaves_what_is_attached, setup, teardown),
		cmocka_unit_test_setup_teardown(stop__a_work_that_comes_too_late_does_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(start__a_work_that_comes_too_late_leaves_the_window, setup, teardown),
		cmocka_unit_test_setup_teardown(start__takes_what_else_is_attached, setup, teardown),
		cmocka_unit_test_setup_teardown(ceiling__is_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(ceiling__no_pauses_below_it, setup, teardown),
		cmocka_unit_test_setup_teardown(init__leaves_out_until_the_first_window, setup, teardown),
		cmocka_unit_test_setup_teardown(drop__windows_of_the_others_go_on, setup, teardown),
		cmocka_unit_test_setup_teardown(join__what_a_pause_keeps_detached, setup, teardown),
		cmocka_unit_test_setup_teardown(resume__as_if_it_had_not_been_tried, setup, teardown),
		cmocka_unit_test_setup_teardown(pause__has_a_bound, setup, teardown),
	};

	return cmocka_run_group_tests_name("duty", tests, NULL, NULL);
}
