/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One measured run as a line of JSON: the format of the store, read and written. */
#ifndef NETTOLL_PROFILE_RECORD_H
#define NETTOLL_PROFILE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Documentation/json-schema/profile-run.json describes the members. */
#define RECORD_VERSION		1
#define RECORD_NAME_MAX		64
#define RECORD_REASON_MAX	128
#define RECORD_STREAMS_MAX	256
#define RECORD_TRACES_MAX	(2 * (RECORD_STREAMS_MAX + 1))
#define RECORD_SUM		(-1)	/* as the stream of a trace: of all together */

/**
 * struct record_trace - throughput over the time of a run
 * @interval_s: length of a sample
 * @stream: from 0; RECORD_SUM: all
 * @bps: @n samples, bits per second; NaN for one that was not taken
 */
struct record_trace {
	double interval_s;
	int stream;
	float *bps;
	size_t n, max;
};

/**
 * struct record - one run
 * @campaign: what was measured together, and may be compared
 * @variant: congestion control
 * @buffer: as asked for ("64M", "bdp:2", "default"); runs of the same words make up a profile
 * @buffer_bytes: what that is for this run, for each stream; 0: left to the kernel
 * @rtt_ms: as asked for; runs of the same RTT are repeats
 * @rtt_measured_ms, @capacity_bps, @seconds, @busy_us, @rwnd_us, @sndbuf_us: NaN when not known. The last three are
 *	TCP_INFO's times, summed over the streams: with data to send, and of these, held up by the receiver's window
 *	and by the send buffer.
 * @throughput_bps: payload received, over the whole run
 * @reason: why it is not valid
 */
struct record {
	char campaign[RECORD_NAME_MAX], time[RECORD_NAME_MAX], kernel[RECORD_NAME_MAX], host[RECORD_NAME_MAX];
	char variant[RECORD_NAME_MAX], buffer[RECORD_NAME_MAX];
	double buffer_bytes;
	uint32_t streams, repeat;
	double rtt_ms, rtt_measured_ms, seconds, capacity_bps, throughput_bps;
	double busy_us, rwnd_us, sndbuf_us;
	float stream_bps[RECORD_STREAMS_MAX];
	size_t nstream_bps;
	struct record_trace traces[RECORD_TRACES_MAX];
	size_t ntraces;
	bool valid;
	char reason[RECORD_REASON_MAX];
};

enum record_fault {
	RECORD_OK,
	RECORD_FOREIGN,		/* no run of ours */
	RECORD_CUT,		/* the line ends in the middle */
	RECORD_BAD,		/* a member is missing, or has a value that cannot be */
	RECORD_NAN,		/* a value is not a number where one is needed */
	RECORD_ZERO,		/* nothing was received */
};

/**
 * record_parse() - read a line
 * @r: zeroed before the first use; its memory is used again, and freed by record_free()
 * @why: what is wrong with it, @size bytes
 *
 * Members that it does not know are passed over, so that others may add theirs.
 */
enum record_fault record_parse(const char *line, size_t len, struct record *r, char *why, size_t size);

/**
 * record_trace() - add a trace to a record, for @n samples
 *
 * Return: it, with room for the samples and n set; NULL when there are too many, or no memory.
 */
struct record_trace *record_trace(struct record *r, double interval_s, int stream, size_t n);

/** record_write() - write it as a line; 0, or a negative errno described by err_set() */
int record_write(FILE *f, const struct record *r);

/** record_clear() - make it an empty one that keeps its memory */
void record_clear(struct record *r);

void record_free(struct record *r);

#endif
