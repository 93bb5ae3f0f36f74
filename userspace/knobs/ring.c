// SPDX-License-Identifier: GPL-2.0-or-later
/* Descriptor rings of a device: ring.rx and ring.tx, as ethtool -G sets them. */
#include "knobs/ethparam.h"
#include "knobs/family.h"

#define RING_MAX	(1 << 20)

static const char *const keys[] = { "rx", "tx", NULL };

static const struct ethparam table[] = {
	{ "rx", ETH_RX_RING, KNOB_UINT, "descriptors", RING_MAX,
	  "buffers that the device may fill before the driver has to empty them" },
	{ "tx", ETH_TX_RING, KNOB_UINT, "descriptors", RING_MAX,
	  "buffers that the driver may queue for the device to send" },
};

static int find(const char *key, struct knob *knob)
{
	int ret = ethparam_find(table, sizeof(table) / sizeof(*table), key, knob);

	knob->min = 1;
	knob->flags = KNOB_RESETS_LINK;
	return ret;
}

static int range(const struct knob *knob, const struct knob_place *place, uint64_t *min,
		 uint64_t *max)
{
	uint32_t now, largest;
	int ret;

	(void)min;
	ret = eth_param_get(place->dev, (enum eth_param)knob->cookie, &now, &largest);
	if (!ret && largest && largest < *max)
		*max = largest;
	return ret;
}

const struct knob_family knob_ring = {
	.name = "ring",
	.per_device = true,
	.keys = keys,
	.tool = "ethtool -G",
	.find = find,
	.range = range,
	.read = ethparam_read,
	.write = ethparam_write,
};
