// SPDX-License-Identifier: GPL-2.0-or-later
/* The reports of nettoll rule: rules with their counters, as words, and what was done to them. */
#include <errno.h>
#include <json-c/json.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/rule.h"

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

/* Share of the bytes that went without being copied, in per cent; NaN where that was not asked for. */
static double not_copied(const struct rule *rule)
{
	if (!rule_has(rule, RULE_ZEROCOPY) || !rule->count[RULE_BYTES])
		return NAN;
	return 100.0 * (double)rule->count[RULE_ZEROCOPY_BYTES] / (double)rule->count[RULE_BYTES];
}

static double per_packet(const struct rule *rule)
{
	return rule->count[RULE_BATCHES] ?
	       (double)rule->count[RULE_COALESCED] / (double)rule->count[RULE_BATCHES] : NAN;
}

static bool fell_back(const struct rule *rule, uint32_t reason)
{
	return rule->fallback[reason] > 0;
}

/* "small 12, fragmented 3" */
static void fallback_text(const struct rule *rule, char *buf, size_t size)
{
	size_t at = 0;
	uint32_t i;

	buf[0] = '\0';
	for (i = 0; i < RULE_FALLBACKS && at < size; i++)
		if (fell_back(rule, i))
			at += (size_t)snprintf(buf + at, size - at, "%s%s %" PRIu64, at ? ", " : "",
					       rule_fallback(i), rule->fallback[i]);
}

/* ---- JSON ---- */

static void add_text(struct json_object *obj, const char *key, const char *text)
{
	json_object_object_add(obj, key, text && *text ? json_object_new_string(text) : NULL);
}

static void add_number(struct json_object *obj, const char *key, bool known, uint64_t value)
{
	json_object_object_add(obj, key, known ? json_object_new_uint64(value) : NULL);
}

static void add_end(struct json_object *obj, const char *end, const struct rule_end *e)
{
	char key[32], text[64];

	rule_prefix_text(e, text, sizeof(text));
	add_text(obj, end, text);
	snprintf(key, sizeof(key), "%s_port_min", end);
	add_number(obj, key, e->ports, e->port_min);
	snprintf(key, sizeof(key), "%s_port_max", end);
	add_number(obj, key, e->ports, e->port_max);
}

static struct json_object *match_json(const struct rule *rule)
{
	struct json_object *obj = json_object_new_object();

	add_text(obj, "protocol", rule_protocol_word(rule));
	add_text(obj, "family", rule_family_word(rule));
	add_end(obj, "local", &rule->local);
	add_end(obj, "remote", &rule->remote);
	add_text(obj, "device", rule->device);
	add_text(obj, "cgroup", rule->cgroup);
	add_number(obj, "cgroup_id", rule->cgroup_id, rule->cgroup_id);
	add_number(obj, "uid_min", rule->uids, rule->uid_min);
	add_number(obj, "uid_max", rule->uids, rule->uid_max);
	return obj;
}

static struct json_object *action_json(const struct rule *rule)
{
	struct json_object *obj = json_object_new_object();
	const struct rule_action_info *info;
	enum rule_action i;

	for (i = 0; i < RULE_ACTIONS; i++) {
		info = &rule_actions[i];
		if (info->kind == RULE_VALUE_WORD)
			add_text(obj, info->key, rule_has(rule, i) ? rule_action_word(rule, i) : NULL);
		else
			add_number(obj, info->key, rule_has(rule, i), rule->action[i]);
	}
	return obj;
}

static struct json_object *fallbacks_json(const struct rule *rule)
{
	struct json_object *array = json_object_new_array(), *obj;
	uint32_t i;

	for (i = 0; i < RULE_FALLBACKS; i++) {
		if (!fell_back(rule, i))
			continue;
		obj = json_object_new_object();
		add_text(obj, "reason", rule_fallback(i));
		add_number(obj, "count", true, rule->fallback[i]);
		json_object_array_add(array, obj);
	}
	return array;
}

static struct json_object *rule_json(const struct rule *rule)
{
	struct json_object *obj = json_object_new_object(), *count = json_object_new_object();
	double share = not_copied(rule);
	char *text = rule_text(rule);
	size_t i;

	add_number(obj, "id", true, rule->id);
	add_text(obj, "rule", text);
	json_object_object_add(obj, "match", match_json(rule));
	json_object_object_add(obj, "action", action_json(rule));
	for (i = 0; i < RULE_COUNTERS; i++)
		add_number(count, rule_counter_keys[i], true, rule->count[i]);
	json_object_object_add(obj, "counters", count);
	json_object_object_add(obj, "not_copied_percent", isnan(share) ? NULL : json_object_new_double(share));
	json_object_object_add(obj, "fallbacks", fallbacks_json(rule));
	free(text);
	return obj;
}

static void report_json(struct out_doc *doc, const struct rule_list *list)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < list->n; i++)
		json_object_array_add(array, rule_json(&list->item[i]));
	out_json_field(doc, "rules", array);
}

/* ---- tables ---- */

enum {
	COL_ID, COL_COUNTERS, COL_NOT_COPIED = COL_COUNTERS + RULE_COUNTERS, COL_PER_PACKET,
	COL_FALLBACKS, COL_RULE, COLS
};

