// SPDX-License-Identifier: GPL-2.0-or-later
/* Sets of CPUs: lists and masks, to and fro. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/cpus.h"

static void lists_and_masks(void **state)
{
	static const struct { const char *list, *mask, *shortest; } cases[] = {
		{ "0", "1", "0" },
		{ "0-3,8", "10f", "0-3,8" },
		{ "8,3,2,1,0", "10f", "0-3,8" },
		{ "31-32", "1,80000000", "31-32" },
		{ "63,64", "1,80000000,00000000", "63-64" },
		{ "none", "0", "none" },
		{ "0-127", "ffffffff,ffffffff,ffffffff,ffffffff", "0-127" },
		{ "5\n", "20", "5" },
	};
	struct cpus cpus, back;
	char text[256];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(cpus_parse_list(&cpus, cases[i].list), 0);
		assert_int_equal(cpus_print_mask(&cpus, text, sizeof(text)), 0);
		assert_string_equal(text, cases[i].mask);
		assert_int_equal(cpus_parse_mask(&back, text), 0);
		assert_memory_equal(&cpus, &back, sizeof(cpus));
		assert_int_equal(cpus_print_list(&cpus, text, sizeof(text)), 0);
		assert_string_equal(text, cases[i].shortest);
	}
	/* As the kernel pads them. */
	assert_int_equal(cpus_parse_mask(&cpus, "00000000,00000003\n"), 0);
	assert_true(cpus_has(&cpus, 0) && cpus_has(&cpus, 1) && !cpus_has(&cpus, 2));
}

static void what_is_none(void **state)
{
	static const char *const lists[] = { "", ",", "1,", "-1", "1-", "3-1", "a", "0-3,x", "8192", "1 2", "0x1" };
	static const char *const masks[] = { "", "x", "1;2" };
	struct cpus cpus;
	char text[8];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		assert_true(cpus_parse_list(&cpus, lists[i]) < 0);
	for (i = 0; i < sizeof(masks) / sizeof(*masks); i++)
		assert_true(cpus_parse_mask(&cpus, masks[i]) < 0);
	/* Too long for what there is, not cut off. */
	assert_int_equal(cpus_parse_list(&cpus, "1,3,5,7"), 0);
	assert_true(cpus_print_list(&cpus, text, 7) < 0);
	assert_int_equal(cpus_print_list(&cpus, text, 8), 0);
	assert_int_equal(cpus_parse_list(&cpus, "64"), 0);
	assert_true(cpus_print_mask(&cpus, text, sizeof(text)) < 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_and_masks),
		cmocka_unit_test(what_is_none),
	};

	return cmocka_run_group_tests_name("cpus", tests, NULL, NULL);
}
