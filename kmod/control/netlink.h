/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The generic netlink family.
 */
#ifndef NETTOLL_CONTROL_NETLINK_H
#define NETTOLL_CONTROL_NETLINK_H

#include <linux/types.h>

struct nettoll_setting;

int nettoll_netlink_init(void);
void nettoll_netlink_exit(void);
void nettoll_notify_setting(const struct nettoll_setting *s, u64 value, u32 pid);
void nettoll_notify_hooks(unsigned int event, unsigned int count, u32 pid);

#endif /* NETTOLL_CONTROL_NETLINK_H */
