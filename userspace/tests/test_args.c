// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers with units and names from the command line: values, bounds, and what the errors say. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/args.h"
#include "lib/err.h"

#define MAX	UINT64_MAX

static void uint__accepts_decimal_and_hex(void **state)
{
	uint64_t v = 0;

	(void)state;
	assert_int_equal(arg_uint("n", "0", 0, MAX, &v), 0);
	assert_true(v == 0);
	assert_int_equal(arg_uint("n", "18446744073709551615", 0, MAX, &v), 0);
	assert_true(v == UINT64_MAX);
	assert_int_equal(arg_uint("n", "0x1fF", 0, MAX, &v), 0);
	assert_true(v == 0x1ff);
}

static void uint__refuses_what_is_no_number(void **state)
{
	static const char *const bad[] = { "", "-1", "+1", " 1", "1 ", "1k", "0x", "0xg", "1.0", "x" };
	uint64_t v = 42;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(arg_uint("n", bad[i], 0, MAX, &v), -EINVAL);
	assert_int_equal(arg_uint("n", "18446744073709551616", 0, MAX, &v), -ERANGE);
	assert_true(v == 42);
}

static void uint__error_names_value_and_range(void **state)
{
	uint64_t v;

	(void)state;
	assert_int_equal(arg_uint("--batch", "0", 1, 1024, &v), -ERANGE);
	assert_non_null(strstr(err_text(-ERANGE), "--batch"));
	assert_non_null(strstr(err_text(-ERANGE), "from 1 to 1024"));
	assert_int_equal(arg_uint("--batch", "1025", 1, 1024, &v), -ERANGE);
}

static void size__units(void **state)
{
	static const struct { const char *text; uint64_t bytes; } good[] = {
		{ "1448", 1448 }, { "64K", 65536 }, { "64k", 65536 }, { "64KiB", 65536 }, { "1M", 1 << 20 },
		{ "1.5G", 1610612736 }, { "0.5k", 512 }, { "2TB", 2ull << 40 }, { "9B", 9 },
		{ "0", 0 }, { "1.", 1 }, { ".5K", 512 }, { "1.000000000000K", 1024 },
	};
	static const char *const bad[] = { "", "K", ".", "1.5", "1KK", "1 K", "-1K", "0.1K", "1e3", "1.5X" };
	uint64_t v;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(*good); i++) {
		v = 99;
		assert_int_equal(arg_size("s", good[i].text, 0, MAX, &v), 0);
		assert_true(v == good[i].bytes);
	}
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(arg_size("s", bad[i], 0, MAX, &v), -EINVAL);
	assert_int_equal(arg_size("s", "99999999999999999999", 0, MAX, &v), -ERANGE);
	assert_int_equal(arg_size("s", "16777216T", 0, MAX, &v), -ERANGE);
	assert_int_equal(arg_size("s", "18446744073709551616", 0, MAX, &v), -ERANGE);
	assert_int_equal(arg_size("s", "65K", 1, 64 << 10, &v), -ERANGE);
	assert_non_null(strstr(err_text(-ERANGE), "from 1 to 64K"));
}

static void rate__units(void **state)
{
	uint64_t v;

	(void)state;
	assert_int_equal(arg_rate("r", "1.28G", 0, MAX, &v), 0);
	assert_true(v == 1280000000);
	assert_int_equal(arg_rate("r", "100Mbit", 0, MAX, &v), 0);
	assert_true(v == 100000000);
	assert_int_equal(arg_rate("r", "10Gbit/s", 0, MAX, &v), 0);
	assert_true(v == 10000000000);
	assert_int_equal(arg_rate("r", "9600bps", 0, MAX, &v), 0);
	assert_true(v == 9600);
	assert_int_equal(arg_rate("r", "1Mbyte", 0, MAX, &v), -EINVAL);
	assert_int_equal(arg_rate("r", "bit", 0, MAX, &v), -EINVAL);
}

