// SPDX-License-Identifier: GPL-2.0-or-later
/* Climbing a ladder: the order of states, what is measured in each, and what was measured. */
#include "ladder/climb.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ladder/climb_run.h"
#include "ladder/effect.h"
#include "ladder/workload.h"
#include "lib/err.h"
#include "lib/progress.h"
#include "lib/stop.h"

#define BILL_TRIES	3

uint32_t climb_mask(const struct climb *c, size_t step)
{
	uint32_t mask = 0;
	size_t i;

	for (i = 0; i < step && i < c->nsteps; i++)
		mask |= 1u << c->step[i];
	mask &= ~c->reverted;
	return step < c->nsteps ? mask | 1u << c->step[step] : mask;
}

uint32_t climb_retained(const struct climb *c)
{
	return climb_mask(c, c->nsteps);
}

const struct cell *climb_cell(const struct climb *c, uint32_t mask)
{
	size_t i;

	for (i = 0; i < c->ncells; i++)
		if (c->cell[i].mask == mask)
			return &c->cell[i];
	return NULL;
}

const struct cell *climb_above(const struct climb *c, size_t step)
{
	return c->at[step].above ? c->at[step].above : climb_cell(c, climb_mask(c, step));
}

const struct cell *climb_base(const struct climb *c, size_t step)
{
	if (c->at[step].below)
		return c->at[step].below;
	return climb_cell(c, climb_mask(c, step) & ~(1u << c->step[step]));
}

const struct cell *climb_last(const struct climb *c)
{
	size_t i;

	for (i = c->nsteps; i-- > 0;)
		if (!(c->reverted & 1u << c->step[i]))
			return climb_above(c, i);
	return NULL;
}

bool climb_has_rung(const struct climb *c, uint32_t rung)
{
	size_t i;

	for (i = 0; i < c->nsteps; i++)
		if (c->step[i] == rung)
			return true;
	return false;
}

uint32_t climb_below(const struct climb *c, uint32_t rung)
{
	return climb_retained(c) & ((1u << rung) - 1);
}

static int next_run(struct climb *c)
{
	progress_at(c->runs_done++);
	return stop_pending() ? -EINTR : 0;
}

/* Ctrl-C reaches the ends of a transfer too, which then fails: the user's wish, not a fault. */
static int unless_stopped(int ret)
{
	return ret && stop_pending() ? -EINTR : ret;
}

int run_begin(struct climb *c, struct cell *cell, uint32_t mask)
{
	*cell = (struct cell) { .mask = mask, .bound = NAN };
	cell->sample = calloc(c->repeats, sizeof(*cell->sample));
	return cell->sample ? 0 : err_set(-ENOMEM, NULL, "out of memory");
}

int run_sample(struct climb *c, const struct traffic_spec *spec, struct cell *cell)
{
	struct sample *sample = &cell->sample[cell->n];
	int ret;

	ret = next_run(c);
	if (!ret)
		ret = unless_stopped(measure_sample(spec, sample));
	if (ret)
		return ret;
	cell->n++;
	if (sample->corrupted)
		pr_warn("%llu messages arrived corrupted", (unsigned long long)sample->corrupted);
	return 0;
}

int run_bill(struct climb *c, const struct traffic_spec *spec, struct cell *cell)
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
	return unless_stopped(ret);
}

void run_bound(struct climb *c, const struct traffic_spec *spec, struct cell *cell)
{
	cell->mtu = rig_mtu(&c->rig);
	if (cell->mtu)
		cell->bound = workload_bound(spec, cell->mtu);
}

/* Go to a state and measure it, unless that has been done. */
static int visit(struct climb *c, uint32_t mask)
{
	struct cell *cell = &c->cell[c->ncells];
	struct traffic_spec spec;
	int ret;

	if (climb_cell(c, mask))
		return 0;
	ret = run_begin(c, cell, mask);
	if (!ret)
		ret = plan_spec(c->plan, mask, &spec);
	if (!ret)
		ret = rig_go(&c->rig, mask);
	while (!ret && cell->n < c->repeats)
		ret = run_sample(c, &spec, cell);
	if (!ret && c->module)
		ret = run_bill(c, &spec, cell);
	if (ret) {
		free(cell->sample);
		return ret;
	}
	run_bound(c, &spec, cell);
	c->ncells++;
	return 0;
}

/* The bill of a state that has been measured before: it is exact, and need not be taken again. */
static void copy_bill(const struct climb *c, struct cell *cell)
{
	size_t i;

	for (i = 0; i < c->ncells && !cell->bill.valid; i++)
		if (c->cell[i].mask == cell->mask)
			cell->bill = c->cell[i].bill;
}

/* Samples of two states by turns, A B B A A B..., so that neither is always the first. */
static int take_by_turns(struct climb *c, const struct traffic_spec *spec, struct cell *cell)
{
	bool there[2] = { false, false };
	uint32_t i, k, which;
	int ret;

	for (i = 0; i < c->repeats; i++) {
		for (k = 0; k < 2; k++) {
			which = (i ^ k) & 1;
			ret = there[which] ? 0 : rig_go(&c->rig, cell[which].mask);
			if (ret)
				return ret;
			there[which] = true;
			there[!which] = false;
			if (!cell[which].n)
				run_bound(c, &spec[which], &cell[which]);
			ret = run_sample(c, &spec[which], &cell[which]);
			if (ret)
				return ret;
		}
	}
	return 0;
}

