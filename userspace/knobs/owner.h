/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who else manages a knob: a program or a file that sets it at boot or whenever it likes. */
#ifndef NETTOLL_KNOBS_OWNER_H
#define NETTOLL_KNOBS_OWNER_H

#include "knobs/knob.h"

/**
 * struct owner - who manages a knob
 * @text: for people: "systemd-networkd (/etc/systemd/network/10-lan.network: MTUBytes)"
 */
struct owner {
	char text[512];
};

/**
 * owner_find() - look into what NetworkManager, systemd-networkd, udev's .link files, tuned,
 * sysctl.d and ifupdown have written down of a knob
 *
 * They manage the namespace of the first process only. Return: 1 when there is an owner, else 0.
 */
int owner_find(const struct knob *knob, const struct knob_place *place, struct owner *owner);

/** owner_root() - look below this directory instead of "/", as in the network namespace of pid 1; for tests */
void owner_root(const char *dir);

#endif
