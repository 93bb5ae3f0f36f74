// SPDX-License-Identifier: GPL-2.0-or-later
/* Building documents of fields and tables, to be printed by out.c. */
#include "lib/out_doc.h"

#include <json-c/json.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more element; false without memory. */
static bool grow(void *array, size_t *max, size_t n, size_t size)
{
	void *p, **a = array;
	size_t want = *max ? *max * 2 : 16;

	if (n < *max)
		return true;
	p = reallocarray(*a, want, size);
	if (!p)
		return false;
	*a = p;
	*max = want;
	return true;
}

static char *copy(struct out_doc *doc, const char *s)
{
	char *c;

	if (!s)
		return NULL;
	c = strdup(s);
	if (!c)
		doc->nomem = true;
	return c;
}

/* A copy without control characters and without what is not UTF-8: neither terminal nor JSON. */
static char *clean_copy(struct out_doc *doc, const char *s)
{
	unsigned char *c = (unsigned char *)copy(doc, s), *start = c;
	int n, i;

	while (c && *c) {
		n = *c < 0x80 ? 0 : *c >= 0xc2 && *c < 0xe0 ? 1 : *c >= 0xe0 && *c < 0xf0 ? 2 :
		    *c >= 0xf0 && *c < 0xf5 ? 3 : -1;
		for (i = 1; i <= n && (c[i] & 0xc0) == 0x80; i++)
			;
		if (n < 0 || i <= n || (*c < ' ' && *c != '\n' && *c != '\t') || *c == 0x7f)
			*c = '?';
		else
			c += n;
		c++;
	}
	return (char *)start;
}

struct out_doc *out_begin(const char *command, unsigned int flags)
{
	struct out_doc *doc = calloc(1, sizeof(*doc));

	/* Callers need not check: all functions take a NULL document, and out_end() tells. */
	if (!doc)
		return NULL;
	doc->flags = flags;
	doc->command = copy(doc, command);
	return doc;
}

static struct item *add_item(struct out_doc *doc, enum item_kind kind, const char *key,
			     const char *label)
{
	struct item *items;

	if (!doc)
		return NULL;
	items = reallocarray(doc->items, doc->nitems + 1, sizeof(*items));
	if (!items) {
		doc->nomem = true;
		return NULL;
	}
	doc->items = items;
	items += doc->nitems++;
	*items = (struct item) { .kind = kind, .key = copy(doc, key), .label = copy(doc, label) };
	return items;
}

static void add_field(struct out_doc *doc, const char *key, const char *label, struct value value,
		      int digits, const char *unit)
{
	struct item *item = add_item(doc, ITEM_FIELD, key, label);

	if (!item) {
		if (value.type == OUT_STR)
			free(value.s);
		return;
	}
	item->value = value;
	item->digits = digits;
	item->unit = copy(doc, unit);
}

void out_str(struct out_doc *doc, const char *key, const char *label, const char *value)
{
	if (doc)
		add_field(doc, key, label, (struct value) { .type = OUT_STR, .none = !value,
			  .s = clean_copy(doc, value) }, 0, NULL);
}

void out_uint(struct out_doc *doc, const char *key, const char *label, uint64_t value,
	      const char *unit)
{
	add_field(doc, key, label, (struct value) { .type = OUT_UINT, .u = value }, 0, unit);
}

void out_int(struct out_doc *doc, const char *key, const char *label, int64_t value,
	     const char *unit)
{
	add_field(doc, key, label, (struct value) { .type = OUT_INT, .i = value }, 0, unit);
}

void out_bool(struct out_doc *doc, const char *key, const char *label, bool value)
{
	add_field(doc, key, label, (struct value) { .type = OUT_BOOL, .b = value }, 0, NULL);
}

void out_real(struct out_doc *doc, const char *key, const char *label, double value, int digits,
	      const char *unit)
{
	add_field(doc, key, label, (struct value) { .type = OUT_REAL, .none = !isfinite(value),
		  .d = value }, digits, unit);
}

void out_json_field(struct out_doc *doc, const char *key, struct json_object *value)
{
	struct item *item = add_item(doc, ITEM_JSON, key, NULL);

	if (item)
		item->json = value;
	else
		json_object_put(value);
}

