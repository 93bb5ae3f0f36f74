// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fast paths as a whole: their order of coming and going.
 */
#include "coalesce.h"
#include "csum.h"
#include "dev.h"
#include "fastpath.h"
#include "front.h"
#include "moderate.h"
#include "rule.h"
#include "sock.h"
#include "zerocopy.h"

/** nettoll_fastpath_init() - 0 or a negative errno */
int nettoll_fastpath_init(void)
{
	int err;

	nettoll_fronts_init();
	nettoll_zerocopy_init();
	err = nettoll_moderate_init();
	if (err)
		return err;
	err = nettoll_socks_init();
	if (err)
		goto err_moderate;
	err = nettoll_csum_init();
	if (err)
		goto err_socks;
	err = nettoll_rules_init();
	if (err)
		goto err_csum;
	err = nettoll_dev_init();
	if (err)
		goto err_rules;
	return 0;

err_rules:
	nettoll_rules_exit();
err_csum:
	nettoll_csum_exit();
err_socks:
	nettoll_socks_exit();
err_moderate:
	nettoll_moderate_exit();
	return err;
}

/**
 * nettoll_fastpath_exit() - the rules go, then who is in a front, then what is
 * known of sockets; and devices have their values back
 */
void nettoll_fastpath_exit(void)
{
	nettoll_dev_exit();
	nettoll_rules_exit();
	nettoll_fronts_exit();
	nettoll_coalesce_exit();
	nettoll_csum_exit();
	nettoll_socks_exit();
	nettoll_moderate_exit();
}
