// SPDX-License-Identifier: GPL-2.0-or-later
/* A climbed ladder as lines and tables for people, and as TSV. */
#include "ladder/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "ladder/effect.h"
#include "lib/err.h"
#include "lib/fmt.h"
#include "lib/out.h"

#define CHANGES_SHOWN	3
#define CHANGE_MIN	0.01	/* cycles a byte */
#define LAYER_MIN	0.005	/* a layer that never charges more is left out of the table */

static double share(const struct climb *c, double bps)
{
	return 100 * bps / (double)c->plan->line_bps;
}

static const struct plan_rung *rung_of(const struct climb *c, size_t step)
{
	return &c->plan->rung[c->step[step]];
}

static const struct cell *step_cell(const struct climb *c, size_t step)
{
	return climb_above(c, step);
}

/* What is lost by measuring: throughput with the account attached, below that without, per cent. */
static double cost_of_measuring(const struct cell *cell)
{
	double rate = cell_rate(cell).mean;

	return cell->bill.valid ? 100 * (1 - toll_ratio(cell->bill.sample.rate_bps, rate)) : NAN;
}

/* One layer's change, if it is among the largest or aimed at. */
static size_t put_change(const struct layer_change *ch, size_t rank, uint32_t targets, char *buf,
			 size_t size, size_t len, const char *gap)
{
	bool aimed = targets & 1u << ch->layer;

	if (fabs(ch->per_byte) < CHANGE_MIN || (rank >= CHANGES_SHOWN && !aimed) || len >= size)
		return len;
	return len + (size_t)snprintf(buf + len, size - len, "%s%s%s %+.2f", len ? gap : "",
				      model_layer(ch->layer), aimed ? "*" : "", ch->per_byte);
}

void report_changes(const struct effect *e, uint32_t targets, char *buf, size_t size)
{
	size_t i, len = 0, fell;

	buf[0] = '\0';
	for (i = 0; i < e->nchanges && e->change[i].per_byte < 0; i++)
		len = put_change(&e->change[i], i, targets, buf, size, len, ", ");
	fell = len;
	for (i = e->nchanges; i-- > 0 && e->change[i].per_byte > 0;)
		len = put_change(&e->change[i], e->nchanges - 1 - i, targets, buf, size, len,
				 len == fell ? "; " : ", ");
}

int report_head(const struct climb *c)
{
	const char *local = c->plan->place[PLAN_LOCAL].dev, *remote = c->plan->place[PLAN_REMOTE].dev;
	struct out_doc *doc = out_begin("ladder", 0);
	struct utsname host;
	char line[32];

	fmt_rate(line, sizeof(line), c->plan->line_bps);
	if (uname(&host))
		strcpy(host.release, "?");
	out_text(doc, STYLE_HEAD, "%s: %s%s%s -> %s%s%s, line %s, kernel %s", c->plan->name,
		 c->plan->peer[PLAN_LOCAL], local[0] ? " " : "", local, c->plan->peer[PLAN_REMOTE],
		 remote[0] ? " " : "", remote, line, host.release);
	if (c->plan->doc[0])
		out_text(doc, STYLE_DIM, "%s", c->plan->doc);
	out_text(doc, STYLE_NONE, "%s", "");
	if (c->factorial)
		return out_end(doc);
	out_text(doc, STYLE_HEAD, "%-16s %7s %7s %9s %6s %7s %6s %8s  %s", "rung", "Gbit/s", "line %", "gain %",
		 "lost", "kmsg/s", "CPU %", "cycles/B", "layers that changed, cycles a byte (*: aimed at)");
	return out_end(doc);
}

static void format_gain(const struct climb *c, size_t step, char *buf, size_t size)
{
	const struct cell *below, *cell = step_cell(c, step);
	struct effect e;

	if (!step) {
		snprintf(buf, size, "-");
		return;
	}
	below = climb_base(c, step);
	e = effect_of(below, cell, c->least);
	/* '~': within the noise. */
	snprintf(buf, size, "%s%+.1f", e.known && !e.significant ? "~" : "",
		 100 * e.rate.mean / cell_rate(below).mean);
}

static const char *why_reverted(const struct climb *c, const struct effect *e, char *buf, size_t size)
{
	if (e->verdict == EFFECT_LOSS)
		snprintf(buf, size, "a loss");
	else if (e->verdict == EFFECT_NONE)
		snprintf(buf, size, "no gain of %g %% or more", 100 * c->least);
	else
		snprintf(buf, size, "no gain that is certain after %" PRIu32 " repeats", c->repeats);
	return buf;
}

