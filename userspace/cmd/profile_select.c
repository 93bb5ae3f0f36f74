// SPDX-License-Identifier: GPL-2.0-or-later
/* nettoll profile select: the best settings for an RTT, by stored profiles; and how good such choices are. */
#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>

#include "cmd/profile.h"
#include "lib/args.h"
#include "lib/err.h"
#include "lib/out.h"
#include "lib/stats.h"
#include "profile/choose.h"
#include "profile/fit_report.h"
#include "profile/value.h"

#define TOP		5	/* choices, unless the user says */
#define TOP_MAX		10000
#define RTT_MAX		1e6	/* ms */

enum { OPT_RTT = PROFILE_OPT_OWN, OPT_EVALUATE, OPT_TOP };

static const struct option longs[] = {
	PROFILE_LONGS,
	{ "rtt", required_argument, NULL, OPT_RTT },
	{ "evaluate", no_argument, NULL, OPT_EVALUATE },
	{ "top", required_argument, NULL, OPT_TOP },
	{ NULL, 0, NULL, 0 }
};

static const struct out_col choice_cols[] = {
	{ "variant", "variant", OUT_STR, 0 }, { "buffer", "buffer", OUT_STR, 0 }, { "streams", "streams", OUT_UINT, 0 },
	{ "predicted_bps", "bit/s", OUT_SI, 4 }, { "predicted_low_bps", "low", OUT_SI, 4 },
	{ "predicted_high_bps", "high", OUT_SI, 4 }, { "method", "interval", OUT_STR, 0 },
	{ "win_share", "best in", OUT_REAL, 2 }, { "shape", "shape here", OUT_STR, 0 },
	{ "floor_bps", "at least", OUT_SI, 4 },
};

static const struct out_col held_cols[] = {
	{ "rtt_ms", "RTT ms", OUT_REAL, 1 },
	{ "variant", "choice", OUT_STR, 0 }, { "buffer", "buffer", OUT_STR, 0 }, { "streams", "streams", OUT_UINT, 0 },
	{ "predicted_bps", "promised", OUT_SI, 4 }, { "measured_bps", "measured", OUT_SI, 4 },
	{ "best_variant", "best", OUT_STR, 0 }, { "best_buffer", "buffer", OUT_STR, 0 },
	{ "best_streams", "streams", OUT_UINT, 0 }, { "best_bps", "measured", OUT_SI, 4 },
	{ "regret", "regret", OUT_REAL, 4 },
};

#define COUNT(a)	(sizeof(a) / sizeof(*(a)))

static void cell_group(struct out_table *t, const struct group *g)
{
	cell_str(t, g->variant);
	cell_str(t, g->buffer);
	cell_uint(t, g->streams);
}

static struct out_doc *begin(const char *command, const struct store *s, const struct profile_common *o)
{
	struct out_doc *doc = out_begin(command, 0);

	out_str(doc, "campaign", NULL, s->campaigns[0].name);
	out_uint(doc, "runs", NULL, s->n, NULL);
	out_uint(doc, "runs_left_out", NULL, problem_left_out(&s->problems), NULL);
	if (out_format() == OUT_JSON) {
		out_json_field(doc, "confidence", value_real(o->fit.confidence));
		out_uint(doc, "replicates", NULL, o->fit.reps, NULL);
		out_uint(doc, "seed", NULL, o->fit.seed, NULL);
		out_json_field(doc, "problems", problem_json(&s->problems));
	}
	return doc;
}

static void tell_loss(struct out_doc *doc, const struct ranking *r)
{
	char name[256];

	if (r->n < 2)
		return;
	fit_name(r->choice[1].group, name, sizeof(name));
	if (r->loss.how == INTERVAL_NONE)
		out_text(doc, STYLE_NONE, "The runner-up, %s, would lose %.3g %%; without repeats that is open.", name,
			 100 * r->loss_share);
	else
		out_text(doc, STYLE_NONE, "The runner-up, %s, would lose %.3g %% (%.3g to %.3g Mbit/s)%s.", name,
			 100 * r->loss_share, r->loss.low / 1e6, r->loss.high / 1e6,
			 r->loss.low > 0 ? "" : ": it may be as good");
	if (r->out_of_reach)
		out_text(doc, STYLE_DIM, "%zu profiles do not reach that RTT", r->out_of_reach);
}

