/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of nettoll knob share: its words, and a function for each verb. */
#ifndef NETTOLL_CMD_KNOB_H
#define NETTOLL_CMD_KNOB_H

#include "knobs/knob.h"

/**
 * struct knob_words - the command line
 * @seconds: of --confirm; 0: not given
 * @word: the @n words behind the verb and the device
 */
struct knob_words {
	struct knob_place place;
	unsigned int seconds;
	bool dry_run, force, all, hold;
	size_t n;
	char **word;
};

int knob_run_list(const struct knob_words *w);
int knob_run_get(const struct knob_words *w);
int knob_run_explain(const struct knob_words *w);
int knob_run_set(const struct knob_words *w);
int knob_run_undo(const struct knob_words *w);

#endif
