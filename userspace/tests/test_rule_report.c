// SPDX-License-Identifier: GPL-2.0-or-later
/* What nettoll rule prints of made-up rules, and what it reads from files. */
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "cmd/rule.h"
#include "lib/err.h"
#include "tests/capture.h"

static char text[16384];

static struct rule rules[] = {
	{
		.id = 3, .protocol = IPPROTO_UDP, .uids = true, .uid_min = 5, .uid_max = 6,
		.remote = { .family = AF_INET, .addr = { 10 }, .prefix = 8, .ports = true, .port_min = 1,
			    .port_max = 2 },
		.has = 1u << RULE_ZEROCOPY | 1u << RULE_ZEROCOPY_MIN,
		.action = { [RULE_ZEROCOPY] = NETTOLL_ZEROCOPY_SYNC, [RULE_ZEROCOPY_MIN] = 4096 },
		.count = { [RULE_SOCKETS] = 2, [RULE_SENDS] = 40, [RULE_BYTES] = 400000,
			   [RULE_ZEROCOPY_BYTES] = 300000, [RULE_COPIED_BYTES] = 100000 },
		.fallback = { [NETTOLL_FALLBACK_SMALL] = 12, [NETTOLL_FALLBACK_NO_SG] = 1 },
	},
	{
		.id = 9, .device = "eth0", .cgroup = "/a b", .cgroup_id = 77,
		.has = 1u << RULE_COALESCE | 1u << RULE_CSUM_RX,
		.action = { [RULE_COALESCE] = 16, [RULE_CSUM_RX] = NETTOLL_CSUM_RX_AUDIT },
		.count = { [RULE_COALESCED] = 90, [RULE_BATCHES] = 6, [RULE_AUDITED] = 8, [RULE_DISAGREED] = 1 },
	},
};
static const struct rule_list both = { 2, rules }, first = { 1, rules }, none = { 0, NULL };

static const char *list(const struct rule_list *of, enum out_format format,
			void (*report)(struct out_doc *doc, const struct rule_list *list))
{
	struct out_doc *doc = out_begin("rule", 0);

	out_set_format(format);
	report(doc, of);
	assert_int_equal(capture(doc, format, text, sizeof(text)), 0);
	return text;
}

static void people__see_what_matters(void **state)
{
	(void)state;
	assert_string_equal(list(&first, OUT_PEOPLE, rule_report_list),
		"id  sockets  sends   bytes  not copied %  fallbacks          rule\n"
		" 3        2     40  400.0k          75.0  small 12, no-sg 1  "
		"proto udp remote 10.0.0.0/8 rport 1-2 uid 5-6 zerocopy sync min 4K\n");
	assert_string_equal(list(&none, OUT_PEOPLE, rule_report_list), "there are no rules\n");
	list(&both, OUT_PEOPLE, rule_report_list);
	assert_non_null(strstr(text, "in a packet"));
	assert_non_null(strstr(text, "15.0"));
	assert_non_null(strstr(text, "disagreed"));
}

static void scripts__see_all(void **state)
{
	(void)state;
	assert_string_equal(list(&both, OUT_TSV, rule_report_list),
		"id\tsockets\tsends\tbytes\tzerocopy_bytes\tcopied_bytes\tcoalesced\tbatches\tcsum_packets\t"
		"audited\tdisagreed\tnot_copied_percent\tper_batch\tfallbacks\trule\n"
		"3\t2\t40\t400000\t300000\t100000\t0\t0\t0\t0\t0\t75\t-\tsmall 12, no-sg 1\t"
		"proto udp remote 10.0.0.0/8 rport 1-2 uid 5-6 zerocopy sync min 4K\n"
		"9\t0\t0\t0\t0\t0\t90\t6\t0\t8\t1\t-\t15\t-\t"
		"dev eth0 cgroup '/a b' csum-rx audit coalesce 16\n");
}

static void words__a_line_each(void **state)
{
	(void)state;
	assert_string_equal(list(&both, OUT_PEOPLE, rule_report_words),
		"proto udp remote 10.0.0.0/8 rport 1-2 uid 5-6 zerocopy sync min 4K\n"
		"dev eth0 cgroup '/a b' csum-rx audit coalesce 16\n");
	assert_string_equal(list(&none, OUT_PEOPLE, rule_report_words), "");
	list(&both, OUT_TSV, rule_report_words);
	assert_memory_equal(text, "id\t", 3);
}

static struct json_object *member(struct json_object *obj, const char *key)
{
	struct json_object *value;

	assert_true(json_object_object_get_ex(obj, key, &value));
	return value;
}

#define NUMBER(obj, key, wanted)	assert_int_equal(json_object_get_int64(member(obj, key)), wanted)
#define WORD(obj, key, wanted)		assert_string_equal(json_object_get_string(member(obj, key)), wanted)

