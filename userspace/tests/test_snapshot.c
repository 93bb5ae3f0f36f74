// SPDX-License-Identifier: GPL-2.0-or-later
/* Snapshots: the hash, files, what differs; and the hash function itself. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "knobs/snapshot.h"
#include "lib/err.h"

static void hash_of(const char *text, size_t times, char *hash)
{
	struct sha256 s;

	sha256_init(&s);
	while (times--)
		sha256_add(&s, text, strlen(text));
	sha256_text(&s, hash);
}

/* Of FIPS 180-2, and a length at which the padding needs a block of its own. */
static void sha256__known_answers(void **state)
{
	static const struct { const char *text; size_t times; const char *hash; } cases[] = {
		{ "", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
		{ "a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0" },
	};
	char hash[SHA256_TEXT];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		hash_of(cases[i].text, cases[i].times, hash);
		assert_string_equal(hash, cases[i].hash);
	}
}

/* ---- two devices and the host, in memory ---- */

static struct survey_item e0_items[2], bond_items[1], host_items[1];
static struct snapshot_place places[3];
static struct snapshot sample;

static void put(struct survey_item *item, const char *name, const char *value)
{
	*item = (struct survey_item) { "", "" };
	strcpy(item->name, name);
	strcpy(item->value, value);
}

static int setup(void **state)
{
	(void)state;
	put(&e0_items[0], "link.mtu", "1500");
	put(&e0_items[1], "offload.tso", "on");
	put(&bond_items[0], "link.mtu", "9000");
	put(&host_items[0], "sysctl.net.ipv4.tcp_rmem", "4096 131072 6291456");
	places[0] = (struct snapshot_place) { "mac:52:54:00:12:34:56", "e0", { 2, 0, e0_items } };
	places[1] = (struct snapshot_place) { "name:bond0", "bond0", { 1, 0, bond_items } };
	places[2] = (struct snapshot_place) { "host", "", { 1, 0, host_items } };
	sample = (struct snapshot) { "", "2026-01-01T00:00:00Z", "here", "6.1", 3, places };
	return 0;
}

static void hash__of_values_and_nothing_else(void **state)
{
	char first[SHA256_TEXT], hash[SHA256_TEXT];
	struct snapshot_place one = { "", "", { 0, 0, NULL } };
	struct survey_item item;

	(void)state;
	assert_int_equal(snapshot_hash(&sample, first), 0);
	/* What people see may change, */
	strcpy(sample.time, "later");
	strcpy(places[0].dev, "renamed0");
	/* and the order of knobs and places; */
	item = e0_items[0];
	e0_items[0] = e0_items[1];
	e0_items[1] = item;
	one = places[0];
	places[0] = places[2];
	places[2] = one;
	assert_int_equal(snapshot_hash(&sample, hash), 0);
	assert_string_equal(hash, first);
	/* no value may, */
	put(&e0_items[1], "link.mtu", "1501");
	assert_int_equal(snapshot_hash(&sample, hash), 0);
	assert_string_not_equal(hash, first);
	/* nor whose it is. */
	put(&e0_items[1], "link.mtu", "9000");
	put(&bond_items[0], "link.mtu", "1500");
	assert_int_equal(snapshot_hash(&sample, hash), 0);
	assert_string_not_equal(hash, first);
}

static char path[64];

static void edit(const char *from, const char *to)
{
	char text[8192], *at;
	FILE *f = fopen(path, "r");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	at = strstr(text, from);
	assert_non_null(at);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	fclose(f);
}

static void file__there_and_back(void **state)
{
	char first[SHA256_TEXT], hash[SHA256_TEXT];
	struct snapshot back;

	(void)state;
	assert_int_equal(snapshot_hash(&sample, first), 0);
	assert_int_equal(snapshot_save(&sample, path), 0);
	assert_int_equal(snapshot_load(&back, path), 0);
	assert_int_equal(back.n, 3);
	assert_string_equal(back.place[0].dev, "e0");
	assert_string_equal(back.kernel, "6.1");
	assert_string_equal(survey_value(&back.place[0].survey, "offload.tso"), "on");
	assert_int_equal(snapshot_hash(&back, hash), 0);
	assert_string_equal(hash, first);
	snapshot_free(&back);
}

