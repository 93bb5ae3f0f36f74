// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a span costs on this machine: an empty function is called many times,
 * bare and hooked. The cheapest of several batches counts, since an interrupt
 * can only make one dearer.
 */
#include <linux/irqflags.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "../compat/rcu.h"
#include "calibrate.h"
#include "hook.h"
#include "span.h"
#include "stub.h"

#define BATCHES	8
#define CALLS	256

static struct nettoll_cost nettoll_costs[NETTOLL_BACKEND_FPROBE + 1];

noinline void nettoll_calibration_target(void)
{
	barrier();
}

/* Not the same code as above, or they would be merged. */
noinline void nettoll_calibration_target_both(void)
{
	barrier();
	barrier();
}

/*
 * Cycles of the cheapest batch; *self is what the hook was charged in it. It
 * runs in a span, as nearly all spans do.
 */
static u64 cheapest_batch(unsigned int hook, u64 *self)
{
	struct nettoll_span around = { }, *cur;
	struct nettoll_charge *c;
	u64 best = U64_MAX, t, s;
	unsigned long flags;
	int batch, i;

	for (batch = 0; batch < BATCHES; batch++) {
		local_irq_save(flags);
		cur = __this_cpu_read(nettoll_cpu.cur);
		__this_cpu_write(nettoll_cpu.cur, &around);
		c = this_cpu_ptr(nettoll_charges) + hook * 2;
		s = c->self;
		t = get_cycles();
		for (i = 0; i < CALLS; i++) {
			if (hook == NETTOLL_HOOK_CALIBRATION)
				nettoll_calibration_target();
			else
				nettoll_calibration_target_both();
		}
		t = get_cycles() - t;
		s = c->self - s;
		__this_cpu_write(nettoll_cpu.cur, cur);
		local_irq_restore(flags);
		if (t < best) {
			best = t;
			*self = s;
		}
	}
	return best;
}

static struct nettoll_own *own_of(unsigned int backend)
{
	switch (backend) {
	case NETTOLL_BACKEND_DIRECT:
		return &nettoll_own_direct;
	case NETTOLL_BACKEND_KRETPROBE:
		return &nettoll_own_kretprobe;
	default:
		return &nettoll_own_fprobe;
	}
}

static int price(unsigned int hook, unsigned int backend, struct nettoll_cost *cost)
{
	const struct nettoll_backend_ops *ops = nettoll_backend(backend);
	struct nettoll_hook *h = &nettoll_hooks[hook];
	u64 bare, hooked, self, own;
	const u16 id = hook;

	bare = cheapest_batch(hook, &self);
	h->error = 0;
	ops->attach(&id, 1);
	if (!h->priv)
		return h->error ?: -EOPNOTSUPP;
	cheapest_batch(hook, &self);
	hooked = cheapest_batch(hook, &self);
	ops->disarm(id);
	nettoll_synchronize_trampolines();
	ops->release(&id, 1);

	own = hooked > bare ? hooked - bare : 0;
	self = self > CALLS ? self - CALLS : 0;
	cost->inner = div_u64(self * 1000, CALLS);
	cost->outer = own > self ? div_u64((own - self) * 1000, CALLS) : 0;
	cost->known = true;
	return 0;
}

/**
 * nettoll_calibrate() - price a span of a backend
 * @backend: enum nettoll_backend
 *
 * Nothing else may be attached. The time inside an empty span is all our own
 * but for the function's return, which is the one cycle that is taken off.
 *
 * Return: 0, or why the backend does not work here.
 */
int nettoll_calibrate(unsigned int backend)
{
	struct nettoll_cost *cost = &nettoll_costs[backend], both;
	struct nettoll_own *own = own_of(backend);
	int err;

	if (!nettoll_backend(backend)->usable())
		return -EOPNOTSUPP;
	err = price(NETTOLL_HOOK_CALIBRATION, backend, cost);
	if (err)
		return err;
	own->inner = div_u64(cost->inner + 500, 1000);
	own->outer = div_u64(cost->outer + 500, 1000);
	err = price(NETTOLL_HOOK_CALIBRATION_BOTH, backend, &both);
	own->outer_both = err ? own->outer : div_u64(both.outer + 500, 1000);
	return 0;
}

/**
 * nettoll_cost() - price of a span of a backend
 * @backend: enum nettoll_backend, not auto or tracepoint
 */
const struct nettoll_cost *nettoll_cost(unsigned int backend)
{
	return &nettoll_costs[backend];
}
