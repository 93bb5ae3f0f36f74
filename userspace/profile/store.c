// SPDX-License-Identifier: GPL-2.0-or-later
/* All runs that were read, sorted into profiles: reading files. */
#include "profile/store.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/args.h"
#include "lib/err.h"

#define WHY_MAX		256
#define NAMES_MAX	4096

static const char *const variants[] = {
	"bbr", "bbr1", "bbr2", "bbr3", "bic", "cdg", "cubic", "dctcp", "highspeed", "htcp", "hybla", "illinois",
	"lp", "nv", "prague", "reno", "scalable", "vegas", "veno", "westwood", "yeah",
};
#define NVARIANTS	(sizeof(variants) / sizeof(*variants))

bool variant_known(const char *name)
{
	size_t i;

	for (i = 0; i < NVARIANTS; i++)
		if (!strcmp(variants[i], name))
			return true;
	return false;
}

static int no_memory(void)
{
	return err_set(-ENOMEM, NULL, "out of memory");
}

/* Makes room for one more element; false without memory. */
static bool grow(void *array, size_t n, size_t *max, size_t size)
{
	void **at = array;
	size_t more = *max ? *max * 2 : 256;
	void *bigger;

	if (n < *max)
		return true;
	bigger = realloc(*at, more * size);
	if (!bigger)
		return false;
	*at = bigger;
	*max = more;
	return true;
}

/* The one copy of a string, so that equal strings are equal pointers. */
static const char *name_of(struct store *s, const char *text)
{
	char **names;
	size_t i;

	for (i = 0; i < s->nnames; i++)
		if (!strcmp(s->names[i], text))
			return s->names[i];
	if (s->nnames == NAMES_MAX)
		return NULL;
	names = realloc(s->names, (s->nnames + 1) * sizeof(*names));
	if (!names)
		return NULL;
	s->names = names;
	names[s->nnames] = strdup(text);
	return names[s->nnames] ? names[s->nnames++] : NULL;
}

static uint64_t hash_of(const char *text, uint64_t hash)
{
	do
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
	while (*text++);
	return hash;
}

/* The group of the record, made if need be; SIZE_MAX without memory. */
static size_t group_of(struct store *s, const struct record *r)
{
	const char *campaign = name_of(s, r->campaign), *variant = name_of(s, r->variant);
	const char *buffer = name_of(s, r->buffer);
	struct group *g;
	size_t i;

	if (!campaign || !variant || !buffer)
		return SIZE_MAX;
	/* From the end, since runs of a group are often together. */
	for (i = s->ngroups; i-- > 0;) {
		g = &s->groups[i];
		if (g->variant == variant && g->streams == r->streams && g->buffer == buffer && g->campaign == campaign)
			return i;
	}
	if (!grow(&s->groups, s->ngroups, &s->groups_max, sizeof(*s->groups)))
		return SIZE_MAX;
	g = &s->groups[s->ngroups];
	*g = (struct group) {
		.campaign = campaign, .variant = variant, .buffer = buffer, .buffer_bytes = r->buffer_bytes,
		.streams = r->streams, .capacity_bps = NAN,
	};
	g->hash = hash_of(buffer, hash_of(variant, hash_of(campaign, 0xcbf29ce484222325ull))) + r->streams;
	return s->ngroups++;
}

/* The campaign of the record, made if need be; NULL without memory. */
static struct campaign *campaign_of(struct store *s, const struct record *r, const char *file, size_t line)
{
	struct campaign *all;
	size_t i;

	for (i = 0; i < s->ncampaigns; i++)
		if (!strcmp(s->campaigns[i].name, r->campaign))
			return &s->campaigns[i];
	all = realloc(s->campaigns, (s->ncampaigns + 1) * sizeof(*all));
	if (!all)
		return NULL;
	s->campaigns = all;
	all[s->ncampaigns] = (struct campaign) { name_of(s, r->campaign), NAN, NULL, 0 };
	if (!all[s->ncampaigns].name)
		return NULL;
	if (s->ncampaigns)
		problem_add(&s->problems, PROBLEM_CAMPAIGN, file, line,
			    "campaign %s begins here, among runs of %s: each is taken by itself", r->campaign,
			    all[s->ncampaigns - 1].name);
	return &all[s->ncampaigns++];
}

static bool keep_trace(struct store *s, const struct record_trace *t, struct trace *kept)
{
	float *samples;
	size_t max = s->samples_max ? s->samples_max : 1 << 16;

	while (max < s->nsamples + t->n)
		max += max / 2;
	if (max != s->samples_max) {
		samples = realloc(s->samples, max * sizeof(*samples));
		if (!samples)
			return false;
		s->samples = samples;
		s->samples_max = max;
	}
	*kept = (struct trace) { s->nsamples, (uint32_t)t->n, (float)t->interval_s };
	memcpy(s->samples + s->nsamples, t->bps, t->n * sizeof(*t->bps));
	s->nsamples += t->n;
	return true;
}

static bool keep_traces(struct store *s, const struct record *r, struct run *run)
{
	const struct record_trace *fine = NULL, *coarse = NULL, *t;
	size_t i;

	for (i = 0; i < r->ntraces; i++) {
		t = &r->traces[i];
		if (t->stream != RECORD_SUM && r->streams > 1)
			continue;
		if (!t->n)
			continue;
		if (!fine || t->interval_s < fine->interval_s)
			fine = t;
		if (!coarse || t->interval_s > coarse->interval_s)
			coarse = t;
	}
	if (!fine)
		return true;
	if (!keep_trace(s, fine, &run->fine))
		return false;
	run->coarse = run->fine;
	return coarse == fine || keep_trace(s, coarse, &run->coarse);
}

