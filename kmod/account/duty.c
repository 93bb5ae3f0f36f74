// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accounting in windows: hooks attached for a share of the time only. Between
 * windows they are really detached and cost nothing; attached-ns says how long
 * they were attached, by which a reader scales what was charged.
 */
#include <linux/bitmap.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/workqueue.h>

#include "account.h"
#include "duty.h"

static struct {
	DECLARE_BITMAP(set, NETTOLL_HOOKS);
	unsigned int backend;
	unsigned int hooks;
	u32 duty;
	unsigned long on;
	unsigned long off;
	bool attached;
} duty;

static void duty_work_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(duty_work, duty_work_fn);

static void duty_work_fn(struct work_struct *work)
{
	struct nettoll_outcome out;

	mutex_lock(&nettoll_account_lock);
	if (duty.duty) {
		if (duty.attached)
			nettoll_account_detach(duty.set, &out);
		else
			nettoll_account_attach(duty.set, duty.backend, false, &out);
		duty.attached = !duty.attached;
		schedule_delayed_work(&duty_work, duty.attached ? duty.on : duty.off);
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
	u64 period_ms = div_u64((u64)window_ms * NETTOLL_DUTY_ALWAYS, share);

	lockdep_assert_held(&nettoll_account_lock);
	bitmap_copy(duty.set, set, NETTOLL_HOOKS);
	duty.backend = backend;
	duty.hooks = nettoll_account_attached();
	duty.on = msecs_to_jiffies(window_ms);
	duty.off = msecs_to_jiffies(min_t(u64, period_ms - window_ms, INT_MAX));
	duty.attached = true;
	duty.duty = share;
	mod_delayed_work(system_wq, &duty_work, duty.on);
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
