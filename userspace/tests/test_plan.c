// SPDX-License-Identifier: GPL-2.0-or-later
/* Ladder plans: what a good one says, and what is said of each kind of bad one. */
#include <errno.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ladder/plan.h"
#include "ladder/workload.h"
#include "lib/err.h"
#include "lib/model.h"

static char path[64] = "/tmp/nettoll-plan-XXXXXX";
static struct plan plan;

static int setup_all(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	if (fd < 0)
		return -1;
	return close(fd);
}

static int teardown_all(void **state)
{
	(void)state;
	return unlink(path);
}

static int load(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	return plan_load(path, &plan);
}

#define HEAD	"\"format\": \"nettoll-ladder/1\", \"name\": \"p\", \"line\": \"1.28G\", "
#define ENDS	"\"ends\": { \"local\": { \"peer\": \"netns:a\", \"dev\": \"e0\" }, " \
		"\"remote\": { \"peer\": \"netns:b\", \"dev\": \"e1\", \"addr\": \"10.0.0.2\" } }, "
#define RUNGS	"\"rungs\": [ { \"name\": \"stock\" } ]"

static const char good[] =
	"{" HEAD ENDS
	"\"comment\": \"ignored\","
	"\"repeats\": 3,"
	"\"workload\": { \"size\": \"4K\", \"bytes\": \"1M\", \"warmup\": 10, \"rcvbuf\": \"2M\", \"comment\": 1 },"
	"\"setup\": { \"local\": { \"qdisc.root\": \"tbf rate=1.28G burst=64K limit=4M\" } },"
	"\"rungs\": ["
	"  { \"name\": \"stock\", \"both\": { \"link.mtu\": 1500, \"offload.tx-checksum\": false } },"
	"  { \"name\": \"mtu\", \"title\": \"MTU 9000\", \"targets\": [\"ip\", \"skb\"],"
	"    \"both\": { \"link.mtu\": 9000 }, \"workload\": { \"size\": 8972 } },"
	"  { \"name\": \"zc\", \"workload\": { \"mode\": \"zerocopy\" } },"
	"  { \"name\": \"mtu2\", \"remote\": { \"link.mtu\": \"16000\" }, \"local\": { \"napi.defer-hard-irqs\": 2 },"
	"    \"workload\": { \"mode\": \"zerocopy+gso\", \"gro\": true, \"count\": 7 } }"
	"], \"interactions\": [[\"zc\", \"mtu\"]] }";

static void good__as_written(void **state)
{
	(void)state;
	assert_int_equal(load(good), 0);
	assert_string_equal(plan.name, "p");
	assert_int_equal(plan.line_bps, 1280000000);
	assert_int_equal(plan.repeats, 3);
	assert_string_equal(plan.place[PLAN_LOCAL].netns, "a");
	assert_string_equal(plan.place[PLAN_LOCAL].dev, "e0");
	assert_string_equal(plan.place[PLAN_REMOTE].netns, "b");
	assert_string_equal(plan.addr[PLAN_REMOTE], "10.0.0.2");
	assert_int_equal(plan.nrungs, 4);
	assert_string_equal(plan.rung[0].title, "stock");
	assert_string_equal(plan.rung[1].title, "MTU 9000");
	assert_int_equal(plan.rung[1].targets, 1u << NETTOLL_LAYER_IP | 1u << NETTOLL_LAYER_SKB);
	assert_int_equal(plan.rung[0].settings.n, 4);
	assert_string_equal(plan.rung[0].settings.setting[3].knob.name, "offload.tx-checksum");
	assert_string_equal(plan.rung[0].settings.setting[3].value, "off");
	assert_int_equal(plan.npairs, 1);
	assert_int_equal(plan.pair[0].a, 2);
	assert_int_equal(plan.pair[0].b, 1);
	assert_int_equal(plan_rung_find(&plan, "zc"), 2);
	assert_int_equal(plan_rung_find(&plan, "zcc"), -ENOENT);
	assert_non_null(strstr(err_text(-ENOENT), "did you mean 'zc'"));
	plan_free(&plan);
}

