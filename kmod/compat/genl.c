// SPDX-License-Identifier: GPL-2.0-only
/*
 * Folds split generic netlink operations into those of kernels before 6.2.
 */
#include <linux/slab.h>

#include "genl.h"

#ifndef NETTOLL_HAVE_GENL_SPLIT_OPS

#define SPLIT_FLAGS	(GENL_CMD_CAP_DO | GENL_CMD_CAP_DUMP)

/**
 * nettoll_genl_register() - register a family with split operations
 * @family: the family, without operations
 * @ops: operations sorted by command, do before dump
 * @n: number of @ops
 *
 * Return: 0 or a negative errno.
 */
int nettoll_genl_register(struct genl_family *family,
			  const struct genl_split_ops *ops, unsigned int n)
{
	struct genl_ops *folded, *op = NULL;
	unsigned int i, k = 0;
	int err;

	folded = kcalloc(n, sizeof(*folded), GFP_KERNEL);
	if (!folded)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		if (!op || op->cmd != ops[i].cmd)
			op = &folded[k++];
		op->cmd = ops[i].cmd;
		op->flags |= ops[i].flags & ~SPLIT_FLAGS;
		op->internal_flags = ops[i].internal_flags;
		op->validate |= ops[i].validate;
		if (!op->policy) {
			op->policy = ops[i].policy;
			op->maxattr = ops[i].maxattr;
		}
		if (ops[i].flags & GENL_CMD_CAP_DO) {
			op->doit = ops[i].doit;
		} else {
			op->start = ops[i].start;
			op->dumpit = ops[i].dumpit;
			op->done = ops[i].done;
		}
	}
	family->ops = folded;
	family->n_ops = k;
	err = genl_register_family(family);
	if (err)
		kfree(folded);
	return err;
}

/** nettoll_genl_unregister() - the mirror of nettoll_genl_register() */
void nettoll_genl_unregister(struct genl_family *family)
{
	genl_unregister_family(family);
	kfree(family->ops);
}

#endif
