// SPDX-License-Identifier: GPL-2.0-or-later
/* What ethtool shows and sets of a device, by the ethtool netlink family. */
#include "lib/nl_ethtool.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"
#include "lib/nl.h"

static int ethtool_open(struct nlk_conn **conn)
{
	int ret = nlk_open_genl(ETHTOOL_GENL_NAME, conn);

	if (ret == -ENODEV || ret == -ENOENT)
		return err_set(-EOPNOTSUPP, NULL, "the kernel has no ethtool netlink (CONFIG_ETHTOOL_NETLINK)");
	return ret;
}

static void put_header(struct nlk_request *req, int type, const char *dev, uint32_t flags)
{
	struct nlattr *nest = nlk_nest_begin(req, type);

	if (dev)
		nlk_put_str(req, ETHTOOL_A_HEADER_DEV_NAME, dev);
	if (flags)
		nlk_put_u32(req, ETHTOOL_A_HEADER_FLAGS, flags);
	nlk_nest_end(req, nest);
}

static int finish(const char *dev, int ret)
{
	if (ret == -ENODEV)
		return err_set(ret, "ip link lists those there are", "there is no network device '%s'",
			       dev);
	return ret ? err_context(ret, "%s", dev) : 0;
}

/* ---- features: names of the kernel's bits, and bit sets ---- */

/* A list of attributes with the same type cannot be indexed by type; this walks it. */
static const struct nlattr *next_attr(const struct nlattr *nest, const struct nlattr *at)
{
	const char *end = (const char *)nest + nest->nla_len;
	const char *p = at ? (const char *)at + NLA_ALIGN(at->nla_len) : (const char *)nest + NLA_HDRLEN;
	const struct nlattr *a = (const struct nlattr *)p;

	if (p + NLA_HDRLEN > end || a->nla_len < NLA_HDRLEN || p + a->nla_len > end)
		return NULL;
	return a;
}

/* ETHTOOL_A_STRSET_STRINGSETS / _STRINGSET / _STRINGS / _STRING: index and value. */
static int take_strings(const struct nlattr *strings, struct eth_features *f)
{
	const struct nlattr *tb[ETHTOOL_A_STRING_MAX + 1], *a = NULL;
	struct eth_feature *grown;
	uint32_t index;
	int ret;

	while ((a = next_attr(strings, a))) {
		ret = nlk_parse_nest(tb, ETHTOOL_A_STRING_MAX, a);
		if (ret)
			return ret;
		index = nlk_u32(tb[ETHTOOL_A_STRING_INDEX]);
		if (index >= 4096)
			continue;
		if (index >= f->n) {
			grown = realloc(f->feature, (index + 1) * sizeof(*grown));
			if (!grown)
				return err_set(-ENOMEM, NULL, "out of memory");
			memset(grown + f->n, 0, (index + 1 - f->n) * sizeof(*grown));
			f->feature = grown;
			f->n = index + 1;
		}
		nlk_str(tb[ETHTOOL_A_STRING_VALUE], f->feature[index].name, ETH_NAME_MAX);
	}
	return 0;
}

static int on_strset(const struct nlk_reply *reply, void *arg)
{
	const struct nlattr *tb[ETHTOOL_A_STRSET_MAX + 1];
	const struct nlattr *set[ETHTOOL_A_STRINGSET_MAX + 1], *a = NULL;
	int ret;

	if (reply->cmd != ETHTOOL_MSG_STRSET_GET_REPLY)
		return 0;
	ret = nlk_parse(tb, ETHTOOL_A_STRSET_MAX, reply->data, reply->len);
	if (ret || !tb[ETHTOOL_A_STRSET_STRINGSETS])
		return ret;
	while ((a = next_attr(tb[ETHTOOL_A_STRSET_STRINGSETS], a))) {
		ret = nlk_parse_nest(set, ETHTOOL_A_STRINGSET_MAX, a);
		if (!ret && nlk_u32(set[ETHTOOL_A_STRINGSET_ID]) == ETH_SS_FEATURES &&
		    set[ETHTOOL_A_STRINGSET_STRINGS])
			ret = take_strings(set[ETHTOOL_A_STRINGSET_STRINGS], arg);
		if (ret)
			return ret;
	}
	return 0;
}

