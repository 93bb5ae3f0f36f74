/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pieces of messages that dumps and single answers share.
 */
#ifndef NETTOLL_CONTROL_DUMP_H
#define NETTOLL_CONTROL_DUMP_H

#include <linux/types.h>

struct genl_info;
struct sk_buff;

struct sk_buff *nettoll_nl_reply_new(struct genl_info *info, u8 cmd, void **hdr);
int nettoll_nl_reply_send(struct sk_buff *msg, void *hdr, struct genl_info *info, int err);
void *nettoll_nl_put(struct sk_buff *skb, u32 portid, u32 seq, int flags, u8 cmd);
int nettoll_nl_put_hook(struct sk_buff *msg, unsigned int id);

#endif /* NETTOLL_CONTROL_DUMP_H */
