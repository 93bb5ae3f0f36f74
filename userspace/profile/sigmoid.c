// SPDX-License-Identifier: GPL-2.0-or-later
/* Where a profile turns from concave to convex, by the regression with two flipped sigmoids. */
#include "profile/sigmoid.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"

/*
 * A branch is found on a grid of its two shapes: a times the branch's span of RTTs, and how far t0 is from the turn,
 * in units of 1/a. The values of all shapes at all nodes are worked out once; then a fit of other means is a few
 * sums of products, and resampling hundreds of times costs little. The fit that is reported is refined from there.
 */
#define SLOPES		28
#define SLOPE_LOW	0.02
#define SLOPE_HIGH	400.0
#define PLACES		14
#define PLACE_HIGH	10.0
#define SHAPES		(SLOPES * PLACES)
#define REFINE_STEPS	60

#define BRANCH_MIN	3	/* nodes: a free branch meets fewer exactly, and would draw the turn to the ends */
#define PARAMS_ONE	3	/* s, a, t0 */
#define PARAMS_TWO	7	/* twice that, and the turn */
#define PARAMS_LINE	6	/* s, a, t0, two of the line, and where they meet */
#define NOISE_FLOOR	0.005	/* of the scale: no throughput is known better than that */

struct grid {
	size_t first, last;
	double span, turn;
	double *g;		/* [node - first][shape] */
	double squares[SHAPES];	/* sum of weight * g * g */
};

struct sigmoid_plan {
	size_t n;
	double *rtt, *weight;
	double scale;
	double pure;		/* sum of squares within the nodes */
	double noise2;		/* variance of a run, at least the floor's */
	double runs;
	struct grid *concave, *convex;	/* by turn */
	double *y, *sse;	/* means; by turn, the sums of squares of the concave and of the convex free branches */
	double sums[SHAPES];
};

static double slope_of(double x)
{
	return SLOPE_LOW * pow(SLOPE_HIGH / SLOPE_LOW, x / (SLOPES - 1));
}

/* The flipped sigmoid at z = a * (rtt - t0). */
static double flipped(double z)
{
	return 1 / (1 + exp(z));
}

/* z of a shape at an RTT: @place is a * |t0 - turn|. */
static double shape_at(const struct grid *gr, bool concave, double slope, double place, double rtt)
{
	return flipped(slope * (rtt - gr->turn) / gr->span + (concave ? -place : place));
}

static bool grid_make(struct sigmoid_plan *p, struct grid *gr, size_t first, size_t last, bool concave)
{
	size_t k, i, j, shape;
	double *row;

	*gr = (struct grid) { .first = first, .last = last, .turn = p->rtt[concave ? last : first] };
	gr->span = last > first ? p->rtt[last] - p->rtt[first] : 1;
	gr->g = calloc((last - first + 1) * SHAPES, sizeof(*gr->g));
	if (!gr->g)
		return false;
	for (k = first; k <= last; k++) {
		row = gr->g + (k - first) * SHAPES;
		for (i = 0; i < SLOPES; i++) {
			for (j = 0; j < PLACES; j++) {
				shape = i * PLACES + j;
				row[shape] = shape_at(gr, concave, slope_of((double)i),
						      PLACE_HIGH * (double)j / (PLACES - 1), p->rtt[k]);
				gr->squares[shape] += p->weight[k] * row[shape] * row[shape];
			}
		}
	}
	return true;
}

struct sigmoid_plan *sigmoid_plan(const struct curve *c)
{
	struct sigmoid_plan *p;
	double spare = 0;
	size_t k;

	if (c->n < BRANCH_MIN) {
		err_set(-ENODATA, NULL, "a shape needs at least %d RTTs, and there %s %zu", BRANCH_MIN,
			c->n == 1 ? "is" : "are", c->n);
		return NULL;
	}
	p = calloc(1, sizeof(*p));
	if (p) {
		p->n = c->n;
		p->scale = c->scale;
		p->rtt = calloc(5 * c->n, sizeof(*p->rtt));
		p->concave = calloc(2 * c->n, sizeof(*p->concave));
	}
	if (!p || !p->rtt || !p->concave)
		goto no_memory;
	p->weight = p->rtt + c->n;
	p->y = p->weight + c->n;
	p->sse = p->y + c->n;
	p->convex = p->concave + c->n;
	for (k = 0; k < c->n; k++) {
		p->rtt[k] = c->node[k].rtt_ms;
		p->weight[k] = (double)c->node[k].m;
		p->runs += p->weight[k];
		if (c->node[k].m < 2)
			continue;
		p->pure += c->node[k].var * (p->weight[k] - 1) / (c->scale * c->scale);
		spare += p->weight[k] - 1;
	}
	p->noise2 = fmax(NOISE_FLOOR * NOISE_FLOOR, spare > 0 ? p->pure / spare : 0);
	for (k = 0; k < c->n; k++)
		if (!grid_make(p, &p->concave[k], 0, k, true) || !grid_make(p, &p->convex[k], k, c->n - 1, false))
			goto no_memory;
	return p;
no_memory:
	sigmoid_plan_free(p);
	err_set(-ENOMEM, NULL, "out of memory");
	return NULL;
}

