/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two ends of a ladder as a rig that is brought into the state of any set of rungs, and back. */
#ifndef NETTOLL_LADDER_RIG_H
#define NETTOLL_LADDER_RIG_H

#include "knobs/journal.h"
#include "ladder/plan.h"

/** struct rig_knob - a knob that the plan turns, and what it was found at */
struct rig_knob {
	enum plan_end end;
	struct knob knob;
	char found[KNOB_VALUE_MAX];
};

struct rig {
	const struct plan *plan;
	struct journal journal;
	int lock[PLAN_ENDS + 2];	/* of the ends, the account, and the sysctls */
	bool moved;			/* knobs may have been turned */
	size_t n;
	struct rig_knob *knob;
};

/**
 * rig_look() - read what all knobs of a plan are at, and see whether its values would be accepted
 *
 * Changes nothing. rig_close() afterwards, also after an error.
 */
int rig_look(struct rig *rig, const struct plan *plan);

/**
 * rig_take() - lock what is to be turned, look again, and have what the knobs were found at on the disk
 * @account: lock the module's account too
 *
 * Return: -EBUSY, described with the holder, when another ladder has one, or when one that was
 * killed has left changes.
 */
int rig_take(struct rig *rig, bool account);

/** rig_go() - bring both ends into the state of a set of rungs, and wait until the links are up */
int rig_go(struct rig *rig, uint32_t mask);

/** rig_value() - the value that a knob has with a set of rungs in force */
const char *rig_value(const struct rig *rig, const struct rig_knob *knob, uint32_t mask);

/** rig_mtu() - of the sending device now; 0 when it cannot be told from here */
uint32_t rig_mtu(const struct rig *rig);

/** rig_turn() - turn a knob that no plan knows, and put it back with the others */
int rig_turn(struct rig *rig, const char *knob, const char *value);

/**
 * rig_close() - put everything back and let the devices go
 * @keep: leave everything as it is instead, and the journal for nettoll ladder --restore
 *
 * Return: 0, or a negative errno after reporting what could not be put back.
 */
int rig_close(struct rig *rig, bool keep);

#endif
