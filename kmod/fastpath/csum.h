/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checksum control: which rules it looks at, and what it found of each device.
 */
#ifndef NETTOLL_FASTPATH_CSUM_H
#define NETTOLL_FASTPATH_CSUM_H

#include <linux/types.h>

#include "csum_parse.h"
#include "rule.h"

struct net_device;

/* Bytes of an offending packet that are kept and told. */
#define NETTOLL_CSUM_KEPT	64

/**
 * enum nettoll_csum_event - what is counted of a device
 * @NETTOLL_CSUM_AUDITED: a checksum that it vouched for was verified
 * @NETTOLL_CSUM_DISAGREED: and was wrong
 * @NETTOLL_CSUM_PASSED: a packet was none that checksum rules are for
 * @NETTOLL_CSUM_EVENTS: how many there are
 */
enum nettoll_csum_event {
	NETTOLL_CSUM_AUDITED,
	NETTOLL_CSUM_DISAGREED,
	NETTOLL_CSUM_PASSED,
	NETTOLL_CSUM_EVENTS,
};

/**
 * struct nettoll_csum_fault - a packet whose checksum is not what the device said
 * @time_ns: CLOCK_REALTIME, 0 if there was none
 * @rule: number of the rule that had it verified
 * @complete: the device gave a sum of all bytes, which differs from theirs;
 *	else it said that the checksum is right, and it is not
 * @found: what the device, or the packet, says
 * @computed: what it should be
 * @kept: bytes at @head
 * @head: the packet from behind the Ethernet header on
 */
struct nettoll_csum_fault {
	u64 time_ns;
	u32 rule;
	bool complete;
	u16 found;
	u16 computed;
	u16 kept;
	u8 head[NETTOLL_CSUM_KEPT];
};

/**
 * struct nettoll_csum_report - what was found of a device
 * @count: by enum nettoll_csum_event
 * @last: the last disagreement
 */
struct nettoll_csum_report {
	u64 count[NETTOLL_CSUM_EVENTS];
	struct nettoll_csum_fault last;
};

unsigned long nettoll_csum_groups(const struct nettoll_action *act);
void nettoll_csum_index(struct nettoll_rules *rules);
void nettoll_csum_count(struct net_device *dev, enum nettoll_csum_event event);
void nettoll_csum_note(struct net_device *dev, const struct nettoll_csum_fault *fault);
bool nettoll_csum_report(const struct net_device *dev, struct nettoll_csum_report *report);
int nettoll_csum_init(void);
void nettoll_csum_exit(void);

#endif /* NETTOLL_FASTPATH_CSUM_H */