void sigmoid_plan_free(struct sigmoid_plan *p)
{
	size_t k;

	if (!p)
		return;
	for (k = 0; p->concave && k < 2 * p->n; k++)
		free(p->concave[k].g);
	free(p->concave);
	free(p->rtt);
	free(p);
}

/* The least sum of squares of a branch on its grid, for both forms, and the shapes that have it. */
static void grid_best(struct sigmoid_plan *p, const struct grid *gr, double sse[SIGMOID_FORMS],
		      size_t shape[SIGMOID_FORMS])
{
	double total = 0, wy, unit, freed;
	const double *row;
	size_t k, j;

	memset(p->sums, 0, sizeof(p->sums));
	for (k = gr->first; k <= gr->last; k++) {
		wy = p->weight[k] * p->y[k];
		total += wy * p->y[k];
		row = gr->g + (k - gr->first) * SHAPES;
		for (j = 0; j < SHAPES; j++)
			p->sums[j] += wy * row[j];
	}
	sse[SIGMOID_UNIT] = sse[SIGMOID_FREE] = INFINITY;
	for (j = 0; j < SHAPES; j++) {
		unit = gr->squares[j] - 2 * p->sums[j];
		freed = gr->squares[j] > 0 ? -p->sums[j] * p->sums[j] / gr->squares[j] : 0;
		if (unit < sse[SIGMOID_UNIT]) {
			sse[SIGMOID_UNIT] = unit;
			shape[SIGMOID_UNIT] = j;
		}
		if (freed < sse[SIGMOID_FREE]) {
			sse[SIGMOID_FREE] = freed;
			shape[SIGMOID_FREE] = j;
		}
	}
	sse[SIGMOID_UNIT] = fmax(0, sse[SIGMOID_UNIT] + total);
	sse[SIGMOID_FREE] = fmax(0, sse[SIGMOID_FREE] + total);
}

/* The sum of squares about the straight line through nodes @first to @last, and its slope. */
static double line_sse(const struct sigmoid_plan *p, size_t first, size_t last, double *slope)
{
	double w = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0, dx, dy;
	size_t k;

	for (k = first; k <= last; k++) {
		w += p->weight[k];
		x += p->weight[k] * p->rtt[k];
		y += p->weight[k] * p->y[k];
	}
	for (k = first; k <= last; k++) {
		dx = p->rtt[k] - x / w;
		dy = p->y[k] - y / w;
		xx += p->weight[k] * dx * dx;
		xy += p->weight[k] * dx * dy;
		yy += p->weight[k] * dy * dy;
	}
	*slope = xy / xx;
	return fmax(0, yy - xy * *slope);
}

static double mean_slope(const struct sigmoid_plan *p, size_t first, size_t last)
{
	return (p->y[last] - p->y[first]) / (p->rtt[last] - p->rtt[first]);
}

/*
 * A profile that is wholly concave (or convex) and straight for a part is not well met by one sigmoid, and a second,
 * of the other kind, is straight enough about its turn to be taken for the rest. So a straight line competes with
 * it: behind the concave branch if it falls more steeply than what is before it, before the convex one if more
 * steeply than what follows.
 */
static double score_with_line(const struct sigmoid_plan *p, bool concave)
{
	double best = INFINITY, sse, slope;
	size_t k;

	for (k = BRANCH_MIN - 1; k + BRANCH_MIN <= p->n; k++) {
		sse = concave ? line_sse(p, k, p->n - 1, &slope) : line_sse(p, 0, k, &slope);
		if (slope > (concave ? mean_slope(p, 0, k) : mean_slope(p, k, p->n - 1)))
			continue;
		best = fmin(best, sse + p->sse[concave ? k : p->n + k]);
	}
	return best / p->noise2 + PARAMS_LINE * log(p->runs);
}

/* The turn of the free form, by Bayes' information criterion for a known variance; p->sse is set. */
static size_t free_turn(const struct sigmoid_plan *p)
{
	size_t k, last = p->n - 1, turn = 0;
	double s, best;

	best = fmin(p->sse[p->n] / p->noise2 + PARAMS_ONE * log(p->runs), score_with_line(p, false));
	s = fmin(p->sse[last] / p->noise2 + PARAMS_ONE * log(p->runs), score_with_line(p, true));
	if (s < best) {
		best = s;
		turn = last;
	}
	for (k = BRANCH_MIN - 1; k + BRANCH_MIN <= p->n; k++) {
		s = (p->sse[k] + p->sse[p->n + k]) / p->noise2 + PARAMS_TWO * log(p->runs);
		if (s < best) {
			best = s;
			turn = k;
		}
	}
	return turn;
}

