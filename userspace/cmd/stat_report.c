// SPDX-License-Identifier: GPL-2.0-or-later
/* The bill: what happened between two readings, as a document. */
#include "cmd/stat_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/stat_windows.h"
#include "lib/fmt.h"
#include "lib/stats.h"

#define COLS_MAX	20
#define TEXT		160

/* A row before it is printed. */
struct row {
	const char *hook;
	const char *layer;
	uint32_t id;		/* of the hook or layer */
	int32_t cpu;
	uint32_t direction;
	struct toll toll;
	const struct stat_cpu *count;	/* packets and bytes to divide by */
	int rank;
	bool wait;
};

/* What the rows of one document are computed with. */
struct sheet {
	const struct toll_diff *diff;
	const struct stat_view *view;
	double seconds;
	double charged;		/* cycles that are 100 % */
	double longest;		/* cycles of the longest bar */
};

/* The way that a packet goes down, which is the order of the layers' numbers; and the way up. */
static int path_rank(uint32_t layer, uint32_t direction)
{
	static const int up[MODEL_LAYERS] = {
		[NETTOLL_LAYER_IRQ] = 0, [NETTOLL_LAYER_DRIVER] = 1, [NETTOLL_LAYER_NAPI] = 2,
		[NETTOLL_LAYER_GRO] = 3, [NETTOLL_LAYER_NETIF] = 4, [NETTOLL_LAYER_QDISC] = 5,
		[NETTOLL_LAYER_IP] = 6, [NETTOLL_LAYER_UDP] = 7, [NETTOLL_LAYER_TCP] = 8,
		[NETTOLL_LAYER_CSUM] = 9, [NETTOLL_LAYER_COPY] = 10, [NETTOLL_LAYER_SOCKET] = 11,
		[NETTOLL_LAYER_SYSCALL] = 12, [NETTOLL_LAYER_SKB] = 13, [NETTOLL_LAYER_WAKEUP] = 14,
		[NETTOLL_LAYER_WAIT] = 15,
	};

	return (int)(direction * MODEL_LAYERS) +
	       (direction == NETTOLL_DIRECTION_RX ? up[layer] : (int)layer);
}

static bool empty(const struct toll *t)
{
	return !t->calls && !t->self && !t->own && !t->total;
}

static int compare_rank(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

static int compare_self(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->toll.self != y->toll.self)
		return x->toll.self < y->toll.self ? 1 : -1;
	return compare_rank(a, b);
}

/* A list of rows being made: those that are of waiting, or those that are not. */
struct rows {
	struct row *row;
	size_t n;
	bool wait;
};

static void add_row(struct rows *rows, const struct row *row)
{
	if (empty(&row->toll))
		return;
	rows->row[rows->n] = *row;
	rows->row[rows->n++].wait = rows->wait;
}

static void gather_layers(struct rows *rows, const struct toll_diff *d, uint32_t dir)
{
	uint32_t layer;

	for (layer = 0; layer < MODEL_LAYERS; layer++)
		if (rows->wait == (layer == NETTOLL_LAYER_WAIT))
			add_row(rows, &(struct row) {
				.layer = model_layer(layer), .id = layer, .cpu = -1, .direction = dir,
				.toll = d->layer[layer][dir], .count = &d->count,
				.rank = path_rank(layer, dir) });
}

static void gather_hooks(struct rows *rows, const struct toll_diff *d, uint32_t dir,
			 const struct hook_list *hooks)
{
	const struct hook_info *h;
	size_t i;

	for (i = 0; i < hooks->n; i++) {
		h = &hooks->hook[i];
		if (h->id < d->nhooks && rows->wait == (h->layer == NETTOLL_LAYER_WAIT))
			add_row(rows, &(struct row) {
				.hook = h->name, .layer = model_layer(h->layer), .id = h->id, .cpu = -1,
				.direction = dir, .toll = d->hook[h->id][dir], .count = &d->count,
				.rank = path_rank(h->layer, dir) });
	}
}