static void duration__units(void **state)
{
	uint64_t v;

	(void)state;
	assert_int_equal(arg_duration("d", "50us", NULL, 0, MAX, &v), 0);
	assert_true(v == 50000);
	assert_int_equal(arg_duration("d", "1.5m", NULL, 0, MAX, &v), 0);
	assert_true(v == 90000000000);
	assert_int_equal(arg_duration("d", "0.25", "s", 0, MAX, &v), 0);
	assert_true(v == 250000000);
	assert_int_equal(arg_duration("d", "7", "us", 0, MAX, &v), 0);
	assert_true(v == 7000);
	assert_int_equal(arg_duration("d", "0", NULL, 0, MAX, &v), 0);
	assert_true(v == 0);
	/* M is no unit of time, and m must not be taken for ms. */
	assert_int_equal(arg_duration("d", "1M", NULL, 0, MAX, &v), -EINVAL);
	assert_int_equal(arg_duration("d", "5", NULL, 0, MAX, &v), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), "unit"));
	assert_int_equal(arg_duration("d", "0.5ns", NULL, 0, MAX, &v), -EINVAL);
	assert_int_equal(arg_duration("--interval", "5ms", NULL, 10000000, 3600000000000, &v), -ERANGE);
	assert_non_null(strstr(err_text(-ERANGE), "from 10ms to 1h"));
}

static void ppm__shares(void **state)
{
	uint32_t v;

	(void)state;
	assert_int_equal(arg_ppm("p", "1%", 0, 1000000, &v), 0);
	assert_int_equal(v, 10000);
	assert_int_equal(arg_ppm("p", "0.05", 0, 1000000, &v), 0);
	assert_int_equal(v, 500);
	assert_int_equal(arg_ppm("p", "100%", 0, 1000000, &v), 0);
	assert_int_equal(v, 1000000);
	assert_int_equal(arg_ppm("p", "100.1%", 100, 1000000, &v), -ERANGE);
	assert_non_null(strstr(err_text(-ERANGE), "from 0.01% to 100%"));
	assert_int_equal(arg_ppm("p", "0.00001%", 0, 1000000, &v), -EINVAL);
}

static void real__signs_and_range(void **state)
{
	double v;

	(void)state;
	assert_int_equal(arg_real("x", "-2.5", -10, 10, &v), 0);
	assert_true(v == -2.5);
	assert_int_equal(arg_real("x", "+.5", -10, 10, &v), 0);
	assert_true(v == 0.5);
	assert_int_equal(arg_real("x", "10.1", -10, 10, &v), -ERANGE);
	assert_int_equal(arg_real("x", "1e3", -10, 10, &v), -EINVAL);
	assert_int_equal(arg_real("x", "nan", -10, 10, &v), -EINVAL);
	assert_int_equal(arg_real("x", "", -10, 10, &v), -EINVAL);
}

static const char *const words[] = { "show", "stat", "set", "hooks", "help", "udp_sendmsg" };
#define NWORDS	(sizeof(words) / sizeof(*words))

static void word__prefixes(void **state)
{
	(void)state;
	assert_int_equal(arg_word("command", "stat", words, NWORDS), 1);
	assert_int_equal(arg_word("command", "st", words, NWORDS), 1);
	assert_int_equal(arg_word("command", "se", words, NWORDS), 2);
	assert_int_equal(arg_word("command", "ho", words, NWORDS), 3);
	assert_int_equal(arg_word("command", "s", words, NWORDS), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), "ambiguous: show, stat, set"));
	assert_int_equal(arg_word("command", "", words, NWORDS), -EINVAL);
}

static void word__suggests_the_nearest(void **state)
{
	(void)state;
	assert_int_equal(arg_word("command", "hepl", words, NWORDS), -EINVAL);
	assert_string_equal(err_text(-EINVAL), "there is no command 'hepl', did you mean 'help'?");
	assert_string_equal(nearest_word("udp_sendmesg", words, NWORDS), "udp_sendmsg");
	assert_string_equal(nearest_word("sendmsg", words, NWORDS), "udp_sendmsg");
	assert_null(nearest_word("completely-else", words, NWORDS));
	assert_null(nearest_word("", words, NWORDS));
}

static void word__lists_a_few(void **state)
{
	(void)state;
	assert_int_equal(arg_word("protocol", "x", (const char *const[]) { "udp", "tcp" }, 2), -EINVAL);
	assert_string_equal(err_text(-EINVAL), "there is no protocol 'x': udp, tcp");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(uint__accepts_decimal_and_hex),
		cmocka_unit_test(uint__refuses_what_is_no_number),
		cmocka_unit_test(uint__error_names_value_and_range),
		cmocka_unit_test(size__units),
		cmocka_unit_test(rate__units),
		cmocka_unit_test(duration__units),
		cmocka_unit_test(ppm__shares),
		cmocka_unit_test(real__signs_and_range),
		cmocka_unit_test(word__prefixes),
		cmocka_unit_test(word__suggests_the_nearest),
		cmocka_unit_test(word__lists_a_few),
	};

	return cmocka_run_group_tests_name("args", tests, NULL, NULL);
}
