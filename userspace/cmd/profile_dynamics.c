// SPDX-License-Identifier: GPL-2.0-or-later
/* nettoll profile dynamics: how steady the sustained throughput is, by its map and its exponents. */
#include <errno.h>
#include <json-c/json.h>

#include "cmd/profile.h"
#include "lib/args.h"
#include "lib/err.h"
#include "lib/out.h"
#include "lib/progress.h"
#include "profile/dynamics.h"
#include "profile/value.h"

enum { OPT_SAMPLES = PROFILE_OPT_OWN, OPT_INTERVAL, OPT_MAP };

static const struct option longs[] = {
	PROFILE_LONGS,
	{ "samples", required_argument, NULL, OPT_SAMPLES },
	{ "interval", required_argument, NULL, OPT_INTERVAL },
	{ "map", no_argument, NULL, OPT_MAP },
	{ NULL, 0, NULL, 0 }
};

static const struct out_col cols[] = {
	{ "campaign", "campaign", OUT_STR, 0 }, { "variant", "variant", OUT_STR, 0 },
	{ "buffer", "buffer", OUT_STR, 0 },
	{ "streams", "streams", OUT_UINT, 0 }, { "rtt_ms", "RTT ms", OUT_REAL, 1 }, { "runs", "runs", OUT_UINT, 0 },
	{ "mean_bps", "bit/s", OUT_SI, 4 }, { "cv", "spread", OUT_REAL, 3 }, { "lag1", "lag 1", OUT_REAL, 2 },
	{ "map_residual", "map", OUT_REAL, 2 }, { "map_residual_shuffled", "shuffled", OUT_REAL, 2 },
	{ "map_exponent", "exponent", OUT_REAL, 2 }, { "map_exponent_low", "low", OUT_REAL, 2 },
	{ "map_exponent_high", "high", OUT_REAL, 2 },
	{ "nearest", "nearest", OUT_REAL, 2 }, { "nearest_shuffled", "shuffled", OUT_REAL, 2 },
	{ "rosenstein", "Rosenstein", OUT_REAL, 2 }, { "rosenstein_shuffled", "shuffled", OUT_REAL, 2 },
	{ "kantz", "Kantz", OUT_REAL, 2 }, { "kantz_shuffled", "shuffled", OUT_REAL, 2 },
	{ "verdict", "verdict", OUT_STR, 0 },
};

static const struct out_col map_cols[] = {
	{ "campaign", "campaign", OUT_STR, 0 }, { "variant", "variant", OUT_STR, 0 },
	{ "buffer", "buffer", OUT_STR, 0 },
	{ "streams", "streams", OUT_UINT, 0 }, { "rtt_ms", "RTT ms", OUT_REAL, 1 }, { "repeat", "repeat", OUT_UINT, 0 },
	{ "bps", "bit/s", OUT_SI, 4 }, { "next_bps", "next", OUT_SI, 4 },
};

#define COUNT(a)	(sizeof(a) / sizeof(*(a)))

static void begin_row(struct out_table *t, const struct store *s, const struct run *run)
{
	const struct group *g = &s->groups[run->group];

	out_row(t, STYLE_NONE);
	cell_str(t, g->campaign);
	cell_str(t, g->variant);
	cell_str(t, g->buffer);
	cell_uint(t, g->streams);
	cell_real(t, run->rtt_ms);
}

static void cell_pair(struct out_table *t, const struct dynamics_pair *p)
{
	cell_real(t, p->value);
	cell_real(t, p->shuffled);
}

static void point_row(struct out_table *t, const struct store *s, const struct run *run, const struct dynamics *d)
{
	begin_row(t, s, run);
	cell_uint(t, d->runs);
	cell_real(t, d->mean_bps);
	cell_real(t, d->cv);
	cell_real(t, d->lag1);
	cell_real(t, d->map.residual);
	cell_real(t, d->map_shuffled);
	cell_real(t, d->map.exponent);
	cell_real(t, d->low);
	cell_real(t, d->high);
	cell_pair(t, &d->nearest);
	cell_pair(t, &d->rosenstein);
	cell_pair(t, &d->kantz);
	cell_str(t, dynamics_word(d->verdict));
}

