// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading a ladder plan: every error names the file, the place in it, and what is allowed. */
#include "ladder/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ladder/workload.h"
#include "lib/args.h"
#include "lib/err.h"
#include "lib/model.h"

#define FORMAT		"nettoll-ladder/1"
#define SETTINGS_MAX	256
#define LEAST		0.01	/* unless the plan says */
#define LEAST_MAX	0.5
#define NAME_CHARS	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

static int take_name(struct jsonpath *at, struct json_object *obj, char *name)
{
	int ret = jsonpath_string(at, obj, "name", true, name, PLAN_NAME_MAX);

	if (!ret && name[strspn(name, NAME_CHARS)])
		ret = jsonpath_error(at, "the name '%s' may have letters, digits, '-', '_' and '.' only", name);
	return ret;
}

/* ---- ends ---- */

static int take_end(struct jsonpath *at, struct json_object *obj, struct plan *plan, enum plan_end end)
{
	static const char *const keys[] = { "peer", "dev", "addr", NULL };
	static const char *const schemes[] = { "netns:", "ssh:", "host:" };
	struct knob_place *place = &plan->place[end];
	char *peer = plan->peer[end];
	size_t i;
	int ret;

	ret = jsonpath_is(at, obj, json_type_object);
	if (!ret)
		ret = jsonpath_keys(at, obj, keys);
	if (!ret)
		ret = jsonpath_string(at, obj, "peer", true, peer, TRAFFIC_PEER_MAX);
	if (!ret)
		ret = jsonpath_string(at, obj, "dev", false, place->dev, sizeof(place->dev));
	if (!ret)
		ret = jsonpath_string(at, obj, "addr", false, plan->addr[end], TRAFFIC_ADDR_MAX);
	if (ret || !strcmp(peer, "here"))
		return ret;
	for (i = 0; i < 3; i++)
		if (!strncmp(peer, schemes[i], strlen(schemes[i])) && peer[strlen(schemes[i])])
			break;
	if (i == 3)
		return jsonpath_error(at, "the peer is here, netns:NAME, ssh:HOST or host:ADDR, not '%s'", peer);
	if (i == 0 && strlen(peer + 6) >= sizeof(place->netns))
		return jsonpath_error(at, "the namespace's name is too long");
	if (i == 0)
		strcpy(place->netns, peer + 6);
	return 0;
}

static int take_ends(struct jsonpath *at, struct json_object *root, struct plan *plan)
{
	static const char *const keys[] = { "local", "remote", NULL };
	struct json_object *ends, *one;
	size_t old, inner;
	int end, ret;

	if (!json_object_object_get_ex(root, "ends", &ends))
		return jsonpath_error(at, "\"ends\" is missing");
	old = jsonpath_push(at, "ends");
	ret = jsonpath_is(at, ends, json_type_object);
	if (!ret)
		ret = jsonpath_keys(at, ends, keys);
	for (end = 0; end < PLAN_ENDS && !ret; end++) {
		if (!json_object_object_get_ex(ends, keys[end], &one))
			return jsonpath_error(at, "\"%s\" is missing", keys[end]);
		inner = jsonpath_push(at, keys[end]);
		ret = take_end(at, one, plan, (enum plan_end)end);
		jsonpath_pop(at, inner);
	}
	jsonpath_pop(at, old);
	return ret;
}

/* ---- settings ---- */

static int add_setting(struct jsonpath *at, const struct plan *plan, struct plan_settings *list,
		       enum plan_end end, const char *name, struct json_object *value)
{
	struct plan_setting *grown, *s;
	char text[KNOB_VALUE_MAX];
	size_t i;
	int ret;

	grown = reallocarray(list->setting, list->n + 1, sizeof(*grown));
	if (!grown)
		return err_set(-ENOMEM, NULL, "out of memory");
	list->setting = grown;
	s = &grown[list->n];
	*s = (struct plan_setting) { .end = end };
	if (list->n == SETTINGS_MAX)
		return jsonpath_error(at, "more than %d settings", SETTINGS_MAX);
	ret = knob_find(name, &s->knob);
	if (ret)
		return jsonpath_context(at, ret == -ENOENT ? err_set(-EINVAL, NULL, "%s", err_text(ret)) : ret);
	ret = jsonpath_scalar(at, value, text, sizeof(text));
	if (ret)
		return ret;
	ret = knob_parse(&s->knob, text, s->value);
	if (ret)
		return jsonpath_context(at, ret);
	if (!plan_turns(plan, end))
		return jsonpath_error(at, "the %s end is %s, whose knobs cannot be turned from here; only those of "
				      "here and netns:NAME can", plan_end_names[end], plan->peer[end]);
	if (s->knob.family->per_device && !plan->place[end].dev[0])
		return jsonpath_error(at, "this is a knob of a device, and ends.%s names no \"dev\"",
				      plan_end_names[end]);
	for (i = 0; i < list->n; i++)
		if (list->setting[i].end == end && !strcmp(list->setting[i].knob.name, name))
			return jsonpath_error(at, "%s of the %s end is set twice", name, plan_end_names[end]);
	list->n++;
	return 0;
}