void out_text(struct out_doc *doc, enum term_style style, const char *fmt, ...)
{
	struct item *item = add_item(doc, ITEM_TEXT, NULL, NULL);
	char *text = NULL;
	va_list ap;

	if (!item)
		return;
	item->style = style;
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		doc->nomem = true;
	else
		item->label = clean_copy(doc, text);
	va_end(ap);
	free(text);
}

struct out_table *out_table(struct out_doc *doc, const char *key, const struct out_col *cols,
			    size_t ncols)
{
	struct item *item = add_item(doc, ITEM_TABLE, NULL, NULL);
	struct out_table *t;

	if (!item)
		return NULL;
	t = calloc(1, sizeof(*t));
	if (t)
		t->cols = calloc(ncols + 1, sizeof(*cols));
	if (!t || !t->cols) {
		free(t);
		doc->nomem = true;
		return NULL;
	}
	item->table = t;
	memcpy(t->cols, cols, ncols * sizeof(*cols));
	t->doc = doc;
	t->ncols = ncols;
	doc->has_table = true;
	out_group(t, key, 0);
	return t;
}

void out_group(struct out_table *t, const char *key, unsigned int flags)
{
	struct group *groups;

	if (!t)
		return;
	groups = reallocarray(t->groups, t->ngroups + 1, sizeof(*groups));
	if (!groups) {
		t->doc->nomem = true;
		return;
	}
	t->groups = groups;
	groups[t->ngroups++] = (struct group) { copy(t->doc, key), flags, t->nrows };
}

void out_row(struct out_table *t, enum term_style style)
{
	if (!t)
		return;
	while (t->ncells < t->nrows * t->ncols && !t->doc->nomem)
		cell_none(t);
	if (!grow(&t->styles, &t->rows_max, t->nrows, sizeof(*t->styles))) {
		t->doc->nomem = true;
		return;
	}
	t->styles[t->nrows++] = style;
}

static void add_cell(struct out_table *t, struct value value)
{
	if (!t)
		return;
	if (t->ncells >= t->nrows * t->ncols ||
	    !grow(&t->cells, &t->cells_max, t->ncells, sizeof(*t->cells))) {
		t->doc->nomem = true;
		if (value.type == OUT_STR)
			free(value.s);
		return;
	}
	t->cells[t->ncells++] = value;
}

void cell_str(struct out_table *t, const char *value)
{
	if (t)
		add_cell(t, (struct value) { .type = OUT_STR, .none = !value,
			 .s = clean_copy(t->doc, value) });
}

void cell_uint(struct out_table *t, uint64_t value)
{
	add_cell(t, (struct value) { .type = OUT_UINT, .u = value });
}

void cell_int(struct out_table *t, int64_t value)
{
	add_cell(t, (struct value) { .type = OUT_INT, .i = value });
}

void cell_bool(struct out_table *t, bool value)
{
	add_cell(t, (struct value) { .type = OUT_BOOL, .b = value });
}

void cell_real(struct out_table *t, double value)
{
	add_cell(t, (struct value) { .type = OUT_REAL, .none = !isfinite(value), .d = value });
}

void cell_none(struct out_table *t)
{
	add_cell(t, (struct value) { .type = OUT_UINT, .none = true });
}

bool out_doc_complete(struct out_doc *doc)
{
	struct out_table *t;
	size_t i;

	for (i = 0; i < doc->nitems; i++) {
		t = doc->items[i].table;
		while (t && t->ncells < t->nrows * t->ncols && !doc->nomem)
			cell_none(t);
	}
	return !doc->nomem;
}

static void free_value(struct value *v)
{
	if (v->type == OUT_STR)
		free(v->s);
}

static void free_table(struct out_table *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->ncells; i++)
		free_value(&t->cells[i]);
	for (i = 0; i < t->ngroups; i++)
		free(t->groups[i].key);
	free(t->cols);
	free(t->cells);
	free(t->styles);
	free(t->groups);
	free(t);
}

int out_drop(struct out_doc *doc)
{
	if (doc)
		out_doc_free(doc);
	return 0;
}

void out_doc_free(struct out_doc *doc)
{
	size_t i;

	for (i = 0; i < doc->nitems; i++) {
		free(doc->items[i].key);
		free(doc->items[i].label);
		free(doc->items[i].unit);
		if (doc->items[i].kind == ITEM_FIELD)
			free_value(&doc->items[i].value);
		free_table(doc->items[i].table);
		json_object_put(doc->items[i].json);
	}
	free(doc->items);
	free(doc->command);
	free(doc);
}
