// SPDX-License-Identifier: GPL-2.0-only
/* Must not compile on any kernel: proves that a missing interface is noticed. */
#include <linux/netdevice.h>

int probe(void);
int probe(void)
{
	return nettoll_there_is_no_such_function();
}
