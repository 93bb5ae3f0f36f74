// SPDX-License-Identifier: GPL-2.0-or-later
/* All that is said of one profile: means, shape, transition, phases, bounds. */
#include "profile/fit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"
#include "profile/bound.h"
#include "profile/refmodel.h"

#define SET_PART	5	/* of the replicates, one of so many is fitted */

static int fit_means(struct fit *f, const struct fit_options *o)
{
	/* So that all signs together are right at the confidence. */
	double together = f->n > 2 ? 1 - (1 - o->confidence) / (double)(f->n - 2) : o->confidence;
	double *weight = calloc(f->n, sizeof(*weight));
	struct fit_node *d;
	size_t k;

	if (!weight)
		return err_set(-ENOMEM, NULL, "out of memory");
	for (k = 0; k < f->n; k++) {
		d = &f->node[k];
		d->rtt_ms = f->curve.node[k].rtt_ms;
		d->runs = f->curve.node[k].m;
		d->sd = sqrt(f->curve.node[k].var);
		f->runs += d->runs;
		f->unrepeated += d->runs < 2;
		weight[k] = 1;
		d->mean = interval_of(&f->curve, &f->boot, weight, o->confidence);
		weight[k] = 0;
		d->chord = shape_chord(&f->curve, &f->boot, k, together);
		d->sign = shape_sign(&f->curve, &d->chord);
	}
	free(weight);
	f->utilization = shape_utilization(&f->curve, &f->boot, o->confidence);
	f->concavity = shape_concavity(&f->curve, &f->boot, o->confidence);
	return 0;
}

/* The nodes that the most replicates turn at, until enough have; that of the fit is always one. */
static void choose_set(struct fit *f, int form, double confidence)
{
	size_t k, best;

	f->node[f->sigmoid[form].turn].in_set[form] = true;
	f->level[form] = f->node[f->sigmoid[form].turn].share[form];
	while (f->level[form] < confidence) {
		for (best = f->n, k = 0; k < f->n; k++)
			if (!f->node[k].in_set[form] &&
			    (best == f->n || f->node[k].share[form] > f->node[best].share[form]))
				best = k;
		if (best == f->n)
			break;
		f->node[best].in_set[form] = true;
		f->level[form] += f->node[best].share[form];
	}
}

static int fit_shape(struct fit *f, const struct fit_options *o)
{
	size_t r, k, reps = o->reps / SET_PART, turn[SIGMOID_FORMS];
	struct sigmoid_plan *plan;
	enum shape_sign *sign;
	int form;

	plan = sigmoid_plan(&f->curve);
	sign = calloc(f->n, sizeof(*sign));
	if (!plan || !sign) {
		sigmoid_plan_free(plan);
		free(sign);
		return err_set(-ENOMEM, NULL, "out of memory");
	}
	for (k = 0; k < f->n; k++)
		sign[k] = f->node[k].sign;
	f->bracket = shape_bracket(sign, f->n);
	free(sign);
	for (form = 0; form < SIGMOID_FORMS; form++) {
		sigmoid_fit(plan, &f->curve, form, &f->sigmoid[form]);
		f->level[form] = NAN;
	}
	/* Where no run was repeated, replicates are all the same and say nothing. */
	for (r = 0; f->unrepeated < f->n && r < reps; r++) {
		sigmoid_turn(plan, f->boot.mean + r * f->n, turn);
		for (form = 0; form < SIGMOID_FORMS; form++)
			f->node[turn[form]].share[form] += 1 / (double)reps;
	}
	for (form = 0; form < SIGMOID_FORMS; form++) {
		if (f->unrepeated < f->n && reps)
			choose_set(f, form, o->confidence);
		else
			f->node[f->sigmoid[form].turn].in_set[form] = true;
	}
	sigmoid_plan_free(plan);
	f->shaped = true;
	return 0;
}

static void add_mean(double *sum, double v, size_t *n)
{
	if (!isfinite(v))
		return;
	*sum += v;
	++*n;
}

static double divide(double sum, size_t n)
{
	return n ? sum / (double)n : NAN;
}

