// SPDX-License-Identifier: GPL-2.0-only
/*
 * fastpath/match.c: which flows a rule matches.
 */
#include "shim.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>

#include "../fastpath/match.c"

#define UDP	IPPROTO_UDP
#define TCP	IPPROTO_TCP

static struct in6_addr address(const char *text)
{
	struct in6_addr addr = { 0 };

	assert_int_equal(inet_pton(strchr(text, ':') ? AF_INET6 : AF_INET, text, &addr), 1);
	return addr;
}

static struct nettoll_prefix prefix(const char *text, unsigned int len)
{
	struct nettoll_prefix p = {
		.addr = address(text),
		.family = strchr(text, ':') ? AF_INET6 : AF_INET,
		.len = len,
	};

	nettoll_prefix_trim(&p);
	return p;
}

static bool in_cgroup(const void *sk, u64 id)
{
	return *(const u64 *)sk == id;
}

static const u64 sk_cgroup = 77;

/* 10.1.2.3:4000 sends UDP to 10.9.8.7:53 by eth1, as user 1000. */
static struct nettoll_flow flow4(void)
{
	return (struct nettoll_flow) {
		.protocol = UDP,
		.family = AF_INET,
		.lport = 4000,
		.rport = 53,
		.laddr = address("10.1.2.3"),
		.raddr = address("10.9.8.7"),
		.device = "eth1",
		.uid = 1000,
		.in_cgroup = in_cgroup,
		.sk = &sk_cgroup,
	};
}

static void trim__clears_what_does_not_count(void **state)
{
	static const struct {
		const char *given;
		unsigned int len;
		const char *kept;
	} cases[] = {
		{ "10.1.2.3", 32, "10.1.2.3" },
		{ "10.1.2.255", 25, "10.1.2.128" },
		{ "10.1.2.3", 8, "10.0.0.0" },
		{ "255.255.255.255", 1, "128.0.0.0" },
		{ "10.1.2.3", 0, "0.0.0.0" },
		{ "fe80::ffff", 127, "fe80::fffe" },
		{ "2001:db8:ffff::1", 33, "2001:db8:8000::" },
		{ "2001:db8::1", 0, "::" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct nettoll_prefix p = prefix(cases[i].given, cases[i].len);
		struct in6_addr kept = address(cases[i].kept);

		assert_memory_equal(&p.addr, &kept, sizeof(kept));
	}
}

static void match__nothing_given_matches_anything(void **state)
{
	const struct nettoll_match m = { 0 };
	struct nettoll_flow f = flow4(), packet = { .protocol = TCP, .family = AF_INET6 };

	assert_true(nettoll_match_flow(&m, &f));
	assert_true(nettoll_match_flow(&m, &packet));
	assert_false(nettoll_match_names_peer(&m));
}

/* Each alone: one that holds, one that does not. */
static void match__each_part_counts(void **state)
{
	struct nettoll_flow f = flow4();
	struct {
		struct nettoll_match yes, no;
		bool peer;
	} cases[] = {
		{ { .protocol = UDP }, { .protocol = TCP }, false },
		{ { .family = AF_INET }, { .family = AF_INET6 }, true },
		{ { .lport = { 4000, 4000 } }, { .lport = { 4001, 65535 } }, false },
		{ { .lport = { 1, 4000 } }, { .lport = { 1, 3999 } }, false },
		{ { .rport = { 53, 60 } }, { .rport = { 54, 60 } }, true },
		{ { .local = prefix("10.1.2.3", 32) }, { .local = prefix("10.1.2.2", 32) }, true },
		{ { .remote = prefix("10.9.0.0", 16) }, { .remote = prefix("10.8.0.0", 16) }, true },
		{ { .remote = prefix("10.9.8.6", 31) }, { .remote = prefix("10.9.8.5", 31) }, true },
		{ { .remote = prefix("0.0.0.0", 0) }, { .remote = prefix("::", 0) }, true },
		{ { .device = "eth1" }, { .device = "eth10" }, true },
		{ { .device = "eth1" }, { .device = "eth" }, true },
		{ { .cgroup = 77 }, { .cgroup = 78 }, false },
		{ { .has_uid = true, .uid_min = 1000, .uid_max = 1000 },
		  { .has_uid = true, .uid_min = 0, .uid_max = 999 }, false },
		{ { .has_uid = true, .uid_min = 0, .uid_max = 1000 },
		  { .has_uid = true, .uid_min = 1001, .uid_max = ~0U }, false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		print_message("# case %u\n", i);
		assert_true(nettoll_match_flow(&cases[i].yes, &f));
		assert_false(nettoll_match_flow(&cases[i].no, &f));
		assert_int_equal(nettoll_match_names_peer(&cases[i].no), cases[i].peer);
		/* What depends on the peer is not asked of the socket, and the other way round. */
		assert_int_equal(nettoll_match_socket(&cases[i].no, &f), cases[i].peer);
		assert_int_equal(nettoll_match_peer(&cases[i].no, &f), !cases[i].peer);
	}
}

static void match__all_parts_together(void **state)
{
	struct nettoll_match m = {
		.protocol = UDP,
		.remote = prefix("10.9.0.0", 16),
		.rport = { 53, 53 },
		.device = "eth1",
	};
	struct nettoll_flow f = flow4();

	assert_true(nettoll_match_flow(&m, &f));
	f.rport = 54;
	assert_false(nettoll_match_flow(&m, &f));
}

/* A packet has neither an owner nor a cgroup, and a device may be unknown: then nothing that asks for one matches. */
static void match__unknown_is_not_any(void **state)
{
	const struct nettoll_match owner = { .has_uid = true, .uid_max = ~0U }, group = { .cgroup = 77 };
	const struct nettoll_match device = { .device = "eth1" };
	struct nettoll_flow f = flow4();

	f.sk = NULL;
	f.in_cgroup = NULL;
	f.device = NULL;
	assert_false(nettoll_match_flow(&owner, &f));
	assert_false(nettoll_match_flow(&group, &f));
	assert_false(nettoll_match_flow(&device, &f));
}

static void match__ipv6(void **state)
{
	struct nettoll_flow f = {
		.protocol = TCP,
		.family = AF_INET6,
		.laddr = address("2001:db8::1"),
		.raddr = address("2001:db8:1:2::3"),
		.rport = 5001,
	};
	struct nettoll_match m = { .remote = prefix("2001:db8:1::", 48) };

	assert_true(nettoll_match_flow(&m, &f));
	m.remote = prefix("2001:db8:1:2::", 65);
	assert_true(nettoll_match_flow(&m, &f));
	m.remote = prefix("2001:db8:1:2:8000::", 65);
	assert_false(nettoll_match_flow(&m, &f));
	m.remote = prefix("32.1.13.184", 32);	/* the same first bytes, as IPv4 */
	assert_false(nettoll_match_flow(&m, &f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trim__clears_what_does_not_count),
		cmocka_unit_test(match__nothing_given_matches_anything),
		cmocka_unit_test(match__each_part_counts),
		cmocka_unit_test(match__all_parts_together),
		cmocka_unit_test(match__unknown_is_not_any),
		cmocka_unit_test(match__ipv6),
	};

	return cmocka_run_group_tests_name("match", tests, NULL, NULL);
}
