/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Generic netlink with separate operations for do and dump (6.2). On older
 * kernels the table is folded into the operations they know.
 */
#ifndef NETTOLL_COMPAT_GENL_H
#define NETTOLL_COMPAT_GENL_H

#include <net/genetlink.h>
#include "features.h"

#ifdef NETTOLL_HAVE_GENL_SPLIT_OPS

static inline int nettoll_genl_register(struct genl_family *family,
					const struct genl_split_ops *ops, unsigned int n)
{
	family->split_ops = ops;
	family->n_split_ops = n;
	return genl_register_family(family);
}

static inline void nettoll_genl_unregister(struct genl_family *family)
{
	genl_unregister_family(family);
}

#else

struct genl_split_ops {
	const struct nla_policy *policy;
	unsigned int maxattr;
	union {
		int (*doit)(struct sk_buff *skb, struct genl_info *info);
		struct {
			int (*start)(struct netlink_callback *cb);
			int (*dumpit)(struct sk_buff *skb, struct netlink_callback *cb);
			int (*done)(struct netlink_callback *cb);
		};
	};
	u8 cmd;
	u8 internal_flags;
	u8 flags;
	u8 validate;
};

int nettoll_genl_register(struct genl_family *family,
			  const struct genl_split_ops *ops, unsigned int n);
void nettoll_genl_unregister(struct genl_family *family);

#endif

/* The attributes of a dump request, parsed by the core. */
static inline struct nlattr **nettoll_genl_dump_attrs(struct netlink_callback *cb)
{
#ifdef NETTOLL_HAVE_GENL_INFO_DUMP
	return genl_info_dump(cb)->attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}

#endif /* NETTOLL_COMPAT_GENL_H */
