// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls an empty function of the kernel, do_no_restart_syscall, as restart_syscall() does when there is nothing to
 * restart, and prints what a call costs: what a tracer of that function adds to it is the tracer's own cost.
 */
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util.h"

#if defined(__x86_64__)
#include <x86intrin.h>

#define BATCHES	20
#define BATCH	100

int main(void)
{
	uint64_t best = UINT64_MAX, took;

	for (int batch = 0; batch < BATCHES; batch++) {
		took = __rdtsc();
		for (int i = 0; i < BATCH; i++)
			syscall(SYS_restart_syscall);
		took = __rdtsc() - took;
		if (took < best)
			best = took;
	}
	printf("calls=%d best=%llu batch=%d\n", BATCHES * BATCH, (unsigned long long)best, BATCH);
	return 0;
}
#else
int main(void)
{
	die(0, "reads the time stamp counter of x86");
}
#endif
