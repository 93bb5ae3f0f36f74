// SPDX-License-Identifier: GPL-2.0-or-later
/* Whole runs over the loopback, in every mode: what was sent arrived, and nothing is left. */
#include <dirent.h>
#include <errno.h>
#include <json-c/json.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/err.h"
#include "lib/stop.h"
#include "traffic/traffic.h"

static struct traffic_result res;

static struct traffic_spec base_spec(void)
{
	struct traffic_spec s;

	traffic_spec_init(&s);
	strcpy(s.to, "here");
	strcpy(s.addr, "127.0.0.1");
	s.sizes[0] = 1000;
	s.count = 3000;
	s.warmup = 20;
	/* The receiver's buffer cannot overflow, whoever is scheduled when; what zero-copy lent and
	 * the loopback copied after all takes whole pages of it. */
	s.window = 32;
	s.rcvbuf = 1u << 20;
	s.verify = true;
	return s;
}

static int open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* Neither children nor descriptors stay behind. */
static int run_clean(const struct traffic_spec *s)
{
	int before = open_files(), ret = traffic_run(s, &res);

	assert_int_equal(open_files(), before);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	return ret;
}

static void run_whole(const struct traffic_spec *s)
{
	int ret = run_clean(s);

	if (ret)
		fail_msg("%s %s: %s", s->proto ? "TCP" : "UDP", traffic_mode_name(s->mode),
			 err_text(ret));
	assert_int_equal(res.tx.messages, s->count);
	assert_int_equal(res.tx.bytes, s->count * s->sizes[0]);
	assert_int_equal(res.rx.messages, s->count);
	assert_int_equal(res.rx.bytes, s->count * s->sizes[0]);
	assert_int_equal(res.rx.warmup_messages, s->warmup);
	assert_int_equal(res.rx.lost + res.rx.corrupted + res.rx.duplicates + res.rx.foreign, 0);
	assert_int_equal(res.tx.window_stalls, 0);
	assert_true(res.tx.elapsed_ns > 0 && res.tx.cpu.thread_ns > 0);
	assert_true(res.rx.elapsed_ns > 0 && res.rx.timed_bytes < res.rx.bytes);
	assert_true(traffic_rate(&res) > 0 && traffic_message_rate(&res) > 0);
}

static void test_udp_in_every_mode(void **state)
{
	struct traffic_spec s = base_spec();
	uint32_t mode, gro;

	(void)state;
	for (mode = 0; mode < 8; mode++) {
		s.mode = mode;
		s.segments = mode & TRAFFIC_GSO ? 8 : 0;
		s.batch = mode & TRAFFIC_SENDMMSG ? 4 : 1;
		for (gro = 0; gro < 2; gro++) {
			s.gro = gro;
			s.rx_batch = mode % 3 ? 4 : 1;
			run_whole(&s);
			if (mode & TRAFFIC_ZEROCOPY) {
				assert_int_equal(res.tx.zc_completions, res.tx.zc_sends);
				assert_int_equal(res.tx.zc_bytes + res.tx.zc_copied_bytes,
						 res.tx.bytes);
				/* The loopback copies. */
				assert_int_equal(res.tx.zc_copied_bytes, res.tx.bytes);
			}
			if (mode & TRAFFIC_GSO)
				assert_true(res.tx.syscalls < 2 * s.count / 3);
			if (mode & TRAFFIC_GSO && gro)
				assert_true(res.rx.gro_packets > 0 && res.rx.gro_hist[8] > 0);
		}
	}
}

static void test_plain_is_one_call_a_message(void **state)
{
	struct traffic_spec s = base_spec();

	(void)state;
	s.window = 0;
	s.verify = false;
	/* Fewer than any receive buffer holds: none is lost, though nothing holds the sender. */
	s.count = 60;
	s.sizes[0] = 100;
	run_whole(&s);
	assert_int_equal(res.tx.syscalls, 60);
	assert_int_equal(res.tx.sends, 60);
	assert_int_equal(res.rx.syscalls, 60);
	assert_int_equal(res.tx.end_markers, 1);
	s.unconnected = true;
	run_whole(&s);
	s.unconnected = false;
	s.no_check = true;
	run_whole(&s);
	s.no_check = false;
	s.skip_rx_copy = true;
	run_whole(&s);
}

static void test_without_warm_up(void **state)
{
	struct traffic_spec s = base_spec();

	(void)state;
	s.warmup = 0;
	run_whole(&s);
	s.proto = TRAFFIC_TCP;
	s.window = 0;
	run_whole(&s);
	s.kind = TRAFFIC_PING;
	s.count = 10;
	assert_int_equal(run_clean(&s), 0);
	assert_int_equal(res.rtt[0].sent, 10);
}

