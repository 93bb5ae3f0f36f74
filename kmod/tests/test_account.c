// SPDX-License-Identifier: GPL-2.0-only
/*
 * account/account.c: what attach, detach and unload do with the hooks, over
 * backends that only keep a ledger.
 */
#include "shim.h"

/* Time passes only where somebody waits. */
#define HZ			1000
#define msecs_to_jiffies(ms)	((unsigned long)(ms))
#define time_after(a, b)	((long)((b) - (a)) < 0)
static unsigned long jiffies = 5;

static void waited(void);
#define usleep_range(a, b)	(jiffies++, waited())
#define msleep(ms)		(jiffies += (ms), waited())
#define ktime_get_ns()		(jiffies * 1000000ULL)

struct work_struct {
	int unused;
};

struct delayed_work {
	void (*fn)(struct work_struct *work);
	bool queued;
	unsigned long delay;
};

struct workqueue_struct {
	int unused;
};

#define DECLARE_DELAYED_WORK(name, f)	struct delayed_work name = { .fn = f }
#define WQ_UNBOUND			0
#define alloc_workqueue(name, flags, n)	((struct workqueue_struct *)shim_alloc(1))
#define destroy_workqueue(wq)		kfree(wq)
#define queue_delayed_work(wq, w, d)	((w)->delay = (d), (w)->queued = true)
#define mod_delayed_work		queue_delayed_work
#define cancel_delayed_work_sync(w)	((w)->queued = false)
static int graces;
#define synchronize_rcu_tasks()		(graces++)

#include "../account/span.c"
#include "../account/account.c"

/* What holds a hook: 1 attached, 2 disarmed with spans perhaps open, 0 free. */
struct ledger {
	int held[NETTOLL_HOOKS];
	int attached, released;
};

static struct ledger direct, kretprobe, fprobe;
static int tracepoints, tracepoint_error, nudges;
static s64 sleepers;
struct nettoll_hook nettoll_hooks[NETTOLL_HOOKS];

/* Hooks of a number divisible by 5 are none for direct, by 10 none for anybody. */
static void ledger_attach(struct ledger *l, const u16 *ids, unsigned int n, unsigned int refuse)
{
	for (; n--; ids++) {
		assert_null(nettoll_hooks[*ids].priv);
		if (*ids % refuse == 0) {
			nettoll_hook_fail(*ids, -EOPNOTSUPP, "refused");
			continue;
		}
		l->held[*ids] = 1;
		l->attached++;
		nettoll_hooks[*ids].priv = l;
	}
}

static void ledger_release(struct ledger *l, const u16 *ids, unsigned int n)
{
	for (; n--; ids++) {
		assert_ptr_equal(nettoll_hooks[*ids].priv, l);
		assert_int_equal(l->held[*ids], 2);
		l->held[*ids] = 0;
		l->released++;
		nettoll_hooks[*ids].priv = NULL;
	}
}

#define BACKEND(name, refuse)							\
static void name##_attach(const u16 *ids, unsigned int n)			\
{										\
	ledger_attach(&name, ids, n, refuse);					\
}										\
static void name##_disarm(unsigned int id)					\
{										\
	assert_int_equal(name.held[id], 1);					\
	name.held[id] = 2;							\
}										\
static void __attribute__((unused)) name##_rearm(unsigned int id)		\
{										\
	assert_int_equal(name.held[id], 2);					\
	name.held[id] = 1;							\
}										\
static void name##_release(const u16 *ids, unsigned int n)			\
{										\
	ledger_release(&name, ids, n);						\
}

BACKEND(direct, 5)
BACKEND(kretprobe, 10)
BACKEND(fprobe, 10)

static const struct nettoll_backend_ops ops[] = {
	[NETTOLL_BACKEND_DIRECT] = { direct_attach, direct_disarm, NULL, direct_release },
	[NETTOLL_BACKEND_KRETPROBE] = { kretprobe_attach, kretprobe_disarm, kretprobe_rearm, kretprobe_release },
	[NETTOLL_BACKEND_FPROBE] = { fprobe_attach, fprobe_disarm, fprobe_rearm, fprobe_release },
};

const struct nettoll_backend_ops *nettoll_backend(unsigned int backend)
{
	return &ops[backend];
}

int nettoll_hook_table_init(void)
{
	return 0;
}

int nettoll_tracepoints_find(void) { return 0; }

int nettoll_tracepoints_register(void)
{
	assert_int_equal(tracepoints, 0);
	if (!tracepoint_error)
		tracepoints = 1;
	return tracepoint_error;
}

void nettoll_tracepoints_unregister(void)
{
	assert_int_equal(tracepoints, 1);
	assert_int_equal(nettoll_span_open(), 0);
	tracepoints = 0;
}

int nettoll_calibrate(unsigned int backend)
{
	return 0;
}

