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

/* Ops table for nettoll */
const struct genl_split_ops nettoll_nl_ops[10] = {
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
};

static const struct genl_multicast_group nettoll_nl_mcgrps[] = {
	[NETTOLL_NLGRP_CHANGES] = { "changes", },
};
