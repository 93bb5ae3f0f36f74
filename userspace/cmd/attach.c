// SPDX-License-Identifier: GPL-2.0-or-later
/* nettoll attach: begin to charge layers. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/target.h"
#include "lib/args.h"
#include "lib/module.h"
#include "lib/out.h"

/* Bounds of the netlink specification. */
#define DUTY_MIN_PPM	100
#define DUTY_MAX_PPM	1000000
#define DUTY_UNIT_PPM	100
#define WINDOW_MIN_NS	1000000ull
#define WINDOW_MAX_NS	10000000000ull
#define WINDOW_UNIT_NS	1000000ull
#define WORDS_MAX	4096

struct word {
	enum target_kind kind;
	const char *text;
};

static const struct option longs[] = {
	{ "layer", required_argument, NULL, 'l' },
	{ "hook", required_argument, NULL, 'k' },
	{ "backend", required_argument, NULL, 'b' },
	{ "strict", no_argument, NULL, 's' },
	{ "duty", required_argument, NULL, 'd' },
	{ "ceiling", required_argument, NULL, 'c' },
	{ "window", required_argument, NULL, 'w' },
	{ NULL, 0, NULL, 0 }
};

/* The backends one may ask for: tracepoints are a backend of their own kind of hook only. */
static const char *const backends[] = { "auto", "direct", "kretprobe", "fprobe" };
#define NBACKENDS	(sizeof(backends) / sizeof(*backends))

struct counts {
	size_t attached, failed, absent;
	bool refused;		/* all failures are of permission or of something busy */
};

static struct counts count(const struct hook_list *hooks, const struct targets *targets)
{
	struct counts n = { .refused = true };
	const struct hook_info *h;
	size_t i;

	for (i = 0; i < hooks->n; i++) {
		h = &hooks->hook[i];
		/* The switch probe comes with any other, and nobody counts it. */
		if (!target_has(targets, h) || h->layer == NETTOLL_LAYER_WAIT)
			continue;
		n.attached += h->state == NETTOLL_HOOK_STATE_ATTACHED;
		n.absent += h->state == NETTOLL_HOOK_STATE_ABSENT;
		if (h->state == NETTOLL_HOOK_STATE_FAILED) {
			n.failed++;
			n.refused &= err_exit_code(h->error) == EXIT_REFUSED;
		}
	}
	return n;
}

static int report(const struct attach_result *result, const struct hook_list *hooks,
		  const struct targets *targets)
{
	static const struct out_col cols[] = {
		{ "hook", "failed hook", OUT_STR, 0 },
		{ "layer", "layer", OUT_STR, 0 },
		{ "error", NULL, OUT_INT, 0 },
		{ "reason", "reason", OUT_STR, 0 },
	};
	struct counts now = count(hooks, targets);
	struct out_doc *doc = out_begin("attach", 0);
	const struct hook_info *h;
	char already[48] = "";
	struct out_table *t;
	size_t i;
	int ret;

	out_uint(doc, "attached", NULL, result->attached, NULL);
	out_uint(doc, "failed", NULL, result->failed, NULL);
	out_uint(doc, "absent", NULL, result->absent, NULL);
	out_uint(doc, "now_attached", NULL, now.attached, NULL);
	if (now.attached > result->attached)
		snprintf(already, sizeof(already), " (%zu were already)",
			 now.attached - result->attached);
	out_text(doc, STYLE_NONE, "%" PRIu32 " attached%s, %" PRIu32 " failed, %" PRIu32
		 " absent from this kernel", result->attached, already, result->failed,
		 result->absent);
	if (result->failed || out_format() == OUT_JSON) {
		t = out_table(doc, "failures", cols, sizeof(cols) / sizeof(*cols));
		for (i = 0; i < hooks->n; i++) {
			h = &hooks->hook[i];
			if (h->state != NETTOLL_HOOK_STATE_FAILED || !target_has(targets, h))
				continue;
			out_row(t, STYLE_WARN);
			cell_str(t, h->name);
			cell_str(t, model_layer(h->layer));
			cell_int(t, h->error);
			cell_str(t, h->error_text);
		}
	}
	ret = out_end(doc);
	if (ret)
		return err_report(ret);
	if (now.attached)
		return EXIT_OK;
	pr_err("nothing is attached");
	return now.failed && now.refused ? EXIT_REFUSED : EXIT_FAILED;
}

/* A refusal under --strict has the first hook's reason; finds out which hook that is. */
static int name_culprit(struct module *module, int error, const struct targets *targets)
{
	struct hook_list hooks = { 0, NULL };
	const struct hook_info *h = NULL;
	char text[512];
	size_t i;

	/* Asking forgets the error. */
	snprintf(text, sizeof(text), "%s", err_text(error));
	if (module_hooks(module, &hooks))
		err_clear();
	for (i = 0; i < hooks.n && !h; i++)
		if (hooks.hook[i].error_text[0] && target_has(targets, &hooks.hook[i]) &&
		    strstr(text, hooks.hook[i].error_text))
			h = &hooks.hook[i];
	if (h)
		err_set(error, NULL, "cannot attach %s: %s", h->name, h->error_text);
	else
		err_set(error, NULL, "%s", text);
	hook_list_free(&hooks);
	return error;
}

