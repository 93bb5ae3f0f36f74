// SPDX-License-Identifier: GPL-2.0-or-later
/* Knobs: names and spelling of values, the journal on disk, and the way back in the right order. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "knobs/lock.h"
#include "knobs/turn.h"
#include "lib/err.h"
#include "lib/nl_link.h"

#include "tests/toy_knobs.h"

/* ---- names and values ---- */

static void expect_parsed(const char *name, const char *text, const char *value)
{
	char got[KNOB_VALUE_MAX];
	struct knob knob;

	assert_int_equal(knob_find(name, &knob), 0);
	assert_int_equal(knob_parse(&knob, text, got), 0);
	assert_string_equal(got, value);
	/* What is canonical stays as it is. */
	assert_int_equal(knob_parse(&knob, value, got), 0);
	assert_string_equal(got, value);
}

static void expect_refused(const char *name, const char *text, const char *why)
{
	char got[KNOB_VALUE_MAX];
	struct knob knob;
	int ret;

	assert_int_equal(knob_find(name, &knob), 0);
	ret = knob_parse(&knob, text, got);
	assert_true(ret < 0);
	if (!strstr(err_text(ret), why))
		fail_msg("'%s' does not say '%s'", err_text(ret), why);
}

static void values__canonical(void **state)
{
	(void)state;
	expect_parsed("link.mtu", "9000", "9000");
	expect_parsed("link.mtu", "9K", "9216");
	expect_parsed("link.txqueuelen", "0x10", "16");
	expect_parsed("coalesce.rx-usecs", "20", "20");
	expect_parsed("coalesce.adaptive-rx", "true", "on");
	expect_parsed("coalesce.adaptive-rx", "0", "off");
	expect_parsed("napi.gro-flush-timeout", "200000", "200000");
	expect_parsed("offload.tso", "on", "on");
	expect_parsed("offload.tso", "false", "off");
	/* In the order of the group, whatever the order given. */
	expect_parsed("offload.tso", "tx-tcp6-segmentation+tx-tcp-segmentation",
		     "tx-tcp-segmentation+tx-tcp6-segmentation");
	expect_parsed("offload.tx-gso-partial", "off", "off");
	expect_parsed("qdisc.root", "standard", "standard");
	expect_parsed("qdisc.root", "tbf limit=1M burst=32K  rate=800M handle=1",
		      "tbf rate=800000000 burst=32768 limit=1048576 handle=0x1");
	expect_parsed("sysctl.net.ipv4.tcp_rmem", " 4096\t131072  6291456\n", "4096 131072 6291456");
	expect_parsed("account.attach", "on", "on");
}

static void values__refused(void **state)
{
	(void)state;
	expect_refused("link.mtu", "67", "from 68 to 64K");
	expect_refused("link.mtu", "70000", "from 68 to 64K");
	expect_refused("link.mtu", "big", "big");
	expect_refused("coalesce.adaptive-rx", "maybe", "on or off");
	expect_refused("offload.tso", "tx-udp-segmentation", "on or off");
	expect_refused("qdisc.root", "htb", "standard");
	expect_refused("qdisc.root", "tbf rate=1G", "rate, burst and limit");
	expect_refused("qdisc.root", "tbf rate=1G burst=64K limit=1M peak=2", "peak=2");
	expect_refused("qdisc.root", "tbf rate=fast burst=64K limit=1M", "fast");
	expect_refused("sysctl.net.core.rmem_max", " ", "empty");
}

static void values__burst_is_what_the_kernel_keeps(void **state)
{
	static const uint64_t rates[] = { 1000000, 10000000, 1280000000, 10000000000, 400000000000 };
	uint32_t burst, kept;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		for (burst = 1500; burst < 2000000; burst += 40111) {
			kept = tbf_burst(rates[i], burst);
			/* Never smaller, larger by less than a tick, and stable. */
			assert_true(kept >= burst);
			assert_true(kept - burst <= rates[i] / 8 * 64 / 1000000000 + 1);
			assert_int_equal(tbf_burst(rates[i], kept), kept);
		}
	}
	/* So long that 32 bits of ticks do not hold it. */
	assert_int_equal(tbf_burst(8000, 1u << 30), 0);
}

