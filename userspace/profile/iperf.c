// SPDX-License-Identifier: GPL-2.0-or-later
/* What iperf3 --json wrote, as runs. */
#include "profile/iperf.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "lib/err.h"
#include "lib/fmt.h"

/* A member by its path ("end.sum_received"), or NULL. */
static struct json_object *get(struct json_object *o, const char *path)
{
	char key[64];
	size_t len;

	while (o && *path) {
		len = strcspn(path, ".");
		if (len >= sizeof(key))
			return NULL;
		memcpy(key, path, len);
		key[len] = '\0';
		path += len + (path[len] == '.');
		if (!json_object_is_type(o, json_type_object) || !json_object_object_get_ex(o, key, &o))
			return NULL;
	}
	return o;
}

static double number(struct json_object *o, const char *path)
{
	o = get(o, path);
	return json_object_is_type(o, json_type_double) || json_object_is_type(o, json_type_int) ?
	       json_object_get_double(o) : NAN;
}

static const char *text(struct json_object *o, const char *path)
{
	o = get(o, path);
	return json_object_is_type(o, json_type_string) ? json_object_get_string(o) : "";
}

static void copy(char *to, const char *from)
{
	snprintf(to, RECORD_NAME_MAX, "%s", from);
}

/* "Linux HOST RELEASE ..." */
static void read_system(struct json_object *root, struct record *r)
{
	const char *info = text(root, "start.system_info");
	char host[RECORD_NAME_MAX], kernel[RECORD_NAME_MAX];

	if (sscanf(info, "%*63s %63s %63s", host, kernel) == 2) {
		copy(r->host, host);
		copy(r->kernel, kernel);
	}
}

static void read_time(struct json_object *root, struct record *r)
{
	double seconds = number(root, "start.timestamp.timesecs");
	time_t t = (time_t)seconds;
	struct tm tm;

	if (seconds > 0 && gmtime_r(&t, &tm))
		strftime(r->time, sizeof(r->time), "%Y-%m-%dT%H:%M:%SZ", &tm);
}

/* The least RTT that any stream saw, and what each received. */
static void read_streams(struct json_object *root, struct record *r)
{
	struct json_object *streams = get(root, "end.streams"), *one;
	size_t i, n = json_object_is_type(streams, json_type_array) ? json_object_array_length(streams) : 0;
	double us, bps;

	for (i = 0; i < n && i < RECORD_STREAMS_MAX; i++) {
		one = json_object_array_get_idx(streams, i);
		us = number(one, "sender.min_rtt");
		if (us > 0)
			r->rtt_ms = fmin(isnan(r->rtt_ms) ? INFINITY : r->rtt_ms, us / 1e3);
		bps = number(one, "receiver.bits_per_second");
		r->stream_bps[r->nstream_bps++] = (float)bps;
	}
	r->rtt_measured_ms = r->rtt_ms;
}

/* The intervals as a trace, if they are of one length; what was omitted is no part of the run. */
static void read_trace(struct json_object *root, struct record *r)
{
	struct json_object *intervals = get(root, "intervals"), *sum;
	size_t i, n = json_object_is_type(intervals, json_type_array) ? json_object_array_length(intervals) : 0;
	struct record_trace *t;
	double seconds, first = NAN;

	t = n ? record_trace(r, 1, RECORD_SUM, n) : NULL;
	if (!t)
		return;
	t->n = 0;
	for (i = 0; i < n; i++) {
		sum = get(json_object_array_get_idx(intervals, i), "sum");
		if (json_object_get_boolean(get(sum, "omitted")))
			continue;
		seconds = number(sum, "seconds");
		if (isnan(first))
			first = seconds;
		/* The last one may be shorter. */
		if (!(fabs(seconds - first) < 0.1 * first))
			continue;
		t->bps[t->n++] = (float)number(sum, "bits_per_second");
	}
	t->interval_s = round(first * 100) / 100;
	if (!t->n || !(t->interval_s > 0))
		r->ntraces--;
}

static void read_buffer(struct json_object *root, struct record *r)
{
	double bytes = number(root, "start.sock_bufsize");

	/* What was asked for; without that the kernel adapts it. */
	if (!(bytes > 0)) {
		copy(r->buffer, "default");
		return;
	}
	r->buffer_bytes = bytes;
	fmt_size(r->buffer, sizeof(r->buffer), (uint64_t)bytes);
}

static void refuse(struct record *r, const char *why)
{
	if (r->valid)
		snprintf(r->reason, sizeof(r->reason), "%s", why);
	r->valid = false;
}

int iperf_read(const char *path, struct record *r)
{
	struct json_object *root = json_object_from_file(path);
	double streams;

	record_clear(r);
	if (!root)
		return err_set(-EINVAL, NULL, "%s: it cannot be read as JSON", path);
	if (!get(root, "start.version")) {
		json_object_put(root);
		return err_set(-EINVAL, NULL, "%s: it is not what iperf3 --json writes", path);
	}
	if (*text(root, "start.test_start.protocol") && strcmp(text(root, "start.test_start.protocol"), "TCP")) {
		err_set(-EINVAL, NULL, "%s: it is about %s, and profiles are about TCP", path,
			text(root, "start.test_start.protocol"));
		json_object_put(root);
		return -EINVAL;
	}
	r->valid = true;
	read_system(root, r);
	read_time(root, r);
	read_buffer(root, r);
	read_streams(root, r);
	read_trace(root, r);
	streams = number(root, "start.test_start.num_streams");
	r->streams = streams >= 1 && streams <= RECORD_STREAMS_MAX ? (uint32_t)streams : 1;
	r->seconds = number(root, "end.sum_received.seconds");
	r->throughput_bps = number(root, "end.sum_received.bits_per_second");
	copy(r->variant, text(root, "end.sender_tcp_congestion"));
	if (*text(root, "error"))
		refuse(r, text(root, "error"));
	if (!*r->variant) {
		copy(r->variant, "unknown");
		refuse(r, "iperf3 does not tell the congestion control");
	}
	if (!(r->rtt_ms > 0)) {
		r->rtt_ms = 0;
		refuse(r, "iperf3 does not tell the RTT");
	}
	if (!(r->throughput_bps > 0))
		refuse(r, "nothing was received");
	json_object_put(root);
	return 0;
}

void iperf_same_rtts(double *rtt_ms, size_t n)
{
	size_t first, end, i;
	double middle, digit;

	for (first = 0; first < n; first = end) {
		for (end = first + 1; end < n && rtt_ms[end] <= rtt_ms[end - 1] * (1 + IPERF_SAME_RTT); end++)
			;
		middle = rtt_ms[(first + end - 1) / 2];
		digit = middle > 0 ? pow(10, floor(log10(middle)) - 2) : 1;
		middle = digit < 1 ? round(middle / digit) / round(1 / digit) : round(middle / digit) * digit;
		for (i = first; i < end; i++)
			rtt_ms[i] = middle;
	}
}
