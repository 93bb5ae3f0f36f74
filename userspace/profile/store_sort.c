// SPDX-License-Identifier: GPL-2.0-or-later
/* All runs that were read, sorted into profiles: the order, which is the same whatever that of the lines was. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"
#include "profile/store.h"

static int by_number(double a, double b)
{
	return (a > b) - (a < b);
}

static int compare_groups(const struct group *a, const struct group *b)
{
	int c = strcmp(a->campaign, b->campaign);

	c = c ? c : strcmp(a->variant, b->variant);
	c = c ? c : by_number(a->buffer_bytes, b->buffer_bytes);
	c = c ? c : strcmp(a->buffer, b->buffer);
	return c ? c : by_number(a->streams, b->streams);
}

static int compare_group_places(const void *a, const void *b, void *groups)
{
	const struct group *g = groups;

	return compare_groups(&g[*(const uint32_t *)a], &g[*(const uint32_t *)b]);
}

static int compare_runs(const void *va, const void *vb)
{
	const struct run *a = va, *b = vb;
	int c = by_number(a->group, b->group);

	c = c ? c : by_number(a->rtt_ms, b->rtt_ms);
	c = c ? c : by_number(a->repeat, b->repeat);
	c = c ? c : by_number(a->file, b->file);
	return c ? c : by_number(a->line, b->line);
}

/* Puts the groups in order and has the runs name the new places; false without memory. */
static bool sort_groups(struct store *s)
{
	uint32_t *place = calloc(s->ngroups, 2 * sizeof(*place)), *to = place + s->ngroups;
	struct group *sorted = calloc(s->ngroups, sizeof(*sorted));
	size_t i, k;

	if (!place || !sorted) {
		free(place);
		free(sorted);
		return false;
	}
	/* A group whose buffer differs between RTTs goes by its smallest. */
	for (i = 0; i < s->n; i++)
		if (s->runs[i].buffer_bytes < s->groups[s->runs[i].group].buffer_bytes)
			s->groups[s->runs[i].group].buffer_bytes = s->runs[i].buffer_bytes;
	for (i = 0; i < s->ngroups; i++)
		place[i] = (uint32_t)i;
	qsort_r(place, s->ngroups, sizeof(*place), compare_group_places, s->groups);
	for (i = 0; i < s->ngroups; i++) {
		sorted[i] = s->groups[place[i]];
		to[place[i]] = (uint32_t)i;
		for (k = 0; k < s->ncampaigns; k++)
			if (s->campaigns[k].name == sorted[i].campaign)
				sorted[i].capacity_bps = s->campaigns[k].capacity_bps;
	}
	for (i = 0; i < s->n; i++)
		s->runs[i].group = to[s->runs[i].group];
	free(s->groups);
	s->groups = sorted;
	s->groups_max = s->ngroups;
	free(place);
	return true;
}

/* Drops runs that have the place of another. */
static void drop_twins(struct store *s)
{
	struct run *run, *last = NULL;
	size_t i, kept = 0;

	for (i = 0; i < s->n; i++) {
		run = &s->runs[i];
		if (last && run->group == last->group && run->rtt_ms == last->rtt_ms && run->repeat == last->repeat) {
			problem_add(&s->problems, PROBLEM_TWICE, s->files[run->file], run->line,
				    "repeat %u of these settings at %g ms is at %s:%u already: the run is left out",
				    run->repeat, run->rtt_ms, s->files[last->file], last->line);
			continue;
		}
		s->runs[kept] = *run;
		last = &s->runs[kept++];
	}
	s->n = kept;
}

static int compare_rtts(const void *a, const void *b)
{
	return by_number(*(const double *)a, *(const double *)b);
}

/* Notes the RTTs of a campaign; false without memory. */
static bool list_rtts(const struct store *s, struct campaign *c)
{
	const struct run *run, *last = NULL;
	size_t i, kept = 0;

	c->rtts = calloc(s->n, sizeof(*c->rtts));
	if (!c->rtts)
		return false;
	for (i = 0; i < s->n; i++) {
		run = &s->runs[i];
		if (s->groups[run->group].campaign != c->name)
			continue;
		if (!last || last->group != run->group || last->rtt_ms != run->rtt_ms)
			c->rtts[c->nrtts++] = run->rtt_ms;
		last = run;
	}
	qsort(c->rtts, c->nrtts, sizeof(*c->rtts), compare_rtts);
	for (i = 0; i < c->nrtts; i++)
		if (!kept || c->rtts[kept - 1] != c->rtts[i])
			c->rtts[kept++] = c->rtts[i];
	c->nrtts = kept;
	return true;
}

int store_sort(struct store *s)
{
	struct group *g;
	size_t i;

	if (!s->n)
		return err_set(-ENODATA, NULL, s->only ? "there is no run of campaign %s that counts" :
			       "there is no run that counts", s->only);
	if (!sort_groups(s))
		return err_set(-ENOMEM, NULL, "out of memory");
	qsort(s->runs, s->n, sizeof(*s->runs), compare_runs);
	drop_twins(s);
	for (i = 0; i < s->n; i++) {
		g = &s->groups[s->runs[i].group];
		if (!g->n++)
			g->first = i;
	}
	for (i = 0; i < s->ncampaigns; i++)
		if (!list_rtts(s, &s->campaigns[i]))
			return err_set(-ENOMEM, NULL, "out of memory");
	return 0;
}

int store_one_campaign(const struct store *s)
{
	if (s->ncampaigns == 1)
		return 0;
	return err_set(-EINVAL, "say which with --campaign",
		       "the runs are of %zu campaigns, which cannot be compared (%s)", s->ncampaigns,
		       s->problems.kept[PROBLEM_CAMPAIGN][0].text ? s->problems.kept[PROBLEM_CAMPAIGN][0].text : "");
}
