// SPDX-License-Identifier: GPL-2.0-or-later
/* Which settings are best for an RTT, by the profiles that were measured; and how good such choices are. */
#include "profile/choose.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"

const char *choose_word(enum choose_shape shape)
{
	static const char *const words[] = { "measured", "concave", "convex", "unknown" };

	return words[shape];
}

static int no_memory(void)
{
	return err_set(-ENOMEM, NULL, "out of memory");
}

/* The prediction of one group, and of its replicates; -ERANGE without a description when it does not reach the RTT. */
static int predict(const struct store *s, const struct group *g, double rtt_ms, const struct fit_options *o,
		   struct choice *c, double *reps)
{
	double *weight = NULL;
	struct boot b = { 0 };
	struct curve curve;
	size_t i, k;
	int ret;

	ret = curve_make(&curve, s->runs + g->first, g->n, g->capacity_bps);
	if (ret)
		return ret;
	weight = calloc(curve.n, sizeof(*weight));
	ret = weight ? curve_weights(&curve, rtt_ms, weight) : no_memory();
	if (!ret)
		ret = boot_make(&b, &curve, o->reps, o->seed ^ g->hash);
	if (!ret) {
		*c = (struct choice) { .group = g, .predicted = interval_of(&curve, &b, weight, o->confidence) };
		for (i = 0; i < o->reps; i++)
			for (reps[i] = 0, k = 0; k < curve.n; k++)
				reps[i] += weight[k] * b.mean[i * curve.n + k];
	}
	boot_free(&b);
	free(weight);
	curve_free(&curve);
	return ret;
}

/* In how many of the replicates each group is the best. */
static void count_wins(struct ranking *r, const double *reps, size_t nreps)
{
	size_t i, k, best;

	for (i = 0; i < nreps; i++) {
		for (best = 0, k = 1; k < r->n; k++)
			if (reps[k * nreps + i] > reps[best * nreps + i])
				best = k;
		r->choice[best].win_share += 1 / (double)nreps;
	}
}

static int by_prediction(const void *va, const void *vb)
{
	const struct choice *a = va, *b = vb;

	if (a->predicted.value != b->predicted.value)
		return a->predicted.value < b->predicted.value ? 1 : -1;
	/* Of equals, the first of the store's order. */
	return (a->group > b->group) - (a->group < b->group);
}

/* The shape on both sides of the RTT, as far as the set of transitions leaves no doubt. */
static int look_at_shape(const struct store *s, double rtt_ms, const struct fit_options *o, struct choice *c)
{
	bool before = false, after = false;
	size_t k, high;
	struct fit f;
	int ret;

	ret = fit_group(s, c->group, o, &f);
	if (ret)
		return ret;
	for (high = 0; high + 1 < f.n && f.node[high].rtt_ms < rtt_ms; high++)
		;
	if (f.node[high].rtt_ms == rtt_ms) {
		c->shape = CHOOSE_MEASURED;
		c->floor_bps = f.node[high].mean.value;
		fit_free(&f);
		return 0;
	}
	for (k = 0; f.shaped && k < f.n; k++) {
		before |= f.node[k].in_set[SIGMOID_FREE] && k < high;
		after |= f.node[k].in_set[SIGMOID_FREE] && k >= high;
	}
	/* A set without a level is no more than the best guess. */
	c->shape = !f.shaped || before == after || isnan(f.level[SIGMOID_FREE]) ? CHOOSE_UNKNOWN :
		   after ? CHOOSE_CONCAVE : CHOOSE_CONVEX;
	c->floor_bps = c->shape == CHOOSE_CONCAVE ? c->predicted.value :
		       fmin(f.node[high - 1].mean.value, f.node[high].mean.value);
	fit_free(&f);
	return 0;
}

/* The difference of the best two, with an interval made of theirs: they were measured apart. */
static void take_loss(struct ranking *r)
{
	const struct interval *a = &r->choice[0].predicted, *b = &r->choice[1].predicted;

	r->loss = (struct interval) { NAN, NAN, NAN, INTERVAL_NONE };
	r->loss_share = NAN;
	if (r->n < 2)
		return;
	r->loss.value = a->value - b->value;
	r->loss_share = r->loss.value / a->value;
	r->loss.low = r->loss.value - hypot(a->value - a->low, b->high - b->value);
	r->loss.high = r->loss.value + hypot(a->high - a->value, b->value - b->low);
	r->loss.how = a->how == INTERVAL_NONE || b->how == INTERVAL_NONE ? INTERVAL_NONE : a->how;
}