/* The means over a node's runs of what else is known of them. */
static void fit_runs(const struct store *s, struct fit_node *d, const struct run *runs)
{
	size_t i, measured = 0, limited = 0, ramp_bps = 0, growth = 0;
	const struct run *run;
	struct ramp r;

	for (i = 0; i < d->runs; i++) {
		run = &runs[i];
		add_mean(&d->measured_ms, run->rtt_measured_ms, &measured);
		add_mean(&d->limited, run->rwnd_share + run->sndbuf_share, &limited);
		if (!run->fine.n || !ramp_find(s->samples + run->fine.at, run->fine.n, run->fine.interval_s,
					       isnan(run->rtt_measured_ms) ? run->rtt_ms : run->rtt_measured_ms, &r))
			continue;
		d->ramps++;
		d->ramp.seconds += r.seconds;
		d->ramp.share += r.share;
		d->ramp.sustained_bps += r.sustained_bps;
		add_mean(&d->ramp.ramp_bps, r.ramp_bps, &ramp_bps);
		add_mean(&d->ramp.growth, r.growth, &growth);
	}
	d->measured_ms = divide(d->measured_ms, measured);
	d->limited = divide(d->limited, limited);
	d->ramp.seconds = divide(d->ramp.seconds, d->ramps);
	d->ramp.share = divide(d->ramp.share, d->ramps);
	d->ramp.sustained_bps = divide(d->ramp.sustained_bps, d->ramps);
	d->ramp.ramp_bps = divide(d->ramp.ramp_bps, ramp_bps);
	d->ramp.growth = divide(d->ramp.growth, growth);
}

static void fit_terms(struct fit *f)
{
	struct ramp three[3];
	double rtt[3];
	size_t k, i;

	for (k = 0; k < f->n; k++) {
		f->node[k].terms = (struct ramp_terms) { NAN, NAN, NAN };
		if (!k || k + 1 == f->n)
			continue;
		for (i = 0; i < 3; i++) {
			three[i] = f->node[k - 1 + i].ramp;
			rtt[i] = f->node[k - 1 + i].rtt_ms;
		}
		f->node[k].terms = ramp_terms(three, rtt);
	}
}

/* What the buffers let through, and where the reference model turns by them. */
static void fit_window(struct fit *f, const struct run *runs)
{
	double bytes = runs[0].buffer_bytes, rtt;
	bool fixed = bytes > 0 && !isnan(f->group->capacity_bps);
	size_t k, i = 0;

	for (k = 0; k < f->n; i += f->node[k++].runs) {
		rtt = isnan(f->node[k].measured_ms) ? f->node[k].rtt_ms : f->node[k].measured_ms;
		f->node[k].window_bps = NAN;
		if (runs[i].buffer_bytes > 0 && rtt > 0)
			f->node[k].window_bps = fmin(f->curve.scale,
						     f->group->streams * runs[i].buffer_bytes * 8 / rtt * 1e3);
		fixed &= runs[i].buffer_bytes == bytes;
	}
	f->model_ms = NAN;
	if (fixed)
		f->model_ms = refmodel_turn_ms(&(struct refmodel) {
			.capacity_bps = f->group->capacity_bps, .streams = f->group->streams, .buffer_bytes = bytes,
		});
}

int fit_group(const struct store *s, const struct group *g, const struct fit_options *o, struct fit *f)
{
	const struct run *runs = s->runs + g->first;
	size_t k, i;
	int ret;

	*f = (struct fit) { .group = g, .level = { NAN, NAN } };
	ret = curve_make(&f->curve, runs, g->n, g->capacity_bps);
	if (ret)
		return ret;
	f->n = f->curve.n;
	/* The numbers drawn are the group's own, whatever else is in the store. */
	ret = boot_make(&f->boot, &f->curve, o->reps, o->seed ^ g->hash);
	if (ret)
		goto fail;
	f->node = calloc(f->n, sizeof(*f->node));
	ret = f->node ? fit_means(f, o) : err_set(-ENOMEM, NULL, "out of memory");
	if (!ret && f->n >= 3)
		ret = fit_shape(f, o);
	if (ret)
		goto fail;
	for (k = 0, i = 0; k < f->n; i += f->node[k++].runs)
		fit_runs(s, &f->node[k], runs + i);
	fit_terms(f);
	fit_window(f, runs);
	f->bound_log10 = bound_log10(o->eps, (double)f->runs);
	f->bound_runs = bound_runs(o->eps, 1 - o->confidence);
	return 0;
fail:
	fit_free(f);
	return ret;
}

void fit_free(struct fit *f)
{
	curve_free(&f->curve);
	boot_free(&f->boot);
	free(f->node);
	f->node = NULL;
}
