// SPDX-License-Identifier: GPL-2.0-or-later
/* Holds nettoll profile's estimates against what is known of them, and prints a line NAME=VALUE... for each kind. */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/dynamics.h"
#include "profile/fit.h"
#include "profile/refmodel.h"

#define NODES		7
#define REPEATS_MAX	10
#define CAPACITY	1e10
#define CAMPAIGNS	500
#define TRIALS		100
#define N_LONG		600
#define N_SHORT		100

static const double rtts[NODES] = { 0.4, 11.8, 22.6, 45.6, 91.6, 183, 366 };
static gsl_rng *rng;

static const struct fit_options options = { .confidence = 0.95, .eps = 0.1, .reps = FIT_REPS, .seed = 1 };

/* A simulated campaign of one profile. */
struct world {
	struct run runs[NODES * REPEATS_MAX];
	struct group group;
	struct store store;
	double truth[NODES];
};

enum spread { EXACT, NORMAL, SKEWED };

/*
 * Of mean 0 and standard deviation 1; the skewed one has a sharp upper limit and a long tail down, as throughput
 * has.
 */
static double deviate(enum spread spread)
{
	switch (spread) {
	case NORMAL: return gsl_ran_gaussian(rng, 1);
	case SKEWED: return (4 - gsl_ran_gamma(rng, 4, 1)) / 2;
	default: return 0;
	}
}

/* @noise: relative, at the smallest RTT; it grows with RTT to twice that. */
static void make(struct world *w, const struct refmodel *m, size_t repeats, enum spread spread, double noise)
{
	static uint64_t hash;
	size_t k, i;

	memset(w, 0, sizeof(*w));
	for (k = 0; k < NODES; k++) {
		w->truth[k] = refmodel_bps(m, rtts[k], NULL);
		for (i = 0; i < repeats; i++)
			w->runs[k * repeats + i] = (struct run) {
				.rtt_ms = rtts[k], .rtt_measured_ms = NAN, .rwnd_share = NAN, .sndbuf_share = NAN,
				.buffer_bytes = m->buffer_bytes, .repeat = (uint32_t)i,
				.bps = w->truth[k] * (1 + noise * (1 + (double)k / (NODES - 1)) * deviate(spread)),
			};
	}
	w->group = (struct group) { .campaign = "golden", .variant = "none", .buffer = "b", .hash = ++hash,
				    .streams = (uint32_t)m->streams, .capacity_bps = CAPACITY, .n = NODES * repeats };
	w->store = (struct store) { .runs = w->runs, .n = w->group.n, .groups = &w->group, .ngroups = 1 };
}

static void fit(struct world *w, struct fit *f)
{
	if (fit_group(&w->store, &w->group, &options, f))
		exit(1);
}

/* The node nearest to where the model turns. */
static size_t true_node(const struct refmodel *m)
{
	double turn = refmodel_turn_ms(m);
	size_t k, best = 0;

	for (k = 0; k < NODES; k++)
		if (fabs(rtts[k] - turn) < fabs(rtts[best] - turn))
			best = k;
	return best;
}

static const struct refmodel cases[] = {
	{ CAPACITY, 1, 1e9, REFMODEL_INITIAL, 10, 2 }, { CAPACITY, 10, 1e9, REFMODEL_INITIAL, 10, 2 },
	{ CAPACITY, 1, 250e6, REFMODEL_INITIAL, 100, 2 }, { CAPACITY, 1, 60e6, REFMODEL_INITIAL, 100, 2 },
	{ CAPACITY, 1, 250e3, REFMODEL_INITIAL, 10, 2 }, { CAPACITY, 10, 250e3, REFMODEL_INITIAL, 10, 2 },
};
#define CASES	(sizeof(cases) / sizeof(*cases))

static void transitions(void)
{
	size_t i, truth, turn, ok = 0;
	struct world w;
	struct fit f;
	int form;

	for (i = 0; i < CASES; i++) {
		make(&w, &cases[i], 1, EXACT, 0);
		fit(&w, &f);
		truth = true_node(&cases[i]);
		printf("transition buffer=%g streams=%g seconds=%g true_ms=%g", cases[i].buffer_bytes, cases[i].streams,
		       cases[i].seconds, refmodel_turn_ms(&cases[i]));
		for (form = 0; form < SIGMOID_FORMS; form++) {
			turn = f.sigmoid[form].turn;
			ok += turn <= truth + 1 && truth <= turn + 1;
			printf(" %s_ms=%g", form == SIGMOID_UNIT ? "unit" : "free", rtts[turn]);
		}
		putchar('\n');
		fit_free(&f);
	}
	printf("transitions transition_ok=%zu transition_cases=%zu\n", ok, CASES * SIGMOID_FORMS);
}

/* Profiles of one region, and one that turns, with 2 to 4 % of noise and ten repeats. */
static void recognition(void)
{
	static const size_t which[] = { 0, 4, 3 };
	static const char *const names[] = { "concave", "convex", "turning" };
	size_t i, k, t, truth, found, held, wrong;
	struct world w;
	struct fit f;

	for (i = 0; i < 3; i++) {
		truth = true_node(&cases[which[i]]);
		for (found = held = wrong = t = 0; t < TRIALS; t++) {
			make(&w, &cases[which[i]], REPEATS_MAX, NORMAL, 0.02);
			fit(&w, &f);
			k = f.sigmoid[SIGMOID_FREE].turn;
			found += i == 2 ? k <= truth + 1 && truth <= k + 1 : k == truth;
			held += f.node[truth].in_set[SIGMOID_FREE] ||
				(i == 2 && f.node[truth + 1].in_set[SIGMOID_FREE]);
			/* Chords: what they say must not leave the truth out. */
			wrong += f.bracket.mixed || (!f.bracket.below && f.bracket.low > truth) ||
				 (!f.bracket.above && f.bracket.high < truth);
			fit_free(&f);
		}
		printf("recognition profile=%s found=%zu in_set=%zu chords_wrong=%zu trials=%d\n", names[i], found,
		       held, wrong, TRIALS);
	}
}

