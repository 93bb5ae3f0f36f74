// SPDX-License-Identifier: GPL-2.0-only
/*
 * One reading of all counters, which then can be sent at leisure, and what
 * windows of accounting leave out of it.
 */
#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/mutex.h>
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

static void read_all(struct nettoll_snapshot *snap)
{
	int cpu;

	cpus_read_lock();
	for_each_possible_cpu(cpu)
		if (!cpu_online(cpu))
			read_cpu(&snap->cpu[cpu], cpu);
	snap->attached_ns = nettoll_account_attached_ns();
	snap->time_ns = ktime_get_ns();
	snap->cycles = get_cycles();
	on_each_cpu(read_this_cpu, snap, 1);
	snap->parked = nettoll_park_ended_in();
	cpus_read_unlock();
}

static struct nettoll_snapshot *snapshot_alloc(void)
{
	struct nettoll_snapshot *snap;

	snap = kvzalloc(struct_size(snap, cpu, nr_cpu_ids), GFP_KERNEL);
	if (snap)
		snap->cpus = nr_cpu_ids;
	return snap;
}

/*
 * While hooks are attached one after another, the layers of those that still
 * lack are charged to those around them. Windows of accounting leave that out:
 * @shut is what readers see while no window is open, and @left_out what has
 * been counted outside of windows so far.
 */
static DEFINE_MUTEX(window_lock);
static struct nettoll_snapshot *shut, *left_out;
static bool window_is_shut;

static void subtract(struct nettoll_snapshot *from, const struct nettoll_snapshot *what)
{
	unsigned int cpu, i;

	from->attached_ns -= what->attached_ns;
	from->parked -= what->parked;
	for (cpu = 0; cpu < from->cpus; cpu++) {
		const struct nettoll_snapshot_cpu *w = &what->cpu[cpu];
		struct nettoll_snapshot_cpu *f = &from->cpu[cpu];

		f->cpu.inclusive -= w->cpu.inclusive;
		f->cpu.tx_packets -= w->cpu.tx_packets;
		f->cpu.tx_bytes -= w->cpu.tx_bytes;
		f->cpu.rx_packets -= w->cpu.rx_packets;
		f->cpu.rx_bytes -= w->cpu.rx_bytes;
		for (i = 0; i < ARRAY_SIZE(f->charge); i++) {
			f->charge[i].calls -= w->charge[i].calls;
			f->charge[i].self -= w->charge[i].self;
			f->charge[i].own -= w->charge[i].own;
			f->charge[i].total -= w->charge[i].total;
		}
	}
}

/**
 * nettoll_window_init() - have the memory for windows
 *
 * Return: 0 or -ENOMEM.
 */
int nettoll_window_init(void)
{
	int err = 0;

	mutex_lock(&window_lock);
	shut = shut ?: snapshot_alloc();
	left_out = left_out ?: snapshot_alloc();
	if (!shut || !left_out)
		err = -ENOMEM;
	mutex_unlock(&window_lock);
	return err;
}

/** nettoll_window_exit() - nobody reads any more */
void nettoll_window_exit(void)
{
	kvfree(shut);
	kvfree(left_out);
	shut = NULL;
	left_out = NULL;
}

/** nettoll_window_shut() - what is counted from now on does not count */
void nettoll_window_shut(void)
{
	mutex_lock(&window_lock);
	if (!window_is_shut) {
		read_all(shut);
		subtract(shut, left_out);
		window_is_shut = true;
	}
	mutex_unlock(&window_lock);
}

/** nettoll_window_open() - counters go on from where they were when it was shut */
void nettoll_window_open(void)
{
	mutex_lock(&window_lock);
	if (window_is_shut) {
		read_all(left_out);
		subtract(left_out, shut);
		window_is_shut = false;
	}
	mutex_unlock(&window_lock);
}

/**
 * nettoll_account_snapshot() - read all counters on all CPUs at once
 *
 * Return: to be freed with kvfree(), or NULL when out of memory.
 */
struct nettoll_snapshot *nettoll_account_snapshot(void)
{
	struct nettoll_snapshot *snap = snapshot_alloc();

	if (!snap)
		return NULL;
	mutex_lock(&window_lock);
	if (window_is_shut) {
		memcpy(snap, shut, struct_size(snap, cpu, nr_cpu_ids));
		snap->time_ns = ktime_get_ns();
		snap->cycles = get_cycles();
	} else {
		read_all(snap);
		if (left_out)
			subtract(snap, left_out);
	}
	snap->generation = nettoll_account_generation();
	mutex_unlock(&window_lock);
	return snap;
}
