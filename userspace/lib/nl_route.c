// SPDX-License-Identifier: GPL-2.0-or-later
/* Initial windows of routes, by rtnetlink. */
#include "lib/nl_route.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/err.h"
#include "lib/nl.h"
#include "lib/nl_link.h"

#define MESSAGE_MAX	2048

static const int metric_attr[] = { [ROUTE_INITCWND] = RTAX_INITCWND, [ROUTE_INITRWND] = RTAX_INITRWND };
static const char *const metric_name[] = { [ROUTE_INITCWND] = "initcwnd", [ROUTE_INITRWND] = "initrwnd" };

static void print_dst(int family, const void *address, unsigned int len, char *dst)
{
	char text[INET6_ADDRSTRLEN];

	if (!len)
		strcpy(dst, family == AF_INET ? "default" : "default6");
	else if (inet_ntop(family, address, text, sizeof(text)))
		snprintf(dst, ROUTE_DST_MAX, "%s/%u", text, len);
	else
		dst[0] = '\0';
}

int route_dst(const char *text, char dst[ROUTE_DST_MAX])
{
	char copy[ROUTE_DST_MAX], *slash, *end;
	int family = strchr(text, ':') ? AF_INET6 : AF_INET;
	unsigned long len, most = family == AF_INET ? 32 : 128, i;
	uint8_t address[16] = { 0 };

	if (!strcmp(text, "default") || !strcmp(text, "default6")) {
		strcpy(dst, text);
		return 0;
	}
	if (strlen(text) >= sizeof(copy))
		return -EINVAL;
	strcpy(copy, text);
	slash = strchr(copy, '/');
	len = most;
	if (slash) {
		*slash++ = '\0';
		len = strtoul(slash, &end, 10);
		if (*slash < '0' || *slash > '9' || *end || len > most)
			return -EINVAL;
	}
	if (inet_pton(family, copy, address) != 1)
		return -EINVAL;
	/* As the kernel keeps it: without what is behind the prefix. */
	for (i = len; i < most; i++)
		address[i / 8] &= (uint8_t)~(0x80 >> i % 8);
	print_dst(family, address, (unsigned int)len, dst);
	return 0;
}

/* A route as the kernel told it. */
struct route {
	char dst[ROUTE_DST_MAX];
	struct rtmsg rtm;
	size_t len;
	char attrs[MESSAGE_MAX];
	uint32_t metric[RTAX_MAX + 1];
	bool present[RTAX_MAX + 1];
	bool congestion_control;	/* a metric that is a name */
	bool expires;
};

struct search {
	int index;
	const char *dst;	/* NULL: any */
	unsigned int found;
	struct route *route;	/* the last one found; may be NULL */
	int (*fn)(const char *dst, void *arg);
	void *arg;
};

static void take_metrics(const struct nlattr *nest, struct route *route)
{
	const struct nlattr *tb[RTAX_MAX + 1];
	int i;

	if (!nest || nlk_parse_nest(tb, RTAX_MAX, nest))
		return;
	for (i = 1; i <= RTAX_MAX; i++) {
		if (!tb[i])
			continue;
		route->present[i] = true;
		route->metric[i] = nlk_u32(tb[i]);
		route->congestion_control |= i == RTAX_CC_ALGO;
	}
}

static int on_route(const struct nlk_reply *reply, void *arg)
{
	const struct nlattr *tb[RTA_MAX + 1];
	const struct rtmsg *rtm = reply->data;
	const char *attrs = (const char *)reply->data + NLMSG_ALIGN(sizeof(*rtm));
	struct rta_cacheinfo cache = { 0 };
	struct search *s = arg;
	char dst[ROUTE_DST_MAX];
	uint8_t any[16] = { 0 };
	const void *data;
	size_t len;
	int ret;

	if (reply->type != RTM_NEWROUTE || reply->len < NLMSG_ALIGN(sizeof(*rtm)))
		return 0;
	ret = nlk_parse(tb, RTA_MAX, attrs, reply->len - NLMSG_ALIGN(sizeof(*rtm)));
	if (ret)
		return ret;
	if ((rtm->rtm_family != AF_INET && rtm->rtm_family != AF_INET6) || rtm->rtm_type != RTN_UNICAST ||
	    rtm->rtm_flags & RTM_F_CLONED ||
	    (tb[RTA_TABLE] ? nlk_u32(tb[RTA_TABLE]) : rtm->rtm_table) != RT_TABLE_MAIN)
		return 0;
	/* Routes by several devices, or by nexthop objects, belong to none. */
	if ((int)nlk_u32(tb[RTA_OIF]) != s->index || tb[RTA_MULTIPATH] || tb[RTA_NH_ID])
		return 0;
	data = nlk_data(tb[RTA_DST], &len);
	print_dst(rtm->rtm_family, data ? data : any, rtm->rtm_dst_len, dst);
	/* Of link-local addresses every device has one, which no TCP to speak of takes. */
	if (rtm->rtm_family == AF_INET6 && data && len == 16 && ((const uint8_t *)data)[0] == 0xfe)
		return 0;
	if (s->dst && strcmp(s->dst, dst))
		return 0;
	s->found++;
	if (s->fn) {
		ret = s->fn(dst, s->arg);
		if (ret < 0)
			return ret;
	}
	if (!s->route)
		return 0;
	*s->route = (struct route) { .rtm = *rtm };
	strcpy(s->route->dst, dst);
	s->route->len = reply->len - NLMSG_ALIGN(sizeof(*rtm));
	if (s->route->len > sizeof(s->route->attrs))
		return err_set(-EOPNOTSUPP, NULL, "the route to %s is described by too many words", dst);
	memcpy(s->route->attrs, attrs, s->route->len);
	take_metrics(tb[RTA_METRICS], s->route);
	data = nlk_data(tb[RTA_CACHEINFO], &len);
	if (data)
		memcpy(&cache, data, len < sizeof(cache) ? len : sizeof(cache));
	s->route->expires = cache.rta_expires;
	return 0;
}