/* Measure two states by turns, the second with its layers, and leave it in force. */
static int visit_by_turns(struct climb *c, uint32_t below, uint32_t above, struct comparison *result)
{
	struct cell *cell = &c->cell[c->ncells];
	struct traffic_spec spec[2];
	int ret, i;

	cell[0].sample = cell[1].sample = NULL;
	ret = run_begin(c, &cell[0], below);
	if (!ret)
		ret = run_begin(c, &cell[1], above);
	for (i = 0; i < 2 && !ret; i++)
		ret = plan_spec(c->plan, cell[i].mask, &spec[i]);
	if (!ret)
		ret = take_by_turns(c, spec, cell);
	copy_bill(c, &cell[0]);
	copy_bill(c, &cell[1]);
	if (!ret)
		ret = rig_go(&c->rig, above);
	if (!ret && c->module && !cell[1].bill.valid)
		ret = run_bill(c, &spec[1], &cell[1]);
	if (ret) {
		free(cell[0].sample);
		free(cell[1].sample);
		return ret;
	}
	cell[0].turn = cell[1].turn = ++c->turns;
	*result = (struct comparison) { &cell[0], &cell[1] };
	c->ncells += 2;
	return 0;
}

static int measure_step(struct climb *c, size_t step)
{
	uint32_t mask = climb_mask(c, step), bit = 1u << c->step[step];
	struct effect e;
	int ret;

	if (!step || c->compare == PLAN_IN_ORDER)
		ret = visit(c, mask);
	else
		ret = visit_by_turns(c, mask & ~bit, mask, &c->at[step]);
	if (ret || !step || c->retain == PLAN_RETAIN_ALL)
		return ret;
	e = effect_of(climb_base(c, step), climb_above(c, step), c->least);
	if (e.verdict != EFFECT_GAIN)
		c->reverted |= bit;
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
		ret = measure_step(c, i);
		if (ret == -EINTR)
			return ret;
		if (ret)
			return err_context(ret, "rung %s", rung->name);
		if (c->on_step)
			c->on_step(c, i, c->ctx);
	}
	return 0;
}

/* What each retained rung is worth where it is: all of them, and all but this one. */
static int leave_out(struct climb *c)
{
	uint32_t full = climb_retained(c), bit;
	struct traffic_spec spec;
	size_t i;
	int ret;

	for (i = 1; i < c->nsteps && c->leave_out; i++) {
		bit = 1u << c->step[i];
		if (!(full & bit))
			continue;
		progress_text("without %s", c->plan->rung[c->step[i]].name);
		ret = plan_spec(c->plan, full & ~bit, &spec);
		if (ret) {
			pr_note("%s cannot be left out: %s", c->plan->rung[c->step[i]].name, err_text(ret));
			err_clear();
			continue;
		}
		ret = visit_by_turns(c, full & ~bit, full, &c->out[i]);
		if (ret == -EINTR)
			return ret;
		if (ret)
			return err_context(ret, "without %s", c->plan->rung[c->step[i]].name);
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

/* How many runs there will be at most, for the time left. */
static uint64_t count_runs(const struct climb *c)
{
	uint64_t once = c->repeats + (c->module ? 1 : 0), n;
	uint32_t a, b, distance;
	size_t i;

	if (c->factorial)
		return ((uint64_t)1 << (c->nsteps - 1)) * once;
	n = c->nsteps * once;
	if (c->compare == PLAN_BY_TURNS)
		n += (c->nsteps - 1) * (uint64_t)c->repeats;
	if (c->leave_out)
		n += (c->nsteps - 1) * 2 * (uint64_t)c->repeats;
	for (i = 0; i < c->plan->npairs; i++) {
		a = c->plan->pair[i].a;
		b = c->plan->pair[i].b;
		distance = a > b ? a - b : b - a;
		if (climb_has_rung(c, a) && climb_has_rung(c, b))
			n += (distance == 1 ? 1 : 2) * once;
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

static int measure_ladder(struct climb *c)
{
	int ret;

	ret = climb_steps(c);
	if (!ret)
		ret = leave_out(c);
	return ret ? ret : visit_pairs(c);
}

/* The best of all states that were measured, or what was retained. */
static uint32_t to_keep(const struct climb *c)
{
	struct factorial f;

	return climb_factorial(c, &f) ? climb_factorial_mask(c, factorial_best(&f)) : climb_retained(c);
}

int climb_run(struct climb *c, bool *dirty)
{
	int ret, back;

	*dirty = false;
	ret = c->factorial ? factorial_check(c) : 0;
	if (!ret)
		ret = open_account(c);
	if (!ret)
		ret = rig_look(&c->rig, c->plan);
	if (!ret)
		ret = rig_take(&c->rig, c->module);
	if (ret)
		goto out;
	if (c->on_begin)
		c->on_begin(c, c->ctx);
	c->runs = count_runs(c);
	progress_start(c->runs);
	ret = c->factorial ? factorial_run(c) : measure_ladder(c);
	if (!ret && c->keep)
		ret = rig_go(&c->rig, to_keep(c));
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
