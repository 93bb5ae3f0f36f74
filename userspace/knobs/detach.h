/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes apart: of no terminal and no session of the user's, that stay when the shell or the connection goes. */
#ifndef NETTOLL_KNOBS_DETACH_H
#define NETTOLL_KNOBS_DETACH_H

#include <stddef.h>
#include <sys/types.h>

/**
 * struct detached - such a process, which is not ours to wait for
 * @start: when it began, as struct journal has it
 * @fd: our end of a pipe, see detach_start()
 */
struct detached {
	pid_t pid;
	unsigned long long start;
	int fd;
};

/**
 * detach_start() - have one
 * @fn: what it does, with signals as between stop_begin() and stop_end(), hangups and interrupts
 *	ignored, and standard error going to @log in state_dir(); it ends with what that returns. @life becomes
 *	readable when we call detach_go(), or end.
 * @keep: descriptors that stay open in it: locks
 */
int detach_start(struct detached *d, const char *log, int (*fn)(int life, void *arg), void *arg,
		 const int *keep, size_t nkeep);

/** detach_go() - tell it that we are done */
void detach_go(struct detached *d);

#endif
