/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far long work has come and how long it still takes, on stderr. */
#ifndef NETTOLL_LIB_PROGRESS_H
#define NETTOLL_LIB_PROGRESS_H

#include <stdint.h>

/*
 * On a terminal, one line that is rewritten a few times a second:
 *   rung 3/7 zero-copy  [#########-----------]  45 %  0:21 left
 * Elsewhere, one line whenever the text changes, so that a log tells where time went.
 */

/**
 * progress_start() - begin to show progress
 * @total: amount of work in any unit; 0: unknown, and no time left is shown
 */
void progress_start(uint64_t total);

/** progress_text() - say what is being done now */
void progress_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** progress_at() - say how much of the total is done; cheap enough for inner loops */
void progress_at(uint64_t done);

/** progress_total() - correct the total */
void progress_total(uint64_t total);

/** progress_clear() - take the line off the terminal, so that a message can be printed */
void progress_clear(void);

/** progress_end() - take the line off for good */
void progress_end(void);

/**
 * progress_left() - estimate of the time left
 * @done: work done, at least 1
 * @elapsed_ns: time it took
 *
 * Return: ns, or UINT64_MAX when it cannot be told.
 */
uint64_t progress_left(uint64_t done, uint64_t total, uint64_t elapsed_ns);

#endif
