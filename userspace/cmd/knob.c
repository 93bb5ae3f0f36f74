// SPDX-License-Identifier: GPL-2.0-or-later
/* nettoll knob: settings of the host that go back to the bit: list, get, explain, set, undo. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/knob.h"
#include "lib/args.h"
#include "lib/out.h"

enum { OPT_NETNS = 256, OPT_DEV, OPT_CONFIRM, OPT_DRY_RUN, OPT_FORCE, OPT_ALL, OPT_HOLD };

static const struct option longs[] = {
	{ "netns", required_argument, NULL, OPT_NETNS },
	{ "dev", required_argument, NULL, OPT_DEV },
	{ "confirm", required_argument, NULL, OPT_CONFIRM },
	{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
	{ "force", no_argument, NULL, OPT_FORCE },
	{ "hold", no_argument, NULL, OPT_HOLD },
	{ "all", no_argument, NULL, OPT_ALL },
	{ NULL, 0, NULL, 0 }
};

static const struct {
	const char *word;
	int (*run)(const struct knob_words *w);
	bool names;	/* takes names of knobs */
	bool sets;	/* takes --confirm and the like */
} verbs[] = {
	{ "list", knob_run_list, false, false },
	{ "get", knob_run_get, true, false },
	{ "explain", knob_run_explain, true, false },
	{ "set", knob_run_set, true, true },
	{ "undo", knob_run_undo, false, false },
};

#define NVERBS	((int)(sizeof(verbs) / sizeof(*verbs)))

/* Whether a word begins as a knob does: then it is no device. */
static bool is_knob(const char *word)
{
	const struct knob_family *const *f;
	size_t len;

	for (f = (const struct knob_family *const *)knob_families; *f; f++) {
		len = strlen((*f)->name);
		if (!strncmp(word, (*f)->name, len) && word[len] == '.')
			return true;
	}
	return !!strchr(word, '=');
}

static int take_name(const char *what, const char *text, char *buf, size_t size)
{
	if (!*text || strlen(text) >= size)
		return usage_error("%s: '%s' is too %s for a name", what, text, *text ? "long" : "short");
	strcpy(buf, text);
	return EXIT_OK;
}

static int take_option(int c, struct knob_words *w)
{
	uint64_t ns;
	int ret;

	switch (c) {
	case OPT_NETNS:
		return take_name("--netns", optarg, w->place.netns, sizeof(w->place.netns));
	case OPT_DEV:
		return take_name("--dev", optarg, w->place.dev, sizeof(w->place.dev));
	case OPT_CONFIRM:
		ret = arg_duration("--confirm", optarg, "s", 1000000000ull, 86400000000000ull, &ns);
		if (ret)
			return usage_report(ret);
		w->seconds = (unsigned int)((ns + 999999999) / 1000000000);
		return EXIT_OK;
	case OPT_DRY_RUN:
		w->dry_run = true;
		return EXIT_OK;
	case OPT_FORCE:
		w->force = true;
		return EXIT_OK;
	case OPT_HOLD:
		w->hold = true;
		return EXIT_OK;
	case OPT_ALL:
		w->all = true;
		return EXIT_OK;
	default:
		return EXIT_USAGE;
	}
}

static int run_knob(int argc, char **argv)
{
	struct knob_words w = { 0 };
	const char *words[NVERBS];
	int c, verb, ret;

	while ((c = arg_getopt(argc, argv, "", longs)) != -1) {
		ret = take_option(c, &w);
		if (ret)
			return ret;
	}
	argc -= optind;
	argv += optind;
	if (!argc)
		return usage_error("a verb is missing: list, get, explain, set or undo");
	for (verb = 0; verb < NVERBS; verb++)
		words[verb] = verbs[verb].word;
	verb = arg_word("verb", argv[0], words, (size_t)NVERBS);
	if (verb < 0)
		return usage_report(verb);
	argc--;
	argv++;
	if (argc && !w.place.dev[0] && !is_knob(argv[0])) {
		ret = take_name("device", argv[0], w.place.dev, sizeof(w.place.dev));
		if (ret)
			return ret;
		argc--;
		argv++;
	}
	if (verbs[verb].names && !argc)
		return usage_error("%s: a knob is missing (nettoll knob list tells those there are)", verbs[verb].word);
	if (!verbs[verb].names && argc)
		return usage_error("%s takes no '%s'", verbs[verb].word, argv[0]);
	if (!verbs[verb].sets && (w.seconds || w.dry_run || w.force || w.hold))
		return usage_error("--confirm, --dry-run, --hold and --force belong to set");
	if (w.hold && w.seconds)
		return usage_error("--hold is for what is confirmed already, not with --confirm");
	if (w.all && verbs[verb].run != knob_run_undo)
		return usage_error("--all belongs to undo");
	w.n = (size_t)argc;
	w.word = argv;
	return verbs[verb].run(&w);
}

const struct cmd cmd_knob = {
	.name = "knob",
	.run = run_knob,
	.summary = "Read and set what the host lets tune, and put it back to the bit",
	.usage = "knob list [DEVICE] [OPTION]...\n"
		 "       nettoll knob get [DEVICE] NAME...\n"
		 "       nettoll knob explain [DEVICE] NAME...\n"
		 "       nettoll knob set [DEVICE] NAME=VALUE...\n"
		 "       nettoll knob undo [--all]\n"
		 "A knob is a setting of a device (link.mtu), of a network namespace or of the machine\n"
		 "(sysctl.net.core.rmem_max). list without a device shows the latter two. What set changes,\n"
		 "and what moves along with it, is noted on the disk before it is changed; undo puts the\n"
		 "last change back, with what it moved.\n\n"
		 "Options:\n"
		 "      --netns NAME      in that network namespace (ip netns)\n"
		 "      --dev DEVICE      a device whose name looks like a knob's\n"
		 "      --confirm TIME    set: undo it after so long unless nettoll confirm says it is good,\n"
		 "                        whatever becomes of this shell or connection\n"
		 "      --hold            set: have a process set it again when the device was reset or came\n"
		 "                        back, until it is undone\n"
		 "      --dry-run         set: only tell what would change, with commands to the same effect\n"
		 "      --force           set: also what another program or file manages\n"
		 "      --all             undo: all changes that were not undone, the last one first\n",
};
