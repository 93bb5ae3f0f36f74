// SPDX-License-Identifier: GPL-2.0-only
#include <linux/skbuff.h>

const struct ubuf_info_ops probe_ops;
void probe(struct ubuf_info *ubuf);
void probe(struct ubuf_info *ubuf)
{
	ubuf->ops = &probe_ops;
}
