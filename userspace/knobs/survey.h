/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All knobs of a device, or of a namespace, as they are now; and the devices that one moves along. */
#ifndef NETTOLL_KNOBS_SURVEY_H
#define NETTOLL_KNOBS_SURVEY_H

#include "knobs/knob.h"

struct survey_item {
	char name[KNOB_NAME_MAX];
	char value[KNOB_VALUE_MAX];
};

/**
 * struct survey - what a place has
 * @denied: knobs that may not be read by this user
 * @item: in the order of the families, and of the keys within one
 */
struct survey {
	size_t n, denied;
	struct survey_item *item;
};

/**
 * survey_read() - read all knobs of a device; or, when the place names none, of its namespace
 *
 * What a device or its driver does not have is left out. The machine's own knobs are those of the
 * namespace "". survey_free() afterwards, also after an error.
 */
int survey_read(const struct knob_place *place, struct survey *survey);

/** survey_value() - by name; NULL when there is none */
const char *survey_value(const struct survey *survey, const char *name);

void survey_free(struct survey *survey);

/**
 * circle_each() - call @fn with a device and all that its knobs may move: those it stands on,
 * those that stand on it, ports of the same bond or bridge, the other end of a pair
 *
 * Only within the namespace of @place; beginning with @place itself.
 */
int circle_each(const struct knob_place *place, int (*fn)(const struct knob_place *place, void *arg),
		void *arg);

#endif
