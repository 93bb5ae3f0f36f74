// SPDX-License-Identifier: GPL-2.0-or-later
/* nettoll detach: stop charging layers. */
#include <errno.h>
#include <inttypes.h>

#include "cmd/cmd.h"
#include "cmd/target.h"
#include "lib/args.h"
#include "lib/module.h"
#include "lib/out.h"

static const struct option longs[] = {
	{ "layer", required_argument, NULL, 'l' },
	{ "hook", required_argument, NULL, 'k' },
	{ NULL, 0, NULL, 0 }
};

static int report(const struct attach_result *result, const struct module_status *status)
{
	struct out_doc *doc = out_begin("detach", 0);
	int ret;

	out_uint(doc, "detached", NULL, result->attached, NULL);
	out_uint(doc, "now_attached", NULL, status->hooks_attached, NULL);
	out_uint(doc, "spans_open", NULL, status->spans_open, NULL);
	if (status->hooks_attached)
		out_text(doc, STYLE_NONE, "%" PRIu32 " detached, %" PRIu32 " still attached",
			 result->attached, status->hooks_attached);
	else
		out_text(doc, STYLE_NONE, "%" PRIu32 " detached, none attached", result->attached);
	if (status->spans_open)
		out_text(doc, STYLE_DIM, "%" PRIu64 " spans are still open (nettoll show holders)",
			 status->spans_open);
	ret = out_end(doc);
	return ret ? err_report(ret) : EXIT_OK;
}

static int run_detach(int argc, char **argv)
{
	struct hook_list hooks = { 0, NULL };
	struct targets targets = { 0 };
	struct attach_request req = { 0 };
	struct module_status status;
	struct attach_result result;
	struct module *module;
	int c, ret;

	/* A first pass for the errors of usage, before the module is asked for its hooks. */
	while ((c = arg_getopt(argc, argv, "", longs)) != -1)
		if (c == '?')
			return EXIT_USAGE;
	ret = module_open(&module);
	if (ret)
		return err_report(ret);
	ret = module_hooks(module, &hooks);
	optind = 0;
	while (!ret && (c = arg_getopt(argc, argv, "", longs)) != -1)
		ret = target_add(&targets, &hooks, c == 'l' ? TARGET_LAYER : TARGET_HOOK, optarg);
	for (; !ret && optind < argc; optind++)
		ret = target_add(&targets, &hooks, TARGET_ANY, argv[optind]);
	if (ret == -ENOENT) {
		ret = usage_report(ret);
		goto out;
	}
	if (ret)
		goto out_report;
	req.nlayers = targets.nlayers;
	req.layers = targets.layers;
	req.nhooks = targets.nhooks;
	req.hooks = targets.hooks;
	ret = module_detach(module, &req, &result);
	if (!ret)
		ret = module_status(module, &status);
	if (!ret) {
		ret = report(&result, &status);
		goto out;
	}
out_report:
	ret = err_report(ret);
out:
	targets_free(&targets);
	hook_list_free(&hooks);
	module_close(module);
	return ret;
}

const struct cmd cmd_detach = {
	.name = "detach",
	.run = run_detach,
	.summary = "Detach hooks: stop charging layers",
	.usage = "detach [LAYER|HOOK]... [OPTION]...\n"
		 "Without layers and hooks, detaches all. Detached hooks cost nothing.\n\n"
		 "Options:\n"
		 "      --layer LAYER     a layer, where the word could be a hook as well\n"
		 "      --hook HOOK       a hook, by the name of its function\n",
};
