// SPDX-License-Identifier: GPL-2.0-or-later
/* Measuring all combinations of a few rungs, each repeat in another order. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "ladder/climb.h"
#include "ladder/climb_run.h"
#include "ladder/effect.h"
#include "lib/err.h"
#include "lib/progress.h"

uint32_t climb_factorial_mask(const struct climb *c, uint32_t state)
{
	uint32_t mask = 1u << c->step[0];
	size_t i;

	for (i = 1; i < c->nsteps; i++)
		if (state & 1u << (i - 1))
			mask |= 1u << c->step[i];
	return mask;
}

bool climb_factorial(const struct climb *c, struct factorial *f)
{
	struct stats_summary s;
	uint32_t state;

	if (!c->factorial || c->ncells < (size_t)1 << (c->nsteps - 1))
		return false;
	f->k = c->nsteps - 1;
	for (state = 0; state < 1u << f->k; state++) {
		if (!c->cell[state].n)
			return false;
		s = cell_rate(&c->cell[state]);
		f->n[state] = s.n;
		f->mean[state] = s.mean;
		f->sd[state] = s.sd;
	}
	return true;
}

/* A rung's traffic may be possible only on top of another's: said before anything is measured. */
int factorial_check(const struct climb *c)
{
	struct traffic_spec spec;
	uint32_t state;
	int ret;

	if (c->nsteps < 2 || c->nsteps - 1 > FACTORIAL_MAX)
		return err_set(-EINVAL, "choose with --rungs", "all combinations are measured of 1 to %d rungs, not %zu",
			       FACTORIAL_MAX, c->nsteps - 1);
	for (state = 0; state < 1u << (c->nsteps - 1); state++) {
		ret = plan_spec(c->plan, climb_factorial_mask(c, state), &spec);
		if (ret)
			return err_context(ret, "not all combinations of these rungs are possible");
	}
	return 0;
}

static int measure_state(struct climb *c, uint32_t state)
{
	struct cell *cell = &c->cell[state];
	struct traffic_spec spec;
	int ret;

	ret = plan_spec(c->plan, cell->mask, &spec);
	if (!ret)
		ret = rig_go(&c->rig, cell->mask);
	if (!ret)
		ret = run_sample(c, &spec, cell);
	if (!ret && c->module && !cell->bill.valid)
		ret = run_bill(c, &spec, cell);
	if (!ret && cell->n == 1)
		run_bound(c, &spec, cell);
	return ret;
}

int factorial_run(struct climb *c)
{
	uint32_t order[FACTORIAL_STATES_MAX], states = 1u << (c->nsteps - 1), i, repeat;
	int ret = 0;

	for (i = 0; i < states && !ret; i++) {
		ret = run_begin(c, &c->cell[i], climb_factorial_mask(c, i));
		if (!ret)
			c->ncells++;
	}
	for (repeat = 0; repeat < c->repeats && !ret; repeat++) {
		progress_text("repeat %u/%u of %u states", repeat + 1, c->repeats, states);
		factorial_order(order, states, repeat);
		for (i = 0; i < states && !ret; i++)
			ret = measure_state(c, order[i]);
	}
	return ret;
}
