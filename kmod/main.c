// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loading and unloading: the ladder of the subsystems and its mirror.
 */
#include <linux/module.h>
#include <net/genetlink.h>

#include "account/account.h"
#include "control/netlink.h"
#include "control/rule_sysctl.h"
#include "control/sysctl.h"
#include "fastpath/fastpath.h"
#include "version.h"

static int __init nettoll_init(void)
{
	int err;

	err = nettoll_account_init();
	if (err)
		return err;
	err = nettoll_fastpath_init();
	if (err)
		goto err_account;
	err = nettoll_sysctl_init();
	if (err)
		goto err_fastpath;
	err = nettoll_rule_sysctl_init();
	if (err)
		goto err_sysctl;
	err = nettoll_netlink_init();
	if (err)
		goto err_rule_sysctl;
	return 0;

err_rule_sysctl:
	nettoll_rule_sysctl_exit();
err_sysctl:
	nettoll_sysctl_exit();
err_fastpath:
	nettoll_fastpath_exit();
err_account:
	nettoll_account_exit();
	return err;
}

static void __exit nettoll_exit(void)
{
	nettoll_netlink_exit();
	nettoll_rule_sysctl_exit();
	nettoll_sysctl_exit();
	nettoll_fastpath_exit();
	nettoll_account_exit();
}

module_init(nettoll_init);
module_exit(nettoll_exit);
MODULE_DESCRIPTION("What every layer of the UDP/TCP path charges a packet");
MODULE_AUTHOR("The nettoll maintainers");
MODULE_LICENSE("GPL");
MODULE_VERSION(NETTOLL_VERSION);
MODULE_ALIAS_GENL_FAMILY("nettoll");
