// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fronts: attaching them by groups, and waiting for the calls that are
 * still to return into one.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/objtool.h>
#include <linux/sched/task.h>
#include <linux/spinlock.h>
#include <asm/linkage.h>

#include "../account/account.h"
#include "../account/park.h"
#include "../compat/direct.h"
#include "../compat/rcu.h"
#include "front.h"

#ifdef NETTOLL_HAVE_DIRECT
#include <asm/unwind_hints.h>

#define NETTOLL_FRONT(group, ret, fn, nargs, proto)		\
	DEFINE_STATIC_CALL_NULL(nettoll_orig_##fn, nettoll_front_##fn);
#include "front_table.def"
#undef NETTOLL_FRONT

/*
 * ftrace calls a thunk from the first instruction of the function. The return
 * address into the function is dropped, so that the handler returns to the
 * function's caller. No register changes but %rsp.
 */
#ifndef __CHECKER__
#define NETTOLL_FRONT(group, ret, fn, nargs, proto)		\
	asm(".pushsection .text\n"				\
	    ".type nettoll_thunk_" #fn ", @function\n"		\
	    ".balign 16\n"					\
	    "nettoll_thunk_" #fn ":\n"				\
	    ANNOTATE_NOENDBR					\
	    "leaq 8(%rsp), %rsp\n"				\
	    UNWIND_HINT_FUNC					\
	    "jmp nettoll_front_" #fn "\n"			\
	    ".size nettoll_thunk_" #fn ", . - nettoll_thunk_" #fn "\n" \
	    ".popsection\n");
#include "front_table.def"
#undef NETTOLL_FRONT
#endif

#define NETTOLL_FRONT(group, ret, fn, nargs, proto)		\
	extern const char nettoll_thunk_##fn[];			\
	static void set_orig_##fn(unsigned long orig)		\
	{							\
		static_call_update(nettoll_orig_##fn, (void *)orig); \
	}
#include "front_table.def"
#undef NETTOLL_FRONT

static struct nettoll_front fronts[] = {
#define NETTOLL_FRONT(group, ret, fn, args, proto)		\
	{							\
		.name = #fn,					\
		.nargs = args,					\
		.handler = (unsigned long)nettoll_front_##fn,	\
		.thunk = (unsigned long)nettoll_thunk_##fn,	\
		.set_orig = set_orig_##fn,			\
		.btf_nargs = -1,				\
	},
#include "front_table.def"
#undef NETTOLL_FRONT
};

static const u8 front_groups[] = {
#define NETTOLL_FRONT(group, ret, fn, args, proto) NETTOLL_FRONTS_##group,
#include "front_table.def"
#undef NETTOLL_FRONT
};

/* Taken inside the lock of the rules, outside that of the sites. */
static DEFINE_MUTEX(front_lock);
static bool fronts_found;

static void front_count_arguments(const char *name, unsigned int nargs)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(fronts); i++)
		if (!strcmp(fronts[i].name, name))
			fronts[i].btf_nargs = nargs;
}

/* Late, since looking symbols up takes milliseconds and most machines have no rules. */
static void fronts_find(void)
{
	int i;

	lockdep_assert_held(&front_lock);
	if (fronts_found)
		return;
	for (i = 0; i < ARRAY_SIZE(fronts); i++)
		fronts[i].addr = nettoll_ksym(fronts[i].name);
	nettoll_btf_functions(front_count_arguments);
	fronts_found = true;
}

static int front_attach(struct nettoll_front *front, const char **why)
{
	struct nettoll_site *site;

	lockdep_assert_held(&front_lock);
	if (front->users++)
		return 0;
	*why = "this kernel lacks a function that the fast path stands in front of, or knows it with other arguments";
	site = ERR_PTR(-EOPNOTSUPP);
	if (front->addr && front->btf_nargs == front->nargs)
		site = nettoll_site_add_front(front);
	if (!IS_ERR(site)) {
		front->site = site;
		return 0;
	}
	switch (PTR_ERR(site)) {
	case -EBUSY:
		*why = "another direct caller (a BPF fentry program or a live patch) has a function that the fast path needs; end it and try again";
		break;
	case -ENOMEM:
		*why = "out of memory";
		break;
	}
	front->users--;
	return PTR_ERR(site);
}

/* Those of @sites that nobody wants any more are free of callers after one wait for all. */
static void fronts_drop(unsigned long groups, int first, int last)
{
	struct nettoll_site *sites[ARRAY_SIZE(fronts)];
	int i, n = 0;

	lockdep_assert_held(&front_lock);
	for (i = first; i < last; i++) {
		struct nettoll_front *front = &fronts[i];

		if (!(groups & BIT(front_groups[i])) || --front->users)
			continue;
		nettoll_site_drop_front(front->site);
		sites[n++] = front->site;
		front->site = NULL;
	}
	if (!n)
		return;
	nettoll_synchronize_trampolines();
	while (n)
		nettoll_site_release(sites[--n]);
}

/**
 * nettoll_fronts_get() - have the fronts of some groups called
 * @groups: bit mask of enum nettoll_front_group
 * @why: where to put what refused it and what to do, a constant string
 *
 * May sleep. Return: 0, or a negative errno and nothing has changed.
 */
