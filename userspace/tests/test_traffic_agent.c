// SPDX-License-Identifier: GPL-2.0-or-later
/* A receiving end, fed by hand over the loopback: what it counts of lost, late, double, foreign
 * and damaged datagrams is exact. */
#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "traffic/agent.h"
#include "traffic/msg.h"
#include "traffic/wire.h"

#define STREAM	77u
#define SIZE	200
#define WAIT_MS	5000

static struct chan ctl;		/* to the end under test */
static pid_t end_pid;
static int data = -1;		/* our data socket */

static struct json_object *answer(const char *key)
{
	struct json_object *msg, *v;

	assert_int_equal(chan_recv(&ctl, WAIT_MS, &msg), 1);
	if (!json_object_object_get_ex(msg, key, &v))
		fail_msg("expected '%s': %s", key, json_object_to_json_string(msg));
	json_object_get(v);
	json_object_put(msg);
	return v;
}

static uint64_t number(struct json_object *obj, const char *key)
{
	struct json_object *v;

	assert_true(json_object_object_get_ex(obj, key, &v));
	return json_object_get_uint64(v);
}

static void order(const char *op, const struct traffic_spec *spec, int64_t sent)
{
	struct json_object *msg = agent_message("op", json_object_new_string(op));

	if (spec) {
		json_object_object_add(msg, "spec", wire_pack(wire_spec, spec));
		json_object_object_add(msg, "stream", json_object_new_uint64(STREAM));
	}
	if (sent >= 0)
		json_object_object_add(msg, "sent", json_object_new_int64(sent));
	assert_int_equal(chan_send(&ctl, msg), 0);
}

static void start_end(void)
{
	int down[2], up[2];

	assert_int_equal(pipe(down), 0);
	assert_int_equal(pipe(up), 0);
	end_pid = fork();
	assert_true(end_pid >= 0);
	if (!end_pid) {
		close(down[1]);
		close(up[0]);
		_exit(traffic_serve(down[0], up[1]) ? 1 : 0);
	}
	close(down[0]);
	close(up[1]);
	chan_init(&ctl, up[0], down[1]);
	json_object_put(answer("hello"));
}

static void send_msg(enum msg_type type, uint64_t seq, size_t size)
{
	unsigned char buf[2048];
	struct msg_hdr hdr = { msg_id(type, STREAM), htole64(seq) };

	memset(buf, 0, sizeof(buf));
	memcpy(buf, &hdr, sizeof(hdr));
	if (size > sizeof(hdr))
		msg_fill(buf, size, STREAM, seq);
	assert_int_equal(send(data, buf, size, 0), size);
}

static struct msg_hdr get_msg(void)
{
	struct timeval limit = { WAIT_MS / 1000, 0 };
	struct msg_hdr hdr;

	setsockopt(data, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	assert_int_equal(recv(data, &hdr, sizeof(hdr), 0), sizeof(hdr));
	return hdr;
}

/* A receiver of @count messages of SIZE bytes after @warmup, connected to. */
static struct traffic_spec base_spec(uint64_t count, uint64_t warmup)
{
	struct traffic_spec s;

	traffic_spec_init(&s);
	strcpy(s.to, "here");
	strcpy(s.addr, "127.0.0.1");
	s.sizes[0] = SIZE;
	s.count = count;
	s.warmup = warmup;
	return s;
}

static void start_receiver(const struct traffic_spec *s)
{
	struct sockaddr_in sa = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	struct json_object *ready;

	start_end();
	order("recv", s, -1);
	ready = answer("ready");
	sa.sin_port = htons((uint16_t)number(ready, "port"));
	json_object_put(ready);
	data = socket(AF_INET, SOCK_DGRAM, 0);
	assert_int_equal(connect(data, (struct sockaddr *)&sa, sizeof(sa)), 0);
	send_msg(MSG_PROBE, 1, MSG_HDR);
	assert_true(get_msg().id == msg_id(MSG_PROBE_ACK, STREAM));
}

/* What the end reports; the end is gone afterwards. */
static struct json_object *take_result(void)
{
	struct json_object *result = answer("result"), *rx;
	int status;