void sigmoid_turn(struct sigmoid_plan *p, const double *mean, size_t turn[SIGMOID_FORMS])
{
	double concave[SIGMOID_FORMS], convex[SIGMOID_FORMS], s, best = INFINITY;
	size_t k, shape[SIGMOID_FORMS];

	for (k = 0; k < p->n; k++)
		p->y[k] = mean[k] / p->scale;
	turn[SIGMOID_UNIT] = 0;
	for (k = 0; k < p->n; k++) {
		grid_best(p, &p->concave[k], concave, shape);
		grid_best(p, &p->convex[k], convex, shape);
		p->sse[k] = concave[SIGMOID_FREE];
		p->sse[p->n + k] = convex[SIGMOID_FREE];
		s = concave[SIGMOID_UNIT] + convex[SIGMOID_UNIT];
		if (s < best) {
			best = s;
			turn[SIGMOID_UNIT] = k;
		}
	}
	turn[SIGMOID_FREE] = free_turn(p);
}

/* The sum of squares of one shape, and the amplitude that goes with it. */
static double sse_of(const struct sigmoid_plan *p, const struct grid *gr, bool concave, enum sigmoid_form form,
		     double slope, double place, double *amplitude)
{
	double yg = 0, gg = 0, sse = 0, d;
	size_t k;

	*amplitude = 1;
	if (form == SIGMOID_FREE) {
		for (k = gr->first; k <= gr->last; k++) {
			d = shape_at(gr, concave, slope, place, p->rtt[k]);
			yg += p->weight[k] * p->y[k] * d;
			gg += p->weight[k] * d * d;
		}
		*amplitude = gg > 0 ? yg / gg : 0;
	}
	for (k = gr->first; k <= gr->last; k++) {
		d = p->y[k] - *amplitude * shape_at(gr, concave, slope, place, p->rtt[k]);
		sse += p->weight[k] * d * d;
	}
	return sse;
}

/* From the best of the grid to the best near it, by steps that shrink. */
static void refine(const struct sigmoid_plan *p, const struct grid *gr, bool concave, enum sigmoid_form form,
		   size_t shape, struct sigmoid_branch *b)
{
	double x[2] = { (double)(shape / PLACES), PLACE_HIGH * (double)(shape % PLACES) / (PLACES - 1) };
	double step[2] = { 0.5, PLACE_HIGH / (PLACES - 1) / 2 }, was, s, amplitude;
	int i, dir, n;
	bool moved;

	b->sse = sse_of(p, gr, concave, form, slope_of(x[0]), x[1], &b->amplitude);
	for (n = 0; n < REFINE_STEPS; n++) {
		for (moved = false, i = 0; i < 2; i++) {
			for (dir = -1; dir <= 1; dir += 2) {
				was = x[i];
				x[i] = i ? fmin(2 * PLACE_HIGH, fmax(0, was + dir * step[i])) : was + dir * step[i];
				s = sse_of(p, gr, concave, form, slope_of(x[0]), x[1], &amplitude);
				if (s < b->sse) {
					b->sse = s;
					b->amplitude = amplitude;
					moved = true;
				} else {
					x[i] = was;
				}
			}
		}
		if (!moved) {
			step[0] /= 2;
			step[1] /= 2;
		}
	}
	b->used = true;
	b->a = slope_of(x[0]) / gr->span;
	b->t0 = gr->turn + (concave ? x[1] : -x[1]) / b->a;
}

/* The best branch of one kind that ends, or begins, at a turn. */
static struct sigmoid_branch branch_at(struct sigmoid_plan *p, bool concave, enum sigmoid_form form, size_t turn)
{
	const struct grid *gr = concave ? &p->concave[turn] : &p->convex[turn];
	struct sigmoid_branch b;
	double sse[SIGMOID_FORMS];
	size_t shape[SIGMOID_FORMS];

	grid_best(p, gr, sse, shape);
	refine(p, gr, concave, form, shape[form], &b);
	return b;
}

void sigmoid_fit(struct sigmoid_plan *p, const struct curve *c, enum sigmoid_form form, struct sigmoid_fit *fit)
{
	double best = INFINITY;
	size_t k, turn = 0;

	for (k = 0; k < p->n; k++)
		p->y[k] = c->node[k].mean / p->scale;
	for (k = 0; k < p->n; k++) {
		p->sse[k] = branch_at(p, true, form, k).sse;
		p->sse[p->n + k] = branch_at(p, false, form, k).sse;
		if (p->sse[k] + p->sse[p->n + k] < best) {
			best = p->sse[k] + p->sse[p->n + k];
			turn = k;
		}
	}
	if (form == SIGMOID_FREE)
		turn = free_turn(p);
	*fit = (struct sigmoid_fit) { turn, branch_at(p, true, form, turn), branch_at(p, false, form, turn), p->pure };
	/* A branch of a single node says nothing; in the paper's form it is fitted all the same. */
	fit->concave.used = turn > 0;
	fit->convex.used = turn < p->n - 1;
	if (fit->concave.used || form == SIGMOID_UNIT)
		fit->sse += fit->concave.sse;
	if (fit->convex.used || form == SIGMOID_UNIT)
		fit->sse += fit->convex.sse;
}

double sigmoid_at(const struct sigmoid_fit *fit, const struct curve *c, double rtt_ms)
{
	const struct sigmoid_branch *b = &fit->concave;

	if (!fit->concave.used || (fit->convex.used && rtt_ms > c->node[fit->turn].rtt_ms))
		b = &fit->convex;
	return b->amplitude * flipped(b->a * (rtt_ms - b->t0));
}
