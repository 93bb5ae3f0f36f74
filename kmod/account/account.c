// SPDX-License-Identifier: GPL-2.0-only
/*
 * The account: attaching hooks, detaching them, and waiting for the spans that
 * are still open, so that nothing of ours is under anybody when we go.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "../compat/rcu.h"
#include "account.h"
#include "calibrate.h"
#include "duty.h"
#include "packets.h"
#include "park.h"
#include "tracepoints.h"

#define POLL_MS		200
#define POLL_FIRST_MS	2
#define STUCK_MS	1000

/* Held by whoever attaches, detaches or changes a setting, and by who lists the hooks. */
DEFINE_MUTEX(nettoll_account_lock);
u64 nettoll_nudge_ms = 100;

static struct workqueue_struct *account_wq;
static unsigned int account_attached;
static bool account_probing;
static u32 account_generation;
static u64 account_attached_ns, account_since;
/* A reading between the writes of the two would count the same time twice, or not at all. */
static seqcount_mutex_t account_times = SEQCNT_MUTEX_ZERO(account_times, &nettoll_account_lock);
static unsigned int account_poll_ms;

static void account_work_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(account_work, account_work_fn);

/** nettoll_account_generation() - changes with every change of hooks or settings */
u32 nettoll_account_generation(void)
{
	return READ_ONCE(account_generation);
}

/** nettoll_account_touch() - note a change that is not of hooks */
void nettoll_account_touch(void)
{
	lockdep_assert_held(&nettoll_account_lock);
	WRITE_ONCE(account_generation, account_generation + 1);
}

/** nettoll_account_attached() - number of hooks attached */
unsigned int nettoll_account_attached(void)
{
	return READ_ONCE(account_attached);
}

/** nettoll_account_state() - enum nettoll_state */
unsigned int nettoll_account_state(void)
{
	if (nettoll_account_attached())
		return NETTOLL_STATE_ATTACHED;
	return READ_ONCE(account_probing) ? NETTOLL_STATE_DRAINING : NETTOLL_STATE_IDLE;
}

/** nettoll_account_own() - cycles of our own code so far, on all CPUs */
u64 nettoll_account_own(void)
{
	const struct nettoll_charge *charge;
	unsigned int i;
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		charge = per_cpu_ptr(nettoll_charges, cpu);
		for (i = 0; i < NETTOLL_HOOKS * 2; i++)
			sum += READ_ONCE(charge[i].own);
	}
	return sum;
}

/** nettoll_account_attached_ns() - nanoseconds that any hook was attached, in all */
u64 nettoll_account_attached_ns(void)
{
	unsigned int seq;
	u64 since, sum;

	do {
		seq = read_seqcount_begin(&account_times);
		since = account_since;
		sum = account_attached_ns;
	} while (read_seqcount_retry(&account_times, seq));
	return since ? sum + ktime_get_ns() - since : sum;
}

/*
 * Hooks come and go one after another, in the same order and at the same pace.
 * So each of them was attached for the time between the beginning of the
 * attach and that of the detach, and @now is the beginning.
 */
static void account_changed(unsigned int attached, u64 now)
{
	write_seqcount_begin(&account_times);
	if (attached && !account_attached) {
		account_since = now;
	} else if (!attached && account_attached) {
		account_attached_ns += now - account_since;
		account_since = 0;
	}
	write_seqcount_end(&account_times);
	WRITE_ONCE(account_attached, attached);
	/* That windows come and go is no change. */
	if (!nettoll_duty_hooks())
		nettoll_account_touch();
}

static int start_probing(void)
{
	int err;

	if (account_probing)
		return 0;
	err = nettoll_tracepoints_register();
	if (err)
		return err;
	nettoll_hooks[NETTOLL_HOOK_WAIT].state = NETTOLL_HOOK_STATE_ATTACHED;
	WRITE_ONCE(account_probing, true);
	account_poll_ms = POLL_FIRST_MS;
	queue_delayed_work(account_wq, &account_work, msecs_to_jiffies(STUCK_MS));
	return 0;
}

/* What waited for the last open span. */
static void release_lingering(void)
{
	u16 ids[NETTOLL_HOOKS];
	unsigned int b, n;
	int id;

	for (b = NETTOLL_BACKEND_DIRECT; b <= NETTOLL_BACKEND_FPROBE; b++) {
		n = 0;
		for (id = 0; id < NETTOLL_HOOK_CALIBRATION; id++)
			if (nettoll_hooks[id].priv && nettoll_hooks[id].backend == b &&
			    nettoll_hooks[id].state != NETTOLL_HOOK_STATE_ATTACHED)
				ids[n++] = id;
		if (n)
			nettoll_backend(b)->release(ids, n);
	}
}

/* The worker looks soon, and then less and less often, whether the last span has ended. */
static void finish_later(void)
{
	account_poll_ms = POLL_FIRST_MS;
	mod_delayed_work(account_wq, &account_work, msecs_to_jiffies(account_poll_ms));
}

