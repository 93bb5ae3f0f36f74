/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the verbs of nettoll profile share: their options, and reading the store. */
#ifndef NETTOLL_CMD_PROFILE_H
#define NETTOLL_CMD_PROFILE_H

#include <stdbool.h>

#include "profile/fit.h"
#include "profile/store.h"

/** struct profile_common - options of all verbs that read runs */
struct profile_common {
	const char *campaign;
	struct fit_options fit;
};

#define PROFILE_LONGS							\
	{ "campaign", required_argument, NULL, PROFILE_OPT_CAMPAIGN },	\
	{ "confidence", required_argument, NULL, PROFILE_OPT_CONFIDENCE }, \
	{ "replicates", required_argument, NULL, PROFILE_OPT_REPLICATES }, \
	{ "seed", required_argument, NULL, PROFILE_OPT_SEED }

enum {
	PROFILE_OPT_CAMPAIGN = 256, PROFILE_OPT_CONFIDENCE, PROFILE_OPT_REPLICATES, PROFILE_OPT_SEED, PROFILE_OPT_OWN
};

/** profile_defaults() - as if no option was given */
void profile_defaults(struct profile_common *o);

/** profile_option() - take a common option; an exit status after printing what is wrong with it, EXIT_OK else */
int profile_option(int c, const char *value, struct profile_common *o);

/**
 * profile_load() - read and sort the files, and tell what is wrong with them on stderr
 * @files: ends with NULL
 * @one: runs of several campaigns are an error
 *
 * Return: an exit status; free the store in any case.
 */
int profile_load(struct store *s, char *const *files, const struct profile_common *o, bool traces, bool one);

/* The verbs. */
int profile_fit(int argc, char **argv);
int profile_dynamics(int argc, char **argv);
int profile_select(int argc, char **argv);
int profile_import(int argc, char **argv);

#endif
