// SPDX-License-Identifier: GPL-2.0-or-later
/* nettoll hooks: the table of the hooks, and how each is attached. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/target.h"
#include "lib/args.h"
#include "lib/module.h"
#include "lib/out.h"

static const struct out_col cols[] = {
	{ "hook", "hook", OUT_STR, 0 },
	{ "symbol", NULL, OUT_STR, 0 },
	{ "layer", "layer", OUT_STR, 0 },
	{ "direction", "dir", OUT_STR, 0 },
	{ "state", "state", OUT_STR, 0 },
	{ "backend", "backend", OUT_STR, 0 },
	{ "missed", "missed", OUT_UINT, 0 },
	{ "error", NULL, OUT_INT, 0 },
	{ "reason", "reason", OUT_STR, 0 },
};

static enum term_style state_style(uint32_t state)
{
	return state == NETTOLL_HOOK_STATE_ATTACHED ? STYLE_GOOD :
	       state == NETTOLL_HOOK_STATE_FAILED ? STYLE_WARN :
	       state == NETTOLL_HOOK_STATE_ABSENT ? STYLE_DIM : STYLE_NONE;
}

static void print_hook(struct out_table *t, const struct hook_info *h)
{
	char text[160];

	out_row(t, state_style(h->state));
	cell_str(t, h->name);
	cell_str(t, h->symbol[0] ? h->symbol : h->name);
	cell_str(t, model_layer(h->layer));
	cell_str(t, model_direction(h->direction));
	cell_str(t, model_hook_state(h->state));
	/* Of a detached hook, it would be how it was attached once. */
	if (h->state == NETTOLL_HOOK_STATE_ATTACHED)
		cell_str(t, model_backend(h->backend));
	else
		cell_none(t);
	cell_uint(t, h->missed);
	if (h->error)
		cell_int(t, h->error);
	else
		cell_none(t);
	if (h->error_text[0]) {
		cell_str(t, h->error_text);
	} else if (h->state == NETTOLL_HOOK_STATE_ABSENT) {
		cell_str(t, "no such function in this kernel");
	} else if (h->error && h->state == NETTOLL_HOOK_STATE_FAILED) {
		cell_str(t, strerror(-h->error));
	} else if (h->symbol[0] && out_format() == OUT_PEOPLE) {
		snprintf(text, sizeof(text), "here %s", h->symbol);
		cell_str(t, text);
	} else if (out_format() == OUT_PEOPLE) {
		cell_str(t, "");
	} else {
		cell_none(t);
	}
}

static int run_hooks(int argc, char **argv)
{
	static const struct option longs[] = { { NULL, 0, NULL, 0 } };
	struct hook_list hooks = { 0, NULL };
	struct targets targets = { 0 };
	struct module *module;
	struct out_table *t;
	struct out_doc *doc;
	size_t i;
	int ret;

	if (arg_getopt(argc, argv, "", longs) != -1)
		return EXIT_USAGE;
	ret = module_open(&module);
	if (ret)
		return err_report(ret);
	ret = module_hooks(module, &hooks);
	for (; !ret && optind < argc; optind++)
		ret = target_add(&targets, &hooks, TARGET_ANY, argv[optind]);
	if (!ret) {
		doc = out_begin("hooks", 0);
		t = out_table(doc, "hooks", cols, sizeof(cols) / sizeof(*cols));
		for (i = 0; i < hooks.n; i++)
			if (target_has(&targets, &hooks.hook[i]))
				print_hook(t, &hooks.hook[i]);
		ret = out_end(doc);
	}
	ret = ret == -ENOENT ? usage_report(ret) : ret ? err_report(ret) : EXIT_OK;
	targets_free(&targets);
	hook_list_free(&hooks);
	module_close(module);
	return ret;
}

const struct cmd cmd_hooks = {
	.name = "hooks",
	.run = run_hooks,
	.summary = "List the hooks and how each is attached",
	.usage = "hooks [LAYER|HOOK]...\n"
		 "A hook is a kernel function or tracepoint that belongs to a layer. Its state is absent\n"
		 "(not in this kernel), detached, attached, or failed, with the reason. missed counts the\n"
		 "calls that a probe could not see.\n",
};
