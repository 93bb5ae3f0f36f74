// SPDX-License-Identifier: GPL-2.0-or-later
/* nettoll monitor: tell what is attached, detached and set, and which rules and devices change, as it happens. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cmd/cmd.h"
#include "lib/args.h"
#include "lib/coalesce.h"
#include "lib/module.h"
#include "lib/out.h"
#include "lib/stop.h"

static void command_of(uint32_t pid, char *buf, size_t size)
{
	char path[64];
	FILE *f;

	buf[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/comm", pid);
	f = pid ? fopen(path, "re") : NULL;
	if (!f)
		return;		/* it may have ended meanwhile */
	if (fgets(buf, (int)size, f))
		buf[strcspn(buf, "\n")] = '\0';
	fclose(f);
}

static void print_people(struct out_doc *doc, const struct module_event *e, const char *command,
			 const struct timespec *now)
{
	char when[32], who[64], what[128];
	struct tm tm;

	localtime_r(&now->tv_sec, &tm);
	strftime(when, sizeof(when), "%H:%M:%S", &tm);
	if (e->pid)
		snprintf(who, sizeof(who), "pid %" PRIu32 "%s%s%s", e->pid, command[0] ? " (" : "",
			 command, command[0] ? ")" : "");
	else
		snprintf(who, sizeof(who), "the module");
	if (e->event == NETTOLL_EVENT_SETTING)
		snprintf(what, sizeof(what), "%s = %" PRIu64, e->setting, e->value);
	else if (e->event == NETTOLL_EVENT_RULE && e->rule)
		snprintf(what, sizeof(what), "%" PRIu32, e->rule);
	else if (e->event == NETTOLL_EVENT_RULE)
		snprintf(what, sizeof(what), "all");
	else if (e->event == NETTOLL_EVENT_COALESCE)
		snprintf(what, sizeof(what), "%s %s%s", e->device, coalesce_change(e->coalesce_change),
			 e->left ? ", what another had set stays" : "");
	else
		snprintf(what, sizeof(what), "%" PRIu32 " hooks, %" PRIu32 " now attached",
			 e->count, e->hooks_attached);
	out_text(doc, STYLE_NONE, "%s.%03ld %-7s %s, by %s", when, now->tv_nsec / 1000000,
		 model_event(e->event), what, who);
}

/* The same members in each line; those that an event does not have are null. */
static void print_programs(struct out_doc *doc, const struct module_event *e, const char *command,
			   const struct timespec *now)
{
	static const struct out_col cols[] = {
		{ "time", NULL, OUT_REAL, 3 }, { "event", NULL, OUT_STR, 0 },
		{ "generation", NULL, OUT_UINT, 0 }, { "count", NULL, OUT_UINT, 0 },
		{ "hooks_attached", NULL, OUT_UINT, 0 }, { "pid", NULL, OUT_UINT, 0 },
		{ "process", NULL, OUT_STR, 0 }, { "setting", NULL, OUT_STR, 0 },
		{ "value", NULL, OUT_UINT, 0 }, { "rule", NULL, OUT_UINT, 0 },
		{ "device", NULL, OUT_STR, 0 }, { "change", NULL, OUT_STR, 0 }, { "left", NULL, OUT_BOOL, 0 },
	};
	struct out_table *t = out_table(doc, NULL, cols, sizeof(cols) / sizeof(*cols));
	bool setting = e->event == NETTOLL_EVENT_SETTING, rule = e->event == NETTOLL_EVENT_RULE;
	bool coalesce = e->event == NETTOLL_EVENT_COALESCE;

	out_group(t, "change", OUT_SINGLE);
	out_row(t, STYLE_NONE);
	cell_real(t, now->tv_sec + now->tv_nsec / 1e9);
	cell_str(t, model_event(e->event));
	cell_uint(t, e->generation);
	if (setting || rule || coalesce) {
		cell_none(t);
		cell_none(t);
	} else {
		cell_uint(t, e->count);
		cell_uint(t, e->hooks_attached);
	}
	cell_uint(t, e->pid);
	cell_str(t, command[0] ? command : NULL);
	cell_str(t, setting ? e->setting : NULL);
	if (setting)
		cell_uint(t, e->value);
	else
		cell_none(t);
	if (rule)
		cell_uint(t, e->rule);
	else
		cell_none(t);
	cell_str(t, coalesce ? e->device : NULL);
	cell_str(t, coalesce ? coalesce_change(e->coalesce_change) : NULL);
	if (coalesce)
		cell_bool(t, e->left);
	else
		cell_none(t);
}

static int on_event(const struct module_event *e, void *arg)
{
	struct out_doc *doc = out_begin("monitor", OUT_STREAM);
	struct timespec now;
	char command[32];

	(void)arg;
	clock_gettime(CLOCK_REALTIME, &now);
	command_of(e->pid, command, sizeof(command));
	if (out_format() == OUT_PEOPLE)
		print_people(doc, e, command, &now);
	else
		print_programs(doc, e, command, &now);
	/* Flushes, so that a reader of a pipe has each line at once. */
	return out_end(doc);
}

static int monitor(struct module *m)
{
	int ret;

	for (;;) {
		ret = stop_wait(UINT64_MAX, module_fd(m));
		if (ret == -EINTR && stop_pending())
			return 0;
		if (ret != 1)
			continue;
		ret = module_events(m, on_event, NULL);
		if (ret == -ENOBUFS)
			pr_warn("%s; some are lost", err_text(ret));
		else if (ret)
			return ret;
	}
}

static int run_monitor(int argc, char **argv)
{
	static const struct option longs[] = { { NULL, 0, NULL, 0 } };
	struct module *module;
	int ret;

	if (arg_getopt(argc, argv, "", longs) != -1)
		return EXIT_USAGE;
	if (optind < argc)
		return usage_error("monitor takes no arguments");
	ret = module_open(&module);
	if (ret)
		return err_report(ret);
	stop_begin();
	ret = module_watch(module);
	if (!ret)
		ret = monitor(module);
	stop_end();
	module_close(module);
	return ret ? err_report(ret) : EXIT_OK;
}

const struct cmd cmd_monitor = {
	.name = "monitor",
	.run = run_monitor,
	.summary = "Tell of changes as they happen, until Ctrl-C",
	.usage = "monitor\n"
		 "A line for each attach, detach, change of a setting, and of a rule or of a device's receive\n"
		 "coalescing in this network namespace: when, what, and by whom.\n",
};
