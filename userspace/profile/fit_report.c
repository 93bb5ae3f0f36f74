// SPDX-License-Identifier: GPL-2.0-or-later
/* What is printed of fitted profiles, for people and as TSV. */
#include "profile/fit_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MAX	256

static const struct out_col profile_cols[] = {
	{ "campaign", NULL, OUT_STR, 0 }, { "variant", "variant", OUT_STR, 0 }, { "buffer", "buffer", OUT_STR, 0 },
	{ "streams", "streams", OUT_UINT, 0 }, { "rtts", "RTTs", OUT_UINT, 0 }, { "runs", "runs", OUT_UINT, 0 },
	{ "utilization", "used", OUT_REAL, 3 }, { "utilization_low", NULL, OUT_REAL, 3 },
	{ "utilization_high", NULL, OUT_REAL, 3 },
	{ "concavity", "concavity", OUT_REAL, 4 }, { "concavity_low", "low", OUT_REAL, 4 },
	{ "concavity_high", "high", OUT_REAL, 4 },
	{ "turn_free_ms", NULL, OUT_REAL, 1 }, { "turn_free_set", "turns at (ms)", OUT_STR, 0 },
	{ "turn_free_level", "level", OUT_REAL, 2 },
	{ "turn_unit_ms", NULL, OUT_REAL, 1 }, { "turn_unit_set", "paper's form", OUT_STR, 0 },
	{ "turn_unit_level", NULL, OUT_REAL, 2 },
	{ "turn_chords", "chords", OUT_STR, 0 }, { "turn_model_ms", "model", OUT_REAL, 1 },
};

static const struct out_col point_cols[] = {
	{ "campaign", NULL, OUT_STR, 0 }, { "variant", "variant", OUT_STR, 0 }, { "buffer", "buffer", OUT_STR, 0 },
	{ "streams", "streams", OUT_UINT, 0 }, { "rtt_ms", "RTT ms", OUT_REAL, 1 },
	{ "rtt_measured_ms", NULL, OUT_REAL, 3 }, { "runs", "runs", OUT_UINT, 0 },
	{ "mean_bps", "bit/s", OUT_SI, 4 }, { "mean_low_bps", "low", OUT_SI, 4 },
	{ "mean_high_bps", "high", OUT_SI, 4 },
	{ "method", "interval", OUT_STR, 0 }, { "sd_bps", "sd", OUT_SI, 3 },
	{ "chord_bps", "over chord", OUT_SI, 3 }, { "chord_low_bps", "low", OUT_SI, 3 },
	{ "chord_high_bps", "high", OUT_SI, 3 }, { "shape", "shape", OUT_STR, 0 },
	{ "sigmoid_free_bps", "sigmoid", OUT_SI, 4 }, { "sigmoid_unit_bps", NULL, OUT_SI, 4 },
	{ "window_bps", "window", OUT_SI, 4 }, { "limited_share", "limited", OUT_REAL, 2 },
	{ "ramp_s", "ramp s", OUT_REAL, 3 }, { "growth_per_rtt", "growth", OUT_REAL, 2 },
	{ "sustained_bps", "sustained", OUT_SI, 4 },
};

#define COUNT(a)	(sizeof(a) / sizeof(*(a)))

struct out_table *fit_table(struct out_doc *doc, bool points, bool campaigns)
{
	struct out_col cols[COUNT(profile_cols) > COUNT(point_cols) ? COUNT(profile_cols) : COUNT(point_cols)];
	struct out_table *t;

	if (points)
		memcpy(cols, point_cols, sizeof(point_cols));
	else
		memcpy(cols, profile_cols, sizeof(profile_cols));
	/* People need not read what is the same in each row. */
	if (campaigns)
		cols[0].title = "campaign";
	t = points ? out_table(doc, "points", cols, COUNT(point_cols)) :
		     out_table(doc, "profiles", cols, COUNT(profile_cols));
	out_group(t, points ? "points" : "profiles", 0);
	return t;
}

static void append(char *text, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void append(char *text, size_t size, const char *fmt, ...)
{
	size_t at = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + at, size - at, fmt, ap);
	va_end(ap);
}

/* "concave", "45.6 91.6", "91.6 concave": the ends of the RTTs mean that there is one region only. */
static void set_text(const struct fit *f, int form, char *text, size_t size)
{
	size_t k;

	*text = '\0';
	for (k = 0; k < f->n; k++) {
		if (!f->node[k].in_set[form])
			continue;
		append(text, size, "%s", *text ? " " : "");
		if (k == 0)
			append(text, size, "convex");
		else if (k == f->n - 1)
			append(text, size, "concave");
		else
			append(text, size, "%g", f->node[k].rtt_ms);
	}
}