/* True once nothing of the account is in use any more. */
static bool try_finish(void)
{
	lockdep_assert_held(&nettoll_account_lock);
	if (!account_probing)
		return true;
	if (account_attached || nettoll_span_open())
		return false;
	release_lingering();
	nettoll_tracepoints_unregister();
	nettoll_hooks[NETTOLL_HOOK_WAIT].state = NETTOLL_HOOK_STATE_DETACHED;
	WRITE_ONCE(account_probing, false);
	return true;
}

static void account_work_fn(struct work_struct *work)
{
	mutex_lock(&nettoll_account_lock);
	if (!try_finish()) {
		nettoll_park_hold_stuck();
		queue_delayed_work(account_wq, &account_work,
				   msecs_to_jiffies(account_attached ? STUCK_MS : account_poll_ms));
		account_poll_ms = min_t(unsigned int, 2 * account_poll_ms, POLL_MS);
	}
	mutex_unlock(&nettoll_account_lock);
}

/* Attach those of @set that @backend takes; clear their bits. */
static void attach_with(unsigned long *set, unsigned int backend)
{
	const struct nettoll_backend_ops *ops = nettoll_backend(backend);
	u16 ids[NETTOLL_HOOKS];
	unsigned int n = 0, i;
	int id;

	for_each_set_bit(id, set, NETTOLL_HOOKS) {
		struct nettoll_hook *h = &nettoll_hooks[id];

		h->error = 0;
		h->why = NULL;
		if (!h->priv) {
			ids[n++] = id;
		} else if (h->backend == backend) {
			ops->rearm(id);
			h->state = NETTOLL_HOOK_STATE_ATTACHED;
			__clear_bit(id, set);
		} else {
			nettoll_hook_fail(id, -EBUSY, "a sleeping task still holds it by another backend; try again when it has woken");
		}
	}
	if (n)
		ops->attach(ids, n);
	for (i = 0; i < n; i++) {
		struct nettoll_hook *h = &nettoll_hooks[ids[i]];

		h->backend = backend;
		if (h->priv) {
			h->state = NETTOLL_HOOK_STATE_ATTACHED;
			__clear_bit(ids[i], set);
		} else {
			h->state = NETTOLL_HOOK_STATE_FAILED;
		}
	}
}

static void disarm_all(const unsigned long *set)
{
	u16 ids[NETTOLL_HOOKS];
	unsigned int b, n;
	int id;

	for_each_set_bit(id, set, NETTOLL_HOOKS) {
		nettoll_backend(nettoll_hooks[id].backend)->disarm(id);
		nettoll_hooks[id].state = NETTOLL_HOOK_STATE_DETACHED;
	}
	/* Whoever was about to enter a span has done so, or gone elsewhere. */
	nettoll_synchronize_trampolines();
	for (b = NETTOLL_BACKEND_DIRECT; b <= NETTOLL_BACKEND_FPROBE; b++) {
		if (nettoll_backend(b)->rearm)
			continue;
		n = 0;
		for_each_set_bit(id, set, NETTOLL_HOOKS)
			if (nettoll_hooks[id].backend == b)
				ids[n++] = id;
		if (n)
			nettoll_backend(b)->release(ids, n);
	}
}

/**
 * nettoll_account_attach() - attach hooks
 * @set: bit map of their numbers
 * @backend: enum nettoll_backend
 * @strict: all or none
 * @out: what was done
 *
 * Return: 0, also where some could not be attached, if not strict; else the
 * error of the first that could not, or of the tracepoints' probes, and nothing
 * has changed.
 */
int nettoll_account_attach(const unsigned long *set, unsigned int backend, bool strict,
			   struct nettoll_outcome *out)
{
	DECLARE_BITMAP(todo, NETTOLL_HOOKS);
	DECLARE_BITMAP(done, NETTOLL_HOOKS);
	u64 now = ktime_get_ns();
	int id, err;

	lockdep_assert_held(&nettoll_account_lock);
	*out = (struct nettoll_outcome) { .first = -1 };
	bitmap_zero(todo, NETTOLL_HOOKS);
	for_each_set_bit(id, set, NETTOLL_HOOK_CALIBRATION) {
		if (nettoll_hooks[id].state == NETTOLL_HOOK_STATE_ABSENT) {
			out->absent++;
			if (out->first < 0)
				out->first = id;
		} else if (nettoll_hooks[id].state != NETTOLL_HOOK_STATE_ATTACHED) {
			__set_bit(id, todo);
		}
	}
	if (strict && out->absent)
		return -ENOENT;
	if (bitmap_empty(todo, NETTOLL_HOOKS))
		return 0;
	/* What waited for the last span, a detach's own perhaps, may be free by now. */
	try_finish();
	err = start_probing();
	if (err) {
		out->first = -1;
		return err;
	}