static void gather_cpus(struct rows *rows, const struct toll_diff *d, uint32_t dir)
{
	const struct toll_cpu *cpu;

	for (cpu = d->cpu; cpu < d->cpu + d->ncpu; cpu++)
		add_row(rows, &(struct row) {
			.layer = rows->wait ? "wait" : "all", .cpu = cpu->cpu, .direction = dir,
			.toll = rows->wait ? cpu->wait[dir] : cpu->charged[dir],
			.count = &cpu->count, .rank = cpu->cpu * MODEL_DIRECTIONS + (int)dir });
}

static void gather(struct rows *rows, const struct toll_diff *d, const struct hook_list *hooks,
		   enum stat_by by)
{
	uint32_t dir;

	for (dir = 0; dir < MODEL_DIRECTIONS; dir++) {
		if (by == STAT_BY_LAYER)
			gather_layers(rows, d, dir);
		else if (by == STAT_BY_HOOK)
			gather_hooks(rows, d, dir, hooks);
		else
			gather_cpus(rows, d, dir);
	}
	qsort(rows->row, rows->n, sizeof(*rows->row),
	      by == STAT_BY_HOOK ? compare_self : compare_rank);
}

static size_t columns(struct out_col *cols, const struct stat_view *view)
{
	static const char *const first[] = { "layer", "hook", "cpu" };
	const char *const rate = view->totals ? NULL : "", *const total = view->totals ? "" : NULL;
	size_t n = 0;

	/* Programs get null where people see the word "total" in the first column. */
	if (view->by == STAT_BY_HOOK)
		cols[n++] = (struct out_col) { "hook", NULL, OUT_STR, 0 };
	if (view->by == STAT_BY_CPU)
		cols[n++] = (struct out_col) { "cpu", NULL, OUT_UINT, 0 };
	cols[n++] = (struct out_col) { "layer", NULL, OUT_STR, 0 };
	cols[n++] = (struct out_col) { NULL, first[view->by], OUT_STR, 0 };
	if (view->by == STAT_BY_HOOK)
		cols[n++] = (struct out_col) { NULL, "layer", OUT_STR, 0 };
	cols[n++] = (struct out_col) { "direction", "dir", OUT_STR, 0 };
	cols[n++] = (struct out_col) { "calls", total ? "calls" : NULL, OUT_UINT, 0 };
	cols[n++] = (struct out_col) { "cycles", total ? "cycles" : NULL, OUT_INT, 0 };
	cols[n++] = (struct out_col) { "own_cycles", NULL, OUT_UINT, 0 };
	if (view->by == STAT_BY_HOOK)
		cols[n++] = (struct out_col) { "inclusive_cycles", NULL, OUT_UINT, 0 };
	cols[n++] = (struct out_col) { "calls_per_s", rate ? "calls/s" : NULL, OUT_SI, 4 };
	cols[n++] = (struct out_col) { "cycles_per_s", rate ? "cycles/s" : NULL, OUT_SI, 4 };
	cols[n++] = (struct out_col) { "cycles_per_call",
		view->by == STAT_BY_HOOK ? "cyc/call" : NULL, OUT_REAL, 1 };
	cols[n++] = (struct out_col) { "cycles_per_packet", "cyc/packet", OUT_REAL, 1 };
	cols[n++] = (struct out_col) { "cycles_per_byte", "cyc/byte", OUT_REAL, 3 };
	cols[n++] = (struct out_col) { "percent", "%", OUT_REAL, 1 };
	cols[n++] = (struct out_col) { "cycles_half", NULL, OUT_REAL, 0 };
	cols[n++] = (struct out_col) { NULL, view->nparts > 1 ? "+- %" : NULL, OUT_REAL, 1 };
	cols[n++] = (struct out_col) { NULL, "", OUT_BAR, 0 };
	return n;
}

static enum term_style direction_style(uint32_t direction)
{
	return direction == NETTOLL_DIRECTION_TX ? STYLE_TX :
	       direction == NETTOLL_DIRECTION_RX ? STYLE_RX : STYLE_NONE;
}

