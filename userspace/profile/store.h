/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All runs that were read, sorted into profiles: one for each campaign, variant, buffer and number of streams. */
#ifndef NETTOLL_PROFILE_STORE_H
#define NETTOLL_PROFILE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/problem.h"
#include "profile/record.h"

/**
 * struct trace - samples of the sum of all streams
 * @at: where they begin in the store's samples, bits per second
 * @interval_s: 0: there is none
 */
struct trace {
	size_t at;
	uint32_t n;
	float interval_s;
};

/**
 * struct run - what is kept of a run
 * @rtt_measured_ms, @seconds: NaN when not known
 * @rwnd_share, @sndbuf_share: of the time with data to send, held up by the receiver's window, by the send buffer;
 *	or NaN
 * @fine, @coarse: the traces of the shortest and of the longest samples, which may be the same
 */
struct run {
	double rtt_ms, rtt_measured_ms, bps, seconds, buffer_bytes;
	float rwnd_share, sndbuf_share;
	uint32_t group, repeat, line;
	uint16_t file;
	struct trace fine, coarse;
};

/**
 * struct group - the runs of one profile
 * @capacity_bps: NaN when not known
 * @first, @n: its runs in the store, by RTT, then by repeat
 * @hash: of its names; the same in every store
 */
struct group {
	const char *campaign, *variant, *buffer;
	double buffer_bytes;
	uint32_t streams;
	double capacity_bps;
	size_t first, n;
	uint64_t hash;
};

struct store {
	/* Set by the caller before reading. */
	const char *only;	/* campaign to read; NULL: all */
	bool traces;		/* keep them */

	struct run *runs;
	size_t n, max;
	struct group *groups;
	size_t ngroups, groups_max;
	float *samples;
	size_t nsamples, samples_max;
	char **names;		/* every string once */
	size_t nnames;
	char **files;
	size_t nfiles;
	struct campaign {
		const char *name;
		double capacity_bps;
		double *rtts;	/* all that any of its groups has, rising; made by store_sort() */
		size_t nrtts;
	} *campaigns;
	size_t ncampaigns;
	struct problems problems;
	struct record record;	/* being read */
};

/**
 * store_read() - add the runs of a file; "-": standard input
 *
 * Lines that are no good are noted in the problems, and the others count. Return: 0, or a negative errno described
 * by err_set().
 */
int store_read(struct store *s, const char *path);

/**
 * store_sort() - after the last file: sort the runs into groups
 *
 * The order does not depend on that of the lines. Return: 0, or a negative errno described by err_set(): -ENODATA
 * when there is no run that counts.
 */
int store_sort(struct store *s);

/** store_one_campaign() - 0 if all runs are of one campaign; -EINVAL described by err_set(), with its line, if not */
int store_one_campaign(const struct store *s);

void store_free(struct store *s);

/** variant_known() - whether Linux, or a module that is in wide use, has a congestion control of that name */
bool variant_known(const char *name);

#endif
