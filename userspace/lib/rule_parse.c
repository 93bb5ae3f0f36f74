// SPDX-License-Identifier: GPL-2.0-or-later
/* The words of a rule become its structure. */
#include "lib/rule.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "lib/args.h"
#include "lib/err.h"

#define NWORDS(words)	(sizeof(words) / sizeof(*(words)))
#define KEYS_MAX	32

/* A value under way: the key is words->argv[at]. */
struct parser {
	struct rule *rule;
	struct rule_words *words;
	int at;
	const char *key;
};

/* Of two words that say the same thing, one is a slip. */
static int claim(struct parser *p, int attr)
{
	char before[64];

	if (rule_words_at(p->words, attr, before, sizeof(before)))
		return err_set(-EINVAL, NULL, "%s: '%s' has said that already", p->key, before);
	p->words->at[attr] = p->at + 1;
	return 0;
}

static int parse_proto(struct parser *p, const char *value)
{
	static const char *const words[] = { "udp", "tcp" };
	int i = claim(p, NETTOLL_A_RULE_PROTOCOL);

	if (!i)
		i = arg_word(p->key, value, words, NWORDS(words));
	if (i < 0)
		return i;
	p->rule->protocol = i ? IPPROTO_TCP : IPPROTO_UDP;
	return 0;
}

static int parse_family(struct parser *p, const char *value)
{
	static const char *const words[] = { "ipv4", "ipv6" };
	int i = claim(p, NETTOLL_A_RULE_FAMILY);

	if (!i)
		i = arg_word(p->key, value, words, NWORDS(words));
	if (i < 0)
		return i;
	p->rule->family = i ? AF_INET6 : AF_INET;
	return 0;
}

/* N or N-M */
static int parse_range(const char *what, const char *value, uint64_t max, uint64_t *low,
		       uint64_t *high)
{
	const char *dash = strchr(value, '-');
	char first[32];
	int ret;

	if (dash && dash - value < (int)sizeof(first)) {
		snprintf(first, sizeof(first), "%.*s", (int)(dash - value), value);
		ret = arg_uint(what, first, 0, max, low);
		if (!ret)
			ret = arg_uint(what, dash + 1, 0, max, high);
	} else {
		ret = arg_uint(what, value, 0, max, low);
		*high = *low;
	}
	if (!ret && *low > *high)
		return err_set(-EINVAL, NULL, "%s: %s ends before it begins", what, value);
	return ret;
}

static int set_ports(struct parser *p, const char *value, bool remote)
{
	struct rule_end *end = remote ? &p->rule->remote : &p->rule->local;
	uint64_t low, high;
	char what[32];
	int ret;

	ret = claim(p, remote ? NETTOLL_A_RULE_REMOTE_PORT_MIN : NETTOLL_A_RULE_LOCAL_PORT_MIN);
	if (ret)
		return ret;
	p->words->at[remote ? NETTOLL_A_RULE_REMOTE_PORT_MAX : NETTOLL_A_RULE_LOCAL_PORT_MAX] = p->at + 1;
	snprintf(what, sizeof(what), "port of %s", remote ? "the remote end" : "the local end");
	ret = parse_range(what, value, UINT16_MAX, &low, &high);
	if (ret)
		return ret;
	if (!high)
		return err_set(-EINVAL, NULL, "%s: there is no port 0", what);
	end->ports = true;
	end->port_min = (uint16_t)low;
	end->port_max = (uint16_t)high;
	return 0;
}

static int parse_lport(struct parser *p, const char *value)
{
	return set_ports(p, value, false);
}

static int parse_rport(struct parser *p, const char *value)
{
	return set_ports(p, value, true);
}

/* What lies behind the prefix does not matter; 10.66.1.7/24 is as good as 10.66.1.0/24. */
static void mask(uint8_t *addr, size_t size, unsigned int bits)
{
	size_t i;

	for (i = 0; i < size; i++) {
		if (bits >= 8) {
			bits -= 8;
			continue;
		}
		addr[i] &= (uint8_t)(0xff00 >> bits);
		bits = 0;
	}
}