/* The cells that say what a row is of, for programs and for people. */
static void print_names(struct out_table *t, enum stat_by by, const struct row *row)
{
	char cpu[16];

	switch (by) {
	case STAT_BY_HOOK:
		cell_str(t, row->hook);
		cell_str(t, row->layer);
		cell_str(t, row->hook ? row->hook : row->layer);
		cell_str(t, row->hook ? row->layer : "");
		break;
	case STAT_BY_CPU:
		if (row->cpu >= 0)
			cell_uint(t, (uint64_t)row->cpu);
		else
			cell_none(t);
		cell_str(t, row->layer);
		snprintf(cpu, sizeof(cpu), "%" PRId32 "%s", row->cpu,
			 row->wait ? " wait" : "");
		cell_str(t, row->cpu >= 0 ? cpu : row->layer);
		break;
	default:
		cell_str(t, row->layer);
		cell_str(t, row->layer);
	}
}

static const struct toll *toll_of_cpu(const struct toll_diff *d, const struct row *row)
{
	static const struct toll none;
	size_t i;

	for (i = 0; i < d->ncpu; i++)
		if (d->cpu[i].cpu == row->cpu)
			return row->wait ? &d->cpu[i].wait[row->direction] :
					   &d->cpu[i].charged[row->direction];
	return &none;
}

/* What a row shows, in a part of the time. */
static const struct toll *toll_in(const struct toll_diff *d, const struct sheet *s,
				  const struct row *row, bool total)
{
	if (total)
		return row->count ? &d->charged[row->direction] : &d->all;
	if (s->view->by == STAT_BY_CPU)
		return toll_of_cpu(d, row);
	return s->view->by == STAT_BY_HOOK ? &d->hook[row->id][row->direction] :
					     &d->layer[row->id][row->direction];
}

/* Half the width of the confidence interval of a row's scaled cycles; NaN when nothing is scaled. */
static double half_width(const struct sheet *s, const struct row *row, bool total)
{
	double y[STAT_PARTS_MAX], x[STAT_PARTS_MAX];
	size_t n = s->view->nparts, i;

	if (n > STAT_PARTS_MAX || s->diff->scale == 1)
		return NAN;
	for (i = 0; i < n; i++) {
		y[i] = toll_net(toll_in(&s->view->part[i], s, row, total), s->view->raw);
		x[i] = s->view->part[i].attached_ns;
	}
	return stats_ratio(y, x, n, STAT_CONFIDENCE).half * s->diff->ns;
}

/* @share: whether it takes part in the per cents; @direction: the word, if not the row's own. */
static void print_row(struct out_table *t, const struct sheet *s, const struct row *row, bool share,
		      const char *direction, enum term_style style)
{
	const struct toll_diff *d = s->diff;
	double net = toll_net(&row->toll, s->view->raw);
	double percent = share ? toll_ratio(100 * net, s->charged) : NAN;
	double half = half_width(s, row, style == STYLE_TOTAL);

	out_row(t, style);
	print_names(t, s->view->by, row);
	cell_str(t, direction ? direction : model_direction(row->direction));
	cell_uint(t, (uint64_t)llround(row->toll.calls * d->scale));
	/* Exact as long as nothing is scaled. */
	cell_int(t, d->scale == 1 ? toll_net(&row->toll, s->view->raw) : llround(net * d->scale));
	cell_uint(t, row->toll.own);
	if (s->view->by == STAT_BY_HOOK)
		cell_uint(t, row->toll.total);
	cell_real(t, toll_ratio(row->toll.calls * d->scale, s->seconds));
	cell_real(t, toll_ratio(net * d->scale, s->seconds));
	cell_real(t, toll_ratio(net, row->toll.calls));
	if (row->count) {
		cell_real(t, toll_ratio(net, toll_packets(row->count, row->direction)));
		cell_real(t, toll_ratio(net, toll_bytes(row->count, row->direction)));
	} else {
		cell_none(t);
		cell_none(t);
	}
	cell_real(t, percent);
	cell_real(t, half);
	cell_real(t, 100 * toll_ratio(half, fabs(net * d->scale)));
	cell_real(t, share && style != STYLE_TOTAL ? toll_ratio(net, s->longest) : NAN);
}

static void print_totals(struct out_table *t, const struct sheet *s)
{
	const struct toll_diff *d = s->diff;
	struct row row = { .layer = "total", .cpu = -1, .count = &d->count };

	for (row.direction = 0; row.direction < MODEL_DIRECTIONS; row.direction++) {
		row.toll = d->charged[row.direction];
		if (!empty(&row.toll))
			print_row(t, s, &row, true, NULL, STYLE_TOTAL);
	}
	/* A packet goes one way, so both ways together have no cost of a packet. */
	row.toll = d->all;
	row.count = NULL;
	print_row(t, s, &row, true, "all", STYLE_TOTAL);
}

