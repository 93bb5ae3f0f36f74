// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables that name every field of a spec and a result, and the code that walks them. */
#include "traffic/wire.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define F(kind, st, member) { #member, WIRE_##kind, offsetof(struct st, member), 1, NULL }
#define F_N(kind, st, member, count) \
	{ #member, WIRE_##kind, offsetof(struct st, member), count, NULL }
#define F_STR(st, member) F_N(STR, st, member, sizeof(((struct st *)0)->member))
#define F_SUB(st, member, table) { #member, WIRE_SUB, offsetof(struct st, member), 1, table }
#define F_END { NULL, WIRE_U32, 0, 0, NULL }

const struct wire_field wire_spec[] = {
#define S(kind, member) F(kind, traffic_spec, member)
	F_STR(traffic_spec, from), F_STR(traffic_spec, to), F_STR(traffic_spec, addr),
	F_STR(traffic_spec, source), S(U32, family), S(U32, port), S(U32, kind), S(U32, proto),
	S(U32, mode), S(U32, nsizes), F_N(U32S, traffic_spec, sizes, TRAFFIC_SIZES_MAX),
	S(U64, count), S(U64, duration_ns), S(U64, warmup), S(U32, segments), S(U32, batch),
	S(U32, window), S(U64, rate_bps), S(U32, sndbuf), S(U32, rcvbuf), S(U32, zc_slots),
	S(U32, rx_size), S(U32, rx_batch), S(U32, busy_poll_us), S(U32, timeout_ms),
	S(I32, cpu_from), S(I32, cpu_to), S(BOOL, verify), S(BOOL, no_check), S(BOOL, unconnected),
	S(BOOL, nodelay), S(BOOL, no_recverr), S(BOOL, gro), S(BOOL, skip_rx_copy),
#undef S
	F_END
};

static const struct wire_field wire_cpu[] = {
#define C(member) F(U64, traffic_cpu, member)
	C(user_ns), C(system_ns), C(thread_ns), C(switches_voluntary), C(switches_involuntary),
#undef C
	F_END
};

const struct wire_field wire_tx[] = {
#define T(member) F(U64, traffic_tx, member)
	T(messages), T(bytes), T(elapsed_ns), T(syscalls), T(sends), T(partial), T(local_drops),
	T(window_stalls), T(late_max_ns), T(end_markers), T(sndbuf), T(segments), T(batch),
	T(zc_sends), T(zc_completions), T(zc_copied), T(zc_bytes), T(zc_copied_bytes),
	T(zc_notifications), T(zc_backoffs), T(zc_waits), T(zc_limit),
	F_SUB(traffic_tx, cpu, wire_cpu),
#undef T
	F_END
};

const struct wire_field wire_rx[] = {
#define R(member) F(U64, traffic_rx, member)
	R(messages), R(bytes), R(warmup_messages), R(elapsed_ns), R(timed_bytes), R(timed_messages),
	R(syscalls), R(lost), R(reordered), R(reorder_max), R(duplicates), R(corrupted), R(foreign),
	R(socket_drops), R(acks), R(end_by), R(rcvbuf), R(gro_packets), R(gro_size_max),
	F_N(SPARSE, traffic_rx, gro_hist, TRAFFIC_GRO_HIST), F_SUB(traffic_rx, cpu, wire_cpu),
#undef R
	F_END
};

const struct wire_field wire_rtt[] = {
#define L(member) F(U64, traffic_rtt, member)
	L(size), L(sent), L(lost), L(corrupted), L(elapsed_ns), L(min), L(p50), L(p90), L(p99),
	L(p999), L(max), F(F64, traffic_rtt, mean), F(F64, traffic_rtt, sd),
	F_N(SPARSE, traffic_rtt, hist, TRAFFIC_HIST),
#undef L
	F_END
};

static struct json_object *pack_sparse(const uint64_t *values, size_t n)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; array && i < n; i++) {
		struct json_object *pair;

		if (!values[i])
			continue;
		pair = json_object_new_array();
		json_object_array_add(pair, json_object_new_uint64(i));
		json_object_array_add(pair, json_object_new_uint64(values[i]));
		json_object_array_add(array, pair);
	}
	return array;
}

static struct json_object *pack_field(const struct wire_field *f, const void *from)
{
	const void *at = (const char *)from + f->offset;
	struct json_object *array;

