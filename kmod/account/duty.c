// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accounting in windows: hooks attached for a share of the time only. Between
 * windows they are really detached and cost nothing; attached-ns says how long
 * they were attached, by which a reader scales what was charged.
 */
#include <linux/bitmap.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/workqueue.h>

#include "account.h"
#include "duty.h"

static struct {
	DECLARE_BITMAP(set, NETTOLL_HOOKS);
	unsigned int backend;
	unsigned int hooks;
	u32 duty;
	u32 window_ms;
	u64 since;
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

static void duty_work_fn(struct work_struct *work)
{
	struct nettoll_outcome out;
	unsigned int delay_ms;
	u64 now, gone_ms;

	mutex_lock(&nettoll_account_lock);
	if (duty.duty) {
		if (duty.attached) {
			now = ktime_get_ns();
			delay_ms = pause_ms(now - duty.since);
			nettoll_account_detach(duty.set, &out);
			/* Detaching waits for grace periods: a part of the pause is over. */
			gone_ms = div_u64(ktime_get_ns() - now, NSEC_PER_MSEC);
			delay_ms -= min_t(u64, gone_ms, delay_ms);
		} else {
			delay_ms = duty.window_ms;
			duty.since = ktime_get_ns();
			nettoll_account_attach(duty.set, duty.backend, false, &out);
		}
		duty.attached = !duty.attached;
		schedule_delayed_work(&duty_work, msecs_to_jiffies(delay_ms));
	}
	mutex_unlock(&nettoll_account_lock);
}

/**
 * nettoll_duty_start() - account in windows from now on
 * @set: hooks, which are attached now, as the first window
 * @backend: enum nettoll_backend
 * @share: share of the time, in hundredths of a per cent
 * @window_ms: length of a window
 */
void nettoll_duty_start(const unsigned long *set, unsigned int backend, u32 share, u32 window_ms)
{
	lockdep_assert_held(&nettoll_account_lock);
	bitmap_copy(duty.set, set, NETTOLL_HOOKS);
	duty.backend = backend;
	duty.hooks = nettoll_account_attached();
	duty.window_ms = window_ms;
	duty.since = ktime_get_ns();
	duty.attached = true;
	duty.duty = share;
	mod_delayed_work(system_wq, &duty_work, msecs_to_jiffies(window_ms));
}

/** nettoll_duty_stop() - no further windows; what is attached stays so */
void nettoll_duty_stop(void)
{
	lockdep_assert_held(&nettoll_account_lock);
	duty.duty = 0;
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

/** nettoll_duty() - share of the time, in hundredths of a per cent */
u32 nettoll_duty(void)
{
	return READ_ONCE(duty.duty) ?: NETTOLL_DUTY_ALWAYS;
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
