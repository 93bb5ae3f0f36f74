// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line of nettoll traffic: what is understood, and every kind of refusal. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/err.h"
#include "traffic/options.h"

#define WORDS_MAX	64

static struct traffic_options o;
static char said[2048];		/* what the last parse() printed on stderr */

/* Parse a line split at blanks, with stderr caught. */
static int parse(const char *line)
{
	char copy[512], *argv[WORDS_MAX], *save;
	int argc = 0, ret, saved, fd;
	FILE *tmp = tmpfile();
	size_t n;

	assert_non_null(tmp);
	snprintf(copy, sizeof(copy), "traffic %s", line);
	for (argv[argc] = strtok_r(copy, " ", &save); argv[argc];
	     argv[argc] = strtok_r(NULL, " ", &save))
		argc++;
	fflush(stderr);
	saved = dup(STDERR_FILENO);
	fd = fileno(tmp);
	dup2(fd, STDERR_FILENO);
	optind = 0;
	ret = traffic_options(argc, argv, &o);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(tmp);
	n = fread(said, 1, sizeof(said) - 1, tmp);
	said[n] = '\0';
	fclose(tmp);
	return ret;
}

static void good(const char *line)
{
	int ret = parse(line);

	if (ret)
		fail_msg("'%s' is refused: %s", line, said);
	assert_string_equal(said, "");
}

/* Refused as wrong usage, on one line that holds @word. */
static void bad(const char *line, const char *word)
{
	int ret = parse(line);

	if (ret != EXIT_USAGE)
		fail_msg("'%s' gives %d", line, ret);
	if (!strstr(said, word))
		fail_msg("'%s' says: %s", line, said);
	assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
}

static void test_defaults(void **state)
{
	(void)state;
	good("--to netns:b");
	assert_int_equal(o.verb, VERB_SEND);
	assert_int_equal(o.spec.kind, TRAFFIC_STREAM);
	assert_int_equal(o.spec.proto, TRAFFIC_UDP);
	assert_int_equal(o.spec.mode, 0);
	assert_int_equal(o.spec.sizes[0], 1448);
	assert_int_equal(o.spec.count, 100000);
	assert_int_equal(o.spec.warmup, 64);
	assert_int_equal(o.spec.cpu_from, -1);
	assert_string_equal(o.spec.from, "here");
	good("ping --to netns:b");
	assert_int_equal(o.spec.kind, TRAFFIC_PING);
	assert_int_equal(o.spec.sizes[0], 64);
	assert_int_equal(o.spec.count, 1000);
	good("--ping --to netns:b");
	assert_int_equal(o.spec.kind, TRAFFIC_PING);
	good("pi --to netns:b --size 64,1K,9000");
	assert_int_equal(o.spec.nsizes, 3);
	assert_int_equal(o.spec.sizes[1], 1024);
}

static void test_everything_given(void **state)
{
	(void)state;
	good("send --from netns:a --to ssh:u@h --addr fd00::2 --source fd00::1 --port 99 --size 8K "
	     "--time 1.5 --warmup 1MB --rate 1.28G --sndbuf 1M --rcvbuf 2M --cpu 0,1 --timeout 3 "
	     "--mode zerocopy+sendmmsg --batch 8 --zc-slots 100 --verify --rx-batch 16 --window 64 "
	     "--unconnected --no-recverr --busy-poll 50 --ssh ssh-x --remote-nettoll /opt/nettoll -6");
	assert_string_equal(o.spec.from, "netns:a");
	assert_string_equal(o.spec.to, "ssh:u@h");
	assert_string_equal(o.spec.addr, "fd00::2");
	assert_string_equal(o.spec.source, "fd00::1");
	assert_int_equal(o.spec.port, 99);
	assert_int_equal(o.spec.sizes[0], 8192);
	assert_int_equal(o.spec.duration_ns, 1500000000);
	assert_int_equal(o.spec.count, 0);
	assert_int_equal(o.spec.warmup, 128);
	assert_int_equal(o.spec.rate_bps, 1280000000);
	assert_int_equal(o.spec.sndbuf, 1 << 20);
	assert_int_equal(o.spec.rcvbuf, 2 << 20);
	assert_int_equal(o.spec.cpu_from, 0);
	assert_int_equal(o.spec.cpu_to, 1);
	assert_int_equal(o.spec.timeout_ms, 3000);
	assert_int_equal(o.spec.mode, TRAFFIC_ZEROCOPY | TRAFFIC_SENDMMSG);
	assert_int_equal(o.spec.batch, 8);
	assert_int_equal(o.spec.zc_slots, 100);
	assert_int_equal(o.spec.rx_batch, 16);
	assert_int_equal(o.spec.window, 64);
	assert_int_equal(o.spec.busy_poll_us, 50);
	assert_int_equal(o.spec.family, 6);
	assert_true(o.spec.verify && o.spec.unconnected && o.spec.no_recverr);
	assert_string_equal(o.spec.ssh, "ssh-x");
	assert_string_equal(o.spec.remote_nettoll, "/opt/nettoll");
}