static int search(const char *dev, struct search *s)
{
	struct rtmsg rtm = { .rtm_family = AF_UNSPEC };
	struct nlk_request *req;
	struct link_info link;
	struct nlk_conn *conn;
	int ret;

	ret = link_get(dev, &link);
	if (ret)
		return ret;
	s->index = link.index;
	ret = nlk_open(NETLINK_ROUTE, &conn);
	if (ret)
		return ret;
	req = nlk_request(conn, RTM_GETROUTE, &rtm, sizeof(rtm), 0);
	ret = nlk_dump(conn, req, on_route, NULL, s);
	nlk_close(conn);
	return ret;
}

int route_each(const char *dev, int (*fn)(const char *dst, void *arg), void *arg)
{
	struct search s = { .fn = fn, .arg = arg };

	return search(dev, &s);
}

static int get(const char *dev, const char *dst, struct route *route)
{
	struct search s = { .dst = dst, .route = route };
	int ret = search(dev, &s);

	if (ret)
		return ret;
	if (!s.found)
		return err_set(-EOPNOTSUPP, NULL, "%s has no route to %s", dev, dst);
	if (s.found > 1)
		return err_set(-EOPNOTSUPP, NULL, "%s has %u routes to %s", dev, s.found, dst);
	return 0;
}

int route_metric_get(const char *dev, const char *dst, enum route_metric metric, uint32_t *value)
{
	struct route route;
	int ret = get(dev, dst, &route);

	if (!ret)
		*value = route.metric[metric_attr[metric]];
	return ret;
}

/* What is there, but for @attr; nothing where no metric is left. */
static void put_metrics(struct nlk_request *req, const struct route *route, int attr, uint32_t value)
{
	struct nlattr *nest;
	bool any = value;
	int i;

	for (i = 1; i <= RTAX_MAX; i++)
		any |= i != attr && route->present[i];
	if (!any)
		return;
	nest = nlk_nest_begin(req, RTA_METRICS);
	for (i = 1; i <= RTAX_MAX; i++)
		if (i != attr && route->present[i])
			nlk_put_u32(req, i, route->metric[i]);
	if (value)
		nlk_put_u32(req, attr, value);
	nlk_nest_end(req, nest);
}

int route_metric_set(const char *dev, const char *dst, enum route_metric metric, uint32_t value)
{
	const struct nlattr *a;
	struct nlk_request *req;
	struct nlk_conn *conn;
	struct route route;
	const void *data;
	size_t len;
	int ret;

	ret = get(dev, dst, &route);
	if (ret)
		return ret;
	if (route.expires || route.congestion_control)
		return err_set(-EOPNOTSUPP, NULL, "the route to %s %s, which could not be put back", dst,
			       route.expires ? "is of a router's advertisement and expires" :
			       "names a congestion control");
	ret = nlk_open(NETLINK_ROUTE, &conn);
	if (ret)
		return ret;
	/* States of the link are among the flags that are told, and must not be among those asked for. */
	route.rtm.rtm_flags &= RTNH_F_ONLINK;
	req = nlk_request(conn, RTM_NEWROUTE, &route.rtm, sizeof(route.rtm), NLM_F_REPLACE);
	for (a = nlk_first(route.attrs, route.len); a; a = nlk_next(a, route.attrs, route.len)) {
		if (nlk_type(a) == RTA_METRICS || nlk_type(a) == RTA_CACHEINFO)
			continue;
		data = nlk_data(a, &len);
		nlk_put_data(req, nlk_type(a), data, len);
	}
	put_metrics(req, &route, metric_attr[metric], value);
	ret = nlk_do(conn, req, NULL, NULL);
	nlk_close(conn);
	return ret ? err_context(ret, "%s of the route to %s", metric_name[metric], dst) : 0;
}
