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
#define schedule_delayed_work(w, ms)	((w)->queued = true, (w)->due_ns = now_ns + (ms) * NSEC_PER_MSEC)
#define mod_delayed_work(wq, w, ms)	schedule_delayed_work(w, ms)
#define cancel_delayed_work(w)		((w)->queued = false)
#define cancel_delayed_work_sync(w)	((w)->queued = false)

#include "../account/duty.c"

struct mutex nettoll_account_lock;
static unsigned int attached, attaches, detaches;
static u64 attach_takes_ns, detach_takes_ns, attached_ns, since_ns;

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
	assert_false(strict);
	attached = bitmap_weight(set, NETTOLL_HOOKS);
	since_ns = now_ns;
	attaches++;
	now_ns += attach_takes_ns;
	return 0;
}

int nettoll_account_detach(const unsigned long *set, struct nettoll_outcome *out)
{
	lockdep_assert_held(&nettoll_account_lock);
	assert_int_equal(attached, bitmap_weight(set, NETTOLL_HOOKS));
	attached = 0;
	attached_ns += now_ns - since_ns;
	detaches++;
	now_ns += detach_takes_ns;
	return 0;
}

static int setup(void **state)
{
	now_ns = 7000000000ULL;
	attached = attaches = detaches = 0;
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

static void start(u32 share, u32 window_ms)
{
	DECLARE_BITMAP(set, NETTOLL_HOOKS);

	bitmap_zero(set, NETTOLL_HOOKS);
	__set_bit(2, set);
	__set_bit(5, set);
	attached = 2;
	since_ns = now_ns;
	nettoll_duty_start(set, NETTOLL_BACKEND_KRETPROBE, share, window_ms);
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
	pass(898);
	assert_int_equal(attached, 0);
	pass(2);
	assert_int_equal(attached, 2);
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
		cmocka_unit_test_setup_teardown(pause__has_a_bound, setup, teardown),
	};

	return cmocka_run_group_tests_name("duty", tests, NULL, NULL);
}
