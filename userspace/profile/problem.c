// SPDX-License-Identifier: GPL-2.0-or-later
/* What is wrong with measurements, named by file and line, a few of each kind, and counted. */
#include "profile/problem.h"

#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/err.h"

#define TEXT_MAX	512

static const struct {
	const char *word, *people;
} kinds[PROBLEM_KINDS] = {
	[PROBLEM_FOREIGN] = { "foreign", "that are no runs" },
	[PROBLEM_CUT] = { "cut", "that end in the middle" },
	[PROBLEM_BAD] = { "bad", "with members missing or impossible" },
	[PROBLEM_NAN] = { "nan", "without a number where one is needed" },
	[PROBLEM_ZERO] = { "zero", "with a throughput of 0" },
	[PROBLEM_INVALID] = { "invalid", "marked as not valid" },
	[PROBLEM_TWICE] = { "twice", "that repeat a run" },
	[PROBLEM_CAPACITY] = { "capacity", "of another capacity" },
	[PROBLEM_VARIANT] = { "variant", "with a variant that is not known" },
	[PROBLEM_CAMPAIGN] = { "campaign", "where another campaign begins" },
};

void problem_add(struct problems *p, enum problem_kind kind, const char *file, size_t line, const char *fmt, ...)
{
	size_t n = p->count[kind]++;
	char what[TEXT_MAX];
	va_list ap;

	if (n >= PROBLEM_KEPT)
		return;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	/* Without memory it is counted at least. */
	if (asprintf(&p->kept[kind][n].text, "%s:%zu: %s", file, line, what) < 0)
		p->kept[kind][n].text = NULL;
}

const char *problem_word(enum problem_kind kind)
{
	return kinds[kind].word;
}

size_t problem_left_out(const struct problems *p)
{
	size_t n = 0;
	int k;

	for (k = 0; k < PROBLEM_VARIANT; k++)
		n += p->count[k];
	return n;
}

void problem_warn(const struct problems *p)
{
	size_t i;
	int k;

	for (k = 0; k < PROBLEM_KINDS; k++) {
		for (i = 0; i < p->count[k] && i < PROBLEM_KEPT; i++)
			if (p->kept[k][i].text)
				pr_warn("%s", p->kept[k][i].text);
		if (p->count[k] > PROBLEM_KEPT)
			pr_warn("and %zu more lines %s", p->count[k] - PROBLEM_KEPT, kinds[k].people);
	}
}

struct json_object *problem_json(const struct problems *p)
{
	struct json_object *all = json_object_new_array(), *one, *first;
	size_t i;
	int k;

	for (k = 0; all && k < PROBLEM_KINDS; k++) {
		if (!p->count[k])
			continue;
		one = json_object_new_object();
		first = json_object_new_array();
		json_object_object_add(one, "kind", json_object_new_string(kinds[k].word));
		json_object_object_add(one, "count", json_object_new_uint64(p->count[k]));
		for (i = 0; i < p->count[k] && i < PROBLEM_KEPT; i++)
			if (p->kept[k][i].text)
				json_object_array_add(first, json_object_new_string(p->kept[k][i].text));
		json_object_object_add(one, "first", first);
		json_object_array_add(all, one);
	}
	return all;
}

void problem_free(struct problems *p)
{
	size_t i;
	int k;

	for (k = 0; k < PROBLEM_KINDS; k++)
		for (i = 0; i < PROBLEM_KEPT; i++)
			free(p->kept[k][i].text);
	*p = (struct problems) { 0 };
}