static void names__unknown(void **state)
{
	static const struct { const char *name, *says; } cases[] = {
		{ "mtu", "the families are link, " },
		{ "", "the families are" },
		{ "wheel.left", "the families are" },
		{ "link.mtuu", "did you mean link.mtu?" },
		{ "link.colour", "the family link has mtu, txqueuelen, " },
		{ "link.", "link has" },
		{ "offload.tsoo", "did you mean offload.tso?" },
		{ "offload.tx-Checksum", "offload" },
		{ "sysctl.", "there is no knob" },
		{ "sysctl./etc/passwd", "there is no knob" },
		{ "sysctl.net..core", "there is no knob" },
		{ "sysctl.net/../../../etc/passwd", "there is no knob" },
	};
	struct knob knob;
	char name[200];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(knob_find(cases[i].name, &knob), -ENOENT);
		if (!strstr(err_text(-ENOENT), cases[i].says))
			fail_msg("'%s' does not say '%s'", err_text(-ENOENT), cases[i].says);
	}
	memset(name, 'x', sizeof(name) - 1);
	memcpy(name, "sysctl.", 7);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(knob_find(name, &knob), -ENOENT);
}

static void names__every_knob_of_a_list_is_one(void **state)
{
	const struct knob_family **f;
	const char *const *key;
	struct knob knob;
	char name[KNOB_NAME_MAX];

	(void)state;
	for (f = knob_families; *f; f++) {
		for (key = (*f)->keys; key && *key; key++) {
			snprintf(name, sizeof(name), "%s.%s", (*f)->name, *key);
			assert_int_equal(knob_find(name, &knob), 0);
			assert_ptr_equal(knob.family, *f);
			assert_string_equal(knob_key(&knob), *key);
			if (*f != &toys)
				assert_non_null(knob.explain);
		}
	}
}

static void check__the_place_has_its_own_range(void **state)
{
	struct knob knob;

	(void)state;
	assert_int_equal(knob_find("toy.a", &knob), 0);
	assert_int_equal(knob_check(&knob, &here, "500"), 0);
	assert_int_equal(knob_check(&knob, &here, "501"), -ERANGE);
	assert_non_null(strstr(err_text(-ERANGE), "1 to 500 bricks, not 501"));
	assert_string_equal(written, "");
}

static void check__a_device_is_needed(void **state)
{
	char value[KNOB_VALUE_MAX];
	struct knob knob;

	(void)state;
	assert_int_equal(knob_find("link.mtu", &knob), 0);
	assert_int_equal(knob_read(&knob, &here, value), -EINVAL);
}

/* ---- the journal ---- */

static void journal__round_trip(void **state)
{
	const struct knob_place place = { .netns = "left \"hand\"", .dev = "eth0" };
	struct journal j, back;

	(void)state;
	journal_init(&j, "ladder of \"test\"");
	assert_string_equal(j.path, "");
	assert_int_equal(journal_add(&j, &place, "link.mtu", "1500", "9000"), 0);
	assert_int_equal(journal_add(&j, &here, "sysctl.net.ipv4.tcp_rmem", "4096 131072 6291456", "1 2 3"), 0);
	/* The first value is the one to go back to. */
	assert_int_equal(journal_add(&j, &place, "link.mtu", "9000", "16000"), 0);
	assert_int_equal(j.n, 2);

	assert_int_equal(journal_load(&back, j.path), 0);
	assert_string_equal(back.what, "ladder of \"test\"");
	assert_int_equal(back.pid, getpid());
	assert_int_equal(back.start, j.start);
	assert_true(journal_alive(&back));
	assert_false(journal_stale_boot(&back));
	assert_int_equal(back.n, 2);
	assert_string_equal(back.entry[0].place.netns, place.netns);
	assert_string_equal(back.entry[0].place.dev, "eth0");
	assert_string_equal(back.entry[0].knob, "link.mtu");
	assert_string_equal(back.entry[0].old_value, "1500");
	assert_string_equal(back.entry[0].new_value, "9000");
	assert_string_equal(back.entry[1].old_value, "4096 131072 6291456");
	assert_non_null(journal_find(&back, &place, "link.mtu"));
	assert_null(journal_find(&back, &here, "link.mtu"));
	journal_free(&back);
	assert_int_equal(journal_remove(&j), 0);
	assert_int_equal(journals(), 0);
	journal_free(&j);
}

static void journal__no_journal_no_change(void **state)
{
	struct journal j;

	(void)state;
	setenv("NETTOLL_STATE_DIR", "/proc/none/of/this", 1);
	journal_init(&j, "test");
	assert_true(turn(&j, "toy.a", "20") < 0);
	assert_int_equal(toy[0], 10);
	assert_string_equal(written, "");
	assert_int_equal(j.n, 0);
	journal_free(&j);
}

