// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks that leave the CPU inside a span. What a span calls its CPU's innermost
 * span is in truth its task's: at every context switch the outgoing task's is
 * parked here, linked through the span itself, and the incoming task's is put
 * back. The time between is charged to the layer wait.
 *
 * A parked task has a frame of ours on its stack, so it also keeps the module
 * from going; finding such tasks, and asking them to leave, is here too.
 */
#include <linux/hash.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/spinlock.h>

#include "../compat/clock.h"
#include "hook.h"
#include "park.h"
#include "span.h"

#define PARK_BITS	10

struct park_bucket {
	raw_spinlock_t lock;
	struct nettoll_span *head;
};

static struct park_bucket park_table[1 << PARK_BITS] = {
	[0 ... (1 << PARK_BITS) - 1] = {
		.lock = __RAW_SPIN_LOCK_UNLOCKED(park_table.lock),
	},
};

static struct park_bucket *bucket_of(const struct task_struct *task)
{
	return &park_table[hash_ptr(task, PARK_BITS)];
}

/*
 * A kernel thread in a span may sleep for as long as it likes and cannot be
 * nudged. The reference makes an unload say "in use" instead of waiting.
 */
static void hold(struct nettoll_span *s)
{
	s->held = try_module_get(THIS_MODULE);
}

static void park(struct task_struct *task, struct nettoll_span *s)
{
	struct park_bucket *b = bucket_of(task);

	s->task = task;
	s->since = get_cycles();
	s->held = 0;
	if (task->flags & PF_KTHREAD && READ_ONCE(task->__state))
		hold(s);
	raw_spin_lock(&b->lock);
	s->next = b->head;
	WRITE_ONCE(b->head, s);
	raw_spin_unlock(&b->lock);
}

/*
 * The bucket can be looked at without its lock: what was parked for this task
 * was parked before the task could be chosen to run again.
 */
static struct nettoll_span *unpark(struct task_struct *task)
{
	struct park_bucket *b = bucket_of(task);
	struct nettoll_span **at, *s;

	if (!READ_ONCE(b->head))
		return NULL;
	raw_spin_lock(&b->lock);
	for (at = &b->head; (s = *at); at = &s->next)
		if (s->task == task) {
			WRITE_ONCE(*at, s->next);
			break;
		}
	raw_spin_unlock(&b->lock);
	if (s && s->held)
		module_put(THIS_MODULE);
	return s;
}

/**
 * nettoll_park_switch() - probe of sched/sched_switch
 * @data: unused
 * @preempt: unused
 * @prev: task that leaves the CPU
 * @next: task that comes
 * @prev_state: unused
 *
 * Runs with the run queue locked and interrupts off.
 */
void nettoll_park_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	struct nettoll_span *s = __this_cpu_read(nettoll_cpu.cur);
	struct nettoll_charge *c;
	u64 away;

	if (s)
		park(prev, s);
	s = unpark(next);
	if (s) {
		away = get_cycles() - s->since;
		s->child += away;
		c = this_cpu_ptr(nettoll_charges) + NETTOLL_HOOK_WAIT * 2 +
		    nettoll_slot_dir(s->slot);
		c->calls++;
		c->self += away;
		c->total += away;
	}
	__this_cpu_write(nettoll_cpu.cur, s);
}

/**
 * nettoll_park_exit() - probe of sched/sched_process_exit
 * @data: unused
 * @task: the task, which is the current one
 *
 * A task only dies inside a span when the kernel kills it there. Its stack
 * goes, so its spans must be forgotten.
 */
void nettoll_park_exit(void *data, struct task_struct *task)
{
	struct nettoll_span *s;

	preempt_disable();
	for (s = __this_cpu_read(nettoll_cpu.cur); s; s = s->parent)
		__this_cpu_dec(nettoll_cpu.open);
	__this_cpu_write(nettoll_cpu.cur, NULL);
	preempt_enable();
}

/**
 * nettoll_park_ended_in() - cycles of ended spans within those of parked tasks
 */