int report_step(const struct climb *c, size_t step)
{
	const struct cell *cell = step_cell(c, step);
	const struct plan_rung *rung = rung_of(c, step);
	struct out_doc *doc = out_begin("ladder", 0);
	char gain[32], changes[256] = "", cpu[16], cycles[16], reason[128];
	double rate = cell_rate(cell).mean;
	struct effect e = { .verdict = EFFECT_UNCLEAR };

	if (step) {
		e = effect_of(climb_base(c, step), cell, c->least);
		report_changes(&e, rung->targets, changes, sizeof(changes));
	}
	format_gain(c, step, gain, sizeof(gain));
	fmt_real(cpu, sizeof(cpu), 100 * bill_cpus(&cell->bill), 0);
	fmt_real(cycles, sizeof(cycles), bill_total_per_byte(&cell->bill), 2);
	out_text(doc, STYLE_NONE, "%-16s %7.3f %7.1f %9s %6" PRIu64 " %7.1f %6s %8s  %s", rung->name, rate / 1e9,
		 share(c, rate), gain, cell_lost(cell), CELL_MEAN(cell, message_rate) / 1e3, cpu, cycles,
		 changes);
	if (c->reverted & 1u << c->step[step])
		out_text(doc, STYLE_DIM, "%16s reverted: %s", "", why_reverted(c, &e, reason, sizeof(reason)));
	return out_end(doc);
}

/* ---- after the last step ---- */

/* Layers as rows, steps as columns. */
static void add_layers(const struct climb *c, struct out_doc *doc)
{
	struct out_col cols[PLAN_RUNGS_MAX + 1] = { { NULL, "cycles a byte", OUT_STR, 0 } };
	const struct cell *cell;
	struct out_table *t;
	char closure[32];
	uint32_t layer;
	double most;
	size_t i;

	for (i = 0; i < c->nsteps; i++)
		cols[i + 1] = (struct out_col) { NULL, rung_of(c, i)->name, OUT_REAL, 2 };
	t = out_table(doc, "layers", cols, c->nsteps + 1);
	for (layer = 0; layer < MODEL_LAYERS; layer++) {
		for (i = 0, most = 0; i < c->nsteps; i++)
			most = fmax(most, fabs(bill_per_byte(&step_cell(c, i)->bill, layer)));
		if (layer == NETTOLL_LAYER_WAIT || most < LAYER_MIN)
			continue;
		out_row(t, STYLE_NONE);
		cell_str(t, model_layer(layer));
		for (i = 0; i < c->nsteps; i++)
			cell_real(t, bill_per_byte(&step_cell(c, i)->bill, layer));
	}
	out_row(t, STYLE_TOTAL);
	cell_str(t, "all layers");
	for (i = 0; i < c->nsteps; i++)
		cell_real(t, bill_total_per_byte(&step_cell(c, i)->bill));
	out_row(t, STYLE_DIM);
	cell_str(t, "closure %");
	for (i = 0; i < c->nsteps; i++) {
		cell = step_cell(c, i);
		fmt_closure(closure, sizeof(closure), cell->bill.self, cell->bill.inclusive);
		cell_str(t, closure);
	}
	out_row(t, STYLE_DIM);
	cell_str(t, "measuring costs %");
	for (i = 0; i < c->nsteps; i++)
		cell_real(t, cost_of_measuring(step_cell(c, i)));
}

static void add_interaction(const struct climb *c, struct out_doc *doc, uint32_t a, uint32_t b)
{
	uint32_t below = climb_below(c, a < b ? a : b);
	const struct cell *cell[4] = {
		climb_cell(c, below), climb_cell(c, below | 1u << a), climb_cell(c, below | 1u << b),
		climb_cell(c, below | 1u << a | 1u << b),
	};
	struct interaction i;
	char half[32] = "";

	if (!cell[0] || !cell[1] || !cell[2] || !cell[3])
		return;
	i = interaction_of(cell[0], cell[1], cell[2], cell[3]);
	if (!isnan(i.half))
		snprintf(half, sizeof(half), " +-%.3f", i.half / 1e9);
	out_text(doc, STYLE_NONE, "interaction of %s and %s: alone %+.3f and %+.3f, together %+.3f Gbit/s; "
		 "I = %+.3f%s: %s", c->plan->rung[a].name, c->plan->rung[b].name, i.a / 1e9, i.b / 1e9,
		 i.both / 1e9, i.value / 1e9, half,
		 !isnan(i.half) && fabs(i.value) <= i.half ? "independent, as far as can be told" :
		 i.value > 0 ? "each needs the other" : "each does a part of the other's work");
}

/* What each retained rung is worth among all the others. */
static void add_left_out(const struct climb *c, struct out_doc *doc)
{
	struct effect e;
	size_t i;

	for (i = 1; i < c->nsteps; i++) {
		if (!c->out[i].above)
			continue;
		e = effect_of(c->out[i].below, c->out[i].above, c->least);
		out_text(doc, STYLE_NONE, "without %s: %.1f %% of the line; it is worth %+.3f Gbit/s +-%.3f here%s",
			 rung_of(c, i)->name, share(c, cell_rate(c->out[i].below).mean), e.rate.mean / 1e9,
			 e.rate.half / 1e9,
			 e.verdict == EFFECT_GAIN ? "" :
			 e.verdict == EFFECT_LOSS ? ": the others are better off without it" :
			 e.verdict == EFFECT_NONE ? ": nothing any more" : ": not certain any more");
	}
}

static size_t count_reverted(const struct climb *c)
{
	return (size_t)__builtin_popcount(c->reverted);
}