static int get_names(struct nlk_conn *conn, struct eth_features *f)
{
	struct nlk_request *req = nlk_request(conn, ETHTOOL_MSG_STRSET_GET, NULL, 0, 0);
	struct nlattr *sets, *set;

	/* The flag says nothing here, but libnl leaves out a header without content. */
	put_header(req, ETHTOOL_A_STRSET_HEADER, NULL, ETHTOOL_FLAG_COMPACT_BITSETS);
	sets = nlk_nest_begin(req, ETHTOOL_A_STRSET_STRINGSETS);
	set = nlk_nest_begin(req, ETHTOOL_A_STRINGSETS_STRINGSET);
	nlk_put_u32(req, ETHTOOL_A_STRINGSET_ID, ETH_SS_FEATURES);
	nlk_nest_end(req, set);
	nlk_nest_end(req, sets);
	return nlk_do(conn, req, on_strset, f);
}

struct bitmap {
	const uint32_t *word;
	size_t n;
};

static int take_bitmap(const struct nlattr *bitset, struct bitmap *map)
{
	const struct nlattr *tb[ETHTOOL_A_BITSET_MAX + 1];
	size_t len;
	int ret;

	*map = (struct bitmap) { NULL, 0 };
	if (!bitset)
		return 0;
	ret = nlk_parse_nest(tb, ETHTOOL_A_BITSET_MAX, bitset);
	if (ret)
		return ret;
	map->word = nlk_data(tb[ETHTOOL_A_BITSET_VALUE], &len);
	map->n = len / sizeof(uint32_t);
	return 0;
}

static bool bit(const struct bitmap *map, size_t i)
{
	return i / 32 < map->n && map->word[i / 32] & (1u << i % 32);
}

static int on_features(const struct nlk_reply *reply, void *arg)
{
	const struct nlattr *tb[ETHTOOL_A_FEATURES_MAX + 1];
	struct bitmap hw, wanted, active, nochange;
	struct eth_features *f = arg;
	struct eth_feature *e;
	size_t i;
	int ret;

	if (reply->cmd != ETHTOOL_MSG_FEATURES_GET_REPLY)
		return 0;
	ret = nlk_parse(tb, ETHTOOL_A_FEATURES_MAX, reply->data, reply->len);
	if (!ret)
		ret = take_bitmap(tb[ETHTOOL_A_FEATURES_HW], &hw);
	if (!ret)
		ret = take_bitmap(tb[ETHTOOL_A_FEATURES_WANTED], &wanted);
	if (!ret)
		ret = take_bitmap(tb[ETHTOOL_A_FEATURES_ACTIVE], &active);
	if (!ret)
		ret = take_bitmap(tb[ETHTOOL_A_FEATURES_NOCHANGE], &nochange);
	if (ret)
		return ret;
	for (i = 0; i < f->n; i++) {
		e = &f->feature[i];
		e->active = bit(&active, i);
		e->fixed = !bit(&hw, i) || bit(&nochange, i);
		e->wanted = e->fixed ? e->active : bit(&wanted, i);
	}
	return 0;
}

int eth_features_get(const char *dev, struct eth_features *f)
{
	struct nlk_request *req;
	struct nlk_conn *conn;
	int ret;

	*f = (struct eth_features) { 0, NULL };
	ret = ethtool_open(&conn);
	if (ret)
		return ret;
	ret = get_names(conn, f);
	if (ret)
		goto out;
	req = nlk_request(conn, ETHTOOL_MSG_FEATURES_GET, NULL, 0, 0);
	put_header(req, ETHTOOL_A_FEATURES_HEADER, dev, ETHTOOL_FLAG_COMPACT_BITSETS);
	ret = nlk_do(conn, req, on_features, f);
out:
	nlk_close(conn);
	if (ret)
		eth_features_free(f);
	return finish(dev, ret);
}

void eth_features_free(struct eth_features *f)
{
	free(f->feature);
	*f = (struct eth_features) { 0, NULL };
}

