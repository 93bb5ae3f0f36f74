// SPDX-License-Identifier: GPL-2.0-or-later
/* Network devices and their root queueing disciplines, by rtnetlink. */
#include "lib/nl_link.h"

#include <errno.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/err.h"
#include "lib/nl.h"

#define NS_PER_TICK	64	/* of the packet scheduler's clock, PSCHED_SHIFT in the kernel */
#define NS_PER_SEC	1000000000ull
/* Of kernels newer than the headers may be. */
#define ATTR_GSO_IPV4_MAX_SIZE	63
#define ATTR_GRO_IPV4_MAX_SIZE	64
#define ATTR_MAX		66
#define HANDLE_AUTO	0x8000	/* majors from here on are the kernel's own choice */

static int request(struct nlk_conn *conn, struct nlk_request *req, nlk_fn fn, void *arg)
{
	int ret = nlk_do(conn, req, fn, arg);

	nlk_close(conn);
	return ret;
}

static const int size_attr[LINK_NSIZES] = {
	[LINK_GSO_MAX_SIZE] = IFLA_GSO_MAX_SIZE,
	[LINK_GSO_MAX_SEGS] = IFLA_GSO_MAX_SEGS,
	[LINK_GRO_MAX_SIZE] = IFLA_GRO_MAX_SIZE,
	[LINK_GSO_IPV4_MAX_SIZE] = ATTR_GSO_IPV4_MAX_SIZE,
	[LINK_GRO_IPV4_MAX_SIZE] = ATTR_GRO_IPV4_MAX_SIZE,
};

static void take_kind(const struct nlattr *nest, struct link_info *info)
{
	const struct nlattr *tb[IFLA_INFO_MAX + 1];

	if (nest && !nlk_parse_nest(tb, IFLA_INFO_MAX, nest))
		nlk_str(tb[IFLA_INFO_KIND], info->kind, sizeof(info->kind));
}

static void take_address(const struct nlattr *attr, char *text, size_t size)
{
	const uint8_t *byte;
	size_t len, i;

	byte = nlk_data(attr, &len);
	for (i = 0; i < len && 3 * i + 3 <= size; i++)
		snprintf(text + 3 * i, size - 3 * i, "%02x%s", byte[i], i + 1 < len ? ":" : "");
}

static int on_link(const struct nlk_reply *reply, void *arg)
{
	const struct nlattr *tb[ATTR_MAX + 1];
	const struct ifinfomsg *ifi = reply->data;
	struct link_info *info = arg;
	size_t i;
	int ret;

	if (reply->type != RTM_NEWLINK || reply->len < NLMSG_ALIGN(sizeof(*ifi)))
		return 0;
	ret = nlk_parse(tb, ATTR_MAX, (const char *)reply->data + NLMSG_ALIGN(sizeof(*ifi)),
			reply->len - NLMSG_ALIGN(sizeof(*ifi)));
	if (ret)
		return ret;
	info->index = ifi->ifi_index;
	info->up = ifi->ifi_flags & IFF_UP;
	info->mtu = nlk_u32(tb[IFLA_MTU]);
	info->mtu_min = nlk_u32(tb[IFLA_MIN_MTU]);
	info->mtu_max = nlk_u32(tb[IFLA_MAX_MTU]);
	info->txqlen = nlk_u32(tb[IFLA_TXQLEN]);
	/* Of another namespace it would be the number there. */
	info->lower = tb[IFLA_LINK_NETNSID] ? 0 : (int)nlk_u32(tb[IFLA_LINK]);
	info->master = (int)nlk_u32(tb[IFLA_MASTER]);
	for (i = 0; i < LINK_NSIZES; i++)
		info->size[i] = nlk_u32(tb[size_attr[i]]);
	info->tso_max_size = nlk_u32(tb[IFLA_TSO_MAX_SIZE]);
	info->tso_max_segs = nlk_u32(tb[IFLA_TSO_MAX_SEGS]);
	take_kind(tb[IFLA_LINKINFO], info);
	take_address(tb[IFLA_PERM_ADDRESS], info->permanent, sizeof(info->permanent));
	/* Unknown is what devices say that cannot tell, such as loopback. */
	info->running = info->up && nlk_u8(tb[IFLA_CARRIER]) &&
			(nlk_u8(tb[IFLA_OPERSTATE]) == IF_OPER_UP ||
			 nlk_u8(tb[IFLA_OPERSTATE]) == IF_OPER_UNKNOWN);
	nlk_str(tb[IFLA_IFNAME], info->name, sizeof(info->name));
	return 0;
}

int link_get(const char *dev, struct link_info *info)
{
	struct ifinfomsg ifi = { .ifi_family = AF_UNSPEC };
	struct nlk_request *req;
	struct nlk_conn *conn;
	int ret;

	*info = (struct link_info) { 0 };
	ret = nlk_open(NETLINK_ROUTE, &conn);
	if (ret)
		return ret;
	req = nlk_request(conn, RTM_GETLINK, &ifi, sizeof(ifi), 0);
	nlk_put_str(req, IFLA_IFNAME, dev);
	ret = request(conn, req, on_link, info);
	if (ret == -ENODEV)
		return err_set(ret, "ip link lists those there are", "there is no network device '%s'",
			       dev);
	return ret ? err_context(ret, "%s", dev) : 0;
}

