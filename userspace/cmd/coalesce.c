// SPDX-License-Identifier: GPL-2.0-or-later
/* nettoll coalesce: let the module moderate how devices receive, and show what that comes to. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cmd/cmd.h"
#include "cmd/coalesce_report.h"
#include "lib/args.h"
#include "lib/module_coalesce.h"
#include "lib/stop.h"

#define INTERVAL_MIN_NS	10000000ull
#define INTERVAL_MAX_NS	86400000000000ull
/* The bounds of the netlink specification. */
#define TARGET_MIN_NS	10000ull
#define TARGET_MAX_NS	10000000ull

enum action { SHOW, SET, OFF };

struct options {
	const char *device;	/* NULL: all */
	enum action action;
	uint32_t target_ns;	/* 0: throughput */
	bool foreground;
	uint64_t interval_ns;	/* 0: one report */
	uint64_t count;		/* 0: until stopped */
	char *const *command;	/* NULL: none */
};

static int readings(struct module *m, const struct options *o, struct coalesce_list *list)
{
	return o->device ? module_coalesce_one(m, o->device, list) : module_coalesce(m, list);
}

/* Prints what happened since @from (NULL: since each began). */
static int report(const struct options *o, const struct coalesce_list *from, const struct coalesce_list *to)
{
	unsigned int flags = o->interval_ns ? OUT_STREAM | (o->count == 1 ? 0 : OUT_REPAINT) : 0;
	struct coalesce_list diff = { to->n, NULL };
	struct out_doc *doc;
	size_t i;

	if (to->n) {
		diff.item = malloc(to->n * sizeof(*diff.item));
		if (!diff.item)
			return err_set(-ENOMEM, NULL, "out of memory");
		memcpy(diff.item, to->item, to->n * sizeof(*diff.item));
	}
	for (i = 0; from && i < diff.n; i++)
		coalesce_since(&diff.item[i], coalesce_find(from, &to->item[i]));
	doc = out_begin("coalesce", flags);
	coalesce_report(doc, &diff);
	free(diff.item);
	return out_end(doc);
}

static int once(struct module *m, const struct options *o)
{
	struct coalesce_list list;
	int ret;

	ret = readings(m, o, &list);
	if (!ret)
		ret = report(o, NULL, &list);
	coalesce_list_free(&list);
	return ret;
}

static int live(struct module *m, const struct options *o)
{
	struct coalesce_list last, next;
	uint64_t due = stop_now_ns(), n;
	int ret;

	ret = readings(m, o, &last);
	for (n = 0; !ret && (!o->count || n < o->count); n++) {
		due += o->interval_ns;
		do {
			ret = stop_wait(due, -1);
		} while (ret == -EINTR && !stop_pending());
		if (ret == -EINTR) {
			ret = 0;
			break;
		}
		if (!ret)
			ret = readings(m, o, &next);
		if (ret)
			break;
		ret = report(o, &last, &next);
		coalesce_list_free(&last);
		last = next;
		if (stop_now_ns() > due + o->interval_ns)
			due = stop_now_ns();
	}
	coalesce_list_free(&last);
	return ret;
}

/* The device may have gone down, and its moderation ended, while the command ran. */
static int over_command(struct module *m, const struct options *o, int *status)
{
	struct coalesce_list last;
	int ret, wstatus = 0;

	ret = stop_run(o->command, &wstatus);
	if (ret) {
		*status = ret == -ENOENT ? 127 : 126;
		return ret;
	}
	*status = WIFSIGNALED(wstatus) ? 128 + WTERMSIG(wstatus) : WEXITSTATUS(wstatus);
	ret = module_coalesce_end(m, o->device, &last);
	if (!ret)
		ret = report(o, NULL, &last);
	coalesce_list_free(&last);
	return ret;
}

static int foreground(struct module *m, const struct options *o, int *status)
{
	struct coalesce_list last;
	int ret, end;

	if (o->command)
		return over_command(m, o, status);
	ret = live(m, o);
	end = module_coalesce_end(m, o->device, &last);
	coalesce_list_free(&last);
	if (!ret)
		return end;
	err_clear();
	return ret;
}

static int set(struct module *m, const struct options *o, int *status)
{
	bool bound = o->foreground || o->command;
	int ret;

	ret = module_coalesce_set(m, o->device, o->target_ns, bound);
	if (ret)
		return ret;
	if (bound)
		return foreground(m, o, status);
	return o->interval_ns ? live(m, o) : once(m, o);
}

static int off(struct module *m, const struct options *o)
{
	struct coalesce_list last;
	int ret;

	ret = module_coalesce_end(m, o->device, &last);
	if (!ret)
		ret = report(o, NULL, &last);
	coalesce_list_free(&last);
	return ret;
}

