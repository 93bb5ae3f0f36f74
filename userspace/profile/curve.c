// SPDX-License-Identifier: GPL-2.0-or-later
/* A measured profile: the mean throughput at each RTT. */
#include "profile/curve.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"

static void measure(struct curve *c)
{
	const double *y;
	struct node *d;
	double sum;
	size_t k, i;

	for (k = 0; k < c->n; k++) {
		d = &c->node[k];
		y = c->y + d->first;
		for (sum = 0, i = 0; i < d->m; i++)
			sum += y[i];
		d->mean = sum / (double)d->m;
		for (sum = 0, i = 0; i < d->m; i++)
			sum += (y[i] - d->mean) * (y[i] - d->mean);
		d->var = d->m > 1 ? sum / (double)(d->m - 1) : NAN;
	}
}

int curve_make(struct curve *c, const struct run *runs, size_t n, double capacity_bps)
{
	struct node *d = NULL;
	size_t i;

	*c = (struct curve) { .scale = isnan(capacity_bps) ? 0 : capacity_bps };
	c->node = calloc(n, sizeof(*c->node));
	c->y = calloc(n, sizeof(*c->y));
	if (!c->node || !c->y) {
		curve_free(c);
		return err_set(-ENOMEM, NULL, "out of memory");
	}
	for (i = 0; i < n; i++) {
		if (!d || runs[i].rtt_ms != d->rtt_ms) {
			d = &c->node[c->n++];
			d->rtt_ms = runs[i].rtt_ms;
			d->first = i;
		}
		d->m++;
		c->y[c->ny++] = runs[i].bps;
		c->scale = fmax(c->scale, runs[i].bps);
	}
	measure(c);
	return 0;
}

int curve_without(struct curve *to, const struct curve *from, size_t k)
{
	*to = (struct curve) { .n = from->n - 1, .ny = from->ny, .scale = from->scale };
	to->node = calloc(from->n, sizeof(*to->node));
	to->y = calloc(from->ny, sizeof(*to->y));
	if (!to->node || !to->y) {
		curve_free(to);
		return err_set(-ENOMEM, NULL, "out of memory");
	}
	memcpy(to->y, from->y, from->ny * sizeof(*to->y));
	memcpy(to->node, from->node, k * sizeof(*to->node));
	memcpy(to->node + k, from->node + k + 1, (from->n - k - 1) * sizeof(*to->node));
	return 0;
}

void curve_free(struct curve *c)
{
	free(c->node);
	free(c->y);
	*c = (struct curve) { 0 };
}

int curve_weights(const struct curve *c, double rtt_ms, double *weight)
{
	double share;
	size_t k;

	memset(weight, 0, c->n * sizeof(*weight));
	for (k = 0; k < c->n; k++) {
		if (c->node[k].rtt_ms == rtt_ms) {
			weight[k] = 1;
			return 0;
		}
		if (!k || c->node[k - 1].rtt_ms > rtt_ms || c->node[k].rtt_ms < rtt_ms)
			continue;
		share = (rtt_ms - c->node[k - 1].rtt_ms) / (c->node[k].rtt_ms - c->node[k - 1].rtt_ms);
		weight[k - 1] = 1 - share;
		weight[k] = share;
		return 0;
	}
	return -ERANGE;
}
