// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Attaches and detaches at random, always and in windows, from two processes at once, while a third reads.
 *   nl_storm SECONDS SEED [reload|faults]
 * What was read may never go back, whatever windows leave out, unless the module comes and goes meanwhile: reload. With
 * faults, these processes are those that fault injection may meet (make-it-fail), and what fails is begun anew.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nlraw.h"
#include "util.h"

#define HOOKS_MAX	256

/* Whether what fails is for the kernel to survive and for us to try again. */
static bool reload, faults;

static uint64_t state;

/* xorshift64*: good enough, and the same everywhere. */
static uint32_t rnd(uint32_t below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)((state * 2685821657736338717ull) >> 33) % below;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static const char *const hooks[] = { "udp_sendmsg", "udp_recvmsg", "__skb_recv_udp", "skb_release_data", "tcp_ack",
				     "_copy_from_iter", "__sys_recvfrom", "sock_def_readable", "ip_rcv" };

static void build(struct nlr *n, struct nlr_msg *m)
{
	bool attach = rnd(5) < 3;

	nlr_begin(n, m, attach ? NETTOLL_CMD_ATTACH : NETTOLL_CMD_DETACH, 0);
	/* Patching a hook takes its time, and all are dear; the layer wait has none. */
	for (uint32_t i = attach ? 1 + rnd(2) : rnd(4); i; i--)
		if (rnd(12))
			nlr_put_str(m, NETTOLL_A_ATTACH_HOOK, hooks[rnd(sizeof(hooks) / sizeof(*hooks))]);
		else
			nlr_put_u32(m, NETTOLL_A_ATTACH_LAYER, rnd(2) ? NETTOLL_LAYER_UDP : NETTOLL_LAYER_WAIT);
	if (!attach)
		return;
	if (rnd(2))
		nlr_put_u32(m, NETTOLL_A_ATTACH_BACKEND, rnd(4));
	if (!rnd(3))
		nlr_put(m, NETTOLL_A_ATTACH_STRICT, NULL, 0);
	switch (rnd(4)) {
	case 0:
		nlr_put_u32(m, NETTOLL_A_ATTACH_DUTY, 1 + rnd(10000));
		break;
	case 1:
		nlr_put_u32(m, NETTOLL_A_ATTACH_CEILING, 1 + rnd(rnd(2) ? 20 : 10000));
		break;
	case 2:
		return;
	}
	nlr_put_u32(m, NETTOLL_A_ATTACH_WINDOW_MS, 1 + rnd(30));
}

static void set_account(char value)
{
	int fd = open("/proc/sys/net/nettoll/account", O_WRONLY);

	if (fd >= 0 && write(fd, &value, 1) != 1 && errno != EBUSY && errno != EOPNOTSUPP && errno != ENOENT)
		die(errno, "account=%c", value);
	close(fd);
}

static int change(double end)
{
	unsigned long done = 0, refused = 0;
	struct nlr_answer a;
	struct nlr_msg m;
	struct nlr n;

	nlr_open(&n);
	while (now() < end) {
		if (!rnd(12)) {
			set_account('0');
			continue;
		}
		build(&n, &m);
		nlr_ask(&n, &m, &a);
		/* A window or two. */
		if (rnd(2))
			usleep(rnd(50000));
		done += !a.error;
		refused += a.error < 0;
		/* Another backend in use, a backend or hook that is not there, a function that ftrace does not see. */
		if (a.error && a.error != -EBUSY && a.error != -EOPNOTSUPP && a.error != -ENOENT && a.error != -EINVAL)
			die(-a.error, "request: %s", a.text);
		if (a.error && !*a.text)
			die(-a.error, "request: no reason given");
	}
	say("changes=%lu refused=%lu\n", done, refused);
	return done ? 0 : 1;
}

struct reading {
	uint64_t attached_ns, packets[4], charge[HOOKS_MAX * 2][4];
	bool whole;
};

