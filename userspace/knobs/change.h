/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set of knobs turned together: looked at, locked, journalled, turned, verified; or nothing is. */
#ifndef NETTOLL_KNOBS_CHANGE_H
#define NETTOLL_KNOBS_CHANGE_H

#include "knobs/guard.h"

/**
 * struct change_item - one knob
 * @now, @value: before and afterwards
 * @why: why it could not be had, where that does not end it all; "" where it could
 */
struct change_item {
	struct knob knob;
	struct knob_place place;
	char now[KNOB_VALUE_MAX];
	char value[KNOB_VALUE_MAX];
	char why[256];
};

/**
 * struct change - knobs that are turned together
 * @what: for the second who wants to: "knob set e0 link.mtu=9000"; kept, not copied
 * @keep_going: what cannot be had is left, and @why says so; else one failure puts all back
 * @hold: have a process turn them again when a device was reset, until they are undone
 * @seconds: undo it unless it is confirmed within these; 0: nobody has to
 * @item: in the order of change_add()
 * @circle: the places that it may move
 * @moved: knobs that were moved along, after change_make()
 */
struct change {
	const char *what;
	bool keep_going, hold;
	unsigned int seconds;
	size_t n;
	struct change_item *item;
	size_t ncircle;
	struct knob_place *circle;
	size_t nlocks;
	int *lock;
	size_t moved;
	struct journal journal;
};

/** change_add() - have a knob in; @text in any spelling; a second value of a knob takes the place of the first */
int change_add(struct change *c, const struct knob_place *place, const char *name, const char *text);

/** change_look() - read what there is, and see whether the places would accept it */
int change_look(struct change *c);

/**
 * change_make() - do it
 *
 * On an error everything is as it was, or said not to be on stderr. Return: also -EBUSY, described
 * with the holder.
 */
int change_make(struct change *c);

/**
 * change_lock() - lock all that a journal has to do with, as far as it is still there
 *
 * Return: also -EBUSY, described with the holder. change_free() unlocks.
 */
int change_lock(struct change *c, const struct journal *j);

void change_free(struct change *c);

#endif
