// SPDX-License-Identifier: GPL-2.0-or-later
/* The arithmetic on two readings of the module's counters; nothing here talks to the kernel. */
#include "lib/model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"

/*
 * Counters are free-running and wrap; a difference of more than half their range is none, but a
 * counter that began anew.
 */
#define BACKWARDS	(1ull << 63)

/* Attached for less of the time than this, figures are scaled up; above, it is just the clock. */
#define ATTACHED_THROUGHOUT	0.999

void hook_list_free(struct hook_list *list)
{
	free(list->hook);
	*list = (struct hook_list) { 0, NULL };
}

const struct hook_info *hook_by_id(const struct hook_list *list, uint32_t id)
{
	size_t i;

	/* Mostly in order and without gaps. */
	if (id < list->n && list->hook[id].id == id)
		return &list->hook[id];
	for (i = 0; i < list->n; i++)
		if (list->hook[i].id == id)
			return &list->hook[i];
	return NULL;
}

size_t hook_count(const struct hook_list *list, uint32_t state)
{
	size_t i, n = 0;

	for (i = 0; i < list->n; i++)
		n += list->hook[i].state == state;
	return n;
}

uint64_t hook_missed(const struct hook_list *list)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < list->n; i++)
		n += list->hook[i].missed;
	return n;
}

void stat_reading_free(struct stat_reading *reading)
{
	free(reading->cpu);
	free(reading->charge);
	*reading = (struct stat_reading) { 0 };
}

static const struct stat_charge *find_charge(const struct stat_reading *r,
					     const struct stat_charge *like, size_t hint)
{
	const struct stat_charge *c;
	size_t i;

	/* Both readings list in the same order, the later one perhaps more. */
	for (i = 0; i < r->ncharges; i++) {
		c = &r->charge[(hint + r->ncharges - i) % r->ncharges];
		if (c->hook == like->hook && c->direction == like->direction && c->cpu == like->cpu)
			return c;
	}
	return NULL;
}

static const struct stat_cpu *find_cpu(const struct stat_reading *r, int32_t cpu)
{
	size_t i;

	for (i = 0; i < r->ncpus; i++)
		if (r->cpu[i].cpu == cpu)
			return &r->cpu[i];
	return NULL;
}

/* @to - @from, and notes in @back when it went backwards. */
static uint64_t since(uint64_t to, uint64_t from, bool *back)
{
	if (to - from >= BACKWARDS)
		*back = true;
	return to - from;
}

static void add_toll(struct toll *sum, const struct toll *t)
{
	sum->calls += t->calls;
	sum->self += t->self;
	sum->own += t->own;
	sum->total += t->total;
}

static struct toll_cpu *cpu_of(struct toll_diff *d, int32_t cpu)
{
	size_t i;

	for (i = 0; i < d->ncpu; i++)
		if (d->cpu[i].cpu == cpu)
			return &d->cpu[i];
	return NULL;
}

static int by_number(const void *a, const void *b)
{
	int32_t x = ((const struct toll_cpu *)a)->cpu, y = ((const struct toll_cpu *)b)->cpu;

	return (x > y) - (x < y);
}

static int subtract_cpus(struct toll_diff *d, const struct stat_reading *from,
			 const struct stat_reading *to, bool *back)
{
	static const struct stat_cpu zero;
	const struct stat_cpu *a, *b;
	struct stat_cpu n;
	size_t i;

	d->cpu = calloc(to->ncpus + 1, sizeof(*d->cpu));
	if (!d->cpu)
		return -ENOMEM;
	for (i = 0; i < to->ncpus; i++) {
		b = &to->cpu[i];
		a = find_cpu(from, b->cpu);
		if (!a)
			a = &zero;
		n.cpu = b->cpu;
		n.cpus = b->cpus;
		n.inclusive = since(b->inclusive, a->inclusive, back);
		n.tx_packets = since(b->tx_packets, a->tx_packets, back);
		n.tx_bytes = since(b->tx_bytes, a->tx_bytes, back);
		n.rx_packets = since(b->rx_packets, a->rx_packets, back);
		n.rx_bytes = since(b->rx_bytes, a->rx_bytes, back);
		d->cpus += n.cpus;
		d->count.inclusive += n.inclusive;
		d->count.tx_packets += n.tx_packets;
		d->count.tx_bytes += n.tx_bytes;
		d->count.rx_packets += n.rx_packets;
		d->count.rx_bytes += n.rx_bytes;
		if (b->cpu >= 0)
			d->cpu[d->ncpu++] = (struct toll_cpu) { .cpu = b->cpu, .count = n };
	}
	d->count.cpu = -1;
	d->count.cpus = d->cpus;
	qsort(d->cpu, d->ncpu, sizeof(*d->cpu), by_number);
	return 0;
}

