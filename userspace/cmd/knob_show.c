// SPDX-License-Identifier: GPL-2.0-or-later
/* nettoll knob list, get and explain: what there is to turn. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/knob.h"
#include "knobs/owner.h"
#include "knobs/persist.h"
#include "knobs/survey.h"
#include "lib/out.h"

static const struct out_col cols[] = {
	{ "name", "knob", OUT_STR, 0 },
	{ "value", "value", OUT_STR, 0 },
	{ "unit", "", OUT_STR, 0 },
	{ "disruptive", NULL, OUT_BOOL, 0 },
	{ "explain", NULL, OUT_STR, 0 },
};

static void begin_doc(struct out_doc *doc, const struct knob_place *place)
{
	out_str(doc, "netns", NULL, place->netns);
	out_str(doc, "device", NULL, place->dev);
}

static void print_row(struct out_table *t, const struct knob *knob, const char *value)
{
	out_row(t, STYLE_NONE);
	cell_str(t, knob->name);
	cell_str(t, value);
	cell_str(t, knob->unit);
	cell_bool(t, knob->flags & KNOB_RESETS_LINK);
	cell_str(t, knob->explain);
}

int knob_run_list(const struct knob_words *w)
{
	struct survey survey;
	struct out_table *t;
	struct out_doc *doc;
	struct knob knob;
	size_t i;
	int ret;

	ret = survey_read(&w->place, &survey);
	if (!ret) {
		doc = out_begin("knob", 0);
		begin_doc(doc, &w->place);
		t = out_table(doc, "knobs", cols, sizeof(cols) / sizeof(*cols));
		for (i = 0; i < survey.n; i++)
			if (!knob_find(survey.item[i].name, &knob))
				print_row(t, &knob, survey.item[i].value);
		ret = out_end(doc);
		if (survey.denied)
			pr_warn("%zu more may not be read: run it as root", survey.denied);
	}
	survey_free(&survey);
	return ret ? err_report(ret) : EXIT_OK;
}

int knob_run_get(const struct knob_words *w)
{
	struct out_doc *doc = out_begin("knob", 0);
	char value[KNOB_VALUE_MAX];
	struct knob_place place;
	struct out_table *t;
	struct knob knob;
	int ret = 0, end;
	size_t i;

	begin_doc(doc, &w->place);
	t = out_table(doc, "knobs", cols, sizeof(cols) / sizeof(*cols));
	for (i = 0; i < w->n && !ret; i++) {
		place = w->place;
		ret = knob_find(w->word[i], &knob);
		if (!ret && !knob.family->per_device)
			place.dev[0] = '\0';
		if (!ret)
			ret = knob_read(&knob, &place, value);
		if (!ret)
			print_row(t, &knob, value);
	}
	end = ret ? out_drop(doc) : out_end(doc);
	ret = ret ? ret : end;
	return ret ? err_report(ret) : EXIT_OK;
}

/* What can be told of a knob where it is, or without a place, in general. */
static void explain_place(struct out_table *t, const struct knob *knob, const struct knob_place *place)
{
	char value[KNOB_VALUE_MAX], text[KNOB_TEXT_MAX];
	struct owner owner;
	bool there = !knob->family->per_device || place->dev[0];

	there = there && !knob_read(knob, place, value);
	if (there)
		cell_str(t, value);
	else
		cell_none(t);
	if (there && !knob_values(knob, place, text) && text[0])
		cell_str(t, text);
	else
		cell_none(t);
	if (there && owner_find(knob, place, &owner) > 0)
		cell_str(t, owner.text);
	else
		cell_none(t);
	if (there && !knob_command(knob, place, value, text) && text[0])
		cell_str(t, text);
	else
		cell_none(t);
	if (persist_hint(knob, there ? value : "VALUE", text))
		cell_str(t, text);
	else
		cell_none(t);
	err_clear();
}

/* Read by people as lines, one knob below the other. */
static void explain_people(struct out_doc *doc, const struct knob *knob, const struct knob_place *place)
{
	char value[KNOB_VALUE_MAX], text[KNOB_TEXT_MAX];
	struct owner owner;

	out_str(doc, NULL, "knob", knob->name);
	out_str(doc, NULL, "does", knob->explain);
	if (!knob->family->per_device || place->dev[0]) {
		if (knob_read(knob, place, value)) {
			out_str(doc, NULL, "here", "there is none");
			err_clear();
			return;
		}
		out_str(doc, NULL, "value", value);
		if (!knob_values(knob, place, text) && text[0])
			out_str(doc, NULL, "accepts", text);
		if (owner_find(knob, place, &owner) > 0)
			out_str(doc, NULL, "owner", owner.text);
		if (!knob_command(knob, place, value, text) && text[0])
			out_str(doc, NULL, "by hand", text);
	} else {
		strcpy(value, "VALUE");
	}
	if (knob->flags & KNOB_RESETS_LINK)
		out_str(doc, NULL, "beware", "changing it may take the link down for a moment");
	if (persist_hint(knob, value, text))
		out_str(doc, NULL, "at boot", text);
	err_clear();
}

int knob_run_explain(const struct knob_words *w)
{
	static const struct out_col all[] = {
		{ "name", NULL, OUT_STR, 0 }, { "unit", NULL, OUT_STR, 0 },
		{ "disruptive", NULL, OUT_BOOL, 0 }, { "explain", NULL, OUT_STR, 0 },
		{ "value", NULL, OUT_STR, 0 }, { "accepts", NULL, OUT_STR, 0 },
		{ "owner", NULL, OUT_STR, 0 }, { "command", NULL, OUT_STR, 0 },
		{ "persist", NULL, OUT_STR, 0 },
	};
	struct out_doc *doc = out_begin("knob-explain", 0);
	struct out_table *t = NULL;
	struct knob_place place;
	struct knob knob;
	size_t i;
	int ret = 0;

	begin_doc(doc, &w->place);
	if (out_format() != OUT_PEOPLE)
		t = out_table(doc, "knobs", all, sizeof(all) / sizeof(*all));
	for (i = 0; i < w->n && !ret; i++) {
		ret = knob_find(w->word[i], &knob);
		if (ret)
			break;
		place = w->place;
		if (!knob.family->per_device)
			place.dev[0] = '\0';
		if (!t) {
			if (i)
				out_text(doc, STYLE_NONE, "%s", "");
			explain_people(doc, &knob, &place);
			continue;
		}
		out_row(t, STYLE_NONE);
		cell_str(t, knob.name);
		cell_str(t, knob.unit);
		cell_bool(t, knob.flags & KNOB_RESETS_LINK);
		cell_str(t, knob.explain);
		explain_place(t, &knob, &place);
	}
	ret = ret ? out_drop(doc), ret : out_end(doc);
	return ret ? err_report(ret) : EXIT_OK;
}
