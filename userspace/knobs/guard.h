/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Undo unless confirmed: a process apart from everything that puts changes back when nobody says that they are good. */
#ifndef NETTOLL_KNOBS_GUARD_H
#define NETTOLL_KNOBS_GUARD_H

#include "knobs/detach.h"
#include "knobs/journal.h"

/**
 * guard_start() - have a guard before the first change is made
 * @j: gets the guard as its process, so that the guard's life is what others look at, and the time
 *	by which to confirm; not saved yet
 * @seconds: from now on
 * @keep: descriptors that the guard is to hold open, too: locks
 *
 * Its end closes the locks. detach_go() tells it that no more changes are to come; with the journal's
 * file gone, it ends.
 */
int guard_start(struct detached *guard, struct journal *j, unsigned int seconds, const int *keep, size_t nkeep);

/**
 * guard_confirm() - say that a journal's changes are good: they stay, and may be undone as any
 *
 * Return: -EALREADY, described, when they are being put back already.
 */
int guard_confirm(struct journal *j);

/**
 * guard_undo() - have a live guard put its changes back at once, and wait until it has
 *
 * Return: also 1, when the guard is gone and they are not: then it is for the caller to do.
 */
int guard_undo(const struct journal *j);

#endif
