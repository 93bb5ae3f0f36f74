/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Specs and results as JSON objects, by one table a struct. */
#ifndef NETTOLL_TRAFFIC_WIRE_H
#define NETTOLL_TRAFFIC_WIRE_H

#include <json-c/json.h>

#include "traffic/traffic.h"

enum wire_type {
	WIRE_U32, WIRE_I32, WIRE_U64, WIRE_BOOL, WIRE_F64, WIRE_STR, WIRE_U32S, WIRE_SPARSE,
	WIRE_SUB,
};

/*
 * @n: characters of a WIRE_STR, elements of the arrays. A WIRE_SPARSE array of u64 becomes
 * [[index, value], ...] without the zeros.
 */
struct wire_field {
	const char *name;
	enum wire_type type;
	size_t offset;
	size_t n;
	const struct wire_field *sub;
};

/* Each table ends with a field without name. */
extern const struct wire_field wire_spec[], wire_tx[], wire_rx[], wire_rtt[];

/** wire_pack() - struct to JSON object; NULL without memory */
struct json_object *wire_pack(const struct wire_field *fields, const void *from);

/**
 * wire_unpack() - JSON object to struct
 *
 * Fields that are absent keep their value. Return: 0, or -EPROTO if one has the wrong type or
 * does not fit; @bad then names it.
 */
int wire_unpack(const struct wire_field *fields, struct json_object *obj, void *to,
		const char **bad);

#endif
