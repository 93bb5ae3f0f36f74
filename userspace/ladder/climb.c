// SPDX-License-Identifier: GPL-2.0-or-later
/* Climbing a ladder: the order of states, what is measured in each, and what was measured. */
#include "ladder/climb.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ladder/workload.h"
#include "lib/err.h"
#include "lib/progress.h"
#include "lib/stop.h"

#define BILL_TRIES	3

uint32_t climb_mask(const struct climb *c, size_t step)
{
	uint32_t mask = 0;
	size_t i;

	for (i = 0; i <= step && i < c->nsteps; i++)
		mask |= 1u << c->step[i];
	return mask;
}

const struct cell *climb_cell(const struct climb *c, uint32_t mask)
{
	size_t i;

	for (i = 0; i < c->ncells; i++)
		if (c->cell[i].mask == mask)
			return &c->cell[i];
	return NULL;
}

bool climb_has_rung(const struct climb *c, uint32_t rung)
{
	return climb_mask(c, c->nsteps) & 1u << rung;
}

uint32_t climb_below(const struct climb *c, uint32_t rung)
{
	return climb_mask(c, c->nsteps) & ((1u << rung) - 1);
}

static int next_run(struct climb *c)
{
	progress_at(c->runs_done++);
	return stop_pending() ? -EINTR : 0;
}

static int take_samples(struct climb *c, const struct traffic_spec *spec, struct cell *cell)
{
	uint32_t i;
	int ret;

	cell->sample = calloc(c->repeats, sizeof(*cell->sample));
	if (!cell->sample)
		return err_set(-ENOMEM, NULL, "out of memory");
	for (i = 0; i < c->repeats; i++) {
		ret = next_run(c);
		if (!ret)
			ret = measure_sample(spec, &cell->sample[i]);
		if (ret)
			return ret;
		cell->n++;
		if (cell->sample[i].corrupted)
			pr_warn("%llu messages arrived corrupted",
				(unsigned long long)cell->sample[i].corrupted);
	}
	return 0;
}

static int take_bill(struct climb *c, const struct traffic_spec *spec, struct cell *cell)
{
	int ret, tries;

	ret = next_run(c);
	if (!ret && !c->attached_before)
		ret = rig_turn(&c->rig, "account.attach", "on");
	/* Two readings that do not belong together are no reason to end after minutes of measuring. */
	for (tries = 0; !ret && tries < BILL_TRIES; tries++) {
		ret = measure_bill(c->module, spec, &cell->bill);
		if (ret != -ESTALE)
			break;
		pr_warn("measured once more: %s", err_text(ret));
		ret = tries + 1 < BILL_TRIES ? 0 : ret;
	}
	if (!ret && !c->attached_before)
		ret = rig_turn(&c->rig, "account.attach", "off");
	return ret;
}

/* Ctrl-C reaches the ends of a transfer too, which then fails: the user's wish, not a fault. */
static int unless_stopped(int ret)
{
	return ret && stop_pending() ? -EINTR : ret;
}

/* Go to a state and measure it, unless that has been done. */
static int visit(struct climb *c, uint32_t mask)
{
	struct cell *cell = &c->cell[c->ncells];
	struct traffic_spec spec;
	int ret;

	if (climb_cell(c, mask))
		return 0;
	*cell = (struct cell) { .mask = mask, .bound = NAN };
	ret = plan_spec(c->plan, mask, &spec);
	if (!ret)
		ret = rig_go(&c->rig, mask);
	if (!ret)
		ret = unless_stopped(take_samples(c, &spec, cell));
	if (!ret && c->module)
		ret = unless_stopped(take_bill(c, &spec, cell));
	if (ret) {
		free(cell->sample);
		return ret;
	}
	cell->mtu = rig_mtu(&c->rig);
	if (cell->mtu)
		cell->bound = workload_bound(&spec, cell->mtu);
	c->ncells++;
	return 0;
}