int nettoll_fronts_get(unsigned long groups, const char **why)
{
	int i, err = 0;

	if (!groups)
		return 0;
	if (nettoll_ftrace_off()) {
		*why = NETTOLL_FTRACE_IS_OFF;
		return -EOPNOTSUPP;
	}
	mutex_lock(&front_lock);
	fronts_find();
	for (i = 0; i < ARRAY_SIZE(fronts); i++) {
		if (!(groups & BIT(front_groups[i])))
			continue;
		err = front_attach(&fronts[i], why);
		if (err) {
			fronts_drop(groups, 0, i);
			break;
		}
	}
	mutex_unlock(&front_lock);
	return err;
}

/**
 * nettoll_fronts_put() - the opposite of nettoll_fronts_get()
 * @groups: the same groups
 *
 * When it returns, no call enters the fronts that nobody else wants; some may
 * still be in one (struct nettoll_stay). May sleep.
 */
void nettoll_fronts_put(unsigned long groups)
{
	if (!groups)
		return;
	mutex_lock(&front_lock);
	fronts_drop(groups, 0, ARRAY_SIZE(fronts));
	mutex_unlock(&front_lock);
}

#else /* !NETTOLL_HAVE_DIRECT */

#define NETTOLL_FRONT(group, ret, fn, nargs, proto)		\
	DEFINE_STATIC_CALL_NULL(nettoll_orig_##fn, nettoll_front_##fn);
#include "front_table.def"
#undef NETTOLL_FRONT

int nettoll_fronts_get(unsigned long groups, const char **why)
{
	if (!groups)
		return 0;
	*why = "this kernel has no ftrace direct calls, which fast paths need";
	return -EOPNOTSUPP;
}

void nettoll_fronts_put(unsigned long groups)
{
}

#endif

#define STAY_BITS	6

static struct stay_bucket {
	/* Of the list. */
	spinlock_t lock;
	struct list_head list;
} stays[1 << STAY_BITS];

static struct stay_bucket *stay_bucket(const struct nettoll_stay *stay)
{
	return &stays[hash_ptr(stay->task, STAY_BITS)];
}

/**
 * nettoll_stay_begin() - the current task will return into this handler
 * @stay: on the handler's stack
 *
 * Before anything that may sleep, with preemption not yet enabled again since
 * the thunk or without having slept since.
 */
void nettoll_stay_begin(struct nettoll_stay *stay)
{
	struct stay_bucket *b;

	stay->task = current;
	stay->batch = NULL;
	b = stay_bucket(stay);
	spin_lock(&b->lock);
	list_add(&stay->node, &b->list);
	spin_unlock(&b->lock);
}

/**
 * nettoll_stay_end() - it has returned, and nothing that sleeps follows
 * @stay: on the handler's stack
 */
void nettoll_stay_end(struct nettoll_stay *stay)
{
	struct stay_bucket *b = stay_bucket(stay);

	spin_lock(&b->lock);
	list_del(&stay->node);
	spin_unlock(&b->lock);
}

/** nettoll_stay_bunch() - what an enclosing call of the current task takes over, or NULL */
struct nettoll_bunch *nettoll_stay_bunch(void)
{
	struct nettoll_stay key = { .task = current }, *stay;
	struct stay_bucket *b = stay_bucket(&key);
	struct nettoll_bunch *batch = NULL;

	spin_lock(&b->lock);
	list_for_each_entry(stay, &b->list, node)
		if (stay->task == current && stay->batch)
			batch = stay->batch;
	spin_unlock(&b->lock);
	return batch;
}

/* Wake whoever sleeps in a call; true if there is anybody. */
static bool stays_nudge(bool wake)
{
	struct task_struct *task;
	struct nettoll_stay *stay;
	bool any = false;
	int i;

	for (i = 0; i < ARRAY_SIZE(stays); i++) {
		struct stay_bucket *b = &stays[i];

		/* One of each bucket at a time: the list may change while he is woken. */
		task = NULL;
		spin_lock(&b->lock);
		list_for_each_entry(stay, &b->list, node) {
			any = true;
			if (!wake)
				break;
			if (READ_ONCE(stay->task->__state) & TASK_INTERRUPTIBLE) {
				task = get_task_struct(stay->task);
				break;
			}
		}
		spin_unlock(&b->lock);
		if (task) {
			nettoll_nudge(task);
			put_task_struct(task);
		}
	}
	return any;
}

/** nettoll_fronts_init() - before any front is attached */
void nettoll_fronts_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(stays); i++) {
		spin_lock_init(&stays[i].lock);
		INIT_LIST_HEAD(&stays[i].list);
	}
}

/**
 * nettoll_fronts_exit() - wait until no task has a frame of a front on its stack
 *
 * After all groups were put. A task that sleeps in a send is given the time of
 * the setting nudge_ms and is then asked to leave, as nettoll_park_nudge() does.
 */
void nettoll_fronts_exit(void)
{
	unsigned long grace = jiffies + msecs_to_jiffies(READ_ONCE(nettoll_nudge_ms));

	nettoll_synchronize_trampolines();
	while (stays_nudge(time_after(jiffies, grace)))
		usleep_range(5000, 6000);
	/* The last instructions of a handler come after it said that it has ended. */
	nettoll_synchronize_trampolines();
}
