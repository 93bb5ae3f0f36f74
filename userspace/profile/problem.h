/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong with measurements, named by file and line, a few of each kind, and counted. */
#ifndef NETTOLL_PROFILE_PROBLEM_H
#define NETTOLL_PROFILE_PROBLEM_H

#include <stddef.h>

struct json_object;

enum problem_kind {
	/* The line is left out. */
	PROBLEM_FOREIGN, PROBLEM_CUT, PROBLEM_BAD, PROBLEM_NAN, PROBLEM_ZERO, PROBLEM_INVALID, PROBLEM_TWICE,
	PROBLEM_CAPACITY,
	/* It counts. */
	PROBLEM_VARIANT, PROBLEM_CAMPAIGN,
	PROBLEM_KINDS
};

#define PROBLEM_KEPT	4	/* of a kind; the others are counted */

struct problem {
	char *text;		/* FILE:LINE: WHAT */
};

struct problems {
	size_t count[PROBLEM_KINDS];
	struct problem kept[PROBLEM_KINDS][PROBLEM_KEPT];
};

/** problem_add() - note one; cheap for those beyond the first few of a kind */
void problem_add(struct problems *p, enum problem_kind kind, const char *file, size_t line, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/** problem_word() - the name of a kind in JSON */
const char *problem_word(enum problem_kind kind);

/** problem_left_out() - how many lines do not count */
size_t problem_left_out(const struct problems *p);

/** problem_warn() - print them on stderr */
void problem_warn(const struct problems *p);

/** problem_json() - an array of { kind, count, first: [text, ...] }; NULL without memory */
struct json_object *problem_json(const struct problems *p);

void problem_free(struct problems *p);

#endif
