// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accounting in windows: hooks attached for a share of the time only, either a
 * share that was asked for or one that keeps our own cost below a ceiling.
 * Between windows they are really detached and cost nothing; attached-ns says
 * how long they were attached, by which a reader scales what was charged.
 */
#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "../compat/clock.h"
#include "account.h"
#include "duty.h"

static struct {
	DECLARE_BITMAP(set, NETTOLL_HOOKS);
	unsigned int backend;
	unsigned int hooks;
	u32 duty;
	u32 ceiling;
	u32 window_ms;
	u64 since;
	u64 own;
	u64 patch_ns;
	bool attached;
} duty;

static void duty_work_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(duty_work, duty_work_fn);

/* What was attached longer, since attaching takes its time, pauses longer. */
static unsigned int pause_ms(u64 on_ns)
{
	u64 on_ms = div_u64(on_ns, NSEC_PER_MSEC);

	return min_t(u64, div_u64(on_ms * (NETTOLL_DUTY_ALWAYS - duty.duty), duty.duty), INT_MAX);
}

/* CPU time that our own code took since the window began. */
static u64 own_ns(void)
{
	u64 cycles = nettoll_account_own() - duty.own;

	return div_u64(min_t(u64, cycles, U64_MAX / NSEC_PER_MSEC) * NSEC_PER_MSEC,
		       nettoll_clock_khz());
}

/*
 * Time from the beginning of a window to that of the next, in which @cost_ns of
 * our own are the ceiling's share of all CPUs.
 */
static u64 round_ns(u64 cost_ns)
{
	return div_u64(min_t(u64, cost_ns, U64_MAX / NETTOLL_DUTY_ALWAYS) * NETTOLL_DUTY_ALWAYS,
		       duty.ceiling * num_online_cpus());
}

static void window_begin(void)
{
	duty.since = ktime_get_ns();
	duty.own = nettoll_account_own();
	duty.patch_ns = 0;
}

/* The pause after a window, in ms; 0: none, the hooks may stay. */
static unsigned int window_end(void)
{
	u64 now = ktime_get_ns(), on = now - duty.since, whole, gone, cpu_ns, cost = 0;
	struct nettoll_outcome out;
	unsigned int delay_ms = 0;

	if (duty.ceiling) {
		cost = own_ns();
		/* Patching is over and done with as long as they stay. */
		if (round_ns(cost) <= on) {
			duty.duty = NETTOLL_DUTY_ALWAYS;
			return 0;
		}
	} else {
		delay_ms = pause_ms(on);
	}
	nettoll_window_shut();
	cpu_ns = current->se.sum_exec_runtime;
	nettoll_account_detach(duty.set, &out);
	cpu_ns = current->se.sum_exec_runtime - cpu_ns;
	/* Detaching waits for grace periods: a part of the pause is over. */
	gone = ktime_get_ns() - now;
	if (duty.ceiling) {
		whole = max(round_ns(cost + duty.patch_ns + cpu_ns), on + gone);
		delay_ms = min_t(u64, div_u64(whole - on, NSEC_PER_MSEC) + 1, INT_MAX);
		duty.duty = max_t(u64, div64_u64(on * NETTOLL_DUTY_ALWAYS, whole), 1);
	}
	return max_t(u64, delay_ms - min_t(u64, div_u64(gone, NSEC_PER_MSEC), delay_ms), 1);
}

static void duty_work_fn(struct work_struct *work)
{
	struct nettoll_outcome out;
	unsigned int delay_ms;
	u64 cpu_ns;

	mutex_lock(&nettoll_account_lock);
	/* Pending again: while this one waited for the lock, other windows have begun. */
	if (duty.duty && !delayed_work_pending(&duty_work)) {
		delay_ms = duty.attached ? window_end() : 0;
		duty.attached = !delay_ms;
		if (duty.attached) {
			delay_ms = duty.window_ms;
			window_begin();
			if (!nettoll_account_attached()) {
				cpu_ns = current->se.sum_exec_runtime;
				nettoll_account_attach(duty.set, duty.backend, false, &out);
				duty.patch_ns = current->se.sum_exec_runtime - cpu_ns;
				nettoll_window_open();
			}
		}
		schedule_delayed_work(&duty_work, msecs_to_jiffies(delay_ms));
	}
	mutex_unlock(&nettoll_account_lock);
}

/**
 * nettoll_duty_start() - account in windows from now on
 * @set: hooks that were asked for; with whatever else is attached now they are
 *	the first window, since there is no pause while anything is attached
 * @backend: enum nettoll_backend
 * @share: share of the time, in hundredths of a per cent; not with a ceiling
 * @ceiling: share of all CPUs that our own cost may take, in hundredths of a
 *	per cent: pauses are as long as that takes; 0: go by @share
 * @window_ms: length of a window
 */
