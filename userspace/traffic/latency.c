// SPDX-License-Identifier: GPL-2.0-or-later
/* Percentiles by sorting, mean and deviation in one pass, a log-linear histogram. */
#include "traffic/latency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

unsigned int latency_bucket(uint64_t ns)
{
	unsigned int top, bucket;

	if (ns < 16)
		return (unsigned int)ns;
	top = 63 - __builtin_clzll(ns);			/* >= 4 */
	bucket = 16 + (top - 4) * 8 + (ns >> (top - 3) & 7);
	return bucket < TRAFFIC_HIST ? bucket : TRAFFIC_HIST - 1;
}

uint64_t latency_bucket_low(unsigned int bucket)
{
	unsigned int top;

	if (bucket < 16)
		return bucket;
	top = (bucket - 16) / 8 + 4;
	return (8ull + (bucket - 16) % 8) << (top - 3);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Nearest rank: element ceil(per_mille / 1000 * n), counted from one. */
static uint64_t rank(const uint64_t *sorted, size_t n, unsigned int per_mille)
{
	size_t at = (size_t)(((unsigned __int128)n * per_mille + 999) / 1000);

	return sorted[at ? at - 1 : 0];
}

void latency_summary(struct traffic_rtt *rtt, uint64_t *samples, size_t n)
{
	double mean = 0, m2 = 0;
	size_t i;

	memset(rtt->hist, 0, sizeof(rtt->hist));
	rtt->min = rtt->p50 = rtt->p90 = rtt->p99 = rtt->p999 = rtt->max = 0;
	rtt->mean = rtt->sd = 0;
	if (!n)
		return;
	qsort(samples, n, sizeof(*samples), by_value);
	for (i = 0; i < n; i++) {
		/* Welford: no cancellation however large the samples. */
		double x = (double)samples[i], d = x - mean;

		mean += d / (double)(i + 1);
		m2 += d * (x - mean);
		rtt->hist[latency_bucket(samples[i])]++;
	}
	rtt->min = samples[0];
	rtt->p50 = rank(samples, n, 500);
	rtt->p90 = rank(samples, n, 900);
	rtt->p99 = rank(samples, n, 990);
	rtt->p999 = rank(samples, n, 999);
	rtt->max = samples[n - 1];
	rtt->mean = mean;
	rtt->sd = n > 1 ? sqrt(m2 / (double)(n - 1)) : 0;
}
