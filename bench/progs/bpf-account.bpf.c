// SPDX-License-Identifier: GPL-2.0-only
/*
 * The account of nettoll as BPF programs at the entry and exit of every function of the hook table, to compare with.
 *
 * It does what the module's stubs do for a single task: calls, exact self time
 * and inclusive time of each hook. It is written to be fast: all that a CPU
 * keeps is one element of a per-CPU array, so that a program looks up once, and
 * the hook's number is a constant. It leaves out what the module does besides:
 * directions, parked tasks, own cost.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf-account.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct account);
} accounts SEC(".maps");

static __always_inline int span_enter(void)
{
	const __u32 zero = 0;
	struct account *a = bpf_map_lookup_elem(&accounts, &zero);
	__u64 depth;

	if (!a)
		return 0;
	depth = a->depth + 1;
	a->depth = depth;
	if (depth > ACCOUNT_DEPTH)
		return 0;
	a->open[depth].child = 0;
	a->open[depth].start = bpf_ktime_get_ns();
	return 0;
}

static __always_inline int span_exit(__u32 hook)
{
	const __u32 zero = 0;
	__u64 now = bpf_ktime_get_ns(), total;
	struct account *a = bpf_map_lookup_elem(&accounts, &zero);
	struct account_span *s;
	__u64 depth;

	if (!a)
		return 0;
	/* None is open: attached while the function ran. */
	depth = a->depth;
	if (!depth)
		return 0;
	a->depth = depth - 1;
	if (depth > ACCOUNT_DEPTH)
		return 0;
	s = &a->open[depth];
	total = now - s->start;
	a->charge[hook].calls++;
	a->charge[hook].total += total;
	a->charge[hook].self += total - s->child;
	s[-1].child += total;
	return 0;
}

#define NETTOLL_HOOK(fn, nargs, layer, dir, sleeps)	\
	SEC("fentry/" #fn)				\
	int enter_##fn(void *ctx __attribute__((unused)))	\
	{						\
		return span_enter();			\
	}						\
	SEC("fexit/" #fn)				\
	int exit_##fn(void *ctx __attribute__((unused)))	\
	{						\
		return span_exit(HOOK_##fn);		\
	}
#include "account/hook_table.def"
#undef NETTOLL_HOOK
