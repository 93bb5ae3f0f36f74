// SPDX-License-Identifier: GPL-2.0-only
#include <net/genetlink.h>

const struct genl_info *probe(struct netlink_callback *cb);
const struct genl_info *probe(struct netlink_callback *cb)
{
	return genl_info_dump(cb);
}
