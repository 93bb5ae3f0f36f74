// SPDX-License-Identifier: GPL-2.0-or-later
/* nettoll profile fit: mean profiles with intervals, their concave and convex regions, and where they turn. */
#include <json-c/json.h>
#include <math.h>

#include "cmd/profile.h"
#include "lib/args.h"
#include "lib/err.h"
#include "lib/out.h"
#include "lib/progress.h"
#include "profile/bound.h"
#include "profile/fit_report.h"
#include "profile/value.h"

enum { OPT_POINTS = PROFILE_OPT_OWN, OPT_EPS };

static const struct option longs[] = {
	PROFILE_LONGS,
	{ "points", no_argument, NULL, OPT_POINTS },
	{ "eps", required_argument, NULL, OPT_EPS },
	{ NULL, 0, NULL, 0 }
};

struct output {
	const struct profile_common *o;
	bool points;
	struct out_doc *doc;
	struct out_table *table;
	struct json_object *profiles;	/* instead of these two */
	size_t most_runs, vacuous;
	double needed;
	const struct fit *fit;		/* that notes are about */
};

static void note(void *ctx, const char *text)
{
	struct output *out = ctx;
	char name[256];

	fit_name(out->fit->group, name, sizeof(name));
	out_text(out->doc, STYLE_DIM, "%s: %s", name, text);
}

static void put(struct output *out, const struct store *s, const struct fit *f)
{
	if (out->profiles) {
		json_object_array_add(out->profiles, fit_json(s, f));
		return;
	}
	fit_rows(out->table, f, out->points);
	out->fit = f;
	if (out_format() == OUT_PEOPLE)
		fit_notes(s, f, note, out);
	out->most_runs = f->runs > out->most_runs ? f->runs : out->most_runs;
	out->vacuous += f->bound_log10 >= 0;
	out->needed = f->bound_runs;
}

static int finish_json(struct output *out, const struct store *s)
{
	struct json_object *root = json_object_new_object();

	json_object_object_add(root, "version", json_object_new_int(1));
	json_object_object_add(root, "command", json_object_new_string("profile-fit"));
	value_add(root, "confidence", out->o->fit.confidence);
	value_add(root, "eps", out->o->fit.eps);
	json_object_object_add(root, "replicates", json_object_new_uint64(out->o->fit.reps));
	json_object_object_add(root, "seed", json_object_new_uint64(out->o->fit.seed));
	json_object_object_add(root, "runs", json_object_new_uint64(s->n));
	json_object_object_add(root, "runs_left_out", json_object_new_uint64(problem_left_out(&s->problems)));
	json_object_object_add(root, "problems", problem_json(&s->problems));
	json_object_object_add(root, "profiles", out->profiles);
	return out_json(root);
}

static int finish(struct output *out, const struct store *s)
{
	if (out->profiles)
		return finish_json(out, s);
	if (out_format() == OUT_PEOPLE) {
		out_text(out->doc, STYLE_DIM,
			 "%g %% intervals. Distribution-free bound at eps %g: %s (at most %zu runs; it takes %.2g)",
			 100 * out->o->fit.confidence, out->o->fit.eps,
			 out->vacuous == s->ngroups ? "vacuous for every profile" : "holds for some, see --json",
			 out->most_runs, out->needed);
		if (problem_left_out(&s->problems))
			out_text(out->doc, STYLE_WARN, "%zu of %zu runs were left out, for the reasons above",
				 problem_left_out(&s->problems), s->n + problem_left_out(&s->problems));
	}
	return out_end(out->doc);
}

static int fit_all(const struct store *s, struct output *out)
{
	struct fit f;
	size_t i;
	int ret = 0;

	if (out_format() == OUT_JSON) {
		out->profiles = json_object_new_array();
	} else {
		out->doc = out_begin("profile-fit", 0);
		out->table = fit_table(out->doc, out->points, s->ncampaigns > 1);
	}
	progress_start(s->ngroups);
	for (i = 0; i < s->ngroups && !ret; i++) {
		ret = fit_group(s, &s->groups[i], &out->o->fit, &f);
		if (ret)
			break;
		put(out, s, &f);
		fit_free(&f);
		progress_at(i + 1);
	}
	progress_end();
	if (!ret)
		return finish(out, s);
	json_object_put(out->profiles);
	if (out->doc)
		out_drop(out->doc);
	return ret;
}

int profile_fit(int argc, char **argv)
{
	struct profile_common o;
	struct output out = { .o = &o };
	struct store s;
	int c, ret;

	profile_defaults(&o);
	while ((c = arg_getopt(argc, argv, "", longs)) != -1) {
		if (c == OPT_POINTS) {
			out.points = true;
			continue;
		}
		if (c == OPT_EPS) {
			ret = arg_real("--eps", optarg, 0.001, 1, &o.fit.eps);
			ret = ret ? usage_report(ret) : EXIT_OK;
		} else {
			ret = profile_option(c, optarg, &o);
		}
		if (ret)
			return ret;
	}
	ret = profile_load(&s, argv + optind, &o, true, false);
	if (!ret) {
		ret = fit_all(&s, &out);
		ret = ret ? err_report(ret) : EXIT_OK;
	}
	store_free(&s);
	return ret;
}
