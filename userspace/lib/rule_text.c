// SPDX-License-Identifier: GPL-2.0-or-later
/* The structure of a rule becomes its words; what they are called; and lines of words as a shell has them. */
#include "lib/rule.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"
#include "lib/fmt.h"

static const char *const zerocopy_words[] = { "off", "sync", "pool", "auto", NULL };
static const char *const csum_tx_words[] = { "auto", "hw", "sw", "none", NULL };
static const char *const csum_rx_words[] = { "auto", "sw", "trust", "audit", NULL };

/* Bounds as in the netlink specification. */
const struct rule_action_info rule_actions[RULE_ACTIONS] = {
	[RULE_ZEROCOPY] = { "zerocopy", "zerocopy", NETTOLL_A_RULE_ZEROCOPY, RULE_VALUE_WORD, 0, 0,
			    zerocopy_words },
	[RULE_ZEROCOPY_MIN] = { "min", "zerocopy_min", NETTOLL_A_RULE_ZEROCOPY_MIN, RULE_VALUE_SIZE, 0,
				UINT32_MAX, NULL },
	[RULE_CSUM_TX] = { "csum-tx", "csum_tx", NETTOLL_A_RULE_CSUM_TX, RULE_VALUE_WORD, 0, 0,
			   csum_tx_words },
	[RULE_CSUM_RX] = { "csum-rx", "csum_rx", NETTOLL_A_RULE_CSUM_RX, RULE_VALUE_WORD, 0, 0,
			   csum_rx_words },
	[RULE_AUDIT_RATE] = { "audit-rate", "audit_rate", NETTOLL_A_RULE_AUDIT_RATE, RULE_VALUE_RATE, 1,
			      UINT32_MAX, NULL },
	[RULE_COALESCE] = { "coalesce", "coalesce_datagrams", NETTOLL_A_RULE_COALESCE_DATAGRAMS,
			    RULE_VALUE_COUNT, 0, 64, NULL },
	[RULE_COALESCE_BYTES] = { "bytes", "coalesce_bytes", NETTOLL_A_RULE_COALESCE_BYTES,
				  RULE_VALUE_SIZE, 0, 65507, NULL },
	[RULE_COALESCE_USECS] = { "late", "coalesce_usecs", NETTOLL_A_RULE_COALESCE_USECS,
				  RULE_VALUE_TIME, 0, 1000000, NULL },
};

#define COUNTER(name)	[RULE_##name] = NETTOLL_A_RULE_##name
const int rule_counter_attrs[RULE_COUNTERS] = {
	COUNTER(SOCKETS), COUNTER(SENDS), COUNTER(BYTES), COUNTER(ZEROCOPY_BYTES), COUNTER(COPIED_BYTES),
	COUNTER(COALESCED), COUNTER(BATCHES), COUNTER(CSUM_PACKETS), COUNTER(AUDITED), COUNTER(DISAGREED),
};

const char *const rule_counter_keys[RULE_COUNTERS] = {
	"sockets", "sends", "bytes", "zerocopy_bytes", "copied_bytes", "coalesced", "batches",
	"csum_packets", "audited", "disagreed",
};

void rule_list_free(struct rule_list *list)
{
	free(list->item);
	*list = (struct rule_list) { 0, NULL };
}

const char *rule_action_word(const struct rule *rule, enum rule_action action)
{
	const char *const *words = rule_actions[action].words;
	uint32_t i;

	for (i = 0; words[i] && i < rule->action[action]; i++)
		;
	return words[i] ? words[i] : "?";
}

const char *rule_fallback(uint32_t reason)
{
	static const char *const words[] = {
		"small", "fragmented", "no-sg", "copied", "memlock", "no-memory", "not-user", "own",
		"option", "size", "destination", "busy", "learning", "slower", "not-pool", "limit",
		"interrupted",
	};

	_Static_assert(sizeof(words) / sizeof(*words) <= RULE_FALLBACKS, "a counter for each");
	return reason < sizeof(words) / sizeof(*words) ? words[reason] : "?";
}

unsigned int rule_family(const struct rule *rule)
{
	return rule->remote.family ? rule->remote.family :
	       rule->local.family ? rule->local.family : rule->family;
}

const char *rule_protocol_word(const struct rule *rule)
{
	return rule->protocol == IPPROTO_TCP ? "tcp" : rule->protocol == IPPROTO_UDP ? "udp" : NULL;
}

