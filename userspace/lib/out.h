/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Printing results: one description of a document becomes a table, TSV or JSON. */
#ifndef NETTOLL_LIB_OUT_H
#define NETTOLL_LIB_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/term.h"

struct json_object;

/*
 * A document has fields and tables, in the order they are added.
 *   people  fields as aligned lines "label  value unit", tables aligned, free text
 *   JSON    one object: "version", "command", fields as members, tables as arrays of objects
 *   TSV     tables as a line of keys and then rows; fields as lines "key TAB value", with a '#'
 *           before the key if the document has a table
 * Lack of memory and write errors are kept and returned by out_end() and out_close().
 */

enum out_format { OUT_PEOPLE, OUT_TSV, OUT_JSON };

/** out_set_format(), out_format() - what --json and --tsv said */
void out_set_format(enum out_format format);
enum out_format out_format(void);

enum out_type {
	OUT_STR,
	OUT_UINT,
	OUT_INT,
	OUT_BOOL,
	OUT_REAL,	/* digits: behind the point */
	OUT_SI,		/* a real; people see digits significant ones and k, M, G */
	OUT_BAR,	/* a share from 0 to 1, drawn; last column, people at a terminal only */
};

/**
 * struct out_col - a column of a table
 * @key: JSON member and TSV heading; NULL: for people only
 * @title: heading for people; NULL: for programs only
 * @type: of its cells
 * @digits: see enum out_type
 */
struct out_col {
	const char *key;
	const char *title;
	enum out_type type;
	int digits;
};

/* Flags of out_begin(). */
#define OUT_STREAM	1u	/* one of many: JSON on one line, TSV keys once, flushed */
#define OUT_REPAINT	2u	/* on a terminal, in place of the one before; else an empty line apart */

struct out_doc;
struct out_table;

/**
 * out_begin() - begin a document
 * @command: name of the command; also says which schema in Documentation/json-schema it follows
 */
struct out_doc *out_begin(const char *command, unsigned int flags);

/*
 * Fields. @key NULL: for people only; @label NULL: for programs only. @unit follows the value for
 * people, may be NULL.
 */
void out_str(struct out_doc *doc, const char *key, const char *label, const char *value);
void out_uint(struct out_doc *doc, const char *key, const char *label, uint64_t value,
	      const char *unit);
void out_int(struct out_doc *doc, const char *key, const char *label, int64_t value,
	     const char *unit);
void out_bool(struct out_doc *doc, const char *key, const char *label, bool value);
/** out_real() - NaN is null in JSON and "-" elsewhere */
void out_real(struct out_doc *doc, const char *key, const char *label, double value, int digits,
	      const char *unit);
/** out_json_field() - for programs that read JSON only; takes over @value */
void out_json_field(struct out_doc *doc, const char *key, struct json_object *value);
/** out_text() - a line for people only */
void out_text(struct out_doc *doc, enum term_style style, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * out_table() - add a table
 * @key: JSON member that holds the rows
 * @cols: copied, but for the strings
 */
struct out_table *out_table(struct out_doc *doc, const char *key, const struct out_col *cols,
			    size_t ncols);

/* Flags of out_group(). */
#define OUT_SINGLE	1u	/* one row: the JSON member is its object, not an array */
#define OUT_NO_TSV	2u	/* rows that would be counted twice by those who add up */

/**
 * out_group() - begin a group of rows of the same columns, below a line for people
 * @key: JSON member that holds them; NULL: for people only
 */
void out_group(struct out_table *table, const char *key, unsigned int flags);

/** out_row() - begin a row; its cells follow from left to right, one call each */
void out_row(struct out_table *table, enum term_style style);
void cell_str(struct out_table *table, const char *value);	/* NULL: none */
void cell_uint(struct out_table *table, uint64_t value);
void cell_int(struct out_table *table, int64_t value);
void cell_bool(struct out_table *table, bool value);
void cell_real(struct out_table *table, double value);		/* NaN: none; also SI and BAR */
void cell_none(struct out_table *table);			/* "-"; null */

/**
 * out_end() - print the document and free it
 *
 * Return: 0, or a negative errno described by err_set().
 */
int out_end(struct out_doc *doc);

/** out_drop() - free a document unprinted; returns 0 */
int out_drop(struct out_doc *doc);

/**
 * out_redirect() - write the results to a file instead of standard output
 *
 * Return: 0, or a negative errno described by err_set().
 */
int out_redirect(const char *path);

/** out_json() - print a ready JSON object as the result, indented; takes it over; as out_end() */
int out_json(struct json_object *root);

/** out_printf() - print text that is no result: help, a version */
void out_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/**
 * out_check() - flush standard output and see whether all was written
 *
 * Return: 0, or a negative errno (-EPIPE, -ENOSPC, ...) described by err_set().
 */
int out_check(void);

/** out_close() - the same, with the last chance to fail: close; for main() */
int out_close(void);

#endif
