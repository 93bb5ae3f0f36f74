// SPDX-License-Identifier: GPL-2.0-or-later
/* nettoll show: the module's state, its settings, the layers, and who holds it in use. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cmd/cmd.h"
#include "lib/args.h"
#include "lib/module.h"
#include "lib/out.h"

#define ARRAY(array)	(array), sizeof(array) / sizeof(*(array))

static void backend_words(uint32_t mask, char *buf, size_t size)
{
	size_t at = 0;
	uint32_t i;

	buf[0] = '\0';
	for (i = 0; i < 32 && at < size; i++)
		if (mask & 1u << i && i != NETTOLL_BACKEND_AUTO)
			at += (size_t)snprintf(buf + at, size - at, "%s%s", at ? " " : "",
					       model_backend(i));
}

static void print_cost(struct out_doc *doc, uint32_t backend, const struct module_cost *cost)
{
	char key[64], label[64], text[96];

	if (!cost->known)
		return;
	snprintf(key, sizeof(key), "%s_cost_inner", model_backend(backend));
	out_real(doc, key, NULL, cost->inner / 1e3, 3, NULL);
	snprintf(key, sizeof(key), "%s_cost_outer", model_backend(backend));
	out_real(doc, key, NULL, cost->outer / 1e3, 3, NULL);
	snprintf(label, sizeof(label), "cost of %s", model_backend(backend));
	snprintf(text, sizeof(text), "%.1f cycles a span (%.1f in it, %.1f around it)",
		 (cost->inner + cost->outer) / 1e3, cost->inner / 1e3, cost->outer / 1e3);
	out_str(doc, NULL, label, text);
}

static int show_status(struct module *m, struct out_doc *doc)
{
	struct module_status s;
	char text[128];
	uint32_t i;
	int ret;

	ret = module_status(m, &s);
	if (ret)
		return ret;
	out_str(doc, "module_version", "module", s.version);
	out_str(doc, "state", "state", model_state(s.state));
	out_uint(doc, "hooks", NULL, s.hooks, NULL);
	out_uint(doc, "hooks_attached", NULL, s.hooks_attached, NULL);
	snprintf(text, sizeof(text), "%" PRIu32 " of %" PRIu32 " attached", s.hooks_attached,
		 s.hooks);
	out_str(doc, NULL, "hooks", text);
	out_uint(doc, "spans_open", "open spans", s.spans_open, NULL);
	backend_words(s.backends, text, sizeof(text));
	out_str(doc, "backends", "backends", text);
	for (i = 0; i < sizeof(s.cost) / sizeof(*s.cost); i++)
		print_cost(doc, i, &s.cost[i]);
	out_uint(doc, "tsc_khz", NULL, s.tsc_khz, NULL);
	out_real(doc, NULL, "counter", s.tsc_khz / 1e6, 6, "GHz");
	out_uint(doc, "cpus", "CPUs", s.cpus, NULL);
	out_uint(doc, "generation", "generation", s.generation, NULL);
	out_uint(doc, "attached_ns", NULL, s.attached_ns, NULL);
	out_real(doc, NULL, "attached for", s.attached_ns / 1e9, 3, "s in all");
	out_real(doc, "duty_percent", "duty", s.duty / 100.0, 2, "%");
	if (s.ceiling)
		out_real(doc, "ceiling_percent", "ceiling", s.ceiling / 100.0, 2, "% of all CPUs");
	if (s.window_ms)
		out_uint(doc, "window_ms", "window", s.window_ms, "ms");
	return 0;
}

static int show_settings(struct module *m, struct out_doc *doc)
{
	static const struct out_col cols[] = {
		{ "name", "setting", OUT_STR, 0 },
		{ "value", "value", OUT_UINT, 0 },
		{ "minimum", "min", OUT_UINT, 0 },
		{ "maximum", "max", OUT_UINT, 0 },
		{ "default", "default", OUT_UINT, 0 },
		{ "doc", "meaning", OUT_STR, 0 },
	};
	struct setting_list list;
	struct setting_info *s;
	struct out_table *t;
	size_t i;
	int ret;

	ret = module_settings(m, &list);
	if (ret)
		return ret;
	t = out_table(doc, "settings", ARRAY(cols));
	for (i = 0; i < list.n; i++) {
		s = &list.item[i];
		out_row(t, s->value == s->standard ? STYLE_NONE : STYLE_HEAD);
		cell_str(t, s->name);
		cell_uint(t, s->value);
		cell_uint(t, s->minimum);
		cell_uint(t, s->maximum);
		cell_uint(t, s->standard);
		cell_str(t, s->doc);
	}
	setting_list_free(&list);
	return 0;
}

static int show_layers(struct module *m, struct out_doc *doc)
{
	static const struct out_col cols[] = {
		{ "layer", "layer", OUT_STR, 0 },
		{ "hooks", "hooks", OUT_UINT, 0 },
		{ "attached", "attached", OUT_UINT, 0 },
		{ "absent", "absent", OUT_UINT, 0 },
		{ "doc", "what it holds", OUT_STR, 0 },
	};
	struct hook_list hooks = { 0, NULL };
	struct layer_list list;
	struct out_table *t;
	uint64_t n[3];
	size_t i, h;
	int ret;

	ret = module_layers(m, &list);
	if (!ret)
		ret = module_hooks(m, &hooks);
	if (ret)
		goto out;
	t = out_table(doc, "layers", ARRAY(cols));
	for (i = 0; i < list.n; i++) {
		memset(n, 0, sizeof(n));
		for (h = 0; h < hooks.n; h++) {
			if (hooks.hook[h].layer != list.item[i].layer)
				continue;
			n[0]++;
			n[1] += hooks.hook[h].state == NETTOLL_HOOK_STATE_ATTACHED;
			n[2] += hooks.hook[h].state == NETTOLL_HOOK_STATE_ABSENT;
		}
		out_row(t, STYLE_NONE);
		cell_str(t, list.item[i].name);
		cell_uint(t, n[0]);
		cell_uint(t, n[1]);
		cell_uint(t, n[2]);
		cell_str(t, list.item[i].doc);
	}
out:
	hook_list_free(&hooks);
	layer_list_free(&list);
	return ret;
}

/* How long ago a thread fell asleep, on the counter that the module reads; NaN if unknown. */
static double asleep(struct module *m, const struct holder_info *h)
{
	struct module_status status;
	struct stat_reading now;
	double s = NAN;

	if (module_status(m, &status) || !status.tsc_khz || module_stat(m, false, &now)) {
		err_clear();
		return s;
	}
	if (now.cycles >= h->since_cycles)
		s = (double)(now.cycles - h->since_cycles) / status.tsc_khz / 1e3;
	stat_reading_free(&now);
	return s;
}