int report_foot(const struct climb *c)
{
	const struct cell *first = step_cell(c, 0), *last = climb_last(c);
	struct out_doc *doc;
	size_t i;
	int ret = 0;

	doc = out_begin("ladder", 0);
	out_text(doc, STYLE_NONE, "%s", "");
	if (first->bill.valid) {
		add_layers(c, doc);
		out_text(doc, STYLE_NONE, "%s", "");
	}
	if (!isnan(last->bound))
		out_text(doc, STYLE_NONE, "bound by headers at the last rung: %.1f %% of the line",
			 100 * last->bound);
	add_left_out(c, doc);
	if (c->reverted)
		out_text(doc, STYLE_NONE, "%zu of %zu rungs retained", c->nsteps - 1 - count_reverted(c),
			 c->nsteps - 1);
	for (i = 0; i < c->plan->npairs; i++)
		add_interaction(c, doc, c->plan->pair[i].a, c->plan->pair[i].b);
	out_text(doc, STYLE_TOTAL, "ladder: stock=%.1f last=%.1f rungs=%zu", share(c, cell_rate(first).mean),
		 share(c, cell_rate(last).mean), c->nsteps);
	ret = out_end(doc);
	return ret;
}

int report_tsv(const struct climb *c)
{
	static const struct out_col cols[] = {
		{ "rung", "rung", OUT_STR, 0 }, { "bps", "bit/s", OUT_REAL, 0 },
		{ "share", "line", OUT_REAL, 4 }, { "bound", "bound", OUT_REAL, 4 },
		{ "gain", "gain", OUT_REAL, 4 }, { "gain_half", "+-", OUT_REAL, 4 },
		{ "lost", "lost", OUT_UINT, 0 }, { "messages_per_second", "msg/s", OUT_REAL, 0 },
		{ "cpu", "CPU", OUT_REAL, 3 }, { "cycles_per_byte", "cycles/B", OUT_REAL, 3 },
		{ "measuring_cost", "cost", OUT_REAL, 4 },
		{ "verdict", "verdict", OUT_STR, 0 }, { "retained", "retained", OUT_STR, 0 },
	};
	struct out_doc *doc = out_begin("ladder", 0);
	struct out_table *t = out_table(doc, "rungs", cols, sizeof(cols) / sizeof(*cols));
	const struct cell *cell;
	struct effect e;
	double rate, base;
	size_t i;

	for (i = 0; i < c->nsteps && step_cell(c, i); i++) {
		e = (struct effect) { .verdict = EFFECT_UNCLEAR };
		cell = step_cell(c, i);
		rate = cell_rate(cell).mean;
		out_row(t, STYLE_NONE);
		cell_str(t, rung_of(c, i)->name);
		cell_real(t, rate);
		cell_real(t, rate / (double)c->plan->line_bps);
		cell_real(t, cell->bound);
		if (i) {
			e = effect_of(climb_base(c, i), cell, c->least);
			base = cell_rate(climb_base(c, i)).mean;
			cell_real(t, e.rate.mean / base);
			cell_real(t, e.rate.half / base);
		} else {
			cell_none(t);
			cell_none(t);
		}
		cell_uint(t, cell_lost(cell));
		cell_real(t, CELL_MEAN(cell, message_rate));
		cell_real(t, bill_cpus(&cell->bill));
		cell_real(t, bill_total_per_byte(&cell->bill));
		cell_real(t, cost_of_measuring(cell) / 100);
		if (i)
			cell_str(t, effect_verdict_names[e.verdict]);
		else
			cell_none(t);
		cell_str(t, c->reverted & 1u << c->step[i] ? "no" : "yes");
	}
	return out_end(doc);
}

int report_dry(const struct rig *rig, const uint32_t *step, size_t nsteps)
{
	static const struct out_col cols[] = {
		{ "rung", "rung", OUT_STR, 0 }, { "end", "end", OUT_STR, 0 },
		{ "where", "where", OUT_STR, 0 }, { "knob", "knob", OUT_STR, 0 },
		{ "from", "from", OUT_STR, 0 }, { "to", "to", OUT_STR, 0 },
	};
	struct out_doc *doc = out_begin("ladder", 0);
	struct out_table *t = out_table(doc, "changes", cols, sizeof(cols) / sizeof(*cols));
	const struct rig_knob *k;
	const char *from, *to;
	uint32_t below = 0, mask;
	size_t i, n;

	for (i = 0; i < nsteps; i++, below = mask) {
		mask = below | 1u << step[i];
		for (n = 0; n < rig->n; n++) {
			k = &rig->knob[n];
			from = i ? rig_value(rig, k, below) : k->found;
			to = rig_value(rig, k, mask);
			if (!strcmp(from, to))
				continue;
			out_row(t, STYLE_NONE);
			cell_str(t, rig->plan->rung[step[i]].name);
			cell_str(t, plan_end_names[k->end]);
			cell_str(t, knob_where(&rig->plan->place[k->end]));
			cell_str(t, k->knob.name);
			cell_str(t, from);
			cell_str(t, to);
		}
	}
	return out_end(doc);
}