static void journal__garbage(void **state)
{
	static const char *const texts[] = {
		"", "{", "[]", "{}", "{\"format\":\"nettoll-journal/2\"}",
		"{\"format\":\"nettoll-journal/1\",\"what\":\"x\",\"pid\":1,\"start\":1,\"boot\":\"b\","
		"\"changes\":[{\"knob\":\"link.mtu\"}]}",
	};
	char path[128];
	struct journal j;
	size_t i;
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/ladder-x.json", dir);
	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		f = fopen(path, "w");
		assert_non_null(f);
		fputs(texts[i], f);
		fclose(f);
		assert_true(journal_load(&j, path) < 0);
		assert_int_equal(j.n, 0);
	}
	unlink(path);
	assert_int_equal(journal_load(&j, path), -ENOENT);
}

static void journal__a_process_that_is_gone(void **state)
{
	struct journal j;
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	journal_init(&j, "test");
	j.pid = pid;
	assert_false(journal_alive(&j));
	/* Its number has been given to another process. */
	j.pid = getpid();
	j.start++;
	assert_false(journal_alive(&j));
	strcpy(j.boot, "another");
	assert_true(journal_stale_boot(&j));
}

/* ---- turning and turning back ---- */

static void turn__equal_values_are_not_written(void **state)
{
	struct journal j;

	(void)state;
	journal_init(&j, "test");
	assert_int_equal(turn(&j, "toy.a", "10"), 0);
	assert_string_equal(written, "");
	assert_int_equal(j.n, 0);
	assert_int_equal(journals(), 0);
	journal_free(&j);
}

static void turn__back_in_reverse_order(void **state)
{
	struct journal j;

	(void)state;
	journal_init(&j, "test");
	assert_int_equal(turn(&j, "toy.b", "20"), 0);
	assert_int_equal(turn(&j, "toy.a", "30"), 0);
	assert_int_equal(turn(&j, "toy.b", "21"), 0);
	assert_int_equal(turn(&j, "toy.c", "40"), 0);
	assert_int_equal(journals(), 1);
	written[0] = '\0';
	assert_int_equal(turn_back(&j), 0);
	assert_string_equal(written, "c=10 a=10 b=10");
	assert_int_equal(journals(), 0);
	journal_free(&j);
}

static void turn__what_moves_others(void **state)
{
	struct journal j;

	(void)state;
	moves_b = 1;
	journal_init(&j, "test");
	/* Both as they were found, before the one moves the other. */
	assert_int_equal(journal_add(&j, &here, "toy.a", "10", "30"), 0);
	assert_int_equal(journal_add(&j, &here, "toy.b", "10", "20"), 0);
	assert_int_equal(turn(&j, "toy.a", "30"), 0);
	assert_int_equal(toy[1], 99);
	assert_int_equal(turn(&j, "toy.b", "20"), 0);
	/* The way back: b, then a, which moves b again. */
	assert_int_equal(turn_back(&j), 0);
	assert_int_equal(toy[0], 10);
	assert_int_equal(toy[1], 10);
	assert_int_equal(journals(), 0);
	journal_free(&j);
}

static void turn__what_cannot_be_put_back_is_kept(void **state)
{
	struct journal j;

	(void)state;
	journal_init(&j, "test");
	assert_int_equal(turn(&j, "toy.a", "30"), 0);
	assert_int_equal(turn(&j, "toy.b", "20"), 0);
	failing = 1;
	assert_true(turn_back(&j) < 0);
	/* The rest is put back all the same. */
	assert_int_equal(toy[0], 10);
	assert_int_equal(toy[1], 20);
	assert_int_equal(journals(), 1);
	failing = -1;
	assert_int_equal(turn_back(&j), 0);
	assert_int_equal(toy[1], 10);
	assert_int_equal(journals(), 0);
	journal_free(&j);
}

static void turn__verified(void **state)
{
	struct journal j;

	(void)state;
	failing = 0;
	journal_init(&j, "test");
	assert_int_equal(turn(&j, "toy.a", "30"), -EIO);
	/* It may have been changed, so it is to be put back. */
	assert_int_equal(j.n, 1);
	failing = -1;
	assert_int_equal(turn_back(&j), 0);
	journal_free(&j);
}

static void restore__heals_after_a_kill(void **state)
{
	struct journal j;
	char path[PATH_MAX];
	int failed;

	(void)state;
	journal_init(&j, "test");
	assert_int_equal(turn(&j, "toy.a", "30"), 0);
	strcpy(path, j.path);
	/* Not while it runs. */
	assert_int_equal(turn_back_file(path, NULL), -EBUSY);
	assert_int_equal(toy[0], 30);
	/* As of a process that is gone: one more entry makes it write itself anew. */
	j.start++;
	failed = turn(&j, "toy.c", "31");
	assert_int_equal(failed, 0);
	journal_free(&j);
	assert_int_equal(turn_back_file(path, NULL), 0);
	assert_int_equal(toy[0], 10);
	assert_int_equal(toy[2], 10);
	assert_int_equal(journals(), 0);
}

