// SPDX-License-Identifier: GPL-2.0-or-later
/* Arithmetic on readings of receive coalescing. */
#include "lib/coalesce.h"

#include <math.h>
#include <string.h>

/* Buckets below 1024 ns are so wide; above, there are as many for each power of two as there are below. */
#define UNIT_NS		64u
#define SUBS		16u

const struct coalesce_info *coalesce_find(const struct coalesce_list *list, const struct coalesce_info *of)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (list->item[i].ifindex == of->ifindex && list->item[i].since_ns == of->since_ns)
			return &list->item[i];
	return NULL;
}

void coalesce_since(struct coalesce_info *info, const struct coalesce_info *from)
{
	size_t i;

	if (!from)
		return;
	info->since_ns = from->time_ns;
	info->interrupts -= from->interrupts;
	info->timers -= from->timers;
	info->polls -= from->polls;
	info->packets -= from->packets;
	info->bytes -= from->bytes;
	info->drops -= from->drops;
	info->turns -= from->turns;
	for (i = 0; i < COALESCE_BUCKETS; i++)
		info->waits[i] -= from->waits[i];
}

uint64_t coalesce_edge_ns(size_t bucket)
{
	size_t power = bucket / SUBS;

	if (!power)
		return (bucket + 1) * UNIT_NS;
	return (SUBS + bucket % SUBS + 1) * UNIT_NS << (power - 1);
}

double coalesce_wait_us(const struct coalesce_info *info, double share)
{
	uint64_t sum = 0, seen = 0, rank;
	size_t i;

	for (i = 0; i < COALESCE_BUCKETS; i++)
		sum += info->waits[i];
	if (!sum)
		return NAN;
	rank = (uint64_t)ceil(share * (double)sum);
	for (i = 0; i < COALESCE_BUCKETS - 1; i++) {
		seen += info->waits[i];
		if (seen >= rank && seen)
			break;
	}
	/* The first bucket is where nothing made them wait. */
	return i ? (double)coalesce_edge_ns(i) / 1e3 : 0;
}

const char *coalesce_mode(uint32_t mode)
{
	static const char *const words[] = { "latency", "throughput" };

	return mode < sizeof(words) / sizeof(*words) ? words[mode] : "?";
}

const char *coalesce_change(uint32_t change)
{
	static const char *const words[] = { "started", "changed", "stopped", "owner", "down", "gone" };

	return change < sizeof(words) / sizeof(*words) ? words[change] : "?";
}
