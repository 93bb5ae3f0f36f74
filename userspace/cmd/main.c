// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of the subcommands, the options common to all, and the way from word to function. */
#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "lib/args.h"
#include "lib/err.h"
#include "lib/out.h"
#include "lib/version.h"

/* Weak, so that a build may leave a command out: its file is simply not there. */
#define COMMANDS(X) \
	X(stat) X(attach) X(detach) X(hooks) X(show) X(set) X(rule) X(coalesce) X(csum) X(monitor) \
	X(ladder) X(knob) X(confirm) X(snapshot) X(profile) X(traffic) \
	X(help) X(version)

#define DECLARE(verb)	extern const struct cmd cmd_##verb __attribute__((weak));
COMMANDS(DECLARE)

#define ENTRY(verb)	&cmd_##verb,
static const struct cmd *const table[] = { COMMANDS(ENTRY) };
#define TABLE_SIZE	(sizeof(table) / sizeof(*table))

const struct cmd *const *cmd_list(void)
{
	static const struct cmd *present[TABLE_SIZE + 1];
	size_t i, n = 0;

	for (i = 0; i < TABLE_SIZE; i++)
		if (table[i])
			present[n++] = table[i];
	present[n] = NULL;
	return present;
}

const struct cmd *cmd_find(const char *word)
{
	const struct cmd *const *cmds = cmd_list();
	const char *names[TABLE_SIZE];
	size_t n;
	int i;

	for (n = 0; cmds[n]; n++)
		names[n] = cmds[n]->name;
	i = arg_word("command", word, names, n);
	return i < 0 ? NULL : cmds[i];
}

static const char global_options[] =
	"      --json            one JSON object (a line each where there are many)\n"
	"      --tsv             tab-separated values, stable, for scripts\n"
	"      --color WHEN      auto (default), always or never\n"
	"  -h, --help            this help\n";

void cmd_print_list(void)
{
	const struct cmd *const *c;

	out_printf("Usage: nettoll [OPTION]... COMMAND [ARGUMENT]...\n\n"
		   "Tells what every layer of the UDP/TCP path charges a packet, in CPU cycles.\n\n"
		   "Commands (an unambiguous beginning will do):\n");
	for (c = cmd_list(); *c; c++)
		out_printf("  %-10s %s\n", (*c)->name, (*c)->summary);
	out_printf("\nOptions of all commands:\n%s"
		   "  -V, --version         version of this command\n\n"
		   "nettoll COMMAND --help tells more, and man nettoll-COMMAND most.\n"
		   "Exit status: 0 ok, 1 failed, 2 wrong usage, 3 refused (permission, busy).\n",
		   global_options);
}

void cmd_print_help(const struct cmd *cmd)
{
	static const char form[] = "\n       nettoll ";
	const char *rest = strchr(cmd->usage, '\n');

	/* Further forms of the command follow the first at once. */
	while (rest && !strncmp(rest, form, sizeof(form) - 1))
		rest = strchr(rest + 1, '\n');
	if (!rest)
		rest = strchr(cmd->usage, '\0');
	out_printf("Usage: nettoll %.*s\n\n%s.\n", (int)(rest - cmd->usage), cmd->usage, cmd->summary);
	while (*rest == '\n')
		rest++;
	if (*rest)
		out_printf("\n%s%s", rest, strchr(rest, '\0')[-1] == '\n' ? "" : "\n");
	out_printf("%s%s", strstr(cmd->usage, "\nOptions:\n") ? "" : "\nOptions:\n",
		   global_options);
}

struct globals {
	bool help, version;
};

/*
 * Takes one global option off argv[*i], with its value. Returns 1 if it was one, 0 if not, -1 after
 * a usage error.
 */
static int take_global(char **argv, int *i, struct globals *globals)
{
	static const char *const when[] = { "auto", "always", "never" };
	const char *arg = argv[*i], *value;
	int w;

	if (!strcmp(arg, "--json")) {
		out_set_format(OUT_JSON);
	} else if (!strcmp(arg, "--tsv")) {
		out_set_format(OUT_TSV);
	} else if (!strcmp(arg, "--help") || !strcmp(arg, "-h")) {
		globals->help = true;
	} else if (!strncmp(arg, "--color", 7) && (!arg[7] || arg[7] == '=')) {
		value = arg[7] ? arg + 8 : argv[++*i];
		if (!value) {
			usage_error("option --color needs a value: auto, always or never");
			return -1;
		}
		w = arg_word("--color", value, when, 3);
		if (w < 0) {
			usage_error("--color: '%s' is none of auto, always and never", value);
			return -1;
		}
		term_set_color(w);
	} else {
		return 0;
	}
	return 1;
}

/* Parses what stands before the command; returns its index, argc without one, -1 on an error. */
static int parse_front(int argc, char **argv, struct globals *globals)
{
	int i, taken;

	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "-V") || !strcmp(argv[i], "--version")) {
			globals->version = true;
			continue;
		}
		taken = take_global(argv, &i, globals);
		if (taken < 0)
			return -1;
		if (!taken) {
			usage_error("there is no option %s", argv[i]);
			return -1;
		}
	}
	return i;
}

/* Takes the global options out of a command's words; returns how many are left, -1 on an error. */
static int parse_back(int argc, char **argv, struct globals *globals)
{
	int i, n = 1, taken;

	for (i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		taken = take_global(argv, &i, globals);
		if (taken < 0)
			return -1;
		if (!taken)
			argv[n++] = argv[i];
	}
	while (i < argc)
		argv[n++] = argv[i++];
	argv[n] = NULL;
	return n;
}

static int run(int argc, char **argv)
{
	struct globals globals = { false, false };
	const struct cmd *cmd;
	int at;

	at = parse_front(argc, argv, &globals);
	if (at < 0)
		return EXIT_USAGE;
	if (globals.version) {
		out_printf("nettoll %s\n", NETTOLL_VERSION);
		return EXIT_OK;
	}
	if (at >= argc) {
		if (globals.help) {
			cmd_print_list();
			return EXIT_OK;
		}
		return usage_error("a command is missing");
	}
	cmd = cmd_find(argv[at]);
	if (!cmd)
		return usage_report(-EINVAL);
	err_verb(cmd->name);
	argc = parse_back(argc - at, argv + at, &globals);
	if (argc < 0)
		return EXIT_USAGE;
	if (globals.help) {
		cmd_print_help(cmd);
		return EXIT_OK;
	}
	optind = 1;
	return cmd->run(argc, argv + at);
}

int main(int argc, char **argv)
{
	int status, ret;

	/* For the character set only: numbers are the same in every locale. */
	setlocale(LC_CTYPE, "");
	signal(SIGPIPE, SIG_IGN);
	status = run(argc, argv);
	err_clear();
	ret = out_close();
	if (ret && status == EXIT_OK)
		status = err_report(ret);
	return status;
}
