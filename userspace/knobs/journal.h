/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the host was like before it was changed, on disk, so that it can be put back after a crash. */
#ifndef NETTOLL_KNOBS_JOURNAL_H
#define NETTOLL_KNOBS_JOURNAL_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

#include "knobs/survey.h"

#define JOURNAL_PERMANENT_MAX	96

/**
 * struct journal_entry - a knob that was changed or may be moved along, and its value before that
 * @index: of the device then; 0: the knob is none of a device
 * @permanent: hardware address that the device was made with, "" if it is none of hardware; by
 *	it the device is known when it has been taken away and brought back, or has got another name
 * @noted: not turned itself, as far as it is known
 */
struct journal_entry {
	struct knob_place place;
	int index;
	char permanent[JOURNAL_PERMANENT_MAX];
	bool noted;
	char knob[KNOB_NAME_MAX];
	char old_value[KNOB_VALUE_MAX];
	char new_value[KNOB_VALUE_MAX];		/* of the first change; for people */
};

/**
 * struct journal - the changes of one program, in the order in which they were made
 * @path: file; "" until there is one
 * @kind: "ladder" or "knob": who knows how to put it back
 * @confirm_by: Unix time after which all is put back unless it is confirmed; 0: nobody has to
 * @what: what makes the changes: "ladder udp-1.28g"
 * @held: the process keeps the changes in force, see hold.h
 * @pid, @start: the process, and when it began, in clock ticks since the boot
 * @boot: the boot that the changes were made in
 */
struct journal {
	char path[PATH_MAX];
	char kind[8];
	char what[128];
	int64_t confirm_by;
	bool held;
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

/**
 * journal_note() - remember values of a place, in memory; journal_save() brings them to the disk
 *
 * For what a change of another knob may move. What is there already is kept.
 */
int journal_note(struct journal *j, const struct knob_place *place, const struct survey *survey);

/** journal_turns() - say that an entry which was noted is turned */
void journal_turns(struct journal *j, const struct knob_place *place, const char *knob,
		   const char *new_value);

/** journal_save() - as journal_add(), of all that is there */
int journal_save(struct journal *j);

/**
 * journal_prune() - forget what was noted of a place and is as it was
 * @survey: how it is now
 */
void journal_prune(struct journal *j, const struct knob_place *place, const struct survey *survey);

/**
 * journal_keep() - all is done: keep the file as something that may be undone later
 *
 * From then on it keeps nobody from anything, and journal_each() passes it over.
 */
int journal_keep(struct journal *j);

/** journal_kept_each() - as journal_each(), with what journal_keep() kept; the latest first */
int journal_kept_each(int (*fn)(const char *path, void *arg), void *arg);

/** journal_find() - the entry of a knob, or NULL */
const struct journal_entry *journal_find(const struct journal *j, const struct knob_place *place,
					 const char *knob);

/**
 * journal_gone() - whether an entry's device, or its namespace, is no longer there
 *
 * Another device that has got the name since is not the one that was changed.
 */
bool journal_gone(const struct journal_entry *e);

/** journal_follow() - find a device that was brought back or renamed, by its permanent address */
void journal_follow(struct journal_entry *e);

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
 * journal_each() - call @fn with the path of every journal in state_dir() whose changes are under way
 *
 * Return: 0, or the first negative value that @fn returned; the others are still called.
 */
int journal_each(int (*fn)(const char *path, void *arg), void *arg);

#endif