static void test_lengths_become_messages(void **state)
{
	(void)state;
	good("--to here --size 1000 --bytes 1001");
	assert_int_equal(o.spec.count, 2);
	good("--to here --size 1000 --warmup 2001B");
	assert_int_equal(o.spec.warmup, 3);
	good("--to here --mode gso --size 1448");
	assert_int_equal(o.spec.segments, 45);
	good("--to here --mode gso --size 100");
	assert_int_equal(o.spec.segments, 64);
	good("--to here --mode sendmmsg");
	assert_int_equal(o.spec.batch, 32);
}

static void test_recv(void **state)
{
	(void)state;
	good("recv");
	assert_int_equal(o.verb, VERB_RECV);
	assert_int_equal(o.listen_port, TRAFFIC_PORT);
	good("recv --listen 7000 --once");
	assert_int_equal(o.listen_port, 7000);
	assert_true(o.once);
	good("recv --listen [fd00::1]:7001");
	assert_string_equal(o.listen_addr, "fd00::1");
	assert_int_equal(o.listen_port, 7001);
	good("recv --listen 10.0.0.1:7002");
	assert_string_equal(o.listen_addr, "10.0.0.1");
	good("recv --stdio");
	bad("recv --stdio --once", "excludes");
	bad("recv --size 5", "recv takes only");
	bad("recv --listen 65536", "0 to 65535");
	bad("--to here --once", "recv");
}

static void test_ranges_are_named(void **state)
{
	(void)state;
	bad("--to here --size 65508", "16 .. 65507");
	bad("--to here --size 15", "16 .. 65507");
	good("--to here --size 65507");
	bad("--to here --proto tcp --size 16777217", "16 .. 16777216");
	good("--to here --proto tcp --size 16M");
	bad("--to here --count 0", "from 1 to");
	bad("--to here --count 1x", "not a whole number");
	bad("ping --to here --count 10000001", "1 .. 10000000");
	bad("--to here --batch 1025 --mode sendmmsg", "from 1 to 1024");
	bad("--to here --segments 65 --mode gso", "from 1 to 64");
	bad("--to here --segments 46 --size 1448 --mode gso", "1 .. 45");
	bad("--to here --window 1", "from 2 to");
	bad("--to here --window 8 --mode gso --segments 9", "9 .. ");
	bad("--to here --port 65536", "from 0 to 65535");
	bad("--to here --rcvbuf 2047", "from 2K");
	bad("--to here --rcvbuf 2G", "to 1G");
	bad("--to here --timeout 0.01", "100ms");
	bad("--to here --rate 10", "from ");
	bad("--to here --rate 2000 --size 65507", "--rate");
	bad("--to here --cpu 0,1,2", "more than two");
	bad("--to here --busy-poll 1000001", "1000000");
	bad("ping --to here --size 64,64,64,64,64,64,64,64,64,64,64,64,64,64,64,64,64", "16 sizes");
}

