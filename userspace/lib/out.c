// SPDX-License-Identifier: GPL-2.0-or-later
/* Printing results: the only file that does; one description becomes a table, TSV or JSON. */
#include "lib/out.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/err.h"
#include "lib/fmt.h"
#include "lib/out_doc.h"

#define DOC_VERSION	1	/* of JSON; raised when a member changes its meaning */
#define BAR_MAX		32
#define BAR_MIN		8
#define GAP		2

static enum out_format format = OUT_PEOPLE;
static int write_error;		/* errno of the first failed write */
static FILE *stream;		/* NULL: standard output */
static const char *stream_name = "the result";

void out_set_format(enum out_format f)
{
	format = f;
}

enum out_format out_format(void)
{
	return format;
}

/* ---- output that remembers its first failure ---- */

static FILE *output(void)
{
	return stream ? stream : stdout;
}

int out_redirect(const char *path)
{
	stream = fopen(path, "we");
	if (!stream)
		return err_set(-errno, NULL, "cannot open %s: %s", path, strerror(errno));
	stream_name = path;
	term_set_fd(fileno(stream));
	return 0;
}

static void put(const char *fmt, ...) PRINTF_LIKE(1, 2);
static void put(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (vfprintf(output(), fmt, ap) < 0 && !write_error)
		write_error = errno;
	va_end(ap);
}

int out_check(void)
{
	if (fflush(output()) && !write_error)
		write_error = errno;
	if (!write_error && ferror(output()))
		write_error = EIO;
	if (!write_error)
		return 0;
	return err_set(-write_error, write_error == ENOSPC ? "free some room" : NULL,
		       "cannot write %s: %s", stream_name, strerror(write_error));
}

int out_close(void)
{
	int ret = out_check();

	/* Network file systems tell of a full disk only here. EBADF: closed from the start. */
	if (fclose(output()) && !ret && errno != EBADF)
		ret = err_set(-errno, NULL, "cannot write %s: %s", stream_name, strerror(errno));
	stream = NULL;
	return ret;
}

void out_printf(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (vfprintf(output(), fmt, ap) < 0 && !write_error)
		write_error = errno;
	va_end(ap);
}

/* ---- values as text and as JSON ---- */

/* @exact: for programs, whatever digits people see. Returns @v's own string or @buf. */
static const char *value_text(const struct value *v, enum out_type as, int digits, bool exact,
			      char *buf, size_t size)
{
	if (v->none)
		return "-";
	switch (v->type) {
	case OUT_STR:
		return v->s;
	case OUT_BOOL:
		return v->b ? "yes" : "no";
	case OUT_UINT:
		if (as == OUT_SI && !exact)
			fmt_si(buf, size, v->u, digits);
		else
			snprintf(buf, size, "%" PRIu64, v->u);
		return buf;
	case OUT_INT:
		snprintf(buf, size, "%" PRId64, v->i);
		return buf;
	default:
		if (exact)
			snprintf(buf, size, "%.15g", v->d);
		else if (as == OUT_SI)
			fmt_si(buf, size, v->d, digits);
		else
			fmt_real(buf, size, v->d, digits);
		return buf;
	}
}

static struct json_object *value_json(const struct value *v)
{
	char buf[64];

	if (v->none)
		return NULL;
	switch (v->type) {
	case OUT_STR:
		return json_object_new_string(v->s);
	case OUT_BOOL:
		return json_object_new_boolean(v->b);
	case OUT_UINT:
		return json_object_new_uint64(v->u);
	case OUT_INT:
		return json_object_new_int64(v->i);
	default:
		return json_object_new_double_s(v->d, value_text(v, OUT_REAL, 0, true, buf,
								 sizeof(buf)));
	}
}

static size_t group_end(const struct out_table *t, size_t g)
{
	return g + 1 < t->ngroups ? t->groups[g + 1].first_row : t->nrows;
}

/* ---- JSON ---- */

static struct json_object *row_json(const struct out_table *t, size_t row)
{
	struct json_object *obj = json_object_new_object();
	size_t c;

	for (c = 0; c < t->ncols; c++)
		if (t->cols[c].key)
			json_object_object_add(obj, t->cols[c].key,
					       value_json(&t->cells[row * t->ncols + c]));
	return obj;
}

