/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/nettoll.yaml */
/* YNL-GEN kernel header */

#ifndef _LINUX_NETTOLL_GEN_H
#define _LINUX_NETTOLL_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/nettoll.h>

/* Ops table for nettoll */
extern const struct genl_split_ops nettoll_nl_ops[20];

int nettoll_nl_stat_get_start(struct netlink_callback *cb);
int nettoll_nl_stat_get_done(struct netlink_callback *cb);

int nettoll_nl_status_get_doit(struct sk_buff *skb, struct genl_info *info);
int nettoll_nl_layer_get_dumpit(struct sk_buff *skb,
				struct netlink_callback *cb);
int nettoll_nl_hook_get_doit(struct sk_buff *skb, struct genl_info *info);
int nettoll_nl_hook_get_dumpit(struct sk_buff *skb,
			       struct netlink_callback *cb);
int nettoll_nl_attach_doit(struct sk_buff *skb, struct genl_info *info);
int nettoll_nl_detach_doit(struct sk_buff *skb, struct genl_info *info);
int nettoll_nl_stat_get_dumpit(struct sk_buff *skb,
			       struct netlink_callback *cb);
int nettoll_nl_setting_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb);
int nettoll_nl_setting_set_doit(struct sk_buff *skb, struct genl_info *info);
int nettoll_nl_holder_get_dumpit(struct sk_buff *skb,
				 struct netlink_callback *cb);
int nettoll_nl_rule_add_doit(struct sk_buff *skb, struct genl_info *info);
int nettoll_nl_rule_set_doit(struct sk_buff *skb, struct genl_info *info);
int nettoll_nl_rule_del_doit(struct sk_buff *skb, struct genl_info *info);
int nettoll_nl_rule_get_doit(struct sk_buff *skb, struct genl_info *info);
int nettoll_nl_rule_get_dumpit(struct sk_buff *skb,
			       struct netlink_callback *cb);
int nettoll_nl_coalesce_set_doit(struct sk_buff *skb, struct genl_info *info);
int nettoll_nl_coalesce_del_doit(struct sk_buff *skb, struct genl_info *info);
int nettoll_nl_coalesce_get_doit(struct sk_buff *skb, struct genl_info *info);
int nettoll_nl_coalesce_get_dumpit(struct sk_buff *skb,
				   struct netlink_callback *cb);
int nettoll_nl_csum_get_dumpit(struct sk_buff *skb,
			       struct netlink_callback *cb);

enum {
	NETTOLL_NLGRP_CHANGES,
};

#endif /* _LINUX_NETTOLL_GEN_H */