const struct eth_feature *eth_feature_find(const struct eth_features *f, const char *name)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (!strcmp(f->feature[i].name, name))
			return &f->feature[i];
	return NULL;
}

int eth_features_set(const char *dev, const struct eth_feature_change *change, size_t n)
{
	struct nlattr *wanted, *bits, *one;
	struct nlk_request *req;
	struct nlk_conn *conn;
	size_t i;
	int ret;

	ret = ethtool_open(&conn);
	if (ret)
		return ret;
	req = nlk_request(conn, ETHTOOL_MSG_FEATURES_SET, NULL, 0, 0);
	put_header(req, ETHTOOL_A_FEATURES_HEADER, dev, ETHTOOL_FLAG_OMIT_REPLY);
	wanted = nlk_nest_begin(req, ETHTOOL_A_FEATURES_WANTED);
	bits = nlk_nest_begin(req, ETHTOOL_A_BITSET_BITS);
	for (i = 0; i < n; i++) {
		one = nlk_nest_begin(req, ETHTOOL_A_BITSET_BITS_BIT);
		nlk_put_str(req, ETHTOOL_A_BITSET_BIT_NAME, change[i].name);
		if (change[i].on)
			nlk_put_flag(req, ETHTOOL_A_BITSET_BIT_VALUE);
		nlk_nest_end(req, one);
	}
	nlk_nest_end(req, bits);
	nlk_nest_end(req, wanted);
	ret = nlk_do(conn, req, NULL, NULL);
	nlk_close(conn);
	return finish(dev, ret);
}

/* ---- single numbers ---- */

#define NO_MAX	(-1)