static int climb_steps(struct climb *c)
{
	const struct plan_rung *rung;
	size_t i;
	int ret;

	for (i = 0; i < c->nsteps; i++) {
		rung = &c->plan->rung[c->step[i]];
		progress_text("rung %zu/%zu %s", i + 1, c->nsteps, rung->name);
		ret = visit(c, climb_mask(c, i));
		if (ret == -EINTR)
			return ret;
		if (ret)
			return err_context(ret, "rung %s", rung->name);
		if (c->on_step)
			c->on_step(c, i, c->ctx);
	}
	return 0;
}

/* The states of a pair that are no steps: below both, with one of them only, with both. */
static int visit_pairs(struct climb *c)
{
	uint32_t a, b, below, mask[4];
	size_t i, k;
	int ret;

	for (i = 0; i < c->plan->npairs; i++) {
		a = c->plan->pair[i].a;
		b = c->plan->pair[i].b;
		if (!climb_has_rung(c, a) || !climb_has_rung(c, b))
			continue;
		below = climb_below(c, a < b ? a : b);
		mask[0] = below;
		mask[1] = below | 1u << a;
		mask[2] = below | 1u << b;
		mask[3] = mask[1] | mask[2];
		progress_text("interaction of %s and %s", c->plan->rung[a].name, c->plan->rung[b].name);
		for (k = 0; k < 4; k++) {
			ret = visit(c, mask[k]);
			if (ret == -EINTR)
				return ret;
			if (ret)
				return err_context(ret, "%s and %s", c->plan->rung[a].name,
						   c->plan->rung[b].name);
		}
	}
	return 0;
}

/* How many cells there will be, for the time left. */
static size_t count_cells(const struct climb *c)
{
	size_t i, n = c->nsteps;
	uint32_t a, b, distance;

	for (i = 0; i < c->plan->npairs; i++) {
		a = c->plan->pair[i].a;
		b = c->plan->pair[i].b;
		distance = a > b ? a - b : b - a;
		if (climb_has_rung(c, a) && climb_has_rung(c, b))
			n += distance == 1 ? 1 : 2;
	}
	return n;
}

static int open_account(struct climb *c)
{
	struct module_status status;
	int ret;

	if (!c->account)
		return 0;
	ret = module_open(&c->module);
	if (ret == -ENODEV) {
		pr_note("the module is not loaded, so there will be no layers: throughput only");
		err_clear();
		return 0;
	}
	if (!ret)
		ret = module_status(c->module, &status);
	if (ret)
		return ret;
	c->tsc_khz = status.tsc_khz;
	c->attached_before = status.hooks_attached;
	if (c->attached_before)
		pr_note("hooks are attached already and stay so: throughput includes what that costs");
	return 0;
}

int climb_run(struct climb *c, bool *dirty)
{
	int ret, back;

	*dirty = false;
	ret = open_account(c);
	if (!ret)
		ret = rig_look(&c->rig, c->plan);
	if (!ret)
		ret = rig_take(&c->rig, c->module);
	if (ret)
		goto out;
	if (c->on_begin)
		c->on_begin(c, c->ctx);
	c->runs = count_cells(c) * (c->repeats + (c->module ? 1 : 0));
	progress_start(c->runs);
	ret = climb_steps(c);
	if (!ret)
		ret = visit_pairs(c);
	if (!ret && c->keep)
		ret = rig_go(&c->rig, climb_mask(c, c->nsteps));
	progress_end();
out:
	if (ret == -EINTR)
		err_clear();
	/* Descriptions do not survive what follows. */
	if (ret && ret != -EINTR) {
		err_report(ret);
		ret = ret == -EBUSY || ret == -EPERM || ret == -EACCES ? ret : -EIO;
	}
	back = rig_close(&c->rig, c->keep && !ret);
	*dirty = back != 0;
	module_close(c->module);
	c->module = NULL;
	return ret;
}

void climb_free(struct climb *c)
{
	size_t i;

	for (i = 0; i < c->ncells; i++)
		free(c->cell[i].sample);
	c->ncells = 0;
}
