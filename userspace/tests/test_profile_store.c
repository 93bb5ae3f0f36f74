// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs as lines of JSON: what is read, what is refused and how it is named, and that the order of lines does not
 * matter.
 */
#include <math.h>
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
#include "profile/record.h"
#include "profile/scan.h"
#include "profile/store.h"

#define NUMBER(text, value) do { \
	struct scan scan_; \
	scan_begin(&scan_, text " ", strlen(text) + 1); \
	assert_true(scan_number(&scan_) == (value)); \
	assert_true(scan_end(&scan_)); \
} while (0)

static void scan__numbers_are_those_of_strtod(void **state)
{
	(void)state;
	NUMBER("0", 0);
	NUMBER("-0.5", -0.5);
	NUMBER("0.1", 0.1);
	NUMBER("1e10", 1e10);
	NUMBER("4.945763e+09", 4.945763e+09);
	NUMBER("123456789012345678", 123456789012345678.0);
	NUMBER("0.000000000000000000000000000001234", 1.234e-30);
	NUMBER("1.7976931348623157e308", 1.7976931348623157e308);
	NUMBER("1e400", INFINITY);
	NUMBER("00.25", 0.25);
}

static const char *scan_fault(const char *text)
{
	struct scan s;

	scan_begin(&s, text, strlen(text));
	scan_skip(&s);
	scan_end(&s);
	return s.why;
}

static void scan__sound_and_unsound(void **state)
{
	static const char *const good[] = { "{}", "[]", "[1, 2 ,3]", "{\"a\":{\"b\":[null,true,false,\"\\u00e9\\n\"]}}",
					    "[NaN,-Infinity]" };
	static const char *const bad[] = { "", "{", "[1,]", "[,1]", "[1 2]", "{\"a\" 1}", "{a:1}", "\"\\q\"",
					   "\"a\nb\"",
					   "[1.]", "[1e]", "[tru]", "{}{}", "[\"\\u12g4\"]", "{\"a\":1,}", "]" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_null(scan_fault(good[i]));
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_non_null(scan_fault(bad[i]));
	/* Too deep. */
	assert_non_null(scan_fault("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"));
}

#define HEAD	"{\"nettoll_run\":1,\"campaign\":\"c\",\"variant\":\"cubic\",\"buffer\":\"64M\",\"streams\":2," \
		"\"rtt_ms\":11.8,\"repeat\":0,\"valid\":true,"
#define GOOD	HEAD "\"throughput_bps\":1e9}"

static enum record_fault parse(const char *line, char *why, size_t size)
{
	static struct record r;

	return record_parse(line, strlen(line), &r, why, size);
}

static void record__faults_are_told_apart(void **state)
{
	static const struct { const char *line; enum record_fault fault; const char *why; } cases[] = {
		{ GOOD, RECORD_OK, "" },
		{ HEAD "\"throughput_bps\":1e9,\"later\":{\"x\":[1,{}]}}", RECORD_OK, "" },
		{ "{\"start\":{\"connected\":[]}}", RECORD_FOREIGN, "nettoll_run" },
		{ "hello", RECORD_FOREIGN, "object" },
		{ "{}", RECORD_FOREIGN, "nettoll_run" },
		{ "{\"nettoll_run\":2}", RECORD_FOREIGN, "version" },
		{ HEAD "\"throughput_bps\":1", RECORD_CUT, "middle" },
		{ HEAD "\"throu", RECORD_CUT, "middle" },
		{ HEAD "\"traces\":[{\"interval_s\":1,\"bps\":[1,2", RECORD_CUT, "middle" },
		{ HEAD "\"throughput_bps\":NaN}", RECORD_NAN, "throughput_bps" },
		{ HEAD "\"throughput_bps\":null}", RECORD_NAN, "throughput_bps" },
		{ HEAD "\"throughput_bps\":Infinity}", RECORD_NAN, "infinite" },
		{ HEAD "\"throughput_bps\":0}", RECORD_ZERO, "nothing" },
		{ HEAD "\"throughput_bps\":-1}", RECORD_BAD, "below" },
		{ HEAD "\"x\":1}", RECORD_BAD, "throughput_bps" },
		{ HEAD "\"throughput_bps\":1,\"streams\":0}", RECORD_BAD, "streams" },
		{ HEAD "\"throughput_bps\":1,\"rtt_ms\":null}", RECORD_NAN, "rtt_ms" },
		{ HEAD "\"throughput_bps\":1,\"repeat\":0.5}", RECORD_BAD, "repeat" },
		{ HEAD "\"throughput_bps\":1,\"traces\":[{\"bps\":[1]}]}", RECORD_FOREIGN, "interval_s" },
		/* What is not valid may have any throughput. */
		{ HEAD "\"throughput_bps\":0,\"valid\":false}", RECORD_OK, "" },
	};
	char why[256];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		*why = '\0';
		if (parse(cases[i].line, why, sizeof(why)) != cases[i].fault || !strstr(why, cases[i].why))
			fail_msg("%s: %s", cases[i].line, why);
	}
}

