// SPDX-License-Identifier: GPL-2.0-only
/* Must compile on every kernel: proves that the probing works at all. */
#include <linux/module.h>
#include <linux/netdevice.h>
#include <net/genetlink.h>
#include <linux/ftrace.h>
#include <linux/sysctl.h>

int probe(void);
int probe(void)
{
	return 0;
}
