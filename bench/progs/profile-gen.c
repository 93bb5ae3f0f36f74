// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes a simulated campaign of runs to standard output, by the reference model with noise:
 *   profile-gen REPEATS [VARIANTS [BUFFERS [STREAMS [SEED]]]]
 * 7 RTTs x variants (1 to 4) x buffers (1 to 4) x streams (1 to 10) x repeats, ten seconds each, with traces at 0.1
 * and 1 s.
 */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/record.h"
#include "profile/refmodel.h"

#define CAPACITY	1e10
#define SECONDS		10.0
#define FINE		100	/* samples */
#define COARSE		10
#define NOISE		0.02	/* of the throughput, between runs */
#define FLICKER		0.05	/* between samples */
#define MEMORY		0.6	/* of a sample in the next */

static const double rtts[] = { 0.4, 11.8, 22.6, 45.6, 91.6, 183, 366 };
static const char *const variants[] = { "cubic", "htcp", "scalable", "reno" };
static const double buffers[] = { 250e3, 60e6, 250e6, 1e9 };
static const char *const buffer_names[] = { "250K", "60M", "250M", "1G" };

/* The trace: the window doubles until the line or the buffers are full; then it flickers. */
static double trace(const struct refmodel *m, double rtt_ms, float *fine, gsl_rng *rng)
{
	struct refmodel_phases p;
	double growth = log(m->growth) / (rtt_ms / 1e3), level = gsl_ran_gaussian(rng, NOISE);
	double t, rate, flicker = 0, sum = 0;
	size_t i;

	refmodel_bps(m, rtt_ms, &p);
	rate = fmin(m->capacity_bps, m->streams * m->buffer_bytes * 8e3 / rtt_ms);
	for (i = 0; i < FINE; i++) {
		t = ((double)i + 0.5) * SECONDS / FINE;
		flicker = MEMORY * flicker + gsl_ran_gaussian(rng, FLICKER * sqrt(1 - MEMORY * MEMORY));
		fine[i] = (float)(rate * (1 - fabs(flicker + level)));
		if (t < p.ramp_s)
			fine[i] = (float)(rate * exp((t - p.ramp_s) * growth));
		sum += fine[i];
	}
	return sum / FINE;
}

static void put(struct record *r, const struct refmodel *m, size_t k, gsl_rng *rng)
{
	float fine[FINE];
	struct record_trace *t;
	bool held = m->streams * m->buffer_bytes * 8e3 / rtts[k] < m->capacity_bps;
	size_t i, j;

	r->rtt_ms = rtts[k];
	r->rtt_measured_ms = rtts[k] + 0.02;
	r->throughput_bps = trace(m, rtts[k], fine, rng);
	r->busy_us = 1e6 * SECONDS * m->streams;
	r->rwnd_us = held ? 0.97 * r->busy_us : 0;
	r->sndbuf_us = 0;
	r->ntraces = 0;
	t = record_trace(r, SECONDS / FINE, RECORD_SUM, FINE);
	if (!t)
		abort();
	memcpy(t->bps, fine, sizeof(fine));
	t = record_trace(r, SECONDS / COARSE, RECORD_SUM, COARSE);
	if (!t)
		abort();
	for (i = 0; i < COARSE; i++)
		for (t->bps[i] = 0, j = 0; j < FINE / COARSE; j++)
			t->bps[i] += fine[i * (FINE / COARSE) + j] / (FINE / COARSE);
	if (record_write(stdout, r))
		exit(1);
}

static size_t number(int argc, char **argv, int i, size_t otherwise, size_t most)
{
	size_t n = argc > i ? strtoul(argv[i], NULL, 10) : otherwise;

	return n < most ? n : most;
}

int main(int argc, char **argv)
{
	size_t repeats = number(argc, argv, 1, 0, 1000000), nvariants = number(argc, argv, 2, 4, 4);
	size_t nbuffers = number(argc, argv, 3, 4, 4), streams = number(argc, argv, 4, 10, 10), v, b, n, k, i;
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct refmodel m = { .capacity_bps = CAPACITY, .initial_bytes = REFMODEL_INITIAL, .seconds = SECONDS };
	static struct record r;

	if (!repeats) {
		fputs("usage: profile-gen REPEATS [VARIANTS [BUFFERS [STREAMS [SEED]]]]\n", stderr);
		return 2;
	}
	gsl_rng_set(rng, number(argc, argv, 5, 1, 1u << 31));
	record_clear(&r);
	strcpy(r.campaign, "simulated");
	strcpy(r.kernel, "none");
	strcpy(r.host, "none");
	r.capacity_bps = CAPACITY;
	r.seconds = SECONDS;
	r.valid = true;
	for (i = 0; i < repeats; i++) {
		for (v = 0; v < nvariants; v++) {
			for (b = 0; b < nbuffers; b++) {
				for (n = 1; n <= streams; n++) {
					strcpy(r.variant, variants[v]);
					strcpy(r.buffer, buffer_names[b]);
					r.buffer_bytes = m.buffer_bytes = buffers[b];
					m.streams = (double)n;
					m.growth = 2 - 0.1 * (double)v;
					r.streams = (unsigned int)n;
					r.repeat = (unsigned int)i;
					for (k = 0; k < sizeof(rtts) / sizeof(*rtts); k++)
						put(&r, &m, k, rng);
				}
			}
		}
	}
	return fflush(stdout) ? 1 : 0;
}
