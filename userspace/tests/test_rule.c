// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules: words to a structure and back, to attributes of netlink and back, and what is said of slips. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/err.h"
#include "lib/module_rule.h"
#include "lib/nl.h"

#define WORDS	64

static char line[2048];
static char *argv[WORDS];

/* Splits the words of a line and parses them. */
static int parse(struct rule *rule, struct rule_words *words, const char *text)
{
	int n;

	snprintf(line, sizeof(line), "%s", text);
	n = rule_split(line, argv, WORDS);
	assert_true(n >= 0);
	return rule_parse(rule, words, n, argv);
}

/* What the words become when printed, and that these say the same. */
static void becomes(const char *text, const char *wanted)
{
	struct rule_words words;
	struct rule rule, again;
	char *got;

	if (parse(&rule, &words, text))
		fail_msg("%s: %s", text, err_text(-EINVAL));
	got = rule_text(&rule);
	assert_string_equal(got, wanted);
	assert_int_equal(parse(&again, &words, got), 0);
	assert_memory_equal(&again, &rule, sizeof(rule));
	free(got);
}

static void says(const char *text, const char *wanted)
{
	struct rule_words words;
	struct rule rule;
	int ret = parse(&rule, &words, text);

	if (ret >= 0)
		fail_msg("this should have failed: %s", text);
	if (!strstr(err_text(ret), wanted))
		fail_msg("%s: should say '%s': %s", text, wanted, err_text(ret));
	err_clear();
}

static void words__come_back(void **state)
{
	(void)state;
	becomes("proto udp zerocopy sync", "proto udp zerocopy sync");
	becomes("zerocopy auto min 4096 proto tcp", "proto tcp zerocopy auto min 4K");
	becomes("family ipv6 csum-tx sw", "family ipv6 csum-tx sw");
	becomes("dev eth0.7 csum-rx audit audit-rate 100", "dev eth0.7 csum-rx audit audit-rate 1/100");
	becomes("csum-rx audit audit-rate 1/8", "csum-rx audit audit-rate 1/8");
	becomes("remote 10.0.0.0/8 csum-rx trust", "remote 10.0.0.0/8 csum-rx trust");
	becomes("coalesce 64 bytes 60000 late 50us", "coalesce 64 bytes 60000 late 50us");
	becomes("coalesce 8 late 1500us", "coalesce 8 late 1500us");
	becomes("coalesce 8 late 0", "coalesce 8 late 0s");
	becomes("uid 0 zerocopy off", "uid 0 zerocopy off");
	becomes("uid root zerocopy off", "uid 0 zerocopy off");
	becomes("uid 1000-1999 zerocopy pool", "uid 1000-1999 zerocopy pool");
	becomes("cgroup /system.slice/a.service csum-tx hw", "cgroup /system.slice/a.service csum-tx hw");
	becomes("cgroup /sys/fs/cgroup/a csum-tx none", "cgroup /a csum-tx none");
	becomes("cgroup /sys/fs/cgroup/unified/a csum-tx none", "cgroup /a csum-tx none");
	becomes("cgroup /sys/fs/cgroup csum-tx none", "cgroup / csum-tx none");
	becomes("cgroup /sys/fs/cgroups csum-tx none", "cgroup /sys/fs/cgroups csum-tx none");
	becomes("cgroup '/a b' zerocopy off", "cgroup '/a b' zerocopy off");
	becomes("cgroup \"/it's\" zerocopy off", "cgroup '/it'\\''s' zerocopy off");
}

