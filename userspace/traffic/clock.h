/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time and processor time at one moment, and the difference of two moments. */
#ifndef NETTOLL_TRAFFIC_CLOCK_H
#define NETTOLL_TRAFFIC_CLOCK_H

#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

#include "traffic/traffic.h"

struct mark {
	uint64_t ns;		/* CLOCK_MONOTONIC */
	uint64_t thread_ns;
	struct rusage usage;
};

static inline uint64_t clock_read(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/** clock_ns() - CLOCK_MONOTONIC in ns */
static inline uint64_t clock_ns(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

/** mark_take() - now */
static inline void mark_take(struct mark *m)
{
	m->ns = clock_ns();
	m->thread_ns = clock_read(CLOCK_THREAD_CPUTIME_ID);
	getrusage(RUSAGE_THREAD, &m->usage);
}

static inline uint64_t timeval_diff_ns(struct timeval a, struct timeval b)
{
	return (uint64_t)((b.tv_sec - a.tv_sec) * 1000000ll + (b.tv_usec - a.tv_usec)) * 1000u;
}

/** mark_cpu() - what the calling thread used between two marks */
static inline void mark_cpu(const struct mark *a, const struct mark *b, struct traffic_cpu *cpu)
{
	cpu->user_ns = timeval_diff_ns(a->usage.ru_utime, b->usage.ru_utime);
	cpu->system_ns = timeval_diff_ns(a->usage.ru_stime, b->usage.ru_stime);
	cpu->thread_ns = b->thread_ns - a->thread_ns;
	cpu->switches_voluntary = (uint64_t)(b->usage.ru_nvcsw - a->usage.ru_nvcsw);
	cpu->switches_involuntary = (uint64_t)(b->usage.ru_nivcsw - a->usage.ru_nivcsw);
}

#endif