/* No beginning of a good line is taken for a run, or reads beyond its end. */
static void record__cut_anywhere(void **state)
{
	static const char line[] = HEAD "\"throughput_bps\":1e9,\"reason\":\"a\\u00e9\",\"stream_bps\":[1,2.5e3],"
				   "\"limited\":{\"busy_us\":1},\"traces\":[{\"stream\":null,\"interval_s\":0.1,"
				   "\"bps\":[1,2]}]}";
	size_t len = strlen(line), n;
	struct record r = { 0 };
	char why[256], *copy;

	(void)state;
	for (n = 0; n <= len; n++) {
		copy = malloc(n + 1);
		assert_non_null(copy);
		memcpy(copy, line, n);
		assert_int_equal(record_parse(copy, n, &r, why, sizeof(why)) == RECORD_OK, n == len);
		free(copy);
	}
	record_free(&r);
}

static void record__written_is_read(void **state)
{
	struct record a = { 0 }, b = { 0 };
	struct record_trace *t;
	char *text = NULL, why[256];
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	record_clear(&a);
	strcpy(a.campaign, "with \"quotes\" and \\");
	strcpy(a.variant, "bbr");
	strcpy(a.buffer, "bdp:2");
	a.buffer_bytes = 123456789;
	a.streams = 3;
	a.repeat = 7;
	a.rtt_ms = 22.6;
	a.capacity_bps = 1e9;
	a.throughput_bps = 9.4e8;
	a.busy_us = 1e7;
	a.valid = true;
	a.nstream_bps = 2;
	a.stream_bps[1] = 4.5e8f;
	t = record_trace(&a, 0.1, 1, 300);
	assert_non_null(t);
	memset(t->bps, 0, 300 * sizeof(*t->bps));
	t->bps[299] = 1e8f;
	assert_int_equal(record_write(f, &a), 0);
	fclose(f);
	assert_int_equal(record_parse(text, strlen(text) - 1, &b, why, sizeof(why)), RECORD_OK);
	assert_string_equal(a.campaign, b.campaign);
	assert_string_equal(a.buffer, b.buffer);
	assert_true(b.buffer_bytes == a.buffer_bytes && b.streams == 3 && b.repeat == 7 && b.rtt_ms == 22.6);
	assert_true(b.throughput_bps == 9.4e8 && b.busy_us == 1e7 && isnan(b.rwnd_us) && isnan(b.seconds));
	assert_true(b.ntraces == 1 && b.traces[0].n == 300 && b.traces[0].stream == 1 && b.traces[0].bps[299] == 1e8f);
	assert_true(b.nstream_bps == 2 && b.stream_bps[1] == 4.5e8f);
	record_free(&a);
	record_free(&b);
	free(text);
}

/* Reads text as one file, sorted. */
static int read_text(struct store *s, const char *text)
{
	char path[] = "/tmp/nettoll-test-XXXXXX";
	int fd = mkstemp(path), ret;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	ret = store_read(s, path);
	unlink(path);
	return ret ? ret : store_sort(s);
}

#define RUN(campaign, variant, rtt, repeat, rest) \
	"{\"nettoll_run\":1,\"campaign\":\"" campaign "\",\"variant\":\"" variant "\",\"buffer\":\"64M\"," \
	"\"streams\":1,\"rtt_ms\":" rtt ",\"repeat\":" repeat ",\"throughput_bps\":1e9,\"valid\":true" rest "}\n"

