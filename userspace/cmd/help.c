// SPDX-License-Identifier: GPL-2.0-or-later
/* nettoll help: the list of the commands, or one of them. */
#include <errno.h>

#include "cmd/cmd.h"
#include "lib/args.h"
#include "lib/err.h"
#include "lib/out.h"

/* The same list for programs, of all or of one; the completion reads it as TSV. */
static int print_table(const struct cmd *only)
{
	static const struct out_col cols[] = {
		{ "name", "command", OUT_STR, 0 },
		{ "summary", "summary", OUT_STR, 0 },
	};
	struct out_doc *doc = out_begin("help", 0);
	struct out_table *t = out_table(doc, "commands", cols, 2);
	const struct cmd *const *c;
	int ret;

	for (c = cmd_list(); *c; c++) {
		if (only && *c != only)
			continue;
		out_row(t, STYLE_NONE);
		cell_str(t, (*c)->name);
		cell_str(t, (*c)->summary);
	}
	ret = out_end(doc);
	return ret ? err_report(ret) : EXIT_OK;
}

static int run_help(int argc, char **argv)
{
	static const struct option longs[] = { { NULL, 0, NULL, 0 } };
	const struct cmd *cmd = NULL;

	if (arg_getopt(argc, argv, "", longs) != -1)
		return EXIT_USAGE;
	if (argc - optind > 1)
		return usage_error("one command at most");
	if (optind < argc) {
		cmd = cmd_find(argv[optind]);
		if (!cmd)
			return usage_report(-EINVAL);
	}
	if (out_format() != OUT_PEOPLE)
		return print_table(cmd);
	if (cmd)
		cmd_print_help(cmd);
	else
		cmd_print_list();
	return EXIT_OK;
}

const struct cmd cmd_help = {
	.name = "help",
	.run = run_help,
	.summary = "List the commands, or explain one",
	.usage = "help [COMMAND]",
};