static void good__how_rungs_are_judged(void **state)
{
	(void)state;
	assert_int_equal(load(good), 0);
	assert_int_equal(plan.compare, PLAN_BY_TURNS);
	assert_int_equal(plan.retain, PLAN_RETAIN_GAINS);
	assert_true(plan.least == 0.01);
	assert_false(plan.leave_out);
	plan_free(&plan);
	assert_int_equal(load("{" HEAD ENDS RUNGS ", \"compare\": \"in-order\", \"retain\": \"all\","
			      "\"least-gain\": 0, \"leave-one-out\": true }"), 0);
	assert_int_equal(plan.compare, PLAN_IN_ORDER);
	assert_int_equal(plan.retain, PLAN_RETAIN_ALL);
	assert_true(plan.least == 0);
	assert_true(plan.leave_out);
	plan_free(&plan);
}

static void good__values_of_a_set_of_rungs(void **state)
{
	(void)state;
	assert_int_equal(load(good), 0);
	assert_string_equal(plan_value(&plan, 1, PLAN_LOCAL, "link.mtu"), "1500");
	assert_string_equal(plan_value(&plan, 3, PLAN_LOCAL, "link.mtu"), "9000");
	/* A rung that leaves a knob alone leaves it as the rungs below have it. */
	assert_string_equal(plan_value(&plan, 1 | 8, PLAN_LOCAL, "link.mtu"), "1500");
	assert_string_equal(plan_value(&plan, 1 | 8, PLAN_REMOTE, "link.mtu"), "16000");
	assert_string_equal(plan_value(&plan, 0xf, PLAN_REMOTE, "link.mtu"), "16000");
	assert_null(plan_value(&plan, 7, PLAN_LOCAL, "napi.defer-hard-irqs"));
	assert_string_equal(plan_value(&plan, 8, PLAN_LOCAL, "napi.defer-hard-irqs"), "2");
	assert_null(plan_value(&plan, 8, PLAN_REMOTE, "napi.defer-hard-irqs"));
	/* The setup holds always. */
	assert_true(!strncmp(plan_value(&plan, 0, PLAN_LOCAL, "qdisc.root"), "tbf rate=1280000000 ", 20));
	assert_null(plan_value(&plan, 0xf, PLAN_REMOTE, "qdisc.root"));
	plan_free(&plan);
}

static void good__traffic_of_a_set_of_rungs(void **state)
{
	struct traffic_spec spec;

	(void)state;
	assert_int_equal(load(good), 0);
	assert_int_equal(plan_spec(&plan, 1, &spec), 0);
	assert_string_equal(spec.from, "netns:a");
	assert_string_equal(spec.to, "netns:b");
	assert_string_equal(spec.addr, "10.0.0.2");
	assert_int_equal(spec.sizes[0], 4096);
	assert_int_equal(spec.count, 256);
	assert_int_equal(spec.warmup, 10);
	assert_int_equal(spec.rcvbuf, 2 << 20);
	assert_int_equal(spec.mode, 0);
	assert_int_equal(plan_spec(&plan, 1 | 4, &spec), 0);
	assert_int_equal(spec.sizes[0], 4096);
	assert_int_equal(spec.mode, TRAFFIC_ZEROCOPY);
	assert_int_equal(plan_spec(&plan, 0xf, &spec), 0);
	assert_int_equal(spec.sizes[0], 8972);
	assert_int_equal(spec.mode, TRAFFIC_ZEROCOPY | TRAFFIC_GSO);
	assert_true(spec.gro);
	/* A count replaces the bytes. */
	assert_int_equal(spec.count, 7);
	plan_free(&plan);
}

static int note_knob(const struct plan_setting *first, void *arg)
{
	char *text = arg;

	sprintf(text + strlen(text), "%s:%s ", plan_end_names[first->end], first->knob.name);
	return 0;
}

static void good__every_knob_once(void **state)
{
	char text[512] = "";

	(void)state;
	assert_int_equal(load(good), 0);
	assert_int_equal(plan_knobs(&plan, note_knob, text), 0);
	assert_string_equal(text, "local:qdisc.root local:link.mtu remote:link.mtu local:offload.tx-checksum "
			    "remote:offload.tx-checksum local:napi.defer-hard-irqs ");
	plan_free(&plan);
}

