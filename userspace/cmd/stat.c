// SPDX-License-Identifier: GPL-2.0-or-later
/* nettoll stat: what each layer charges, live or over a command. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "cmd/cmd.h"
#include "cmd/stat_report.h"
#include "cmd/stat_windows.h"
#include "lib/args.h"
#include "lib/module.h"
#include "lib/out.h"
#include "lib/stop.h"

#define INTERVAL_NS	1000000000ull
#define INTERVAL_MIN_NS	10000000ull
#define INTERVAL_MAX_NS	86400000000000ull

struct options {
	struct stat_view view;
	uint64_t interval_ns;
	uint64_t count;		/* 0: until stopped */
	bool attach;
	char *const *command;	/* NULL: live */
	const char *output;	/* a file instead of standard output, or NULL */
};

/* Counters and what belongs to them, at one time. */
struct sample {
	struct stat_reading reading;
	struct hook_list hooks;
};

static void sample_free(struct sample *s)
{
	stat_reading_free(&s->reading);
	hook_list_free(&s->hooks);
}

/* @late: the counters last, so that the other requests are not among what is counted. */
static int take_sample(struct module *m, const struct options *o, bool late, struct sample *s)
{
	bool per_cpu = o->view.by == STAT_BY_CPU;
	int ret = 0;

	*s = (struct sample) { .hooks = { 0, NULL } };
	if (!late)
		ret = module_stat(m, per_cpu, &s->reading);
	if (!ret)
		ret = module_hooks(m, &s->hooks);
	if (!ret && late)
		ret = module_stat(m, per_cpu, &s->reading);
	if (ret)
		sample_free(s);
	return ret;
}

static int report(const struct options *o, const struct sample *from, const struct sample *to,
		  const struct stat_windows *w)
{
	struct toll_diff part[STAT_PARTS_MAX];
	struct stat_view view = o->view;
	unsigned int flags = o->command ? 0 : OUT_STREAM | (o->count == 1 ? 0 : OUT_REPAINT);
	struct toll_diff diff;
	struct timespec now;
	struct out_doc *doc;
	int ret;

	ret = toll_diff_make(&diff, &from->reading, &to->reading, &to->hooks);
	if (ret)
		return ret;
	view.nparts = stat_windows_diffs(w, &from->reading, &to->reading, &to->hooks, part);
	view.part = part;
	doc = out_begin("stat", flags);
	clock_gettime(CLOCK_REALTIME, &now);
	out_real(doc, "time", NULL, now.tv_sec + now.tv_nsec / 1e9, 3, NULL);
	stat_report(doc, &diff, &to->hooks, hook_missed(&to->hooks) - hook_missed(&from->hooks),
		    &view);
	while (view.nparts)
		toll_diff_free(&part[--view.nparts]);
	toll_diff_free(&diff);
	return out_end(doc);
}

/* Until the interval is over, with readings in between where they are wanted. */
static int wait_and_mark(struct module *m, struct stat_windows *w, uint64_t due)
{
	int ret;

	while (w->due_ns < due) {
		ret = stop_wait(w->due_ns, -1);
		if (!ret)
			ret = stat_windows_mark(w, m);
		if (ret)
			return ret;
	}
	return stop_wait(due, -1);
}

static int live(struct module *m, const struct options *o, struct stat_windows *w)
{
	struct sample last, next;
	uint64_t due, n;
	int ret;

	ret = take_sample(m, o, true, &last);
	if (ret)
		return ret;
	due = stop_now_ns();
	for (n = 0; !o->count || n < o->count; n++) {
		due += o->interval_ns;
		ret = wait_and_mark(m, w, due);
		if (ret == -EINTR && stop_pending()) {
			ret = 0;
			break;
		}
		if (!ret)
			ret = take_sample(m, o, false, &next);
		if (ret)
			break;
		ret = report(o, &last, &next, w);
		stat_windows_next(w);
		sample_free(&last);
		last = next;
		if (ret)
			break;
		/* After a suspend or a stop, go on from now instead of catching up. */
		if (stop_now_ns() > due + o->interval_ns)
			due = stop_now_ns();
	}
	sample_free(&last);
	return ret;
}

struct marker {
	struct module *module;
	struct stat_windows *windows;
};

/* Without a reading in between the confidence is worse, and no more than that. */
static void mark_on_tick(struct stop_tick *tick)
{
	struct marker *marker = tick->ctx;

	if (stat_windows_mark(marker->windows, marker->module))
		err_clear();
	tick->due_ns = marker->windows->due_ns;
}

/* Runs the command between two samples; *status is what to exit with. */
static int over_command(struct module *m, const struct options *o, struct stat_windows *w, int *status)
{
	struct marker marker = { m, w };
	struct stop_tick tick = { w->due_ns, mark_on_tick, &marker };
	struct sample before, after;
	int ret, wstatus = 0;

	ret = take_sample(m, o, true, &before);
	if (ret)
		return ret;
	ret = stop_run_ticking(o->command, &wstatus, &tick);
	if (ret) {
		sample_free(&before);
		*status = ret == -ENOENT ? 127 : 126;
		return ret;
	}
	*status = WIFSIGNALED(wstatus) ? 128 + WTERMSIG(wstatus) : WEXITSTATUS(wstatus);
	ret = take_sample(m, o, false, &after);
	if (!ret) {
		ret = report(o, &before, &after, w);
		sample_free(&after);
	}
	sample_free(&before);
	return ret;
}

