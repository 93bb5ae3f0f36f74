// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON document of a result; nettoll-traffic(8) describes its members. */
#include <json-c/json.h>
#include <string.h>

#include "traffic/latency.h"
#include "traffic/wire.h"

static void add(struct json_object *obj, const char *key, struct json_object *value)
{
	json_object_object_add(obj, key, value);
}

static void add_str(struct json_object *obj, const char *key, const char *value)
{
	add(obj, key, json_object_new_string(value));
}

static void add_ratio(struct json_object *obj, const char *key, double part, double whole)
{
	add(obj, key, whole > 0 ? json_object_new_double(part / whole) : NULL);
}

static void add_cpu_share(struct json_object *obj, const struct traffic_cpu *cpu,
			  uint64_t elapsed_ns)
{
	add_ratio(obj, "cpu_share", (double)cpu->thread_ns, (double)elapsed_ns);
}

static struct json_object *spec_json(const struct traffic_spec *spec)
{
	struct json_object *obj = wire_pack(wire_spec, spec);

	add_str(obj, "kind", spec->kind == TRAFFIC_PING ? "ping" : "stream");
	add_str(obj, "proto", spec->proto == TRAFFIC_TCP ? "tcp" : "udp");
	add_str(obj, "mode", traffic_mode_name(spec->mode));
	json_object_object_del(obj, "nsizes");
	return obj;
}

static struct json_object *sender_json(const struct traffic_tx *tx)
{
	struct json_object *obj = wire_pack(wire_tx, tx);

	add_ratio(obj, "bytes_per_syscall", (double)tx->bytes, (double)tx->syscalls);
	add_cpu_share(obj, &tx->cpu, tx->elapsed_ns);
	return obj;
}

static struct json_object *receiver_json(const struct traffic_rx *rx)
{
	static const char *const ends[] = { "last-message", "end-marker", "sample" };
	struct json_object *obj = wire_pack(wire_rx, rx), *list = json_object_new_array();

	add_str(obj, "end_by", ends[rx->end_by < 3 ? rx->end_by : 2]);
	add_ratio(obj, "bytes_per_syscall", (double)rx->bytes, (double)rx->syscalls);
	add_cpu_share(obj, &rx->cpu, rx->elapsed_ns);
	for (uint32_t i = 0; i < TRAFFIC_GRO_HIST; i++) {
		struct json_object *o;

		if (!rx->gro_hist[i])
			continue;
		o = json_object_new_object();
		add(o, "segments", json_object_new_uint64(i));
		add(o, "packets", json_object_new_uint64(rx->gro_hist[i]));
		json_object_array_add(list, o);
	}
	json_object_object_del(obj, "gro_hist");
	add(obj, "gro_segments", list);
	return obj;
}

static struct json_object *rtt_json(const struct traffic_rtt *rtt)
{
	static const char *const in_ns[][2] = {
		{ "min", "min_ns" },   { "p50", "p50_ns" },   { "p90", "p90_ns" },
		{ "p99", "p99_ns" },   { "p999", "p999_ns" }, { "max", "max_ns" },
		{ "mean", "mean_ns" }, { "sd", "sd_ns" },
	};
	struct json_object *obj = wire_pack(wire_rtt, rtt), *list = json_object_new_array(), *v;

	for (size_t i = 0; i < sizeof(in_ns) / sizeof(*in_ns); i++) {
		if (!json_object_object_get_ex(obj, in_ns[i][0], &v))
			continue;
		add(obj, in_ns[i][1], json_object_get(v));
		json_object_object_del(obj, in_ns[i][0]);
	}
	add(obj, "half_p50_ns", json_object_new_double((double)rtt->p50 / 2));
	add(obj, "half_mean_ns", json_object_new_double(rtt->mean / 2));
	for (unsigned int b = 0; b < TRAFFIC_HIST; b++) {
		struct json_object *o;

		if (!rtt->hist[b])
			continue;
		o = json_object_new_object();
		add(o, "from_ns", json_object_new_uint64(latency_bucket_low(b)));
		add(o, "below_ns", b + 1 < TRAFFIC_HIST ?
		    json_object_new_uint64(latency_bucket_low(b + 1)) : NULL);
		add(o, "count", json_object_new_uint64(rtt->hist[b]));
		json_object_array_add(list, o);
	}
	json_object_object_del(obj, "hist");
	add(obj, "histogram", list);
	return obj;
}

struct json_object *traffic_result_json(const struct traffic_spec *spec,
					const struct traffic_result *result)
{
	struct json_object *doc = json_object_new_object(), *list;

	if (!doc)
		return NULL;
	add(doc, "version", json_object_new_int(TRAFFIC_VERSION));
	add_str(doc, "command", "traffic");
	add_str(doc, "kind", spec->kind == TRAFFIC_PING ? "ping" : "stream");
	add_str(doc, "address", result->addr);
	add(doc, "port", json_object_new_uint64(result->port));
	add(doc, "spec", spec_json(spec));
	if (spec->kind == TRAFFIC_PING) {
		list = json_object_new_array();
		for (uint32_t i = 0; i < result->nrtt; i++)
			json_object_array_add(list, rtt_json(&result->rtt[i]));
		add(doc, "rtt", list);
	} else {
		add(doc, "throughput_bps", json_object_new_double(traffic_rate(result)));
		add(doc, "messages_per_second",
		    json_object_new_double(traffic_message_rate(result)));
		add_str(doc, "timed_by", traffic_too_short(result) ? "sender" : "receiver");
		add_ratio(doc, "loss_ratio", (double)result->rx.lost,
			  (double)(result->rx.lost + result->rx.messages));
	}
	add(doc, "sender", sender_json(&result->tx));
	add(doc, "receiver", receiver_json(&result->rx));
	return doc;
}
