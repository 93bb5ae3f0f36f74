/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Spans: what one entry into a hooked function looks like in memory, and the
 * per-CPU words that the hot path touches. Nothing here allocates or locks.
 */
#ifndef NETTOLL_ACCOUNT_SPAN_H
#define NETTOLL_ACCOUNT_SPAN_H

/* Offsets for the assembly of stub_x86.c; span.c asserts that they are true. */
#define NETTOLL_SPAN_START	0
#define NETTOLL_SPAN_CHILD	8
#define NETTOLL_SPAN_OWN	16
#define NETTOLL_SPAN_PARENT	24
#define NETTOLL_SPAN_SLOT	32
#define NETTOLL_SPAN_SIZE	64

#define NETTOLL_CPU_CUR		0
#define NETTOLL_CPU_OPEN	8
#define NETTOLL_CPU_INCLUSIVE	16

#define NETTOLL_OWN_INNER	0
#define NETTOLL_OWN_OUTER	8
#define NETTOLL_OWN_OUTER_BOTH	16

#define NETTOLL_CHARGE_CALLS	0
#define NETTOLL_CHARGE_SELF	8
#define NETTOLL_CHARGE_OWN	16
#define NETTOLL_CHARGE_TOTAL	24
#define NETTOLL_CHARGE_SIZE	32

#ifndef __ASSEMBLY__
#include <linux/atomic.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/timex.h>
#include <linux/types.h>

/**
 * struct nettoll_span - one entry into one hooked function
 * @start: cycles at entry
 * @child: cycles of the spans nested in it that have ended, and of its waits
 * @own: cycles of our own code that those spans left in this one's self time
 * @parent: the enclosing span, on this task's or the interrupted task's stack
 * @slot: byte offset of the charge in the per-CPU array; bit 5 is the direction
 * @held: a module reference is held while the task is parked
 * @next: next parked span of the same bucket
 * @task: task that is parked in this span
 * @since: cycles when it was parked
 *
 * It lives in the stack frame of the stub, or in the data of a probe's
 * instance. The park members are written only when the task leaves the CPU.
 */
struct nettoll_span {
	u64 start;
	u64 child;
	u64 own;
	struct nettoll_span *parent;
	u32 slot;
	u32 held;
	struct nettoll_span *next;
	struct task_struct *task;
	u64 since;
};

/**
 * struct nettoll_cpu - per-CPU state of the account
 * @cur: innermost open span of the task on this CPU, or NULL. In truth a
 *	variable of the task: the switch probe saves and restores it.
 * @open: spans entered less spans left here; only the sum over CPUs means much
 * @inclusive: cycles of outermost spans that ended here
 * @tx_packets: packets handed to devices, segments counted singly
 * @tx_bytes: their bytes, link headers included
 * @rx_packets: packets handed up by devices, before GRO
 * @rx_bytes: their bytes
 */
struct nettoll_cpu {
	struct nettoll_span *cur;
	s64 open;
	u64 inclusive;
	u64 tx_packets;
	u64 tx_bytes;
	u64 rx_packets;
	u64 rx_bytes;
};

/**
 * struct nettoll_charge - what one hook and direction was charged on one CPU
 * @calls: spans that ended
 * @self: their cycles less those of the spans nested in them
 * @own: part of @self that was our own code, by calibration
 * @total: their cycles, nested spans included
 */
struct nettoll_charge {
	u64 calls;
	u64 self;
	u64 own;
	u64 total;
};

DECLARE_PER_CPU_ALIGNED(struct nettoll_cpu, nettoll_cpu);
extern struct nettoll_charge __percpu *nettoll_charges;

static inline u32 nettoll_slot(unsigned int hook, unsigned int dir)
{
	return (hook * 2 + (dir & 1)) * sizeof(struct nettoll_charge);
}

static inline unsigned int nettoll_slot_hook(u32 slot)
{
	return slot / (2 * sizeof(struct nettoll_charge));
}

static inline unsigned int nettoll_slot_dir(u32 slot)
{
	return slot / sizeof(struct nettoll_charge) & 1;
}

/**
 * struct nettoll_own - our own cycles that a span leaves in self times
 * @inner: in its own
 * @outer: in that of the span that encloses it
 * @outer_both: the same of a hook that takes the direction of that span, where
 *	this makes a difference that matters (the stubs)
 */
struct nettoll_own {
	u64 inner;
	u64 outer;
	u64 outer_both;
};

/* Add to what an interrupt on this CPU may add to as well. */
static __always_inline void nettoll_add(u64 *to, u64 value)
{
#ifdef CONFIG_X86_64
	asm("addq %1, %0" : "+m" (*to) : "er" (value));
#else
	unsigned long flags;

	local_irq_save(flags);
	*to += value;
	local_irq_restore(flags);
#endif
}

/*
 * The C twin of the stubs, for the probe backends. The caller has preemption
 * disabled. The clock is read last on the way in and first on the way out, so
 * that a span charges itself as little of our own code as possible.
 */
static __always_inline void nettoll_span_enter(struct nettoll_span *s, u32 slot, bool inherit)
{
	struct nettoll_span *parent = __this_cpu_read(nettoll_cpu.cur);
	u64 before;

	if (inherit && parent)
		slot |= parent->slot & sizeof(struct nettoll_charge);
	s->parent = parent;
	s->slot = slot;
	s->child = 0;
	s->own = 0;
	this_cpu_inc(nettoll_cpu.open);
	barrier();
	__this_cpu_write(nettoll_cpu.cur, s);
	for (;;) {
		barrier();
		s->start = get_cycles();
		barrier();
		if (likely(!READ_ONCE(s->child)))
			return;
		/* An interrupt came before the clock: it is the enclosing span's. */
		before = xchg(&s->child, 0);
		if (parent)
			parent->child += before;
		else
			this_cpu_add(nettoll_cpu.inclusive, before);
	}
}

static __always_inline void nettoll_span_exit(struct nettoll_span *s, const struct nettoll_own *own)
{
	struct nettoll_span *parent = s->parent;
	struct nettoll_charge __percpu *c;
	u64 total, child;

	do {
		child = READ_ONCE(s->child);
		barrier();
		total = get_cycles();
		barrier();
	} while (unlikely(READ_ONCE(s->child) != child));
	total -= s->start;

	__this_cpu_write(nettoll_cpu.cur, parent);
	barrier();
	c = (void __percpu *)nettoll_charges + s->slot;
	this_cpu_inc(c->calls);
	this_cpu_add(c->self, total - child);
	this_cpu_add(c->own, s->own + own->inner);
	this_cpu_add(c->total, total);
	/* With what came between the clock and the switch of the span. */
	total += READ_ONCE(s->child) - child;
	if (parent) {
		nettoll_add(&parent->child, total);
		nettoll_add(&parent->own, own->outer);
	} else {
		this_cpu_add(nettoll_cpu.inclusive, total);
	}
	this_cpu_dec(nettoll_cpu.open);
}

extern struct nettoll_own nettoll_own_direct, nettoll_own_kretprobe, nettoll_own_fprobe;

int nettoll_span_init(unsigned int hooks);
void nettoll_span_exit_all(void);
s64 nettoll_span_open(void);
u64 nettoll_span_ended_in(const struct nettoll_span *cur);
#endif /* __ASSEMBLY__ */
#endif /* NETTOLL_ACCOUNT_SPAN_H */
