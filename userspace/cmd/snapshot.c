// SPDX-License-Identifier: GPL-2.0-or-later
/* nettoll snapshot: all knobs of some devices in a file; what differs since, and the way back. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "knobs/snapshot.h"
#include "lib/args.h"
#include "lib/out.h"

enum { OPT_NETNS = 256, OPT_NO_HOST, OPT_DRY_RUN, OPT_CONFIRM };

static const struct option longs[] = {
	{ "netns", required_argument, NULL, OPT_NETNS },
	{ "no-host", no_argument, NULL, OPT_NO_HOST },
	{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
	{ "confirm", required_argument, NULL, OPT_CONFIRM },
	{ NULL, 0, NULL, 0 }
};

static struct options {
	const char *netns;
	bool no_host, dry_run;
	unsigned int seconds;
} options;

static const char *name_of(const char *dev)
{
	return *dev ? dev : "(host)";
}

/* ---- save, hash, show ---- */

static void print_head(struct out_doc *doc, const struct snapshot *s, const char *hash)
{
	size_t i, n = 0;

	for (i = 0; i < s->n; i++)
		n += s->place[i].survey.n;
	out_str(doc, "hash", "hash", hash);
	out_str(doc, "time", "time", s->time);
	out_str(doc, "host", "host", s->host);
	out_str(doc, "kernel", "kernel", s->kernel);
	out_str(doc, "netns", s->netns[0] ? "netns" : NULL, s->netns);
	out_uint(doc, "knobs", "knobs", n, NULL);
}

static int print(const struct snapshot *s, bool all)
{
	static const struct out_col places[] = {
		{ "device", "device", OUT_STR, 0 },
		{ "identity", "known as", OUT_STR, 0 },
		{ "knobs", "knobs", OUT_UINT, 0 },
	};
	static const struct out_col values[] = {
		{ "device", "device", OUT_STR, 0 },
		{ "name", "knob", OUT_STR, 0 },
		{ "value", "value", OUT_STR, 0 },
	};
	struct out_doc *doc = out_begin("snapshot", 0);
	char hash[SHA256_TEXT];
	struct out_table *t;
	size_t i, k;
	int ret;

	ret = snapshot_hash(s, hash);
	if (ret)
		return out_drop(doc), ret;
	print_head(doc, s, hash);
	t = out_table(doc, "places", places, sizeof(places) / sizeof(*places));
	for (i = 0; i < s->n; i++) {
		out_row(t, STYLE_NONE);
		cell_str(t, name_of(s->place[i].dev));
		cell_str(t, s->place[i].identity);
		cell_uint(t, s->place[i].survey.n);
	}
	if (all) {
		t = out_table(doc, "values", values, sizeof(values) / sizeof(*values));
		for (i = 0; i < s->n; i++) {
			for (k = 0; k < s->place[i].survey.n; k++) {
				out_row(t, STYLE_NONE);
				cell_str(t, name_of(s->place[i].dev));
				cell_str(t, s->place[i].survey.item[k].name);
				cell_str(t, s->place[i].survey.item[k].value);
			}
		}
	}
	return out_end(doc);
}

static int take_now(struct snapshot *s, int argc, char **argv)
{
	return snapshot_take(s, options.netns ? options.netns : "", argv, (size_t)argc, !options.no_host);
}

static int run_save(int argc, char **argv)
{
	struct snapshot s;
	int ret;

	ret = take_now(&s, argc - 1, argv + 1);
	if (!ret)
		ret = snapshot_save(&s, argv[0]);
	if (!ret)
		ret = print(&s, false);
	snapshot_free(&s);
	return ret ? err_report(ret) : EXIT_OK;
}

static int run_hash(int argc, char **argv)
{
	struct snapshot s;
	int ret;

	ret = take_now(&s, argc, argv);
	if (!ret)
		ret = print(&s, false);
	snapshot_free(&s);
	return ret ? err_report(ret) : EXIT_OK;
}

static int run_show(int argc, char **argv)
{
	struct snapshot s;
	int ret;

	if (argc > 1)
		return usage_error("show takes one file");
	ret = snapshot_load(&s, argv[0]);
	if (!ret)
		ret = print(&s, true);
	snapshot_free(&s);
	return ret ? err_report(ret) : EXIT_OK;
}

