// SPDX-License-Identifier: GPL-2.0-or-later
/* Offloads: offload.tso and its kin, as ethtool -K sets them, and any feature by the kernel's own name. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "knobs/family.h"
#include "lib/err.h"
#include "lib/nl_ethtool.h"

#define MEMBERS_MAX	8

/*
 * A value is "on" or "off", or for a group of which only a part is on, the names of that part
 * joined by '+'. What counts is what is asked for: an offload that waits for another (tso for
 * tx-checksum) keeps its own state meanwhile.
 */
static const struct group {
	const char *key;
	const char *word;	/* of ethtool -K; NULL: the key */
	const char *explain;
	const char *member[MEMBERS_MAX];
} groups[] = {
	{ "rx-checksum", "rx", "the device verifies checksums of packets that come in", { "rx-checksum" } },
	{ "tx-checksum", "tx", "the device computes checksums of packets that go out; scatter-gather and tso need it",
	  { "tx-checksum-ipv4", "tx-checksum-ip-generic", "tx-checksum-ipv6", "tx-checksum-sctp",
	    "tx-checksum-fcoe-crc" } },
	{ "scatter-gather", "sg", "a packet may lie in pieces; zero-copy sending needs it",
	  { "tx-scatter-gather", "tx-scatter-gather-fraglist" } },
	{ "tso", NULL, "the device cuts large TCP segments into packets",
	  { "tx-tcp-segmentation", "tx-tcp-ecn-segmentation", "tx-tcp-mangleid-segmentation",
	    "tx-tcp6-segmentation" } },
	{ "gso", NULL, "the kernel cuts large sends into packets as late as it can",
	  { "tx-generic-segmentation" } },
	{ "gro", NULL, "the kernel joins packets of a flow that come in together", { "rx-gro" } },
	{ "tx-udp-segmentation", NULL, "the device cuts large UDP sends (UDP_SEGMENT) into packets",
	  { "tx-udp-segmentation" } },
};

#define NGROUPS	(sizeof(groups) / sizeof(*groups))

static const char *const keys[] = {
	"rx-checksum", "tx-checksum", "scatter-gather", "tso", "gso", "gro", "tx-udp-segmentation", NULL
};

static int find(const char *key, struct knob *knob)
{
	const char *c;
	size_t i;

	knob->type = KNOB_TEXT;
	knob->flags = KNOB_RESETS_LINK;
	for (i = 0; i < NGROUPS; i++) {
		if (!strcmp(groups[i].key, key)) {
			knob->cookie = (int)i;
			knob->explain = groups[i].explain;
			return 0;
		}
	}
	/* Any feature of the kernel's: those of them that there are, the device's answer tells. */
	if (strncmp(key, "tx-", 3) && strncmp(key, "rx-", 3) && strncmp(key, "hw-", 3) &&
	    strncmp(key, "l2-", 3) && strncmp(key, "tls-", 4) && strncmp(key, "esp-", 4) &&
	    strncmp(key, "macsec-", 7) && strncmp(key, "hsr-", 4))
		return -ENOENT;
	for (c = key; *c; c++)
		if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && *c != '-')
			return -ENOENT;
	knob->cookie = -1;
	knob->explain = "a feature of the device, by the name that ethtool -k gives it";
	return 0;
}

/* The i-th name of what a knob stands for; NULL behind the last. */
static const char *member(const struct knob *knob, size_t i)
{
	if (knob->cookie < 0)
		return i ? NULL : knob_key(knob);
	return i < MEMBERS_MAX ? groups[knob->cookie].member[i] : NULL;
}

/* Whether @name is one of the words of "a+b+c". */
static bool has_word(const char *list, const char *name)
{
	size_t len = strlen(name);
	const char *p = list;

	while ((p = strstr(p, name))) {
		if ((p == list || p[-1] == '+') && (!p[len] || p[len] == '+'))
			return true;
		p += len;
	}
	return false;
}

static int parse(const struct knob *knob, const char *text, char *value)
{
	char out[KNOB_VALUE_MAX];
	size_t i, len = 0, words = 1;
	const char *name;

	if (!strcmp(text, "on") || !strcmp(text, "true") || !strcmp(text, "off") ||
	    !strcmp(text, "false")) {
		strcpy(value, !strcmp(text, "on") || !strcmp(text, "true") ? "on" : "off");
		return 0;
	}
	for (name = text; *name; name++)
		words += *name == '+';
	for (i = 0; (name = member(knob, i)); i++) {
		if (!has_word(text, name))
			continue;
		len += (size_t)snprintf(out + len, sizeof(out) - len, "%s%s", len ? "+" : "", name);
		if (len >= sizeof(out))
			return err_set(-EINVAL, NULL, "%s: the value is too long", knob->name);
		words--;
	}
	if (words)
		return err_set(-EINVAL, NULL, "%s is on or off, not '%s'", knob->name, text);
	strcpy(value, out);
	return 0;
}

/* One look for many knobs, between hold(true) and hold(false). */
static struct held {
	bool on;
	char dev[IF_NAMESIZE];
	struct eth_features f;
} held;

static void hold(bool on)
{
	eth_features_free(&held.f);
	held.dev[0] = '\0';
	held.on = on;
}

static int look(const char *dev, struct eth_features *f)
{
	int ret = 0;

	if (!held.on)
		return eth_features_get(dev, f);
	if (strcmp(held.dev, dev)) {
		hold(true);
		ret = eth_features_get(dev, &held.f);
		if (!ret)
			snprintf(held.dev, sizeof(held.dev), "%s", dev);
	}
	*f = held.f;
	return ret;
}

static void look_away(struct eth_features *f)
{
	if (!held.on)
		eth_features_free(f);
}

