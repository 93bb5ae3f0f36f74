// SPDX-License-Identifier: GPL-2.0-or-later
/* Queues with an interrupt of their own: channels.combined and its kin, as ethtool -L sets them. */
#include "knobs/ethparam.h"
#include "knobs/family.h"

#define CHANNELS_MAX	4096

static const char *const keys[] = { "rx", "tx", "other", "combined", NULL };

static const struct ethparam table[] = {
	{ "rx", ETH_RX_CHANNELS, KNOB_UINT, "channels", CHANNELS_MAX,
	  "queues that only receive, each with an interrupt of its own" },
	{ "tx", ETH_TX_CHANNELS, KNOB_UINT, "channels", CHANNELS_MAX,
	  "queues that only send, each with an interrupt of its own" },
	{ "other", ETH_OTHER_CHANNELS, KNOB_UINT, "channels", CHANNELS_MAX,
	  "interrupts for other things, such as changes of the link" },
	{ "combined", ETH_COMBINED_CHANNELS, KNOB_UINT, "channels", CHANNELS_MAX,
	  "queues that receive and send; one a CPU spreads the load, one in all keeps it in one cache" },
};

static int find(const char *key, struct knob *knob)
{
	knob->flags = KNOB_RESETS_LINK;
	return ethparam_find(table, sizeof(table) / sizeof(*table), key, knob);
}

/* Of a kind that the driver has none of, none can be had; the kernel says so itself. */
static int range(const struct knob *knob, const struct knob_place *place, uint64_t *min,
		 uint64_t *max)
{
	uint32_t now, largest;
	int ret;

	(void)min;
	ret = eth_param_get(place->dev, (enum eth_param)knob->cookie, &now, &largest);
	if (!ret)
		*max = largest;
	return ret;
}

const struct knob_family knob_channels = {
	.name = "channels",
	.per_device = true,
	.keys = keys,
	.tool = "ethtool -L",
	.find = find,
	.range = range,
	.read = ethparam_read,
	.write = ethparam_write,
};