static const struct out_col cols[COLS] = {
	[COL_ID] = { "id", "id", OUT_UINT, 0 },
	[COL_COUNTERS + RULE_SOCKETS] = { "sockets", "sockets", OUT_SI, 4 },
	[COL_COUNTERS + RULE_SENDS] = { "sends", "sends", OUT_SI, 4 },
	[COL_COUNTERS + RULE_BYTES] = { "bytes", "bytes", OUT_SI, 4 },
	[COL_COUNTERS + RULE_ZEROCOPY_BYTES] = { "zerocopy_bytes", NULL, OUT_UINT, 0 },
	[COL_COUNTERS + RULE_COPIED_BYTES] = { "copied_bytes", NULL, OUT_UINT, 0 },
	[COL_COUNTERS + RULE_COALESCED] = { "coalesced", NULL, OUT_UINT, 0 },
	[COL_COUNTERS + RULE_BATCHES] = { "batches", NULL, OUT_UINT, 0 },
	[COL_COUNTERS + RULE_CSUM_PACKETS] = { "csum_packets", "csum packets", OUT_SI, 4 },
	[COL_COUNTERS + RULE_AUDITED] = { "audited", "audited", OUT_SI, 4 },
	[COL_COUNTERS + RULE_DISAGREED] = { "disagreed", "disagreed", OUT_UINT, 0 },
	[COL_NOT_COPIED] = { "not_copied_percent", "not copied %", OUT_REAL, 1 },
	[COL_PER_PACKET] = { "per_batch", "in a packet", OUT_REAL, 1 },
	[COL_FALLBACKS] = { "fallbacks", "fallbacks", OUT_STR, 0 },
	[COL_RULE] = { "rule", "rule", OUT_STR, 0 },
};

/* People see the counters that some rule can have. */
static void choose_columns(struct out_col *shown, const struct rule_list *list)
{
	const struct rule *rule;
	bool zerocopy = false, csum = false, audit = false, coalesce = false, fallback = false;
	uint32_t reason;
	size_t i;

	for (i = 0; i < list->n; i++) {
		rule = &list->item[i];
		zerocopy |= rule_has(rule, RULE_ZEROCOPY);
		csum |= rule_has(rule, RULE_CSUM_TX) || rule_has(rule, RULE_CSUM_RX);
		audit |= rule_has(rule, RULE_CSUM_RX) && rule->action[RULE_CSUM_RX] == NETTOLL_CSUM_RX_AUDIT;
		coalesce |= rule_has(rule, RULE_COALESCE);
		for (reason = 0; reason < RULE_FALLBACKS; reason++)
			fallback |= fell_back(rule, reason);
	}
	memcpy(shown, cols, sizeof(cols));
	if (!zerocopy)
		shown[COL_NOT_COPIED].title = NULL;
	if (!csum)
		shown[COL_COUNTERS + RULE_CSUM_PACKETS].title = NULL;
	if (!audit) {
		shown[COL_COUNTERS + RULE_AUDITED].title = NULL;
		shown[COL_COUNTERS + RULE_DISAGREED].title = NULL;
	}
	if (!coalesce)
		shown[COL_PER_PACKET].title = NULL;
	if (!fallback)
		shown[COL_FALLBACKS].title = NULL;
}

static void report_table(struct out_doc *doc, const struct rule_list *list)
{
	struct out_col shown[COLS];
	const struct rule *rule;
	struct out_table *t;
	char text[1024];
	char *words;
	size_t i, c;

	choose_columns(shown, list);
	t = out_table(doc, "rules", shown, COLS);
	for (i = 0; i < list->n; i++) {
		rule = &list->item[i];
		out_row(t, rule->count[RULE_DISAGREED] ? STYLE_WARN : STYLE_NONE);
		cell_uint(t, rule->id);
		for (c = 0; c < RULE_COUNTERS; c++)
			cell_uint(t, rule->count[c]);
		cell_real(t, not_copied(rule));
		cell_real(t, per_packet(rule));
		fallback_text(rule, text, sizeof(text));
		cell_str(t, *text ? text : NULL);
		words = rule_text(rule);
		cell_str(t, or_empty(words));
		free(words);
	}
}

void rule_report_list(struct out_doc *doc, const struct rule_list *list)
{
	if (out_format() == OUT_JSON)
		report_json(doc, list);
	else if (out_format() == OUT_PEOPLE && !list->n)
		out_text(doc, STYLE_NONE, "there are no rules");
	else
		report_table(doc, list);
}

void rule_report_words(struct out_doc *doc, const struct rule_list *list)
{
	char *words;
	size_t i;

	if (out_format() != OUT_PEOPLE) {
		rule_report_list(doc, list);
		return;
	}
	for (i = 0; i < list->n; i++) {
		words = rule_text(&list->item[i]);
		out_text(doc, STYLE_NONE, "%s", or_empty(words));
		free(words);
	}
}

void rule_report_change(struct out_doc *doc, const char *verb, const struct rule_list *rules)
{
	static const struct out_col change_cols[] = {
		{ "id", NULL, OUT_UINT, 0 },
		{ "rule", NULL, OUT_STR, 0 },
	};
	struct out_table *t;
	char *words;
	size_t i;

	if (out_format() == OUT_PEOPLE)
		return;
	out_str(doc, "verb", NULL, verb);
	t = out_table(doc, "rules", change_cols, 2);
	for (i = 0; i < rules->n; i++) {
		words = rules->item[i].has ? rule_text(&rules->item[i]) : NULL;
		out_row(t, STYLE_NONE);
		cell_uint(t, rules->item[i].id);
		cell_str(t, words);
		free(words);
	}
}
