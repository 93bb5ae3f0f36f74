// SPDX-License-Identifier: GPL-2.0-or-later
/* nettoll ladder: change one thing at a time, measure each gain, and put everything back. */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "knobs/turn.h"
#include "ladder/report.h"
#include "lib/args.h"
#include "lib/out.h"
#include "lib/stop.h"

#define EXIT_SIGNAL	128	/* plus the signal, as a shell has it */
#define REPEATS		5	/* unless the plan or the user says */

enum { OPT_JSON = 256, OPT_SVG, OPT_RUNGS, OPT_REPEATS, OPT_KEEP, OPT_DRY_RUN, OPT_RESTORE, OPT_NO_LAYERS,
	OPT_COMPARE, OPT_RETAIN, OPT_LEAVE_OUT, OPT_FACTORIAL };

static const struct option longs[] = {
	{ "json", required_argument, NULL, OPT_JSON },
	{ "svg", required_argument, NULL, OPT_SVG },
	{ "rungs", required_argument, NULL, OPT_RUNGS },
	{ "repeats", required_argument, NULL, OPT_REPEATS },
	{ "keep", no_argument, NULL, OPT_KEEP },
	{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
	{ "restore", no_argument, NULL, OPT_RESTORE },
	{ "no-layers", no_argument, NULL, OPT_NO_LAYERS },
	{ "compare", required_argument, NULL, OPT_COMPARE },
	{ "retain", required_argument, NULL, OPT_RETAIN },
	{ "leave-one-out", no_argument, NULL, OPT_LEAVE_OUT },
	{ "factorial", no_argument, NULL, OPT_FACTORIAL },
	{ NULL, 0, NULL, 0 }
};

struct options {
	const char *plan, *json, *svg, *rungs;
	uint32_t repeats;
	int compare, retain;	/* -1: as the plan has it */
	bool keep, dry_run, restore, no_layers, leave_out, factorial;
};

static int parse_choice(const char *option, const char *word, const char *const *names, int *value)
{
	int i;

	for (i = 0; names[i] && strcmp(names[i], word); i++)
		;
	if (!names[i])
		return err_set(-EINVAL, NULL, "%s takes %s or %s, not '%s'", option, names[0], names[1], word);
	*value = i;
	return 0;
}

static int parse(int argc, char **argv, struct options *o)
{
	uint64_t n;
	int c, ret;

	*o = (struct options) { .compare = -1, .retain = -1 };
	while ((c = arg_getopt(argc, argv, "", longs)) != -1) {
		switch (c) {
		case OPT_JSON:
			/* --json=- is what --json without a file is. */
			if (!strcmp(optarg, "-"))
				out_set_format(OUT_JSON);
			else
				o->json = optarg;
			break;
		case OPT_SVG: o->svg = optarg; break;
		case OPT_RUNGS: o->rungs = optarg; break;
		case OPT_KEEP: o->keep = true; break;
		case OPT_DRY_RUN: o->dry_run = true; break;
		case OPT_RESTORE: o->restore = true; break;
		case OPT_NO_LAYERS: o->no_layers = true; break;
		case OPT_LEAVE_OUT: o->leave_out = true; break;
		case OPT_FACTORIAL: o->factorial = true; break;
		case OPT_COMPARE:
		case OPT_RETAIN:
			ret = c == OPT_COMPARE ?
				parse_choice("--compare", optarg, plan_compare_names, &o->compare) :
				parse_choice("--retain", optarg, plan_retain_names, &o->retain);
			if (ret)
				return usage_report(ret);
			break;
		case OPT_REPEATS:
			ret = arg_uint("--repeats", optarg, 1, PLAN_REPEATS_MAX, &n);
			if (ret)
				return usage_report(ret);
			o->repeats = (uint32_t)n;
			break;
		default:
			return EXIT_USAGE;
		}
	}
	if (o->restore) {
		if (optind < argc || argc > 2)
			return usage_error("--restore stands alone");
		return EXIT_OK;
	}
	if (optind == argc || !*argv[optind])
		return usage_error("a plan is missing");
	if (argc - optind > 1)
		return usage_error("one plan at a time (to write JSON to a file: --json=FILE)");
	o->plan = argv[optind];
	return EXIT_OK;
}

/* The foot and the rungs named, in the order of the plan. */
static int choose_rungs(const struct plan *plan, const char *words, struct climb *climb)
{
	char *copy, *word, *save = NULL;
	bool wanted[PLAN_RUNGS_MAX] = { true };
	size_t i;
	int ret = 0;

	if (words) {
		copy = strdup(words);
		if (!copy)
			return err_set(-ENOMEM, NULL, "out of memory");
		for (word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
			ret = plan_rung_find(plan, word);
			if (ret < 0)
				break;
			wanted[ret] = true;
		}
		free(copy);
		if (ret < 0)
			return ret;
	}
	for (i = 0; i < plan->nrungs; i++)
		if (!words || wanted[i])
			climb->step[climb->nsteps++] = (uint32_t)i;
	return 0;
}

/* Better now than after minutes of measuring. */
static int check_writable(const char *path)
{
	struct stat st;
	int fd, fresh;

	fresh = lstat(path, &st);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return err_set(-errno, NULL, "cannot write %s: %s", path, strerror(errno));
	close(fd);
	if (fresh)
		unlink(path);
	return 0;
}

/* A table that cannot be written is told of at once, and once; the measuring goes on for the files. */
static void on_begin(const struct climb *climb, void *ctx)
{
	int *failed = ctx, ret = report_head(climb);

	if (ret)
		*failed = err_report(ret);
}

static void on_step(const struct climb *climb, size_t step, void *ctx)
{
	int *failed = ctx, ret = *failed ? 0 : report_step(climb, step);

	if (ret)
		*failed = err_report(ret);
}

static int dry_run(const struct plan *plan, struct climb *climb)
{
	int ret;

	ret = rig_look(&climb->rig, plan);
	if (!ret)
		ret = report_dry(&climb->rig, climb->step, climb->nsteps);
	if (ret)
		ret = err_report(ret);
	rig_close(&climb->rig, false);
	return ret;
}

static int save_all(const struct climb *climb, const struct options *o)
{
	struct json_object *root = NULL;
	int ret = 0;

	if (o->json || out_format() == OUT_JSON) {
		root = report_json(climb);
		if (!root)
			return err_set(-ENOMEM, NULL, "out of memory");
	}
	if (o->json)
		ret = report_save(root, o->json);
	if (out_format() == OUT_JSON)
		ret = ret ? ret : out_json(json_object_get(root));
	else if (out_format() == OUT_TSV)
		ret = ret ? ret : climb->factorial ? report_factorial(climb) : report_tsv(climb);
	json_object_put(root);
	if (!ret && o->svg)
		ret = plot_svg(climb, o->svg);
	return ret;
}

/* What the plan says, and what the user says against it. */
static int choose_design(const struct plan *plan, const struct options *o, struct climb *climb)
{
	climb->repeats = o->repeats ? o->repeats : plan->repeats ? plan->repeats : REPEATS;
	climb->compare = o->compare < 0 ? plan->compare : (enum plan_compare)o->compare;
	climb->retain = o->retain < 0 ? plan->retain : (enum plan_retain)o->retain;
	climb->least = plan->least;
	climb->leave_out = plan->leave_out || o->leave_out;
	climb->factorial = o->factorial;
	if (!climb->factorial && climb->repeats < 2 && climb->retain == PLAN_RETAIN_GAINS && climb->nsteps > 1)
		return err_set(-EINVAL, "--repeats 2 or more, or --retain all",
			       "one measurement of each rung does not tell a gain from chance");
	return 0;
}

static int climb_plan(const struct options *o, struct climb *climb)
{
	bool people = out_format() == OUT_PEOPLE, dirty;
	int unprinted = 0, ret, sig, status;

	climb->account = !o->no_layers;
	climb->keep = o->keep;
	if (people) {
		climb->on_begin = on_begin;
		climb->on_step = on_step;
		climb->ctx = &unprinted;
	}
	stop_begin();
	ret = climb_run(climb, &dirty);
	sig = stop_pending();
	stop_end();
	status = !ret ? EXIT_OK : ret == -EINTR && sig ? EXIT_SIGNAL + sig : err_exit_code(ret);
	/* What was measured before something went wrong is worth keeping. */
	if (climb->ncells) {
		if (people && !ret && !unprinted) {
			ret = climb->factorial ? report_factorial(climb) : report_foot(climb);
			if (ret)
				unprinted = err_report(ret);
		}
		ret = save_all(climb, o);
		if (ret)
			unprinted = err_report(ret);
		if (status == EXIT_OK)
			status = unprinted;
	}
	if (status > EXIT_SIGNAL)
		pr_note("ended by a signal; %s", dirty ? "not everything could be put back"
						       : "everything is as it was");
	return dirty && status == EXIT_OK ? EXIT_FAILED : status;
}

static int count(const char *path, void *arg)
{
	(void)path;
	++*(size_t *)arg;
	return 0;
}

static int restore(void)
{
	size_t n = 0;
	int ret;

	journal_each(count, &n);
	if (!n)
		pr_note("there is nothing to put back");
	stop_begin();
	/* Each failure has been reported. */
	ret = journal_each(turn_back_file, NULL);
	stop_end();
	return ret ? err_exit_code(ret) : EXIT_OK;
}

static int run_ladder(int argc, char **argv)
{
	struct climb *climb;
	struct options o;
	struct plan *plan;
	int ret;

	ret = parse(argc, argv, &o);
	if (ret)
		return ret;
	if (o.restore)
		return restore();
	plan = calloc(1, sizeof(*plan));
	climb = calloc(1, sizeof(*climb));
	ret = plan && climb ? plan_load(o.plan, plan) : err_set(-ENOMEM, NULL, "out of memory");
	if (!ret) {
		climb->plan = plan;
		ret = choose_rungs(plan, o.rungs, climb);
	}
	if (!ret)
		ret = choose_design(plan, &o, climb);
	if (!ret && o.json)
		ret = check_writable(o.json);
	if (!ret && o.svg)
		ret = check_writable(o.svg);
	if (!ret && o.svg && o.factorial)
		ret = err_set(-EINVAL, NULL, "--svg draws a ladder, which --factorial does not climb");
	if (!ret && o.svg)
		ret = plot_check();
	if (ret)
		ret = err_report(ret);
	else if (o.dry_run)
		ret = dry_run(plan, climb);
	else
		ret = climb_plan(&o, climb);
	if (climb)
		climb_free(climb);
	if (plan)
		plan_free(plan);
	free(climb);
	free(plan);
	return ret;
}

const struct cmd cmd_ladder = {
	.name = "ladder",
	.run = run_ladder,
	.summary = "Change one thing at a time, measure each gain, and put everything back",
	.usage =
	"ladder PLAN [OPTION]... | ladder --restore\n"
	"Climbs the rungs of PLAN (see ladders/ and nettoll-ladder(8)): with the settings of each rung on\n"
	"top of those below it, and without, by turns, sends the plan's traffic and measures throughput,\n"
	"loss, processor time, and, when the module is loaded, what every layer charges. A rung without\n"
	"a certain gain is reverted. Afterwards the host is as before.\n"
	"\n"
	"Options:\n"
	"      --rungs A,B...    climb only these (and the first)\n"
	"      --repeats N       measurements of a rung (5, or what the plan says)\n"
	"      --compare HOW     by-turns: measure each rung in turn with the state below it; in-order:\n"
	"                        measure each state once\n"
	"      --retain WHICH    gains: go on with rungs of certain gain only; all: with every rung\n"
	"      --leave-one-out   at the end, measure what each retained rung is worth among the others\n"
	"      --factorial       instead of climbing, measure all combinations of up to 6 rungs above the first\n"
	"      --no-layers       leave the module alone\n"
	"      --json=FILE       write the results to a file too\n"
	"      --svg FILE        draw them (needs gnuplot)\n"
	"      --dry-run         print what would be changed, and change nothing\n"
	"      --keep            leave the host on the last rung, until --restore\n"
	"      --restore         put back what --keep, or a ladder that was killed, has left\n",
};
