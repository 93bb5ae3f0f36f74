// SPDX-License-Identifier: GPL-2.0-or-later
/* Where a setting is written down so that the next boot has it: and so, who else may have done that. */
#include "knobs/persist.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *knob, *key;
} link_keys[] = {
	{ "link.mtu", "MTUBytes" },
	{ "link.txqueuelen", "TransmitQueueLength" },
	{ "link.gso-max-size", "GenericSegmentOffloadMaxBytes" },
	{ "link.gso-max-segs", "GenericSegmentOffloadMaxSegments" },
	{ "ring.rx", "RxBufferSize" },
	{ "ring.tx", "TxBufferSize" },
	{ "channels.rx", "RxChannels" },
	{ "channels.tx", "TxChannels" },
	{ "channels.other", "OtherChannels" },
	{ "channels.combined", "CombinedChannels" },
	{ "coalesce.rx-usecs", "RxCoalesceSec" },
	{ "coalesce.rx-frames", "RxMaxCoalescedFrames" },
	{ "coalesce.tx-usecs", "TxCoalesceSec" },
	{ "coalesce.tx-frames", "TxMaxCoalescedFrames" },
	{ "coalesce.adaptive-rx", "UseAdaptiveRxCoalesce" },
	{ "coalesce.adaptive-tx", "UseAdaptiveTxCoalesce" },
	{ "pause.autoneg", "AutoNegotiationFlowControl" },
	{ "pause.rx", "RxFlowControl" },
	{ "pause.tx", "TxFlowControl" },
	{ "offload.rx-checksum", "ReceiveChecksumOffload" },
	{ "offload.tx-checksum", "TransmitChecksumOffload" },
	{ "offload.tso", "TCPSegmentationOffload" },
	{ "offload.gso", "GenericSegmentationOffload" },
	{ "offload.gro", "GenericReceiveOffload" },
	{ "offload.rx-lro", "LargeReceiveOffload" },
};

const char *persist_link_key(const char *knob)
{
	size_t i;

	for (i = 0; i < sizeof(link_keys) / sizeof(*link_keys); i++)
		if (!strcmp(link_keys[i].knob, knob))
			return link_keys[i].key;
	return NULL;
}

bool persist_hint(const struct knob *knob, const char *value, char text[KNOB_TEXT_MAX])
{
	const char *key = persist_link_key(knob->name), *unit = strcmp(knob->unit, "us") ? "" : "us";

	if (!strcmp(knob->family->name, "sysctl"))
		snprintf(text, KNOB_TEXT_MAX, "/etc/sysctl.d/90-nettoll.conf: %s = %s", knob_key(knob), value);
	else if (key)
		snprintf(text, KNOB_TEXT_MAX, "a .link file below /etc/systemd/network, [Link]: %s=%s%s", key, value, unit);
	else if (strcmp(knob->family->name, "account"))
		snprintf(text, KNOB_TEXT_MAX, "a systemd unit that runs: nettoll knob set %s%s=%s",
			 knob->family->per_device ? "DEVICE " : "", knob->name, value);
	else
		return false;
	return true;
}
