/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keep a change in force: a process apart that applies it again after its device was reset, or came back. */
#ifndef NETTOLL_KNOBS_HOLD_H
#define NETTOLL_KNOBS_HOLD_H

#include "knobs/journal.h"

/**
 * hold_start() - have a process that watches the devices of a finished change
 * @j: kept by journal_keep(); gets the process as its own, and is saved
 * @keep: descriptors of the locks, which it holds as long as it lives
 *
 * It is no child of this process, in a session of its own. It ends with the journal's file, and
 * by hold_end().
 */
int hold_start(struct journal *j, const int *keep, size_t nkeep);

/** hold_end() - end the process that holds a change, if there is one, and wait until it has ended */
int hold_end(const struct journal *j);

/** hold_again() - turn what differs from the change's values; returns how many, or a negative errno */
int hold_again(const struct journal *j);

#endif
