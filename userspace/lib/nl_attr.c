// SPDX-License-Identifier: GPL-2.0-or-later
/* Taking the attributes of netlink messages apart. */
#include "lib/nl.h"

#include <errno.h>
#include <netlink/attr.h>
#include <string.h>

#include "lib/err.h"

int nlk_parse(const struct nlattr **tb, int max, const void *data, size_t len)
{
	/* libnl's parser takes the table without const; nothing is written through it. */
	if (nla_parse((struct nlattr **)tb, max, (struct nlattr *)data, (int)len, NULL) < 0)
		return err_set(-EBADMSG, NULL, "the kernel's message makes no sense");
	return 0;
}

int nlk_parse_nest(const struct nlattr **tb, int max, const struct nlattr *nest)
{
	return nlk_parse(tb, max, nla_data(nest), (size_t)nla_len(nest));
}

/* The attribute at a place, if all of it is there. */
static const struct nlattr *attr_or_end(const char *at, const char *data, size_t len)
{
	size_t rest = at - data < (ptrdiff_t)len ? len - (size_t)(at - data) : 0;

	return nla_ok((const struct nlattr *)at, (int)rest) ? (const struct nlattr *)at : NULL;
}

const struct nlattr *nlk_first(const void *data, size_t len)
{
	return attr_or_end(data, data, len);
}

const struct nlattr *nlk_next(const struct nlattr *attr, const void *data, size_t len)
{
	return attr_or_end((const char *)attr + nla_total_size(nla_len(attr)), data, len);
}

int nlk_type(const struct nlattr *attr)
{
	return nla_type(attr);
}

const void *nlk_data(const struct nlattr *attr, size_t *len)
{
	*len = attr ? (size_t)nla_len(attr) : 0;
	return attr ? nla_data(attr) : NULL;
}

#define DEFINE_GET(name, type)						\
type name(const struct nlattr *attr)					\
{									\
	type value = 0;							\
									\
	if (attr && nla_len(attr) >= (int)sizeof(value))		\
		memcpy(&value, nla_data(attr), sizeof(value));		\
	return value;							\
}
DEFINE_GET(nlk_u8, uint8_t)
DEFINE_GET(nlk_u16, uint16_t)
DEFINE_GET(nlk_u32, uint32_t)
DEFINE_GET(nlk_u64, uint64_t)

void nlk_str(const struct nlattr *attr, char *buf, size_t size)
{
	size_t len = attr ? strnlen(nla_data(attr), (size_t)nla_len(attr)) : 0;

	if (len > size - 1)
		len = size - 1;
	if (len)
		memcpy(buf, nla_data(attr), len);
	buf[len] = '\0';
}