static int set_prefix(struct parser *p, const char *value, const char *addr, const char *len,
		      bool remote)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct rule_end *end = remote ? &p->rule->remote : &p->rule->local;
	static const int attrs[2][2] = {
		{ NETTOLL_A_RULE_LOCAL_ADDR4, NETTOLL_A_RULE_LOCAL_ADDR6 },
		{ NETTOLL_A_RULE_REMOTE_ADDR4, NETTOLL_A_RULE_REMOTE_ADDR6 },
	};
	bool v6 = strchr(addr, ':');
	uint64_t bits = v6 ? 128 : 32;
	char what[32];
	int ret;

	ret = claim(p, attrs[remote][0]);
	if (ret)
		return ret;
	p->words->at[attrs[remote][1]] = p->at + 1;
	p->words->at[remote ? NETTOLL_A_RULE_REMOTE_PREFIX : NETTOLL_A_RULE_LOCAL_PREFIX] = p->at + 1;
	if (inet_pton(v6 ? AF_INET6 : AF_INET, addr, end->addr) != 1)
		return err_set(-EINVAL, NULL, "%s: '%s' is no address with or without a length and ports "
			       "(like 10.0.0.0/8, fd00::/8, 10.0.0.1:53, [fd00::1]:53 or :5000-5010)",
			       p->key, value);
	if (len) {
		snprintf(what, sizeof(what), "length of the %s prefix", p->key);
		ret = arg_uint(what, len, 0, bits, &bits);
		if (ret)
			return ret;
	}
	if (v6 && bits >= 96 && !memcmp(end->addr, mapped, sizeof(mapped)))
		return err_set(-EINVAL, NULL, "%s: packets to %s are IPv4's; write its prefix as IPv4's",
			       p->key, addr);
	end->family = v6 ? AF_INET6 : AF_INET;
	end->prefix = (uint8_t)bits;
	mask(end->addr, v6 ? 16 : 4, (unsigned int)bits);
	return 0;
}

/*
 * [ADDRESS[/LENGTH]][:PORT[-PORT]]. Brackets around an IPv6 address tell it from the port; where
 * there is a length, it does.
 */
static int set_end(struct parser *p, const char *value, bool remote)
{
	char text[96], *addr = text, *len = NULL, *ports = NULL, *rest;
	int ret;

	if (strlen(value) >= sizeof(text))
		return err_set(-EINVAL, NULL, "%s: '%s' is too long for an address", p->key, value);
	strcpy(text, value);
	if (*text == '[') {
		addr = text + 1;
		rest = strchr(text, ']');
		if (!rest || (rest[1] && rest[1] != '/' && rest[1] != ':') ||
		    !memchr(addr, ':', (size_t)(rest - addr)))
			return err_set(-EINVAL, NULL, "%s: '%s' is not [ADDRESS], [ADDRESS]/LENGTH or "
				       "[ADDRESS]:PORT with an IPv6 address", p->key, value);
		*rest++ = '\0';
	} else {
		rest = strchr(text, '/');
		/* Without brackets and length, the one colon there is stands before a port. */
		if (!rest)
			rest = strchr(text, ':');
		if (rest && *rest == ':' && strchr(rest + 1, ':'))
			rest = NULL;
	}
	if (rest && *rest == '/') {
		*rest++ = '\0';
		len = rest;
		rest = strchr(rest, ':');
	}
	if (rest && *rest == ':') {
		*rest++ = '\0';
		ports = rest;
	}
	if (!*addr && (len || !ports))
		return err_set(-EINVAL, NULL, "%s: '%s' lacks the address", p->key, value);
	ret = *addr ? set_prefix(p, value, addr, len, remote) : 0;
	if (!ret && ports)
		ret = set_ports(p, ports, remote);
	return ret;
}

static int parse_local(struct parser *p, const char *value)
{
	return set_end(p, value, false);
}

static int parse_remote(struct parser *p, const char *value)
{
	return set_end(p, value, true);
}

static int parse_dev(struct parser *p, const char *value)
{
	int ret = claim(p, NETTOLL_A_RULE_DEVICE);

	if (ret)
		return ret;
	if (!*value || strlen(value) >= sizeof(p->rule->device) || value[strcspn(value, "/: \t\n\v\f\r")] ||
	    !strcmp(value, ".") || !strcmp(value, ".."))
		return err_set(-EINVAL, NULL, "%s: '%s' cannot be the name of a device", p->key, value);
	strcpy(p->rule->device, value);
	return 0;
}

static int parse_cgroup(struct parser *p, const char *value)
{
	/* Where the hierarchy is mounted nearly everywhere, and where it is beside those of version 1. */
	static const char *const mounts[] = { "/sys/fs/cgroup/unified", "/sys/fs/cgroup" };
	const char *path = value;
	size_t i, len;
	int ret;

	ret = claim(p, NETTOLL_A_RULE_CGROUP);
	if (ret)
		return ret;
	for (i = 0; i < NWORDS(mounts) && path == value; i++) {
		len = strlen(mounts[i]);
		if (!strncmp(value, mounts[i], len) && (value[len] == '/' || !value[len]))
			path = value + len;
	}
	if (path != value && !*path)
		path = "/";
	if (!*path || strlen(path) >= sizeof(p->rule->cgroup))
		return err_set(-EINVAL, NULL, "%s: a path below the root of the hierarchy is wanted, "
			       "like /system.slice", p->key);
	strcpy(p->rule->cgroup, path);
	return 0;
}

