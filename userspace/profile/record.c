// SPDX-License-Identifier: GPL-2.0-or-later
/* One measured run as a line of JSON: the format of the store, read. */
#include "profile/record.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "profile/scan.h"

#define KEY_MAX		24	/* longer than any member's name */
#define TRACE_FIRST	128	/* samples */

/* Members that a run must have; bits of what was seen. */
enum {
	HAS_CAMPAIGN = 1, HAS_VARIANT = 2, HAS_BUFFER = 4, HAS_STREAMS = 8, HAS_RTT = 16, HAS_REPEAT = 32,
	HAS_THROUGHPUT = 64, HAS_VALID = 128,
};

static const char *const needed[] = { "campaign", "variant", "buffer", "streams", "rtt_ms", "repeat",
				      "throughput_bps", "valid" };

void record_clear(struct record *r)
{
	r->campaign[0] = r->time[0] = r->kernel[0] = r->host[0] = r->variant[0] = r->buffer[0] = '\0';
	r->buffer_bytes = 0;
	r->streams = r->repeat = 0;
	r->rtt_ms = r->rtt_measured_ms = r->seconds = r->capacity_bps = r->throughput_bps = NAN;
	r->busy_us = r->rwnd_us = r->sndbuf_us = NAN;
	r->nstream_bps = r->ntraces = 0;
	r->valid = false;
	r->reason[0] = '\0';
}

void record_free(struct record *r)
{
	size_t i;

	for (i = 0; i < RECORD_TRACES_MAX; i++) {
		free(r->traces[i].bps);
		r->traces[i].bps = NULL;
		r->traces[i].max = 0;
	}
	record_clear(r);
}

static bool trace_room(struct record_trace *t, size_t n)
{
	size_t max = t->max ? t->max : TRACE_FIRST;
	float *bps;

	if (n <= t->max)
		return true;
	while (max < n)
		max *= 2;
	bps = realloc(t->bps, max * sizeof(*bps));
	if (!bps)
		return false;
	t->bps = bps;
	t->max = max;
	return true;
}

struct record_trace *record_trace(struct record *r, double interval_s, int stream, size_t n)
{
	struct record_trace *t;

	if (r->ntraces == RECORD_TRACES_MAX || !trace_room(&r->traces[r->ntraces], n))
		return NULL;
	t = &r->traces[r->ntraces++];
	t->interval_s = interval_s;
	t->stream = stream;
	t->n = n;
	return t;
}

/* A whole number, or one that is too large to be any. */
static uint32_t whole(struct scan *s)
{
	double v = scan_number(s);

	return v >= 0 && v < UINT32_MAX && v == floor(v) ? (uint32_t)v : UINT32_MAX;
}

static void parse_trace(struct scan *s, struct record *r)
{
	struct record_trace *t = record_trace(r, NAN, RECORD_SUM, 0);
	char key[KEY_MAX];
	uint32_t stream;

	if (!t) {
		scan_fail(s, "it has too many traces");
		return;
	}
	for (scan_object(s); scan_key(s, key, sizeof(key));) {
		if (!strcmp(key, "interval_s")) {
			t->interval_s = scan_number(s);
		} else if (!strcmp(key, "stream") && scan_peek(s) == SCAN_NUMBER) {
			stream = whole(s);
			t->stream = stream < RECORD_STREAMS_MAX ? (int)stream : RECORD_STREAMS_MAX;
		} else if (!strcmp(key, "bps")) {
			for (t->n = 0, scan_array(s); scan_item(s);) {
				if (!trace_room(t, t->n + 1)) {
					scan_fail(s, "out of memory");
					return;
				}
				t->bps[t->n++] = (float)scan_number(s);
			}
		} else {
			scan_skip(s);
		}
	}
	if (!s->why && !(t->interval_s > 0 && t->stream < RECORD_STREAMS_MAX))
		scan_fail(s, "a trace needs an interval_s above 0, and at most 256 streams");
}

static void parse_limited(struct scan *s, struct record *r)
{
	char key[KEY_MAX];

	for (scan_object(s); scan_key(s, key, sizeof(key));) {
		if (!strcmp(key, "busy_us"))
			r->busy_us = scan_number(s);
		else if (!strcmp(key, "rwnd_us"))
			r->rwnd_us = scan_number(s);
		else if (!strcmp(key, "sndbuf_us"))
			r->sndbuf_us = scan_number(s);
		else
			scan_skip(s);
	}
}

