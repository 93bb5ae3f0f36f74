// SPDX-License-Identifier: GPL-2.0-or-later
/* One document, three forms: what people, JSON readers and scripts see of it. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "lib/err.h"
#include "tests/capture.h"

static char text[8192];

static const struct out_col cols[] = {
	{ "name", "name", OUT_STR, 0 },
	{ "calls", NULL, OUT_UINT, 0 },
	{ "rate", "calls/s", OUT_SI, 3 },
	{ "share", "%", OUT_REAL, 1 },
	{ NULL, "note", OUT_STR, 0 },
	{ NULL, "", OUT_BAR, 0 },
};

static void add_row(struct out_table *t, const char *name, uint64_t calls, double rate, double share)
{
	out_row(t, STYLE_TX);
	cell_str(t, name);
	cell_uint(t, calls);
	cell_real(t, rate);
	cell_real(t, share);
	cell_str(t, "for people");
	cell_real(t, share / 100);
}

static struct out_doc *sample(unsigned int flags)
{
	struct out_doc *doc = out_begin("sample", flags);
	struct out_table *t;

	out_uint(doc, "count", "packets", UINT64_MAX, "p");
	out_real(doc, "ratio", NULL, 0.1, 3, NULL);
	t = out_table(doc, "rows", cols, 6);
	add_row(t, "udp", 18446744073709551615ull, 123456.7, 62.54);
	add_row(t, "tcp", 1, 2.5, NAN);
	out_group(t, "totals", OUT_NO_TSV);
	add_row(t, "total", 3, 1e9, 100);
	out_group(t, "only", OUT_SINGLE);
	add_row(t, "one", 4, 4, 4);
	out_text(doc, STYLE_WARN, "a line");
	out_bool(doc, "fine", "fine", true);
	out_str(doc, "missing", "missing", NULL);
	return doc;
}

static void people__aligned_and_without_machine_columns(void **state)
{
	(void)state;
	assert_int_equal(capture(sample(0), OUT_PEOPLE, text, sizeof(text)), 0);
	assert_string_equal(text,
			    "packets  18446744073709551615 p\n"
			    "name   calls/s      %  note\n"
			    "udp       123k   62.5  for people\n"
			    "tcp       2.50      -  for people\n"
			    "---------------------------------\n"
			    "total    1.00G  100.0  for people\n"
			    "---------------------------------\n"
			    "one          4    4.0  for people\n"
			    "a line\n"
			    "fine     yes\n"
			    "missing  -\n");
}

static void tsv__keys_rows_and_marked_fields(void **state)
{
	(void)state;
	assert_int_equal(capture(sample(0), OUT_TSV, text, sizeof(text)), 0);
	assert_string_equal(text,
			    "#count\t18446744073709551615\n"
			    "#ratio\t0.1\n"
			    "name\tcalls\trate\tshare\n"
			    "udp\t18446744073709551615\t123456.7\t62.54\n"
			    "tcp\t1\t2.5\t-\n"
			    "one\t4\t4\t4\n"
			    "#fine\tyes\n"
			    "#missing\t-\n");
}

static void json__parses_and_keeps_64_bits(void **state)
{
	struct json_object *root, *rows, *row;

	(void)state;
	assert_int_equal(capture(sample(0), OUT_JSON, text, sizeof(text)), 0);
	root = json_tokener_parse(text);
	assert_non_null(root);
	assert_int_equal(json_object_get_int(json_object_object_get(root, "version")), 1);
	assert_string_equal(json_object_get_string(json_object_object_get(root, "command")), "sample");
	assert_true(json_object_get_uint64(json_object_object_get(root, "count")) == UINT64_MAX);
	rows = json_object_object_get(root, "rows");
	assert_int_equal(json_object_array_length(rows), 2);
	row = json_object_array_get_idx(rows, 0);
	assert_true(json_object_get_uint64(json_object_object_get(row, "calls")) == UINT64_MAX);
	assert_true(json_object_get_double(json_object_object_get(row, "rate")) == 123456.7);
	assert_int_equal(json_object_object_length(row), 4);
	row = json_object_array_get_idx(rows, 1);
	assert_true(json_object_object_get_ex(row, "share", &rows));
	assert_null(rows);
	assert_int_equal(json_object_array_length(json_object_object_get(root, "totals")), 1);
	assert_true(json_object_is_type(json_object_object_get(root, "only"), json_type_object));
	assert_true(json_object_get_boolean(json_object_object_get(root, "fine")));
	json_object_put(root);
}

static void json__stream_is_one_line(void **state)
{
	(void)state;
	assert_int_equal(capture(sample(OUT_STREAM), OUT_JSON, text, sizeof(text)), 0);
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

static void tsv__stream_names_its_keys_once(void **state)
{
	(void)state;
	assert_int_equal(capture(sample(OUT_STREAM), OUT_TSV, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "name\tcalls"));
	assert_int_equal(capture(sample(OUT_STREAM), OUT_TSV, text, sizeof(text)), 0);
	assert_null(strstr(text, "name\tcalls"));
}

static void strings__do_no_harm(void **state)
{
	static const struct out_col col = { "s", "s", OUT_STR, 0 };
	struct json_object *root;
	struct out_doc *doc;
	struct out_table *t;

	(void)state;
	doc = out_begin("s", 0);
	t = out_table(doc, "rows", &col, 1);
	out_row(t, STYLE_NONE);
	cell_str(t, "a\tb\\ \033[31m \xff\xc3 \xc3\xa4 \"q\"");
	assert_int_equal(capture(doc, OUT_TSV, text, sizeof(text)), 0);
	assert_string_equal(text, "s\na\\tb\\\\ ?[31m ?? \xc3\xa4 \"q\"\n");

	doc = out_begin("s", 0);
	out_str(doc, "s", NULL, "\"\\\xe2\x82 \x01");
	assert_int_equal(capture(doc, OUT_JSON, text, sizeof(text)), 0);
	root = json_tokener_parse(text);
	assert_string_equal(json_object_get_string(json_object_object_get(root, "s")), "\"\\?? ?");
	json_object_put(root);
}

static void rows__that_lack_cells_are_filled(void **state)
{
	struct out_doc *doc = out_begin("s", 0);
	struct out_table *t = out_table(doc, "rows", cols, 2);

	(void)state;
	out_row(t, STYLE_NONE);
	cell_str(t, "a");
	out_row(t, STYLE_NONE);
	cell_str(t, "b");
	cell_uint(t, 1);
	assert_int_equal(capture(doc, OUT_TSV, text, sizeof(text)), 0);
	assert_string_equal(text, "name\tcalls\na\t-\nb\t1\n");
}

static void empty__table_has_keys_only(void **state)
{
	struct out_doc *doc = out_begin("s", 0);
	struct json_object *root, *rows;

	(void)state;
	out_table(doc, "rows", cols, 6);
	assert_int_equal(capture(doc, OUT_TSV, text, sizeof(text)), 0);
	assert_string_equal(text, "name\tcalls\trate\tshare\n");
	doc = out_begin("s", 0);
	out_table(doc, "rows", cols, 1);
	assert_int_equal(capture(doc, OUT_JSON, text, sizeof(text)), 0);
	root = json_tokener_parse(text);
	assert_true(json_object_object_get_ex(root, "rows", &rows));
	assert_int_equal(json_object_array_length(rows), 0);
	json_object_put(root);
}

static void full__disk_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(out_redirect("/dev/full"), 0);
	out_set_format(OUT_JSON);
	assert_int_equal(out_end(sample(0)), -ENOSPC);
	assert_non_null(strstr(err_text(-ENOSPC), "cannot write /dev/full"));
	assert_int_equal(out_close(), -ENOSPC);
}

static void color__only_when_asked(void **state)
{
	(void)state;
	term_set_color(TERM_COLOR_ALWAYS);
	assert_int_equal(capture(sample(0), OUT_PEOPLE, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "\033[36mudp"));
	assert_int_equal(capture(sample(0), OUT_TSV, text, sizeof(text)), 0);
	assert_null(strchr(text, '\033'));
	term_set_color(TERM_COLOR_AUTO);
	assert_int_equal(capture(sample(0), OUT_PEOPLE, text, sizeof(text)), 0);
	assert_null(strchr(text, '\033'));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(people__aligned_and_without_machine_columns),
		cmocka_unit_test(tsv__keys_rows_and_marked_fields),
		cmocka_unit_test(json__parses_and_keeps_64_bits),
		cmocka_unit_test(json__stream_is_one_line),
		cmocka_unit_test(tsv__stream_names_its_keys_once),
		cmocka_unit_test(strings__do_no_harm),
		cmocka_unit_test(rows__that_lack_cells_are_filled),
		cmocka_unit_test(empty__table_has_keys_only),
		cmocka_unit_test(color__only_when_asked),
		/* Last: a write error is remembered for the rest of the process. */
		cmocka_unit_test(full__disk_is_an_error),
	};

	return cmocka_run_group_tests_name("out", tests, NULL, NULL);
}
