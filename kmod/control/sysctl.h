/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sysctls below net.nettoll.
 */
#ifndef NETTOLL_CONTROL_SYSCTL_H
#define NETTOLL_CONTROL_SYSCTL_H

#include "../compat/sysctl.h"

/**
 * struct nettoll_sysctl_io - what a handler of a sysctl is called with
 * @table: its entry
 * @write: whether it is written
 * @buffer: what is written, or where to put what is read
 * @len: of it
 * @pos: in it
 */
struct nettoll_sysctl_io {
	nettoll_ctl_table *table;
	int write;
	void *buffer;
	size_t *len;
	loff_t *pos;
};

int nettoll_sysctl_value(const struct nettoll_sysctl_io *io, unsigned long *value,
			 unsigned long min, unsigned long max);
int nettoll_sysctl_init(void);
void nettoll_sysctl_exit(void);

#endif /* NETTOLL_CONTROL_SYSCTL_H */