static double logistic(double v)
{
	return 4 * v * (1 - v);
}

static void lyapunov(void)
{
	double sum[4] = { 0 }, v[4], worst = 0, x;
	float samples[N_LONG];
	struct series s;
	size_t t, i, j;

	for (t = 0; t < TRIALS; t++) {
		x = 0.1 + 0.8 * gsl_rng_uniform(rng);
		for (i = 0; i < N_LONG; i++)
			samples[i] = (float)(x = logistic(x));
		if (series_make(&s, samples, N_LONG))
			exit(1);
		v[0] = lyapunov_nearest(&s);
		v[1] = lyapunov_rosenstein(&s);
		v[2] = lyapunov_kantz(&s);
		v[3] = series_map(&s).exponent;
		for (j = 0; j < 4; j++) {
			sum[j] += v[j] / TRIALS;
			worst = fmax(worst, j < 2 ? fabs(v[j] - M_LN2) : 0);
		}
		series_free(&s);
	}
	printf("lyapunov lyapunov=%.4f rosenstein=%.4f kantz=%.4f map=%.4f worst=%.4f\n", sum[0], sum[1], sum[2],
	       sum[3], worst);
}

/* How many of the trials of noise of a given memory are not called unstable. */
static size_t not_unstable(double memory, size_t n)
{
	static float samples[N_LONG];
	struct dynamics_options o = { .confidence = 0.95, .interval_s = 1, .samples = n, .seed = 1 };
	struct group g = { .campaign = "golden" };
	struct run run = { .rtt_ms = 1, .fine = { 0, (uint32_t)n, 1 }, .coarse = { 0, (uint32_t)n, 1 } };
	struct store s = { .runs = &run, .n = 1, .groups = &g, .ngroups = 1, .samples = samples };
	size_t t, i, ok = 0;
	struct dynamics d;
	double v = 0;

	for (t = 0; t < TRIALS; t++) {
		for (i = 0; i < n; i++) {
			v = memory * v + gsl_ran_gaussian(rng, sqrt(1 - memory * memory));
			samples[i] = (float)(1000 + v);
		}
		g.hash++;
		if (dynamics_point(&s, &run, 1, &o, &d) || d.verdict == DYNAMICS_SHORT)
			exit(1);
		ok += d.verdict != DYNAMICS_UNSTABLE;
	}
	printf("noise memory=%g samples=%zu not_unstable=%zu trials=%d\n", memory, n, ok, TRIALS);
	return ok;
}

static void noise(void)
{
	static const double memory[] = { 0, 0.5, 0.9 };
	size_t i, ok, least = TRIALS;

	for (i = 0; i < 6; i++) {
		ok = not_unstable(memory[i / 2], i % 2 ? N_LONG : N_SHORT);
		least = ok < least ? ok : least;
	}
	printf("noises noise_ok=%zu\n", least);
}

static double covers(const struct interval *v, double truth)
{
	return v->low <= truth && truth <= v->high;
}

static void coverage(void)
{
	static const struct { size_t repeats; enum spread spread; const char *name; } kinds[] = {
		{ 10, NORMAL, "normal" }, { 10, SKEWED, "skewed" }, { 5, NORMAL, "normal" }, { 5, SKEWED, "skewed" },
	};
	const struct refmodel *m = &cases[0];
	double mean, concavity, truth, worst = 95, weight[NODES];
	struct interval v;
	struct world w;
	struct curve exact, c;
	struct boot b;
	size_t i, t, k;

	make(&w, m, 1, EXACT, 0);
	if (curve_make(&exact, w.runs, NODES, CAPACITY))
		exit(1);
	truth = shape_concavity(&exact, NULL, 0.95).value;
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		for (mean = concavity = 0, t = 0; t < CAMPAIGNS; t++) {
			make(&w, m, kinds[i].repeats, kinds[i].spread, 0.02);
			if (curve_make(&c, w.runs, w.store.n, CAPACITY) || boot_make(&b, &c, FIT_REPS, t + 1))
				exit(1);
			/* The scale is the highest run, where one exceeds the capacity. */
			c.scale = CAPACITY;
			memset(weight, 0, sizeof(weight));
			for (k = 0; k < NODES; k++) {
				weight[k] = 1;
				v = interval_of(&c, &b, weight, 0.95);
				weight[k] = 0;
				mean += 100 * covers(&v, w.truth[k]) / (NODES * CAMPAIGNS);
			}
			v = shape_concavity(&c, &b, 0.95);
			concavity += 100 * covers(&v, truth) / CAMPAIGNS;
			boot_free(&b);
			curve_free(&c);
		}
		printf("interval spread=%s repeats=%zu means=%.2f concavity=%.2f campaigns=%d\n", kinds[i].name,
		       kinds[i].repeats, mean, concavity, CAMPAIGNS);
		worst = fabs(mean - 95) > fabs(worst - 95) ? mean : worst;
		worst = fabs(concavity - 95) > fabs(worst - 95) ? concavity : worst;
	}
	curve_free(&exact);
	printf("intervals coverage=%.2f\n", worst);
}

int main(void)
{
	rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, 20170626);
	transitions();
	recognition();
	lyapunov();
	noise();
	coverage();
	return fflush(stdout) ? 1 : 0;
}
