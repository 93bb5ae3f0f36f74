/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registering sysctls by size (6.6) and handlers that take a const table (6.11).
 */
#ifndef NETTOLL_COMPAT_SYSCTL_H
#define NETTOLL_COMPAT_SYSCTL_H

#include <linux/sysctl.h>
#include <net/net_namespace.h>
#include "features.h"

#ifdef NETTOLL_HAVE_CONST_CTL_TABLE
typedef const struct ctl_table nettoll_ctl_table;
#else
typedef struct ctl_table nettoll_ctl_table;
#endif

/* The table ends with an empty entry on kernels that do not know its size. */
static inline struct ctl_table_header *
nettoll_register_sysctl(struct net *net, const char *path, struct ctl_table *table, size_t n)
{
#ifdef NETTOLL_HAVE_NET_SYSCTL_SZ
	return register_net_sysctl_sz(net, path, table, n);
#else
	return register_net_sysctl(net, path, table);
#endif
}

#endif /* NETTOLL_COMPAT_SYSCTL_H */
