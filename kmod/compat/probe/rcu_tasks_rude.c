// SPDX-License-Identifier: GPL-2.0-only
#include <linux/rcupdate.h>

void probe(void);
void probe(void)
{
	synchronize_rcu_tasks_rude();
}