static void restore__of_an_earlier_boot(void **state)
{
	struct journal j;
	char path[PATH_MAX];

	(void)state;
	journal_init(&j, "test");
	strcpy(j.boot, "an earlier one");
	assert_int_equal(turn(&j, "toy.a", "30"), 0);
	strcpy(path, j.path);
	journal_free(&j);
	assert_int_equal(turn_back_file(path, NULL), 0);
	assert_int_equal(toy[0], 30);
	assert_int_equal(journals(), 0);
}

#define GONE(netns, dev, index, knob) "{\"netns\":\"" netns "\",\"dev\":\"" dev "\",\"index\":" #index \
	",\"knob\":\"" knob "\",\"old\":\"1\",\"new\":\"2\"}"

static void restore__of_a_device_that_is_gone(void **state)
{
	char path[128], boot[64] = "";
	FILE *f;

	(void)state;
	f = fopen("/proc/sys/kernel/random/boot_id", "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%63s", boot), 1);
	fclose(f);
	snprintf(path, sizeof(path), "%s/ladder-x.json", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	/* No device, no namespace, and another device of the same name. */
	fprintf(f, "{\"format\":\"nettoll-journal/1\",\"what\":\"x\",\"pid\":1,\"start\":1,\"boot\":\"%s\","
		"\"changes\":["
		GONE("", "no-such-dev0", 7, "toy.a") "," GONE("no-such-ns", "", 0, "toy.b") ","
		GONE("", "lo", 999, "toy.c") "]}", boot);
	fclose(f);
	assert_int_equal(turn_back_file(path, NULL), 0);
	assert_string_equal(written, "");
	assert_int_equal(journals(), 0);
}

static void lock__the_second_is_told(void **state)
{
	int first, second, ready[2], done[2], status;
	char c = 0, path[128];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ready) | pipe(done), 0);
	pid = fork();
	if (!pid) {
		if (lock_account("ladder first", &first) || write(ready[1], &c, 1) != 1)
			_exit(1);
		/* Until the other end is closed. */
		close(done[1]);
		if (read(done[0], &c, 1))
			_exit(1);
		_exit(0);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	assert_int_equal(lock_account("ladder second", &second), -EBUSY);
	assert_non_null(strstr(err_text(-EBUSY), "nettoll ladder first"));
	close(done[1]);
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	/* Gone with its holder, however that ended. */
	assert_int_equal(lock_account("ladder second", &second), 0);
	close(second);
	close(ready[0]);
	close(ready[1]);
	close(done[0]);
	snprintf(path, sizeof(path), "%s/lock-account", dir);
	unlink(path);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(values__canonical),
		cmocka_unit_test(values__refused),
		cmocka_unit_test(values__burst_is_what_the_kernel_keeps),
		cmocka_unit_test(names__unknown),
		cmocka_unit_test(names__every_knob_of_a_list_is_one),
		cmocka_unit_test_setup(check__the_place_has_its_own_range, setup_toys),
		cmocka_unit_test(check__a_device_is_needed),
		cmocka_unit_test_setup(journal__round_trip, setup_toys),
		cmocka_unit_test_setup(journal__no_journal_no_change, setup_toys),
		cmocka_unit_test_setup(journal__garbage, setup_toys),
		cmocka_unit_test_setup(journal__a_process_that_is_gone, setup_toys),
		cmocka_unit_test_setup(turn__equal_values_are_not_written, setup_toys),
		cmocka_unit_test_setup(turn__back_in_reverse_order, setup_toys),
		cmocka_unit_test_setup(turn__what_moves_others, setup_toys),
		cmocka_unit_test_setup(turn__what_cannot_be_put_back_is_kept, setup_toys),
		cmocka_unit_test_setup(turn__verified, setup_toys),
		cmocka_unit_test_setup(restore__heals_after_a_kill, setup_toys),
		cmocka_unit_test_setup(restore__of_an_earlier_boot, setup_toys),
		cmocka_unit_test_setup(restore__of_a_device_that_is_gone, setup_toys),
		cmocka_unit_test_setup(lock__the_second_is_told, setup_toys),
	};

	return cmocka_run_group_tests_name("knob", tests, setup_all, teardown_all);
}
