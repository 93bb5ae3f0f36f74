/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a document consists of, between out_doc.c, which builds it, and out.c, which prints it. */
#ifndef NETTOLL_LIB_OUT_DOC_H
#define NETTOLL_LIB_OUT_DOC_H

#include "lib/out.h"

struct value {
	enum out_type type;
	bool none;
	union {
		char *s;
		uint64_t u;
		int64_t i;
		double d;
		bool b;
	};
};

struct group {
	char *key;
	unsigned int flags;
	size_t first_row;
};

struct out_table {
	struct out_doc *doc;
	struct out_col *cols;
	size_t ncols;
	struct value *cells;
	size_t ncells, cells_max;
	enum term_style *styles;	/* of the rows */
	size_t nrows, rows_max;
	struct group *groups;
	size_t ngroups;
};

enum item_kind { ITEM_FIELD, ITEM_TEXT, ITEM_TABLE, ITEM_JSON };

struct item {
	enum item_kind kind;
	char *key, *label, *unit;
	int digits;
	enum term_style style;
	struct value value;
	struct out_table *table;
	struct json_object *json;
};

struct out_doc {
	char *command;
	unsigned int flags;
	struct item *items;
	size_t nitems;
	bool has_table;
	bool nomem;
};

/** out_doc_complete() - fill rows that lack cells; false when memory ran out on the way */
bool out_doc_complete(struct out_doc *doc);

void out_doc_free(struct out_doc *doc);

#endif
