/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What checksum audits found of each network device, as the module tells it. */
#ifndef NETTOLL_LIB_MODULE_CSUM_H
#define NETTOLL_LIB_MODULE_CSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/module.h"

/**
 * struct csum_info - a device under a checksum rule
 * @device: its name
 * @audited: packets that it vouched for and that were verified
 * @disagreed: those whose checksum was wrong
 * @passed: IP packets that checksum rules cannot be for
 * @last_ns: CLOCK_REALTIME of the last disagreement, 0 if there was none
 * @last_rule: the rule that found it, 0 for the defaults
 * @last_complete: the device gave a sum of the whole packet; else it said that the sum is right
 * @last_found: the checksum in the packet, or what the device summed
 * @last_computed: what it should be
 * @header_len: bytes at @header
 * @header: the beginning of that packet, from behind its link header on
 */
struct csum_info {
	char device[16];
	uint32_t ifindex;
	uint64_t audited, disagreed, passed;
	uint64_t last_ns;
	uint32_t last_rule;
	bool last_complete;
	uint16_t last_found, last_computed;
	size_t header_len;
	uint8_t header[64];
};

struct csum_list {
	size_t n;
	struct csum_info *item;
};

/** module_csums() - the devices of this network namespace; 0 or a negative errno, described */
int module_csums(struct module *module, struct csum_list *list);
void csum_list_free(struct csum_list *list);

#endif
