// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers as people read them: units, rounding at their edges, and a closure that is 100 only when exact. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/fmt.h"
#include "lib/term.h"

#define EXPECT(call, text) do {		\
	char buf[64];			\
					\
	call;				\
	assert_string_equal(buf, text);	\
} while (0)

static void size__largest_unit_that_divides(void **state)
{
	(void)state;
	EXPECT(fmt_size(buf, sizeof(buf), 0), "0");
	EXPECT(fmt_size(buf, sizeof(buf), 1448), "1448");
	EXPECT(fmt_size(buf, sizeof(buf), 65536), "64K");
	EXPECT(fmt_size(buf, sizeof(buf), 3ull << 40), "3T");
}

static void duration__largest_unit_that_divides(void **state)
{
	(void)state;
	EXPECT(fmt_duration(buf, sizeof(buf), 0), "0s");
	EXPECT(fmt_duration(buf, sizeof(buf), 50000), "50us");
	EXPECT(fmt_duration(buf, sizeof(buf), 1500000000), "1500ms");
	EXPECT(fmt_duration(buf, sizeof(buf), 7200000000000), "2h");
	EXPECT(fmt_duration(buf, sizeof(buf), 1), "1ns");
}

static void si__significant_digits(void **state)
{
	(void)state;
	EXPECT(fmt_si(buf, sizeof(buf), 0, 4), "0");
	EXPECT(fmt_si(buf, sizeof(buf), 999, 4), "999");
	EXPECT(fmt_si(buf, sizeof(buf), 12.345, 4), "12.35");
	EXPECT(fmt_si(buf, sizeof(buf), 1000, 4), "1.000k");
	EXPECT(fmt_si(buf, sizeof(buf), 123456, 4), "123.5k");
	EXPECT(fmt_si(buf, sizeof(buf), 2.4e9, 4), "2.400G");
	EXPECT(fmt_si(buf, sizeof(buf), -2500, 2), "-2.5k");
	/* What would round to four digits in front of the point goes to the next unit. */
	EXPECT(fmt_si(buf, sizeof(buf), 999999, 4), "1.000M");
	EXPECT(fmt_si(buf, sizeof(buf), 999940, 4), "999.9k");
	EXPECT(fmt_si(buf, sizeof(buf), NAN, 4), "-");
}

static void rate__with_unit(void **state)
{
	(void)state;
	EXPECT(fmt_rate(buf, sizeof(buf), 1280000000), "1.280Gbit/s");
}

static void closure__is_100_only_when_exact(void **state)
{
	(void)state;
	EXPECT(fmt_closure(buf, sizeof(buf), 12345, 12345), "100");
	EXPECT(fmt_closure(buf, sizeof(buf), 0, 0), "100");
	EXPECT(fmt_closure(buf, sizeof(buf), 5, 0), "-");
	EXPECT(fmt_closure(buf, sizeof(buf), 1, 2), "50.0");
	EXPECT(fmt_closure(buf, sizeof(buf), 999, 1000), "99.9");
	EXPECT(fmt_closure(buf, sizeof(buf), 9999999, 10000000), "99.99999");
	EXPECT(fmt_closure(buf, sizeof(buf), 1001, 1000), "100.1");
	EXPECT(fmt_closure(buf, sizeof(buf), 10000001, 10000000), "100.00001");
}

/* One cycle too few or too many in weeks of them must show. */
static void closure__shows_one_cycle_in_many(void **state)
{
	static const uint64_t wholes[] = { 1000000000000ull, 1ull << 52, 10000000000000000ull };
	char buf[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wholes) / sizeof(*wholes); i++) {
		fmt_closure(buf, sizeof(buf), wholes[i] - 1, wholes[i]);
		assert_memory_equal(buf, "99.999999", 9);
		fmt_closure(buf, sizeof(buf), wholes[i] + 1, wholes[i]);
		assert_memory_equal(buf, "100.000000", 10);
		assert_true(strtold(buf, NULL) > 100);
	}
}

static void bar__eighths_or_hashes(void **state)
{
	(void)state;
	EXPECT(term_bar(buf, sizeof(buf), 0.5, 8, false), "####");
	EXPECT(term_bar(buf, sizeof(buf), 1, 3, true), "███");
	EXPECT(term_bar(buf, sizeof(buf), 0.25, 2, true), "▌");
	EXPECT(term_bar(buf, sizeof(buf), 0.0625, 2, true), "▏");
	EXPECT(term_bar(buf, sizeof(buf), 7, 3, false), "###");
	EXPECT(term_bar(buf, sizeof(buf), -1, 3, false), "");
	EXPECT(term_bar(buf, sizeof(buf), NAN, 3, true), "");
	/* Never more than there is room for, and no half characters. */
	EXPECT(term_bar(buf, 8, 1, 3, true), "██");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(size__largest_unit_that_divides),
		cmocka_unit_test(duration__largest_unit_that_divides),
		cmocka_unit_test(si__significant_digits),
		cmocka_unit_test(rate__with_unit),
		cmocka_unit_test(closure__is_100_only_when_exact),
		cmocka_unit_test(closure__shows_one_cycle_in_many),
		cmocka_unit_test(bar__eighths_or_hashes),
	};

	return cmocka_run_group_tests_name("fmt", tests, NULL, NULL);
}
