/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pieces of messages that dumps and single answers share.
 */
#ifndef NETTOLL_CONTROL_DUMP_H
#define NETTOLL_CONTROL_DUMP_H

#include <linux/types.h>

struct sk_buff;

void *nettoll_nl_put(struct sk_buff *skb, u32 portid, u32 seq, int flags, u8 cmd);
int nettoll_nl_put_hook(struct sk_buff *msg, unsigned int id);

#endif /* NETTOLL_CONTROL_DUMP_H */
