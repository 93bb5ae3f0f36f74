// SPDX-License-Identifier: GPL-2.0-or-later
/* The traffic of a plan: members of "workload" objects, named as the options of nettoll traffic. */
#include "ladder/workload.h"

#include <errno.h>
#include <string.h>

#include "lib/args.h"
#include "lib/err.h"

#define COUNT_MAX	1000000000ull
#define BYTES_MAX	(1ull << 40)
#define SOCKBUF_MAX	(1u << 30)
#define HOUR_NS		3600000000000ull
#define DEFAULT_BATCH	32

enum kind {
	COUNT,		/* whole number into a u32 or u64 */
	BYTES,		/* with K, M, G */
	FLAG,
	RATE,
	TIME,
	SPECIAL,	/* see take_special() */
};

#define U32(name, kind, member, min, max) \
	{ name, kind, offsetof(struct traffic_spec, member), 4, min, max }
#define U64(name, kind, member, min, max) \
	{ name, kind, offsetof(struct traffic_spec, member), 8, min, max }
#define SWITCH(name, member) \
	{ name, FLAG, offsetof(struct traffic_spec, member), 1, 0, 1 }

/* What depends on the protocol or on other members is left to traffic_spec_check(). */
static const struct field {
	const char *name;
	enum kind kind;
	size_t offset;
	size_t size;
	uint64_t min, max;
} fields[] = {
	{ "proto", SPECIAL, 0, 0, 0, 0 },
	{ "mode", SPECIAL, 0, 0, 0, 0 },
	U32("size", BYTES, sizes[0], 1, TRAFFIC_TCP_MAX),
	U64("count", COUNT, count, 1, COUNT_MAX),
	U64("bytes", BYTES, bytes, 1, BYTES_MAX),
	U64("time", TIME, duration_ns, 1000000, HOUR_NS),
	{ "warmup", SPECIAL, 0, 0, 0, 0 },
	U32("segments", COUNT, segments, 0, TRAFFIC_SEGS_MAX),
	U32("batch", COUNT, batch, 1, TRAFFIC_BATCH_MAX),
	U32("window", COUNT, window, 0, COUNT_MAX),
	U64("rate", RATE, rate_bps, 0, 1000000000000000ull),
	U32("sndbuf", BYTES, sndbuf, 0, SOCKBUF_MAX),
	U32("rcvbuf", BYTES, rcvbuf, 0, SOCKBUF_MAX),
	U32("zc-slots", COUNT, zc_slots, 0, 1 << 20),
	U32("rx-size", BYTES, rx_size, 0, TRAFFIC_TCP_MAX),
	U32("rx-batch", COUNT, rx_batch, 1, TRAFFIC_BATCH_MAX),
	U32("busy-poll", COUNT, busy_poll_us, 0, 1000000),
	SWITCH("verify", verify),
	SWITCH("no-check", no_check),
	SWITCH("unconnected", unconnected),
	SWITCH("nodelay", nodelay),
	SWITCH("no-recverr", no_recverr),
	SWITCH("gro", gro),
	SWITCH("skip-rx-copy", skip_rx_copy),
};

#define NFIELDS	(sizeof(fields) / sizeof(*fields))

static int take_special(const struct field *f, const char *text, struct traffic_spec *spec)
{
	size_t len = strlen(text);

	if (!strcmp(f->name, "proto")) {
		if (strcmp(text, "udp") && strcmp(text, "tcp"))
			return err_set(-EINVAL, NULL, "proto is udp or tcp, not '%s'", text);
		spec->proto = !strcmp(text, "tcp") ? TRAFFIC_TCP : TRAFFIC_UDP;
		return 0;
	}
	if (!strcmp(f->name, "mode")) {
		if (traffic_mode_parse(text, &spec->mode))
			return err_set(-EINVAL, NULL, "mode is plain or some of zerocopy, gso and sendmmsg, "
				       "joined by +, not '%s'", text);
		return 0;
	}
	spec->warmup = spec->warmup_bytes = 0;
	if (len > 1 && (text[len - 1] == 'B' || text[len - 1] == 'b'))
		return arg_size("warmup", text, 0, BYTES_MAX, &spec->warmup_bytes);
	return arg_uint("warmup", text, 0, COUNT_MAX, &spec->warmup);
}

