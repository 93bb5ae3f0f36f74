// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Dumps of the netlink family, raw.
 *   nl_dump stat       all counters, CPU by CPU and summed, one "cpu" or "charge" line each
 *   nl_dump open CMD   begins a dump of counters (stat), hooks (hook) or rules (rule), prints "open", and leaves it
 *                      half read until a line comes; then "finish" reads it to the end, else it is abandoned
 *   nl_dump many N     N processes dump everything again and again until standard input ends
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nlraw.h"
#include "util.h"

static void request_dump(struct nlr *n, uint8_t cmd, bool per_cpu)
{
	struct nlr_msg m;

	nlr_begin(n, &m, cmd, NLM_F_DUMP);
	if (per_cpu)
		nlr_put(&m, NETTOLL_A_STAT_PER_CPU, NULL, 0);
	check(nlr_send(n, &m), "send");
}

static void print_cpu(const struct nlattr *nest)
{
	static const struct { const char *name; uint16_t type; } fields[] = {
		{ "inclusive", NETTOLL_A_STAT_CPU_INCLUSIVE }, { "tx_packets", NETTOLL_A_STAT_CPU_TX_PACKETS },
		{ "tx_bytes", NETTOLL_A_STAT_CPU_TX_BYTES }, { "rx_packets", NETTOLL_A_STAT_CPU_RX_PACKETS },
		{ "rx_bytes", NETTOLL_A_STAT_CPU_RX_BYTES },
	};
	const struct nlattr *cpu = nlr_attr(NLR_DATA(nest), NLR_LEN(nest), NETTOLL_A_STAT_CPU_CPU);

	if (cpu)
		printf("cpu %" PRIu64, nlr_value(cpu));
	else
		printf("cpu all");
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		printf(" %s=%" PRIu64, fields[i].name,
		       nlr_value(nlr_attr(NLR_DATA(nest), NLR_LEN(nest), fields[i].type)));
	putchar('\n');
}

static void print_charge(const struct nlattr *nest)
{
	const void *d = NLR_DATA(nest);
	size_t len = NLR_LEN(nest);
	const struct nlattr *cpu = nlr_attr(d, len, NETTOLL_A_CHARGE_CPU);

	if (cpu)
		printf("charge %" PRIu64, nlr_value(cpu));
	else
		printf("charge all");
	printf(" hook=%" PRIu64 ".%" PRIu64, nlr_value(nlr_attr(d, len, NETTOLL_A_CHARGE_HOOK)),
	       nlr_value(nlr_attr(d, len, NETTOLL_A_CHARGE_DIRECTION)));
	printf(" calls=%" PRIu64 " self=%" PRIu64 " own=%" PRIu64 " total=%" PRIu64 "\n",
	       nlr_value(nlr_attr(d, len, NETTOLL_A_CHARGE_CALLS)),
	       nlr_value(nlr_attr(d, len, NETTOLL_A_CHARGE_SELF)),
	       nlr_value(nlr_attr(d, len, NETTOLL_A_CHARGE_OWN)),
	       nlr_value(nlr_attr(d, len, NETTOLL_A_CHARGE_TOTAL)));
}

static void print_stat(const struct nlmsghdr *h, void *arg)
{
	const struct nlattr *a;

	(void)arg;
	a = nlr_msg_attr(h, NETTOLL_A_STAT_GENERATION);
	if (a)
		printf("head generation=%" PRIu64 " cycles=%" PRIu64 "\n", nlr_value(a),
		       nlr_value(nlr_msg_attr(h, NETTOLL_A_STAT_CYCLES)));
	a = nlr_msg_attr(h, NETTOLL_A_STAT_CPU);
	if (a)
		print_cpu(a);
	a = nlr_msg_attr(h, NETTOLL_A_STAT_CHARGE);
	if (a)
		print_charge(a);
}

static int stat_all(struct nlr *n)
{
	struct nlr_answer a;

	for (int per_cpu = 1; per_cpu >= 0; per_cpu--) {
		request_dump(n, NETTOLL_CMD_STAT_GET, per_cpu);
		nlr_answer(n, &a, 10000, print_stat, NULL);
		if (a.error)
			die(-a.error, "stat dump");
	}
	return 0;
}

static int half_open(struct nlr *n, const char *what)
{
	struct nlr_answer a;
	uint8_t buf[4096];
	char line[16];

	if (!strcmp(what, "hook"))
		request_dump(n, NETTOLL_CMD_HOOK_GET, false);
	else if (!strcmp(what, "rule"))
		request_dump(n, NETTOLL_CMD_RULE_GET, false);
	else
		request_dump(n, NETTOLL_CMD_STAT_GET, true);
	if (check(recv(n->fd, buf, sizeof(buf), 0), "first part") < NLMSG_HDRLEN)
		die(0, "nothing came");
	say("open\n");
	if (!fgets(line, sizeof(line), stdin) || strcmp(line, "finish\n"))
		return 0;	/* the socket closes with the dump unread */
	nlr_answer(n, &a, 10000, NULL, NULL);
	if (a.error)
		die(a.error < 0 ? -a.error : ETIMEDOUT, "the rest of the dump");
	say("finished messages=%u interrupted=%d\n", a.messages, a.interrupted);
	return 0;
}

static void dump_again_and_again(void)
{
	static const uint8_t cmds[] = { NETTOLL_CMD_STAT_GET, NETTOLL_CMD_HOOK_GET, NETTOLL_CMD_LAYER_GET,
					NETTOLL_CMD_SETTING_GET, NETTOLL_CMD_HOLDER_GET,
					NETTOLL_CMD_RULE_GET };
	struct nlr_answer a;
	struct nlr n;

	nlr_open(&n);
	for (unsigned int i = 0;; i++) {
		request_dump(&n, cmds[i % sizeof(cmds)], i & 1 && !(i % sizeof(cmds)));
		nlr_answer(&n, &a, 20000, NULL, NULL);
		if (a.error)
			die(a.error < 0 ? -a.error : ETIMEDOUT, "dump %u", i);
	}
}

static int many(long n)
{
	pid_t pid[64];
	char line[16];
	int status, bad = 0;

	for (long i = 0; i < n; i++) {
		pid[i] = (pid_t)check(fork(), "fork");
		if (!pid[i]) {
			dump_again_and_again();
			_exit(1);
		}
	}
	say("running\n");
	while (fgets(line, sizeof(line), stdin))
		;
	for (long i = 0; i < n; i++)
		kill(pid[i], SIGKILL);
	for (long i = 0; i < n; i++) {
		check(waitpid(pid[i], &status, 0), "waitpid");
		/* One that ended by itself met an error. */
		bad += !WIFSIGNALED(status);
	}
	printf("bad=%d\n", bad);
	return bad != 0;
}

int main(int argc, char **argv)
{
	struct nlr n;

	if (argc == 3 && !strcmp(argv[1], "many"))
		return many(number(argv[2], 1, 64));
	/* In small parts, so that the kernel cannot be done with a dump at once. */
	if (argc == 3)
		nlr_chunk = 4096;
	nlr_open(&n);
	if (argc == 2 && !strcmp(argv[1], "stat"))
		return stat_all(&n);
	if (argc == 3 && !strcmp(argv[1], "open"))
		return half_open(&n, argv[2]);
	die(0, "usage: nl_dump stat | open stat|hook|rule | many N");
}