static void bracket_text(const struct fit *f, char *text, size_t size)
{
	const struct shape_bracket *b = &f->bracket;

	if (b->mixed)
		snprintf(text, size, "mixed");
	else if (b->below && b->above)
		snprintf(text, size, "unknown");
	else if (b->below)
		snprintf(text, size, "to %g", f->node[b->high].rtt_ms);
	else if (b->above)
		snprintf(text, size, "from %g", f->node[b->low].rtt_ms);
	else
		snprintf(text, size, "%g to %g", f->node[b->low].rtt_ms, f->node[b->high].rtt_ms);
}

static void cell_interval(struct out_table *t, const struct interval *v)
{
	cell_real(t, v->value);
	cell_real(t, v->low);
	cell_real(t, v->high);
}

static void profile_row(struct out_table *t, const struct fit *f)
{
	static const int order[] = { SIGMOID_FREE, SIGMOID_UNIT };
	char text[TEXT_MAX];
	size_t i;

	cell_uint(t, f->n);
	cell_uint(t, f->runs);
	cell_interval(t, &f->utilization);
	cell_interval(t, &f->concavity);
	for (i = 0; i < COUNT(order); i++) {
		if (!f->shaped) {
			cell_none(t);
			cell_none(t);
			cell_none(t);
			continue;
		}
		set_text(f, order[i], text, sizeof(text));
		cell_real(t, f->node[f->sigmoid[order[i]].turn].rtt_ms);
		cell_str(t, text);
		cell_real(t, f->level[order[i]]);
	}
	if (f->shaped)
		bracket_text(f, text, sizeof(text));
	cell_str(t, f->shaped ? text : NULL);
	cell_real(t, f->model_ms);
}

static void point_row(struct out_table *t, const struct fit *f, size_t k)
{
	static const char *const signs[] = { "convex", "-", "concave" };
	const struct fit_node *d = &f->node[k];

	cell_real(t, d->rtt_ms);
	cell_real(t, d->measured_ms);
	cell_uint(t, d->runs);
	cell_interval(t, &d->mean);
	cell_str(t, interval_word(d->mean.how));
	cell_real(t, d->sd);
	cell_interval(t, &d->chord);
	cell_str(t, signs[d->sign + 1]);
	cell_real(t, f->shaped ? f->curve.scale * sigmoid_at(&f->sigmoid[SIGMOID_FREE], &f->curve, d->rtt_ms) : NAN);
	cell_real(t, f->shaped ? f->curve.scale * sigmoid_at(&f->sigmoid[SIGMOID_UNIT], &f->curve, d->rtt_ms) : NAN);
	cell_real(t, d->window_bps);
	cell_real(t, d->limited);
	cell_real(t, d->ramp.seconds);
	cell_real(t, d->ramp.growth);
	cell_real(t, d->ramp.sustained_bps);
}

static void begin_row(struct out_table *t, const struct fit *f)
{
	out_row(t, STYLE_NONE);
	cell_str(t, f->group->campaign);
	cell_str(t, f->group->variant);
	cell_str(t, f->group->buffer);
	cell_uint(t, f->group->streams);
}

void fit_rows(struct out_table *t, const struct fit *f, bool points)
{
	size_t k;

	if (!points) {
		begin_row(t, f);
		profile_row(t, f);
		return;
	}
	for (k = 0; k < f->n; k++) {
		begin_row(t, f);
		point_row(t, f, k);
	}
}

void fit_name(const struct group *g, char *text, size_t size)
{
	snprintf(text, size, "%s, buffer %s, %" PRIu32 " stream%s", g->variant, g->buffer, g->streams,
		 g->streams == 1 ? "" : "s");
}

/* RTTs of the campaign that the profile lacks; the text stays empty when there is none. */
static void lacking(const struct store *s, const struct fit *f, char *text, size_t size)
{
	const struct campaign *c;
	size_t i, k = 0;

	*text = '\0';
	for (c = s->campaigns; c < s->campaigns + s->ncampaigns && c->name != f->group->campaign; c++)
		;
	/* Both rise. */
	for (i = 0; c < s->campaigns + s->ncampaigns && i < c->nrtts; i++) {
		if (k < f->n && f->node[k].rtt_ms == c->rtts[i])
			k++;
		else
			append(text, size, " %g", c->rtts[i]);
	}
}

void fit_notes(const struct store *s, const struct fit *f, void (*note)(void *ctx, const char *text), void *ctx)
{
	char text[2 * TEXT_MAX], rtts[TEXT_MAX];

	if (f->n < 3) {
		snprintf(text, sizeof(text), "measured at %zu RTT%s: a shape needs at least 3", f->n,
			 f->n == 1 ? "" : "s");
		note(ctx, text);
	}
	if (f->unrepeated) {
		snprintf(text, sizeof(text), "one run only at %zu of %zu RTTs: what involves them has no interval",
			 f->unrepeated, f->n);
		note(ctx, text);
	}
	lacking(s, f, rtts, sizeof(rtts));
	if (*rtts) {
		snprintf(text, sizeof(text), "lacks RTTs that others of the campaign have, in ms:%s", rtts);
		note(ctx, text);
	}
	if (f->shaped && f->bracket.mixed)
		note(ctx, "chord residuals are convex before they are concave: no single transition describes it");
}
