/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading a JSON document so that an error names the file, the place in it, and what is allowed there. */
#ifndef NETTOLL_LADDER_JSONPATH_H
#define NETTOLL_LADDER_JSONPATH_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSONPATH_MAX	256

/** struct jsonpath - where we are in which file */
struct jsonpath {
	const char *file;
	size_t len;
	char path[JSONPATH_MAX];
};

/** jsonpath_load() - read a file; *@root is the caller's. -EINVAL with line and column for bad syntax */
int jsonpath_load(struct jsonpath *at, const char *file, struct json_object **root);

/** jsonpath_push(), jsonpath_push_index() - go into a member or an element; returns what to pop to */
size_t jsonpath_push(struct jsonpath *at, const char *key);
size_t jsonpath_push_index(struct jsonpath *at, size_t index);
void jsonpath_pop(struct jsonpath *at, size_t len);

/** jsonpath_error() - describe -EINVAL at this place */
int jsonpath_error(const struct jsonpath *at, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** jsonpath_context() - put file and place before the description of a failure */
int jsonpath_context(const struct jsonpath *at, int code);

/** jsonpath_keys() - refuse members that are neither in @keys (ends with NULL) nor "comment" */
int jsonpath_keys(const struct jsonpath *at, struct json_object *obj, const char *const *keys);

/** jsonpath_is() - whether @obj, found at this place, is of a type; -EINVAL, described */
int jsonpath_is(const struct jsonpath *at, struct json_object *obj, enum json_type type);

/** jsonpath_string() - copy a member; @required: its absence is an error, otherwise it is "" */
int jsonpath_string(struct jsonpath *at, struct json_object *obj, const char *key, bool required,
		    char *buf, size_t size);

/** jsonpath_scalar() - a string, number or boolean as text */
int jsonpath_scalar(const struct jsonpath *at, struct json_object *value, char *buf, size_t size);

#endif