static int attach(struct attach_request *req, const struct word *words, size_t nwords)
{
	struct hook_list hooks = { 0, NULL }, after = { 0, NULL };
	struct targets targets = { 0 };
	struct attach_result result;
	struct module *module;
	size_t i;
	int ret;

	ret = module_open(&module);
	if (ret)
		return err_report(ret);
	ret = module_hooks(module, &hooks);
	if (ret)
		goto out;
	for (i = 0; i < nwords; i++) {
		ret = target_add(&targets, &hooks, words[i].kind, words[i].text);
		if (ret == -ENOENT) {
			ret = usage_report(ret);
			goto out_status;
		}
		if (ret)
			goto out;
	}
	req->nlayers = targets.nlayers;
	req->layers = targets.layers;
	req->nhooks = targets.nhooks;
	req->hooks = targets.hooks;
	ret = module_attach(module, req, &result);
	if (ret && req->strict)
		ret = name_culprit(module, ret, &targets);
	if (ret)
		goto out;
	/* The names in targets point into the old list; the new one has the outcome. */
	ret = module_hooks(module, &after);
	if (!ret) {
		ret = report(&result, &after, &targets);
		goto out_status;
	}
out:
	if (ret)
		ret = err_report(ret);
out_status:
	targets_free(&targets);
	hook_list_free(&after);
	hook_list_free(&hooks);
	module_close(module);
	return ret;
}

/* Hundredths of a per cent. */
static int parse_share(const char *option, const char *text, uint32_t *share)
{
	uint32_t ppm;
	int ret;

	ret = arg_ppm(option, text, DUTY_MIN_PPM, DUTY_MAX_PPM, &ppm);
	if (!ret && ppm % DUTY_UNIT_PPM)
		ret = err_set(-EINVAL, NULL, "%s: %s is finer than 0.01%%", option, text);
	if (!ret)
		*share = ppm / DUTY_UNIT_PPM;
	return ret;
}

static int run_attach(int argc, char **argv)
{
	struct word words[WORDS_MAX];
	struct attach_request req = { 0 };
	size_t nwords = 0;
	uint64_t ns;
	int c, ret;

	while ((c = arg_getopt(argc, argv, "", longs)) != -1) {
		ret = 0;
		switch (c) {
		case 'l':
		case 'k':
			if (nwords == WORDS_MAX)
				return usage_error("more than %d layers and hooks", WORDS_MAX);
			words[nwords].kind = c == 'l' ? TARGET_LAYER : TARGET_HOOK;
			words[nwords++].text = optarg;
			break;
		case 'b':
			ret = arg_word("backend", optarg, backends, NBACKENDS);
			if (ret >= 0) {
				req.backend = (uint32_t)ret;
				req.auto_backend = ret == NETTOLL_BACKEND_AUTO;
				ret = 0;
			}
			break;
		case 's':
			req.strict = true;
			break;
		case 'd':
			ret = parse_share("--duty", optarg, &req.duty);
			break;
		case 'c':
			ret = parse_share("--ceiling", optarg, &req.ceiling);
			break;
		case 'w':
			ret = arg_duration("--window", optarg, NULL, WINDOW_MIN_NS, WINDOW_MAX_NS,
					   &ns);
			if (!ret && ns % WINDOW_UNIT_NS)
				ret = err_set(-EINVAL, NULL, "--window: %s is finer than 1ms",
					      optarg);
			if (!ret)
				req.window_ms = (uint32_t)(ns / WINDOW_UNIT_NS);
			break;
		default:
			return EXIT_USAGE;
		}
		if (ret < 0)
			return usage_report(ret);
	}
	if (req.window_ms && !req.duty && !req.ceiling)
		return usage_error("--window goes with --duty or --ceiling");
	if (req.duty && req.ceiling)
		return usage_error("--ceiling picks the duty by itself: give one of the two");
	for (; optind < argc; optind++) {
		if (nwords == WORDS_MAX)
			return usage_error("more than %d layers and hooks", WORDS_MAX);
		words[nwords].kind = TARGET_ANY;
		words[nwords++].text = argv[optind];
	}
	return attach(&req, words, nwords);
}

const struct cmd cmd_attach = {
	.name = "attach",
	.run = run_attach,
	.summary = "Attach hooks: begin to charge layers their cycles",
	.usage = "attach [LAYER|HOOK]... [OPTION]...\n"
		 "Without layers and hooks, attaches all. Hooks attached already stay as they are.\n\n"
		 "Options:\n"
		 "      --layer LAYER     a layer, where the word could be a hook as well\n"
		 "      --hook HOOK       a hook, by the name of its function\n"
		 "      --backend NAME    auto (the cheapest that works for each hook), direct,\n"
		 "                        kretprobe or fprobe; default: the module's setting\n"
		 "      --strict          attach all that is named, or nothing\n"
		 "      --duty PERCENT    attach for this share of the time only, in short windows\n"
		 "      --ceiling PERCENT attach in windows, with pauses as long as it takes for the\n"
		 "                        accounting to cost no more than this share of all CPUs\n"
		 "      --window TIME     length of one such window, 1ms to 10s\n",
};