static void ends__all_forms(void **state)
{
	(void)state;
	becomes("local 10.0.0.1 zerocopy off", "local 10.0.0.1 zerocopy off");
	becomes("local 10.0.0.1:5000 zerocopy off", "local 10.0.0.1 lport 5000 zerocopy off");
	becomes("local :5000-5010 zerocopy off", "lport 5000-5010 zerocopy off");
	becomes("remote 10.0.0.0/8:53 zerocopy off", "remote 10.0.0.0/8 rport 53 zerocopy off");
	becomes("remote fd00::1 zerocopy off", "remote fd00::1 zerocopy off");
	becomes("remote fd00::/8 rport 1-2 zerocopy off", "remote fd00::/8 rport 1-2 zerocopy off");
	becomes("remote [fd00::1]:53 zerocopy off", "remote fd00::1 rport 53 zerocopy off");
	becomes("remote [fd00::]/8:53-54 zerocopy off", "remote fd00::/8 rport 53-54 zerocopy off");
	becomes("remote [fd00::]/8 zerocopy off", "remote fd00::/8 zerocopy off");
	becomes("remote [fd00::1] zerocopy off", "remote fd00::1 zerocopy off");
	becomes("remote fd00::/8:53 zerocopy off", "remote fd00::/8 rport 53 zerocopy off");
	becomes("remote ::1 zerocopy off", "remote ::1 zerocopy off");
	becomes("remote ::/0 zerocopy off", "remote ::/0 zerocopy off");
	becomes("remote 0.0.0.0/0 zerocopy off", "remote 0.0.0.0/0 zerocopy off");
	becomes("remote 1.2.3.4/32 zerocopy off", "remote 1.2.3.4 zerocopy off");
	/* What lies behind the prefix does not count. */
	becomes("local 10.66.1.7/24 zerocopy off", "local 10.66.1.0/24 zerocopy off");
	becomes("local 10.66.255.7/19 zerocopy off", "local 10.66.224.0/19 zerocopy off");
	becomes("local fd00:ffff::1/20 zerocopy off", "local fd00:f000::/20 zerocopy off");
}

/* An address says the family as well, and so need not the rule. */
static void family__said_once(void **state)
{
	struct rule_words words;
	struct rule rule;
	char *text;

	(void)state;
	assert_int_equal(parse(&rule, &words, "family ipv4 remote 10.0.0.1 zerocopy off"), 0);
	assert_int_equal(rule.family, AF_INET);
	text = rule_text(&rule);
	assert_string_equal(text, "remote 10.0.0.1 zerocopy off");
	free(text);
}

/* As for commands, and values that are words. */
static void words__unambiguous_beginnings(void **state)
{
	(void)state;
	becomes("prot u rem 10.1.0.0/16 zero s", "proto udp remote 10.1.0.0/16 zerocopy sync");
	says("l 1 zerocopy off", "'l' is ambiguous: local, lport, late");
	says("csum auto", "ambiguous: csum-tx, csum-rx");
	says("csum-tx s zerocopy a csum-rx a", "csum-rx 'a' is ambiguous: auto, audit");
}

static void slips__are_named(void **state)
{
	(void)state;
	says("", "what shall the rule match, and do?");
	says("prto udp", "there is no match or action 'prto', did you mean 'proto'?");
	says("proto sctp", "there is no proto 'sctp'");
	says("proto", "proto: its value is missing");
	says("proto udp zerocopy", "zerocopy: its value is missing");
	says("proto udp proto tcp", "proto: 'proto udp' has said that already");
	says("local 10.0.0.1:5 lport 6 zerocopy off", "lport: 'local 10.0.0.1:5' has said that already");
	says("local :5 local 10.0.0.1 local fd00::1", "local: 'local 10.0.0.1' has said that already");
	says("local 10.0.0 zerocopy off", "'10.0.0' is no address");
	says("local 10.0.0.1/33 zerocopy off", "length of the local prefix: 33 is out of range");
	says("remote fd00::/129 zerocopy off", "length of the remote prefix: 129 is out of range");
	says("remote fd00::/ zerocopy off", "length of the remote prefix: '' is not a whole number");
	says("remote [10.0.0.1]:5 zerocopy off", "with an IPv6 address");
	says("remote [fd00::1 zerocopy off", "with an IPv6 address");
	says("remote [fd00::1]5 zerocopy off", "with an IPv6 address");
	says("remote []:5 zerocopy off", "with an IPv6 address");
	says("remote /8 zerocopy off", "lacks the address");
	says("remote '' zerocopy off", "lacks the address");
	says("remote server zerocopy off", "'server' is no address");
	says("remote ::ffff:10.0.0.1 zerocopy off", "write its prefix as IPv4's");
	says("lport 65536 zerocopy off", "port of the local end: 65536 is out of range");
	says("lport 0 zerocopy off", "there is no port 0");
	says("rport 20-10 zerocopy off", "20-10 ends before it begins");
	says("rport 20- zerocopy off", "'' is not a whole number");
	says("rport http zerocopy off", "'http' is not a whole number");
	says("dev a-name-that-is-too-long zerocopy off", "cannot be the name of a device");
	says("dev a/b zerocopy off", "cannot be the name of a device");
	says("cgroup '' zerocopy off", "a path below the root");
	says("uid no-such-user-here zerocopy off", "there is no user 'no-such-user-here'");
	says("uid 4294967295 zerocopy off", "out of range");
	says("min 5000000000 zerocopy sync", "out of range");
	says("audit-rate 0", "out of range");
	says("audit-rate 1/0", "out of range");
	says("coalesce 65", "coalesce: 65 is out of range, it goes from 0 to 64");
	says("bytes 64K", "bytes: 64K is out of range");
	says("late 50", "lacks its unit");
	says("late 1500ns", "finer than a microsecond");
	says("late 2s", "out of range, it goes from 0s to 1s");
}