static void take(const struct nlmsghdr *h, void *arg)
{
	static const uint16_t fields[] = { NETTOLL_A_CHARGE_CALLS, NETTOLL_A_CHARGE_SELF, NETTOLL_A_CHARGE_OWN,
					   NETTOLL_A_CHARGE_TOTAL };
	static const uint16_t packets[] = { NETTOLL_A_STAT_CPU_TX_PACKETS, NETTOLL_A_STAT_CPU_TX_BYTES,
					    NETTOLL_A_STAT_CPU_RX_PACKETS, NETTOLL_A_STAT_CPU_RX_BYTES };
	const struct nlattr *at = nlr_msg_attr(h, NETTOLL_A_STAT_ATTACHED_NS);
	struct reading *r = arg;
	uint64_t slot;

	if (at)
		r->attached_ns = nlr_value(at);
	at = nlr_msg_attr(h, NETTOLL_A_STAT_CPU);
	for (size_t i = 0; at && i < 4; i++)
		r->packets[i] = nlr_value(nlr_attr(NLR_DATA(at), NLR_LEN(at), packets[i]));
	at = nlr_msg_attr(h, NETTOLL_A_STAT_CHARGE);
	if (!at)
		return;
	slot = nlr_value(nlr_attr(NLR_DATA(at), NLR_LEN(at), NETTOLL_A_CHARGE_HOOK)) * 2 +
	       nlr_value(nlr_attr(NLR_DATA(at), NLR_LEN(at), NETTOLL_A_CHARGE_DIRECTION));
	if (slot >= HOOKS_MAX * 2)
		die(0, "a charge of hook %" PRIu64, slot / 2);
	for (size_t i = 0; i < 4; i++)
		r->charge[slot][i] = nlr_value(nlr_attr(NLR_DATA(at), NLR_LEN(at), fields[i]));
}

static void no_less(const char *what, size_t of, uint64_t before, uint64_t after)
{
	if (after < before)
		die(0, "%s %zu went back from %" PRIu64 " to %" PRIu64, what, of, before, after);
}

static int watch(double end)
{
	static struct reading r[2];
	struct reading *old = &r[0], *new = &r[1], *swap;
	unsigned long readings = 0, moved = 0;
	struct nlr_answer a;
	struct nlr_msg m;
	struct nlr n;

	nlr_open(&n);
	for (; now() < end; readings++) {
		nlr_begin(&n, &m, NETTOLL_CMD_STAT_GET, NLM_F_DUMP);
		memset(new, 0, sizeof(*new));
		check(nlr_send(&n, &m), "send");
		nlr_answer(&n, &a, 20000, take, new);
		if (a.error)
			die(a.error < 0 ? -a.error : ETIMEDOUT, "stat dump");
		usleep(rnd(20000));
		if (reload)
			continue;
		no_less("attached-ns", 0, old->attached_ns, new->attached_ns);
		for (size_t i = 0; i < 4; i++)
			no_less("packets", i, old->packets[i], new->packets[i]);
		for (size_t i = 0; i < HOOKS_MAX * 2; i++)
			for (size_t k = 0; k < 4; k++)
				no_less(k == 0 ? "calls of" : k == 1 ? "self of" : k == 2 ? "own of" : "total of", i / 2,
					old->charge[i][k], new->charge[i][k]);
		moved += new->attached_ns > old->attached_ns;
		swap = old;
		old = new;
		new = swap;
	}
	say("readings=%lu moved=%lu\n", readings, moved);
	return reload || moved > 1 ? 0 : 1;
}

static void make_it_fail(void)
{
	int fd = (int)check(open("/proc/self/make-it-fail", O_WRONLY | O_CLOEXEC), "/proc/self/make-it-fail");

	check(write(fd, "1", 1), "make-it-fail");
	close(fd);
}

static pid_t begin(int which, double end)
{
	pid_t pid = fork();

	check(pid, "fork");
	if (pid)
		return pid;
	if (faults)
		make_it_fail();
	state ^= (uint64_t)which * 0x9e3779b97f4a7c15ull + (uint64_t)(reload ? getpid() : 0);
	exit(which ? change(end) : watch(end));
}

int main(int argc, char **argv)
{
	unsigned long again = 0;
	pid_t pid[3];
	int status, failed = 0;
	double end;

	if (argc < 3)
		die(0, "usage: nl_storm SECONDS SEED [reload|faults]");
	end = now() + (double)number(argv[1], 1, 3600);
	state = (uint64_t)number(argv[2], 1, 1000000000) * 0x9e3779b97f4a7c15ull;
	faults = argc > 3 && !strcmp(argv[3], "faults");
	reload = argc > 3;
	for (int i = 0; i < 3; i++)
		pid[i] = begin(i, end);
	for (int left = 3, i; left;) {
		pid_t ended = (pid_t)check(wait(&status), "wait");

		for (i = 0; pid[i] != ended;)
			i++;
		if (reload && now() < end) {
			/* The module was gone for a moment, or there was no memory. */
			again++;
			usleep(20000);
			pid[i] = begin(i, end);
			continue;
		}
		left--;
		if (!reload && status)
			failed = 1;
	}
	if (reload)
		say("begun anew %lu times\n", again);
	return failed;
}
