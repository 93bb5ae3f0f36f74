// SPDX-License-Identifier: GPL-2.0-or-later
/* A climbed ladder as a JSON document. */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "ladder/effect.h"
#include "ladder/report.h"
#include "lib/err.h"
#include "lib/json_number.h"
#include "lib/version.h"

static void add(struct json_object *obj, const char *key, struct json_object *value)
{
	json_object_object_add(obj, key, value);
}

static void add_str(struct json_object *obj, const char *key, const char *value)
{
	add(obj, key, json_object_new_string(value));
}

static void add_uint(struct json_object *obj, const char *key, uint64_t value)
{
	add(obj, key, json_object_new_uint64(value));
}

static void add_real(struct json_object *obj, const char *key, double value)
{
	add(obj, key, json_number(value, REPORT_DIGITS));
}

static struct json_object *rung_names(const struct plan *plan, uint32_t mask)
{
	struct json_object *list = json_object_new_array();
	size_t i;

	for (i = 0; i < plan->nrungs; i++)
		if (mask & 1u << i)
			json_object_array_add(list, json_object_new_string(plan->rung[i].name));
	return list;
}

static struct json_object *ends_json(const struct plan *plan)
{
	struct json_object *ends = json_object_new_object(), *one;
	int end;

	for (end = 0; end < PLAN_ENDS; end++) {
		one = json_object_new_object();
		add_str(one, "peer", plan->peer[end]);
		add_str(one, "dev", plan->place[end].dev);
		add(ends, plan_end_names[end], one);
	}
	return ends;
}

/* What a rung sets, as the plan says it, values in their canonical form. */
static struct json_object *settings_json(const struct plan_settings *list)
{
	struct json_object *both = json_object_new_object(), *one[PLAN_ENDS];
	size_t i;
	int end;

	for (end = 0; end < PLAN_ENDS; end++) {
		one[end] = json_object_new_object();
		add(both, plan_end_names[end], one[end]);
	}
	for (i = 0; i < list->n; i++)
		add_str(one[list->setting[i].end], list->setting[i].knob.name, list->setting[i].value);
	return both;
}

static struct json_object *rate_json(const struct cell *cell)
{
	struct json_object *obj = json_object_new_object(), *values = json_object_new_array();
	struct stats_summary s = cell_rate(cell);
	size_t i;

	add_real(obj, "mean", s.mean);
	add_real(obj, "sd", s.sd);
	add_real(obj, "half", s.half);
	for (i = 0; i < cell->n; i++)
		json_object_array_add(values, json_number(cell->sample[i].rate_bps, REPORT_DIGITS));
	add(obj, "values", values);
	return obj;
}

static struct json_object *cpu_json(const struct cell *cell)
{
	struct json_object *obj = json_object_new_object();

	add_real(obj, "sender", CELL_MEAN(cell, cpu_tx));
	add_real(obj, "receiver", CELL_MEAN(cell, cpu_rx));
	add_real(obj, "layers", bill_cpus(&cell->bill));
	return obj;
}

static struct json_object *layer_json(const struct bill *bill, uint32_t layer)
{
	struct json_object *obj = json_object_new_object();
	struct json_object *calls = json_object_new_object();
	struct json_object *bytes = json_object_new_object(), *packets = json_object_new_object();
	const struct bill_layer *l = &bill->layer[layer];
	uint32_t dir;

	for (dir = 0; dir < MODEL_DIRECTIONS; dir++) {
		add_uint(calls, model_direction(dir), l->calls[dir]);
		add_real(bytes, model_direction(dir), toll_ratio(l->cycles[dir], (double)bill->sample.bytes));
		if (dir < 2)
			add_real(packets, model_direction(dir),
				 toll_ratio(l->cycles[dir], (double)bill->packets[dir]));
	}
	add_str(obj, "layer", model_layer(layer));
	add(obj, "calls", calls);
	add_real(obj, "cycles_per_byte_total", bill_per_byte(bill, layer));
	add(obj, "cycles_per_byte", bytes);
	add(obj, "cycles_per_packet", packets);
	return obj;
}

static struct json_object *bill_json(const struct cell *cell)
{
	struct json_object *obj = json_object_new_object(), *list = json_object_new_array(), *o;
	const struct bill *bill = &cell->bill;
	uint32_t layer, dir;

