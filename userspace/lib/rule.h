/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A rule of the fast paths: as a structure, as words of the command line, and back; pure functions. */
#ifndef NETTOLL_LIB_RULE_H
#define NETTOLL_LIB_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/nettoll.h>

#define RULE_CGROUP_MAX		4096	/* with the 0 at its end */
#define RULE_FALLBACKS		32	/* more than the reasons there are, for newer modules */
#define RULE_UID_MAX		4294967294u

/**
 * struct rule_end - what a rule wants of the local or the remote end
 * @family: AF_INET or AF_INET6; 0: any address
 * @addr: in network order, 4 or 16 bytes; 0 behind the prefix
 * @prefix: its length in bits
 * @ports: whether there is a range of ports, @port_min to @port_max
 */
struct rule_end {
	uint8_t family;
	uint8_t addr[16];
	uint8_t prefix;
	bool ports;
	uint16_t port_min, port_max;
};

/* What a rule does; RULE_ACTIONS of them at most. */
enum rule_action {
	RULE_ZEROCOPY,
	RULE_ZEROCOPY_MIN,
	RULE_CSUM_TX,
	RULE_CSUM_RX,
	RULE_AUDIT_RATE,
	RULE_COALESCE,
	RULE_COALESCE_BYTES,
	RULE_COALESCE_USECS,
	RULE_ACTIONS
};

enum rule_value {
	RULE_VALUE_WORD,	/* one of some words, by number */
	RULE_VALUE_SIZE,	/* bytes */
	RULE_VALUE_COUNT,
	RULE_VALUE_RATE,	/* 1 in so many */
	RULE_VALUE_TIME,	/* microseconds */
};

/**
 * struct rule_action_info - how an action is called, and what it may be
 * @word: on the command line
 * @key: in JSON
 * @attr: of netlink
 * @words: of RULE_VALUE_WORD
 */
struct rule_action_info {
	const char *word;
	const char *key;
	int attr;
	enum rule_value kind;
	uint32_t min, max;
	const char *const *words;
};

extern const struct rule_action_info rule_actions[RULE_ACTIONS];

enum rule_counter {
	RULE_SOCKETS,
	RULE_SENDS,
	RULE_BYTES,
	RULE_ZEROCOPY_BYTES,
	RULE_COPIED_BYTES,
	RULE_COALESCED,
	RULE_BATCHES,
	RULE_CSUM_PACKETS,
	RULE_AUDITED,
	RULE_DISAGREED,
	RULE_COUNTERS
};

/** rule_counter_attrs, rule_counter_keys - of netlink and of JSON; see the netlink specification */
extern const int rule_counter_attrs[RULE_COUNTERS];
extern const char *const rule_counter_keys[RULE_COUNTERS];

/**
 * struct rule - a rule
 * @id: 0 while it has none
 * @protocol: IPPROTO_TCP or IPPROTO_UDP; 0: both
 * @family: AF_INET or AF_INET6, by itself; 0: what the addresses say
 * @device: "": any
 * @cgroup: path below the root of the hierarchy; "": any
 * @cgroup_id: told by the module
 * @uids: whether there is a range of users, @uid_min to @uid_max
 * @has: of the actions, bits by enum rule_action
 * @action: their values
 * @count: counters, told by the module
 * @fallback: sends that went as without the rule, by enum nettoll_fallback
 */
struct rule {
	uint32_t id;
	uint8_t protocol;
	uint16_t family;
	struct rule_end local, remote;
	char device[16];
	char cgroup[RULE_CGROUP_MAX];
	uint64_t cgroup_id;
	bool uids;
	uint32_t uid_min, uid_max;
	uint32_t has;
	uint32_t action[RULE_ACTIONS];
	uint64_t count[RULE_COUNTERS];
	uint64_t fallback[RULE_FALLBACKS];
};

struct rule_list {
	size_t n;
	struct rule *item;
};

void rule_list_free(struct rule_list *list);

static inline bool rule_has(const struct rule *rule, enum rule_action action)
{
	return rule->has & 1u << action;
}

/** rule_action_word() - the word for the value of an action of RULE_VALUE_WORD; "?" if unknown */
const char *rule_action_word(const struct rule *rule, enum rule_action action);

/** rule_fallback() - the word for a reason; "?" for one that this version does not know */
const char *rule_fallback(uint32_t reason);

/** rule_family() - AF_INET, AF_INET6 or 0: by itself or by the addresses */
unsigned int rule_family(const struct rule *rule);

/** rule_protocol_word(), rule_family_word() - "udp", "ipv6"; NULL for 0 */
const char *rule_protocol_word(const struct rule *rule);
const char *rule_family_word(const struct rule *rule);

/**
 * struct rule_words - which word said what
 * @argv: the words
 * @at: by attribute of netlink, 1 + the index of the word that says it; 0: none does
 */
struct rule_words {
	char *const *argv;
	int at[NETTOLL_A_RULE_MAX + 1];
};

/**
 * rule_parse() - understand the words of a rule
 * @words: filled in, also after an error as far as it went
 *
 * What contradicts itself is left to the module, which says so; but a csum-rx trust without a
 * remote prefix never gets there.
 *
 * Return: 0, or -EINVAL or -ERANGE described by err_set(); print it with usage_report().
 */
int rule_parse(struct rule *rule, struct rule_words *words, int argc, char *const *argv);

/**
 * rule_words_at() - the word, and its value, that said what an attribute of netlink says
 *
 * Return: false when none did; @buf is "" then.
 */
bool rule_words_at(const struct rule_words *words, int attr, char *buf, size_t size);

/**
 * rule_split() - split a line into words as a shell does, in place
 *
 * Quotes and backslashes are honoured, a word that begins with # begins a comment, and nothing else
 * has a meaning.
 *
 * Return: how many words; -EINVAL described by err_set() with an open quote, or more than @max.
 */
int rule_split(char *line, char **argv, int max);

/**
 * rule_text() - a rule as the words that rule_parse() understands, quoted for a shell
 *
 * Return: a string to be freed; NULL without memory.
 */
char *rule_text(const struct rule *rule);

/** rule_prefix_text() - ADDRESS or ADDRESS/LENGTH; "" for any */
void rule_prefix_text(const struct rule_end *end, char *buf, size_t size);

#endif