/* Whether a feature is one of a group's. */
static bool in_group(const char *name)
{
	size_t i, k;

	for (i = 0; i < NGROUPS; i++)
		for (k = 0; k < MEMBERS_MAX && groups[i].member[k]; k++)
			if (!strcmp(groups[i].member[k], name))
				return true;
	return false;
}

/* All that can be changed, each once: the groups, and the features that are in none. */
static int list(const struct knob_place *place, knob_fn fn, void *arg)
{
	const struct eth_feature *e;
	struct eth_features f;
	struct knob knob;
	size_t i, k;
	int ret;

	ret = eth_features_get(place->dev, &f);
	if (ret)
		return ret;
	for (i = 0; i < NGROUPS && ret >= 0; i++) {
		for (k = 0; k < MEMBERS_MAX && groups[i].member[k]; k++) {
			e = eth_feature_find(&f, groups[i].member[k]);
			if (e && !e->fixed)
				break;
		}
		if (k < MEMBERS_MAX && groups[i].member[k])
			ret = fn(groups[i].key, arg);
	}
	for (i = 0; i < f.n && ret >= 0; i++)
		if (!f.feature[i].fixed && !in_group(f.feature[i].name) && !find(f.feature[i].name, &knob))
			ret = fn(f.feature[i].name, arg);
	eth_features_free(&f);
	return ret;
}

static int read_value(const struct knob *knob, const struct knob_place *place, char *value)
{
	char part[KNOB_VALUE_MAX] = "";
	const struct eth_feature *e;
	struct eth_features f;
	size_t i, len = 0, on = 0, free_on = 0, changeable = 0, known = 0;
	const char *name;
	int ret;

	ret = look(place->dev, &f);
	if (ret)
		return ret;
	for (i = 0; (name = member(knob, i)); i++) {
		e = eth_feature_find(&f, name);
		if (!e)
			continue;
		known++;
		on += e->active;
		changeable += !e->fixed;
		if (e->fixed || !e->wanted)
			continue;
		free_on++;
		if (len < sizeof(part))
			len += (size_t)snprintf(part + len, sizeof(part) - len, "%s%s", len ? "+" : "", name);
	}
	look_away(&f);
	if (!known)
		return err_set(-EOPNOTSUPP, NULL, "the kernel knows no feature %s", knob_key(knob));
	if (!changeable)
		strcpy(value, on ? "on" : "off");
	else if (!free_on || free_on == changeable)
		strcpy(value, free_on ? "on" : "off");
	else
		strcpy(value, part);
	return 0;
}

static int check(const struct knob *knob, const struct knob_place *place, const char *from,
		 const char *to)
{
	const struct eth_feature *e;
	struct eth_features f;
	size_t i, changeable = 0;
	const char *name;
	int ret;

	(void)from;
	(void)to;
	ret = eth_features_get(place->dev, &f);
	if (ret)
		return ret;
	for (i = 0; (name = member(knob, i)); i++) {
		e = eth_feature_find(&f, name);
		changeable += e && !e->fixed;
	}
	eth_features_free(&f);
	if (!changeable)
		return err_set(-EOPNOTSUPP, NULL, "%s of %s cannot be changed: the device or its driver does "
			       "not offer it", knob->name, knob_where(place));
	return 0;
}

static int write_value(const struct knob *knob, const struct knob_place *place, const char *value)
{
	struct eth_feature_change change[MEMBERS_MAX];
	const struct eth_feature *e;
	struct eth_features f;
	size_t i, n = 0;
	const char *name;
	bool on;
	int ret;

	ret = eth_features_get(place->dev, &f);
	if (ret)
		return ret;
	for (i = 0; (name = member(knob, i)); i++) {
		e = eth_feature_find(&f, name);
		if (!e || e->fixed)
			continue;
		on = !strcmp(value, "on") || (strcmp(value, "off") && has_word(value, name));
		if (on != e->wanted)
			change[n++] = (struct eth_feature_change) { name, on };
	}
	eth_features_free(&f);
	return n ? eth_features_set(place->dev, change, n) : 0;
}

static int values(const struct knob *knob, const struct knob_place *place, char *text)
{
	size_t i, len;
	const char *name;

	(void)place;
	len = (size_t)snprintf(text, KNOB_TEXT_MAX, "on, off");
	if (knob->cookie < 0 || !member(knob, 1))
		return 0;
	len += (size_t)snprintf(text + len, KNOB_TEXT_MAX - len, ", or some of ");
	for (i = 0; (name = member(knob, i)); i++)
		len += (size_t)snprintf(text + len, KNOB_TEXT_MAX - len, "%s%s", i ? "+" : "", name);
	return 0;
}

static int command(const struct knob *knob, const struct knob_place *place, const char *value, char *text)
{
	const char *word = knob_key(knob), *name;
	size_t i, len;

	len = (size_t)snprintf(text, KNOB_TEXT_MAX, "ethtool -K %s", place->dev);
	if (!strcmp(value, "on") || !strcmp(value, "off")) {
		if (knob->cookie >= 0 && groups[knob->cookie].word)
			word = groups[knob->cookie].word;
		snprintf(text + len, KNOB_TEXT_MAX - len, " %s %s", word, value);
		return 0;
	}
	for (i = 0; (name = member(knob, i)); i++)
		len += (size_t)snprintf(text + len, KNOB_TEXT_MAX - len, " %s %s", name,
					has_word(value, name) ? "on" : "off");
	return 0;
}

const struct knob_family knob_offload = {
	.name = "offload",
	.per_device = true,
	.keys = keys,
	.list = list,
	.hold = hold,
	.find = find,
	.parse = parse,
	.check = check,
	.read = read_value,
	.write = write_value,
	.values = values,
	.command = command,
};
