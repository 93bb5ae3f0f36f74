// SPDX-License-Identifier: GPL-2.0-or-later
/* Specs and results over the control channel: nothing is forgotten, nothing unusable is taken. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "traffic/chan.h"
#include "traffic/wire.h"

/* Through text and back. */
static void travel(const struct wire_field *fields, const void *from, void *to)
{
	struct json_object *out = wire_pack(fields, from), *in;
	const char *bad = "";

	assert_non_null(out);
	in = json_tokener_parse(json_object_to_json_string(out));
	assert_non_null(in);
	assert_int_equal(wire_unpack(fields, in, to, &bad), 0);
	assert_null(bad);
	json_object_put(out);
	json_object_put(in);
}

/* A struct of nothing but u64: a different number in each, so that a forgotten or exchanged
 * member shows. */
static void fill_numbers(void *st, size_t size)
{
	uint64_t *v = st;

	for (size_t i = 0; i < size / sizeof(*v); i++)
		v[i] = (i + 1) * 0x0123456789abcull;
}

static void test_sender_result_travels_whole(void **state)
{
	struct traffic_tx a, b = { 0 };

	(void)state;
	fill_numbers(&a, sizeof(a));
	travel(wire_tx, &a, &b);
	assert_memory_equal(&a, &b, sizeof(a));
	a.messages = UINT64_MAX;
	travel(wire_tx, &a, &b);
	assert_true(b.messages == UINT64_MAX);
}

static void test_receiver_result_travels_whole(void **state)
{
	struct traffic_rx a, b = { 0 };

	(void)state;
	fill_numbers(&a, sizeof(a));
	a.gro_hist[7] = 0;
	memset(&b, 0xff, sizeof(b));
	travel(wire_rx, &a, &b);
	assert_memory_equal(&a, &b, sizeof(a));
}

static void test_round_trips_travel_whole(void **state)
{
	struct traffic_rtt a, b = { 0 };

	(void)state;
	fill_numbers(&a, sizeof(a));
	a.mean = 1234.56789012345;
	a.sd = 1e-7;
	travel(wire_rtt, &a, &b);
	assert_memory_equal(&a, &b, sizeof(a));
}

static void test_spec_travels(void **state)
{
	struct traffic_spec a, b;

	(void)state;
	/* Start from ones everywhere, strings apart: what is not in the table stays zero. */
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	memset(&a.family, 1,
	       offsetof(struct traffic_spec, ssh) - offsetof(struct traffic_spec, family));
	snprintf(a.from, sizeof(a.from), "netns:%s", "a \"quoted\" name");
	snprintf(a.to, sizeof(a.to), "ssh:user@host");
	snprintf(a.addr, sizeof(a.addr), "fe80::1%%eth0");
	snprintf(a.source, sizeof(a.source), "10.0.0.1");
	a.verify = a.no_check = a.unconnected = a.nodelay = a.no_recverr = a.gro = a.skip_rx_copy = true;
	a.cpu_from = -1;
	travel(wire_spec, &a, &b);
	/* Resolved by traffic_spec_check() before it travels. */
	a.bytes = a.warmup_bytes = 0;
	assert_memory_equal(&a, &b, offsetof(struct traffic_spec, skip_rx_copy) + sizeof(bool));
}

static void refused(const struct wire_field *fields, const char *text, const char *field)
{
	union {
		struct traffic_spec spec;
		struct traffic_rx rx;
		struct traffic_rtt rtt;
	} to;
	struct json_object *in = json_tokener_parse(text);
	const char *bad = NULL;

	memset(&to, 0, sizeof(to));
	assert_non_null(in);
	assert_int_equal(wire_unpack(fields, in, &to, &bad), -EPROTO);
	assert_string_equal(bad, field);
	json_object_put(in);
}