	bitmap_copy(done, todo, NETTOLL_HOOKS);
	if (backend == NETTOLL_BACKEND_AUTO) {
		attach_with(todo, NETTOLL_BACKEND_DIRECT);
		attach_with(todo, NETTOLL_BACKEND_KRETPROBE);
	} else {
		attach_with(todo, backend);
	}
	bitmap_andnot(done, done, todo, NETTOLL_HOOKS);
	out->failed = bitmap_weight(todo, NETTOLL_HOOKS);
	id = find_first_bit(todo, NETTOLL_HOOKS);
	if (out->failed && (out->first < 0 || id < out->first))
		out->first = id;
	if (strict && out->failed) {
		disarm_all(done);
		if (!try_finish())
			finish_later();
		return nettoll_hooks[id].error;
	}
	out->changed = bitmap_weight(done, NETTOLL_HOOKS);
	if (out->changed)
		account_changed(account_attached + out->changed, now);
	else if (!try_finish())
		finish_later();
	return 0;
}

/**
 * nettoll_account_detach() - detach hooks
 * @set: bit map of their numbers
 * @out: what was done
 *
 * Nothing new is charged from here on. Spans that are open end by themselves,
 * and until the last has, the state is draining.
 *
 * Return: 0.
 */
int nettoll_account_detach(const unsigned long *set, struct nettoll_outcome *out)
{
	DECLARE_BITMAP(todo, NETTOLL_HOOKS);
	unsigned long end;
	int id;

	lockdep_assert_held(&nettoll_account_lock);
	*out = (struct nettoll_outcome) { .first = -1 };
	bitmap_zero(todo, NETTOLL_HOOKS);
	for_each_set_bit(id, set, NETTOLL_HOOK_CALIBRATION) {
		if (nettoll_hooks[id].state == NETTOLL_HOOK_STATE_ATTACHED)
			__set_bit(id, todo);
		else if (nettoll_hooks[id].state == NETTOLL_HOOK_STATE_ABSENT)
			out->absent++;
	}
	out->changed = bitmap_weight(todo, NETTOLL_HOOKS);
	if (!out->changed)
		return 0;
	account_changed(account_attached - out->changed, ktime_get_ns());
	disarm_all(todo);

	/* Most spans end at once, but not that of the request's own system call. */
	for (end = jiffies + msecs_to_jiffies(50); !account_attached;) {
		if (try_finish() || raw_cpu_read(nettoll_cpu.cur) || time_after(jiffies, end))
			break;
		usleep_range(500, 1000);
	}
	if (account_probing)
		finish_later();
	return 0;
}

/* No task may have a frame of ours on its stack when this returns. */
static void drain_for_good(void)
{
	unsigned long start = jiffies, warn = start + 10 * HZ;
	unsigned long grace = start + msecs_to_jiffies(READ_ONCE(nettoll_nudge_ms));
	struct nettoll_holder holder;

	while (!try_finish()) {
		if (time_after(jiffies, grace)) {
			nettoll_park_nudge();
			grace = jiffies + HZ / 10;
		}
		if (time_after(jiffies, warn) && nettoll_park_list(&holder, 1)) {
			pr_warn("unloading waits for %s[%d], which sleeps in %s\n", holder.comm,
				holder.pid, nettoll_hooks[holder.hook].name);
			warn = jiffies + 10 * HZ;
		}
		usleep_range(5000, 6000);
	}
	/* The last instructions of a stub come after its span was counted out. */
	nettoll_synchronize_trampolines();
}

/**
 * nettoll_account_init() - find the hooks and price the backends
 *
 * Return: 0 or a negative errno, with the reason in the kernel log.
 */
int nettoll_account_init(void)
{
	unsigned int b;
	int err;

	err = nettoll_hook_table_init();
	if (err)
		return err;
	err = nettoll_tracepoints_find();
	if (err)
		return err;
	err = nettoll_span_init(NETTOLL_HOOKS);
	if (err)
		return err;
	account_wq = alloc_workqueue("nettoll", WQ_UNBOUND, 1);
	if (!account_wq) {
		err = -ENOMEM;
		goto err_span_exit;
	}
	for (b = NETTOLL_BACKEND_DIRECT; b <= NETTOLL_BACKEND_FPROBE; b++)
		nettoll_calibrate(b);
	nettoll_packets_price();
	return 0;

err_span_exit:
	nettoll_span_exit_all();
	return err;
}

/** nettoll_account_exit() - detach all, wait for all, free all */
void nettoll_account_exit(void)
{
	DECLARE_BITMAP(all, NETTOLL_HOOKS);
	struct nettoll_outcome out;

	nettoll_duty_exit();
	bitmap_fill(all, NETTOLL_HOOKS);
	mutex_lock(&nettoll_account_lock);
	nettoll_account_detach(all, &out);
	drain_for_good();
	mutex_unlock(&nettoll_account_lock);
	cancel_delayed_work_sync(&account_work);
	destroy_workqueue(account_wq);
	nettoll_window_exit();
	nettoll_span_exit_all();
}
