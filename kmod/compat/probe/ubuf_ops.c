// SPDX-License-Identifier: GPL-2.0-only
#include <linux/skbuff.h>

const struct ubuf_info_ops *probe(const struct ubuf_info *ubuf);
const struct ubuf_info_ops *probe(const struct ubuf_info *ubuf)
{
	return ubuf->ops;
}
