/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks that leave the CPU inside a span.
 */
#ifndef NETTOLL_ACCOUNT_PARK_H
#define NETTOLL_ACCOUNT_PARK_H

#include <linux/sched.h>
#include <linux/types.h>

/**
 * struct nettoll_holder - a task that sleeps within a span
 * @pid: its thread id in the initial namespace
 * @comm: its name
 * @hook: hook of its innermost span
 * @kthread: a kernel thread, which cannot be nudged
 * @since: cycles when it fell asleep
 */
struct nettoll_holder {
	pid_t pid;
	char comm[TASK_COMM_LEN];
	u32 hook;
	bool kthread;
	u64 since;
};

void nettoll_park_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state);
void nettoll_park_exit(void *data, struct task_struct *task);
u64 nettoll_park_ended_in(void);
unsigned int nettoll_park_list(struct nettoll_holder *list, unsigned int max);
bool nettoll_nudge(struct task_struct *task);
unsigned int nettoll_park_nudge(void);
void nettoll_park_hold_stuck(void);

#endif /* NETTOLL_ACCOUNT_PARK_H */
