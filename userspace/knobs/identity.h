/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which device it is that has a name: its number, and the address that it was made with. */
#ifndef NETTOLL_KNOBS_IDENTITY_H
#define NETTOLL_KNOBS_IDENTITY_H

#include "knobs/journal.h"

/**
 * struct identity - of the device of a place
 * @permanent: hardware address that it was made with; "" when it is none of hardware
 */
struct identity {
	const struct knob_place *place;
	char permanent[JOURNAL_PERMANENT_MAX];
};

/**
 * identify() - fill in the identity of a place's device
 *
 * Return: its number, 0 when the place names none; -ENODEV or -ENOENT, not described, when it or
 * the namespace is gone.
 */
int identify(const struct knob_place *place, struct identity *id);

#endif