/* "local", "remote" and "both" of @obj. */
static int take_settings(struct jsonpath *at, struct json_object *obj, const struct plan *plan,
			 struct plan_settings *list)
{
	static const struct {
		const char *key;
		bool end[PLAN_ENDS];
	} groups[] = {
		{ "both", { true, true } }, { "local", { true, false } }, { "remote", { false, true } },
	};
	struct json_object *group;
	size_t g, old, inner;
	int end, ret;

	for (g = 0; g < 3; g++) {
		if (!json_object_object_get_ex(obj, groups[g].key, &group))
			continue;
		old = jsonpath_push(at, groups[g].key);
		ret = jsonpath_is(at, group, json_type_object);
		if (ret)
			return ret;
		json_object_object_foreach(group, name, value) {
			if (!strcmp(name, "comment"))
				continue;
			inner = jsonpath_push(at, name);
			for (end = 0; end < PLAN_ENDS; end++) {
				if (!groups[g].end[end])
					continue;
				ret = add_setting(at, plan, list, (enum plan_end)end, name, value);
				if (ret)
					return ret;
			}
			jsonpath_pop(at, inner);
		}
		jsonpath_pop(at, old);
	}
	return 0;
}

/* ---- rungs ---- */

static int take_targets(struct jsonpath *at, struct json_object *obj, uint32_t *targets)
{
	struct json_object *list, *one;
	size_t i, old, inner;
	int layer, ret;

	if (!json_object_object_get_ex(obj, "targets", &list))
		return 0;
	old = jsonpath_push(at, "targets");
	ret = jsonpath_is(at, list, json_type_array);
	for (i = 0; !ret && i < json_object_array_length(list); i++) {
		inner = jsonpath_push_index(at, i);
		one = json_object_array_get_idx(list, i);
		ret = jsonpath_is(at, one, json_type_string);
		if (ret)
			return ret;
		for (layer = 0; layer < MODEL_LAYERS; layer++)
			if (!strcmp(model_layer_names[layer], json_object_get_string(one)))
				break;
		if (layer == MODEL_LAYERS)
			return jsonpath_error(at, "there is no layer '%s': they are syscall, socket, copy, csum, "
					      "udp, tcp, ip, qdisc, driver, irq, napi, gro, netif, skb, wakeup "
					      "and wait", json_object_get_string(one));
		*targets |= 1u << layer;
		jsonpath_pop(at, inner);
	}
	jsonpath_pop(at, old);
	return ret;
}

static int take_rung(struct jsonpath *at, struct json_object *obj, struct plan *plan)
{
	static const char *const keys[] = {
		"name", "title", "doc", "targets", "both", "local", "remote", "workload", NULL
	};
	struct plan_rung *rung = &plan->rung[plan->nrungs];
	struct traffic_spec spec;
	size_t i;
	int ret;

	ret = jsonpath_is(at, obj, json_type_object);
	if (!ret)
		ret = jsonpath_keys(at, obj, keys);
	if (!ret)
		ret = take_name(at, obj, rung->name);
	if (!ret)
		ret = jsonpath_string(at, obj, "title", false, rung->title, sizeof(rung->title));
	if (!ret)
		ret = jsonpath_string(at, obj, "doc", false, rung->doc, sizeof(rung->doc));
	if (!ret)
		ret = take_targets(at, obj, &rung->targets);
	if (!ret)
		ret = take_settings(at, obj, plan, &rung->settings);
	if (ret)
		return ret;
	for (i = 0; i < plan->nrungs; i++)
		if (!strcmp(plan->rung[i].name, rung->name))
			return jsonpath_error(at, "there are two rungs '%s'", rung->name);
	if (!rung->title[0])
		strcpy(rung->title, rung->name);
	if (json_object_object_get_ex(obj, "workload", &rung->workload))
		json_object_get(rung->workload);
	if (plan->nrungs && !rung->settings.n && !rung->workload)
		return jsonpath_error(at, "rung '%s' changes nothing", rung->name);
	/* With all rungs below it, as it will be climbed. */
	plan->nrungs++;
	return plan_spec(plan, (uint32_t)((1ull << plan->nrungs) - 1), &spec);
}