/* Adds the run that was read; false without memory. */
static bool add(struct store *s, const struct record *r, size_t line)
{
	const char *file = s->files[s->nfiles - 1];
	struct campaign *campaign;
	size_t group;
	struct run *run;

	campaign = campaign_of(s, r, file, line);
	if (!campaign)
		return false;
	if (isnan(campaign->capacity_bps))
		campaign->capacity_bps = r->capacity_bps;
	if (!isnan(r->capacity_bps) && r->capacity_bps != campaign->capacity_bps) {
		problem_add(&s->problems, PROBLEM_CAPACITY, file, line,
			    "capacity_bps is %.6g, but %.6g in the campaign so far: the run is left out",
			    r->capacity_bps, campaign->capacity_bps);
		return true;
	}
	group = group_of(s, r);
	if (group == SIZE_MAX || !grow(&s->runs, s->n, &s->max, sizeof(*s->runs)))
		return false;
	run = &s->runs[s->n];
	*run = (struct run) {
		.rtt_ms = r->rtt_ms, .rtt_measured_ms = r->rtt_measured_ms, .bps = r->throughput_bps,
		.seconds = r->seconds, .buffer_bytes = r->buffer_bytes,
		.rwnd_share = r->busy_us > 0 ? (float)(r->rwnd_us / r->busy_us) : NAN,
		.sndbuf_share = r->busy_us > 0 ? (float)(r->sndbuf_us / r->busy_us) : NAN,
		.group = (uint32_t)group, .repeat = r->repeat, .line = (uint32_t)line,
		.file = (uint16_t)(s->nfiles - 1),
	};
	if (s->traces && !keep_traces(s, r, run))
		return false;
	s->n++;
	return true;
}

static void check_variant(struct store *s, const char *file, size_t line)
{
	const char *name = s->record.variant, *near;
	size_t i;

	if (variant_known(name))
		return;
	/* Once for each name. */
	for (i = 0; i < s->nnames; i++)
		if (!strcmp(s->names[i], name))
			return;
	near = nearest_word(name, variants, NVARIANTS);
	problem_add(&s->problems, PROBLEM_VARIANT, file, line,
		    "variant '%s' is not one that Linux has%s%s%s; its runs count all the same", name,
		    near ? ", did it mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool take_line(struct store *s, const char *text, size_t len, size_t line)
{
	static const enum problem_kind kind[] = {
		[RECORD_FOREIGN] = PROBLEM_FOREIGN, [RECORD_CUT] = PROBLEM_CUT, [RECORD_BAD] = PROBLEM_BAD,
		[RECORD_NAN] = PROBLEM_NAN, [RECORD_ZERO] = PROBLEM_ZERO,
	};
	const char *file = s->files[s->nfiles - 1];
	enum record_fault fault;
	char why[WHY_MAX];

	while (len && strchr(" \t\r\n", text[len - 1]))
		len--;
	if (!len)
		return true;
	fault = record_parse(text, len, &s->record, why, sizeof(why));
	/* What is wrong with others does not matter. */
	if (s->only && fault != RECORD_FOREIGN && fault != RECORD_CUT && strcmp(s->only, s->record.campaign))
		return true;
	if (fault) {
		problem_add(&s->problems, kind[fault], file, line, "%s", why);
		return true;
	}
	if (!s->record.valid) {
		problem_add(&s->problems, PROBLEM_INVALID, file, line, "the run is marked as not valid: %s",
			    s->record.reason[0] ? s->record.reason : "it does not say why");
		return true;
	}
	check_variant(s, file, line);
	return add(s, &s->record, line);
}

int store_read(struct store *s, const char *path)
{
	bool in = !strcmp(path, "-");
	FILE *f = in ? stdin : fopen(path, "re");
	size_t size = 0, line = 0;
	char *text = NULL, **files;
	ssize_t len;
	int ret = 0;

	if (!f)
		return err_set(-errno, NULL, "cannot open %s: %s", path, strerror(errno));
	files = realloc(s->files, (s->nfiles + 1) * sizeof(*files));
	if (files) {
		s->files = files;
		files[s->nfiles] = strdup(in ? "standard input" : path);
	}
	if (!files || !files[s->nfiles] || s->nfiles == UINT16_MAX) {
		ret = no_memory();
		goto out;
	}
	s->nfiles++;
	while ((len = getline(&text, &size, f)) >= 0) {
		if (!take_line(s, text, (size_t)len, ++line)) {
			ret = no_memory();
			goto out;
		}
	}
	if (ferror(f))
		ret = err_set(-errno, NULL, "cannot read %s: %s", path, strerror(errno));
out:
	free(text);
	if (!in)
		fclose(f);
	return ret;
}

void store_free(struct store *s)
{
	size_t i;

	for (i = 0; i < s->nnames; i++)
		free(s->names[i]);
	for (i = 0; i < s->nfiles; i++)
		free(s->files[i]);
	for (i = 0; i < s->ncampaigns; i++)
		free(s->campaigns[i].rtts);
	free(s->names);
	free(s->files);
	free(s->runs);
	free(s->groups);
	free(s->samples);
	free(s->campaigns);
	problem_free(&s->problems);
	record_free(&s->record);
	*s = (struct store) { 0 };
}