void nettoll_packets_price(void)
{
}

void nettoll_window_exit(void)
{
}

unsigned int nettoll_duty_hooks(void)
{
	return 0;
}

void nettoll_duty_exit(void)
{
}

void nettoll_park_hold_stuck(void)
{
}

unsigned int nettoll_park_list(struct nettoll_holder *list, unsigned int max)
{
	strscpy(list->comm, "sleepy", sizeof(list->comm));
	list->pid = 42;
	list->hook = 3;
	return sleepers;
}

static void set_sleepers(s64 n)
{
	sleepers = n;
	per_cpu(nettoll_cpu.open, 1) = n;
}

unsigned int nettoll_park_nudge(void)
{
	assert_true(nettoll_account_lock.held);
	nudges++;
	return 0;
}

/* A sleeper leaves by itself at this time. */
static unsigned long wakes_at;
static void waited(void)
{
	if (wakes_at && time_after(jiffies, wakes_at))
		set_sleepers(0);
}

static int setup(void **state)
{
	int id;

	shim_percpu_reset();
	for (id = 0; id < NETTOLL_HOOKS; id++)
		nettoll_hooks[id] = (struct nettoll_hook) {
			.name = "some_function", .state = NETTOLL_HOOK_STATE_DETACHED,
		};
	nettoll_hooks[7].state = NETTOLL_HOOK_STATE_ABSENT;
	nettoll_hooks[7].error = -ENOENT;
	direct = kretprobe = fprobe = (struct ledger) { 0 };
	tracepoint_error = 0;
	nudges = 0;
	wakes_at = 0;
	set_sleepers(0);
	shim_log[0] = 0;
	account_poll_ms = 0;
	assert_int_equal(nettoll_account_init(), 0);
	mutex_lock(&nettoll_account_lock);
	return 0;
}

static int teardown(void **state)
{
	int id;

	mutex_unlock(&nettoll_account_lock);
	nettoll_account_exit();
	for (id = 0; id < NETTOLL_HOOKS; id++)
		assert_null(nettoll_hooks[id].priv);
	assert_int_equal(direct.attached, direct.released);
	assert_int_equal(kretprobe.attached, kretprobe.released);
	assert_int_equal(fprobe.attached, fprobe.released);
	assert_int_equal(tracepoints, 0);
	assert_int_equal(shim_allocated, 0);
	assert_false(account_work.queued);
	return 0;
}

static struct nettoll_outcome outcome;

static DECLARE_BITMAP(set, NETTOLL_HOOKS);

static void name(int first, int last)
{
	for (bitmap_zero(set, NETTOLL_HOOKS); first <= last; first++)
		__set_bit(first, set);
}

static int attach(int first, int last, unsigned int backend, bool strict)
{
	name(first, last);
	return nettoll_account_attach(set, backend, strict, &outcome);
}

static int detach(int first, int last)
{
	name(first, last);
	return nettoll_account_detach(set, &outcome);
}

static void run_work(void)
{
	assert_true(account_work.queued);
	account_work.queued = false;
	mutex_unlock(&nettoll_account_lock);
	account_work.fn(NULL);
	mutex_lock(&nettoll_account_lock);
}

static void attach__auto_takes_the_next_backend_for_what_is_left(void **state)
{
	u32 generation = nettoll_account_generation();

	assert_int_equal(attach(1, 10, NETTOLL_BACKEND_AUTO, false), 0);
	assert_int_equal(outcome.changed, 8);
	assert_int_equal(outcome.failed, 1);
	assert_int_equal(outcome.absent, 1);
	assert_int_equal(outcome.first, 7);
	assert_int_equal(direct.attached, 7);
	assert_int_equal(kretprobe.held[5], 1);
	assert_int_equal(nettoll_hooks[5].backend, NETTOLL_BACKEND_KRETPROBE);
	assert_int_equal(nettoll_hooks[5].error, 0);
	assert_int_equal(nettoll_hooks[10].state, NETTOLL_HOOK_STATE_FAILED);
	assert_int_equal(nettoll_account_attached(), 8);
	assert_int_equal(nettoll_account_state(), NETTOLL_STATE_ATTACHED);
	assert_int_equal(nettoll_hooks[NETTOLL_HOOK_WAIT].state, NETTOLL_HOOK_STATE_ATTACHED);
	assert_int_not_equal(nettoll_account_generation(), generation);
}

static void attach__again_is_no_change(void **state)
{
	u32 generation;

	attach(1, 3, NETTOLL_BACKEND_DIRECT, false);
	generation = nettoll_account_generation();
	assert_int_equal(attach(1, 3, NETTOLL_BACKEND_KRETPROBE, true), 0);
	assert_int_equal(outcome.changed, 0);
	assert_int_equal(nettoll_hooks[1].backend, NETTOLL_BACKEND_DIRECT);
	assert_int_equal(nettoll_account_generation(), generation);
}