static int subtract_charges(struct toll_diff *d, const struct stat_reading *from,
			    const struct stat_reading *to, const struct hook_list *hooks,
			    bool *back)
{
	static const struct stat_charge zero;
	const struct stat_charge *a, *b;
	const struct hook_info *hook;
	struct toll_cpu *cpu;
	struct toll t;
	size_t i;

	for (i = 0; i < hooks->n; i++)
		if (hooks->hook[i].id >= d->nhooks)
			d->nhooks = hooks->hook[i].id + (size_t)1;
	d->hook = calloc(d->nhooks + 1, sizeof(*d->hook));
	if (!d->hook)
		return -ENOMEM;
	for (i = 0; i < to->ncharges; i++) {
		b = &to->charge[i];
		hook = hook_by_id(hooks, b->hook);
		if (!hook || hook->layer >= MODEL_LAYERS || b->direction >= MODEL_DIRECTIONS)
			return -ESTALE;
		a = find_charge(from, b, i);
		if (!a)
			a = &zero;
		t.calls = since(b->calls, a->calls, back);
		t.self = since(b->self, a->self, back);
		t.own = since(b->own, a->own, back);
		t.total = since(b->total, a->total, back);
		add_toll(&d->hook[b->hook][b->direction], &t);
		add_toll(&d->layer[hook->layer][b->direction], &t);
		cpu = b->cpu >= 0 ? cpu_of(d, b->cpu) : NULL;
		if (hook->layer == NETTOLL_LAYER_WAIT) {
			add_toll(&d->wait, &t);
			if (cpu)
				add_toll(&cpu->wait[b->direction], &t);
		} else {
			add_toll(&d->charged[b->direction], &t);
			add_toll(&d->all, &t);
			if (cpu)
				add_toll(&cpu->charged[b->direction], &t);
		}
	}
	return 0;
}

int toll_diff_make(struct toll_diff *d, const struct stat_reading *from,
		   const struct stat_reading *to, const struct hook_list *hooks)
{
	bool back = false, clock_back = false;
	int ret;

	*d = (struct toll_diff) { .scale = 1 };
	d->ns = since(to->time_ns, from->time_ns, &clock_back);
	d->cycles = since(to->cycles, from->cycles, &clock_back);
	if (clock_back)
		return err_set(-EINVAL, NULL, "the later reading is the older one");
	d->attached_ns = since(to->attached_ns, from->attached_ns, &back);
	d->changed = to->generation != from->generation;
	ret = subtract_cpus(d, from, to, &back);
	if (!ret)
		ret = subtract_charges(d, from, to, hooks, &back);
	if (!ret && back)
		ret = -ESTALE;
	if (ret) {
		toll_diff_free(d);
		if (ret == -ESTALE)
			return err_set(ret, "start again", "the module was loaded anew meanwhile");
		return err_set(ret, NULL, "out of memory");
	}
	if (d->attached_ns && d->attached_ns < ATTACHED_THROUGHOUT * d->ns)
		d->scale = (double)d->ns / d->attached_ns;
	return 0;
}

void toll_diff_free(struct toll_diff *d)
{
	free(d->hook);
	free(d->cpu);
	*d = (struct toll_diff) { .scale = 1 };
}

uint64_t toll_packets(const struct stat_cpu *count, uint32_t direction)
{
	return (direction != NETTOLL_DIRECTION_RX ? count->tx_packets : 0) +
	       (direction != NETTOLL_DIRECTION_TX ? count->rx_packets : 0);
}

uint64_t toll_bytes(const struct stat_cpu *count, uint32_t direction)
{
	return (direction != NETTOLL_DIRECTION_RX ? count->tx_bytes : 0) +
	       (direction != NETTOLL_DIRECTION_TX ? count->rx_bytes : 0);
}

double toll_ratio(double part, double whole)
{
	return whole != 0 ? part / whole : NAN;
}

double toll_layer_per_packet(const struct toll_diff *d, uint32_t layer, uint32_t direction,
			     bool raw)
{
	return toll_ratio(toll_net(&d->layer[layer][direction], raw),
			  toll_packets(&d->count, direction));
}

double toll_layer_per_byte(const struct toll_diff *d, uint32_t layer, uint32_t direction,
			   bool raw)
{
	return toll_ratio(toll_net(&d->layer[layer][direction], raw),
			  toll_bytes(&d->count, direction));
}

double toll_coverage(const struct toll_diff *d)
{
	/* Signed: a span that ends in the interval brings along the wait of earlier ones. */
	double inside = (double)(int64_t)(d->count.inclusive - d->wait.self);

	return toll_ratio(inside * d->scale, (double)d->cycles * d->cpus);
}

double toll_own_share(const struct toll_diff *d)
{
	/* Not scaled: while no hook is attached, there is no cost. */
	return toll_ratio((double)d->all.own + d->wait.own, (double)d->cycles * d->cpus);
}

uint64_t toll_self_sum(const struct toll_diff *d)
{
	return d->all.self + d->wait.self;
}

/* The table of the layers is the module's own; its sentences are not needed here. */
const char *const model_layer_names[MODEL_LAYERS] = {
#define NETTOLL_LAYER(id, word, doc)	[NETTOLL_LAYER_##id] = word,
#include "../../kmod/layers.def"
#undef NETTOLL_LAYER
};

const char *const model_backend_names[] = { "auto", "direct", "kretprobe", "fprobe", "tracepoint" };

#define WORD(words, number)	\
	((number) < sizeof(words) / sizeof(*(words)) ? (words)[number] : "?")

const char *model_layer(uint32_t layer)
{
	return WORD(model_layer_names, layer);
}

const char *model_direction(uint32_t direction)
{
	static const char *const words[] = { "tx", "rx", "both" };

	return WORD(words, direction);
}

const char *model_backend(uint32_t backend)
{
	return WORD(model_backend_names, backend);
}

const char *model_hook_state(uint32_t state)
{
	static const char *const words[] = { "absent", "detached", "attached", "failed" };

	return WORD(words, state);
}

const char *model_state(uint32_t state)
{
	static const char *const words[] = { "idle", "attached", "draining" };

	return WORD(words, state);
}

const char *model_event(uint32_t event)
{
	static const char *const words[] = { "attach", "detach", "setting", "rule", "coalesce" };

	return WORD(words, event);
}