static void test_unusable_values_are_refused(void **state)
{
	char longer[TRAFFIC_ADDR_MAX + 32];

	(void)state;
	refused(wire_spec, "{\"count\": -1}", "count");
	refused(wire_spec, "{\"count\": \"5\"}", "count");
	refused(wire_spec, "{\"count\": 1.5}", "count");
	refused(wire_spec, "{\"port\": 4294967296}", "port");
	refused(wire_spec, "{\"verify\": 1}", "verify");
	refused(wire_spec, "{\"addr\": 5}", "addr");
	refused(wire_spec, "{\"addr\": null}", "addr");
	snprintf(longer, sizeof(longer), "{\"addr\": \"%0*d\"}", TRAFFIC_ADDR_MAX, 0);
	refused(wire_spec, longer, "addr");
	refused(wire_spec, "{\"sizes\": 5}", "sizes");
	refused(wire_spec, "{\"sizes\": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]}", "sizes");
	refused(wire_spec, "{\"sizes\": [\"a\"]}", "sizes");
	refused(wire_rx, "{\"gro_hist\": [[65, 1]]}", "gro_hist");
	refused(wire_rx, "{\"gro_hist\": [[-1, 1]]}", "gro_hist");
	refused(wire_rx, "{\"gro_hist\": [[1]]}", "gro_hist");
	refused(wire_rx, "{\"cpu\": 3}", "cpu");
	refused(wire_rx, "{\"cpu\": {\"user_ns\": \"x\"}}", "user_ns");
	refused(wire_rtt, "{\"mean\": \"x\"}", "mean");
}

static void test_absent_fields_keep_their_value(void **state)
{
	struct json_object *in = json_tokener_parse("{\"count\": 7, \"unknown\": 1}");
	struct traffic_spec s;
	const char *bad;

	(void)state;
	traffic_spec_init(&s);
	assert_int_equal(wire_unpack(wire_spec, in, &s, &bad), 0);
	assert_int_equal(s.count, 7);
	assert_int_equal(s.sizes[0], 1448);
	json_object_put(in);
}

static void test_channel_takes_lines_apart(void **state)
{
	struct json_object *obj;
	struct chan c;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	chan_init(&c, fds[0], fds[1]);
	assert_int_equal(chan_recv(&c, 0, &obj), -ETIMEDOUT);
	assert_int_equal(write(fds[1], "{\"a\":1}\n{\"a\"", 12), 12);
	assert_int_equal(chan_recv(&c, 1000, &obj), 1);
	json_object_put(obj);
	assert_int_equal(chan_recv(&c, 10, &obj), -ETIMEDOUT);
	assert_int_equal(write(fds[1], ":2}\nnoise\n[1]\n", 14), 14);
	assert_int_equal(chan_recv(&c, 0, &obj), 1);
	json_object_put(obj);
	assert_int_equal(chan_recv(&c, 0, &obj), -EPROTO);
	assert_int_equal(chan_recv(&c, 0, &obj), -EPROTO);
	close(fds[1]);
	c.out = -1;
	assert_int_equal(chan_recv(&c, -1, &obj), 0);
	chan_close(&c);
}

static void test_channel_bounds_a_line(void **state)
{
	static char junk[CHAN_LINE_MAX / 64];
	struct json_object *obj;
	struct chan c;
	int fds[2], ret = -ETIMEDOUT;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	memset(junk, 'x', sizeof(junk));
	chan_init(&c, fds[0], fds[1]);
	for (int i = 0; i < 100 && ret == -ETIMEDOUT; i++) {
		assert_int_equal(write(fds[1], junk, sizeof(junk)), sizeof(junk));
		ret = chan_recv(&c, 0, &obj);
	}
	assert_int_equal(ret, -EPROTO);
	chan_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sender_result_travels_whole),
		cmocka_unit_test(test_receiver_result_travels_whole),
		cmocka_unit_test(test_round_trips_travel_whole),
		cmocka_unit_test(test_spec_travels),
		cmocka_unit_test(test_unusable_values_are_refused),
		cmocka_unit_test(test_absent_fields_keep_their_value),
		cmocka_unit_test(test_channel_takes_lines_apart),
		cmocka_unit_test(test_channel_bounds_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