static void json__members(void **state)
{
	struct json_object *root, *one, *part;

	(void)state;
	root = json_tokener_parse(list(&both, OUT_JSON, rule_report_list));
	assert_non_null(root);
	one = json_object_array_get_idx(member(root, "rules"), 0);
	NUMBER(one, "id", 3);
	WORD(one, "rule", "proto udp remote 10.0.0.0/8 rport 1-2 uid 5-6 zerocopy sync min 4K");
	NUMBER(one, "not_copied_percent", 75);
	part = member(one, "match");
	WORD(part, "protocol", "udp");
	WORD(part, "family", "ipv4");
	assert_null(member(part, "local"));
	assert_null(member(part, "local_port_min"));
	WORD(part, "remote", "10.0.0.0/8");
	NUMBER(part, "remote_port_max", 2);
	NUMBER(part, "uid_max", 6);
	assert_null(member(part, "cgroup_id"));
	part = member(one, "action");
	WORD(part, "zerocopy", "sync");
	NUMBER(part, "zerocopy_min", 4096);
	assert_null(member(part, "csum_rx"));
	assert_null(member(part, "coalesce_datagrams"));
	NUMBER(member(one, "counters"), "copied_bytes", 100000);
	part = member(one, "fallbacks");
	assert_int_equal(json_object_array_length(part), 2);
	WORD(json_object_array_get_idx(part, 1), "reason", "no-sg");
	NUMBER(json_object_array_get_idx(part, 1), "count", 1);

	one = json_object_array_get_idx(member(root, "rules"), 1);
	assert_null(member(one, "not_copied_percent"));
	part = member(one, "match");
	WORD(part, "device", "eth0");
	WORD(part, "cgroup", "/a b");
	NUMBER(part, "cgroup_id", 77);
	assert_null(member(part, "family"));
	WORD(member(one, "action"), "csum_rx", "audit");
	json_object_put(root);
}

static void change__is_told_to_programs(void **state)
{
	struct rule_list gone = { 1, (struct rule[]) { { .id = 4 } } };
	struct json_object *root, *one;
	struct out_doc *doc;

	(void)state;
	out_set_format(OUT_JSON);
	doc = out_begin("rule", 0);
	rule_report_change(doc, "add", &first);
	assert_int_equal(capture(doc, OUT_JSON, text, sizeof(text)), 0);
	root = json_tokener_parse(text);
	WORD(root, "verb", "add");
	one = json_object_array_get_idx(member(root, "rules"), 0);
	NUMBER(one, "id", 3);
	assert_memory_equal(json_object_get_string(member(one, "rule")), "proto udp", 9);
	json_object_put(root);

	out_set_format(OUT_TSV);
	doc = out_begin("rule", 0);
	rule_report_change(doc, "delete", &gone);
	assert_int_equal(capture(doc, OUT_TSV, text, sizeof(text)), 0);
	assert_string_equal(text, "#verb\tdelete\nid\trule\n4\t-\n");
}

/* A file with that content; its name in the second. */
static void file_of(const char *content, char *path)
{
	int fd;

	strcpy(path, "/tmp/nettoll-test-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, strlen(content)), (ssize_t)strlen(content));
	close(fd);
}

static void file__lines(void **state)
{
	struct rule_file file;
	char path[64];

	(void)state;
	file_of("# rules\n\nproto udp zerocopy sync\n  cgroup '/a b' csum-tx sw # why\nproto tcp zerocopy auto", path);
	assert_int_equal(rule_file_read(&file, path), 0);
	unlink(path);
	assert_int_equal(file.rules.n, 3);
	assert_int_equal(file.lines[0], 3);
	assert_int_equal(file.lines[1], 4);
	assert_int_equal(file.lines[2], 5);
	assert_string_equal(file.rules.item[1].cgroup, "/a b");
	assert_int_equal(file.rules.item[2].protocol, IPPROTO_TCP);
	rule_file_free(&file);
}

static void file__faults_have_their_line(void **state)
{
	struct rule_file file;
	char path[64], wanted[256];

	(void)state;
	file_of("proto udp zerocopy sync\n\nproto udp zerocpy sync\n", path);
	assert_int_equal(rule_file_read(&file, path), -EINVAL);
	snprintf(wanted, sizeof(wanted), "%s:3: there is no match or action 'zerocpy', did you mean 'zerocopy'?", path);
	assert_string_equal(err_text(-EINVAL), wanted);
	assert_int_equal(file.rules.n, 0);
	unlink(path);
	assert_int_equal(rule_file_read(&file, path), -ENOENT);
	assert_non_null(strstr(err_text(-ENOENT), path));
	err_clear();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(people__see_what_matters),
		cmocka_unit_test(scripts__see_all),
		cmocka_unit_test(words__a_line_each),
		cmocka_unit_test(json__members),
		cmocka_unit_test(change__is_told_to_programs),
		cmocka_unit_test(file__lines),
		cmocka_unit_test(file__faults_have_their_line),
	};

	return cmocka_run_group_tests_name("rule_report", tests, NULL, NULL);
}
