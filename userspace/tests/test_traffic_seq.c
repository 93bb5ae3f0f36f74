// SPDX-License-Identifier: GPL-2.0-or-later
/* Sequence tracking: against hand-made arrivals, and against a simple model with random ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "traffic/seqtrack.h"

static struct seqtrack t;

static void feed(uint64_t base, const uint64_t *seq, size_t n)
{
	assert_int_equal(seqtrack_init(&t, base), 0);
	while (n--)
		seqtrack_add(&t, *seq++);
}

#define FEED(base, ...) feed(base, (const uint64_t[]) { __VA_ARGS__ }, \
			     sizeof((const uint64_t[]) { __VA_ARGS__ }) / sizeof(uint64_t))

static void expect(uint64_t end, uint64_t received, uint64_t lost, uint64_t reordered,
		   uint64_t duplicates)
{
	assert_int_equal(seqtrack_received(&t), received);
	assert_int_equal(seqtrack_lost(&t, end), lost);
	assert_int_equal(t.reordered, reordered);
	assert_int_equal(t.duplicates, duplicates);
	seqtrack_free(&t);
}

static void test_in_order(void **state)
{
	(void)state;
	FEED(0, 0, 1, 2, 3, 4);
	expect(5, 5, 0, 0, 0);
}

static void test_loss_at_start_middle_and_end(void **state)
{
	(void)state;
	FEED(0, 2, 3, 6, 7);
	expect(10, 4, 6, 0, 0);
}

static void test_nothing_arrives(void **state)
{
	(void)state;
	feed(0, NULL, 0);
	expect(10, 0, 10, 0, 0);
}

static void test_reordering(void **state)
{
	(void)state;
	FEED(0, 0, 2, 1, 5, 4, 3, 6);
	assert_int_equal(t.reorder_max, 2);
	expect(7, 7, 0, 3, 0);
}

static void test_duplicates(void **state)
{
	(void)state;
	FEED(0, 0, 0, 1, 3, 3, 1, 2, 2);
	expect(4, 4, 0, 1, 4);
}

static void test_warm_up_does_not_count(void **state)
{
	(void)state;
	FEED(10, 0, 1, 9, 9, 10, 12, 5);
	assert_int_equal(t.early, 5);
	expect(13, 2, 1, 0, 0);
}

static void test_beyond_the_window(void **state)
{
	(void)state;
	/* Missing for more than a window: given up, and too late it is no longer new. */
	FEED(0, 0, SEQ_WINDOW + 5, 1, 6, 6);
	expect(SEQ_WINDOW + 6, 3, SEQ_WINDOW + 3, 1, 2);
	/* A jump of several windows. */
	FEED(0, 0, 2, 10ull * SEQ_WINDOW, 10ull * SEQ_WINDOW - 1, 1);
	expect(10ull * SEQ_WINDOW + 1, 4, 10ull * SEQ_WINDOW - 3, 1, 1);
}

static void test_a_slot_is_used_again(void **state)
{
	uint64_t i;

	(void)state;
	assert_int_equal(seqtrack_init(&t, 0), 0);
	/* Every hundredth is lost, for three windows. */
	for (i = 0; i < 3ull * SEQ_WINDOW; i++)
		if (i % 100 != 50)
			seqtrack_add(&t, i);
	assert_true(t.missing <= SEQ_WINDOW / 100 + 1);
	expect(i, i - (i + 49) / 100, (i + 49) / 100, 0, 0);
}

/* What the tracker must say, from a table of all that has arrived. */
static void test_random_against_a_model(void **state)
{
	enum { N = 20000 };
	unsigned char *seen = calloc(N, 1);
	uint64_t high = 0, received, reordered, duplicates, lost;
	unsigned int round, i;

	(void)state;
	assert_non_null(seen);
	srandom(1);
	for (round = 0; round < 20; round++) {
		memset(seen, 0, N);
		high = received = reordered = duplicates = lost = 0;
		assert_int_equal(seqtrack_init(&t, 0), 0);
		for (i = 0; i < N; i++) {
			long jitter = random() % (1 + 3 * round);
			uint64_t seq = i + jitter < N ? i + jitter : N - 1;

			if (random() % 100 < (long)round)
				continue;
			assert_int_equal(seqtrack_add(&t, seq), !seen[seq]);
			if (seen[seq]) {
				duplicates++;
				continue;
			}
			seen[seq] = 1;
			received++;
			reordered += seq < high;
			if (seq >= high)
				high = seq + 1;
		}
		for (i = 0; i < N; i++)
			lost += !seen[i];
		expect(N, received, lost, reordered, duplicates);
	}
	free(seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_order),
		cmocka_unit_test(test_loss_at_start_middle_and_end),
		cmocka_unit_test(test_nothing_arrives),
		cmocka_unit_test(test_reordering),
		cmocka_unit_test(test_duplicates),
		cmocka_unit_test(test_warm_up_does_not_count),
		cmocka_unit_test(test_beyond_the_window),
		cmocka_unit_test(test_a_slot_is_used_again),
		cmocka_unit_test(test_random_against_a_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
