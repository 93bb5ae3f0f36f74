/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turning knobs so that they can be turned back: journal, change, verify; and the way back. */
#ifndef NETTOLL_KNOBS_TURN_H
#define NETTOLL_KNOBS_TURN_H

#include "knobs/journal.h"

/**
 * turn_knob() - set a knob and remember in the journal what it was
 * @value: canonical, see knob_parse()
 * @changed: set when it had another value; may be NULL
 *
 * A knob that has the value already is left alone. On an error it may have been changed, and the
 * journal knows.
 */
int turn_knob(struct journal *j, const struct knob *knob, const struct knob_place *place,
	      const char *value, bool *changed);

/**
 * turn_back() - put everything in the journal back, the last change first, and verify it
 *
 * What cannot be put back is reported on stderr, one message each, and the journal's file stays.
 * Devices and namespaces that are gone are reported, and forgotten.
 * Return: 0, or a negative errno; then not described.
 */
int turn_back(struct journal *j);

/** turn_back_file() - the same for the journal of a process that is gone; -EBUSY when it is not */
int turn_back_file(const char *path, void *arg);

#endif