	add_real(obj, "throughput_bps", bill->sample.rate_bps);
	add_real(obj, "cost", 1 - toll_ratio(bill->sample.rate_bps, cell_rate(cell).mean));
	add_real(obj, "cycles_per_byte", bill_total_per_byte(bill));
	add_real(obj, "coverage", toll_ratio(bill->total + bill->own, bill->cycles));
	add_real(obj, "own_share", toll_ratio(bill->own, bill->cycles));
	o = json_object_new_object();
	add_uint(o, "self_cycles", bill->self);
	add_uint(o, "inclusive_cycles", bill->inclusive);
	add(obj, "closure", o);
	add_uint(obj, "payload_bytes", bill->sample.bytes);
	o = json_object_new_object();
	for (dir = 0; dir < 2; dir++)
		add_uint(o, model_direction(dir), bill->packets[dir]);
	add(obj, "packets", o);
	o = json_object_new_object();
	for (dir = 0; dir < 2; dir++)
		add_uint(o, model_direction(dir), bill->wire_bytes[dir]);
	add(obj, "wire_bytes", o);
	for (layer = 0; layer < MODEL_LAYERS; layer++)
		json_object_array_add(list, layer_json(bill, layer));
	add(obj, "layers", list);
	return obj;
}

static struct json_object *effect_json(const struct climb *c, const struct cell *below, const struct cell *cell)
{
	struct effect e = effect_of(below, cell, c->least);
	struct json_object *obj = json_object_new_object(), *list = json_object_new_array(), *o;
	size_t i;

	add_real(obj, "bps", e.rate.mean);
	add_real(obj, "half", e.rate.half);
	add_real(obj, "ratio", toll_ratio(e.rate.mean, cell_rate(below).mean));
	add(obj, "significant", e.known ? json_object_new_boolean(e.significant) : NULL);
	add_str(obj, "verdict", effect_verdict_names[e.verdict]);
	add(obj, "by_turns", json_object_new_boolean(below->turn && below->turn == cell->turn));
	add(obj, "below_bps", rate_json(below));
	for (i = 0; i < e.nchanges; i++) {
		o = json_object_new_object();
		add_str(o, "layer", model_layer(e.change[i].layer));
		add_real(o, "cycles_per_byte", e.change[i].per_byte);
		json_object_array_add(list, o);
	}
	add(obj, "layers", list);
	return obj;
}

static struct json_object *targets_json(uint32_t targets)
{
	struct json_object *list = json_object_new_array();
	uint32_t layer;

	for (layer = 0; layer < MODEL_LAYERS; layer++)
		if (targets & 1u << layer)
			json_object_array_add(list, json_object_new_string(model_layer(layer)));
	return list;
}

static void add_cell(struct json_object *obj, const struct climb *c, const struct cell *cell)
{
	uint64_t sent = 0, corrupted = 0;
	size_t i;

	for (i = 0; i < cell->n; i++) {
		sent += cell->sample[i].sent;
		corrupted += cell->sample[i].corrupted;
	}
	add(obj, "mtu", cell->mtu ? json_object_new_uint64(cell->mtu) : NULL);
	add(obj, "throughput_bps", rate_json(cell));
	add_real(obj, "share", cell_rate(cell).mean / (double)c->plan->line_bps);
	add_real(obj, "bound", cell->bound);
	add_real(obj, "messages_per_second", CELL_MEAN(cell, message_rate));
	add_uint(obj, "sent", sent);
	add_uint(obj, "lost", cell_lost(cell));
	add_uint(obj, "corrupted", corrupted);
	add_real(obj, "zerocopy_share", CELL_MEAN(cell, zerocopy));
	add(obj, "cpu", cpu_json(cell));
	add(obj, "account", cell->bill.valid ? bill_json(cell) : NULL);
}

static struct json_object *step_json(const struct climb *c, size_t step)
{
	const struct plan_rung *rung = &c->plan->rung[c->step[step]];
	const struct cell *cell = climb_above(c, step);
	struct json_object *obj = json_object_new_object();

	add_str(obj, "name", rung->name);
	add_str(obj, "title", rung->title);
	add_str(obj, "doc", rung->doc);
	add(obj, "targets", targets_json(rung->targets));
	add(obj, "settings", settings_json(&rung->settings));
	add(obj, "workload", rung->workload ? json_object_get(rung->workload) : json_object_new_object());
	add_cell(obj, c, cell);
	add(obj, "effect", step ? effect_json(c, climb_base(c, step), cell) : NULL);
	add(obj, "retained", json_object_new_boolean(!(c->reverted & 1u << c->step[step])));
	add(obj, "left_out", c->out[step].above ? effect_json(c, c->out[step].below, c->out[step].above) : NULL);
	return obj;
}

static struct json_object *pair_json(const struct climb *c, uint32_t a, uint32_t b)
{
	uint32_t below = climb_below(c, a < b ? a : b);
	const uint32_t mask[4] = {
		below, below | 1u << a, below | 1u << b, below | 1u << a | 1u << b
	};
	struct json_object *obj, *cells, *o;
	const struct cell *cell[4];
	struct interaction i;
	size_t k;