static int parse_uid(struct parser *p, const char *value)
{
	const struct passwd *user;
	uint64_t low, high;
	int ret;

	ret = claim(p, NETTOLL_A_RULE_UID_MIN);
	if (ret)
		return ret;
	p->words->at[NETTOLL_A_RULE_UID_MAX] = p->at + 1;
	if (*value >= '0' && *value <= '9') {
		ret = parse_range(p->key, value, RULE_UID_MAX, &low, &high);
		if (ret)
			return ret;
	} else {
		user = getpwnam(value);
		if (!user)
			return err_set(-EINVAL, NULL, "%s: there is no user '%s'", p->key, value);
		low = user->pw_uid;
		high = low;
	}
	p->rule->uids = true;
	p->rule->uid_min = (uint32_t)low;
	p->rule->uid_max = (uint32_t)high;
	return 0;
}

static const struct {
	const char *word;
	int (*parse)(struct parser *p, const char *value);
} matches[] = {
	{ "proto", parse_proto }, { "family", parse_family }, { "local", parse_local },
	{ "remote", parse_remote }, { "lport", parse_lport }, { "rport", parse_rport },
	{ "dev", parse_dev }, { "cgroup", parse_cgroup }, { "uid", parse_uid },
};

static int parse_action(struct parser *p, enum rule_action action, const char *value)
{
	const struct rule_action_info *info = &rule_actions[action];
	uint64_t v = 0;
	size_t n = 0;
	int ret;

	ret = claim(p, info->attr);
	if (ret)
		return ret;
	switch (info->kind) {
	case RULE_VALUE_WORD:
		while (info->words[n])
			n++;
		ret = arg_word(p->key, value, info->words, n);
		if (ret < 0)
			return ret;
		v = (uint64_t)ret;
		ret = 0;
		break;
	case RULE_VALUE_SIZE:
		ret = arg_size(p->key, value, info->min, info->max, &v);
		break;
	case RULE_VALUE_RATE:
		if (!strncmp(value, "1/", 2))
			value += 2;
		ret = arg_uint(p->key, value, info->min, info->max, &v);
		break;
	case RULE_VALUE_COUNT:
		ret = arg_uint(p->key, value, info->min, info->max, &v);
		break;
	case RULE_VALUE_TIME:
		ret = arg_duration(p->key, value, NULL, info->min * 1000ull, info->max * 1000ull, &v);
		if (!ret && v % 1000)
			ret = err_set(-EINVAL, NULL, "%s: %s is finer than a microsecond", p->key, value);
		v /= 1000;
		break;
	}
	if (ret)
		return ret;
	p->rule->action[action] = (uint32_t)v;
	p->rule->has |= 1u << action;
	return 0;
}

static int parse_word(struct parser *p, const char *value)
{
	const char *keys[KEYS_MAX];
	size_t i, n = 0;
	int key;

	_Static_assert(NWORDS(matches) + RULE_ACTIONS <= KEYS_MAX, "room for all words");
	for (i = 0; i < NWORDS(matches); i++)
		keys[n++] = matches[i].word;
	for (i = 0; i < RULE_ACTIONS; i++)
		keys[n++] = rule_actions[i].word;
	key = arg_word("match or action", p->words->argv[p->at], keys, n);
	if (key < 0)
		return key;
	p->key = keys[key];
	if (!value)
		return err_set(-EINVAL, NULL, "%s: its value is missing", p->key);
	if (key < (int)NWORDS(matches))
		return matches[key].parse(p, value);
	return parse_action(p, (enum rule_action)(key - (int)NWORDS(matches)), value);
}

int rule_parse(struct rule *rule, struct rule_words *words, int argc, char *const *argv)
{
	struct parser p = { .rule = rule, .words = words };
	int ret;

	memset(rule, 0, sizeof(*rule));
	memset(words, 0, sizeof(*words));
	words->argv = argv;
	if (!argc)
		return err_set(-EINVAL, NULL, "what shall the rule match, and do?");
	for (p.at = 0; p.at < argc; p.at += 2) {
		ret = parse_word(&p, p.at + 1 < argc ? argv[p.at + 1] : NULL);
		if (ret)
			return ret;
	}
	if (rule_has(rule, RULE_CSUM_RX) && rule->action[RULE_CSUM_RX] == NETTOLL_CSUM_RX_TRUST &&
	    (!rule->remote.family || !rule->remote.prefix))
		return err_set(-EINVAL, NULL, "csum-rx trust is for named peers only: say which, with remote PREFIX");
	return 0;
}

bool rule_words_at(const struct rule_words *words, int attr, char *buf, size_t size)
{
	int at = attr > 0 && attr <= NETTOLL_A_RULE_MAX ? words->at[attr] : 0;

	*buf = '\0';
	if (!at)
		return false;
	snprintf(buf, size, "%s %s", words->argv[at - 1], words->argv[at]);
	return true;
}