static int out_of_range(const struct store *s, double rtt_ms)
{
	double low = INFINITY, high = 0;
	size_t i;

	for (i = 0; i < s->n; i++) {
		low = fmin(low, s->runs[i].rtt_ms);
		high = fmax(high, s->runs[i].rtt_ms);
	}
	return err_set(-ERANGE, "measure RTTs on both sides of it",
		       "no profile reaches %g ms: the runs go from %g to %g ms", rtt_ms, low, high);
}

int choose_rank(const struct store *s, double rtt_ms, const struct fit_options *o, size_t shapes, struct ranking *r)
{
	double *reps = calloc(s->ngroups * o->reps, sizeof(*reps));
	size_t i;
	int ret = 0;

	*r = (struct ranking) { .choice = calloc(s->ngroups + 1, sizeof(*r->choice)) };
	if (!reps || !r->choice)
		ret = no_memory();
	for (i = 0; i < s->ngroups && !ret; i++) {
		ret = predict(s, &s->groups[i], rtt_ms, o, &r->choice[r->n], reps + r->n * o->reps);
		r->out_of_reach += ret == -ERANGE;
		r->n += !ret;
		ret = ret == -ERANGE ? 0 : ret;
	}
	if (!ret && !r->n)
		ret = out_of_range(s, rtt_ms);
	if (!ret) {
		count_wins(r, reps, o->reps);
		qsort(r->choice, r->n, sizeof(*r->choice), by_prediction);
		take_loss(r);
	}
	for (i = 0; i < r->n; i++) {
		r->choice[i].shape = CHOOSE_UNKNOWN;
		r->choice[i].floor_bps = NAN;
		if (i < shapes && !ret)
			ret = look_at_shape(s, rtt_ms, o, &r->choice[i]);
	}
	free(reps);
	if (ret)
		choose_free(r);
	return ret;
}

void choose_free(struct ranking *r)
{
	free(r->choice);
	*r = (struct ranking) { 0 };
}

/* What a group promises at its node @k without it; NaN for those at the ends. */
static int promise(const struct curve *c, size_t k, double *bps)
{
	double *weight;
	struct curve rest;
	size_t i;
	int ret;

	*bps = NAN;
	if (!k || k + 1 >= c->n)
		return 0;
	ret = curve_without(&rest, c, k);
	if (ret)
		return ret;
	weight = calloc(rest.n, sizeof(*weight));
	if (!weight) {
		curve_free(&rest);
		return no_memory();
	}
	if (!curve_weights(&rest, c->node[k].rtt_ms, weight))
		for (*bps = 0, i = 0; i < rest.n; i++)
			*bps += weight[i] * rest.node[i].mean;
	free(weight);
	curve_free(&rest);
	return 0;
}

static int by_rtt(const void *a, const void *b)
{
	const struct held_out *x = a, *y = b;

	return (x->rtt_ms > y->rtt_ms) - (x->rtt_ms < y->rtt_ms);
}

/* Adds what one group says at one of its inner nodes. */
static void compete(struct held_out *all, size_t *n, const struct group *g, const struct node *d, double promised)
{
	struct held_out *h;

	for (h = all; h < all + *n && h->rtt_ms != d->rtt_ms; h++)
		;
	if (h == all + *n) {
		*h = (struct held_out) { .rtt_ms = d->rtt_ms };
		++*n;
	}
	if (!h->choice || promised > h->predicted_bps) {
		h->choice = g;
		h->predicted_bps = promised;
		h->measured_bps = d->mean;
	}
	if (!h->best || d->mean > h->best_bps) {
		h->best = g;
		h->best_bps = d->mean;
	}
}

int choose_evaluate(const struct store *s, struct held_out **all)
{
	struct held_out *held = calloc(s->n, sizeof(*held));
	double promised;
	struct curve c;
	size_t i, k, n = 0;
	int ret = held ? 0 : no_memory();

	*all = NULL;
	for (i = 0; i < s->ngroups && !ret; i++) {
		ret = curve_make(&c, s->runs + s->groups[i].first, s->groups[i].n, s->groups[i].capacity_bps);
		for (k = 0; !ret && k < c.n; k++) {
			ret = promise(&c, k, &promised);
			if (!ret && !isnan(promised))
				compete(held, &n, &s->groups[i], &c.node[k], promised);
		}
		curve_free(&c);
	}
	if (ret || !n) {
		free(held);
		return ret;
	}
	for (k = 0; k < n; k++)
		held[k].regret = 1 - held[k].measured_bps / held[k].best_bps;
	qsort(held, n, sizeof(*held), by_rtt);
	*all = held;
	return (int)n;
}