static int take(const struct field *f, const char *text, struct traffic_spec *spec)
{
	char *to = (char *)spec + f->offset;
	uint64_t n = 0;
	uint32_t n32;
	bool on;
	int ret = 0;

	switch (f->kind) {
	case COUNT:
		ret = arg_uint(f->name, text, f->min, f->max, &n);
		break;
	case BYTES:
		ret = arg_size(f->name, text, f->min, f->max, &n);
		break;
	case RATE:
		ret = arg_rate(f->name, text, f->min, f->max, &n);
		break;
	case TIME:
		ret = arg_duration(f->name, text, "s", f->min, f->max, &n);
		break;
	case FLAG:
		if (strcmp(text, "on") && strcmp(text, "off"))
			return err_set(-EINVAL, NULL, "%s is true or false, not '%s'", f->name, text);
		on = !strcmp(text, "on");
		memcpy(to, &on, sizeof(on));
		return 0;
	case SPECIAL:
		return take_special(f, text, spec);
	}
	if (ret)
		return ret;
	/* One way to say how much replaces another. */
	if (!strcmp(f->name, "count") || !strcmp(f->name, "bytes") || !strcmp(f->name, "time"))
		spec->count = spec->bytes = spec->duration_ns = 0;
	n32 = (uint32_t)n;
	memcpy(to, f->size == 4 ? (const void *)&n32 : (const void *)&n, f->size);
	return 0;
}

int workload_apply(struct jsonpath *at, struct json_object *obj, struct traffic_spec *spec)
{
	const char *names[NFIELDS + 1] = { NULL };
	char text[128];
	size_t i, old;
	int ret;

	if (!obj)
		return 0;
	for (i = 0; i < NFIELDS; i++)
		names[i] = fields[i].name;
	ret = jsonpath_is(at, obj, json_type_object);
	if (!ret)
		ret = jsonpath_keys(at, obj, names);
	if (ret)
		return ret;
	json_object_object_foreach(obj, key, value) {
		for (i = 0; i < NFIELDS && strcmp(key, fields[i].name); i++)
			;
		if (i == NFIELDS)
			continue;
		old = jsonpath_push(at, key);
		ret = jsonpath_scalar(at, value, text, sizeof(text));
		if (!ret) {
			ret = take(&fields[i], text, spec);
			if (ret)
				ret = jsonpath_context(at, ret);
		}
		if (ret)
			return ret;
		jsonpath_pop(at, old);
	}
	return 0;
}

int workload_check(const struct jsonpath *at, struct traffic_spec *spec)
{
	int ret;

	if (spec->mode & TRAFFIC_SENDMMSG && spec->batch == 1)
		spec->batch = DEFAULT_BATCH;
	ret = traffic_spec_check(spec);
	return ret ? jsonpath_context(at, ret) : 0;
}

double workload_bound(const struct traffic_spec *spec, uint32_t mtu)
{
	const double ether = 14;
	bool v6 = spec->family == 6 || strchr(spec->addr, ':');
	double ip = v6 ? 40 : 20, size = spec->sizes[0], piece, fragments;

	if (spec->proto == TRAFFIC_TCP)
		return mtu > ip + 32 ? (mtu - ip - 32) / (mtu + ether) : 0;
	if (size + 8 + ip <= mtu)
		return size / (size + 8 + ip + ether);
	/* Fragments carry whole units of 8 bytes; over IPv6, a header of 8 bytes more. */
	ip += v6 ? 8 : 0;
	if (mtu < ip + 8)
		return 0;
	piece = (double)((uint32_t)(mtu - ip) / 8 * 8);
	fragments = (double)(uint64_t)((size + 8 + piece - 1) / piece);
	return size / (size + 8 + fragments * (ip + ether));
}
