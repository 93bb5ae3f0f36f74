// SPDX-License-Identifier: GPL-2.0-or-later
/* Single numbers of the ethtool family as knobs: what coalesce.c and ring.c share. */
#include "knobs/ethparam.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ethparam_find(const struct ethparam *table, size_t n, const char *key, struct knob *knob)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (strcmp(table[i].key, key))
			continue;
		knob->type = table[i].type;
		knob->unit = table[i].unit;
		knob->max = table[i].max;
		knob->explain = table[i].explain;
		knob->cookie = table[i].param;
		return 0;
	}
	return -ENOENT;
}

int ethparam_read(const struct knob *knob, const struct knob_place *place, char *value)
{
	uint32_t n;
	int ret;

	ret = eth_param_get(place->dev, (enum eth_param)knob->cookie, &n, NULL);
	if (ret)
		return ret;
	if (knob->type == KNOB_SWITCH)
		strcpy(value, n ? "on" : "off");
	else
		snprintf(value, KNOB_VALUE_MAX, "%" PRIu32, n);
	return 0;
}

int ethparam_write(const struct knob *knob, const struct knob_place *place, const char *value)
{
	uint32_t n;

	if (knob->type == KNOB_SWITCH)
		n = !strcmp(value, "on");
	else
		n = (uint32_t)strtoul(value, NULL, 10);
	return eth_param_set(place->dev, (enum eth_param)knob->cookie, n);
}