static void trust__needs_peers(void **state)
{
	(void)state;
	says("csum-rx trust", "say which, with remote PREFIX");
	says("local 10.0.0.1 rport 5 csum-rx trust", "say which, with remote PREFIX");
	says("remote 0.0.0.0/0 csum-rx trust", "say which, with remote PREFIX");
	becomes("csum-rx trust remote fd00::1", "remote fd00::1 csum-rx trust");
}

static void words__are_found_by_attribute(void **state)
{
	struct rule_words words;
	struct rule rule;
	char word[64], tiny[8];

	(void)state;
	assert_int_equal(parse(&rule, &words, "remote [fd00::1]:53 zerocopy sync min 1K uid 5"), 0);
	assert_true(rule_words_at(&words, NETTOLL_A_RULE_REMOTE_ADDR6, word, sizeof(word)));
	assert_string_equal(word, "remote [fd00::1]:53");
	assert_true(rule_words_at(&words, NETTOLL_A_RULE_REMOTE_PORT_MAX, word, sizeof(word)));
	assert_string_equal(word, "remote [fd00::1]:53");
	assert_true(rule_words_at(&words, NETTOLL_A_RULE_ZEROCOPY_MIN, word, sizeof(word)));
	assert_string_equal(word, "min 1K");
	assert_true(rule_words_at(&words, NETTOLL_A_RULE_UID_MAX, tiny, sizeof(tiny)));
	assert_string_equal(tiny, "uid 5");
	assert_false(rule_words_at(&words, NETTOLL_A_RULE_DEVICE, word, sizeof(word)));
	assert_string_equal(word, "");
	assert_false(rule_words_at(&words, 0, word, sizeof(word)));
	assert_false(rule_words_at(&words, -1, word, sizeof(word)));
	assert_false(rule_words_at(&words, NETTOLL_A_RULE_MAX + 1, word, sizeof(word)));
}

static void split__as_a_shell(void **state)
{
	char quoted[] = "  a 'b c'  \"d'e\" f\\ g ''h '' # rest", comment[] = "# all of it", hash[] = "a#b",
	     open[] = "a 'b", many[] = "a b c", escaped[] = "\"a\\\"b\" '\\'";
	char *w[8];

	(void)state;
	assert_int_equal(rule_split(quoted, w, 8), 6);
	assert_string_equal(w[0], "a");
	assert_string_equal(w[1], "b c");
	assert_string_equal(w[2], "d'e");
	assert_string_equal(w[3], "f g");
	assert_string_equal(w[4], "h");
	assert_string_equal(w[5], "");
	assert_int_equal(rule_split(comment, w, 8), 0);
	assert_int_equal(rule_split(hash, w, 8), 1);
	assert_string_equal(w[0], "a#b");
	assert_int_equal(rule_split(escaped, w, 8), 2);
	assert_string_equal(w[0], "a\"b");
	assert_string_equal(w[1], "\\");
	assert_int_equal(rule_split(open, w, 8), -EINVAL);
	assert_string_equal(err_text(-EINVAL), "a ' is not closed");
	assert_int_equal(rule_split(many, w, 2), -EINVAL);
	err_clear();
}

