/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One program at a time may turn the knobs of a device; the second is told who is first. */
#ifndef NETTOLL_KNOBS_LOCK_H
#define NETTOLL_KNOBS_LOCK_H

#include <sys/types.h>

#include "knobs/knob.h"

/**
 * lock_place() - take a device, or a namespace when none is named, for as long as @fd is open
 * @what: what the second one is told: "ladder udp-1.28g"
 * @fd: descriptor that holds the lock
 *
 * Return: 0; -EBUSY, described with the holder; or another negative errno.
 */
int lock_place(const struct knob_place *place, const char *what, int *fd);

/** lock_account() - the same for the module's account, which is the host's as a whole */
int lock_account(const char *what, int *fd);

/** lock_sysctls() - the same for all sysctls, of the host and of its namespaces */
int lock_sysctls(const char *what, int *fd);

/** lock_confirm() - the same for the answer to "is it confirmed?": no before or yes, never both */
int lock_confirm(const char *what, int *fd);

/** lock_hand_over() - have the second told of process @pid, which holds the descriptor as well */
void lock_hand_over(int fd, pid_t pid, const char *what);

#endif