static void table_json(struct json_object *root, const struct out_table *t)
{
	struct json_object *array;
	size_t g, r;

	for (g = 0; g < t->ngroups; g++) {
		if (!t->groups[g].key)
			continue;
		if (t->groups[g].flags & OUT_SINGLE) {
			r = t->groups[g].first_row;
			json_object_object_add(root, t->groups[g].key,
					       r < group_end(t, g) ? row_json(t, r) : NULL);
			continue;
		}
		array = json_object_new_array();
		for (r = t->groups[g].first_row; r < group_end(t, g); r++)
			json_object_array_add(array, row_json(t, r));
		json_object_object_add(root, t->groups[g].key, array);
	}
}

static void print_json(struct json_object *root, bool one_line)
{
	int flags = JSON_C_TO_STRING_NOSLASHESCAPE;
	const char *text;

	flags |= one_line ? JSON_C_TO_STRING_PLAIN :
			    JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED;
	text = json_object_to_json_string_ext(root, flags);

	if (text)
		put("%s\n", text);
	else if (!write_error)
		write_error = ENOMEM;
}

static void end_json(struct out_doc *doc)
{
	struct json_object *root = json_object_new_object();
	struct item *item;
	size_t i;

	json_object_object_add(root, "version", json_object_new_int(DOC_VERSION));
	json_object_object_add(root, "command", json_object_new_string(doc->command));
	for (i = 0; i < doc->nitems; i++) {
		item = &doc->items[i];
		if (item->kind == ITEM_TABLE && item->table)
			table_json(root, item->table);
		else if (item->kind == ITEM_FIELD && item->key)
			json_object_object_add(root, item->key, value_json(&item->value));
		else if (item->kind == ITEM_JSON)
			json_object_object_add(root, item->key, json_object_get(item->json));
	}
	print_json(root, doc->flags & OUT_STREAM);
	json_object_put(root);
}

int out_json(struct json_object *root)
{
	print_json(root, false);
	json_object_put(root);
	return out_check();
}

/* ---- TSV ---- */

static void put_tsv(const char *text)
{
	for (; *text; text++) {
		if (*text == '\t')
			put("\\t");
		else if (*text == '\n')
			put("\\n");
		else if (*text == '\\')
			put("\\\\");
		else
			put("%c", *text);
	}
}

static void table_tsv(const struct out_table *t, bool heading)
{
	const struct value *v;
	char buf[64];
	size_t g, r, c;
	bool first = true;

	for (c = 0; heading && c < t->ncols; c++) {
		if (!t->cols[c].key)
			continue;
		put("%s%s", first ? "" : "\t", t->cols[c].key);
		first = false;
	}
	if (heading)
		put("\n");
	for (g = 0; g < t->ngroups; g++) {
		if (t->groups[g].flags & OUT_NO_TSV || !t->groups[g].key)
			continue;
		for (r = t->groups[g].first_row; r < group_end(t, g); r++) {
			for (c = 0, first = true; c < t->ncols; c++) {
				if (!t->cols[c].key)
					continue;
				if (!first)
					put("\t");
				first = false;
				v = &t->cells[r * t->ncols + c];
				put_tsv(value_text(v, OUT_STR, 0, true, buf, sizeof(buf)));
			}
			put("\n");
		}
	}
}

static void end_tsv(struct out_doc *doc)
{
	static bool heading_done;
	struct item *item;
	char buf[64];
	size_t i;

	for (i = 0; i < doc->nitems; i++) {
		item = &doc->items[i];
		if (item->kind == ITEM_TABLE && item->table) {
			table_tsv(item->table, !(doc->flags & OUT_STREAM) || !heading_done);
			heading_done |= doc->flags & OUT_STREAM;
		} else if (item->kind == ITEM_FIELD && item->key) {
			put("%s%s\t", doc->has_table ? "#" : "", item->key);
			put_tsv(value_text(&item->value, OUT_STR, 0, true, buf, sizeof(buf)));
			put("\n");
		}
	}
}

/* ---- for people ---- */

static bool is_left(enum out_type type)
{
	return type == OUT_STR || type == OUT_BOOL;
}

/* Columns that a UTF-8 text takes, taking each character for one. */
static int text_width(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += (*s & 0xc0) != 0x80;
	return n;
}

static void put_cell(const char *text, int width, bool left, bool last)
{
	int pad = width - text_width(text);

	if (!left && pad > 0)
		put("%*s", pad, "");
	put("%s", text);
	if (left && pad > 0 && !last)
		put("%*s", pad, "");
}