static void print_table(struct out_doc *doc, const struct toll_diff *d,
			const struct hook_list *hooks, const struct stat_view *view)
{
	static const char *const by[] = { "layer", "hook", "cpu" };
	size_t most = (MODEL_LAYERS + hooks->n + d->ncpu) * MODEL_DIRECTIONS, i;
	struct row *room = calloc(2 * most, sizeof(*room));
	struct rows rows = { room, 0, false }, waits = { room + most, 0, true };
	struct sheet s = { .diff = d, .view = view, .seconds = d->ns / 1e9 };
	struct out_col cols[COLS_MAX];
	struct out_table *t;
	double net;

	out_str(doc, "by", NULL, by[view->by]);
	t = out_table(doc, "rows", cols, columns(cols, view));
	if (!room)
		return;		/* an empty table; that memory is short will come up again */
	gather(&rows, d, hooks, view->by);
	gather(&waits, d, hooks, view->by);
	s.charged = toll_net(&d->all, view->raw);
	for (i = 0; i < rows.n; i++) {
		net = toll_net(&rows.row[i].toll, view->raw);
		s.longest = net > s.longest ? net : s.longest;
	}
	for (i = 0; i < rows.n; i++)
		print_row(t, &s, &rows.row[i], true, NULL, direction_style(rows.row[i].direction));
	out_group(t, "totals", OUT_NO_TSV);
	print_totals(t, &s);
	out_group(t, "wait", 0);
	for (i = 0; i < waits.n; i++)
		print_row(t, &s, &waits.row[i], false, NULL, STYLE_DIM);
	free(room);
}

/* "12345, 1.234M/s" for people: the count where it is asked for, the rate where it makes sense. */
static void count_text(char *buf, size_t size, double count, double seconds, bool totals)
{
	char rate[32];

	fmt_si(rate, sizeof(rate), toll_ratio(count, seconds), 4);
	if (totals)
		snprintf(buf, size, "%.0f (%s/s)", count, rate);
	else
		snprintf(buf, size, "%s/s", rate);
}

static void print_traffic(struct out_doc *doc, const struct toll_diff *d,
			  const struct stat_view *view)
{
	char tx[64], rx[64], text[TEXT];
	double s = d->ns / 1e9;

	out_uint(doc, "tx_packets", NULL, (uint64_t)llround(d->count.tx_packets * d->scale), NULL);
	out_uint(doc, "tx_bytes", NULL, (uint64_t)llround(d->count.tx_bytes * d->scale), NULL);
	out_uint(doc, "rx_packets", NULL, (uint64_t)llround(d->count.rx_packets * d->scale), NULL);
	out_uint(doc, "rx_bytes", NULL, (uint64_t)llround(d->count.rx_bytes * d->scale), NULL);
	count_text(tx, sizeof(tx), d->count.tx_packets * d->scale, s, view->totals);
	count_text(rx, sizeof(rx), d->count.rx_packets * d->scale, s, view->totals);
	snprintf(text, sizeof(text), "tx %s  rx %s", tx, rx);
	out_str(doc, NULL, "packets", text);
	count_text(tx, sizeof(tx), d->count.tx_bytes * d->scale, s, view->totals);
	count_text(rx, sizeof(rx), d->count.rx_bytes * d->scale, s, view->totals);
	snprintf(text, sizeof(text), "tx %s  rx %s", tx, rx);
	out_str(doc, NULL, "bytes", text);
}