static int select_best(const struct store *s, const struct profile_common *o, double rtt_ms, size_t top)
{
	struct json_object *loss;
	struct out_table *t;
	struct out_doc *doc;
	struct ranking r;
	size_t i;
	int ret;

	ret = choose_rank(s, rtt_ms, &o->fit, top, &r);
	if (ret)
		return ret;
	doc = begin("profile-select", s, o);
	out_real(doc, "rtt_ms", NULL, rtt_ms, 3, NULL);
	t = out_table(doc, "choices", choice_cols, COUNT(choice_cols));
	out_group(t, "choices", 0);
	for (i = 0; i < r.n && i < top; i++) {
		out_row(t, i ? STYLE_NONE : STYLE_GOOD);
		cell_group(t, r.choice[i].group);
		cell_real(t, r.choice[i].predicted.value);
		cell_real(t, r.choice[i].predicted.low);
		cell_real(t, r.choice[i].predicted.high);
		cell_str(t, interval_word(r.choice[i].predicted.how));
		cell_real(t, r.choice[i].predicted.how == INTERVAL_NONE ? NAN : r.choice[i].win_share);
		cell_str(t, choose_word(r.choice[i].shape));
		cell_real(t, r.choice[i].floor_bps);
	}
	tell_loss(doc, &r);
	if (out_format() == OUT_JSON) {
		loss = value_interval(&r.loss);
		value_add(loss, "share", r.loss_share);
		out_json_field(doc, "runner_up_loss_bps", loss);
		out_uint(doc, "out_of_reach", NULL, r.out_of_reach, NULL);
	}
	choose_free(&r);
	return out_end(doc);
}

static int evaluate(const struct store *s, const struct profile_common *o)
{
	double *regret, worst = 0;
	struct held_out *all;
	struct out_table *t;
	struct out_doc *doc;
	int i, n;

	n = choose_evaluate(s, &all);
	if (n <= 0)
		return n ? n : err_set(-ENODATA, NULL, "no profile has three RTTs, of which one could be left out");
	regret = calloc((size_t)n, sizeof(*regret));
	if (!regret) {
		free(all);
		return err_set(-ENOMEM, NULL, "out of memory");
	}
	doc = begin("profile-evaluate", s, o);
	t = out_table(doc, "held_out", held_cols, COUNT(held_cols));
	out_group(t, "held_out", 0);
	for (i = 0; i < n; i++) {
		out_row(t, STYLE_NONE);
		cell_real(t, all[i].rtt_ms);
		cell_group(t, all[i].choice);
		cell_real(t, all[i].predicted_bps);
		cell_real(t, all[i].measured_bps);
		cell_group(t, all[i].best);
		cell_real(t, all[i].best_bps);
		cell_real(t, all[i].regret);
		regret[i] = all[i].regret;
		worst = fmax(worst, all[i].regret);
	}
	out_real(doc, "regret_median", "median regret", stats_quantile(regret, (size_t)n, 0.5), 4, NULL);
	out_real(doc, "regret_worst", "worst", worst, 4, NULL);
	free(regret);
	free(all);
	return out_end(doc);
}

int profile_select(int argc, char **argv)
{
	double rtt_ms = NAN;
	struct profile_common o;
	bool held_out = false;
	uint64_t top = TOP;
	struct store s;
	int c, ret;

	profile_defaults(&o);
	while ((c = arg_getopt(argc, argv, "", longs)) != -1) {
		ret = 0;
		if (c == OPT_RTT) {
			ret = arg_real("--rtt", optarg, 0, RTT_MAX, &rtt_ms);
		} else if (c == OPT_TOP) {
			ret = arg_uint("--top", optarg, 1, TOP_MAX, &top);
		} else if (c == OPT_EVALUATE) {
			held_out = true;
		} else {
			ret = profile_option(c, optarg, &o);
			if (ret)
				return ret;
		}
		if (ret)
			return usage_report(ret);
	}
	if (isnan(rtt_ms) == !held_out)
		return usage_error("one of --rtt MS and --evaluate is needed");
	ret = profile_load(&s, argv + optind, &o, false, true);
	if (!ret) {
		ret = held_out ? evaluate(&s, &o) : select_best(&s, &o, rtt_ms, top);
		ret = ret ? err_report(ret) : EXIT_OK;
	}
	store_free(&s);
	return ret;
}
