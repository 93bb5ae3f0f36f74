// SPDX-License-Identifier: GPL-2.0-or-later
/* One measured run as a line of JSON: the format of the store, written. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "lib/err.h"
#include "profile/record.h"

#define DIGITS		12	/* of a throughput: below a bit per second up to 1 Tb/s */
#define TRACE_DIGITS	7	/* of a sample, which is a float */

static void put_text(FILE *f, const char *key, const char *text)
{
	const unsigned char *c;

	fprintf(f, ",\"%s\":", key);
	if (!*text) {
		fputs("null", f);
		return;
	}
	fputc('"', f);
	for (c = (const unsigned char *)text; *c; c++) {
		if (*c == '"' || *c == '\\')
			fprintf(f, "\\%c", *c);
		else if (*c < ' ')
			fprintf(f, "\\u%04x", *c);
		else
			fputc(*c, f);
	}
	fputc('"', f);
}

static void put_value(FILE *f, double v, int digits)
{
	if (isfinite(v))
		fprintf(f, "%.*g", digits, v);
	else
		fputs("null", f);
}

static void put_number(FILE *f, const char *key, double v)
{
	fprintf(f, ",\"%s\":", key);
	put_value(f, v, DIGITS);
}

static void put_row(FILE *f, const char *key, const float *v, size_t n)
{
	size_t i;

	fprintf(f, ",\"%s\":[", key);
	for (i = 0; i < n; i++) {
		if (i)
			fputc(',', f);
		put_value(f, v[i], TRACE_DIGITS);
	}
	fputc(']', f);
}

static void put_traces(FILE *f, const struct record *r)
{
	size_t i;

	fputs(",\"traces\":[", f);
	for (i = 0; i < r->ntraces; i++) {
		fprintf(f, "%s{\"stream\":", i ? "," : "");
		if (r->traces[i].stream == RECORD_SUM)
			fputs("null", f);
		else
			fprintf(f, "%d", r->traces[i].stream);
		put_number(f, "interval_s", r->traces[i].interval_s);
		put_row(f, "bps", r->traces[i].bps, r->traces[i].n);
		fputc('}', f);
	}
	fputc(']', f);
}

int record_write(FILE *f, const struct record *r)
{
	fprintf(f, "{\"nettoll_run\":%d", RECORD_VERSION);
	put_text(f, "campaign", r->campaign);
	put_text(f, "time", r->time);
	put_text(f, "kernel", r->kernel);
	put_text(f, "host", r->host);
	put_text(f, "variant", r->variant);
	put_text(f, "buffer", r->buffer);
	put_number(f, "buffer_bytes", r->buffer_bytes);
	fprintf(f, ",\"streams\":%" PRIu32, r->streams);
	put_number(f, "rtt_ms", r->rtt_ms);
	put_number(f, "rtt_measured_ms", r->rtt_measured_ms);
	fprintf(f, ",\"repeat\":%" PRIu32, r->repeat);
	put_number(f, "duration_s", r->seconds);
	put_number(f, "capacity_bps", r->capacity_bps);
	put_number(f, "throughput_bps", r->throughput_bps);
	put_row(f, "stream_bps", r->stream_bps, r->nstream_bps);
	fputs(",\"limited\":{\"busy_us\":", f);
	put_value(f, r->busy_us, DIGITS);
	put_number(f, "rwnd_us", r->rwnd_us);
	put_number(f, "sndbuf_us", r->sndbuf_us);
	fputc('}', f);
	put_traces(f, r);
	fprintf(f, ",\"valid\":%s", r->valid ? "true" : "false");
	put_text(f, "reason", r->reason);
	fputs("}\n", f);
	if (!ferror(f))
		return 0;
	return err_set(errno ? -errno : -EIO, NULL, "cannot write a run: %s", strerror(errno ? errno : EIO));
}
