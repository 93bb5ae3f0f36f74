/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readings in between, while hooks are attached in windows: what the scaled figures' confidence is reckoned from. */
#ifndef NETTOLL_CMD_STAT_WINDOWS_H
#define NETTOLL_CMD_STAT_WINDOWS_H

#include "lib/model.h"
#include "lib/module.h"

#define STAT_WINDOWS_MAX	128
#define STAT_PARTS_MAX		(STAT_WINDOWS_MAX + 1)	/* into which they divide the time */

/**
 * struct stat_windows - readings between two others
 * @period_ns: from one to the next, about a window and its pause or a multiple; 0: hooks are attached always
 * @window_ns: length of a window
 * @due_ns: CLOCK_MONOTONIC of the next; UINT64_MAX: none
 */
struct stat_windows {
	uint64_t period_ns, window_ns, due_ns;
	bool per_cpu;
	size_t n;
	struct stat_reading mark[STAT_WINDOWS_MAX];
};

/** stat_windows_begin() - from now on, as the module's status says */
void stat_windows_begin(struct stat_windows *w, const struct module_status *status, bool per_cpu);

/** stat_windows_mark() - take a reading, when it is due; with too many, every second one is dropped */
int stat_windows_mark(struct stat_windows *w, struct module *module);

/** stat_windows_next() - forget the readings, begin the next interval */
void stat_windows_next(struct stat_windows *w);

/**
 * stat_windows_diffs() - the time in parts, each with a window or more
 * @diffs: room for STAT_PARTS_MAX; toll_diff_free() each
 *
 * Return: how many; 0 without windows or memory: no confidence is known then.
 */
size_t stat_windows_diffs(const struct stat_windows *w, const struct stat_reading *from,
			  const struct stat_reading *to, const struct hook_list *hooks,
			  struct toll_diff *diffs);

#endif