static int set_u32(const char *dev, int attr, uint32_t value)
{
	struct ifinfomsg ifi = { .ifi_family = AF_UNSPEC };
	struct link_info info;
	struct nlk_request *req;
	struct nlk_conn *conn;
	int ret;

	ret = link_get(dev, &info);
	if (ret)
		return ret;
	ret = nlk_open(NETLINK_ROUTE, &conn);
	if (ret)
		return ret;
	ifi.ifi_index = info.index;
	req = nlk_request(conn, RTM_SETLINK, &ifi, sizeof(ifi), 0);
	nlk_put_u32(req, attr, value);
	ret = request(conn, req, NULL, NULL);
	return ret ? err_context(ret, "%s", dev) : 0;
}

struct each {
	int (*fn)(const struct link_info *info, void *arg);
	void *arg;
};

static int on_each(const struct nlk_reply *reply, void *arg)
{
	struct link_info info = { 0 };
	struct each *each = arg;
	int ret = on_link(reply, &info);

	return ret || !info.index ? ret : each->fn(&info, each->arg);
}

int link_each(int (*fn)(const struct link_info *info, void *arg), void *arg)
{
	struct ifinfomsg ifi = { .ifi_family = AF_UNSPEC };
	struct each each = { fn, arg };
	struct nlk_request *req;
	struct nlk_conn *conn;
	int ret;

	ret = nlk_open(NETLINK_ROUTE, &conn);
	if (ret)
		return ret;
	req = nlk_request(conn, RTM_GETLINK, &ifi, sizeof(ifi), 0);
	ret = nlk_dump(conn, req, on_each, NULL, &each);
	nlk_close(conn);
	return ret;
}

int link_set_mtu(const char *dev, uint32_t mtu)
{
	return set_u32(dev, IFLA_MTU, mtu);
}

int link_set_txqlen(const char *dev, uint32_t packets)
{
	return set_u32(dev, IFLA_TXQLEN, packets);
}

int link_set_size(const char *dev, enum link_size which, uint32_t value)
{
	return set_u32(dev, size_attr[which], value);
}

/* ---- queueing disciplines ---- */

struct qdisc_search {
	int index;
	uint32_t handle;	/* of the root, which is listed first */
	struct qdisc_info *info;
};

/* As psched_ns_t2l() in the kernel; @rate in bytes per second. */
static uint32_t ticks_to_bytes(uint32_t ticks, uint64_t rate)
{
	unsigned __int128 bytes = (unsigned __int128)ticks * NS_PER_TICK * rate / NS_PER_SEC;

	return bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
}

/* The least ticks that are worth so many bytes; 0 when that are too many ticks. */
static uint32_t bytes_to_ticks(uint32_t bytes, uint64_t rate)
{
	unsigned __int128 per = (unsigned __int128)rate * NS_PER_TICK;
	unsigned __int128 ticks = rate ? ((unsigned __int128)bytes * NS_PER_SEC + per - 1) / per : 0;

	return ticks > UINT32_MAX ? 0 : (uint32_t)ticks;
}

uint32_t tbf_burst(uint64_t rate, uint32_t burst)
{
	uint32_t ticks = bytes_to_ticks(burst, rate / 8);

	return ticks ? ticks_to_bytes(ticks, rate / 8) : 0;
}

static void take_tbf(const struct nlattr *options, struct qdisc_info *info)
{
	const struct nlattr *tb[TCA_TBF_MAX + 1];
	struct tc_tbf_qopt qopt = { .limit = 0 };
	const void *data;
	uint64_t rate;
	size_t len;

	if (!options || nlk_parse_nest(tb, TCA_TBF_MAX, options))
		return;
	data = nlk_data(tb[TCA_TBF_PARMS], &len);
	if (!data || len < sizeof(qopt))
		return;
	memcpy(&qopt, data, sizeof(qopt));
	rate = tb[TCA_TBF_RATE64] ? nlk_u64(tb[TCA_TBF_RATE64]) : qopt.rate.rate;
	info->tbf.rate = rate * 8;
	info->tbf.burst = ticks_to_bytes(qopt.buffer, rate);
	info->tbf.limit = qopt.limit;
	info->simple = !qopt.peakrate.rate && !qopt.rate.overhead &&
		       qopt.rate.linklayer <= TC_LINKLAYER_ETHERNET;
}