/* ---- diff, restore ---- */

struct difference {
	struct out_table *table;
	struct change *change;		/* of restore: what is to be turned; NULL: only tell */
	const struct change *made;	/* and after that: why it was not */
	const char *netns;
	size_t n;
};

/* Why a knob is not as it was. */
static const char *why_not(const struct difference *d, const char *dev, const char *knob, const char *then,
			   const char *now)
{
	size_t i;

	if (!*knob)
		return now ? "the device is new" : "the device is gone";
	if (!now)
		return "it is not there any more";
	if (!then)
		return "it was not there";
	for (i = 0; d->made && i < d->made->n; i++)
		if (!strcmp(d->made->item[i].knob.name, knob) && d->made->item[i].why[0] &&
		    (!strcmp(d->made->item[i].place.dev, dev) || !*dev))
			return d->made->item[i].why;
	return "";
}

static int on_difference(const char *dev, const char *knob, const char *then, const char *now, void *arg)
{
	struct knob_place place = { 0 };
	struct difference *d = arg;

	d->n++;
	if (d->change && *knob && then && now) {
		snprintf(place.netns, sizeof(place.netns), "%s", d->netns);
		snprintf(place.dev, sizeof(place.dev), "%s", dev);
		return change_add(d->change, &place, knob, then);
	}
	if (!d->table)
		return 0;
	out_row(d->table, STYLE_NONE);
	cell_str(d->table, name_of(dev));
	cell_str(d->table, knob);
	cell_str(d->table, then);
	cell_str(d->table, now);
	cell_str(d->table, why_not(d, dev, knob, then, now));
	return 0;
}

static struct out_table *difference_table(struct out_doc *doc)
{
	static const struct out_col cols[] = {
		{ "device", "device", OUT_STR, 0 },
		{ "name", "knob", OUT_STR, 0 },
		{ "then", "then", OUT_STR, 0 },
		{ "now", "now", OUT_STR, 0 },
		{ "why", "", OUT_STR, 0 },
	};

	return out_table(doc, "differences", cols, sizeof(cols) / sizeof(*cols));
}

static int print_differences(const struct snapshot *then, const struct snapshot *now, struct difference *d,
			     const struct change *made)
{
	struct out_doc *doc = out_begin(made ? "snapshot-restore" : "snapshot-diff", 0);
	char hash[SHA256_TEXT] = "", now_hash[SHA256_TEXT] = "";
	int ret;

	ret = snapshot_hash(then, hash);
	if (!ret)
		ret = snapshot_hash(now, now_hash);
	out_str(doc, "hash", "hash then", hash);
	out_str(doc, "hash_now", "hash now", now_hash);
	if (made)
		out_uint(doc, "restored", "restored", made->n, NULL);
	/* People need no table of nothing. */
	if (!ret)
		ret = snapshot_compare(then, now, on_difference, d);
	if (d->n || out_format() != OUT_PEOPLE)
		d->table = difference_table(doc);
	d->n = 0;
	if (!ret)
		ret = snapshot_compare(then, now, on_difference, d);
	if (!d->n)
		out_text(doc, STYLE_GOOD, "all is as it was");
	return ret ? out_drop(doc), ret : out_end(doc);
}

static int run_diff(int argc, char **argv)
{
	struct snapshot then, now = { 0 };
	struct difference d = { 0 };
	int ret;

	if (argc > 2)
		return usage_error("diff takes one file, or two");
	ret = snapshot_load(&then, argv[0]);
	if (!ret)
		ret = argc > 1 ? snapshot_load(&now, argv[1]) : snapshot_again(&now, &then);
	if (!ret)
		ret = print_differences(&then, &now, &d, NULL);
	snapshot_free(&then);
	snapshot_free(&now);
	/* As diff(1): 1 says that they differ. */
	return ret ? err_report(ret) : d.n ? EXIT_FAILED : EXIT_OK;
}

static int restore(const struct snapshot *then, struct difference *d, struct change *c)
{
	struct snapshot now;
	int ret;

	ret = snapshot_again(&now, then);
	if (ret)
		return ret;
	if (!options.dry_run) {
		d->change = c;
		d->netns = then->netns;
		ret = snapshot_compare(then, &now, on_difference, d);
		*d = (struct difference) { .made = c };
		if (!ret && c->n)
			ret = change_make(c);
		snapshot_free(&now);
		if (!ret)
			ret = snapshot_again(&now, then);
	}
	if (!ret)
		ret = print_differences(then, &now, d, c);
	snapshot_free(&now);
	return ret;
}

