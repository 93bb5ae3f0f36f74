/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single numbers of the ethtool family as knobs: what coalesce.c and ring.c share. */
#ifndef NETTOLL_KNOBS_ETHPARAM_H
#define NETTOLL_KNOBS_ETHPARAM_H

#include "knobs/knob.h"
#include "lib/nl_ethtool.h"

struct ethparam {
	const char *key;
	enum eth_param param;
	enum knob_type type;
	const char *unit;
	uint64_t max;
	const char *explain;
};

int ethparam_find(const struct ethparam *table, size_t n, const char *key, struct knob *knob);

/* Functions of struct knob_family; knob->cookie is the enum eth_param. */
int ethparam_read(const struct knob *knob, const struct knob_place *place, char *value);
int ethparam_write(const struct knob *knob, const struct knob_place *place, const char *value);

#endif
