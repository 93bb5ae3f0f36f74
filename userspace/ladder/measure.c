// SPDX-License-Identifier: GPL-2.0-or-later
/* One measurement: a run of the traffic, what it achieved, and with the account attached, what it cost. */
#include "ladder/measure.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/err.h"
#include "lib/stop.h"

/* ---- how busy the host is ---- */

/*
 * Nanoseconds that all CPUs were idle, interrupts not counted as idle, since the boot. /proc/stat
 * has the same in hundredths of a second, too coarse for runs as short as ours; returns false where
 * only root may look or the kernel has a periodic tick.
 */
static bool read_idle(double *ns)
{
	unsigned long long one;
	char line[256];
	FILE *f = fopen("/proc/timer_list", "re");
	bool found = false;

	*ns = 0;
	if (!f)
		return false;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, " .idle_sleeptime : %llu", &one) == 1) {
			*ns += (double)one;
			found = true;
		}
	}
	fclose(f);
	return found;
}

struct idle_watch {
	bool known;
	double idle[2];
	uint64_t at[2];
};

static void watch_idle(struct idle_watch *w, int i)
{
	/* The clock last: reading the list takes a while, and the CPU is busy with it. */
	w->known = (i == 0 || w->known) && read_idle(&w->idle[i]);
	w->at[i] = stop_now_ns();
}

static double busy_cpus(const struct idle_watch *w)
{
	double ns = (double)(w->at[1] - w->at[0]), idle = w->idle[1] - w->idle[0];
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	/* Without idle time ever, the tick is periodic and nothing is counted. */
	if (!w->known || ns <= 0 || w->idle[1] <= 0)
		return NAN;
	return fmax(0, (double)cpus - idle / ns);
}

/* ---- a run ---- */

static double cpus(const struct traffic_cpu *cpu, uint64_t elapsed_ns)
{
	return elapsed_ns ? (double)cpu->thread_ns / (double)elapsed_ns : NAN;
}

static void fill_sample(const struct traffic_spec *spec, const struct traffic_result *r,
			const struct idle_watch *watch, struct sample *s)
{
	*s = (struct sample) {
		.rate_bps = traffic_rate(r),
		.message_rate = traffic_message_rate(r),
		.sent = r->tx.messages,
		.lost = r->rx.lost,
		.corrupted = r->rx.corrupted,
		.bytes = r->rx.bytes,
		.elapsed_ns = r->rx.elapsed_ns,
		.cpu_tx = cpus(&r->tx.cpu, r->tx.elapsed_ns),
		.cpu_rx = cpus(&r->rx.cpu, r->rx.elapsed_ns),
		.busy = busy_cpus(watch),
		.zerocopy = NAN,
	};
	if (spec->mode & TRAFFIC_ZEROCOPY)
		s->zerocopy = toll_ratio((double)r->tx.zc_bytes, (double)r->tx.bytes);
}

static int run_before(void *ctx)
{
	watch_idle(ctx, 0);
	return 0;
}

static void run_after(void *ctx)
{
	watch_idle(ctx, 1);
}

int measure_sample(const struct traffic_spec *spec, struct sample *sample)
{
	struct traffic_spec mine = *spec;
	struct idle_watch watch = { 0 };
	struct traffic_result result;
	int ret;

	mine.before = run_before;
	mine.after = run_after;
	mine.ctx = &watch;
	ret = traffic_run(&mine, &result);
	if (!ret)
		fill_sample(spec, &result, &watch, sample);
	return ret;
}

/* ---- a run and its bill ---- */

struct bill_watch {
	struct idle_watch idle;
	struct module *module;
	struct stat_reading from, to;
	int ret;
};

static int bill_before(void *ctx)
{
	struct bill_watch *w = ctx;

	watch_idle(&w->idle, 0);
	w->ret = module_stat(w->module, false, &w->from);
	return w->ret;
}

static void bill_after(void *ctx)
{
	struct bill_watch *w = ctx;

	if (!w->ret)
		w->ret = module_stat(w->module, false, &w->to);
	watch_idle(&w->idle, 1);
}

static void fill_bill(struct bill *bill, const struct toll_diff *d)
{
	uint32_t layer, dir;

	for (layer = 0; layer < MODEL_LAYERS; layer++) {
		for (dir = 0; dir < MODEL_DIRECTIONS; dir++) {
			bill->layer[layer].cycles[dir] = (double)toll_net(&d->layer[layer][dir], false);
			bill->layer[layer].calls[dir] = d->layer[layer][dir].calls;
			if (layer != NETTOLL_LAYER_WAIT)
				bill->total += bill->layer[layer].cycles[dir];
		}
	}
	for (dir = 0; dir < 2; dir++) {
		bill->packets[dir] = toll_packets(&d->count, dir);
		bill->wire_bytes[dir] = toll_bytes(&d->count, dir);
	}
	bill->cycles = (double)d->cycles * d->cpus;
	bill->own = (double)d->all.own + (double)d->wait.own;
	bill->self = toll_self_sum(d);
	bill->inclusive = d->count.inclusive;
	bill->valid = true;
}

int measure_bill(struct module *module, const struct traffic_spec *spec, struct bill *bill)
{
	struct bill_watch watch = { .module = module };
	struct traffic_spec mine = *spec;
	struct traffic_result result;
	struct hook_list hooks = { 0, NULL };
	struct toll_diff diff;
	int ret;

	*bill = (struct bill) { .valid = false };
	mine.before = bill_before;
	mine.after = bill_after;
	mine.ctx = &watch;
	ret = traffic_run(&mine, &result);
	if (!ret)
		ret = watch.ret;
	if (!ret)
		ret = module_hooks(module, &hooks);
	if (!ret)
		ret = toll_diff_make(&diff, &watch.from, &watch.to, &hooks);
	if (!ret) {
		if (diff.changed)
			pr_warn("the account was changed during a measurement");
		fill_bill(bill, &diff);
		fill_sample(spec, &result, &watch.idle, &bill->sample);
		toll_diff_free(&diff);
	}
	stat_reading_free(&watch.from);
	stat_reading_free(&watch.to);
	hook_list_free(&hooks);
	return ret;
}

double bill_per_byte(const struct bill *bill, uint32_t layer)
{
	const double *c = bill->layer[layer].cycles;

	if (!bill->valid)
		return NAN;
	return toll_ratio(c[0] + c[1] + c[2], (double)bill->sample.bytes);
}

double bill_total_per_byte(const struct bill *bill)
{
	return bill->valid ? toll_ratio(bill->total, (double)bill->sample.bytes) : NAN;
}
