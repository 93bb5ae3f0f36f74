/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Layers and hooks named on the command line. */
#ifndef NETTOLL_CMD_TARGET_H
#define NETTOLL_CMD_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/model.h"

/**
 * struct targets - what was named
 * @hooks: names out of the hook_list that target_add() was given
 */
struct targets {
	size_t nlayers, nhooks;
	uint32_t layers[MODEL_LAYERS];
	const char **hooks;
};

enum target_kind { TARGET_ANY, TARGET_LAYER, TARGET_HOOK };

/**
 * target_add() - look a word up among layers and hooks
 *
 * Return: 0, or a negative errno described by err_set(), with the nearest name if there is one.
 */
int target_add(struct targets *targets, const struct hook_list *hooks, enum target_kind kind,
	       const char *word);

/** target_has() - whether a hook was named, by itself or by its layer; nothing named is all */
bool target_has(const struct targets *targets, const struct hook_info *hook);

void targets_free(struct targets *targets);

#endif
