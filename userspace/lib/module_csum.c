// SPDX-License-Identifier: GPL-2.0-or-later
/* The module's request about checksum audits as a function: attributes to structures. */
#include "lib/module_csum.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/module_priv.h"

static int take_csum(const struct nlk_reply *reply, void *arg)
{
	const struct nlattr *tb[NETTOLL_A_CSUM_MAX + 1];
	struct csum_list *list = arg;
	struct csum_info *c;
	const void *header;
	int ret;

	ret = nlk_parse(tb, NETTOLL_A_CSUM_MAX, reply->data, reply->len);
	if (ret)
		return ret;
	c = module_list_add(&list->item, &list->n, sizeof(*c));
	if (!c)
		return -ENOMEM;
	nlk_str(tb[NETTOLL_A_CSUM_DEVICE], c->device, sizeof(c->device));
	c->ifindex = nlk_u32(tb[NETTOLL_A_CSUM_IFINDEX]);
	c->audited = nlk_u64(tb[NETTOLL_A_CSUM_AUDITED]);
	c->disagreed = nlk_u64(tb[NETTOLL_A_CSUM_DISAGREED]);
	c->passed = nlk_u64(tb[NETTOLL_A_CSUM_PASSED]);
	c->last_ns = nlk_u64(tb[NETTOLL_A_CSUM_LAST_NS]);
	c->last_rule = nlk_u32(tb[NETTOLL_A_CSUM_LAST_RULE]);
	c->last_complete = tb[NETTOLL_A_CSUM_LAST_COMPLETE];
	c->last_found = nlk_u16(tb[NETTOLL_A_CSUM_LAST_FOUND]);
	c->last_computed = nlk_u16(tb[NETTOLL_A_CSUM_LAST_COMPUTED]);
	if (tb[NETTOLL_A_CSUM_LAST_HEADER]) {
		header = nlk_data(tb[NETTOLL_A_CSUM_LAST_HEADER], &c->header_len);
		if (c->header_len > sizeof(c->header))
			c->header_len = sizeof(c->header);
		memcpy(c->header, header, c->header_len);
	}
	return 0;
}

DEFINE_LIST_FREE(csum)

int module_csums(struct module *m, struct csum_list *list)
{
	*list = (struct csum_list) { 0, NULL };
	return module_explain(module_dump(m, module_request(m, NETTOLL_CMD_CSUM_GET), take_csum,
					  empty_csums, list), "list what checksum audits found");
}
