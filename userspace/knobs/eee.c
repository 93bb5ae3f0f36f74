// SPDX-License-Identifier: GPL-2.0-or-later
/* Energy-efficient Ethernet: eee.enabled and its kin, as ethtool --set-eee sets them. */
#include "knobs/ethparam.h"
#include "knobs/family.h"

static const char *const keys[] = { "enabled", "tx-lpi", "tx-timer", NULL };

static const struct ethparam table[] = {
	{ "enabled", ETH_EEE_ENABLED, KNOB_SWITCH, "", 0,
	  "the link may sleep between packets; waking it up costs microseconds of latency" },
	{ "tx-lpi", ETH_EEE_TX_LPI_ENABLED, KNOB_SWITCH, "", 0,
	  "this end puts its sender to sleep when there is nothing to send" },
	{ "tx-timer", ETH_EEE_TX_LPI_TIMER, KNOB_UINT, "us", UINT32_MAX,
	  "how long there has to be nothing to send before that" },
};

static int find(const char *key, struct knob *knob)
{
	knob->flags = KNOB_RESETS_LINK;
	return ethparam_find(table, sizeof(table) / sizeof(*table), key, knob);
}

const struct knob_family knob_eee = {
	.name = "eee",
	.per_device = true,
	.keys = keys,
	.tool = "ethtool --set-eee",
	.find = find,
	.read = ethparam_read,
	.write = ethparam_write,
};