static int run_restore(int argc, char **argv)
{
	struct change c = { .what = "snapshot restore", .keep_going = true, .seconds = options.seconds };
	struct difference d = { 0 };
	struct snapshot then;
	int ret;

	if (argc > 1)
		return usage_error("restore takes one file");
	ret = snapshot_load(&then, argv[0]);
	if (!ret && options.netns)
		snprintf(then.netns, sizeof(then.netns), "%s", options.netns);
	if (!ret)
		ret = restore(&then, &d, &c);
	snapshot_free(&then);
	change_free(&c);
	return ret ? err_report(ret) : d.n && !options.dry_run ? EXIT_FAILED : EXIT_OK;
}

static const struct {
	const char *word;
	int (*run)(int argc, char **argv);
	bool file;
} verbs[] = {
	{ "save", run_save, true }, { "show", run_show, true }, { "diff", run_diff, true },
	{ "restore", run_restore, true }, { "hash", run_hash, false },
};

#define NVERBS	((int)(sizeof(verbs) / sizeof(*verbs)))

static int parse(int argc, char **argv)
{
	uint64_t ns;
	int c, ret;

	options = (struct options) { 0 };
	while ((c = arg_getopt(argc, argv, "", longs)) != -1) {
		switch (c) {
		case OPT_NETNS: options.netns = optarg; break;
		case OPT_NO_HOST: options.no_host = true; break;
		case OPT_DRY_RUN: options.dry_run = true; break;
		case OPT_CONFIRM:
			ret = arg_duration("--confirm", optarg, "s", 1000000000ull, 86400000000000ull, &ns);
			if (ret)
				return usage_report(ret);
			options.seconds = (unsigned int)((ns + 999999999) / 1000000000);
			break;
		default: return EXIT_USAGE;
		}
	}
	return EXIT_OK;
}

static int run_snapshot(int argc, char **argv)
{
	const char *words[NVERBS];
	int verb, ret;

	ret = parse(argc, argv);
	if (ret)
		return ret;
	argc -= optind;
	argv += optind;
	if (!argc)
		return usage_error("a verb is missing: save, show, diff, restore or hash");
	for (verb = 0; verb < NVERBS; verb++)
		words[verb] = verbs[verb].word;
	verb = arg_word("verb", argv[0], words, (size_t)NVERBS);
	if (verb < 0)
		return usage_report(verb);
	if (verbs[verb].file && argc < 2)
		return usage_error("%s: a file is missing", verbs[verb].word);
	if ((options.dry_run || options.seconds) && verbs[verb].run != run_restore)
		return usage_error("--dry-run and --confirm belong to restore");
	return verbs[verb].run(argc - 1, argv + 1);
}

const struct cmd cmd_snapshot = {
	.name = "snapshot",
	.run = run_snapshot,
	.summary = "Keep all settings of devices in a file, and go back to them",
	.usage = "snapshot save FILE [DEVICE]... [OPTION]...\n"
		 "       nettoll snapshot show FILE\n"
		 "       nettoll snapshot diff FILE [FILE]\n"
		 "       nettoll snapshot restore FILE [OPTION]...\n"
		 "       nettoll snapshot hash [DEVICE]...\n"
		 "A snapshot has all knobs (nettoll knob) of the devices, or of all but the loopback, with\n"
		 "those of their namespace and of the machine. Its hash names that state: the same hash is\n"
		 "the same state to the bit. diff compares with a second file, or with what is now; restore\n"
		 "sets what differs, or says why it cannot. Hardware is known by its permanent address,\n"
		 "under whatever name. hash tells that of what is now.\n\n"
		 "Options:\n"
		 "      --netns NAME      devices of that network namespace; restore: to that one\n"
		 "      --no-host         save, hash: the devices' knobs only\n"
		 "      --dry-run         restore: only tell what differs\n"
		 "      --confirm TIME    restore: undo it after so long unless nettoll confirm follows\n",
};
