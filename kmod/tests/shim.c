// SPDX-License-Identifier: GPL-2.0-only
/*
 * What of the shim needs memory: per-CPU copies, the allocation ledger, the clock.
 */
#include "shim.h"

#define AREA	(64 * 1024)

char shim_log[256];
u64 shim_cycles;
void (*shim_interrupt)(void);
int shim_fail_in = INT_MAX, shim_allocated, shim_cpu, shim_module_refs;

/* So that there is a template, also in a test without any. */
DEFINE_PER_CPU_ALIGNED(u64, shim_nothing);
static char *areas[SHIM_CPUS];
static size_t dynamic;

void *shim_alloc(size_t size)
{
	void *p;

	if (shim_fail_in-- == 0) {
		shim_fail_in = INT_MAX;
		return NULL;
	}
	p = calloc(1, size);
	assert_non_null(p);
	shim_allocated++;
	return p;
}

void kfree(const void *p)
{
	if (p)
		shim_allocated--;
	free((void *)p);
}

static size_t template_size(void)
{
	return (size_t)(__stop_shim_percpu - __start_shim_percpu + 63) & ~63UL;
}

/* Zeroes every CPU's copy and forgets what was allocated. */
void shim_percpu_reset(void)
{
	int cpu;

	for (cpu = 0; cpu < SHIM_CPUS; cpu++) {
		free(areas[cpu]);
		areas[cpu] = aligned_alloc(64, AREA);
		assert_non_null(areas[cpu]);
		memset(areas[cpu], 0, AREA);
	}
	dynamic = 0;
	shim_cpu = 0;
}

void *shim_on_cpu(const void *p, int cpu)
{
	uintptr_t offset = (uintptr_t)p - (uintptr_t)__start_shim_percpu;

	assert_in_range(cpu, 0, SHIM_CPUS - 1);
	assert_true(offset < AREA);
	if (!areas[cpu])
		shim_percpu_reset();
	return areas[cpu] + offset;
}

/* The answer is an address behind the template; without shim_on_cpu() it leads nowhere. */
void *__alloc_percpu(size_t size, size_t align)
{
	void *p = __start_shim_percpu + template_size() + dynamic;

	assert_true(align <= 64);
	if (shim_fail_in-- == 0) {
		shim_fail_in = INT_MAX;
		return NULL;
	}
	dynamic += (size + 63) & ~63UL;
	assert_true(template_size() + dynamic <= AREA);
	shim_allocated++;
	return p;
}

void free_percpu(void *p)
{
	if (p)
		shim_allocated--;
}