static void table_people(const struct out_table *t)
{
	int *width = calloc(t->ncols + 1, sizeof(*width)), total = 0, bar = 0, w;
	char buf[64], drawn[3 * BAR_MAX + 1];
	const struct out_col *col;
	const struct value *v;
	const char *text;
	size_t g = 0, r, c, shown_last = 0;

	if (!width) {
		t->doc->nomem = true;
		return;
	}
	for (c = 0; c < t->ncols; c++) {
		col = &t->cols[c];
		if (!col->title || col->type == OUT_BAR)
			continue;
		width[c] = text_width(col->title);
		for (r = 0; r < t->nrows; r++) {
			v = &t->cells[r * t->ncols + c];
			text = value_text(v, col->type, col->digits, false, buf, sizeof(buf));
			w = text_width(text);
			if (w > width[c])
				width[c] = w;
		}
		total += width[c] + (total ? GAP : 0);
		shown_last = c;
	}
	if (t->ncols && t->cols[t->ncols - 1].type == OUT_BAR && term_is_tty()) {
		bar = term_width() ? term_width() - total - GAP - 1 : BAR_MAX;
		bar = bar > BAR_MAX ? BAR_MAX : bar < BAR_MIN ? 0 : bar;
	}

	put("%s", term_on(STYLE_HEAD));
	for (c = 0, w = 0; c <= shown_last; c++) {
		if (!t->cols[c].title || t->cols[c].type == OUT_BAR)
			continue;
		put("%*s", w++ ? GAP : 0, "");
		put_cell(t->cols[c].title, width[c], is_left(t->cols[c].type), c == shown_last);
	}
	put("%s\n", term_off(STYLE_HEAD));

	for (r = 0; r < t->nrows; r++) {
		for (; g + 1 < t->ngroups && r >= t->groups[g + 1].first_row; g++) {
			if (r != t->groups[g + 1].first_row || !r)
				continue;
			put("%s", term_on(STYLE_DIM));
			for (w = 0; w < total; w++)
				put("-");
			put("%s\n", term_off(STYLE_DIM));
		}
		put("%s", term_on(t->styles[r]));
		for (c = 0, w = 0; c <= shown_last; c++) {
			col = &t->cols[c];
			if (!col->title || col->type == OUT_BAR)
				continue;
			v = &t->cells[r * t->ncols + c];
			text = value_text(v, col->type, col->digits, false, buf, sizeof(buf));
			if (c == shown_last && !*text)
				continue;
			put("%*s", w++ ? GAP : 0, "");
			put_cell(text, width[c], is_left(col->type), c == shown_last);
		}
		v = &t->cells[r * t->ncols + t->ncols - 1];
		if (bar && !v->none) {
			term_bar(drawn, sizeof(drawn), v->d, bar, term_utf8());
			put("%*s%s", GAP, "", drawn);
		}
		put("%s\n", term_off(t->styles[r]));
	}
	free(width);
}

static void end_people(struct out_doc *doc)
{
	static bool painted;
	int width = 0, w;
	struct item *item;
	const char *text;
	char buf[64];
	size_t i;

	if (doc->flags & OUT_REPAINT) {
		put("%s%s", term_home(), painted && !term_home()[0] ? "\n" : "");
		painted = true;
	}
	for (i = 0; i < doc->nitems; i++)
		if (doc->items[i].kind == ITEM_FIELD && doc->items[i].label) {
			w = text_width(doc->items[i].label);
			width = w > width ? w : width;
		}
	for (i = 0; i < doc->nitems; i++) {
		item = &doc->items[i];
		if (item->kind == ITEM_TABLE && item->table) {
			table_people(item->table);
		} else if (item->kind == ITEM_TEXT && item->label) {
			put("%s%s%s\n", term_on(item->style), item->label, term_off(item->style));
		} else if (item->kind == ITEM_FIELD && item->label) {
			put_cell(item->label, width, true, false);
			text = value_text(&item->value, item->value.type, item->digits, false, buf,
					  sizeof(buf));
			put("%*s%s%s%s\n", GAP, "", text, item->unit ? " " : "",
			    item->unit ? item->unit : "");
		}
	}
}

/* ---- the end ---- */

int out_end(struct out_doc *doc)
{
	int ret = 0;

	if (!doc)
		return err_set(-ENOMEM, NULL, "out of memory");
	if (out_doc_complete(doc)) {
		if (format == OUT_JSON)
			end_json(doc);
		else if (format == OUT_TSV)
			end_tsv(doc);
		else
			end_people(doc);
	}
	if (doc->nomem)
		ret = err_set(-ENOMEM, NULL, "out of memory");
	out_doc_free(doc);
	return ret ? ret : out_check();
}
