/* SPDX-License-Identifier: GPL-2.0-only */
/* What the BPF programs of bpf-account keep, shared with their loader. */
#ifndef BENCH_BPF_ACCOUNT_H
#define BENCH_BPF_ACCOUNT_H

#include <linux/types.h>

#define ACCOUNT_DEPTH	64

enum account_hook {
#define NETTOLL_HOOK(fn, nargs, layer, dir, sleeps) HOOK_##fn,
#include "account/hook_table.def"
#undef NETTOLL_HOOK
	ACCOUNT_HOOKS,
};

/**
 * struct account_span - an open span
 * @start: when it began, nanoseconds
 * @child: time of the spans nested in it that have ended
 */
struct account_span {
	__u64 start;
	__u64 child;
};

/**
 * struct account - one CPU's
 * @depth: number of open spans
 * @open: from 1; the first stands for what is outside of all spans
 * @charge: what each hook was charged, nanoseconds
 */
struct account {
	__u64 depth;
	struct account_span open[1 + ACCOUNT_DEPTH];
	struct {
		__u64 calls;
		__u64 self;
		__u64 total;
	} charge[ACCOUNT_HOOKS];
};

#endif /* BENCH_BPF_ACCOUNT_H */
