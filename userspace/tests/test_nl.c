// SPDX-License-Identifier: GPL-2.0-or-later
/* Netlink against the running kernel's own families: dumps, refusals with their words, nests, restarts. */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/rtnetlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "lib/err.h"
#include "lib/module.h"
#include "lib/nl.h"

struct links {
	size_t n, restarts;
	bool lo;
	int refuse;
};

static int take_link(const struct nlk_reply *reply, void *arg)
{
	const size_t header = NLMSG_ALIGN(sizeof(struct ifinfomsg));
	const struct nlattr *tb[IFLA_MAX + 1];
	struct links *links = arg;
	char name[32];

	if (links->refuse && ++links->n)
		return links->refuse;
	if (reply->type != RTM_NEWLINK)
		return 0;
	assert_int_equal(nlk_parse(tb, IFLA_MAX, (const char *)reply->data + header,
				   reply->len - header), 0);
	nlk_str(tb[IFLA_IFNAME], name, sizeof(name));
	links->lo |= !strcmp(name, "lo");
	if (!strcmp(name, "lo"))
		assert_true(nlk_u32(tb[IFLA_MTU]) > 0);
	links->n++;
	return 0;
}

static void restart_links(void *arg)
{
	((struct links *)arg)->restarts++;
}

static struct nlk_request *link_dump(struct nlk_conn *conn, unsigned char family)
{
	struct ifinfomsg header = { .ifi_family = family };

	return nlk_request(conn, RTM_GETLINK, &header, sizeof(header), 0);
}

static void dump__lists_lo(void **state)
{
	struct links links = { 0 };
	struct nlk_conn *conn;

	(void)state;
	assert_int_equal(nlk_open(NETLINK_ROUTE, &conn), 0);
	assert_int_equal(nlk_dump(conn, link_dump(conn, AF_UNSPEC), take_link, restart_links, &links), 0);
	assert_true(links.lo);
	nlk_close(conn);
}

/* A callback's error comes out, and the connection is as good as before. */
static void dump__callback_refuses(void **state)
{
	struct links links = { .refuse = -ENOMEM }, again = { 0 };
	struct nlk_conn *conn;

	(void)state;
	assert_int_equal(nlk_open(NETLINK_ROUTE, &conn), 0);
	assert_int_equal(nlk_dump(conn, link_dump(conn, AF_UNSPEC), take_link, restart_links, &links),
			 -ENOMEM);
	assert_int_equal(links.n, 1);
	assert_int_equal(nlk_dump(conn, link_dump(conn, AF_UNSPEC), take_link, restart_links, &again), 0);
	assert_true(again.lo);
	nlk_close(conn);
}

static void refusal__has_the_kernel_s_words(void **state)
{
	struct ifinfomsg header = { .ifi_index = 7 };
	struct links links = { 0 };
	struct nlk_conn *conn;

	(void)state;
	assert_int_equal(nlk_open(NETLINK_ROUTE, &conn), 0);
	/* Strict checking makes the kernel refuse an index in a dump, and say so. */
	assert_int_equal(nlk_dump(conn, nlk_request(conn, RTM_GETLINK, &header, sizeof(header), 0),
				  take_link, restart_links, &links), -EINVAL);
	assert_string_not_equal(err_text(-EINVAL), strerror(EINVAL));
	assert_non_null(strstr(err_text(-EINVAL), "link dump"));
	assert_int_equal(links.n, 0);
	nlk_close(conn);
}

static void refusal__without_words_is_its_errno(void **state)
{
	struct ifinfomsg header = { .ifi_index = 0x7ffffff0 };
	struct nlk_conn *conn;

	(void)state;
	assert_int_equal(nlk_open(NETLINK_ROUTE, &conn), 0);
	assert_int_equal(nlk_do(conn, nlk_request(conn, RTM_GETLINK, &header, sizeof(header), 0), NULL,
				NULL), -ENODEV);
	assert_string_equal(err_text(-ENODEV), strerror(ENODEV));
	nlk_close(conn);
}

struct family {
	char name[16];
	uint32_t id, groups;
};

static int take_family(const struct nlk_reply *reply, void *arg)
{
	const struct nlattr *tb[CTRL_ATTR_MAX + 1], *group[3], *in[CTRL_ATTR_MCAST_GRP_MAX + 1];
	struct family *f = arg;

	assert_int_equal(reply->cmd, CTRL_CMD_NEWFAMILY);
	assert_int_equal(nlk_parse(tb, CTRL_ATTR_MAX, reply->data, reply->len), 0);
	nlk_str(tb[CTRL_ATTR_FAMILY_NAME], f->name, sizeof(f->name));
	f->id = nlk_u16(tb[CTRL_ATTR_FAMILY_ID]);
	assert_int_equal(nlk_parse_nest(group, 2, tb[CTRL_ATTR_MCAST_GROUPS]), 0);
	assert_non_null(group[1]);
	assert_int_equal(nlk_parse_nest(in, CTRL_ATTR_MCAST_GRP_MAX, group[1]), 0);
	f->groups = nlk_u32(in[CTRL_ATTR_MCAST_GRP_ID]);
	return 0;
}