/* Attaches all hooks if none is; *mine says whether they are to be detached at the end. */
static int attach_if_none(struct module *m, const struct options *o, struct module_status *status,
			  bool *mine)
{
	static const struct attach_request all;
	struct attach_result result;
	int ret;

	*mine = false;
	ret = module_status(m, status);
	if (ret || status->hooks_attached)
		return ret;
	if (!o->attach)
		return err_set(-ENODATA, "nettoll attach", "no hook is attached");
	ret = module_attach(m, &all, &result);
	if (ret)
		return ret;
	if (!result.attached) {
		/* Another may have attached them since, and will detach them. */
		ret = module_status(m, status);
		if (ret || status->hooks_attached)
			return ret;
	}
	*mine = true;
	if (!result.attached)
		return err_set(-ENODATA, "nettoll hooks says why", "no hook could be attached");
	pr_note("attached %" PRIu32 " hooks for the time being (nettoll attach keeps them)",
		result.attached);
	return 0;
}

static int detach_mine(struct module *m)
{
	static const struct attach_request all;
	struct attach_result result;
	int ret;

	ret = module_detach(m, &all, &result);
	if (!ret)
		pr_note("detached %" PRIu32 " hooks", result.attached);
	return ret;
}

static int measure(const struct options *o)
{
	int ret, status = EXIT_OK, code;
	struct module_status state;
	struct stat_windows windows;
	struct module *m;
	bool mine = false;

	ret = module_open(&m);
	if (ret)
		return err_report(ret);
	/* Before anything is attached or run; and not before it is known that there can be a result. */
	ret = o->output ? out_redirect(o->output) : 0;
	if (ret) {
		module_close(m);
		return err_report(ret);
	}
	stop_begin();
	ret = attach_if_none(m, o, &state, &mine);
	if (!ret) {
		stat_windows_begin(&windows, &state, o->view.by == STAT_BY_CPU);
		ret = o->command ? over_command(m, o, &windows, &status) : live(m, o, &windows);
		stat_windows_next(&windows);
	}
	if (ret) {
		code = err_report(ret);
		status = status == EXIT_OK ? code : status;
	}
	/* With the module, its hooks went too. */
	if (mine && ret != -ENODEV) {
		ret = detach_mine(m);
		if (ret) {
			code = err_report(ret);
			status = status == EXIT_OK ? code : status;
		}
	}
	stop_end();
	module_close(m);
	return status;
}

static const struct option longs[] = {
	{ "interval", required_argument, NULL, 'i' },
	{ "by", required_argument, NULL, 'b' },
	{ "raw", no_argument, NULL, 'r' },
	{ "no-attach", no_argument, NULL, 'n' },
	{ "output", required_argument, NULL, 'o' },
	{ NULL, 0, NULL, 0 }
};

static int parse_interval(const char *text, uint64_t *ns)
{
	return arg_duration("interval", text, "s", INTERVAL_MIN_NS, INTERVAL_MAX_NS, ns);
}

/* The words in front of "--": [INTERVAL [COUNT]] */
static int parse_words(int argc, char **argv, struct options *o)
{
	int ret = 0;

	if (o->command) {
		if (o->interval_ns || optind < argc)
			ret = err_set(-EINVAL, NULL,
				      "a command is measured once, without an interval");
		return ret;
	}
	if (optind < argc)
		ret = parse_interval(argv[optind++], &o->interval_ns);
	if (!ret && optind < argc)
		ret = arg_uint("count", argv[optind++], 1, UINT64_MAX, &o->count);
	if (!ret && optind < argc)
		ret = err_set(-EINVAL, NULL, "what is '%s'? A command stands behind --",
			      argv[optind]);
	if (!o->interval_ns)
		o->interval_ns = INTERVAL_NS;
	return ret;
}

static int run_stat(int argc, char **argv)
{
	static const char *const by[] = { "layer", "hook", "cpu" };
	struct options o = { .attach = true };
	int c, ret, i;

	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		;
	if (i < argc) {
		if (i + 1 == argc)
			return usage_error("a command is missing behind --");
		o.command = argv + i + 1;
		o.view.totals = true;
		argc = i;
	}
	while ((c = arg_getopt(argc, argv, "i:o:", longs)) != -1) {
		ret = 0;
		switch (c) {
		case 'i':
			ret = parse_interval(optarg, &o.interval_ns);
			break;
		case 'b':
			ret = arg_word("--by", optarg, by, 3);
			if (ret >= 0)
				o.view.by = (enum stat_by)ret;
			break;
		case 'r':
			o.view.raw = true;
			break;
		case 'n':
			o.attach = false;
			break;
		case 'o':
			o.output = optarg;
			break;
		default:
			return EXIT_USAGE;
		}
		if (ret < 0)
			return usage_report(ret);
	}
	ret = parse_words(argc, argv, &o);
	if (ret)
		return usage_report(ret);
	return measure(&o);
}

const struct cmd cmd_stat = {
	.name = "stat",
	.run = run_stat,
	.summary = "Show what each layer charges, live or over a command",
	.usage = "stat [OPTION]... [INTERVAL [COUNT]]\n"
		 "       nettoll stat [OPTION]... -- COMMAND [ARGUMENT]...\n\n"
		 "Every INTERVAL (1s; 10ms to 24h) shows the calls, cycles and shares of each layer and\n"
		 "direction, COUNT times or until Ctrl-C. Over a COMMAND, shows what was charged while it\n"
		 "ran, and exits with its status. If no hook is attached, attaches all for the time.\n\n"
		 "Options:\n"
		 "      --by WHAT         a row for each layer (default), hook or cpu\n"
		 "      --raw             do not subtract the cost of the accounting itself\n"
		 "      --no-attach       fail if no hook is attached\n"
		 "  -i, --interval TIME   as INTERVAL\n"
		 "  -o, --output FILE     write there, apart from what the command prints\n",
};