u64 nettoll_park_ended_in(void)
{
	unsigned long flags;
	u64 sum = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(park_table); i++) {
		struct park_bucket *b = &park_table[i];
		struct nettoll_span *s;

		if (!READ_ONCE(b->head))
			continue;
		raw_spin_lock_irqsave(&b->lock, flags);
		for (s = b->head; s; s = s->next)
			sum += nettoll_span_ended_in(s);
		raw_spin_unlock_irqrestore(&b->lock, flags);
	}
	return sum;
}

/**
 * nettoll_park_list() - who sleeps within a span
 * @list: where to put them
 * @max: room in @list
 *
 * Return: how many there are, which may be more than @max.
 */
unsigned int nettoll_park_list(struct nettoll_holder *list, unsigned int max)
{
	unsigned long flags;
	unsigned int n = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(park_table); i++) {
		struct park_bucket *b = &park_table[i];
		struct nettoll_span *s;

		raw_spin_lock_irqsave(&b->lock, flags);
		for (s = b->head; s; s = s->next, n++) {
			if (n >= max)
				continue;
			list[n].pid = s->task->pid;
			strscpy(list[n].comm, s->task->comm, sizeof(list[n].comm));
			list[n].hook = nettoll_slot_hook(s->slot);
			list[n].kthread = s->task->flags & PF_KTHREAD;
			list[n].since = s->since;
		}
		raw_spin_unlock_irqrestore(&b->lock, flags);
	}
	return n;
}

/**
 * nettoll_nudge() - ask a task to leave the system call that it sleeps in
 * @task: the task
 *
 * As a live patch does it: the task believes that it has a signal, leaves the
 * system call and, finding none, begins it again. A sleep that had a time-out
 * ends with EINTR instead.
 *
 * Return: whether it was woken; a kernel thread cannot be.
 */
bool nettoll_nudge(struct task_struct *task)
{
	if (task->flags & PF_KTHREAD || !(READ_ONCE(task->__state) & TASK_INTERRUPTIBLE))
		return false;
	set_tsk_thread_flag(task, TIF_NOTIFY_SIGNAL);
	return wake_up_process(task);
}

/**
 * nettoll_park_nudge() - ask every user task that sleeps in a span to leave it
 *
 * The bucket lock is not held over the wake-up, which takes the run queue
 * lock that nettoll_park_switch() is called under. May sleep.
 *
 * Return: how many were woken.
 */
unsigned int nettoll_park_nudge(void)
{
	struct task_struct *batch[16];
	unsigned int n, skip, seen, woken = 0;
	unsigned long flags;
	int i;

	for (i = 0; i < ARRAY_SIZE(park_table); i++) {
		struct park_bucket *b = &park_table[i];
		struct nettoll_span *s;

		for (skip = 0;; skip += ARRAY_SIZE(batch)) {
			n = 0;
			seen = 0;
			raw_spin_lock_irqsave(&b->lock, flags);
			for (s = b->head; s && n < ARRAY_SIZE(batch); s = s->next)
				if (seen++ >= skip)
					batch[n++] = get_task_struct(s->task);
			raw_spin_unlock_irqrestore(&b->lock, flags);
			if (!n)
				break;
			while (n--) {
				woken += nettoll_nudge(batch[n]);
				put_task_struct(batch[n]);
			}
		}
		cond_resched();
	}
	return woken;
}

/**
 * nettoll_park_hold_stuck() - hold the module for whom an unload could not wake
 *
 * Called every second while anything is attached. A user task that has been
 * blocked uninterruptibly for a second may stay so, on a dead file server say.
 */
void nettoll_park_hold_stuck(void)
{
	u64 now = get_cycles();
	unsigned long flags;
	int i;

	for (i = 0; i < ARRAY_SIZE(park_table); i++) {
		struct park_bucket *b = &park_table[i];
		struct nettoll_span *s;

		if (!READ_ONCE(b->head))
			continue;
		raw_spin_lock_irqsave(&b->lock, flags);
		for (s = b->head; s; s = s->next)
			if (!s->held && now - s->since > 1000ULL * nettoll_clock_khz() &&
			    READ_ONCE(s->task->__state) & TASK_UNINTERRUPTIBLE)
				hold(s);
		raw_spin_unlock_irqrestore(&b->lock, flags);
	}
}
