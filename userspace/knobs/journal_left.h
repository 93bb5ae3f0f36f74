/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stands in the way of a change: journals that dead processes left, and processes that hold theirs. */
#ifndef NETTOLL_KNOBS_JOURNAL_LEFT_H
#define NETTOLL_KNOBS_JOURNAL_LEFT_H

#include "knobs/journal.h"

/**
 * struct journal_left - the places that are about to be changed
 * @place, @n: of which none may have changes that nobody is going to put back
 */
struct journal_left {
	const struct knob_place *place;
	size_t n;
};

/**
 * journal_left_look() - for journal_each(): whether a journal that a dead process left has to do with the places
 * @arg: struct journal_left
 *
 * Return: 0; -EBUSY, described with what puts the changes back; another negative errno, described.
 */
int journal_left_look(const char *path, void *arg);

/** journal_ended() - wait for the end of the process that made the changes; false: it has not come after so long */
bool journal_ended(const struct journal *j, unsigned int seconds);

#endif
