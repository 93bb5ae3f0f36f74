// SPDX-License-Identifier: GPL-2.0-only
/*
 * One reading of all counters, which then can be sent at leisure.
 */
#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

#include "account.h"
#include "park.h"

static void read_cpu(struct nettoll_snapshot_cpu *to, int cpu)
{
	to->cpu = per_cpu(nettoll_cpu, cpu);
	memcpy(to->charge, per_cpu_ptr(nettoll_charges, cpu), sizeof(to->charge));
}

/* On the CPU itself, so that the spans that are open on it stand still. */
static void read_this_cpu(void *data)
{
	struct nettoll_snapshot *snap = data;
	int cpu = smp_processor_id();

	read_cpu(&snap->cpu[cpu], cpu);
	snap->cpu[cpu].cpu.inclusive +=
		nettoll_span_ended_in(__this_cpu_read(nettoll_cpu.cur));
}

/**
 * nettoll_account_snapshot() - read all counters on all CPUs at once
 *
 * Return: to be freed with kvfree(), or NULL when out of memory.
 */
struct nettoll_snapshot *nettoll_account_snapshot(void)
{
	struct nettoll_snapshot *snap;
	int cpu;

	snap = kvzalloc(struct_size(snap, cpu, nr_cpu_ids), GFP_KERNEL);
	if (!snap)
		return NULL;
	snap->cpus = nr_cpu_ids;
	cpus_read_lock();
	for_each_possible_cpu(cpu)
		if (!cpu_online(cpu))
			read_cpu(&snap->cpu[cpu], cpu);
	snap->generation = nettoll_account_generation();
	snap->attached_ns = nettoll_account_attached_ns();
	snap->time_ns = ktime_get_ns();
	snap->cycles = get_cycles();
	on_each_cpu(read_this_cpu, snap, 1);
	snap->parked = nettoll_park_ended_in();
	cpus_read_unlock();
	return snap;
}
