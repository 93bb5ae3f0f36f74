/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The /sys of another network namespace, which only a mount of its own shows. */
#ifndef NETTOLL_KNOBS_SYSFS_H
#define NETTOLL_KNOBS_SYSFS_H

#include "knobs/knob.h"

/** struct knob_answer - what a family's function answers; carried over a pipe */
struct knob_answer {
	uint64_t min, max;
	char value[KNOB_VALUE_MAX];
	char text[KNOB_TEXT_MAX];
};

/**
 * knob_call_in_sys() - run @fn(@arg) in a child that has the /sys of a namespace
 * @answer: part of what @arg points to; brought back from the child
 *
 * Return: what @fn returned, with its description; or a negative errno.
 */
int knob_call_in_sys(const char *netns, int (*fn)(void *arg), void *arg, struct knob_answer *answer);

/** sysfs_read_u64() - read a number from a file; -EOPNOTSUPP when there is none */
int sysfs_read_u64(const char *path, uint64_t *value);

/** sysfs_read() - read a line from a file, without its end; -EOPNOTSUPP when there is none */
int sysfs_read(const char *path, char *text, size_t size);

/** sysfs_write() - write text to a file */
int sysfs_write(const char *path, const char *text);

#endif
