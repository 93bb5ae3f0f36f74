// SPDX-License-Identifier: GPL-2.0-only
/*
 * The settings as sysctls below net.nettoll, in the initial network namespace.
 */
#include <linux/sched.h>

#include "settings.h"
#include "sysctl.h"

static struct ctl_table nettoll_table[NETTOLL_SETTINGS + 1];
static struct ctl_table_header *nettoll_table_header;

/**
 * nettoll_sysctl_value() - read or write a value that is kept elsewhere
 * @io: what the handler was called with
 * @value: what it is; what was written, if that is within the bounds
 * @min: the least that it may be
 * @max: the most
 *
 * Return: 0 or what is wrong with what was written.
 */
int nettoll_sysctl_value(const struct nettoll_sysctl_io *io, unsigned long *value,
			 unsigned long min, unsigned long max)
{
	struct ctl_table tmp = {
		.data = value,
		.maxlen = sizeof(*value),
		.mode = io->table->mode,
		.extra1 = &min,
		.extra2 = &max,
	};

	return proc_doulongvec_minmax(&tmp, io->write, io->buffer, io->len, io->pos);
}

static int handler(nettoll_ctl_table *table, int write, void *buffer, size_t *len, loff_t *pos)
{
	const struct nettoll_sysctl_io io = { table, write, buffer, len, pos };
	const struct nettoll_setting *s = table->extra1;
	unsigned long value = s->get();
	int err;

	err = nettoll_sysctl_value(&io, &value, s->min, s->max);
	if (err || !write)
		return err;
	return nettoll_setting_set(s, value, task_tgid_nr(current));
}

/** nettoll_sysctl_init() - register the sysctls; 0 or -ENOMEM */
int nettoll_sysctl_init(void)
{
	int i;

	for (i = 0; i < NETTOLL_SETTINGS; i++) {
		nettoll_table[i].procname = nettoll_settings[i].name;
		nettoll_table[i].mode = 0644;
		nettoll_table[i].maxlen = sizeof(unsigned long);
		nettoll_table[i].proc_handler = handler;
		nettoll_table[i].extra1 = (void *)&nettoll_settings[i];
	}
	nettoll_table_header = nettoll_register_sysctl(&init_net, "net/nettoll", nettoll_table,
						       NETTOLL_SETTINGS);
	return nettoll_table_header ? 0 : -ENOMEM;
}

/** nettoll_sysctl_exit() - unregister them, and wait for who is inside */
void nettoll_sysctl_exit(void)
{
	unregister_net_sysctl_table(nettoll_table_header);
}