static void file__bad_ones(void **state)
{
	static const struct { const char *from, *to, *says; } cases[] = {
		{ "\"1500\"", "\"1501\"", "edited" },
		{ "nettoll-snapshot/1", "nettoll-snapshot/2", "no snapshot" },
		{ "\"1500\"", "1500", "no snapshot" },
		{ "\"places\"", "\"palaces\"", "no snapshot" },
		{ "{", "[", "no snapshot" },
	};
	struct snapshot s;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(snapshot_save(&sample, path), 0);
		edit(cases[i].from, cases[i].to);
		assert_int_equal(snapshot_load(&s, path), -EPROTO);
		if (!strstr(err_text(-EPROTO), cases[i].says))
			fail_msg("'%s' does not say '%s'", err_text(-EPROTO), cases[i].says);
	}
	assert_int_equal(snapshot_load(&s, "/nonexistent/file"), -ENOENT);
	assert_int_equal(snapshot_save(&sample, "/nonexistent/file"), -ENOENT);
}

struct told {
	size_t n;
	char text[1024];
};

static int tell(const char *dev, const char *knob, const char *a, const char *b, void *arg)
{
	struct told *t = arg;
	size_t len = strlen(t->text);

	t->n++;
	snprintf(t->text + len, sizeof(t->text) - len, "%s %s %s %s;", dev, knob, a ? a : "-", b ? b : "-");
	return 0;
}

static void compare__by_identity(void **state)
{
	struct survey_item items[2];
	struct snapshot_place other[2] = {
		{ "mac:52:54:00:12:34:56", "lan0", { 2, 0, items } },
		{ "name:br0", "br0", { 0, 0, NULL } },
	};
	struct snapshot now = { .n = 2, .place = other };
	struct told t = { 0, "" };

	(void)state;
	put(&items[0], "link.mtu", "9000");
	put(&items[1], "ring.rx", "256");
	assert_int_equal(snapshot_compare(&sample, &sample, tell, &t), 0);
	assert_int_equal(t.n, 0);
	assert_int_equal(snapshot_compare(&sample, &now, tell, &t), 0);
	assert_string_equal(t.text, "lan0 link.mtu 1500 9000;lan0 offload.tso on -;lan0 ring.rx - 256;"
			    "bond0  there -;  there -;br0  - there;");
}

/* What the tests run on is read for real: two looks at the loopback agree, and it is not there by default. */
static void take__what_is_here(void **state)
{
	char *const lo[] = { "lo" }, *const none[] = { "no-such-dev0" };
	char first[SHA256_TEXT], second[SHA256_TEXT];
	struct snapshot a, b;
	size_t i;

	(void)state;
	if (geteuid())
		skip();
	assert_int_equal(snapshot_take(&a, "", lo, 1, false), 0);
	assert_int_equal(a.n, 1);
	assert_non_null(survey_value(&a.place[0].survey, "link.mtu"));
	assert_int_equal(snapshot_again(&b, &a), 0);
	assert_int_equal(snapshot_hash(&a, first), 0);
	assert_int_equal(snapshot_hash(&b, second), 0);
	assert_string_equal(first, second);
	snapshot_free(&a);
	snapshot_free(&b);
	assert_int_equal(snapshot_take(&a, "", NULL, 0, true), 0);
	assert_string_equal(a.place[0].identity, "host");
	for (i = 0; i < a.n; i++)
		assert_string_not_equal(a.place[i].dev, "lo");
	snapshot_free(&a);
	assert_int_equal(snapshot_take(&a, "", none, 1, true), -ENODEV);
}

static int make_file(void **state)
{
	int fd;

	(void)state;
	strcpy(path, "/tmp/nettoll-snapshot-XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(sha256__known_answers),
		cmocka_unit_test_setup(hash__of_values_and_nothing_else, setup),
		cmocka_unit_test_setup(file__there_and_back, setup),
		cmocka_unit_test_setup(file__bad_ones, setup),
		cmocka_unit_test_setup(compare__by_identity, setup),
		cmocka_unit_test(take__what_is_here),
	};

	return cmocka_run_group_tests_name("snapshot", tests, make_file, remove_file);
}