static int take_rungs(struct jsonpath *at, struct json_object *root, struct plan *plan)
{
	struct json_object *list;
	size_t i, n, old, inner;
	int ret;

	if (!json_object_object_get_ex(root, "rungs", &list))
		return jsonpath_error(at, "\"rungs\" is missing");
	old = jsonpath_push(at, "rungs");
	ret = jsonpath_is(at, list, json_type_array);
	if (ret)
		return ret;
	n = json_object_array_length(list);
	if (!n || n > PLAN_RUNGS_MAX)
		return jsonpath_error(at, "there have to be 1 to %d rungs, not %zu", PLAN_RUNGS_MAX, n);
	for (i = 0; i < n; i++) {
		inner = jsonpath_push_index(at, i);
		ret = take_rung(at, json_object_array_get_idx(list, i), plan);
		if (ret)
			return ret;
		jsonpath_pop(at, inner);
	}
	jsonpath_pop(at, old);
	return 0;
}

static int take_pair(struct jsonpath *at, struct json_object *obj, struct plan *plan)
{
	struct json_object *one;
	uint32_t rung[2];
	size_t i;
	int ret;

	ret = jsonpath_is(at, obj, json_type_array);
	if (ret)
		return ret;
	if (json_object_array_length(obj) != 2)
		return jsonpath_error(at, "a pair has two rungs");
	for (i = 0; i < 2; i++) {
		one = json_object_array_get_idx(obj, i);
		ret = jsonpath_is(at, one, json_type_string);
		if (ret)
			return ret;
		ret = plan_rung_find(plan, json_object_get_string(one));
		if (ret < 0)
			return jsonpath_error(at, "%s", err_text(ret));
		if (!ret)
			return jsonpath_error(at, "'%s' is the ladder's foot, which cannot be left out",
					      plan->rung[0].name);
		rung[i] = (uint32_t)ret;
	}
	if (rung[0] == rung[1])
		return jsonpath_error(at, "a rung does not interact with itself");
	plan->pair[plan->npairs].a = rung[0];
	plan->pair[plan->npairs++].b = rung[1];
	return 0;
}

static int take_pairs(struct jsonpath *at, struct json_object *root, struct plan *plan)
{
	struct json_object *list;
	size_t i, old, inner;
	int ret;

	if (!json_object_object_get_ex(root, "interactions", &list))
		return 0;
	old = jsonpath_push(at, "interactions");
	ret = jsonpath_is(at, list, json_type_array);
	if (!ret && json_object_array_length(list) > PLAN_PAIRS_MAX)
		ret = jsonpath_error(at, "more than %d pairs", PLAN_PAIRS_MAX);
	for (i = 0; !ret && i < json_object_array_length(list); i++) {
		inner = jsonpath_push_index(at, i);
		ret = take_pair(at, json_object_array_get_idx(list, i), plan);
		jsonpath_pop(at, inner);
	}
	jsonpath_pop(at, old);
	return ret;
}

/* ---- how rungs are judged ---- */

/* One of @names, by number; @value stays what it is when there is no such member. */
static int take_choice(struct jsonpath *at, struct json_object *root, const char *key,
		       const char *const *names, int *value)
{
	struct json_object *one;
	char text[32];
	size_t old;
	int i, ret;

	if (!json_object_object_get_ex(root, key, &one))
		return 0;
	old = jsonpath_push(at, key);
	ret = jsonpath_is(at, one, json_type_string);
	if (ret)
		return ret;
	snprintf(text, sizeof(text), "%s", json_object_get_string(one));
	for (i = 0; names[i] && strcmp(names[i], text); i++)
		;
	if (!names[i])
		return jsonpath_error(at, "this is '%s' or '%s', not '%s'", names[0], names[1], text);
	*value = i;
	jsonpath_pop(at, old);
	return 0;
}

