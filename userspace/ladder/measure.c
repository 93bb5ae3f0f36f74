// SPDX-License-Identifier: GPL-2.0-or-later
/* One measurement: a run of the traffic, what it achieved, and with the account attached, what it cost. */
#include "ladder/measure.h"

#include <errno.h>
#include <math.h>

#include "lib/err.h"

/* ---- a run ---- */

static double cpus(const struct traffic_cpu *cpu, uint64_t elapsed_ns)
{
	return elapsed_ns ? (double)cpu->thread_ns / (double)elapsed_ns : NAN;
}

static void fill_sample(const struct traffic_spec *spec, const struct traffic_result *r,
			struct sample *s)
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
		.zerocopy = NAN,
	};
	if (spec->mode & TRAFFIC_ZEROCOPY)
		s->zerocopy = toll_ratio((double)r->tx.zc_bytes, (double)r->tx.bytes);
}

int measure_sample(const struct traffic_spec *spec, struct sample *sample)
{
	struct traffic_result result;
	int ret;

	ret = traffic_run(spec, &result);
	if (!ret)
		fill_sample(spec, &result, sample);
	return ret;
}

/* ---- a run and its bill ---- */

struct bill_watch {
	struct module *module;
	struct stat_reading from, to;
	int ret;
};

static int bill_before(void *ctx)
{
	struct bill_watch *w = ctx;

	w->ret = module_stat(w->module, false, &w->from);
	return w->ret;
}

static void bill_after(void *ctx)
{
	struct bill_watch *w = ctx;

	if (!w->ret)
		w->ret = module_stat(w->module, false, &w->to);
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
	bill->cpus = d->cpus;
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
		fill_sample(spec, &result, &bill->sample);
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

double bill_cpus(const struct bill *bill)
{
	return bill->valid ? toll_ratio(bill->total * bill->cpus, bill->cycles) : NAN;
}

double bill_total_per_byte(const struct bill *bill)
{
	return bill->valid ? toll_ratio(bill->total, (double)bill->sample.bytes) : NAN;
}