	for (k = 0; k < 4; k++) {
		cell[k] = climb_cell(c, mask[k]);
		if (!cell[k])
			return NULL;
	}
	i = interaction_of(cell[0], cell[1], cell[2], cell[3]);
	obj = json_object_new_object();
	add_str(obj, "a", c->plan->rung[a].name);
	add_str(obj, "b", c->plan->rung[b].name);
	add_real(obj, "gain_a_bps", i.a);
	add_real(obj, "gain_b_bps", i.b);
	add_real(obj, "gain_both_bps", i.both);
	add_real(obj, "interaction_bps", i.value);
	add_real(obj, "half", i.half);
	cells = json_object_new_array();
	for (k = 0; k < 4; k++) {
		o = json_object_new_object();
		add(o, "rungs", rung_names(c->plan, mask[k]));
		add_cell(o, c, cell[k]);
		json_object_array_add(cells, o);
	}
	add(obj, "cells", cells);
	return obj;
}

struct json_object *report_json(const struct climb *c)
{
	struct json_object *root = json_object_new_object(), *list, *o;
	struct factorial f;
	struct utsname host;
	size_t i, n;

	add(root, "version", json_object_new_int(1));
	add_str(root, "command", "ladder");
	add_str(root, "nettoll", NETTOLL_VERSION);
	add_str(root, "plan", c->plan->name);
	add_str(root, "doc", c->plan->doc);
	add(root, "kernel", uname(&host) ? NULL : json_object_new_string(host.release));
	add_uint(root, "line_bps", c->plan->line_bps);
	add(root, "ends", ends_json(c->plan));
	add(root, "setup", settings_json(&c->plan->setup));
	add(root, "workload",
	    c->plan->workload ? json_object_get(c->plan->workload) : json_object_new_object());
	add_uint(root, "repeats", c->repeats);
	add_real(root, "confidence", EFFECT_CONFIDENCE);
	add_str(root, "compare", plan_compare_names[c->compare]);
	add_str(root, "retain", plan_retain_names[c->retain]);
	add_real(root, "least_gain", c->least);
	add(root, "tsc_khz", c->tsc_khz ? json_object_new_uint64(c->tsc_khz) : NULL);
	add(root, "attached_throughout", json_object_new_boolean(c->attached_before));
	add(root, "factorial", report_factorial_json(c));
	list = json_object_new_array();
	for (n = 0; n < c->nsteps && !c->factorial && climb_above(c, n); n++)
		json_object_array_add(list, step_json(c, n));
	add(root, "complete", json_object_new_boolean(c->factorial ? climb_factorial(c, &f) : n == c->nsteps));
	add(root, "rungs", list);
	list = json_object_new_array();
	for (i = 0; i < c->plan->npairs && !c->factorial; i++) {
		o = pair_json(c, c->plan->pair[i].a, c->plan->pair[i].b);
		if (o)
			json_object_array_add(list, o);
	}
	add(root, "interactions", list);
	return root;
}

/* A file is replaced as a whole, so that the old one stays until the new one is complete; all else is written to. */
static FILE *open_result(const char *path, char *temp, size_t size)
{
	struct stat st;
	mode_t mask;
	FILE *f;
	int fd;

	temp[0] = '\0';
	if (!lstat(path, &st) && !S_ISREG(st.st_mode))
		return fopen(path, "we");
	if (snprintf(temp, size, "%s.XXXXXX", path) >= (int)size) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	fd = mkstemp(temp);
	if (fd < 0)
		return NULL;
	mask = umask(0);
	umask(mask);
	fchmod(fd, 0666 & ~mask);
	f = fdopen(fd, "w");
	if (!f) {
		close(fd);
		unlink(temp);
	}
	return f;
}

int report_save(struct json_object *root, const char *path)
{
	const char *text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
							  JSON_C_TO_STRING_SPACED |
							  JSON_C_TO_STRING_NOSLASHESCAPE);
	char temp[PATH_MAX];
	FILE *f;
	int ret = 0;

	if (!text)
		return err_set(-ENOMEM, NULL, "out of memory");
	f = open_result(path, temp, sizeof(temp));
	if (!f)
		return err_set(-errno, NULL, "cannot write %s: %s", path, strerror(errno));
	if (fprintf(f, "%s\n", text) < 0)
		ret = -errno;
	if (fclose(f) && !ret)
		ret = -errno;
	if (!ret && temp[0] && rename(temp, path))
		ret = -errno;
	if (!ret)
		return 0;
	if (temp[0])
		unlink(temp);
	return err_set(ret, ret == -ENOSPC ? "free some room" : NULL, "cannot write %s: %s", path,
		       strerror(-ret));
}
