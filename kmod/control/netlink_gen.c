// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/nettoll.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "netlink_gen.h"

#include <uapi/linux/nettoll.h>

/* NETTOLL_CMD_HOOK_GET - do */
static const struct nla_policy nettoll_hook_get_nl_policy[NETTOLL_A_HOOK_NAME + 1] = {
	[NETTOLL_A_HOOK_NAME] = { .type = NLA_NUL_STRING, .len = 63, },
};

/* NETTOLL_CMD_ATTACH - do */
static const struct nla_policy nettoll_attach_nl_policy[NETTOLL_A_ATTACH_CEILING + 1] = {
	[NETTOLL_A_ATTACH_LAYER] = NLA_POLICY_MAX(NLA_U32, 15),
	[NETTOLL_A_ATTACH_HOOK] = { .type = NLA_STRING, .len = 63, },
	[NETTOLL_A_ATTACH_BACKEND] = NLA_POLICY_MAX(NLA_U32, 4),
	[NETTOLL_A_ATTACH_STRICT] = { .type = NLA_FLAG, },
	[NETTOLL_A_ATTACH_DUTY] = NLA_POLICY_RANGE(NLA_U32, 1, 10000),
	[NETTOLL_A_ATTACH_WINDOW_MS] = NLA_POLICY_RANGE(NLA_U32, 1, 10000),
	[NETTOLL_A_ATTACH_CEILING] = NLA_POLICY_RANGE(NLA_U32, 1, 10000),
};

/* NETTOLL_CMD_DETACH - do */
static const struct nla_policy nettoll_detach_nl_policy[NETTOLL_A_ATTACH_HOOK + 1] = {
	[NETTOLL_A_ATTACH_LAYER] = NLA_POLICY_MAX(NLA_U32, 15),
	[NETTOLL_A_ATTACH_HOOK] = { .type = NLA_STRING, .len = 63, },
};

/* NETTOLL_CMD_STAT_GET - dump */
static const struct nla_policy nettoll_stat_get_nl_policy[NETTOLL_A_STAT_PER_CPU + 1] = {
	[NETTOLL_A_STAT_PER_CPU] = { .type = NLA_FLAG, },
};

