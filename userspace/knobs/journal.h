/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the host was like before it was changed, on disk, so that it can be put back after a crash. */
#ifndef NETTOLL_KNOBS_JOURNAL_H
#define NETTOLL_KNOBS_JOURNAL_H

#include <limits.h>
#include <sys/types.h>

#include "knobs/knob.h"

/** struct journal_entry - a knob that was changed, and its value before the first change */
struct journal_entry {
	struct knob_place place;
	int index;				/* of the device then; 0: the knob is none of a device */
	char knob[KNOB_NAME_MAX];
	char old_value[KNOB_VALUE_MAX];
	char new_value[KNOB_VALUE_MAX];		/* of the first change; for people */
};

/**
 * struct journal - the changes of one program, in the order in which they were made
 * @path: file; "" until there is one
 * @what: what makes the changes: "ladder udp-1.28g"
 * @pid, @start: the process, and when it began, in clock ticks since the boot
 * @boot: the boot that the changes were made in
 */
struct journal {
	char path[PATH_MAX];
	char what[128];
	pid_t pid;
	unsigned long long start;
	char boot[64];
	size_t n;
	struct journal_entry *entry;
};

/** state_dir() - where journals and locks are: NETTOLL_STATE_DIR or /run/nettoll */
const char *state_dir(void);

/** state_dir_make() - have it */
int state_dir_make(void);

/** journal_init() - an empty journal of this process; there is no file yet */
void journal_init(struct journal *j, const char *what);

/**
 * journal_add() - have an entry on the disk
 *
 * Returns when it would survive a crash. On an error the journal is as before, and the change must
 * not be made. A knob that is there already keeps its entry.
 */
int journal_add(struct journal *j, const struct knob_place *place, const char *knob,
		const char *old_value, const char *new_value);

/** journal_find() - the entry of a knob, or NULL */
const struct journal_entry *journal_find(const struct journal *j, const struct knob_place *place,
					 const char *knob);

/**
 * journal_gone() - whether an entry's device, or its namespace, is no longer there
 *
 * Another device that has got the name since is not the one that was changed.
 */
bool journal_gone(const struct journal_entry *e);

/** journal_load() - read a file; journal_free() afterwards */
int journal_load(struct journal *j, const char *path);

/** journal_remove() - all has been put back: remove the file */
int journal_remove(struct journal *j);

void journal_free(struct journal *j);

/** journal_alive() - whether the process that made the changes still runs */
bool journal_alive(const struct journal *j);

/** journal_stale_boot() - whether the host was booted since, so that the changes are gone */
bool journal_stale_boot(const struct journal *j);

/**
 * journal_each() - call @fn with the path of every journal in state_dir()
 *
 * Return: 0, or the first negative value that @fn returned; the others are still called.
 */
int journal_each(int (*fn)(const char *path, void *arg), void *arg);

#endif
