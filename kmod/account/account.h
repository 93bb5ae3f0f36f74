/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The account: attaching and detaching hooks, and reading what they charged.
 */
#ifndef NETTOLL_ACCOUNT_ACCOUNT_H
#define NETTOLL_ACCOUNT_ACCOUNT_H

#include <linux/bitmap.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include "hook.h"
#include "span.h"

/**
 * struct nettoll_outcome - what an attach or detach did
 * @changed: hooks attached or detached
 * @failed: hooks that could not be; their error and why tell the reason
 * @absent: hooks that this kernel does not have
 * @first: the first that failed or is absent, -1 if none
 */
struct nettoll_outcome {
	unsigned int changed;
	unsigned int failed;
	unsigned int absent;
	int first;
};

/**
 * struct nettoll_snapshot - one reading of all counters
 * @generation: of the hook table
 * @time_ns: CLOCK_MONOTONIC
 * @cycles: time stamp counter
 * @attached_ns: time that hooks were attached, in all
 * @parked: cycles of ended spans within those of sleeping tasks
 * @cpus: number of @cpu
 * @cpu: one each, followed by its charges
 */
struct nettoll_snapshot {
	u32 generation;
	u64 time_ns;
	u64 cycles;
	u64 attached_ns;
	u64 parked;
	unsigned int cpus;
	struct nettoll_snapshot_cpu {
		struct nettoll_cpu cpu;
		struct nettoll_charge charge[NETTOLL_HOOKS * 2];
	} cpu[];
};

extern struct mutex nettoll_account_lock;

int nettoll_account_init(void);
void nettoll_account_exit(void);
int nettoll_account_attach(const unsigned long *set, unsigned int backend, bool strict,
			   struct nettoll_outcome *out);
int nettoll_account_detach(const unsigned long *set, struct nettoll_outcome *out);
unsigned int nettoll_account_state(void);
unsigned int nettoll_account_attached(void);
u32 nettoll_account_generation(void);
void nettoll_account_touch(void);
u64 nettoll_account_attached_ns(void);
u64 nettoll_account_own(void);
struct nettoll_snapshot *nettoll_account_snapshot(void);
int nettoll_window_init(void);
void nettoll_window_exit(void);
void nettoll_window_shut(void);
void nettoll_window_open(void);

/* Settings of control/settings.c; read with READ_ONCE. */
extern u64 nettoll_nudge_ms;

#endif /* NETTOLL_ACCOUNT_ACCOUNT_H */
