// SPDX-License-Identifier: GPL-2.0-only
/*
 * Per-CPU memory of the account: the words the hot path touches and the array
 * of charges. What walks or sums them is here; what fills them is elsewhere.
 */
#include <linux/cpumask.h>
#include <linux/slab.h>

#include "span.h"

DEFINE_PER_CPU_ALIGNED(struct nettoll_cpu, nettoll_cpu);
struct nettoll_charge __percpu *nettoll_charges;
struct nettoll_own nettoll_own_direct, nettoll_own_kretprobe, nettoll_own_fprobe;

static_assert(offsetof(struct nettoll_span, start) == NETTOLL_SPAN_START);
static_assert(offsetof(struct nettoll_span, child) == NETTOLL_SPAN_CHILD);
static_assert(offsetof(struct nettoll_span, own) == NETTOLL_SPAN_OWN);
static_assert(offsetof(struct nettoll_span, parent) == NETTOLL_SPAN_PARENT);
static_assert(offsetof(struct nettoll_span, slot) == NETTOLL_SPAN_SLOT);
static_assert(sizeof(struct nettoll_span) == NETTOLL_SPAN_SIZE);
static_assert(offsetof(struct nettoll_cpu, cur) == NETTOLL_CPU_CUR);
static_assert(offsetof(struct nettoll_cpu, open) == NETTOLL_CPU_OPEN);
static_assert(offsetof(struct nettoll_cpu, inclusive) == NETTOLL_CPU_INCLUSIVE);
static_assert(offsetof(struct nettoll_own, inner) == NETTOLL_OWN_INNER);
static_assert(offsetof(struct nettoll_own, outer) == NETTOLL_OWN_OUTER);
static_assert(offsetof(struct nettoll_own, outer_both) == NETTOLL_OWN_OUTER_BOTH);
static_assert(offsetof(struct nettoll_charge, calls) == NETTOLL_CHARGE_CALLS);
static_assert(offsetof(struct nettoll_charge, self) == NETTOLL_CHARGE_SELF);
static_assert(offsetof(struct nettoll_charge, own) == NETTOLL_CHARGE_OWN);
static_assert(offsetof(struct nettoll_charge, total) == NETTOLL_CHARGE_TOTAL);
static_assert(sizeof(struct nettoll_charge) == NETTOLL_CHARGE_SIZE);

/**
 * nettoll_span_init() - allocate the charges
 * @hooks: number of hooks, the hidden ones included
 *
 * Return: 0 or -ENOMEM.
 */
int nettoll_span_init(unsigned int hooks)
{
	nettoll_charges = __alloc_percpu(hooks * 2 * sizeof(struct nettoll_charge),
					 sizeof(struct nettoll_charge));
	return nettoll_charges ? 0 : -ENOMEM;
}

/** nettoll_span_exit_all() - free the charges; no span may be open */
void nettoll_span_exit_all(void)
{
	free_percpu(nettoll_charges);
	nettoll_charges = NULL;
}

/**
 * nettoll_span_open() - number of spans that are open
 *
 * Never too small once no hook is attached any more and a grace period of
 * tasks RCU has passed, since from then on spans only end.
 */
s64 nettoll_span_open(void)
{
	s64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(nettoll_cpu.open, cpu));
	return sum;
}

/**
 * nettoll_span_ended_in() - cycles of ended spans within open ones
 * @cur: innermost span of a chain that does not move, or NULL
 *
 * Their self times are charged already while the outermost span, which will
 * count them as its own inclusive time, is still open. With this the closure
 * holds at any moment.
 */
u64 nettoll_span_ended_in(const struct nettoll_span *cur)
{
	u64 sum = 0;

	for (; cur; cur = cur->parent)
		sum += cur->child;
	return sum;
}