static int run(const struct options *o)
{
	int ret, code, status = EXIT_OK;
	struct module *m;

	ret = module_open(&m);
	if (ret)
		return err_report(ret);
	stop_begin();
	if (o->action == SET)
		ret = set(m, o, &status);
	else if (o->action == OFF)
		ret = off(m, o);
	else
		ret = o->interval_ns ? live(m, o) : once(m, o);
	if (ret) {
		code = err_report(ret);
		status = status == EXIT_OK ? code : status;
	}
	stop_end();
	module_close(m);
	return status;
}

/* DEVICE [off]; returns 0 or an errno described by err_set(). */
static int parse_words(int argc, char **argv, struct options *o, bool asked)
{
	if (optind < argc)
		o->device = argv[optind++];
	if (o->device && strlen(o->device) > 15)
		return err_set(-EINVAL, NULL, "'%s' is too long for a device", o->device);
	if (optind < argc && !strcmp(argv[optind], "off")) {
		o->action = OFF;
		optind++;
	}
	if (optind < argc)
		return err_set(-EINVAL, NULL, "what is '%s'? A command stands behind --", argv[optind]);
	if (o->action == OFF && asked)
		return err_set(-EINVAL, NULL, "off stands alone");
	if (asked)
		o->action = SET;
	if (o->action == SET && !o->device)
		return err_set(-EINVAL, NULL, "a device is missing");
	if ((o->command || o->foreground) && o->action != SET)
		return err_set(-EINVAL, NULL, "%s needs --latency or --throughput",
			       o->command ? "a command" : "--foreground");
	if (o->interval_ns && (o->command || o->action == OFF))
		return err_set(-EINVAL, NULL, "--interval has no meaning there");
	if (o->count && !o->interval_ns)
		return err_set(-EINVAL, NULL, "--count needs --interval");
	if (o->foreground && !o->command && !o->interval_ns)
		o->interval_ns = 1000000000;
	return 0;
}

/* --latency and --throughput, of which one may be given. */
static int parse_aim(int c, struct options *o, bool *asked)
{
	uint64_t ns;
	int ret;

	if (*asked)
		return err_set(-EINVAL, NULL, "--latency and --throughput are given once, one of the two");
	*asked = true;
	if (c == 't')
		return 0;
	ret = arg_duration("--latency", optarg, NULL, TARGET_MIN_NS, TARGET_MAX_NS, &ns);
	if (!ret)
		o->target_ns = (uint32_t)ns;
	return ret;
}

static int run_coalesce(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "latency", required_argument, NULL, 'l' },
		{ "throughput", no_argument, NULL, 't' },
		{ "foreground", no_argument, NULL, 'f' },
		{ "interval", required_argument, NULL, 'i' },
		{ "count", required_argument, NULL, 'c' },
		{ NULL, 0, NULL, 0 }
	};
	struct options o = { .action = SHOW };
	bool asked = false;
	int c, ret, i;

	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		;
	if (i < argc) {
		if (i + 1 == argc)
			return usage_error("a command is missing behind --");
		o.command = argv + i + 1;
		argc = i;
	}
	while ((c = arg_getopt(argc, argv, "fi:", longs)) != -1) {
		ret = 0;
		switch (c) {
		case 'l':
		case 't':
			ret = parse_aim(c, &o, &asked);
			break;
		case 'f':
			o.foreground = true;
			break;
		case 'i':
			ret = arg_duration("--interval", optarg, "s", INTERVAL_MIN_NS, INTERVAL_MAX_NS,
					   &o.interval_ns);
			break;
		case 'c':
			ret = arg_uint("--count", optarg, 1, UINT64_MAX, &o.count);
			break;
		default:
			return EXIT_USAGE;
		}
		if (ret < 0)
			return usage_report(ret);
	}
	ret = parse_words(argc, argv, &o, asked);
	if (ret)
		return usage_report(ret);
	return run(&o);
}

const struct cmd cmd_coalesce = {
	.name = "coalesce",
	.run = run_coalesce,
	.summary = "Receive with fewer interrupts, within a bound of the delay",
	.usage = "coalesce [DEVICE] [--interval TIME [--count N]]\n"
		 "       nettoll coalesce DEVICE --latency TIME|--throughput [OPTION]...\n"
		 "       nettoll coalesce DEVICE --latency TIME|--throughput -- COMMAND [ARGUMENT]...\n"
		 "       nettoll coalesce DEVICE off\n\n"
		 "Has the module turn the device's interrupt moderation and NAPI deferral as the traffic\n"
		 "wants it, until it is switched off or the device goes down; then the device has its old\n"
		 "values back. Without more than a DEVICE or nothing, shows what is moderated: interrupts and\n"
		 "deferral timers a second, packets for each, and how long packets can have waited for them.\n\n"
		 "Options:\n"
		 "      --latency TIME    99 of 100 packets wait no longer than this (10us to 10ms)\n"
		 "      --throughput      as few interrupts as pay, up to 256us apart\n"
		 "  -f, --foreground      only until Ctrl-C, and however else this command ends\n"
		 "  -i, --interval TIME   report every TIME (10ms to 24h), until Ctrl-C\n"
		 "      --count N         so many times\n",
};