static int on_qdisc(const struct nlk_reply *reply, void *arg)
{
	const struct nlattr *tb[TCA_MAX + 1];
	const struct tcmsg *tc = reply->data;
	struct qdisc_search *search = arg;
	int ret;

	if (reply->type != RTM_NEWQDISC || reply->len < NLMSG_ALIGN(sizeof(*tc)))
		return 0;
	if (tc->tcm_ifindex != search->index)
		return 0;
	/* With another one inside, its parameters do not say it all. */
	if (search->handle && TC_H_MAJ(tc->tcm_parent) == search->handle)
		search->info->simple = false;
	if (tc->tcm_parent != TC_H_ROOT)
		return 0;
	ret = nlk_parse(tb, TCA_MAX, (const char *)reply->data + NLMSG_ALIGN(sizeof(*tc)),
			reply->len - NLMSG_ALIGN(sizeof(*tc)));
	if (ret)
		return ret;
	nlk_str(tb[TCA_KIND], search->info->kind, sizeof(search->info->kind));
	/* The kernel's own choice has no handle; nobody else can ask for that. */
	search->info->standard = !tc->tcm_handle;
	search->handle = tc->tcm_handle;
	if (TC_H_MAJ(tc->tcm_handle) >> 16 < HANDLE_AUTO)
		search->info->tbf.handle = (uint16_t)(tc->tcm_handle >> 16);
	if (!strcmp(search->info->kind, "tbf"))
		take_tbf(tb[TCA_OPTIONS], search->info);
	return 0;
}

int qdisc_get(const char *dev, struct qdisc_info *info)
{
	struct tcmsg tc = { .tcm_family = AF_UNSPEC };
	struct qdisc_search search = { .info = info };
	struct link_info link;
	struct nlk_request *req;
	struct nlk_conn *conn;
	int ret;

	*info = (struct qdisc_info) { .standard = true };
	ret = link_get(dev, &link);
	if (ret)
		return ret;
	ret = nlk_open(NETLINK_ROUTE, &conn);
	if (ret)
		return ret;
	tc.tcm_ifindex = search.index = link.index;
	req = nlk_request(conn, RTM_GETQDISC, &tc, sizeof(tc), 0);
	ret = nlk_dump(conn, req, on_qdisc, NULL, &search);
	nlk_close(conn);
	return ret ? err_context(ret, "%s", dev) : 0;
}

int qdisc_set_tbf(const char *dev, const struct tbf_info *tbf)
{
	struct tcmsg tc = { .tcm_family = AF_UNSPEC, .tcm_parent = TC_H_ROOT };
	uint64_t rate = tbf->rate / 8;
	struct tc_tbf_qopt qopt = { .limit = tbf->limit };
	struct qdisc_info old;
	struct link_info link;
	struct nlk_request *req;
	struct nlattr *nest;
	struct nlk_conn *conn;
	int ret;

	ret = link_get(dev, &link);
	if (!ret)
		ret = qdisc_get(dev, &old);
	if (ret)
		return ret;
	/* Of the same kind, the kernel would change the parameters and keep packets and handle. */
	if (!old.standard) {
		ret = qdisc_delete(dev);
		if (ret)
			return ret;
	}
	ret = nlk_open(NETLINK_ROUTE, &conn);
	if (ret)
		return ret;
	tc.tcm_ifindex = link.index;
	tc.tcm_handle = (uint32_t)tbf->handle << 16;
	req = nlk_request(conn, RTM_NEWQDISC, &tc, sizeof(tc), NLM_F_CREATE | NLM_F_REPLACE);
	nlk_put_str(req, TCA_KIND, "tbf");
	nest = nlk_nest_begin(req, TCA_OPTIONS);
	qopt.rate.rate = rate >= UINT32_MAX ? UINT32_MAX : (uint32_t)rate;
	qopt.rate.linklayer = TC_LINKLAYER_ETHERNET;
	/* By the ticks alone, not by TCA_TBF_BURST: only the ticks can be read back. */
	qopt.buffer = bytes_to_ticks(tbf->burst, rate);
	nlk_put_data(req, TCA_TBF_PARMS, &qopt, sizeof(qopt));
	if (rate >= UINT32_MAX)
		nlk_put_u64(req, TCA_TBF_RATE64, rate);
	nlk_nest_end(req, nest);
	ret = request(conn, req, NULL, NULL);
	if (ret == -ENOENT)
		return err_set(ret, "modprobe sch_tbf", "%s: the kernel has no token bucket filter", dev);
	return ret ? err_context(ret, "%s", dev) : 0;
}

int qdisc_delete(const char *dev)
{
	struct tcmsg tc = { .tcm_family = AF_UNSPEC, .tcm_parent = TC_H_ROOT };
	struct link_info link;
	struct nlk_request *req;
	struct nlk_conn *conn;
	int ret;

	ret = link_get(dev, &link);
	if (ret)
		return ret;
	ret = nlk_open(NETLINK_ROUTE, &conn);
	if (ret)
		return ret;
	tc.tcm_ifindex = link.index;
	req = nlk_request(conn, RTM_DELQDISC, &tc, sizeof(tc), 0);
	ret = request(conn, req, NULL, NULL);
	return ret ? err_context(ret, "%s", dev) : 0;
}
