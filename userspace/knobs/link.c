// SPDX-License-Identifier: GPL-2.0-or-later
/* Knobs of a network device as such: link.mtu and link.txqueuelen, by rtnetlink. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "knobs/family.h"
#include "lib/err.h"
#include "lib/nl_link.h"

#define IPV6_MTU_MIN	1280	/* below it the kernel takes IPv6, with its addresses, off a device */

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

/* Whether a device speaks IPv6: then it has a directory of settings, one of which turns it off. */
static bool has_ipv6(const char *dev)
{
	char path[PATH_MAX];
	int c = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s/disable_ipv6", dev);
	f = fopen(path, "re");
	if (!f)
		return false;
	c = fgetc(f);
	fclose(f);
	return c == '0';
}

static int check(const struct knob *knob, const struct knob_place *place, const char *from,
		 const char *to)
{
	char cure[96];

	if (knob->cookie != MTU || strtoul(to, NULL, 10) >= IPV6_MTU_MIN ||
	    strtoul(from, NULL, 10) < IPV6_MTU_MIN || !has_ipv6(place->dev))
		return 0;
	snprintf(cure, sizeof(cure), "sysctl net.ipv6.conf.%s.disable_ipv6=1 first, if nobody needs it",
		 place->dev);
	return err_set(-ERANGE, cure, "an MTU of %s, below %d, would take %s its IPv6 addresses, which could not "
		       "be put back", to, IPV6_MTU_MIN, knob_where(place));
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
	.check = check,
	.read = read_value,
	.write = write_value,
};
