// SPDX-License-Identifier: GPL-2.0-or-later
/* Knobs of a network device as such: link.mtu and link.txqueuelen, by rtnetlink. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "knobs/family.h"
#include "lib/nl_link.h"

enum { MTU, TXQUEUELEN };

static const char *const keys[] = { "mtu", "txqueuelen", NULL };

static int find(const char *key, struct knob *knob)
{
	knob->type = KNOB_UINT;
	if (!strcmp(key, "mtu")) {
		knob->cookie = MTU;
		knob->unit = "bytes";
		knob->min = 68;
		knob->max = 65536;
		knob->flags = KNOB_RESETS_LINK;
		knob->explain = "largest packet of the network layer; what is longer is cut into fragments";
		return 0;
	}
	if (!strcmp(key, "txqueuelen")) {
		knob->cookie = TXQUEUELEN;
		knob->unit = "packets";
		knob->max = 1000000;
		knob->explain = "packets that may wait for the device in a first-in-first-out queue";
		return 0;
	}
	return -ENOENT;
}

static int range(const struct knob *knob, const struct knob_place *place, uint64_t *min,
		 uint64_t *max)
{
	struct link_info info;
	int ret;

	if (knob->cookie != MTU)
		return 0;
	ret = link_get(place->dev, &info);
	if (!ret && info.mtu_min > *min)
		*min = info.mtu_min;
	if (!ret && info.mtu_max && info.mtu_max < *max)
		*max = info.mtu_max;
	return ret;
}

static int read_value(const struct knob *knob, const struct knob_place *place, char *value)
{
	struct link_info info;
	int ret = link_get(place->dev, &info);

	if (!ret)
		snprintf(value, KNOB_VALUE_MAX, "%" PRIu32,
			 knob->cookie == MTU ? info.mtu : info.txqlen);
	return ret;
}

static int write_value(const struct knob *knob, const struct knob_place *place, const char *value)
{
	uint32_t n = (uint32_t)strtoul(value, NULL, 10);

	return knob->cookie == MTU ? link_set_mtu(place->dev, n) : link_set_txqlen(place->dev, n);
}

const struct knob_family knob_link = {
	.name = "link",
	.per_device = true,
	.keys = keys,
	.find = find,
	.range = range,
	.read = read_value,
	.write = write_value,
};
