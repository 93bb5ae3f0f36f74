// SPDX-License-Identifier: GPL-2.0-or-later
/* Interrupt moderation by the device: coalesce.rx-usecs and its kin, as ethtool -C sets them. */
#include "knobs/ethparam.h"
#include "knobs/family.h"

#define USECS_MAX	1000000
#define FRAMES_MAX	65535

static const char *const keys[] = {
	"rx-usecs", "rx-frames", "tx-usecs", "tx-frames", "adaptive-rx", "adaptive-tx", NULL
};

static const struct ethparam table[] = {
	{ "rx-usecs", ETH_RX_USECS, KNOB_UINT, "us", USECS_MAX,
	  "how long the device waits after a packet came in before it interrupts" },
	{ "rx-frames", ETH_RX_FRAMES, KNOB_UINT, "packets", FRAMES_MAX,
	  "packets that the device takes in at most before it interrupts" },
	{ "tx-usecs", ETH_TX_USECS, KNOB_UINT, "us", USECS_MAX,
	  "how long the device waits after it sent a packet before it interrupts" },
	{ "tx-frames", ETH_TX_FRAMES, KNOB_UINT, "packets", FRAMES_MAX,
	  "packets that the device sends at most before it interrupts" },
	{ "adaptive-rx", ETH_ADAPTIVE_RX, KNOB_SWITCH, "", 0,
	  "the driver chooses rx-usecs by the traffic it sees" },
	{ "adaptive-tx", ETH_ADAPTIVE_TX, KNOB_SWITCH, "", 0,
	  "the driver chooses tx-usecs by the traffic it sees" },
};

static int find(const char *key, struct knob *knob)
{
	return ethparam_find(table, sizeof(table) / sizeof(*table), key, knob);
}

const struct knob_family knob_coalesce = {
	.name = "coalesce",
	.per_device = true,
	.keys = keys,
	.tool = "ethtool -C",
	.find = find,
	.read = ethparam_read,
	.write = ethparam_write,
};
