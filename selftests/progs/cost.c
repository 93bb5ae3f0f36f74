// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a datagram over loopback costs: for each line read, sends and receives in batches and prints
 * the cycles of the cheapest, which no interrupt has met. The process lives on between the lines, so
 * that its figures can be compared.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util.h"

#if defined(__x86_64__)
#include <x86intrin.h>
static uint64_t cycles(void) { return __rdtsc(); }
#else
#include <time.h>
static uint64_t cycles(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}
#endif

#define BATCHES	40
#define BATCH	50	/* short against the tick */

int main(void)
{
	static uint8_t data[1000];
	uint64_t best, took;
	char line[16];
	int rx, tx, hits;

	udp_pair("127.0.0.1", NULL, NULL, &rx, &tx);
	while (fgets(line, sizeof(line), stdin)) {
		best = UINT64_MAX;
		hits = 0;
		for (int batch = 0; batch < BATCHES; batch++) {
			took = cycles();
			for (int i = 0; i < BATCH; i++) {
				if (send(tx, data, sizeof(data), 0) != (ssize_t)sizeof(data) ||
				    recv(rx, data, sizeof(data), 0) != (ssize_t)sizeof(data))
					die(0, "a datagram was lost");
			}
			took = cycles() - took;
			if (took < best) {
				best = took;
				hits = 0;
			}
			hits += took == best;
		}
		say("batch=%d best=%llu hits=%d\n", BATCH, (unsigned long long)best, hits);
	}
	return 0;
}