static int take_judgement(struct jsonpath *at, struct json_object *root, struct plan *plan)
{
	int compare = PLAN_BY_TURNS, retain = PLAN_RETAIN_GAINS, ret;
	struct json_object *value;
	size_t old;

	ret = take_choice(at, root, "compare", plan_compare_names, &compare);
	if (!ret)
		ret = take_choice(at, root, "retain", plan_retain_names, &retain);
	if (ret)
		return ret;
	plan->compare = (enum plan_compare)compare;
	plan->retain = (enum plan_retain)retain;
	plan->least = LEAST;
	if (json_object_object_get_ex(root, "least-gain", &value)) {
		old = jsonpath_push(at, "least-gain");
		if (!json_object_is_type(value, json_type_double) && !json_object_is_type(value, json_type_int))
			return jsonpath_error(at, "a share of the throughput is a number, as 0.01");
		plan->least = json_object_get_double(value);
		if (!(plan->least >= 0 && plan->least <= LEAST_MAX))
			return jsonpath_error(at, "the smallest gain that counts is from 0 to %g", LEAST_MAX);
		jsonpath_pop(at, old);
	}
	if (json_object_object_get_ex(root, "leave-one-out", &value)) {
		old = jsonpath_push(at, "leave-one-out");
		ret = jsonpath_is(at, value, json_type_boolean);
		if (ret)
			return ret;
		plan->leave_out = json_object_get_boolean(value);
		jsonpath_pop(at, old);
	}
	return 0;
}

/* ---- the whole ---- */

static int take_numbers(struct jsonpath *at, struct json_object *root, struct plan *plan)
{
	struct json_object *value;
	char text[64];
	uint64_t n;
	size_t old;
	int ret;

	if (!json_object_object_get_ex(root, "line", &value))
		return jsonpath_error(at, "\"line\" is missing: the rate of the line, as \"1.28G\"");
	old = jsonpath_push(at, "line");
	ret = jsonpath_scalar(at, value, text, sizeof(text));
	if (ret)
		return ret;
	ret = arg_rate("line", text, 1000, 1000000000000000ull, &plan->line_bps);
	if (ret)
		return jsonpath_context(at, ret);
	jsonpath_pop(at, old);
	if (!json_object_object_get_ex(root, "repeats", &value))
		return 0;
	jsonpath_push(at, "repeats");
	ret = jsonpath_scalar(at, value, text, sizeof(text));
	if (ret)
		return ret;
	ret = arg_uint("repeats", text, 1, PLAN_REPEATS_MAX, &n);
	if (ret)
		return jsonpath_context(at, ret);
	plan->repeats = (uint32_t)n;
	jsonpath_pop(at, old);
	return 0;
}

static int take_setup(struct jsonpath *at, struct json_object *root, struct plan *plan)
{
	static const char *const keys[] = { "both", "local", "remote", NULL };
	struct json_object *setup;
	size_t old;
	int ret;

	if (!json_object_object_get_ex(root, "setup", &setup))
		return 0;
	old = jsonpath_push(at, "setup");
	ret = jsonpath_is(at, setup, json_type_object);
	if (!ret)
		ret = jsonpath_keys(at, setup, keys);
	if (!ret)
		ret = take_settings(at, setup, plan, &plan->setup);
	jsonpath_pop(at, old);
	return ret;
}

static int take_plan(struct jsonpath *at, struct json_object *root, struct plan *plan)
{
	static const char *const keys[] = {
		"format", "name", "doc", "line", "repeats", "compare", "retain", "least-gain", "leave-one-out", "ends",
		"workload", "setup", "rungs", "interactions", NULL
	};
	char format[32];
	int ret;

	ret = jsonpath_is(at, root, json_type_object);
	if (!ret)
		ret = jsonpath_string(at, root, "format", true, format, sizeof(format));
	if (!ret && strcmp(format, FORMAT))
		ret = jsonpath_error(at, "the format is '%s'; this nettoll reads " FORMAT, format);
	if (!ret)
		ret = jsonpath_keys(at, root, keys);
	if (!ret)
		ret = take_name(at, root, plan->name);
	if (!ret)
		ret = jsonpath_string(at, root, "doc", false, plan->doc, sizeof(plan->doc));
	if (!ret)
		ret = take_numbers(at, root, plan);
	if (!ret)
		ret = take_judgement(at, root, plan);
	if (!ret)
		ret = take_ends(at, root, plan);
	if (ret)
		return ret;
	if (json_object_object_get_ex(root, "workload", &plan->workload))
		json_object_get(plan->workload);
	ret = take_setup(at, root, plan);
	if (!ret)
		ret = take_rungs(at, root, plan);
	return ret ? ret : take_pairs(at, root, plan);
}

int plan_load(const char *file, struct plan *plan)
{
	struct json_object *root;
	struct jsonpath at;
	int ret;

	memset(plan, 0, sizeof(*plan));
	snprintf(plan->file, sizeof(plan->file), "%s", file);
	ret = jsonpath_load(&at, plan->file, &root);
	if (!ret)
		ret = take_plan(&at, root, plan);
	json_object_put(root);
	if (ret)
		plan_free(plan);
	return ret;
}
