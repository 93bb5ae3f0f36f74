// SPDX-License-Identifier: GPL-2.0-or-later
/* What iperf3 --json wrote, as runs: tests that went well, that failed, and that are about something else. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/err.h"
#include "profile/iperf.h"

static struct record record;

static int read_text(const char *text)
{
	char path[] = "/tmp/nettoll-test-XXXXXX";
	int fd = mkstemp(path), ret;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	ret = iperf_read(path, &record);
	unlink(path);
	return ret;
}

#define START	"{\"start\":{\"version\":\"iperf 3.12\",\"system_info\":\"Linux node1 6.12.1 #1 SMP\"," \
		"\"sock_bufsize\":1048576,\"timestamp\":{\"timesecs\":86400}," \
		"\"test_start\":{\"protocol\":\"TCP\",\"num_streams\":2}},"
#define INTERVAL(bps, seconds, omitted) \
		"{\"sum\":{\"seconds\":" seconds ",\"bits_per_second\":" bps ",\"omitted\":" omitted "}}"
#define STREAM(rtt) \
		"{\"sender\":{\"min_rtt\":" rtt "},\"receiver\":{\"bits_per_second\":4e8}}"

static void iperf__a_good_test(void **state)
{
	(void)state;
	assert_int_equal(read_text(START "\"intervals\":[" INTERVAL("1e8", "1.0001", "true") ","
				   INTERVAL("8e8", "1.0001", "false") "," INTERVAL("9e8", "0.9999", "false") ","
				   INTERVAL("7e8", "0.02", "false") "],\"end\":{\"streams\":[" STREAM("12000") ","
				   STREAM("11800") "],\"sum_received\":{\"seconds\":2.02,\"bits_per_second\":8e8},"
				   "\"sender_tcp_congestion\":\"htcp\"}}"), 0);
	assert_true(record.valid);
	assert_string_equal(record.variant, "htcp");
	assert_string_equal(record.buffer, "1M");
	assert_string_equal(record.host, "node1");
	assert_string_equal(record.kernel, "6.12.1");
	assert_string_equal(record.time, "1970-01-02T00:00:00Z");
	assert_true(record.buffer_bytes == 1048576 && record.streams == 2 && record.rtt_ms == 11.8);
	assert_true(record.throughput_bps == 8e8 && record.seconds == 2.02 && record.nstream_bps == 2);
	/* Without what was omitted and without the rest at the end. */
	assert_true(record.ntraces == 1 && record.traces[0].n == 2 && record.traces[0].interval_s == 1);
	assert_true(record.traces[0].bps[1] == 9e8f);
}

static void iperf__failed_tests_have_a_reason(void **state)
{
	(void)state;
	assert_int_equal(read_text(START "\"intervals\":[],\"end\":{},\"error\":\"no route\"}"), 0);
	assert_false(record.valid);
	assert_string_equal(record.reason, "no route");
	assert_int_equal(read_text(START "\"end\":{\"sum_received\":{\"bits_per_second\":8e8},"
				   "\"sender_tcp_congestion\":\"cubic\"}}"), 0);
	assert_false(record.valid);
	assert_non_null(strstr(record.reason, "RTT"));
}

static void iperf__foreign_files(void **state)
{
	static const char *const texts[] = {
		"", "hello", "[1]", "{}", "{\"start\":3}",
		"{\"start\":{\"version\":\"iperf 3.12\",\"test_start\":{\"protocol\":\"UDP\"}}}",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(read_text(texts[i]), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), "UDP"));
	err_clear();
}

static void iperf__rtts_alike_are_one(void **state)
{
	double rtt[] = { 0.0971, 0.1012, 11.79, 11.83, 12.9, 366.4 };

	(void)state;
	iperf_same_rtts(rtt, 6);
	assert_true(rtt[0] == rtt[1] && rtt[0] == 0.0971);
	assert_true(rtt[2] == 11.8 && rtt[3] == 11.8 && rtt[4] == 11.8);
	assert_true(rtt[5] == 366);
	iperf_same_rtts(rtt, 0);
}

static int drop(void **state)
{
	(void)state;
	record_free(&record);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(iperf__a_good_test),
		cmocka_unit_test(iperf__failed_tests_have_a_reason),
		cmocka_unit_test(iperf__foreign_files),
		cmocka_unit_test(iperf__rtts_alike_are_one),
	};

	return cmocka_run_group_tests(tests, NULL, drop);
}