/* The points of each run's Poincare map. */
static void map_rows(struct out_table *t, const struct store *s, const struct dynamics_options *o)
{
	const float *samples;
	size_t i, k, n;

	for (i = 0; i < s->n; i++) {
		n = dynamics_sustained(s, &s->runs[i], o->interval_s, &samples);
		for (k = 0; k + 1 < n && n >= o->samples && k + 1 < o->samples; k++) {
			begin_row(t, s, &s->runs[i]);
			cell_uint(t, s->runs[i].repeat);
			cell_real(t, samples[k]);
			cell_real(t, samples[k + 1]);
		}
	}
}

static int point_rows(struct out_table *t, const struct store *s, const struct dynamics_options *o)
{
	struct dynamics d;
	size_t i, n;
	int ret = 0;

	progress_start(s->n);
	for (i = 0; i < s->n; i += n) {
		for (n = 1; i + n < s->n && s->runs[i + n].group == s->runs[i].group &&
		     s->runs[i + n].rtt_ms == s->runs[i].rtt_ms; n++)
			;
		ret = dynamics_point(s, s->runs + i, n, o, &d);
		if (ret)
			break;
		point_row(t, s, &s->runs[i], &d);
		progress_at(i + n);
	}
	progress_end();
	return ret;
}

static int show(const struct store *s, const struct dynamics_options *o, bool map)
{
	struct out_doc *doc = out_begin(map ? "profile-map" : "profile-dynamics", 0);
	struct out_table *t;
	int ret = 0;

	out_real(doc, "interval_s", map ? NULL : "samples of", o->interval_s, 3, "s");
	out_uint(doc, "samples", map ? NULL : "from each run", o->samples, NULL);
	out_uint(doc, "runs", NULL, s->n, NULL);
	out_uint(doc, "runs_left_out", NULL, problem_left_out(&s->problems), NULL);
	if (out_format() == OUT_JSON) {
		out_json_field(doc, "confidence", value_real(o->confidence));
		out_uint(doc, "seed", NULL, o->seed, NULL);
		out_json_field(doc, "problems", problem_json(&s->problems));
	}
	t = map ? out_table(doc, "pairs", map_cols, COUNT(map_cols)) : out_table(doc, "points", cols, COUNT(cols));
	out_group(t, map ? "pairs" : "points", 0);
	if (map)
		map_rows(t, s, o);
	else
		ret = point_rows(t, s, o);
	if (!ret)
		return out_end(doc);
	out_drop(doc);
	return ret;
}

int profile_dynamics(int argc, char **argv)
{
	struct dynamics_options d = { 0 };
	struct profile_common o;
	bool map = false;
	uint64_t n = 0;
	struct store s;
	int c, ret;

	profile_defaults(&o);
	while ((c = arg_getopt(argc, argv, "", longs)) != -1) {
		ret = 0;
		if (c == OPT_SAMPLES) {
			ret = arg_uint("--samples", optarg, SERIES_MIN, SERIES_MAX, &n);
			d.samples = n;
		} else if (c == OPT_INTERVAL) {
			ret = arg_duration("--interval", optarg, "s", 1000000, 3600000000000ull, &n);
			d.interval_s = (double)n / 1e9;
		} else if (c == OPT_MAP) {
			map = true;
		} else {
			ret = profile_option(c, optarg, &o);
			if (ret)
				return ret;
		}
		if (ret)
			return usage_report(ret);
	}
	ret = profile_load(&s, argv + optind, &o, true, false);
	if (!ret) {
		d.confidence = o.fit.confidence;
		d.seed = o.fit.seed;
		dynamics_plan(&s, &d);
		ret = d.interval_s > 0 ? show(&s, &d, map) :
		      err_set(-ENODATA, "measure with traces", "the runs have no traces");
		ret = ret ? err_report(ret) : EXIT_OK;
	}
	store_free(&s);
	return ret;
}
