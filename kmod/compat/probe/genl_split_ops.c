// SPDX-License-Identifier: GPL-2.0-only
#include <net/genetlink.h>

int probe(struct genl_family *family);
int probe(struct genl_family *family)
{
	return family->n_split_ops;
}
