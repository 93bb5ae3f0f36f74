// SPDX-License-Identifier: GPL-2.0-only
#include <linux/sysctl.h>

static int handler(const struct ctl_table *table, int write, void *buffer, size_t *len, loff_t *pos)
{
	return 0;
}

void probe(struct ctl_table *table);
void probe(struct ctl_table *table)
{
	table->proc_handler = handler;
}