static int show_holders(struct module *m, struct out_doc *doc)
{
	static const struct out_col cols[] = {
		{ "pid", "pid", OUT_UINT, 0 },
		{ "command", "command", OUT_STR, 0 },
		{ "hook", "asleep in", OUT_STR, 0 },
		{ "seconds", "for s", OUT_REAL, 1 },
		{ "kthread", "kernel thread", OUT_BOOL, 0 },
	};
	const struct hook_info *hook;
	struct holder_list list = { 0, NULL };
	struct hook_list hooks;
	struct holder_info *h;
	struct out_table *t;
	size_t i;
	int ret;

	ret = module_hooks(m, &hooks);
	if (!ret)
		ret = module_holders(m, &list);
	if (ret)
		goto out;
	t = out_table(doc, "holders", ARRAY(cols));
	for (i = 0; i < list.n; i++) {
		h = &list.item[i];
		hook = hook_by_id(&hooks, h->hook);
		out_row(t, STYLE_NONE);
		cell_uint(t, h->pid);
		cell_str(t, h->comm);
		cell_str(t, hook ? hook->name : "?");
		cell_real(t, asleep(m, h));
		cell_bool(t, h->kthread);
	}
	if (!list.n)
		out_text(doc, STYLE_NONE, "no thread sleeps within a span");
out:
	holder_list_free(&list);
	hook_list_free(&hooks);
	return ret;
}

static int show_all(struct module *m, struct out_doc *doc)
{
	int ret = show_status(m, doc);

	if (ret)
		return ret;
	out_text(doc, STYLE_NONE, "%s", "");
	return show_settings(m, doc);
}

static int run_show(int argc, char **argv)
{
	static const struct option longs[] = { { NULL, 0, NULL, 0 } };
	static const char *const words[] = { "status", "layers", "settings", "holders" };
	static int (*const shows[])(struct module *, struct out_doc *) = {
		show_status, show_layers, show_settings, show_holders,
	};
	struct module *module;
	struct out_doc *doc;
	int what = -1, ret, end;

	if (arg_getopt(argc, argv, "", longs) != -1)
		return EXIT_USAGE;
	if (argc - optind > 1)
		return usage_error("one thing to show at most");
	if (optind < argc) {
		what = arg_word("thing to show", argv[optind], ARRAY(words));
		if (what < 0)
			return usage_report(what);
	}
	ret = module_open(&module);
	if (ret)
		return err_report(ret);
	doc = out_begin("show", 0);
	ret = what < 0 ? show_all(module, doc) : shows[what](module, doc);
	/* Half a document is worse than none. */
	end = ret ? out_drop(doc) : out_end(doc);
	module_close(module);
	ret = ret ? ret : end;
	return ret ? err_report(ret) : EXIT_OK;
}

const struct cmd cmd_show = {
	.name = "show",
	.run = run_show,
	.summary = "Show the module's state, settings, layers, or who holds it",
	.usage = "show [status|settings|layers|holders]\n"
		 "  status      state, backends, and what a span costs\n"
		 "  settings    their values and bounds (nettoll set)\n"
		 "  layers      what each layer holds, and its hooks\n"
		 "  holders     threads that sleep within a span (root)\n"
		 "Without a word, status and settings.\n",
};