static void store__names_lines(void **state)
{
	struct store s = { 0 };

	(void)state;
	assert_int_equal(read_text(&s, RUN("a", "cubic", "10", "0", "") "\nrubbish\n" RUN("a", "cubic", "10", "0", "")
				   RUN("b", "cubic", "10", "0", "") RUN("a", "cubbic", "10", "0", "")
				   RUN("a", "cubic", "10", "1", ",\"valid\":false,\"reason\":\"drops\"")
				   "{\"nettoll_run\":1,\"c"), 0);
	assert_int_equal(s.n, 3);
	assert_non_null(strstr(s.problems.kept[PROBLEM_FOREIGN][0].text, ":3: "));
	assert_non_null(strstr(s.problems.kept[PROBLEM_TWICE][0].text, ":4: "));
	assert_non_null(strstr(s.problems.kept[PROBLEM_CAMPAIGN][0].text, ":5: "));
	assert_non_null(strstr(s.problems.kept[PROBLEM_VARIANT][0].text, "'cubic'"));
	assert_non_null(strstr(s.problems.kept[PROBLEM_INVALID][0].text, "drops"));
	assert_non_null(strstr(s.problems.kept[PROBLEM_CUT][0].text, ":8: "));
	assert_int_equal(problem_left_out(&s.problems), 4);
	assert_true(store_one_campaign(&s) < 0);
	err_clear();
	store_free(&s);
}

static void store__one_campaign_only(void **state)
{
	struct store s = { .only = "b" };

	(void)state;
	assert_int_equal(read_text(&s, RUN("a", "cubic", "10", "0", "") RUN("b", "reno", "10", "0", "")), 0);
	assert_int_equal(s.n, 1);
	assert_int_equal(store_one_campaign(&s), 0);
	store_free(&s);
	s.only = "c";
	assert_true(read_text(&s, RUN("a", "cubic", "10", "0", "")) < 0);
	err_clear();
	store_free(&s);
}

static void store__capacity_may_not_change(void **state)
{
	struct store s = { 0 };

	(void)state;
	assert_int_equal(read_text(&s, RUN("a", "cubic", "10", "0", ",\"capacity_bps\":1e9")
				   RUN("a", "cubic", "10", "1", ",\"capacity_bps\":2e9")), 0);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.problems.count[PROBLEM_CAPACITY], 1);
	assert_true(s.groups[0].capacity_bps == 1e9);
	store_free(&s);
}

static void store__order_of_lines_does_not_matter(void **state)
{
	static const char *const lines[] = {
		RUN("a", "reno", "10", "0", ""), RUN("a", "cubic", "20", "1", ""), RUN("a", "cubic", "10", "0", ""),
		RUN("a", "cubic", "20", "0", ""),
	};
	char forth[2048] = "", back[2048] = "";
	struct store s = { 0 }, t = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++) {
		strcat(forth, lines[i]);
		strcat(back, lines[3 - i]);
	}
	assert_int_equal(read_text(&s, forth), 0);
	assert_int_equal(read_text(&t, back), 0);
	assert_int_equal(s.ngroups, 2);
	assert_string_equal(s.groups[0].variant, "cubic");
	for (i = 0; i < 4; i++) {
		assert_true(s.runs[i].rtt_ms == t.runs[i].rtt_ms && s.runs[i].repeat == t.runs[i].repeat);
		assert_string_equal(s.groups[s.runs[i].group].variant, t.groups[t.runs[i].group].variant);
	}
	assert_true(s.ncampaigns == 1 && s.campaigns[0].nrtts == 2);
	assert_true(s.campaigns[0].rtts[0] == 10 && s.campaigns[0].rtts[1] == 20);
	assert_true(s.groups[0].hash == t.groups[0].hash && s.groups[0].hash != s.groups[1].hash);
	store_free(&s);
	store_free(&t);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(scan__numbers_are_those_of_strtod),
		cmocka_unit_test(scan__sound_and_unsound),
		cmocka_unit_test(record__faults_are_told_apart),
		cmocka_unit_test(record__cut_anywhere),
		cmocka_unit_test(record__written_is_read),
		cmocka_unit_test(store__names_lines),
		cmocka_unit_test(store__one_campaign_only),
		cmocka_unit_test(store__capacity_may_not_change),
		cmocka_unit_test(store__order_of_lines_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