/* What is asked for has the same attributes as what is told. */
static void netlink__there_and_back(void **state)
{
	static const char *const rules[] = {
		"proto udp family ipv6 lport 1-2 rport 3 dev eth0 cgroup /a/b uid 7-9 zerocopy auto min 1K",
		"local 10.0.0.0/8 remote 192.168.1.1 csum-tx none csum-rx trust",
		"local fd00::/8 remote [fe80::1]:65535 csum-rx audit audit-rate 4294967295",
		"proto tcp lport 0-1 zerocopy off coalesce 64 bytes 65507 late 1s",
		"uid 0 csum-tx auto",
	};
	struct nlk_request *req;
	struct rule_words words;
	struct nlk_conn *conn;
	struct rule in, out;
	const void *attrs;
	size_t i, len;

	(void)state;
	assert_int_equal(nlk_open_genl("nlctrl", &conn), 0);
	for (i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		assert_int_equal(parse(&in, &words, rules[i]), 0);
		in.id = (uint32_t)i * 7;
		req = nlk_request(conn, 1, NULL, 0, 0);
		module_rule_put(req, &in);
		attrs = nlk_request_attrs(req, &len);
		memset(&out, 0, sizeof(out));
		assert_int_equal(module_rule_take(&out, attrs, len), 0);
		assert_memory_equal(&out, &in, sizeof(in));
		nlk_request_free(req);
	}
	nlk_close(conn);
}

static void put_fallback(struct nlk_request *req, uint32_t reason, uint64_t count)
{
	struct nlattr *nest = nlk_nest_begin(req, NETTOLL_A_RULE_FALLBACK);

	nlk_put_u32(req, NETTOLL_A_RULE_FALLBACK_REASON, reason);
	nlk_put_u64(req, NETTOLL_A_RULE_FALLBACK_COUNT, count);
	nlk_nest_end(req, nest);
}

static void netlink__counters_and_reasons(void **state)
{
	struct nlk_request *req;
	struct rule rule = { 0 };
	struct nlk_conn *conn;
	const void *attrs;
	size_t i, len;

	(void)state;
	assert_int_equal(nlk_open_genl("nlctrl", &conn), 0);
	req = nlk_request(conn, 1, NULL, 0, 0);
	nlk_put_u32(req, NETTOLL_A_RULE_ID, 5);
	nlk_put_u64(req, NETTOLL_A_RULE_CGROUP_ID, 1ull << 40);
	/* A prefix without a length is the whole address; a port without an end, one port. */
	nlk_put_data(req, NETTOLL_A_RULE_LOCAL_ADDR4, "\x0a\0\0\x01", 4);
	nlk_put_u16(req, NETTOLL_A_RULE_LOCAL_PORT_MIN, 80);
	for (i = 0; i < RULE_COUNTERS; i++)
		nlk_put_u64(req, rule_counter_attrs[i], (1ull << 32) + i);
	put_fallback(req, NETTOLL_FALLBACK_SMALL, 3);
	put_fallback(req, NETTOLL_FALLBACK_INTERRUPTED, 1ull << 33);
	put_fallback(req, 1000, 7);
	attrs = nlk_request_attrs(req, &len);
	assert_int_equal(module_rule_take(&rule, attrs, len), 0);
	nlk_request_free(req);
	nlk_close(conn);

	assert_int_equal(rule.id, 5);
	assert_int_equal(rule.cgroup_id, 1ull << 40);
	assert_int_equal(rule.local.prefix, 32);
	assert_int_equal(rule.local.port_max, 80);
	for (i = 0; i < RULE_COUNTERS; i++)
		assert_int_equal(rule.count[i], (1ull << 32) + i);
	assert_int_equal(rule.fallback[NETTOLL_FALLBACK_SMALL], 3);
	assert_int_equal(rule.fallback[NETTOLL_FALLBACK_INTERRUPTED], 1ull << 33);
	assert_int_equal(rule.fallback[NETTOLL_FALLBACK_NO_SG], 0);
	assert_int_equal(rule.has, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(words__come_back),
		cmocka_unit_test(ends__all_forms),
		cmocka_unit_test(family__said_once),
		cmocka_unit_test(words__unambiguous_beginnings),
		cmocka_unit_test(slips__are_named),
		cmocka_unit_test(trust__needs_peers),
		cmocka_unit_test(words__are_found_by_attribute),
		cmocka_unit_test(split__as_a_shell),
		cmocka_unit_test(netlink__there_and_back),
		cmocka_unit_test(netlink__counters_and_reasons),
	};

	return cmocka_run_group_tests_name("rule", tests, NULL, NULL);
}