static unsigned int parse_text(struct scan *s, const char *key, struct record *r)
{
	struct { const char *key; char *to; size_t size; unsigned int has; } texts[] = {
		{ "campaign", r->campaign, sizeof(r->campaign), HAS_CAMPAIGN },
		{ "time", r->time, sizeof(r->time), 0 },
		{ "kernel", r->kernel, sizeof(r->kernel), 0 },
		{ "host", r->host, sizeof(r->host), 0 },
		{ "variant", r->variant, sizeof(r->variant), HAS_VARIANT },
		{ "buffer", r->buffer, sizeof(r->buffer), HAS_BUFFER },
		{ "reason", r->reason, sizeof(r->reason), 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if (strcmp(key, texts[i].key))
			continue;
		scan_string(s, texts[i].to, texts[i].size);
		return texts[i].to[0] ? texts[i].has : 0;
	}
	scan_skip(s);
	return 0;
}

/* One member; returns the bit of a needed one. */
static unsigned int parse_member(struct scan *s, const char *key, struct record *r)
{
	struct { const char *key; double *to; unsigned int has; } numbers[] = {
		{ "throughput_bps", &r->throughput_bps, HAS_THROUGHPUT },
		{ "rtt_ms", &r->rtt_ms, HAS_RTT },
		{ "rtt_measured_ms", &r->rtt_measured_ms, 0 },
		{ "buffer_bytes", &r->buffer_bytes, 0 },
		{ "duration_s", &r->seconds, 0 },
		{ "capacity_bps", &r->capacity_bps, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (strcmp(key, numbers[i].key))
			continue;
		*numbers[i].to = scan_number(s);
		return numbers[i].has;
	}
	if (!strcmp(key, "streams")) {
		r->streams = whole(s);
		return HAS_STREAMS;
	}
	if (!strcmp(key, "repeat")) {
		r->repeat = whole(s);
		return HAS_REPEAT;
	}
	if (!strcmp(key, "valid")) {
		r->valid = scan_bool(s);
		return HAS_VALID;
	}
	if (!strcmp(key, "limited") && scan_peek(s) == SCAN_OBJECT) {
		parse_limited(s, r);
		return 0;
	}
	if (!strcmp(key, "stream_bps") && scan_peek(s) == SCAN_ARRAY) {
		for (r->nstream_bps = 0, scan_array(s); scan_item(s);) {
			if (r->nstream_bps == RECORD_STREAMS_MAX)
				scan_fail(s, "it has more than 256 streams");
			else
				r->stream_bps[r->nstream_bps++] = (float)scan_number(s);
		}
		return 0;
	}
	if (!strcmp(key, "traces") && scan_peek(s) == SCAN_ARRAY) {
		for (scan_array(s); scan_item(s);)
			parse_trace(s, r);
		return 0;
	}
	return parse_text(s, key, r);
}

static enum record_fault fault(enum record_fault f, char *why, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static enum record_fault fault(enum record_fault f, char *why, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, size, fmt, ap);
	va_end(ap);
	return f;
}

/* Whether the values of a run that was read can be. */
static enum record_fault check(const struct record *r, unsigned int has, char *why, size_t size)
{
	size_t i;

	for (i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		if (!(has & 1u << i))
			return fault(RECORD_BAD, why, size, "it has no %s", needed[i]);
	if (!(r->rtt_ms >= 0 && isfinite(r->rtt_ms)))
		return fault(isnan(r->rtt_ms) ? RECORD_NAN : RECORD_BAD, why, size,
			     "rtt_ms is %g, not a time from 0 up", r->rtt_ms);
	if (!r->streams || r->streams > RECORD_STREAMS_MAX)
		return fault(RECORD_BAD, why, size, "streams is no whole number from 1 to %d", RECORD_STREAMS_MAX);
	if (r->repeat == UINT32_MAX)
		return fault(RECORD_BAD, why, size, "repeat is not a whole number");
	if (!(r->buffer_bytes >= 0 && isfinite(r->buffer_bytes)))
		return fault(RECORD_BAD, why, size, "buffer_bytes is %g, not a size", r->buffer_bytes);
	if (r->capacity_bps <= 0 || isinf(r->capacity_bps) || r->seconds <= 0 || isinf(r->seconds))
		return fault(RECORD_BAD, why, size, "capacity_bps and duration_s have to be above 0");
	/* What was not measured properly may have any throughput. */
	if (!r->valid)
		return RECORD_OK;
	if (!isfinite(r->throughput_bps))
		return fault(RECORD_NAN, why, size, "throughput_bps is %s",
			     isnan(r->throughput_bps) ? "not a number" : "infinite");
	if (r->throughput_bps < 0)
		return fault(RECORD_BAD, why, size, "throughput_bps is %g, below 0", r->throughput_bps);
	if (r->throughput_bps == 0)
		return fault(RECORD_ZERO, why, size, "throughput_bps is 0: nothing was received");
	return RECORD_OK;
}

enum record_fault record_parse(const char *line, size_t len, struct record *r, char *why, size_t size)
{
	unsigned int has = 0;
	char key[KEY_MAX];
	bool ours = false;
	struct scan s;

	record_clear(r);
	scan_begin(&s, line, len);
	if (scan_peek(&s) != SCAN_OBJECT)
		return fault(RECORD_FOREIGN, why, size, "it is not a JSON object");
	for (scan_object(&s); scan_key(&s, key, sizeof(key));) {
		if (!ours && !strcmp(key, "nettoll_run")) {
			if (whole(&s) != RECORD_VERSION)
				return fault(RECORD_FOREIGN, why, size, "it is a run of another version than %d",
					     RECORD_VERSION);
			ours = true;
			continue;
		}
		/* The mark comes first, so that nothing else has to be read of what is foreign. */
		if (!ours)
			return fault(RECORD_FOREIGN, why, size, "it is not a run: it does not begin with nettoll_run");
		has |= parse_member(&s, key, r);
	}
	if (!scan_end(&s))
		return fault(s.cut ? RECORD_CUT : RECORD_FOREIGN, why, size, "%s", s.why);
	if (!ours)
		return fault(RECORD_FOREIGN, why, size, "it is not a run: it does not begin with nettoll_run");
	return check(r, has, why, size);
}