static void test_tcp(void **state)
{
	struct traffic_spec s = base_spec();

	(void)state;
	s.proto = TRAFFIC_TCP;
	s.window = 0;
	run_whole(&s);
	s.sizes[0] = 100003;
	s.count = 300;
	run_whole(&s);
	s.mode = TRAFFIC_ZEROCOPY;
	run_whole(&s);
	assert_int_equal(res.tx.zc_completions, res.tx.zc_sends);
	assert_int_equal(res.tx.zc_bytes + res.tx.zc_copied_bytes, res.tx.bytes);
	s.zc_slots = 1;
	run_whole(&s);
	s.zc_slots = 0;
	s.mode = 0;
	s.verify = false;
	s.skip_rx_copy = true;
	s.rx_size = 1000;
	run_whole(&s);
}

static void test_ipv6(void **state)
{
	struct traffic_spec s = base_spec();

	(void)state;
	if (access("/proc/net/if_inet6", R_OK))
		skip();
	strcpy(s.addr, "::1");
	run_whole(&s);
	s.mode = TRAFFIC_ZEROCOPY | TRAFFIC_GSO;
	s.segments = 8;
	run_whole(&s);
	s.segments = 0;
	s.mode = 0;
	s.proto = TRAFFIC_TCP;
	s.window = 0;
	run_whole(&s);
}

static void test_by_time(void **state)
{
	struct traffic_spec s = base_spec();
	uint32_t proto;

	(void)state;
	for (proto = 0; proto < 2; proto++) {
		s.proto = proto;
		s.window = proto ? 0 : 64;
		s.count = 0;
		s.duration_ns = 100000000;
		assert_int_equal(run_clean(&s), 0);
		assert_true(res.tx.messages > 0);
		assert_int_equal(res.rx.messages, res.tx.messages);
		assert_int_equal(res.rx.lost, 0);
		assert_int_equal(res.rx.end_by, TRAFFIC_END_MARK);
		assert_true(res.tx.elapsed_ns >= 90000000 && res.tx.elapsed_ns < 2000000000);
	}
}

static void test_paced(void **state)
{
	struct traffic_spec s = base_spec();

	(void)state;
	s.window = 0;
	s.count = 200;
	s.rate_bps = 16000000;	/* a message in 0.5 ms: 100 ms */
	run_whole(&s);
	assert_true(res.tx.elapsed_ns >= 99000000);
	assert_true(traffic_rate(&res) < 20e6);
}

static void test_loss_is_not_an_error(void **state)
{
	struct traffic_spec s = base_spec();

	(void)state;
	/* Nothing holds the sender back, and the receiver has next to no buffer. */
	s.window = 0;
	s.rcvbuf = 2048;
	s.count = 20000;
	assert_int_equal(run_clean(&s), 0);
	assert_int_equal(res.rx.messages + res.rx.lost, res.tx.messages);
	assert_true(res.rx.lost > 0);
	assert_true(res.rx.socket_drops >= res.rx.lost);
}

static void test_pings(void **state)
{
	struct traffic_spec s = base_spec();
	uint32_t proto, i, b;

	(void)state;
	s.kind = TRAFFIC_PING;
	s.window = 0;
	s.count = 200;
	s.nsizes = 3;
	s.sizes[0] = 16;
	s.sizes[1] = 1448;
	s.sizes[2] = 60000;
	for (proto = 0; proto < 2; proto++) {
		s.proto = proto;
		assert_int_equal(run_clean(&s), 0);
		assert_int_equal(res.nrtt, 3);
		for (i = 0; i < 3; i++) {
			const struct traffic_rtt *r = &res.rtt[i];
			uint64_t sum = 0;

			assert_int_equal(r->size, s.sizes[i]);
			assert_int_equal(r->sent, 200);
			assert_int_equal(r->lost + r->corrupted, 0);
			assert_true(r->min > 0 && r->min <= r->p50 && r->p50 <= r->p90 &&
				    r->p90 <= r->p99 && r->p99 <= r->p999 && r->p999 <= r->max);
			for (b = 0; b < TRAFFIC_HIST; b++)
				sum += r->hist[b];
			assert_int_equal(sum, 200);
		}
		assert_int_equal(res.rx.messages, 600);
	}
}

struct calls {
	int before, after, refuse;
};

static int on_before(void *ctx)
{
	struct calls *c = ctx;

	c->before++;
	return c->refuse;
}

static void on_after(void *ctx)
{
	((struct calls *)ctx)->after++;
}

