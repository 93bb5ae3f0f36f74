// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls an empty function of the kernel, do_no_restart_syscall, as restart_syscall() does when there is nothing to
 * restart, and prints what most calls cost: what a tracer of that function adds to it is the tracer's own cost.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util.h"

#if defined(__x86_64__)
#include <x86intrin.h>

#define CALLS	1999

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Each call by itself: now and then a tracer begins a page of its buffer, which is not what an event costs. */
int main(void)
{
	static uint64_t took[CALLS];
	uint64_t start;

	for (int i = 0; i < CALLS; i++) {
		start = __rdtsc();
		syscall(SYS_restart_syscall);
		took[i] = __rdtsc() - start;
	}
	qsort(took, CALLS, sizeof(took[0]), by_value);
	printf("calls=%d usual=%llu\n", CALLS, (unsigned long long)took[CALLS / 2]);
	return 0;
}
#else
int main(void)
{
	die(0, "reads the time stamp counter of x86");
}
#endif