/* NETTOLL_CMD_SETTING_SET - do */
static const struct nla_policy nettoll_setting_set_nl_policy[NETTOLL_A_SETTING_VALUE + 1] = {
	[NETTOLL_A_SETTING_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
	[NETTOLL_A_SETTING_VALUE] = { .type = NLA_U64, },
};

/* NETTOLL_CMD_RULE_ADD - do */
static const struct nla_policy nettoll_rule_add_nl_policy[NETTOLL_A_RULE_COALESCE_USECS + 1] = {
	[NETTOLL_A_RULE_ID] = { .type = NLA_U32, },
	[NETTOLL_A_RULE_BEFORE] = { .type = NLA_U32, },
	[NETTOLL_A_RULE_PROTOCOL] = { .type = NLA_U8, },
	[NETTOLL_A_RULE_FAMILY] = { .type = NLA_U16, },
	[NETTOLL_A_RULE_LOCAL_ADDR4] = { .type = NLA_U32, },
	[NETTOLL_A_RULE_LOCAL_ADDR6] = NLA_POLICY_EXACT_LEN(16),
	[NETTOLL_A_RULE_LOCAL_PREFIX] = { .type = NLA_U8, },
	[NETTOLL_A_RULE_LOCAL_PORT_MIN] = { .type = NLA_U16, },
	[NETTOLL_A_RULE_LOCAL_PORT_MAX] = { .type = NLA_U16, },
	[NETTOLL_A_RULE_REMOTE_ADDR4] = { .type = NLA_U32, },
	[NETTOLL_A_RULE_REMOTE_ADDR6] = NLA_POLICY_EXACT_LEN(16),
	[NETTOLL_A_RULE_REMOTE_PREFIX] = { .type = NLA_U8, },
	[NETTOLL_A_RULE_REMOTE_PORT_MIN] = { .type = NLA_U16, },
	[NETTOLL_A_RULE_REMOTE_PORT_MAX] = { .type = NLA_U16, },
	[NETTOLL_A_RULE_DEVICE] = { .type = NLA_NUL_STRING, .len = 15, },
	[NETTOLL_A_RULE_CGROUP] = { .type = NLA_NUL_STRING, .len = 4095, },
	[NETTOLL_A_RULE_UID_MIN] = { .type = NLA_U32, },
	[NETTOLL_A_RULE_UID_MAX] = { .type = NLA_U32, },
	[NETTOLL_A_RULE_ZEROCOPY] = NLA_POLICY_MAX(NLA_U32, 3),
	[NETTOLL_A_RULE_ZEROCOPY_MIN] = { .type = NLA_U32, },
	[NETTOLL_A_RULE_CSUM_TX] = NLA_POLICY_MAX(NLA_U32, 3),
	[NETTOLL_A_RULE_CSUM_RX] = NLA_POLICY_MAX(NLA_U32, 3),
	[NETTOLL_A_RULE_AUDIT_RATE] = NLA_POLICY_MIN(NLA_U32, 1),
	[NETTOLL_A_RULE_COALESCE_DATAGRAMS] = NLA_POLICY_MAX(NLA_U32, 64),
	[NETTOLL_A_RULE_COALESCE_BYTES] = { .type = NLA_U32, },
	[NETTOLL_A_RULE_COALESCE_USECS] = { .type = NLA_U32, },
};

/* NETTOLL_CMD_RULE_SET - do */
static const struct nla_policy nettoll_rule_set_nl_policy[NETTOLL_A_RULE_COALESCE_USECS + 1] = {
	[NETTOLL_A_RULE_ID] = { .type = NLA_U32, },
	[NETTOLL_A_RULE_BEFORE] = { .type = NLA_U32, },
	[NETTOLL_A_RULE_PROTOCOL] = { .type = NLA_U8, },
	[NETTOLL_A_RULE_FAMILY] = { .type = NLA_U16, },
	[NETTOLL_A_RULE_LOCAL_ADDR4] = { .type = NLA_U32, },
	[NETTOLL_A_RULE_LOCAL_ADDR6] = NLA_POLICY_EXACT_LEN(16),
	[NETTOLL_A_RULE_LOCAL_PREFIX] = { .type = NLA_U8, },
	[NETTOLL_A_RULE_LOCAL_PORT_MIN] = { .type = NLA_U16, },
	[NETTOLL_A_RULE_LOCAL_PORT_MAX] = { .type = NLA_U16, },
	[NETTOLL_A_RULE_REMOTE_ADDR4] = { .type = NLA_U32, },
	[NETTOLL_A_RULE_REMOTE_ADDR6] = NLA_POLICY_EXACT_LEN(16),
	[NETTOLL_A_RULE_REMOTE_PREFIX] = { .type = NLA_U8, },
	[NETTOLL_A_RULE_REMOTE_PORT_MIN] = { .type = NLA_U16, },
	[NETTOLL_A_RULE_REMOTE_PORT_MAX] = { .type = NLA_U16, },
	[NETTOLL_A_RULE_DEVICE] = { .type = NLA_NUL_STRING, .len = 15, },
	[NETTOLL_A_RULE_CGROUP] = { .type = NLA_NUL_STRING, .len = 4095, },
	[NETTOLL_A_RULE_UID_MIN] = { .type = NLA_U32, },
	[NETTOLL_A_RULE_UID_MAX] = { .type = NLA_U32, },
	[NETTOLL_A_RULE_ZEROCOPY] = NLA_POLICY_MAX(NLA_U32, 3),
	[NETTOLL_A_RULE_ZEROCOPY_MIN] = { .type = NLA_U32, },
	[NETTOLL_A_RULE_CSUM_TX] = NLA_POLICY_MAX(NLA_U32, 3),
	[NETTOLL_A_RULE_CSUM_RX] = NLA_POLICY_MAX(NLA_U32, 3),
	[NETTOLL_A_RULE_AUDIT_RATE] = NLA_POLICY_MIN(NLA_U32, 1),
	[NETTOLL_A_RULE_COALESCE_DATAGRAMS] = NLA_POLICY_MAX(NLA_U32, 64),
	[NETTOLL_A_RULE_COALESCE_BYTES] = { .type = NLA_U32, },
	[NETTOLL_A_RULE_COALESCE_USECS] = { .type = NLA_U32, },
};

/* NETTOLL_CMD_RULE_DEL - do */
static const struct nla_policy nettoll_rule_del_nl_policy[NETTOLL_A_RULE_ALL + 1] = {
	[NETTOLL_A_RULE_ID] = { .type = NLA_U32, },
	[NETTOLL_A_RULE_ALL] = { .type = NLA_FLAG, },
};

/* NETTOLL_CMD_RULE_GET - do */
static const struct nla_policy nettoll_rule_get_nl_policy[NETTOLL_A_RULE_ID + 1] = {
	[NETTOLL_A_RULE_ID] = { .type = NLA_U32, },
};

/* NETTOLL_CMD_COALESCE_SET - do */
static const struct nla_policy nettoll_coalesce_set_nl_policy[NETTOLL_A_COALESCE_WHILE_OPEN + 1] = {
	[NETTOLL_A_COALESCE_IFINDEX] = { .type = NLA_U32, },
	[NETTOLL_A_COALESCE_DEVICE] = { .type = NLA_NUL_STRING, .len = 15, },
	[NETTOLL_A_COALESCE_MODE] = NLA_POLICY_MAX(NLA_U32, 1),
	[NETTOLL_A_COALESCE_TARGET_NS] = NLA_POLICY_MIN(NLA_U32, 10000),
	[NETTOLL_A_COALESCE_WHILE_OPEN] = { .type = NLA_FLAG, },
};

/* NETTOLL_CMD_COALESCE_DEL - do */
static const struct nla_policy nettoll_coalesce_del_nl_policy[NETTOLL_A_COALESCE_DEVICE + 1] = {
	[NETTOLL_A_COALESCE_IFINDEX] = { .type = NLA_U32, },
	[NETTOLL_A_COALESCE_DEVICE] = { .type = NLA_NUL_STRING, .len = 15, },
};

/* NETTOLL_CMD_COALESCE_GET - do */
static const struct nla_policy nettoll_coalesce_get_nl_policy[NETTOLL_A_COALESCE_DEVICE + 1] = {
	[NETTOLL_A_COALESCE_IFINDEX] = { .type = NLA_U32, },
	[NETTOLL_A_COALESCE_DEVICE] = { .type = NLA_NUL_STRING, .len = 15, },
};

/* Ops table for nettoll */
const struct genl_split_ops nettoll_nl_ops[20] = {
	{
		.cmd	= NETTOLL_CMD_STATUS_GET,
		.doit	= nettoll_nl_status_get_doit,
		.flags	= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= NETTOLL_CMD_LAYER_GET,
		.dumpit	= nettoll_nl_layer_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= NETTOLL_CMD_HOOK_GET,
		.doit		= nettoll_nl_hook_get_doit,
		.policy		= nettoll_hook_get_nl_policy,
		.maxattr	= NETTOLL_A_HOOK_NAME,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= NETTOLL_CMD_HOOK_GET,
		.dumpit	= nettoll_nl_hook_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= NETTOLL_CMD_ATTACH,
		.doit		= nettoll_nl_attach_doit,
		.policy		= nettoll_attach_nl_policy,
		.maxattr	= NETTOLL_A_ATTACH_CEILING,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= NETTOLL_CMD_DETACH,
		.doit		= nettoll_nl_detach_doit,
		.policy		= nettoll_detach_nl_policy,
		.maxattr	= NETTOLL_A_ATTACH_HOOK,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= NETTOLL_CMD_STAT_GET,
		.start		= nettoll_nl_stat_get_start,
		.dumpit		= nettoll_nl_stat_get_dumpit,
		.done		= nettoll_nl_stat_get_done,
		.policy		= nettoll_stat_get_nl_policy,
		.maxattr	= NETTOLL_A_STAT_PER_CPU,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd	= NETTOLL_CMD_SETTING_GET,
		.dumpit	= nettoll_nl_setting_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= NETTOLL_CMD_SETTING_SET,
		.doit		= nettoll_nl_setting_set_doit,
		.policy		= nettoll_setting_set_nl_policy,
		.maxattr	= NETTOLL_A_SETTING_VALUE,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= NETTOLL_CMD_HOLDER_GET,
		.dumpit	= nettoll_nl_holder_get_dumpit,
		.flags	= GENL_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= NETTOLL_CMD_RULE_ADD,
		.doit		= nettoll_nl_rule_add_doit,
		.policy		= nettoll_rule_add_nl_policy,
		.maxattr	= NETTOLL_A_RULE_COALESCE_USECS,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= NETTOLL_CMD_RULE_SET,
		.doit		= nettoll_nl_rule_set_doit,
		.policy		= nettoll_rule_set_nl_policy,
		.maxattr	= NETTOLL_A_RULE_COALESCE_USECS,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= NETTOLL_CMD_RULE_DEL,
		.doit		= nettoll_nl_rule_del_doit,
		.policy		= nettoll_rule_del_nl_policy,
		.maxattr	= NETTOLL_A_RULE_ALL,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= NETTOLL_CMD_RULE_GET,
		.doit		= nettoll_nl_rule_get_doit,
		.policy		= nettoll_rule_get_nl_policy,
		.maxattr	= NETTOLL_A_RULE_ID,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= NETTOLL_CMD_RULE_GET,
		.dumpit	= nettoll_nl_rule_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= NETTOLL_CMD_COALESCE_SET,
		.doit		= nettoll_nl_coalesce_set_doit,
		.policy		= nettoll_coalesce_set_nl_policy,
		.maxattr	= NETTOLL_A_COALESCE_WHILE_OPEN,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= NETTOLL_CMD_COALESCE_DEL,
		.doit		= nettoll_nl_coalesce_del_doit,
		.policy		= nettoll_coalesce_del_nl_policy,
		.maxattr	= NETTOLL_A_COALESCE_DEVICE,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= NETTOLL_CMD_COALESCE_GET,
		.doit		= nettoll_nl_coalesce_get_doit,
		.policy		= nettoll_coalesce_get_nl_policy,
		.maxattr	= NETTOLL_A_COALESCE_DEVICE,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= NETTOLL_CMD_COALESCE_GET,
		.dumpit	= nettoll_nl_coalesce_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd	= NETTOLL_CMD_CSUM_GET,
		.dumpit	= nettoll_nl_csum_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
};

static const struct genl_multicast_group nettoll_nl_mcgrps[] = {
	[NETTOLL_NLGRP_CHANGES] = { "changes", },
};
