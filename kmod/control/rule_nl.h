/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules over netlink: what other files need of it.
 */
#ifndef NETTOLL_CONTROL_RULE_NL_H
#define NETTOLL_CONTROL_RULE_NL_H

#include <linux/types.h>

struct net;

void nettoll_notify_rule(struct net *net, u32 id, u32 pid);

#endif /* NETTOLL_CONTROL_RULE_NL_H */