	switch (f->type) {
	case WIRE_U32:
		return json_object_new_uint64(*(const uint32_t *)at);
	case WIRE_I32:
		return json_object_new_int(*(const int32_t *)at);
	case WIRE_U64:
		return json_object_new_uint64(*(const uint64_t *)at);
	case WIRE_BOOL:
		return json_object_new_boolean(*(const bool *)at);
	case WIRE_F64:
		return json_object_new_double(*(const double *)at);
	case WIRE_STR:
		return json_object_new_string(at);
	case WIRE_SPARSE:
		return pack_sparse(at, f->n);
	case WIRE_SUB:
		return wire_pack(f->sub, at);
	case WIRE_U32S:
		array = json_object_new_array();
		for (size_t i = 0; array && i < f->n && ((const uint32_t *)at)[i]; i++)
			json_object_array_add(array,
					      json_object_new_uint64(((const uint32_t *)at)[i]));
		return array;
	}
	return NULL;
}

struct json_object *wire_pack(const struct wire_field *fields, const void *from)
{
	struct json_object *obj = json_object_new_object();

	for (; obj && fields->name; fields++)
		json_object_object_add(obj, fields->name, pack_field(fields, from));
	return obj;
}

/* A whole number from 0 to @max; json-c would quietly clip. */
static int get_number(struct json_object *v, uint64_t max, uint64_t *out)
{
	if (!json_object_is_type(v, json_type_int) ||
	    (json_object_get_int64(v) < 0 && json_object_get_uint64(v) == 0))
		return -EPROTO;
	*out = json_object_get_uint64(v);
	return *out <= max ? 0 : -EPROTO;
}

static int unpack_sparse(struct json_object *v, uint64_t *values, size_t n)
{
	size_t i, len;
	uint64_t at;

	if (!json_object_is_type(v, json_type_array))
		return -EPROTO;
	memset(values, 0, n * sizeof(*values));
	len = json_object_array_length(v);
	for (i = 0; i < len; i++) {
		struct json_object *pair = json_object_array_get_idx(v, i);

		if (!json_object_is_type(pair, json_type_array) ||
		    json_object_array_length(pair) != 2 ||
		    get_number(json_object_array_get_idx(pair, 0), n - 1, &at) ||
		    get_number(json_object_array_get_idx(pair, 1), UINT64_MAX, &values[at]))
			return -EPROTO;
	}
	return 0;
}

static int unpack_array(struct json_object *v, uint32_t *values, size_t n)
{
	size_t i, len;
	uint64_t number;

	if (!json_object_is_type(v, json_type_array))
		return -EPROTO;
	len = json_object_array_length(v);
	if (len > n)
		return -EPROTO;
	memset(values, 0, n * sizeof(*values));
	for (i = 0; i < len; i++) {
		if (get_number(json_object_array_get_idx(v, i), UINT32_MAX, &number))
			return -EPROTO;
		values[i] = (uint32_t)number;
	}
	return 0;
}

static int unpack_field(const struct wire_field *f, struct json_object *v, void *to,
			const char **bad)
{
	void *at = (char *)to + f->offset;
	uint64_t number;

	switch (f->type) {
	case WIRE_U32:
		if (get_number(v, UINT32_MAX, &number))
			return -EPROTO;
		*(uint32_t *)at = (uint32_t)number;
		return 0;
	case WIRE_I32:
		if (!json_object_is_type(v, json_type_int))
			return -EPROTO;
		*(int32_t *)at = json_object_get_int(v);
		return 0;
	case WIRE_U64:
		return get_number(v, UINT64_MAX, at);
	case WIRE_BOOL:
		if (!json_object_is_type(v, json_type_boolean))
			return -EPROTO;
		*(bool *)at = json_object_get_boolean(v);
		return 0;
	case WIRE_F64:
		if (!json_object_is_type(v, json_type_double) &&
		    !json_object_is_type(v, json_type_int))
			return -EPROTO;
		*(double *)at = json_object_get_double(v);
		return 0;
	case WIRE_STR:
		if (!json_object_is_type(v, json_type_string) ||
		    (size_t)json_object_get_string_len(v) >= f->n)
			return -EPROTO;
		snprintf(at, f->n, "%s", json_object_get_string(v));
		return 0;
	case WIRE_U32S:
		return unpack_array(v, at, f->n);
	case WIRE_SPARSE:
		return unpack_sparse(v, at, f->n);
	case WIRE_SUB:
		return json_object_is_type(v, json_type_object) ? wire_unpack(f->sub, v, at, bad)
								: -EPROTO;
	}
	return -EPROTO;
}

int wire_unpack(const struct wire_field *fields, struct json_object *obj, void *to,
		const char **bad)
{
	struct json_object *v;

	for (; fields->name; fields++) {
		if (!json_object_object_get_ex(obj, fields->name, &v))
			continue;
		*bad = fields->name;
		if (unpack_field(fields, v, to, bad))
			return -EPROTO;
	}
	*bad = NULL;
	return 0;
}