static void test_what_does_not_go_together(void **state)
{
	(void)state;
	bad("--to here --proto tcp --mode gso", "TCP does not have");
	bad("--to here --proto tcp --mode zerocopy+gso", "TCP does not have");
	bad("--to here --proto tcp --mode sendmmsg", "not for TCP");
	good("--to here --proto tcp --mode zerocopy");
	bad("--to here --proto tcp --window 8", "TCP has its own");
	bad("--to here --proto tcp --gro", "UDP_GRO");
	bad("--to here --proto tcp --no-check", "checksum");
	bad("--to here --proto tcp --unconnected", "UDP");
	bad("--to here --proto tcp --no-recverr", "datagrams");
	bad("--to here --nodelay", "TCP");
	bad("--to here --rx-size 5", "TCP");
	bad("--to here --no-check -6", "IPv6");
	bad("--to here --no-check --addr ::1", "IPv6");
	bad("--to here --no-check --mode gso", "UDP_SEGMENT");
	bad("--to here --verify --skip-rx-copy", "skip-rx-copy");
	bad("--to here --gro --skip-rx-copy", "skip-rx-copy");
	bad("--to here --segments 4", "gso");
	bad("--to here --batch 4", "sendmmsg");
	bad("--to here --zc-slots 4", "zerocopy");
	bad("--to here --count 4 --time 1", "exclude");
	bad("--to here --count 4 --bytes 1", "exclude");
	bad("--to here --size 64,65", "a stream has one");
	bad("ping --to here --mode gso", "plainly");
	bad("ping --to here --rate 1M", "not paced");
	bad("ping --to here --bytes 5", "count or time");
	bad("ping --to here --window 5", "in flight");
}

static void test_peers_and_addresses(void **state)
{
	char name[TRAFFIC_PEER_MAX] = "", line[TRAFFIC_PEER_MAX + 16];

	(void)state;
	bad("", "--to");
	bad("--to b", "no peer");
	bad("--to netns:", "usable");
	bad("--to netns:../x", "usable");
	bad("--to ssh:-oProxyCommand=x", "usable");
	bad("--to here --from lab", "from 'lab'");
	bad("--to here --addr 10.0.0.300", "numeric");
	bad("--to here --addr example.org", "numeric");
	good("--to here --addr fe80::1%lo");
	bad("--to here --addr fe80::1", "interface");
	bad("--to here --source x", "source");
	memset(name, 'x', sizeof(name) - 1);
	snprintf(line, sizeof(line), "--to netns:%s", name);
	bad(line, "longer");
}

static void test_unknown_words(void **state)
{
	(void)state;
	bad("bounce --to here", "bounce");
	bad("--to here extra", "extra");
	bad("--to here --fast", "--fast");
	bad("--to here --mode fast", "no mode 'fast'");
	bad("--to here --mode plain+gso", "no mode");
	bad("--to here --mode gso+gso", "no mode");
	bad("--to here --mode gso+", "no mode");
	bad("--to here --proto sctp", "sctp");
	bad("--to here --size", "needs a value");
}

static void test_mode_names_round_trip(void **state)
{
	uint32_t mode, back;

	(void)state;
	for (mode = 0; mode < 8; mode++) {
		assert_int_equal(traffic_mode_parse(traffic_mode_name(mode), &back), 0);
		assert_int_equal(back, mode);
	}
	assert_int_equal(traffic_mode_parse("gso+zerocopy", &back), 0);
	assert_int_equal(back, TRAFFIC_GSO | TRAFFIC_ZEROCOPY);
	assert_int_equal(traffic_mode_parse("", &back), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_everything_given),
		cmocka_unit_test(test_lengths_become_messages),
		cmocka_unit_test(test_recv),
		cmocka_unit_test(test_ranges_are_named),
		cmocka_unit_test(test_what_does_not_go_together),
		cmocka_unit_test(test_peers_and_addresses),
		cmocka_unit_test(test_unknown_words),
		cmocka_unit_test(test_mode_names_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