static void attach__strict_is_all_or_none(void **state)
{
	assert_int_equal(attach(1, 5, NETTOLL_BACKEND_DIRECT, true), -EOPNOTSUPP);
	assert_int_equal(outcome.first, 5);
	assert_int_equal(nettoll_account_attached(), 0);
	assert_int_equal(direct.released, 4);
	assert_int_equal(tracepoints, 0);
	assert_int_equal(nettoll_account_state(), NETTOLL_STATE_IDLE);

	assert_int_equal(attach(6, 8, NETTOLL_BACKEND_DIRECT, true), -ENOENT);
	assert_int_equal(outcome.first, 7);
	assert_int_equal(direct.attached, 4);

	/* Not strict, but none: nothing is left to probe for. */
	assert_int_equal(attach(5, 5, NETTOLL_BACKEND_DIRECT, false), 0);
	assert_int_equal(tracepoints, 0);
}

/* Who slept in a hook of those that were attached for a moment keeps it; the worker must not spin meanwhile. */
static void attach__strict_refused_drains_like_a_detach(void **state)
{
	int looks = 0;

	set_sleepers(1);
	assert_int_equal(attach(8, 10, NETTOLL_BACKEND_KRETPROBE, true), -EOPNOTSUPP);
	for (; looks < 20; looks++, run_work())
		assert_in_range(account_work.delay, 1, 200);
	set_sleepers(0);
}

/* The calibration hook and the wait layer are not the user's to attach. */
static void attach__nobody_gets_the_hidden_hooks(void **state)
{
	assert_int_equal(attach(NETTOLL_HOOK_CALIBRATION, NETTOLL_HOOK_WAIT, NETTOLL_BACKEND_AUTO, false), 0);
	assert_int_equal(outcome.changed + outcome.failed, 0);
	assert_int_equal(tracepoints, 0);
}

static void attach__without_tracepoints_nothing(void **state)
{
	tracepoint_error = -ENOMEM;
	assert_int_equal(attach(1, 8, NETTOLL_BACKEND_AUTO, false), -ENOMEM);
	/* No hook is to blame, nor one that is absent. */
	assert_int_equal(outcome.first, -1);
	assert_int_equal(direct.attached + kretprobe.attached, 0);
	assert_int_equal(nettoll_account_state(), NETTOLL_STATE_IDLE);
}

static void detach__some_and_then_all(void **state)
{
	attach(1, 6, NETTOLL_BACKEND_DIRECT, false);
	detach(1, 2);
	assert_int_equal(outcome.changed, 2);
	assert_int_equal(nettoll_account_state(), NETTOLL_STATE_ATTACHED);
	assert_int_equal(tracepoints, 1);
	detach(1, 6);
	assert_int_equal(outcome.changed, 3);
	assert_int_equal(nettoll_account_state(), NETTOLL_STATE_IDLE);
	assert_int_equal(tracepoints, 0);
	detach(1, 6);
	assert_int_equal(outcome.changed, 0);
}

/* The request is a system call, and thereby in a span itself: to wait for it would be in vain. */
static void detach__does_not_wait_for_its_own_span(void **state)
{
	const struct nettoll_own free_of_cost = { 0, 0 };
	unsigned long before;
	struct nettoll_span s;
	int looks;

	attach(1, 1, NETTOLL_BACKEND_DIRECT, false);
	nettoll_span_enter(&s, nettoll_slot(1, 0), false);
	before = jiffies;
	detach(1, 1);
	assert_int_equal(jiffies, before);
	assert_int_equal(nettoll_account_state(), NETTOLL_STATE_DRAINING);

	/* The worker soon looks again, and then less and less often. */
	assert_in_range(account_work.delay, 1, 5);
	for (looks = 0; looks < 20; looks++)
		run_work();
	assert_int_equal(account_work.delay, 200);
	nettoll_span_exit(&s, &free_of_cost);
	run_work();
	assert_int_equal(nettoll_account_state(), NETTOLL_STATE_IDLE);
}

/* The frames of sleepers outlive the hook; what they return to must, too. */
static void detach__drains_while_somebody_sleeps(void **state)
{
	attach(1, 3, NETTOLL_BACKEND_DIRECT, false);
	attach(4, 4, NETTOLL_BACKEND_KRETPROBE, false);
	set_sleepers(1);
	detach(1, 4);
	assert_int_equal(nettoll_account_state(), NETTOLL_STATE_DRAINING);
	assert_int_equal(tracepoints, 1);
	assert_int_equal(direct.released, 3);
	assert_int_equal(kretprobe.released, 0);
	run_work();
	assert_int_equal(nettoll_account_state(), NETTOLL_STATE_DRAINING);
	set_sleepers(0);
	run_work();
	assert_int_equal(nettoll_account_state(), NETTOLL_STATE_IDLE);
	assert_int_equal(kretprobe.released, 1);
	assert_false(account_work.queued);
}