static void genl__request_and_nests(void **state)
{
	struct family f = { 0 };
	struct nlk_conn *conn;
	struct nlk_request *req;

	(void)state;
	assert_int_equal(nlk_open_genl("nlctrl", &conn), 0);
	req = nlk_request(conn, CTRL_CMD_GETFAMILY, NULL, 0, 0);
	nlk_put_str(req, CTRL_ATTR_FAMILY_NAME, "nlctrl");
	assert_int_equal(nlk_do(conn, req, take_family, &f), 0);
	assert_string_equal(f.name, "nlctrl");
	assert_int_equal(f.id, GENL_ID_CTRL);
	assert_true(f.groups > 0);
	assert_int_equal(nlk_join(conn, "notify"), 0);
	assert_true(nlk_join(conn, "no-such-group") < 0);
	assert_non_null(strstr(err_text(-ENOENT), "no-such-group"));
	nlk_close(conn);
}

static void refusal__names_the_attribute(void **state)
{
	struct nlk_conn *conn;
	struct nlk_request *req;

	(void)state;
	assert_int_equal(nlk_open_genl("nlctrl", &conn), 0);
	req = nlk_request(conn, CTRL_CMD_GETFAMILY, NULL, 0, 0);
	nlk_put_u16(req, CTRL_ATTR_FAMILY_ID, GENL_ID_CTRL);
	nlk_put_str(req, CTRL_ATTR_FAMILY_NAME, "a name that is longer than any family's");
	assert_true(nlk_do(conn, req, NULL, NULL) < 0);
	assert_int_equal(nlk_bad_attr(conn), CTRL_ATTR_FAMILY_NAME);
	/* Of the last request only; and not all refusals are about one. */
	req = nlk_request(conn, CTRL_CMD_GETFAMILY, NULL, 0, 0);
	nlk_put_str(req, CTRL_ATTR_FAMILY_NAME, "no-such-family");
	assert_int_equal(nlk_do(conn, req, NULL, NULL), -ENOENT);
	assert_int_equal(nlk_bad_attr(conn), 0);
	nlk_close(conn);
}

static void attributes__walk(void **state)
{
	struct nlk_conn *conn;
	struct nlk_request *req;
	const struct nlattr *attr;
	const void *data;
	size_t len;

	(void)state;
	assert_int_equal(nlk_open_genl("nlctrl", &conn), 0);
	req = nlk_request(conn, CTRL_CMD_GETFAMILY, NULL, 0, 0);
	data = nlk_request_attrs(req, &len);
	assert_null(nlk_first(data, len));
	nlk_put_u8(req, 5, 1);
	nlk_put_u32(req, 6, 2);
	nlk_put_u8(req, 5, 3);
	data = nlk_request_attrs(req, &len);
	attr = nlk_first(data, len);
	assert_int_equal(nlk_type(attr), 5);
	attr = nlk_next(attr, data, len);
	assert_int_equal(nlk_type(attr), 6);
	/* One that is cut off is not there. */
	assert_null(nlk_next(attr, data, len - 8 + 4));
	attr = nlk_next(attr, data, len);
	assert_int_equal(nlk_u8(attr), 3);
	assert_null(nlk_next(attr, data, len));
	nlk_request_free(req);
	nlk_close(conn);
}

static void genl__no_such_family(void **state)
{
	struct nlk_conn *conn;

	(void)state;
	assert_int_equal(nlk_open_genl("nettoll-none", &conn), -ENODEV);
}

static void request__too_long(void **state)
{
	struct nlk_conn *conn;
	struct nlk_request *req;
	char data[4096] = "";
	int i;

	(void)state;
	assert_int_equal(nlk_open_genl("nlctrl", &conn), 0);
	req = nlk_request(conn, CTRL_CMD_GETFAMILY, NULL, 0, 0);
	for (i = 0; i < 17; i++)
		nlk_put_data(req, 99, data, sizeof(data));
	assert_int_equal(nlk_do(conn, req, NULL, NULL), -EMSGSIZE);
	nlk_close(conn);
}

static void values__missing_and_short_ones_are_zero(void **state)
{
	struct { struct nlattr head; unsigned char data[4]; } attr = { { 4 + 2, 1 }, { 'a', 'b', 'c', 0 } };
	char buf[2];
	size_t len;

	(void)state;
	assert_int_equal(nlk_u32(NULL), 0);
	assert_int_equal(nlk_u32(&attr.head), 0);
	assert_int_equal(nlk_u8(&attr.head), 'a');
	nlk_str(&attr.head, buf, sizeof(buf));
	assert_string_equal(buf, "a");
	nlk_str(NULL, buf, sizeof(buf));
	assert_string_equal(buf, "");
	assert_null(nlk_data(NULL, &len));
	assert_int_equal(len, 0);
}

/* This host may have the module loaded or not; without it, the error is the cure. */
static void module__not_loaded(void **state)
{
	struct module *m;
	int ret = module_open(&m);

	(void)state;
	if (!ret) {
		module_close(m);
		skip();
	}
	assert_int_equal(ret, -ENODEV);
	assert_non_null(strstr(err_text(ret), "not loaded"));
	assert_non_null(strstr(err_cure(ret), "modprobe nettoll"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(dump__lists_lo),
		cmocka_unit_test(dump__callback_refuses),
		cmocka_unit_test(refusal__has_the_kernel_s_words),
		cmocka_unit_test(refusal__without_words_is_its_errno),
		cmocka_unit_test(genl__request_and_nests),
		cmocka_unit_test(refusal__names_the_attribute),
		cmocka_unit_test(attributes__walk),
		cmocka_unit_test(genl__no_such_family),
		cmocka_unit_test(request__too_long),
		cmocka_unit_test(values__missing_and_short_ones_are_zero),
		cmocka_unit_test(module__not_loaded),
	};

	return cmocka_run_group_tests_name("nl", tests, NULL, NULL);
}