static const struct param {
	uint8_t get, reply, set;
	int header, attr, max;
	bool is_switch;
	const char *what;
} params[ETH_NPARAMS] = {
#define COALESCE(attr, is_switch, what)								\
	{ ETHTOOL_MSG_COALESCE_GET, ETHTOOL_MSG_COALESCE_GET_REPLY, ETHTOOL_MSG_COALESCE_SET,	\
	  ETHTOOL_A_COALESCE_HEADER, ETHTOOL_A_COALESCE_##attr, NO_MAX, is_switch, what }
#define RING(attr, what)									\
	{ ETHTOOL_MSG_RINGS_GET, ETHTOOL_MSG_RINGS_GET_REPLY, ETHTOOL_MSG_RINGS_SET,		\
	  ETHTOOL_A_RINGS_HEADER, ETHTOOL_A_RINGS_##attr, ETHTOOL_A_RINGS_##attr##_MAX, false, what }
#define CHANNELS(attr, what)									\
	{ ETHTOOL_MSG_CHANNELS_GET, ETHTOOL_MSG_CHANNELS_GET_REPLY, ETHTOOL_MSG_CHANNELS_SET,	\
	  ETHTOOL_A_CHANNELS_HEADER, ETHTOOL_A_CHANNELS_##attr##_COUNT,				\
	  ETHTOOL_A_CHANNELS_##attr##_MAX, false, what }
#define PAUSE(attr, what)									\
	{ ETHTOOL_MSG_PAUSE_GET, ETHTOOL_MSG_PAUSE_GET_REPLY, ETHTOOL_MSG_PAUSE_SET,		\
	  ETHTOOL_A_PAUSE_HEADER, ETHTOOL_A_PAUSE_##attr, NO_MAX, true, what }
#define EEE(attr, is_switch, what)								\
	{ ETHTOOL_MSG_EEE_GET, ETHTOOL_MSG_EEE_GET_REPLY, ETHTOOL_MSG_EEE_SET,			\
	  ETHTOOL_A_EEE_HEADER, ETHTOOL_A_EEE_##attr, NO_MAX, is_switch, what }
	[ETH_RX_USECS] = COALESCE(RX_USECS, false, "rx-usecs"),
	[ETH_RX_FRAMES] = COALESCE(RX_MAX_FRAMES, false, "rx-frames"),
	[ETH_TX_USECS] = COALESCE(TX_USECS, false, "tx-usecs"),
	[ETH_TX_FRAMES] = COALESCE(TX_MAX_FRAMES, false, "tx-frames"),
	[ETH_ADAPTIVE_RX] = COALESCE(USE_ADAPTIVE_RX, true, "adaptive-rx"),
	[ETH_ADAPTIVE_TX] = COALESCE(USE_ADAPTIVE_TX, true, "adaptive-tx"),
	[ETH_RX_RING] = RING(RX, "receive ring"),
	[ETH_TX_RING] = RING(TX, "transmit ring"),
	[ETH_RX_CHANNELS] = CHANNELS(RX, "channels for receiving only"),
	[ETH_TX_CHANNELS] = CHANNELS(TX, "channels for sending only"),
	[ETH_OTHER_CHANNELS] = CHANNELS(OTHER, "channels for other things"),
	[ETH_COMBINED_CHANNELS] = CHANNELS(COMBINED, "combined channels"),
	[ETH_PAUSE_AUTONEG] = PAUSE(AUTONEG, "negotiation of pause frames"),
	[ETH_PAUSE_RX] = PAUSE(RX, "pause frames that it obeys"),
	[ETH_PAUSE_TX] = PAUSE(TX, "pause frames that it sends"),
	[ETH_EEE_ENABLED] = EEE(ENABLED, true, "energy-efficient Ethernet"),
	[ETH_EEE_TX_LPI_ENABLED] = EEE(TX_LPI_ENABLED, true, "low-power idle when sending"),
	[ETH_EEE_TX_LPI_TIMER] = EEE(TX_LPI_TIMER, false, "delay of low-power idle"),
};

struct param_search {
	const struct param *param;
	bool found;
	uint32_t value, max;
};

#define PARAM_ATTR_MAX	64	/* above the highest attribute of both messages */

static int on_param(const struct nlk_reply *reply, void *arg)
{
	const struct nlattr *tb[PARAM_ATTR_MAX + 1];
	struct param_search *s = arg;
	int ret;

	if (reply->cmd != s->param->reply)
		return 0;
	ret = nlk_parse(tb, PARAM_ATTR_MAX, reply->data, reply->len);
	if (ret)
		return ret;
	s->found = tb[s->param->attr];
	s->value = s->param->is_switch ? nlk_u8(tb[s->param->attr]) : nlk_u32(tb[s->param->attr]);
	if (s->param->max != NO_MAX)
		s->max = nlk_u32(tb[s->param->max]);
	return 0;
}

int eth_param_get(const char *dev, enum eth_param param, uint32_t *value, uint32_t *max)
{
	struct param_search s = { .param = &params[param] };
	struct nlk_request *req;
	struct nlk_conn *conn;
	int ret;

	ret = ethtool_open(&conn);
	if (ret)
		return ret;
	req = nlk_request(conn, s.param->get, NULL, 0, 0);
	put_header(req, s.param->header, dev, 0);
	ret = nlk_do(conn, req, on_param, &s);
	nlk_close(conn);
	if (ret == -EOPNOTSUPP || (!ret && !s.found))
		return err_set(-EOPNOTSUPP, NULL, "%s: its driver has no %s", dev, s.param->what);
	if (ret)
		return finish(dev, ret);
	*value = s.value;
	if (max)
		*max = s.max;
	return 0;
}

int eth_param_set(const char *dev, enum eth_param param, uint32_t value)
{
	const struct param *p = &params[param];
	struct nlk_request *req;
	struct nlk_conn *conn;
	int ret;

	ret = ethtool_open(&conn);
	if (ret)
		return ret;
	req = nlk_request(conn, p->set, NULL, 0, 0);
	put_header(req, p->header, dev, 0);
	if (p->is_switch)
		nlk_put_u8(req, p->attr, value != 0);
	else
		nlk_put_u32(req, p->attr, value);
	ret = nlk_do(conn, req, NULL, NULL);
	nlk_close(conn);
	if (ret == -EOPNOTSUPP)
		return err_set(ret, NULL, "%s: its driver cannot change %s", dev, p->what);
	return finish(dev, ret);
}