/* Whoever detaches and at once attaches by another backend does not wait for the worker. */
static void attach__right_after_the_last_span(void **state)
{
	attach(4, 4, NETTOLL_BACKEND_KRETPROBE, false);
	set_sleepers(1);
	detach(4, 4);
	assert_int_equal(nettoll_account_state(), NETTOLL_STATE_DRAINING);
	set_sleepers(0);
	assert_int_equal(attach(4, 4, NETTOLL_BACKEND_DIRECT, true), 0);
	assert_int_equal(kretprobe.released, 1);
	assert_int_equal(direct.held[4], 1);
	assert_int_equal(tracepoints, 1);
}

static void attach__while_draining(void **state)
{
	attach(4, 4, NETTOLL_BACKEND_KRETPROBE, false);
	set_sleepers(1);
	detach(4, 4);
	/* Another backend would need the same function twice. */
	assert_int_equal(attach(4, 4, NETTOLL_BACKEND_DIRECT, true), -EBUSY);
	assert_non_null(strstr(nettoll_hooks[4].why, "sleeping task"));
	assert_int_equal(attach(4, 4, NETTOLL_BACKEND_FPROBE, false), 0);
	assert_int_equal(outcome.failed, 1);
	/* Its own begins again where it stopped. */
	assert_int_equal(attach(4, 4, NETTOLL_BACKEND_KRETPROBE, true), 0);
	assert_int_equal(kretprobe.attached, 1);
	assert_int_equal(kretprobe.held[4], 1);
	assert_int_equal(nettoll_account_attached(), 1);
	set_sleepers(0);
}

static void attached_ns__counts_only_attached_time(void **state)
{
	u64 before = nettoll_account_attached_ns();

	jiffies += 100;
	attach(1, 1, NETTOLL_BACKEND_DIRECT, false);
	jiffies += 7;
	assert_int_equal(nettoll_account_attached_ns() - before, 7000000);
	attach(2, 2, NETTOLL_BACKEND_DIRECT, false);
	jiffies += 3;
	detach(1, 2);
	jiffies += 100;
	assert_int_equal(nettoll_account_attached_ns() - before, 10000000);
}

static void exit__gives_sleepers_time_before_it_nudges(void **state)
{
	attach(1, 1, NETTOLL_BACKEND_DIRECT, false);
	set_sleepers(1);
	wakes_at = jiffies + nettoll_nudge_ms;
	mutex_unlock(&nettoll_account_lock);
	nettoll_account_exit();
	assert_int_equal(nudges, 0);
	assert_int_equal(tracepoints, 0);
	assert_int_equal(nettoll_account_init(), 0);
	mutex_lock(&nettoll_account_lock);
}

static void exit__nudges_then_names_who_keeps_it(void **state)
{
	attach(1, 1, NETTOLL_BACKEND_DIRECT, false);
	set_sleepers(1);
	wakes_at = jiffies + 12 * HZ;
	mutex_unlock(&nettoll_account_lock);
	nettoll_account_exit();
	assert_in_range(nudges, 50, 130);
	assert_non_null(strstr(shim_log, "sleepy[42]"));
	assert_int_equal(tracepoints, 0);
	assert_int_equal(nettoll_account_init(), 0);
	mutex_lock(&nettoll_account_lock);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(attach__auto_takes_the_next_backend_for_what_is_left, setup, teardown),
		cmocka_unit_test_setup_teardown(attach__again_is_no_change, setup, teardown),
		cmocka_unit_test_setup_teardown(attach__strict_is_all_or_none, setup, teardown),
		cmocka_unit_test_setup_teardown(attach__strict_refused_drains_like_a_detach, setup, teardown),
		cmocka_unit_test_setup_teardown(attach__nobody_gets_the_hidden_hooks, setup, teardown),
		cmocka_unit_test_setup_teardown(attach__without_tracepoints_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(detach__some_and_then_all, setup, teardown),
		cmocka_unit_test_setup_teardown(detach__does_not_wait_for_its_own_span, setup, teardown),
		cmocka_unit_test_setup_teardown(detach__drains_while_somebody_sleeps, setup, teardown),
		cmocka_unit_test_setup_teardown(attach__right_after_the_last_span, setup, teardown),
		cmocka_unit_test_setup_teardown(attach__while_draining, setup, teardown),
		cmocka_unit_test_setup_teardown(attached_ns__counts_only_attached_time, setup, teardown),
		cmocka_unit_test_setup_teardown(exit__gives_sleepers_time_before_it_nudges, setup, teardown),
		cmocka_unit_test_setup_teardown(exit__nudges_then_names_who_keeps_it, setup, teardown),
	};

	return cmocka_run_group_tests_name("account", tests, NULL, NULL);
}
