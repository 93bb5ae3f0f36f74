/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a subcommand is. Each lives in a file of its own, as cmd_<verb>, and in main.c's table. */
#ifndef NETTOLL_CMD_CMD_H
#define NETTOLL_CMD_CMD_H

#include <stddef.h>

#include "lib/err.h"

/**
 * struct cmd - a subcommand
 * @name: its word
 * @run: does it. argv[0] is the name; the global options are gone from what stands before "--",
 *	and optind is reset. SIGPIPE is ignored, so that a closed output is an error like any
 *	other (children: stop_child()). Returns an exit status of enum exit_code.
 * @summary: what it does, in a few words, for the list of commands
 * @usage: the words behind "nettoll ": "stat [INTERVAL [COUNT]] [OPTION]..."; lines right below that
 *	begin with "       nettoll " are further forms; the rest is printed behind the summary: what
 *	words and options mean, the latter below "Options:"
 */
struct cmd {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
	const char *usage;
};

/** cmd_list() - the commands of this build in the order of the help, ending with NULL */
const struct cmd *const *cmd_list(void);

/** cmd_find() - a command by name or unambiguous beginning; NULL, described by err_set() */
const struct cmd *cmd_find(const char *word);

/** cmd_print_list() - "nettoll --help" */
void cmd_print_list(void);

/** cmd_print_help() - "nettoll VERB --help" */
void cmd_print_help(const struct cmd *cmd);

#endif
