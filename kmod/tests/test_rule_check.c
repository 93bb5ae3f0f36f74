// SPDX-License-Identifier: GPL-2.0-only
/*
 * fastpath/rule_check.c: rules that make no sense are refused, with the
 * attribute that is at fault; those that do are not.
 */
#include "shim.h"

#include <net/if.h>
#include <netinet/in.h>

#define USEC_PER_SEC	1000000L

typedef struct {
	int refs;
} refcount_t;

struct rcu_head {
	void *next;
};

struct net;

#include "../fastpath/rule_check.c"

#define ACT(bit)	BIT(NETTOLL_ACT_##bit)

struct rule_case {
	const char *what;
	struct nettoll_rule rule;
	u16 attr;
};

static const struct rule_case good[] = {
	{ "anything", { .given = { .set = ACT(ZEROCOPY) } }, 0 },
	{ "zero-copy of TCP",
	  { .match = { .protocol = IPPROTO_TCP },
	    .given = { .set = ACT(ZEROCOPY), .zerocopy = NETTOLL_ZEROCOPY_AUTO } }, 0 },
	{ "no checksum for UDP over IPv4",
	  { .match = { .protocol = IPPROTO_UDP, .family = AF_INET },
	    .given = { .set = ACT(CSUM_TX), .csum_tx = NETTOLL_CSUM_TX_NONE } }, 0 },
	{ "the family by the address",
	  { .match = { .protocol = IPPROTO_UDP, .remote = { .family = AF_INET, .len = 8 } },
	    .given = { .set = ACT(CSUM_TX), .csum_tx = NETTOLL_CSUM_TX_NONE } }, 0 },
	{ "trust of a peer",
	  { .match = { .remote = { .family = AF_INET6, .len = 128 } },
	    .given = { .set = ACT(CSUM_RX), .csum_rx = NETTOLL_CSUM_RX_TRUST } }, 0 },
	{ "a user's sockets with csum-rx auto",
	  { .match = { .has_uid = true }, .given = { .set = ACT(CSUM_RX), .csum_rx = NETTOLL_CSUM_RX_AUTO } }, 0 },
	{ "one port", { .match = { .lport = { 1, 1 } }, .given = { .set = ACT(ZEROCOPY) } }, 0 },
	{ "the largest batch",
	  { .given = { .set = ACT(DATAGRAMS) | ACT(BYTES) | ACT(USECS),
		       .datagrams = 64, .bytes = 65507, .usecs = 1000000 } }, 0 },
};

static const struct rule_case bad[] = {
	{ "no action", { .match = { .protocol = IPPROTO_UDP } }, 0 },
	{ "SCTP",
	  { .match = { .protocol = IPPROTO_SCTP }, .given = { .set = ACT(ZEROCOPY) } }, NETTOLL_A_RULE_PROTOCOL },
	{ "AF_UNIX", { .match = { .family = AF_UNIX }, .given = { .set = ACT(ZEROCOPY) } }, NETTOLL_A_RULE_FAMILY },
	{ "two families",
	  { .match = { .local = { .family = AF_INET6 }, .remote = { .family = AF_INET } },
	    .given = { .set = ACT(ZEROCOPY) } },
	  NETTOLL_A_RULE_REMOTE_ADDR4 },
	{ "a family that is not the address's",
	  { .match = { .family = AF_INET, .remote = { .family = AF_INET6 } }, .given = { .set = ACT(ZEROCOPY) } },
	  NETTOLL_A_RULE_FAMILY },
	{ "local ports backwards",
	  { .match = { .lport = { 2, 1 } }, .given = { .set = ACT(ZEROCOPY) } }, NETTOLL_A_RULE_LOCAL_PORT_MAX },
	{ "remote ports backwards",
	  { .match = { .rport = { 2, 1 } }, .given = { .set = ACT(ZEROCOPY) } }, NETTOLL_A_RULE_REMOTE_PORT_MAX },
	{ "users backwards",
	  { .match = { .has_uid = true, .uid_min = 1 }, .given = { .set = ACT(ZEROCOPY) } }, NETTOLL_A_RULE_UID_MAX },
	{ "a user's received packets",
	  { .match = { .has_uid = true },
	    .given = { .set = ACT(CSUM_RX), .csum_rx = NETTOLL_CSUM_RX_SW } }, NETTOLL_A_RULE_CSUM_RX },
	{ "a cgroup's received packets",
	  { .match = { .cgroup = 1 },
	    .given = { .set = ACT(CSUM_RX), .csum_rx = NETTOLL_CSUM_RX_AUDIT } }, NETTOLL_A_RULE_CSUM_RX },
	{ "trust of anybody",
	  { .given = { .set = ACT(CSUM_RX), .csum_rx = NETTOLL_CSUM_RX_TRUST } }, NETTOLL_A_RULE_CSUM_RX },
	{ "trust of every address",
	  { .match = { .remote = { .family = AF_INET, .len = 0 } },
	    .given = { .set = ACT(CSUM_RX), .csum_rx = NETTOLL_CSUM_RX_TRUST } },
	  NETTOLL_A_RULE_CSUM_RX },
	{ "no checksum for TCP",
	  { .match = { .protocol = IPPROTO_TCP, .family = AF_INET },
	    .given = { .set = ACT(CSUM_TX), .csum_tx = NETTOLL_CSUM_TX_NONE } },
	  NETTOLL_A_RULE_CSUM_TX },
	{ "no checksum for IPv6",
	  { .match = { .protocol = IPPROTO_UDP, .family = AF_INET6 },
	    .given = { .set = ACT(CSUM_TX), .csum_tx = NETTOLL_CSUM_TX_NONE } },
	  NETTOLL_A_RULE_CSUM_TX },
	{ "no checksum for any family",
	  { .match = { .protocol = IPPROTO_UDP },
	    .given = { .set = ACT(CSUM_TX), .csum_tx = NETTOLL_CSUM_TX_NONE } }, NETTOLL_A_RULE_CSUM_TX },
	{ "a batch larger than a packet",
	  { .given = { .set = ACT(BYTES), .bytes = 65508 } }, NETTOLL_A_RULE_COALESCE_BYTES },
	{ "a batch that waits too long",
	  { .given = { .set = ACT(USECS), .usecs = 1000001 } }, NETTOLL_A_RULE_COALESCE_USECS },
	{ "datagrams of TCP",
	  { .match = { .protocol = IPPROTO_TCP },
	    .given = { .set = ACT(DATAGRAMS), .datagrams = 2 } }, NETTOLL_A_RULE_COALESCE_DATAGRAMS },
};

static void check__takes_what_makes_sense(void **state)
{
	unsigned int i;
	u16 attr;

	for (i = 0; i < ARRAY_SIZE(good); i++)
		if (nettoll_rule_check(&good[i].rule, &attr))
			fail_msg("%s: %s", good[i].what, nettoll_rule_check(&good[i].rule, &attr));
}

static void check__refuses_and_says_where(void **state)
{
	unsigned int i;
	u16 attr;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		if (!nettoll_rule_check(&bad[i].rule, &attr))
			fail_msg("%s was taken", bad[i].what);
		if (attr != bad[i].attr)
			fail_msg("%s: attribute %u, not %u", bad[i].what, attr, bad[i].attr);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check__takes_what_makes_sense),
		cmocka_unit_test(check__refuses_and_says_where),
	};

	return cmocka_run_group_tests_name("rule_check", tests, NULL, NULL);
}
