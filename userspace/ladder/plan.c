// SPDX-License-Identifier: GPL-2.0-or-later
/* What a ladder plan answers about a set of its rungs; plan_read.c reads it. */
#include "ladder/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ladder/workload.h"
#include "lib/args.h"
#include "lib/err.h"

const char *const plan_end_names[PLAN_ENDS] = { "local", "remote" };
const char *const plan_compare_names[PLAN_COMPARES + 1] = { "by-turns", "in-order", NULL };
const char *const plan_retain_names[PLAN_RETAINS + 1] = { "gains", "all", NULL };

bool plan_turns(const struct plan *plan, enum plan_end end)
{
	return !strcmp(plan->peer[end], "here") || !strncmp(plan->peer[end], "netns:", 6);
}

int plan_rung_find(const struct plan *plan, const char *name)
{
	const char *names[PLAN_RUNGS_MAX], *near;
	size_t i;

	for (i = 0; i < plan->nrungs; i++) {
		if (!strcmp(plan->rung[i].name, name))
			return (int)i;
		names[i] = plan->rung[i].name;
	}
	near = nearest_word(name, names, plan->nrungs);
	return err_set(-ENOENT, NULL, "the plan has no rung '%s'%s%s%s", name, near ? "; did you mean '" : "",
		       near ? near : "", near ? "'?" : "");
}

void plan_free(struct plan *plan)
{
	size_t i;

	free(plan->setup.setting);
	json_object_put(plan->workload);
	for (i = 0; i < PLAN_RUNGS_MAX; i++) {
		free(plan->rung[i].settings.setting);
		json_object_put(plan->rung[i].workload);
	}
	memset(plan, 0, sizeof(*plan));
}

int plan_spec(const struct plan *plan, uint32_t mask, struct traffic_spec *spec)
{
	struct jsonpath at = { .file = plan->file };
	size_t i;
	int ret;

	traffic_spec_init(spec);
	spec->kind = TRAFFIC_STREAM;
	strcpy(spec->from, plan->peer[PLAN_LOCAL]);
	strcpy(spec->to, plan->peer[PLAN_REMOTE]);
	strcpy(spec->source, plan->addr[PLAN_LOCAL]);
	strcpy(spec->addr, plan->addr[PLAN_REMOTE]);
	jsonpath_push(&at, "workload");
	ret = workload_apply(&at, plan->workload, spec);
	for (i = 0; i < plan->nrungs && !ret; i++) {
		if (!(mask & 1u << i))
			continue;
		jsonpath_pop(&at, 0);
		jsonpath_push(&at, "rungs");
		jsonpath_push_index(&at, i);
		jsonpath_push(&at, "workload");
		ret = workload_apply(&at, plan->rung[i].workload, spec);
	}
	return ret ? ret : workload_check(&at, spec);
}

static const char *value_in(const struct plan_settings *list, enum plan_end end, const char *knob)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (list->setting[i].end == end && !strcmp(list->setting[i].knob.name, knob))
			return list->setting[i].value;
	return NULL;
}

const char *plan_value(const struct plan *plan, uint32_t mask, enum plan_end end, const char *knob)
{
	const char *value;
	size_t i;

	for (i = plan->nrungs; i-- > 0;) {
		value = mask & 1u << i ? value_in(&plan->rung[i].settings, end, knob) : NULL;
		if (value)
			return value;
	}
	return value_in(&plan->setup, end, knob);
}

/* Whether a knob occurs before rung @rung (or at all, in the setup). */
static bool occurs_before(const struct plan *plan, size_t rung, enum plan_end end, const char *knob)
{
	size_t i;

	if (value_in(&plan->setup, end, knob))
		return true;
	for (i = 0; i < rung; i++)
		if (value_in(&plan->rung[i].settings, end, knob))
			return true;
	return false;
}

int plan_knobs(const struct plan *plan, int (*fn)(const struct plan_setting *first, void *arg),
	       void *arg)
{
	const struct plan_setting *s;
	size_t i, k;
	int ret = 0;

	for (k = 0; k < plan->setup.n && !ret; k++)
		ret = fn(&plan->setup.setting[k], arg);
	for (i = 0; i < plan->nrungs; i++) {
		for (k = 0; k < plan->rung[i].settings.n && !ret; k++) {
			s = &plan->rung[i].settings.setting[k];
			if (!occurs_before(plan, i, s->end, s->knob.name))
				ret = fn(s, arg);
		}
	}
	return ret;
}