void nettoll_duty_start(const unsigned long *set, unsigned int backend, u32 share, u32 ceiling,
			u32 window_ms)
{
	int id;

	lockdep_assert_held(&nettoll_account_lock);
	bitmap_copy(duty.set, set, NETTOLL_HOOKS);
	for (id = 0; id < NETTOLL_HOOK_CALIBRATION; id++)
		if (nettoll_hooks[id].state == NETTOLL_HOOK_STATE_ATTACHED)
			__set_bit(id, duty.set);
	duty.backend = backend;
	duty.hooks = nettoll_account_attached();
	duty.window_ms = window_ms;
	duty.ceiling = ceiling;
	duty.attached = true;
	duty.duty = share;
	nettoll_window_open();
	window_begin();
	mod_delayed_work(system_wq, &duty_work, msecs_to_jiffies(window_ms));
}

/**
 * nettoll_duty_init() - have what windows need, and leave out what is counted
 * until the first is open: nettoll_duty_start(), or nettoll_duty_resume()
 *
 * Return: 0 or -ENOMEM.
 */
int nettoll_duty_init(void)
{
	int err;

	lockdep_assert_held(&nettoll_account_lock);
	err = nettoll_window_init();
	if (!err)
		nettoll_window_shut();
	return err;
}

/**
 * nettoll_duty_resume() - the attach that nettoll_duty_init() was for has
 * failed; windows that there were go on as if it had not been tried
 */
void nettoll_duty_resume(void)
{
	lockdep_assert_held(&nettoll_account_lock);
	if (!duty.duty || duty.attached)
		nettoll_window_open();
}

/* The user's, though in a pause it is detached. */
static bool held(unsigned int id)
{
	return test_bit(id, duty.set) && nettoll_hooks[id].state ==
	       (duty.attached ? NETTOLL_HOOK_STATE_ATTACHED : NETTOLL_HOOK_STATE_DETACHED);
}

/**
 * nettoll_duty_join() - have an attach that ends windows attach their hooks too
 * @set: hooks to attach, to which those that a pause keeps detached are added
 *
 * Return: how many hooks these are; to their user they were attached already.
 */
unsigned int nettoll_duty_join(unsigned long *set)
{
	unsigned int n = 0;
	int id;

	lockdep_assert_held(&nettoll_account_lock);
	if (!duty.duty || duty.attached)
		return 0;
	for (id = 0; id < NETTOLL_HOOK_CALIBRATION; id++)
		if (held(id)) {
			__set_bit(id, set);
			n++;
		}
	return n;
}

/**
 * nettoll_duty_drop() - no further windows of some hooks
 * @set: the hooks; those that are attached stay so
 *
 * Windows of the others go on, if there are any.
 *
 * Return: how many of the hooks a pause kept detached.
 */
unsigned int nettoll_duty_drop(const unsigned long *set)
{
	unsigned int left = 0, n = 0;
	int id;

	lockdep_assert_held(&nettoll_account_lock);
	if (!duty.duty)
		return 0;
	for (id = 0; id < NETTOLL_HOOK_CALIBRATION; id++) {
		if (!test_bit(id, set))
			left += held(id);
		else if (!duty.attached)
			n += held(id);
	}
	bitmap_andnot(duty.set, duty.set, set, NETTOLL_HOOKS);
	WRITE_ONCE(duty.hooks, left);
	if (!left)
		nettoll_duty_stop();
	return n;
}

/** nettoll_duty_stop() - no further windows; what is attached stays so */
void nettoll_duty_stop(void)
{
	lockdep_assert_held(&nettoll_account_lock);
	duty.duty = 0;
	duty.ceiling = 0;
	nettoll_window_open();
	cancel_delayed_work(&duty_work);
}

/** nettoll_duty_exit() - wait for a window that begins or ends right now */
void nettoll_duty_exit(void)
{
	mutex_lock(&nettoll_account_lock);
	nettoll_duty_stop();
	mutex_unlock(&nettoll_account_lock);
	cancel_delayed_work_sync(&duty_work);
}

/** nettoll_duty() - share of the time, asked for or arrived at, in hundredths of a per cent */
u32 nettoll_duty(void)
{
	return READ_ONCE(duty.duty) ?: NETTOLL_DUTY_ALWAYS;
}

/** nettoll_duty_window_ms() - length of a window, 0 without windows */
u32 nettoll_duty_window_ms(void)
{
	return READ_ONCE(duty.duty) ? READ_ONCE(duty.window_ms) : 0;
}

/** nettoll_duty_ceiling() - share of all CPUs that our own cost may take, 0 if any */
u32 nettoll_duty_ceiling(void)
{
	return READ_ONCE(duty.ceiling);
}

/** nettoll_duty_holds() - the hook is attached in windows */
bool nettoll_duty_holds(unsigned int id)
{
	lockdep_assert_held(&nettoll_account_lock);
	return duty.duty && test_bit(id, duty.set);
}

/** nettoll_duty_hooks() - number of hooks attached in windows, 0 if none */
unsigned int nettoll_duty_hooks(void)
{
	return READ_ONCE(duty.duty) ? READ_ONCE(duty.hooks) : 0;
}
