/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading JSON from memory as it goes by, without a tree: for many lines with long rows of numbers. */
#ifndef NETTOLL_PROFILE_SCAN_H
#define NETTOLL_PROFILE_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct scan - where reading has come to
 * @at, @end: what is left of the text
 * @fresh: an object or array was just opened, so that no comma is due
 * @depth: of the objects and arrays that are open
 * @why: what was wrong first; NULL: nothing. All functions do nothing once it is set.
 * @cut: the text ended where more was due, as when a writer was killed
 */
struct scan {
	const char *at, *end;
	bool fresh;
	unsigned int depth;
	const char *why;
	bool cut;
};

enum scan_type { SCAN_NONE, SCAN_OBJECT, SCAN_ARRAY, SCAN_STRING, SCAN_NUMBER, SCAN_BOOL, SCAN_NULL };

/** scan_begin() - read @len bytes at @text, which must outlive @s */
void scan_begin(struct scan *s, const char *text, size_t len);

/** scan_peek() - what comes next; NaN and Infinity, which JSON does not have but people write, are numbers */
enum scan_type scan_peek(struct scan *s);

/** scan_object(), scan_array() - enter one; false if none comes next */
bool scan_object(struct scan *s);
bool scan_array(struct scan *s);

/**
 * scan_key() - the next member of the object
 * @key: room for @size bytes; a key that is longer is cut short
 *
 * Return: whether there is one. Its value has to be read, or skipped, before the next call.
 */
bool scan_key(struct scan *s, char *key, size_t size);

/** scan_item() - whether the array has a next element */
bool scan_item(struct scan *s);

/** scan_number() - a number; null is NaN. Infinity and NaN are what they say. */
double scan_number(struct scan *s);

/** scan_string() - a string, cut short to @size; null is "" */
void scan_string(struct scan *s, char *text, size_t size);

/** scan_bool() - true or false */
bool scan_bool(struct scan *s);

/** scan_skip() - any value */
void scan_skip(struct scan *s);

/** scan_end() - whether all was sound, and nothing but white space is left */
bool scan_end(struct scan *s);

/** scan_fail() - have all further calls fail for this reason */
void scan_fail(struct scan *s, const char *why);

#endif