static void good__the_plans_that_come_along(void **state)
{
	const char *dir = getenv("NETTOLL_LADDERS");
	char pattern[4096];
	glob_t g;
	size_t i;
	int ret;

	(void)state;
	if (dir) {
		snprintf(pattern, sizeof(pattern), "%s/*.json", dir);
	} else {
		snprintf(pattern, sizeof(pattern), "%s", __FILE__);
		*strstr(pattern, "userspace/tests/") = '\0';
		strcat(pattern, "ladders/*.json");
	}
	assert_int_equal(glob(pattern, 0, NULL, &g), 0);
	for (i = 0; i < g.gl_pathc; i++) {
		ret = plan_load(g.gl_pathv[i], &plan);
		if (ret)
			fail_msg("%s", err_text(ret));
		plan_free(&plan);
	}
	globfree(&g);
}

/* A plan, what is said of it, and where. */
static const struct { const char *text, *says; } bad[] = {
	{ "", ":1:1: this is no JSON" },
	{ "{\n  \"a\": ]\n}", ":2:8: this is no JSON" },
	{ "{" HEAD ENDS RUNGS, "it ends too early" },
	{ "{} {}", ":1:4: this is no JSON" },
	{ "[]", "this has to be an object, not array" },
	{ "{}", "\"format\" is missing" },
	{ "{\"format\": \"nettoll-ladder/2\"}", "'nettoll-ladder/2'; this nettoll reads nettoll-ladder/1" },
	{ "{" HEAD ENDS RUNGS ", \"rung\": 1}", "no \"rung\" here; did you mean \"rungs\"?" },
	{ "{" HEAD ENDS RUNGS ", \"zzz\": 1}", "no \"zzz\" here, only format, name, doc" },
	{ "{\"format\": \"nettoll-ladder/1\", \"name\": \"\"}", "name: this is empty" },
	{ "{\"format\": \"nettoll-ladder/1\", \"name\": \"a b\"}", "'a b' may have letters" },
	{ "{\"format\": \"nettoll-ladder/1\", \"name\": \"p\"}", "\"line\" is missing" },
	{ "{\"format\": \"nettoll-ladder/1\", \"name\": \"p\", \"line\": \"fast\"}", "line: " },
	{ "{\"format\": \"nettoll-ladder/1\", \"name\": \"p\", \"line\": []}", "line: this has to be a string" },
	{ "{" HEAD "\"repeats\": 0}", "repeats: " },
	{ "{" HEAD "\"compare\": \"often\"}", "compare: this is 'by-turns' or 'in-order', not 'often'" },
	{ "{" HEAD "\"retain\": true}", "retain: this has to be a string" },
	{ "{" HEAD "\"retain\": \"none\"}", "retain: this is 'gains' or 'all', not 'none'" },
	{ "{" HEAD "\"least-gain\": \"1%\"}", "least-gain: a share of the throughput is a number, as 0.01" },
	{ "{" HEAD "\"least-gain\": -0.1}", "least-gain: the smallest gain that counts is from 0 to 0.5" },
	{ "{" HEAD "\"least-gain\": NaN}", "least-gain: the smallest gain that counts is from 0 to 0.5" },
	{ "{" HEAD "\"leave-one-out\": 1}", "leave-one-out: this has to be a boolean" },
	{ "{" HEAD RUNGS "}", "\"ends\" is missing" },
	{ "{" HEAD "\"ends\": { \"local\": { \"peer\": \"here\" } }}", "ends: \"remote\" is missing" },
	{ "{" HEAD "\"ends\": { \"local\": { } }}", "ends.local: \"peer\" is missing" },
	{ "{" HEAD "\"ends\": { \"local\": { \"peer\": \"pigeon:x\" } }}",
	  "ends.local: the peer is here, netns:NAME, ssh:HOST or host:ADDR, not 'pigeon:x'" },
	{ "{" HEAD "\"ends\": { \"local\": { \"peer\": \"netns:\" } }}", "not 'netns:'" },
	{ "{" HEAD "\"ends\": { \"local\": { \"peer\": \"here\", \"device\": 1 } }}",
	  "ends.local: there is no \"device\" here" },
	{ "{" HEAD "\"ends\": { \"local\": { \"peer\": \"here\", \"dev\": \"interface-name-too-long\" } }}",
	  "ends.local.dev: this is longer than 15" },
	{ "{" HEAD ENDS "\"rungs\": {} }", "rungs: this has to be an array, not object" },
	{ "{" HEAD ENDS "\"rungs\": [] }", "rungs: there have to be 1 to 24 rungs, not 0" },
	{ "{" HEAD ENDS "\"rungs\": [ 1 ] }", "rungs[0]: this has to be an object, not int" },
	{ "{" HEAD ENDS "\"rungs\": [ { } ] }", "rungs[0]: \"name\" is missing" },
	{ "{" HEAD ENDS "\"rungs\": [ { \"name\": \"a\" }, { \"name\": \"b\" } ] }",
	  "rungs[1]: rung 'b' changes nothing" },
	{ "{" HEAD ENDS "\"rungs\": [ { \"name\": \"a\" }, { \"name\": \"a\", \"workload\": {} } ] }",
	  "rungs[1]: there are two rungs 'a'" },
	{ "{" HEAD ENDS "\"rungs\": [ { \"name\": \"a\", \"targets\": [\"tape\"] } ] }",
	  "rungs[0].targets[0]: there is no layer 'tape'" },
	{ "{" HEAD ENDS "\"rungs\": [ { \"name\": \"a\", \"both\": { \"link.mto\": 1 } } ] }",
	  "rungs[0].both.link.mto: there is no knob 'link.mto'; did you mean link.mtu?" },
	{ "{" HEAD ENDS "\"rungs\": [ { \"name\": \"a\", \"local\": { \"link.mtu\": 10 } } ] }",
	  "rungs[0].local.link.mtu: " },
	{ "{" HEAD ENDS "\"rungs\": [ { \"name\": \"a\", \"local\": { \"link.mtu\": [] } } ] }",
	  "rungs[0].local.link.mtu: this has to be a string, a number, true or false" },
	{ "{" HEAD ENDS "\"rungs\": [ { \"name\": \"a\", \"both\": { \"link.mtu\": 1500 },"
	  " \"local\": { \"link.mtu\": 1400 } } ] }",
	  "rungs[0].local.link.mtu: link.mtu of the local end is set twice" },
	{ "{" HEAD "\"ends\": { \"local\": { \"peer\": \"here\" }, \"remote\": { \"peer\": \"ssh:far\" } }, "
	  "\"rungs\": [ { \"name\": \"a\", \"local\": { \"link.mtu\": 1500 } } ] }",
	  "rungs[0].local.link.mtu: this is a knob of a device, and ends.local names no \"dev\"" },
	{ "{" HEAD "\"ends\": { \"local\": { \"peer\": \"here\" }, \"remote\": { \"peer\": \"ssh:far\", "
	  "\"dev\": \"e\" } }, \"rungs\": [ { \"name\": \"a\", \"remote\": { \"link.mtu\": 1500 } } ] }",
	  "rungs[0].remote.link.mtu: the remote end is ssh:far, whose knobs cannot be turned from here" },
	{ "{" HEAD ENDS "\"workload\": { \"sise\": 1 }, " RUNGS "}",
	  "workload: there is no \"sise\" here; did you mean \"size\"?" },
	{ "{" HEAD ENDS "\"workload\": { \"size\": \"huge\" }, " RUNGS "}", "workload.size: " },
	{ "{" HEAD ENDS "\"workload\": { \"mode\": \"fast\" }, " RUNGS "}", "workload.mode: mode is plain or" },
	{ "{" HEAD ENDS "\"workload\": { \"gro\": 2 }, " RUNGS "}", "workload.gro: gro is true or false" },
	{ "{" HEAD ENDS "\"workload\": 5, " RUNGS "}", "workload: this has to be an object" },
	{ "{" HEAD ENDS "\"workload\": { \"proto\": \"sctp\" }, " RUNGS "}", "proto is udp or tcp" },
	{ "{" HEAD ENDS "\"rungs\": [ { \"name\": \"a\", \"workload\": { \"proto\": \"tcp\", \"mode\": \"gso\" } } ] }",
	  "rungs[0].workload: " },
	{ "{" HEAD ENDS RUNGS ", \"interactions\": [[\"stock\", \"x\"]] }",
	  "interactions[0]: 'stock' is the ladder's foot" },
	{ "{" HEAD ENDS "\"rungs\": [ { \"name\": \"a\" }, { \"name\": \"b\", \"workload\": { \"size\": 99 } } ], "
	  "\"interactions\": [[\"b\", \"c\"]] }", "interactions[0]: the plan has no rung 'c'" },
	{ "{" HEAD ENDS "\"rungs\": [ { \"name\": \"a\" }, { \"name\": \"b\", \"workload\": { \"size\": 99 } } ], "
	  "\"interactions\": [[\"b\", \"b\"]] }", "does not interact with itself" },
	{ "{" HEAD ENDS "\"rungs\": [ { \"name\": \"a\" }, { \"name\": \"b\", \"workload\": { \"size\": 99 } } ], "
	  "\"interactions\": [[\"b\"]] }", "interactions[0]: a pair has two rungs" },
};

