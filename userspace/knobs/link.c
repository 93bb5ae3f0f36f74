// SPDX-License-Identifier: GPL-2.0-or-later
/* Knobs of a network device as such: link.mtu, link.txqueuelen, link.gso-max-size and its kin, by rtnetlink. */
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

enum { MTU, TXQUEUELEN, SIZES };	/* SIZES + enum link_size: limits of merged packets */

static const char *const keys[] = {
	"mtu", "txqueuelen", "gso-max-size", "gso-max-segs", "gro-max-size", "gso-ipv4-max-size",
	"gro-ipv4-max-size", NULL
};

#define SIZE_MAX_BYTES	524280	/* of the kernel's GSO_MAX_SIZE and GRO_MAX_SIZE */
#define SIZE_MIN_BYTES	1024	/* below what newer kernels accept, above headers */

static const struct {
	const char *explain, *word;
} sizes[LINK_NSIZES] = {
	[LINK_GSO_MAX_SIZE] = { "largest packet that the stack builds for the device to be cut; above 64K: BIG TCP, "
				"IPv6 only", "gso_max_size" },
	[LINK_GSO_MAX_SEGS] = { "packets that one such is cut into at most", "gso_max_segs" },
	[LINK_GRO_MAX_SIZE] = { "largest packet that what comes in is merged to; above 64K: BIG TCP, IPv6 only",
				"gro_max_size" },
	[LINK_GSO_IPV4_MAX_SIZE] = { "largest IPv4 packet that the stack builds for the device to be cut",
				     "gso_ipv4_max_size" },
	[LINK_GRO_IPV4_MAX_SIZE] = { "largest IPv4 packet that what comes in is merged to", "gro_ipv4_max_size" },
};

static int find_size(const char *key, struct knob *knob)
{
	int i;

	for (i = 0; i < LINK_NSIZES; i++)
		if (!strcmp(key, keys[SIZES + i]))
			break;
	if (i == LINK_NSIZES)
		return -ENOENT;
	knob->cookie = SIZES + i;
	knob->explain = sizes[i].explain;
	knob->unit = i == LINK_GSO_MAX_SEGS ? "packets" : "bytes";
	knob->min = i == LINK_GSO_MAX_SEGS ? 1 : SIZE_MIN_BYTES;
	knob->max = i == LINK_GSO_MAX_SEGS ? 65535 : SIZE_MAX_BYTES;
	return 0;
}

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
	return find_size(key, knob);
}

static void range_of_size(int which, const struct link_info *info, uint64_t *max)
{
	uint32_t most = 0;

	if (which == LINK_GSO_MAX_SIZE || which == LINK_GSO_IPV4_MAX_SIZE)
		most = info->tso_max_size;
	else if (which == LINK_GSO_MAX_SEGS)
		most = info->tso_max_segs;
	if (most && most < *max)
		*max = most;
}

static int range(const struct knob *knob, const struct knob_place *place, uint64_t *min,
		 uint64_t *max)
{
	struct link_info info;
	int ret;

	if (knob->cookie == TXQUEUELEN)
		return 0;
	ret = link_get(place->dev, &info);
	if (knob->cookie >= SIZES) {
		if (!ret)
			range_of_size(knob->cookie - SIZES, &info, max);
		return ret;
	}
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
	uint32_t n;

	if (ret)
		return ret;
	n = knob->cookie == MTU ? info.mtu : knob->cookie == TXQUEUELEN ? info.txqlen :
	    info.size[knob->cookie - SIZES];
	if (!n && knob->cookie >= SIZES)
		return err_set(-EOPNOTSUPP, NULL, "the kernel has no %s", sizes[knob->cookie - SIZES].word);
	snprintf(value, KNOB_VALUE_MAX, "%" PRIu32, n);
	return 0;
}

static int write_value(const struct knob *knob, const struct knob_place *place, const char *value)
{
	uint32_t n = (uint32_t)strtoul(value, NULL, 10);

	if (knob->cookie >= SIZES)
		return link_set_size(place->dev, (enum link_size)(knob->cookie - SIZES), n);
	return knob->cookie == MTU ? link_set_mtu(place->dev, n) : link_set_txqlen(place->dev, n);
}

static int command(const struct knob *knob, const struct knob_place *place, const char *value, char *text)
{
	snprintf(text, KNOB_TEXT_MAX, "ip link set dev %s %s %s", place->dev,
		 knob->cookie >= SIZES ? sizes[knob->cookie - SIZES].word : keys[knob->cookie], value);
	return 0;
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
	.command = command,
};