const char *rule_family_word(const struct rule *rule)
{
	unsigned int family = rule_family(rule);

	return family == AF_INET6 ? "ipv6" : family == AF_INET ? "ipv4" : NULL;
}

void rule_prefix_text(const struct rule_end *end, char *buf, size_t size)
{
	char addr[INET6_ADDRSTRLEN];

	*buf = '\0';
	if (!end->family)
		return;
	inet_ntop(end->family, end->addr, addr, sizeof(addr));
	if (end->prefix == (end->family == AF_INET6 ? 128 : 32))
		snprintf(buf, size, "%s", addr);
	else
		snprintf(buf, size, "%s/%u", addr, end->prefix);
}

/* Spaces go before each word but the first. */
static void put(FILE *f, const char *key, const char *value)
{
	fprintf(f, "%s%s %s", ftell(f) ? " " : "", key, value);
}

/* In single quotes unless it is plain, so that it can be pasted into a shell. */
static void put_quoted(FILE *f, const char *key, const char *value)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./@:+-";

	if (!value[strspn(value, plain)]) {
		put(f, key, value);
		return;
	}
	put(f, key, "'");
	for (; *value; value++) {
		if (*value == '\'')
			fprintf(f, "'\\''");
		else
			fputc(*value, f);
	}
	fputc('\'', f);
}

static void put_range(FILE *f, const char *key, uint32_t low, uint32_t high)
{
	char text[32];

	if (low == high)
		snprintf(text, sizeof(text), "%" PRIu32, low);
	else
		snprintf(text, sizeof(text), "%" PRIu32 "-%" PRIu32, low, high);
	put(f, key, text);
}

static void put_end(FILE *f, const struct rule_end *end, const char *addr, const char *port)
{
	char text[64];

	rule_prefix_text(end, text, sizeof(text));
	if (*text)
		put(f, addr, text);
	if (end->ports)
		put_range(f, port, end->port_min, end->port_max);
}

static void put_action(FILE *f, const struct rule *rule, enum rule_action action)
{
	const struct rule_action_info *info = &rule_actions[action];
	uint32_t value = rule->action[action];
	char text[32];

	switch (info->kind) {
	case RULE_VALUE_WORD:
		snprintf(text, sizeof(text), "%s", rule_action_word(rule, action));
		break;
	case RULE_VALUE_SIZE:
		fmt_size(text, sizeof(text), value);
		break;
	case RULE_VALUE_RATE:
		snprintf(text, sizeof(text), "1/%" PRIu32, value);
		break;
	case RULE_VALUE_COUNT:
		snprintf(text, sizeof(text), "%" PRIu32, value);
		break;
	case RULE_VALUE_TIME:
		fmt_duration(text, sizeof(text), value * 1000ull);
		break;
	}
	put(f, info->word, text);
}

char *rule_text(const struct rule *rule)
{
	char *text = NULL;
	size_t size, i;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	if (rule_protocol_word(rule))
		put(f, "proto", rule_protocol_word(rule));
	/* Where an address says it, it need not be said. */
	if (!rule->local.family && !rule->remote.family && rule_family_word(rule))
		put(f, "family", rule_family_word(rule));
	put_end(f, &rule->local, "local", "lport");
	put_end(f, &rule->remote, "remote", "rport");
	if (rule->device[0])
		put_quoted(f, "dev", rule->device);
	if (rule->cgroup[0])
		put_quoted(f, "cgroup", rule->cgroup);
	if (rule->uids)
		put_range(f, "uid", rule->uid_min, rule->uid_max);
	for (i = 0; i < RULE_ACTIONS; i++)
		if (rule_has(rule, (enum rule_action)i))
			put_action(f, rule, (enum rule_action)i);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

int rule_split(char *line, char **argv, int max)
{
	char *to = line, quote;
	int n = 0;

	for (;;) {
		line += strspn(line, " \t\r\n");
		if (!*line || *line == '#')
			return n;
		if (n == max)
			return err_set(-EINVAL, NULL, "more than %d words", max);
		argv[n++] = to;
		for (quote = 0; *line && (quote || !strchr(" \t\r\n", *line)); line++) {
			if (quote ? *line == quote : *line == '\'' || *line == '"')
				quote = quote ? 0 : *line;
			else if (*line == '\\' && quote != '\'' && line[1])
				*to++ = *++line;
			else
				*to++ = *line;
		}
		if (quote)
			return err_set(-EINVAL, NULL, "a %c is not closed", quote);
		/* Never overtakes: a word is at least as long as what becomes of it. */
		line += *line != '\0';
		*to++ = '\0';
	}
}