static void bad__says_what_and_where(void **state)
{
	size_t i;
	int ret;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		ret = load(bad[i].text);
		if (ret != -EINVAL && ret != -ERANGE)
			fail_msg("%d for %s", ret, bad[i].text);
		if (!strstr(err_text(ret), bad[i].says))
			fail_msg("'%s' does not say '%s'", err_text(ret), bad[i].says);
		/* The file is named, whatever is wrong. */
		assert_non_null(strstr(err_text(ret), path));
		assert_int_equal(plan.nrungs, 0);
	}
}

static void bad__no_file(void **state)
{
	(void)state;
	assert_int_equal(plan_load("/none/such.json", &plan), -ENOENT);
	assert_int_equal(plan_load("/tmp", &plan), -EISDIR);
}

/* ---- the bound by headers ---- */

static double bound(uint32_t proto, uint32_t size, uint32_t mtu, bool v6)
{
	struct traffic_spec spec;

	traffic_spec_init(&spec);
	spec.proto = proto;
	spec.sizes[0] = size;
	spec.family = v6 ? 6 : 4;
	return workload_bound(&spec, mtu);
}

#define assert_close(a, b)	assert_true((a) - (b) < 1e-12 && (b) - (a) < 1e-12)

static void bound__counts_headers_of_all_fragments(void **state)
{
	(void)state;
	assert_close(bound(TRAFFIC_UDP, 1472, 1500, false), 1472.0 / 1514);
	/* 4104 bytes in pieces of 1480: three. */
	assert_close(bound(TRAFFIC_UDP, 4096, 1500, false), 4096.0 / (4104 + 3 * 34));
	/* One byte too many makes two. */
	assert_close(bound(TRAFFIC_UDP, 1473, 1500, false), 1473.0 / (1481 + 2 * 34));
	assert_close(bound(TRAFFIC_UDP, 15972, 16000, false), 15972.0 / 16014);
	assert_close(bound(TRAFFIC_UDP, 1452, 1500, true), 1452.0 / 1514);
	/* 1460 bytes in pieces of 1448, each with a fragment header. */
	assert_close(bound(TRAFFIC_UDP, 1453, 1500, true), 1453.0 / (1461 + 2 * (48 + 14)));
	assert_close(bound(TRAFFIC_TCP, 100, 1500, false), 1448.0 / 1514);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(good__as_written),
		cmocka_unit_test(good__how_rungs_are_judged),
		cmocka_unit_test(good__values_of_a_set_of_rungs),
		cmocka_unit_test(good__traffic_of_a_set_of_rungs),
		cmocka_unit_test(good__every_knob_once),
		cmocka_unit_test(good__the_plans_that_come_along),
		cmocka_unit_test(bad__says_what_and_where),
		cmocka_unit_test(bad__no_file),
		cmocka_unit_test(bound__counts_headers_of_all_fragments),
	};

	return cmocka_run_group_tests_name("plan", tests, setup_all, teardown_all);
}
