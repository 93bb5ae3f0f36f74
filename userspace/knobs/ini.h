/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of "KEY = VALUE" lines in [SECTION]s, as systemd, NetworkManager, tuned and sysctl.d have them. */
#ifndef NETTOLL_KNOBS_INI_H
#define NETTOLL_KNOBS_INI_H

#include <stddef.h>

/** ini_fn - is given each setting; another return value than 0 ends the walk */
typedef int (*ini_fn)(const char *section, const char *key, const char *value, void *arg);

/**
 * ini_each() - walk over a file
 *
 * Comments (# and ;) and what is no setting are passed over; blanks around words are cut off. A
 * section of its own goes before the first: "". Return: what @fn returned, 0 also for no file.
 */
int ini_each(const char *path, ini_fn fn, void *arg);

/** ini_get() - the last value of a key, in any section when @section is NULL; 1 when there is one */
int ini_get(const char *path, const char *section, const char *key, char *value, size_t size);

#endif