static void print_quality(struct out_doc *doc, const struct toll_diff *d,
			  const struct stat_view *view)
{
	uint64_t self = toll_self_sum(d), own = d->all.own + d->wait.own;
	uint64_t spans = d->all.calls + d->wait.calls;
	double per_span = toll_ratio(own, spans), share = 100 * toll_own_share(d);
	char closure[32], a[32], b[32], text[TEXT];

	out_uint(doc, "own_cycles", NULL, own, NULL);
	out_real(doc, "own_cycles_per_span", NULL, per_span, 1, NULL);
	out_real(doc, "own_percent", NULL, share, 2, NULL);
	out_bool(doc, "own_subtracted", NULL, !view->raw);
	fmt_real(a, sizeof(a), per_span, 1);
	fmt_real(b, sizeof(b), share, 2);
	snprintf(text, sizeof(text), "%s cycles a span, %s %% of the CPUs%s", a, b,
		 view->raw ? "; not subtracted" : "");
	out_str(doc, NULL, "own toll", text);

	out_uint(doc, "self_cycles", NULL, self, NULL);
	out_uint(doc, "inclusive_cycles", NULL, d->count.inclusive, NULL);
	out_real(doc, "closure_percent", NULL, self == d->count.inclusive ? 100 :
		 toll_ratio(100.0 * self, d->count.inclusive), 6, NULL);
	fmt_closure(closure, sizeof(closure), self, d->count.inclusive);
	snprintf(text, sizeof(text), "%s %%", closure);
	out_str(doc, NULL, "closure", text);

	out_real(doc, "coverage_percent", NULL, 100 * toll_coverage(d), 2, NULL);
	fmt_real(a, sizeof(a), 100 * toll_coverage(d), 2);
	snprintf(text, sizeof(text), "%s %% of the cycles of %" PRIu32 " CPU%s", a, d->cpus,
		 d->cpus == 1 ? "" : "s");
	out_str(doc, NULL, "coverage", text);
}

static void print_hooks(struct out_doc *doc, const struct toll_diff *d,
			const struct hook_list *hooks, uint64_t missed, const struct stat_view *view)
{
	size_t attached = hook_count(hooks, NETTOLL_HOOK_STATE_ATTACHED);
	size_t absent = hook_count(hooks, NETTOLL_HOOK_STATE_ABSENT);
	size_t failed = hook_count(hooks, NETTOLL_HOOK_STATE_FAILED);
	double share = toll_ratio(d->attached_ns, d->ns);
	char text[TEXT];

	out_uint(doc, "hooks_attached", NULL, attached, NULL);
	out_uint(doc, "hooks_absent", NULL, absent, NULL);
	out_uint(doc, "hooks_failed", NULL, failed, NULL);
	out_uint(doc, "missed", NULL, missed, NULL);
	out_bool(doc, "hooks_changed", NULL, d->changed);
	out_real(doc, "attached_share", NULL, share, 6, NULL);
	out_real(doc, "scale", NULL, d->scale, 6, NULL);
	out_uint(doc, "parts", NULL, d->scale == 1 ? 0 : view->nparts, NULL);
	snprintf(text, sizeof(text),
		 "%zu attached, %zu absent, %zu failed; %" PRIu64 " calls missed", attached, absent,
		 failed, missed);
	out_str(doc, NULL, "hooks", text);
	if (d->scale != 1) {
		snprintf(text, sizeof(text),
			 "hooks were attached %.3g %% of the time; counts are times %.4g%s",
			 100 * share, d->scale, view->nparts > 1 ?
			 "; +-: 95 % confidence, by how the windows differ" : "");
		out_str(doc, NULL, "scaled", text);
	}
	if (!d->attached_ns && attached)
		out_text(doc, STYLE_WARN,
			 "no window with hooks attached fell into this time; measure longer, or attach "
			 "fewer hooks in windows");
	else if (!d->attached_ns)
		out_text(doc, STYLE_WARN, "no hook was attached (nettoll attach)");
	else if (d->changed)
		out_text(doc, STYLE_WARN, "hooks or settings changed meanwhile");
}

void stat_report(struct out_doc *doc, const struct toll_diff *d, const struct hook_list *hooks,
		 uint64_t missed, const struct stat_view *view)
{
	char text[32];

	snprintf(text, sizeof(text), "%.6f s", d->ns / 1e9);
	out_real(doc, "seconds", NULL, d->ns / 1e9, 9, NULL);
	out_uint(doc, "elapsed_cycles", NULL, d->cycles, NULL);
	out_uint(doc, "cpus", NULL, d->cpus, NULL);
	print_table(doc, d, hooks, view);
	out_text(doc, STYLE_NONE, "%s", "");
	print_traffic(doc, d, view);
	print_quality(doc, d, view);
	print_hooks(doc, d, hooks, missed, view);
	out_str(doc, NULL, "elapsed", text);
}