static void test_callbacks_frame_the_counted_part(void **state)
{
	struct traffic_spec s = base_spec();
	struct calls calls = { 0 };

	(void)state;
	s.before = on_before;
	s.after = on_after;
	s.ctx = &calls;
	run_whole(&s);
	assert_int_equal(calls.before, 1);
	assert_int_equal(calls.after, 1);
	calls.refuse = -ECANCELED;
	assert_int_equal(run_clean(&s), -ECANCELED);
	assert_int_equal(calls.before, 2);
	assert_int_equal(calls.after, 1);
}

static void error_holds(int ret, const char *word)
{
	assert_true(ret < 0);
	if (!strstr(err_text(ret), word))
		fail_msg("%d says: %s", ret, err_text(ret));
	err_clear();
}

static void test_failures_are_described(void **state)
{
	struct traffic_spec s = base_spec();

	(void)state;
	strcpy(s.addr, "192.0.2.1");
	error_holds(run_clean(&s), "192.0.2.1");
	s = base_spec();
	strcpy(s.to, "netns:no-such-namespace");
	error_holds(run_clean(&s), "no-such-namespace");
	s = base_spec();
	strcpy(s.to, "host:127.0.0.1:1");
	error_holds(run_clean(&s), "Connection refused");
	strcpy(s.to, "host:127.0.0.1:65537");
	error_holds(run_clean(&s), "1 to 65535");
	s = base_spec();
	strcpy(s.to, "ssh:nowhere");
	strcpy(s.ssh, "/bin/false");
	error_holds(run_clean(&s), "ended");
	strcpy(s.ssh, "/no/such/ssh");
	error_holds(run_clean(&s), "/no/such/ssh");
	strcpy(s.ssh, "echo");
	error_holds(run_clean(&s), "protocol");
	s = base_spec();
	s.sizes[0] = 70000;
	error_holds(run_clean(&s), "65507");
}

static void on_alarm(int sig)
{
	(void)sig;
	kill(getpid(), SIGTERM);
}

static void test_a_signal_ends_both_ends(void **state)
{
	struct traffic_spec s = base_spec();

	(void)state;
	s.count = 0;
	s.duration_ns = 60000000000ull;
	signal(SIGALRM, on_alarm);
	alarm(1);
	stop_begin();
	assert_int_equal(traffic_run(&s, &res), -EINTR);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(stop_pending(), SIGTERM);
	stop_end();
	err_clear();
}

static void test_the_document_is_complete(void **state)
{
	struct traffic_spec s = base_spec();
	struct json_object *doc, *v, *w;

	(void)state;
	run_whole(&s);
	doc = traffic_result_json(&s, &res);
	assert_non_null(doc);
	assert_true(json_object_object_get_ex(doc, "version", &v));
	assert_int_equal(json_object_get_int(v), TRAFFIC_VERSION);
	assert_true(json_object_object_get_ex(doc, "throughput_bps", &v));
	assert_true(json_object_get_double(v) > 0);
	assert_true(json_object_object_get_ex(doc, "receiver", &v));
	assert_true(json_object_object_get_ex(v, "messages", &w));
	assert_int_equal(json_object_get_int64(w), 3000);
	assert_true(json_object_object_get_ex(v, "end_by", &w));
	assert_string_equal(json_object_get_string(w), "last-message");
	assert_true(json_object_object_get_ex(doc, "sender", &v));
	assert_true(json_object_object_get_ex(doc, "spec", &v));
	assert_true(json_object_object_get_ex(v, "mode", &w));
	assert_string_equal(json_object_get_string(w), "plain");
	json_object_put(doc);
	s.kind = TRAFFIC_PING;
	s.window = 0;
	assert_int_equal(run_clean(&s), 0);
	doc = traffic_result_json(&s, &res);
	assert_true(json_object_object_get_ex(doc, "rtt", &v));
	v = json_object_array_get_idx(v, 0);
	assert_true(json_object_object_get_ex(v, "p999_ns", &w));
	assert_true(json_object_object_get_ex(v, "histogram", &w));
	assert_true(json_object_array_length(w) > 0);
	json_object_put(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_udp_in_every_mode),
		cmocka_unit_test(test_plain_is_one_call_a_message),
		cmocka_unit_test(test_without_warm_up),
		cmocka_unit_test(test_tcp),
		cmocka_unit_test(test_ipv6),
		cmocka_unit_test(test_by_time),
		cmocka_unit_test(test_paced),
		cmocka_unit_test(test_loss_is_not_an_error),
		cmocka_unit_test(test_pings),
		cmocka_unit_test(test_callbacks_frame_the_counted_part),
		cmocka_unit_test(test_failures_are_described),
		cmocka_unit_test(test_a_signal_ends_both_ends),
		cmocka_unit_test(test_the_document_is_complete),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
