// SPDX-License-Identifier: GPL-2.0-or-later
/* Flow control of the link: pause.rx and its kin, as ethtool -A sets them. */
#include "knobs/ethparam.h"
#include "knobs/family.h"

static const char *const keys[] = { "autoneg", "rx", "tx", NULL };

static const struct ethparam table[] = {
	{ "autoneg", ETH_PAUSE_AUTONEG, KNOB_SWITCH, "", 0,
	  "the two ends of the cable agree on who may pause whom" },
	{ "rx", ETH_PAUSE_RX, KNOB_SWITCH, "", 0,
	  "the device stops sending for a moment when the other end asks it to" },
	{ "tx", ETH_PAUSE_TX, KNOB_SWITCH, "", 0,
	  "the device asks the other end to stop before its ring overflows, rather than to lose packets" },
};

static int find(const char *key, struct knob *knob)
{
	knob->flags = KNOB_RESETS_LINK;
	return ethparam_find(table, sizeof(table) / sizeof(*table), key, knob);
}

const struct knob_family knob_pause = {
	.name = "pause",
	.per_device = true,
	.keys = keys,
	.tool = "ethtool -A",
	.find = find,
	.read = ethparam_read,
	.write = ethparam_write,
};
