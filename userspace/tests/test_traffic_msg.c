// SPDX-License-Identifier: GPL-2.0-or-later
/* The payload pattern: written and found right, and any misplaced byte found wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "traffic/msg.h"

#define STREAM	0x12345678u

static void fill_whole(unsigned char *buf, size_t size, uint64_t seq)
{
	struct msg_hdr hdr = { msg_id(MSG_DATA, STREAM), htole64(seq) };

	memcpy(buf, &hdr, sizeof(hdr));
	msg_fill(buf, size, STREAM, seq);
}

static void test_every_size_checks(void **state)
{
	unsigned char buf[200];
	size_t size;
	long bad;

	(void)state;
	for (size = MSG_HDR; size <= sizeof(buf); size++) {
		memset(buf, 0xaa, sizeof(buf));
		msg_fill(buf, size, STREAM, size * 7);
		bad = msg_check(buf + MSG_HDR, size - MSG_HDR, MSG_HDR, STREAM, size * 7);
		assert_int_equal(bad, -1);
		if (size < sizeof(buf))
			assert_int_equal(buf[size], 0xaa);
	}
}

static void test_every_flipped_bit_is_found(void **state)
{
	unsigned char buf[99];
	size_t i;
	long bad;

	(void)state;
	fill_whole(buf, sizeof(buf), 5);
	for (i = MSG_HDR; i < sizeof(buf); i++) {
		buf[i] ^= 1u << i % 8;
		bad = msg_check(buf + MSG_HDR, sizeof(buf) - MSG_HDR, MSG_HDR, STREAM, 5);
		assert_int_equal(bad, i);
		buf[i] ^= 1u << i % 8;
	}
}

static void test_any_part_checks(void **state)
{
	unsigned char buf[130];
	size_t from, to;

	(void)state;
	fill_whole(buf, sizeof(buf), 1ull << 40);
	for (from = MSG_HDR; from < sizeof(buf); from++)
		for (to = from; to <= sizeof(buf); to++)
			assert_int_equal(msg_check(buf + from, to - from, from, STREAM, 1ull << 40),
					 -1);
}

static void test_data_from_elsewhere_are_found(void **state)
{
	unsigned char a[1448], b[1448];
	size_t n = sizeof(a) - MSG_HDR, shift;

	(void)state;
	msg_fill(a, sizeof(a), STREAM, 7);
	/* Of another message, another stream, another place. */
	assert_true(msg_check(a + MSG_HDR, n, MSG_HDR, STREAM, 8) >= 0);
	assert_true(msg_check(a + MSG_HDR, n, MSG_HDR, STREAM + 1, 7) >= 0);
	for (shift = 1; shift < n; shift++)
		assert_true(msg_check(a + MSG_HDR + shift, n - shift, MSG_HDR, STREAM, 7) >= 0);
	/* A fragment of the next message in the place of this one's. */
	msg_fill(b, sizeof(b), STREAM, 8);
	memcpy(a + 1000, b + 1000, 8);
	assert_int_equal(msg_check(a + MSG_HDR, n, MSG_HDR, STREAM, 7), 1000);
}

static void test_headers_tell_types_and_streams_apart(void **state)
{
	(void)state;
	assert_true(msg_id(MSG_DATA, 1) != msg_id(MSG_PROBE, 1));
	assert_true(msg_id(MSG_DATA, 1) != msg_id(MSG_DATA, 2));
	assert_int_equal(le64toh(msg_id(MSG_DATA, 1)) >> 48, MSG_MAGIC);
	assert_int_equal(sizeof(struct msg_hdr), 16);
}

static unsigned char *make_stream(size_t size, size_t count)
{
	unsigned char *all = malloc(size * count);

	assert_non_null(all);
	for (size_t i = 0; i < count; i++)
		fill_whole(all + i * size, size, i);
	return all;
}

static void test_stream_in_pieces_of_any_length(void **state)
{
	const size_t size = 53, count = 40;
	unsigned char *all = make_stream(size, count);
	size_t step, at;

	(void)state;
	for (step = 1; step < 200; step++) {
		struct msg_stream s = { .stream = STREAM, .size = size };

		for (at = 0; at < size * count; at += step)
			msg_stream_check(&s, all + at,
					 size * count - at < step ? size * count - at : step);
		assert_int_equal(s.corrupted, 0);
		assert_int_equal(s.seq, count);
		assert_int_equal(s.at, 0);
	}
	free(all);
}

static void test_stream_counts_each_bad_message_once(void **state)
{
	const size_t size = 53, count = 40;
	unsigned char *all = make_stream(size, count);
	struct msg_stream s = { .stream = STREAM, .size = size };
	size_t at;

	(void)state;
	all[3 * size + 8] ^= 1;		/* a sequence number */
	all[9 * size + 20] ^= 1;	/* two bytes of one payload */
	all[9 * size + 52] ^= 1;
	all[39 * size + 52] ^= 1;	/* the last byte of all */
	for (at = 0; at < size * count; at += 7)
		msg_stream_check(&s, all + at, size * count - at < 7 ? size * count - at : 7);
	assert_int_equal(s.corrupted, 3);
	/* Bytes in the wrong order of messages. */
	s = (struct msg_stream) { .stream = STREAM, .size = size };
	msg_stream_check(&s, all + size, size);
	assert_int_equal(s.corrupted, 1);
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_size_checks),
		cmocka_unit_test(test_every_flipped_bit_is_found),
		cmocka_unit_test(test_any_part_checks),
		cmocka_unit_test(test_data_from_elsewhere_are_found),
		cmocka_unit_test(test_headers_tell_types_and_streams_apart),
		cmocka_unit_test(test_stream_in_pieces_of_any_length),
		cmocka_unit_test(test_stream_counts_each_bad_message_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
