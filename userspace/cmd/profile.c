// SPDX-License-Identifier: GPL-2.0-or-later
/* nettoll profile: throughput over RTT, from stored runs; what its verbs share. */
#include "cmd/profile.h"

#include <errno.h>

#include "cmd/cmd.h"
#include "lib/args.h"

#define REPS_MAX	100000
#define CONFIDENCE_MIN	0.5
#define CONFIDENCE_MAX	0.999

void profile_defaults(struct profile_common *o)
{
	*o = (struct profile_common) {
		.fit = { .confidence = 0.95, .eps = 0.1, .reps = FIT_REPS, .seed = 1 },
	};
}

int profile_option(int c, const char *value, struct profile_common *o)
{
	uint32_t ppm = 0;
	uint64_t n = 0;
	int ret;

	switch (c) {
	case PROFILE_OPT_CAMPAIGN:
		o->campaign = value;
		return EXIT_OK;
	case PROFILE_OPT_CONFIDENCE:
		ret = arg_ppm("--confidence", value, (uint32_t)(CONFIDENCE_MIN * 1e6), (uint32_t)(CONFIDENCE_MAX * 1e6),
			      &ppm);
		o->fit.confidence = ppm / 1e6;
		break;
	case PROFILE_OPT_REPLICATES:
		ret = arg_uint("--replicates", value, 100, REPS_MAX, &n);
		o->fit.reps = n;
		break;
	case PROFILE_OPT_SEED:
		ret = arg_uint("--seed", value, 0, UINT32_MAX, &n);
		o->fit.seed = n;
		break;
	default:
		return EXIT_USAGE;
	}
	return ret ? usage_report(ret) : EXIT_OK;
}

int profile_load(struct store *s, char *const *files, const struct profile_common *o, bool traces, bool one)
{
	int ret = 0;

	*s = (struct store) { .only = o->campaign, .traces = traces };
	if (!*files)
		return usage_error("a file of runs is missing (-: standard input)");
	for (; *files && !ret; files++)
		ret = store_read(s, *files);
	ret = ret ? ret : store_sort(s);
	problem_warn(&s->problems);
	if (!ret && one)
		ret = store_one_campaign(s);
	return ret ? err_report(ret) : EXIT_OK;
}

static int run_profile(int argc, char **argv)
{
	static const char *const words[] = { "fit", "dynamics", "select", "import" };
	static int (*const verbs[])(int, char **) = { profile_fit, profile_dynamics, profile_select, profile_import };
	int verb;

	if (argc < 2)
		return usage_error("a verb is missing: fit, dynamics, select or import");
	verb = arg_word("verb", argv[1], words, sizeof(words) / sizeof(*words));
	if (verb < 0)
		return usage_report(verb);
	return verbs[verb](argc - 1, argv + 1);
}

const struct cmd cmd_profile = {
	.name = "profile",
	.run = run_profile,
	.summary = "Tell how throughput depends on RTT, from stored runs",
	.usage =
	"profile fit [OPTION]... FILE...\n"
	"       nettoll profile dynamics [OPTION]... FILE...\n"
	"       nettoll profile select --rtt MS|--evaluate [OPTION]... FILE...\n"
	"       nettoll profile import [OPTION]... DIRECTORY\n"
	"FILE holds runs, one JSON line each (see nettoll-profile(8)); - is standard input.\n"
	"\n"
	"  fit         mean profiles with intervals; where they are concave and convex, and turn\n"
	"  dynamics    how steady the sustained throughput is, against shuffled samples\n"
	"  select      the best settings for an RTT, and what the runner-up would lose\n"
	"  import      what iperf3 --json wrote, a file each in DIRECTORY, as runs\n"
	"\n"
	"Options:\n"
	"      --campaign ID     only the runs of this campaign; import: name it (as the directory)\n"
	"      --confidence P    of intervals and sets (95%)\n"
	"      --replicates N    of the bootstrap (1000)\n"
	"      --seed N          of the numbers drawn (1): the same seed, the same output\n"
	"      --points          fit: a row for each RTT\n"
	"      --eps E           fit: error that the distribution-free bound is about (0.1)\n"
	"      --interval T      dynamics: of the samples (the longest of which there are 50, or the shortest)\n"
	"      --samples N       dynamics: from each run (as many as nine tenths of the runs have)\n"
	"      --map             dynamics: each sample and the next, as for a picture\n"
	"      --rtt MS          select: the RTT that the choice is for; import: of all files (what TCP measured)\n"
	"      --capacity RATE   import: of the line\n"
	"      --top N           select: so many choices (5)\n"
	"      --evaluate        select: leave out each RTT in turn, choose for it, and tell the regret\n",
};