	assert_true(json_object_object_get_ex(result, "rx", &rx));
	json_object_get(rx);
	json_object_put(result);
	chan_close(&ctl);
	assert_int_equal(waitpid(end_pid, &status, 0), end_pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(data);
	return rx;
}

static void finish(uint64_t sent)
{
	send_msg(MSG_END, sent, MSG_HDR);
	assert_true(get_msg().id == msg_id(MSG_END_ACK, STREAM));
}

static void test_all_arrive(void **state)
{
	struct traffic_spec s = base_spec(100, 10);
	struct json_object *rx;
	uint64_t i;

	(void)state;
	s.verify = true;
	start_receiver(&s);
	for (i = 0; i < 110; i++)
		send_msg(MSG_DATA, i, SIZE);
	finish(110);
	rx = take_result();
	assert_int_equal(number(rx, "messages"), 100);
	assert_int_equal(number(rx, "bytes"), 100 * SIZE);
	assert_int_equal(number(rx, "warmup_messages"), 10);
	assert_in_range(number(rx, "timed_messages"), 50, 99);
	assert_int_equal(number(rx, "syscalls"), 100);
	assert_int_equal(number(rx, "lost"), 0);
	assert_int_equal(number(rx, "corrupted"), 0);
	assert_int_equal(number(rx, "end_by"), TRAFFIC_END_LAST);
	assert_true(number(rx, "elapsed_ns") > 0);
	json_object_put(rx);
}

static void test_lost_late_and_double(void **state)
{
	static const uint64_t seq[] = { 0, 1, 3, 2, 5, 5, 4, 8, 7, 1 };	/* 6 and 9 never come */
	struct traffic_spec s = base_spec(10, 0);
	struct json_object *rx;
	size_t i;

	(void)state;
	start_receiver(&s);
	for (i = 0; i < sizeof(seq) / sizeof(*seq); i++)
		send_msg(MSG_DATA, seq[i], SIZE);
	finish(10);
	rx = take_result();
	assert_int_equal(number(rx, "messages"), 8);
	assert_int_equal(number(rx, "lost"), 2);
	assert_int_equal(number(rx, "reordered"), 3);
	assert_int_equal(number(rx, "reorder_max"), 1);
	assert_int_equal(number(rx, "duplicates"), 2);
	/* The last one is lost: the end marker right behind gives the time. */
	assert_int_equal(number(rx, "end_by"), TRAFFIC_END_MARK);
	json_object_put(rx);
}

static void test_a_repeated_marker_gives_no_time(void **state)
{
	struct traffic_spec s = base_spec(50, 0);
	struct json_object *rx;
	uint64_t i;

	(void)state;
	start_receiver(&s);
	for (i = 0; i < 48; i++)
		send_msg(MSG_DATA, i, SIZE);
	send_msg(MSG_PROBE, 2, MSG_HDR);
	assert_true(get_msg().id == msg_id(MSG_PROBE_ACK, STREAM));
	/* It comes late: what counts is the last message that came, all of 47 after the first. */
	usleep(50000);
	send_msg(MSG_END, msg_end_seq(50, 1), MSG_HDR);
	assert_true(get_msg().id == msg_id(MSG_END_ACK, STREAM));
	rx = take_result();
	assert_int_equal(number(rx, "lost"), 2);
	assert_int_equal(number(rx, "end_by"), TRAFFIC_END_SAMPLE);
	assert_in_range(number(rx, "timed_messages"), 20, 47);
	assert_true(number(rx, "elapsed_ns") < 50000000);
	json_object_put(rx);
}

static void test_late_ones_after_the_end_count(void **state)
{
	struct traffic_spec s = base_spec(5, 0);
	struct json_object *rx;
	uint64_t i;

	(void)state;
	start_receiver(&s);
	for (i = 0; i < 5; i++)
		if (i != 3)
			send_msg(MSG_DATA, i, SIZE);
	finish(5);
	send_msg(MSG_DATA, 3, SIZE);
	rx = take_result();
	assert_int_equal(number(rx, "messages"), 5);
	assert_int_equal(number(rx, "lost"), 0);
	assert_int_equal(number(rx, "reordered"), 1);
	assert_int_equal(number(rx, "end_by"), TRAFFIC_END_LAST);
	json_object_put(rx);
}

static void test_the_control_channel_ends_it_too(void **state)
{
	struct traffic_spec s = base_spec(0, 0);
	struct json_object *rx;
	uint64_t i;

	(void)state;
	s.duration_ns = 1000000000;
	start_receiver(&s);
	for (i = 0; i < 20; i++)
		send_msg(MSG_DATA, i, SIZE);
	/* The answer to a probe says that all before it are received. */
	send_msg(MSG_PROBE, 2, MSG_HDR);
	assert_true(get_msg().id == msg_id(MSG_PROBE_ACK, STREAM));
	/* All end markers lost, and one message after the last that came. */
	order("stop", NULL, 21);
	rx = take_result();
	assert_int_equal(number(rx, "messages"), 20);
	assert_int_equal(number(rx, "lost"), 1);
	assert_int_equal(number(rx, "end_by"), TRAFFIC_END_SAMPLE);
	json_object_put(rx);
}

static void test_damaged_and_foreign(void **state)
{
	struct traffic_spec s = base_spec(10, 0);
	struct json_object *rx;
	unsigned char buf[SIZE];
	struct msg_hdr hdr = { msg_id(MSG_DATA, STREAM), htole64(4) };
	uint64_t i;

	(void)state;
	s.verify = true;
	start_receiver(&s);
	for (i = 0; i < 10; i++)
		if (i != 4 && i != 6)
			send_msg(MSG_DATA, i, SIZE);
	/* One wrong byte, the payload of another message, a message too short, and one too long. */
	memcpy(buf, &hdr, sizeof(hdr));
	msg_fill(buf, SIZE, STREAM, 4);
	buf[SIZE - 1] ^= 0x10;
	assert_int_equal(send(data, buf, SIZE, 0), SIZE);
	msg_fill(buf, SIZE, STREAM, 5);
	assert_int_equal(send(data, buf, SIZE, 0), SIZE);
	send_msg(MSG_DATA, 4, SIZE - 1);
	send_msg(MSG_DATA, 4, SIZE + 1);
	/* Another stream, no header at all, and somebody else's. */
	hdr.id = msg_id(MSG_DATA, STREAM + 1);
	memcpy(buf, &hdr, sizeof(hdr));
	assert_int_equal(send(data, buf, SIZE, 0), SIZE);
	assert_int_equal(send(data, buf, 3, 0), 3);
	memset(buf, 0x55, sizeof(buf));
	assert_int_equal(send(data, buf, SIZE, 0), SIZE);
	finish(10);
	rx = take_result();
	assert_int_equal(number(rx, "corrupted"), 4);
	assert_int_equal(number(rx, "foreign"), 3);
	assert_int_equal(number(rx, "messages"), 8);
	assert_int_equal(number(rx, "lost"), 2);
	json_object_put(rx);
}

static void test_window_is_acknowledged(void **state)
{
	struct traffic_spec s = base_spec(40, 0);
	struct json_object *rx;
	struct msg_hdr hdr;
	uint64_t i, acks = 0;

	(void)state;
	s.window = 8;
	start_receiver(&s);
	for (i = 0; i < 40; i++) {
		send_msg(MSG_DATA, i, SIZE);
		/* Every half window, and what it says is what has come. */
		if (i % 4 == 3) {
			hdr = get_msg();
			assert_true(hdr.id == msg_id(MSG_ACK, STREAM));
			assert_int_equal(le64toh(hdr.seq), i + 1);
			acks++;
		}
	}
	finish(40);
	rx = take_result();
	assert_int_equal(number(rx, "acks"), acks);
	json_object_put(rx);
}

static void test_batches_and_payload_left_behind(void **state)
{
	struct traffic_spec s = base_spec(64, 0);
	struct json_object *rx;
	uint64_t i;

	(void)state;
	s.rx_batch = 16;
	s.skip_rx_copy = true;
	start_receiver(&s);
	for (i = 0; i < 64; i++)
		if (i != 20)
			send_msg(MSG_DATA, i, SIZE);
	send_msg(MSG_DATA, 20, SIZE - 1);
	finish(64);
	rx = take_result();
	assert_int_equal(number(rx, "messages"), 63);
	assert_int_equal(number(rx, "lost"), 1);
	assert_int_equal(number(rx, "corrupted"), 1);
	assert_true(number(rx, "syscalls") <= 63);
	json_object_put(rx);
}

static void error_is(const char *word)
{
	struct json_object *e = answer("error"), *text;

	assert_true(json_object_object_get_ex(e, "text", &text));
	if (!strstr(json_object_get_string(text), word))
		fail_msg("the error says: %s", json_object_get_string(text));
	json_object_put(e);
}

static void test_bad_orders_are_refused(void **state)
{
	struct traffic_spec s = base_spec(1, 0);
	int status;

	(void)state;
	start_end();
	order("dance", NULL, -1);
	error_is("dance");
	order("go", NULL, -1);
	error_is("go");
	assert_int_equal(chan_send(&ctl, agent_message("op", NULL)), 0);
	error_is("unexpected order ''");
	order("recv", NULL, -1);
	error_is("without spec");
	s.sizes[0] = 70000;
	order("recv", &s, -1);
	error_is("65507");
	s.sizes[0] = 100;
	strcpy(s.addr, "192.0.2.1");
	order("recv", &s, -1);
	error_is("192.0.2.1");
	s.cpu_to = 4000;
	order("recv", &s, -1);
	error_is("CPU 4000");
	/* And after all that it still works, and goes when the channel ends. */
	chan_close(&ctl);
	assert_int_equal(waitpid(end_pid, &status, 0), end_pid);
	assert_true(WIFEXITED(status));
}

static void test_a_lost_command_ends_the_end(void **state)
{
	struct traffic_spec s = base_spec(100, 0);
	int status;

	(void)state;
	start_receiver(&s);
	send_msg(MSG_DATA, 0, SIZE);
	chan_close(&ctl);
	assert_int_equal(waitpid(end_pid, &status, 0), end_pid);
	assert_true(WIFEXITED(status));
	close(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_arrive),
		cmocka_unit_test(test_lost_late_and_double),
		cmocka_unit_test(test_a_repeated_marker_gives_no_time),
		cmocka_unit_test(test_late_ones_after_the_end_count),
		cmocka_unit_test(test_the_control_channel_ends_it_too),
		cmocka_unit_test(test_damaged_and_foreign),
		cmocka_unit_test(test_window_is_acknowledged),
		cmocka_unit_test(test_batches_and_payload_left_behind),
		cmocka_unit_test(test_bad_orders_are_refused),
		cmocka_unit_test(test_a_lost_command_ends_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
