// SPDX-License-Identifier: GPL-2.0-or-later
/* All combinations of a few rungs, as tables and as JSON. */
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ladder/effect.h"
#include "ladder/report.h"
#include "lib/json_number.h"
#include "lib/model.h"
#include "lib/out.h"

#define NAMES_MAX	((FACTORIAL_MAX + 1) * (PLAN_NAME_MAX + 3))

/* The names of a set of rungs, @between them. */
static const char *names(const struct climb *c, uint32_t set, const char *between, char *buf, size_t size)
{
	size_t i, len = 0;

	buf[0] = '\0';
	for (i = 1; i < c->nsteps; i++)
		if (set & 1u << (i - 1) && len < size)
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? between : "",
						c->plan->rung[c->step[i]].name);
	return len ? buf : c->plan->rung[c->step[0]].name;
}

static const char *verdict(const struct climb *c, const struct factorial *f, const struct factorial_effect *e)
{
	return effect_verdict_names[effect_judge(e->value, e->half, c->least * fabs(f->mean[0]))];
}

/* Sets of one rung first, then those of two, and so on. */
static size_t ordered_sets(size_t k, uint32_t *sets)
{
	uint32_t set;
	size_t n = 0;
	int size;

	for (size = 1; size <= (int)k; size++)
		for (set = 1; set < 1u << k; set++)
			if (__builtin_popcount(set) == size)
				sets[n++] = set;
	return n;
}

static void add_states(const struct climb *c, const struct factorial *f, struct out_doc *doc)
{
	static const struct out_col cols[] = {
		{ "rungs", "rungs in force", OUT_STR, 0 }, { "bps", "Gbit/s", OUT_REAL, 3 },
		{ "half", "+-", OUT_REAL, 3 }, { "share", "line %", OUT_REAL, 1 },
	};
	struct out_table *t = out_table(doc, "states", cols, sizeof(cols) / sizeof(*cols));
	struct stats_summary s;
	char text[NAMES_MAX];
	uint32_t state;

	for (state = 0; state < 1u << f->k; state++) {
		s = cell_rate(&c->cell[state]);
		out_row(t, state == factorial_best(f) ? STYLE_TOTAL : STYLE_NONE);
		cell_str(t, names(c, state, " + ", text, sizeof(text)));
		cell_real(t, s.mean / 1e9);
		cell_real(t, s.half / 1e9);
		cell_real(t, 100 * s.mean / (double)c->plan->line_bps);
	}
}

static void add_effects(const struct climb *c, const struct factorial *f, struct out_doc *doc)
{
	static const struct out_col cols[] = {
		{ "rungs", "effect of", OUT_STR, 0 }, { "bps", "Gbit/s", OUT_REAL, 3 },
		{ "half", "+-", OUT_REAL, 3 }, { "verdict", "verdict", OUT_STR, 0 },
	};
	struct out_table *t = out_table(doc, "effects", cols, sizeof(cols) / sizeof(*cols));
	uint32_t sets[FACTORIAL_STATES_MAX];
	struct factorial_effect e;
	char text[NAMES_MAX];
	size_t i, n = ordered_sets(f->k, sets);

	for (i = 0; i < n; i++) {
		e = factorial_effect(f, sets[i], EFFECT_CONFIDENCE);
		out_row(t, STYLE_NONE);
		cell_str(t, names(c, sets[i], " x ", text, sizeof(text)));
		cell_real(t, e.value / 1e9);
		cell_real(t, e.half / 1e9);
		cell_str(t, verdict(c, f, &e));
	}
}

int report_factorial(const struct climb *c)
{
	struct out_doc *doc = out_begin("ladder", 0);
	char text[NAMES_MAX];
	struct factorial f;

	if (climb_factorial(c, &f)) {
		add_states(c, &f, doc);
		out_text(doc, STYLE_NONE, "%s", "");
		add_effects(c, &f, doc);
		out_text(doc, STYLE_NONE, "%s", "");
		out_text(doc, STYLE_TOTAL, "best: %s",
			 names(c, factorial_best(&f), " + ", text, sizeof(text)));
		out_text(doc, STYLE_TOTAL, "ladder: stock=%.1f last=%.1f rungs=%zu",
			 100 * f.mean[0] / (double)c->plan->line_bps,
			 100 * f.mean[factorial_best(&f)] / (double)c->plan->line_bps, c->nsteps);
	}
	return out_end(doc);
}

static struct json_object *names_json(const struct climb *c, uint32_t set)
{
	struct json_object *list = json_object_new_array();
	size_t i;

	for (i = 1; i < c->nsteps; i++)
		if (set & 1u << (i - 1))
			json_object_array_add(list, json_object_new_string(c->plan->rung[c->step[i]].name));
	return list;
}

struct json_object *report_factorial_json(const struct climb *c)
{
	struct json_object *root, *states, *effects, *o;
	uint32_t sets[FACTORIAL_STATES_MAX], state;
	struct factorial_effect e;
	struct factorial f;
	size_t i, n;

	if (!climb_factorial(c, &f))
		return NULL;
	root = json_object_new_object();
	states = json_object_new_array();
	for (state = 0; state < 1u << f.k; state++) {
		o = json_object_new_object();
		json_object_object_add(o, "rungs", names_json(c, state));
		json_object_object_add(o, "measurements", json_object_new_uint64(f.n[state]));
		json_object_object_add(o, "mean_bps", json_number(f.mean[state], REPORT_DIGITS));
		json_object_object_add(o, "sd_bps", json_number(f.sd[state], REPORT_DIGITS));
		json_object_array_add(states, o);
	}
	effects = json_object_new_array();
	n = ordered_sets(f.k, sets);
	for (i = 0; i < n; i++) {
		e = factorial_effect(&f, sets[i], EFFECT_CONFIDENCE);
		o = json_object_new_object();
		json_object_object_add(o, "rungs", names_json(c, sets[i]));
		json_object_object_add(o, "bps", json_number(e.value, REPORT_DIGITS));
		json_object_object_add(o, "half", json_number(e.half, REPORT_DIGITS));
		json_object_object_add(o, "verdict", json_object_new_string(verdict(c, &f, &e)));
		json_object_array_add(effects, o);
	}
	json_object_object_add(root, "states", states);
	json_object_object_add(root, "effects", effects);
	json_object_object_add(root, "best", names_json(c, factorial_best(&f)));
	return root;
}
