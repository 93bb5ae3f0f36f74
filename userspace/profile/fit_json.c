// SPDX-License-Identifier: GPL-2.0-or-later
/* A fitted profile as JSON. */
#include <math.h>

#include "profile/fit_report.h"
#include "profile/value.h"

static const char *const forms[SIGMOID_FORMS] = { "unit", "free" };
static const char *const signs[] = { "convex", "unknown", "concave" };

static struct json_object *ramp_json(const struct fit_node *d)
{
	struct json_object *o, *terms = NULL;

	if (!d->ramps)
		return NULL;
	o = json_object_new_object();
	json_object_object_add(o, "runs", json_object_new_uint64(d->ramps));
	value_add(o, "ramp_s", d->ramp.seconds);
	value_add(o, "ramp_share", d->ramp.share);
	value_add(o, "ramp_bps", d->ramp.ramp_bps);
	value_add(o, "sustained_bps", d->ramp.sustained_bps);
	value_add(o, "growth_per_rtt", d->ramp.growth);
	if (isfinite(d->terms.sustained)) {
		terms = json_object_new_object();
		value_add(terms, "sustained", d->terms.sustained);
		value_add(terms, "ramp", d->terms.ramp);
		value_add(terms, "share", d->terms.share);
	}
	json_object_object_add(o, "slope_change_bps_per_ms", terms);
	return o;
}

static struct json_object *node_json(const struct fit *f, size_t k)
{
	struct json_object *o = json_object_new_object();
	const struct fit_node *d = &f->node[k];

	value_add(o, "rtt_ms", d->rtt_ms);
	value_add(o, "rtt_measured_ms", d->measured_ms);
	json_object_object_add(o, "runs", json_object_new_uint64(d->runs));
	json_object_object_add(o, "throughput_bps", value_interval(&d->mean));
	value_add(o, "sd_bps", d->sd);
	json_object_object_add(o, "chord_bps", k && k + 1 < f->n ? value_interval(&d->chord) : NULL);
	json_object_object_add(o, "shape", json_object_new_string(signs[d->sign + 1]));
	value_add(o, "window_bps", d->window_bps);
	value_add(o, "limited_share", d->limited);
	json_object_object_add(o, "phases", ramp_json(d));
	return o;
}

static struct json_object *branch_json(const struct sigmoid_branch *b)
{
	struct json_object *o;

	if (!b->used)
		return NULL;
	o = json_object_new_object();
	value_add(o, "amplitude", b->amplitude);
	value_add(o, "a_per_ms", b->a);
	value_add(o, "t0_ms", b->t0);
	return o;
}

static const char *turn_word(const struct fit *f, size_t turn)
{
	return turn == 0 ? "convex" : turn == f->n - 1 ? "concave" : "both";
}

static struct json_object *sigmoid_json(const struct fit *f, int form)
{
	struct json_object *o = json_object_new_object(), *set = json_object_new_array();
	const struct sigmoid_fit *fit = &f->sigmoid[form];
	size_t k;

	json_object_object_add(o, "form", json_object_new_string(forms[form]));
	value_add(o, "turn_ms", f->node[fit->turn].rtt_ms);
	json_object_object_add(o, "regions", json_object_new_string(turn_word(f, fit->turn)));
	for (k = 0; k < f->n; k++)
		if (f->node[k].in_set[form])
			json_object_array_add(set, value_real(f->node[k].rtt_ms));
	json_object_object_add(o, "set_ms", set);
	value_add(o, "set_level", f->level[form]);
	value_add(o, "sse", fit->sse);
	json_object_object_add(o, "concave", branch_json(&fit->concave));
	json_object_object_add(o, "convex", branch_json(&fit->convex));
	return o;
}

static struct json_object *bracket_json(const struct fit *f)
{
	struct json_object *o = json_object_new_object();

	value_add(o, "low_ms", f->bracket.below ? NAN : f->node[f->bracket.low].rtt_ms);
	value_add(o, "high_ms", f->bracket.above ? NAN : f->node[f->bracket.high].rtt_ms);
	json_object_object_add(o, "mixed", json_object_new_boolean(f->bracket.mixed));
	return o;
}

static void add_note(void *ctx, const char *text)
{
	json_object_array_add(ctx, json_object_new_string(text));
}

struct json_object *fit_json(const struct store *s, const struct fit *f)
{
	struct json_object *o = json_object_new_object(), *nodes = json_object_new_array();
	struct json_object *turn = NULL, *bound, *notes;
	double u = (f->utilization.value + f->concavity.value + 0.5) / 2;
	size_t k;

	json_object_object_add(o, "campaign", json_object_new_string(f->group->campaign));
	json_object_object_add(o, "variant", json_object_new_string(f->group->variant));
	json_object_object_add(o, "buffer", json_object_new_string(f->group->buffer));
	json_object_object_add(o, "streams", json_object_new_uint64(f->group->streams));
	value_add(o, "capacity_bps", f->group->capacity_bps);
	value_add(o, "scale_bps", f->curve.scale);
	json_object_object_add(o, "runs", json_object_new_uint64(f->runs));
	for (k = 0; k < f->n; k++)
		json_object_array_add(nodes, node_json(f, k));
	json_object_object_add(o, "points", nodes);
	if (f->shaped) {
		turn = json_object_new_object();
		json_object_object_add(turn, "sigmoid_unit", sigmoid_json(f, SIGMOID_UNIT));
		json_object_object_add(turn, "sigmoid_free", sigmoid_json(f, SIGMOID_FREE));
		json_object_object_add(turn, "chords", bracket_json(f));
		value_add(turn, "model_ms", f->model_ms);
	}
	json_object_object_add(o, "transition", turn);
	json_object_object_add(o, "utilization", value_interval(&f->utilization));
	json_object_object_add(o, "concavity", value_interval(&f->concavity));
	value_add(o, "utilization_concavity", u);
	bound = json_object_new_object();
	value_add(bound, "log10_probability", f->bound_log10);
	json_object_object_add(bound, "vacuous", json_object_new_boolean(f->bound_log10 >= 0));
	value_add(bound, "runs", (double)f->runs);
	value_add(bound, "runs_needed", f->bound_runs);
	json_object_object_add(o, "distribution_free_bound", bound);
	notes = json_object_new_array();
	fit_notes(s, f, add_note, notes);
	json_object_object_add(o, "notes", notes);
	return o;
}
