// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random requests to the netlink family: valid ones, then changed. The same seed gives the same requests.
 *   nl_fuzz SEED COUNT
 * Prints how often each answer came. The family must answer a good request at the end.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nlraw.h"
#include "util.h"

static struct nlr n;
static struct nlr_msg m;
static uint64_t state;

/* xorshift64*: good enough, and the same everywhere. */
static uint32_t rnd(uint32_t below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return below ? (uint32_t)((state * 2685821657736338717ull) >> 33) % below : 0;
}

static const char *const names[] = { "udp_sendmsg", "skb_clone", "ip_rcv", "sock_def_readable", "sched/sched_switch",
				     "no_such_function", "", "tcp_ack", "nudge_ms", "backend", "account" };

static void put_random(void)
{
	static uint8_t junk[300];
	uint16_t type = (uint16_t)(rnd(8) ? rnd(12) : rnd(65536));
	const char *name = names[rnd(sizeof(names) / sizeof(*names))];
	size_t len;

	switch (rnd(6)) {
	case 0:
		nlr_put_u32(&m, type, rnd(3) ? rnd(20) : UINT32_MAX - rnd(3));
		break;
	case 1:
		nlr_put_u64(&m, type, (uint64_t)rnd(30000) << (rnd(2) ? 0 : 40));
		break;
	case 2:
		nlr_put_str(&m, type, name);
		break;
	case 3:
		nlr_put(&m, type, NULL, 0);
		break;
	case 4:
		len = rnd(sizeof(junk));
		for (size_t i = 0; i < len; i++)
			junk[i] = (uint8_t)rnd(256);
		nlr_put(&m, type, junk, len);
		break;
	default:
		nlr_put(&m, type, name, strlen(name));
	}
}

/*
 * A request that would be understood. Attaching is for one hook at a time: all of them take their time, and
 * it is the parsing that is tested here.
 */
static void build(void)
{
	static const uint8_t dumps[] = { NETTOLL_CMD_LAYER_GET, NETTOLL_CMD_HOOK_GET, NETTOLL_CMD_STAT_GET,
					 NETTOLL_CMD_SETTING_GET, NETTOLL_CMD_HOLDER_GET, NETTOLL_CMD_RULE_GET };
	static const uint8_t rules[] = { NETTOLL_CMD_RULE_ADD, NETTOLL_CMD_RULE_ADD, NETTOLL_CMD_RULE_SET,
					 NETTOLL_CMD_RULE_DEL, NETTOLL_CMD_RULE_GET };
	uint32_t what = rnd(100);

	if (what < 4) {
		nlr_begin(&n, &m, rnd(2) ? NETTOLL_CMD_ATTACH : NETTOLL_CMD_DETACH, 0);
		nlr_put_str(&m, NETTOLL_A_ATTACH_HOOK, names[rnd(4)]);
		if (rnd(2))
			nlr_put_u32(&m, NETTOLL_A_ATTACH_BACKEND, rnd(4));
	} else if (what < 30) {
		nlr_begin(&n, &m, rnd(2) ? NETTOLL_CMD_ATTACH : NETTOLL_CMD_DETACH, 0);
		nlr_put_str(&m, NETTOLL_A_ATTACH_HOOK, "no_such_function");
	} else if (what < 50) {
		nlr_begin(&n, &m, NETTOLL_CMD_SETTING_SET, 0);
		nlr_put_str(&m, NETTOLL_A_SETTING_NAME, rnd(2) ? "nudge_ms" : "backend");
		nlr_put_u64(&m, NETTOLL_A_SETTING_VALUE, rnd(6));
	} else if (what < 65) {
		nlr_begin(&n, &m, NETTOLL_CMD_HOOK_GET, 0);
		nlr_put_str(&m, NETTOLL_A_HOOK_NAME, names[rnd(sizeof(names) / sizeof(*names))]);
	} else if (what < 70) {
		nlr_begin(&n, &m, NETTOLL_CMD_STATUS_GET, 0);
	} else if (what < 80) {
		/* An action for which nothing need be interposed, and something to match. */
		nlr_begin(&n, &m, rules[rnd(sizeof(rules))], 0);
		if (rnd(2))
			nlr_put_u32(&m, NETTOLL_A_RULE_ID, rnd(20));
		if (rnd(2))
			nlr_put_u32(&m, NETTOLL_A_RULE_REMOTE_ADDR4, rnd(UINT32_MAX));
		if (rnd(2))
			nlr_put_str(&m, NETTOLL_A_RULE_DEVICE, names[rnd(sizeof(names) / sizeof(*names))]);
		nlr_put_u32(&m, NETTOLL_A_RULE_COALESCE_BYTES, rnd(70000));
	} else if (what < 95) {
		nlr_begin(&n, &m, dumps[rnd(sizeof(dumps))], NLM_F_DUMP);
	} else {
		nlr_begin(&n, &m, (uint8_t)rnd(256), (uint16_t)(rnd(2) ? 0 : NLM_F_DUMP));
		/* Without a name, these would be about all hooks. */
		nlr_put_str(&m, NETTOLL_A_ATTACH_HOOK, "no_such_function");
	}
}

static void spoil(void)
{
	uint32_t times = 1 + rnd(3), at;

	while (times--) {
		switch (rnd(5)) {
		case 0:
			put_random();
			break;
		case 1:
			/* A bit within what follows netlink's header, but not the command: as cheap as it was. */
			at = NLMSG_HDRLEN + 1 + rnd((uint32_t)(m.used - NLMSG_HDRLEN - 1));
			m.buf[at] ^= (uint8_t)(1 << rnd(8));
			break;
		case 2:
			if (m.used > NLMSG_HDRLEN + 4)
				m.used -= rnd((uint32_t)(m.used - NLMSG_HDRLEN));
			if (rnd(2))
				m.h.nlmsg_len = (uint32_t)m.used;
			break;
		case 3:
			m.h.nlmsg_len = rnd(3) ? rnd((uint32_t)m.used * 2) : (uint32_t)m.used;
			break;
		default:
			m.h.nlmsg_flags ^= (uint16_t)(rnd(4) ? 0x10 << rnd(7) : 0);
		}
	}
}

/* Whether the hook's name of an attach or detach is gone, which would then be for all. */
static bool too_dear(void)
{
	const struct genlmsghdr *g = (const void *)(m.buf + NLMSG_HDRLEN);

	if (m.used < NLMSG_HDRLEN + GENL_HDRLEN || m.h.nlmsg_len > m.used)
		return false;
	return (g->cmd == NETTOLL_CMD_ATTACH || g->cmd == NETTOLL_CMD_DETACH) &&
	       (!nlr_msg_attr(&m.h, NETTOLL_A_ATTACH_HOOK) || nlr_msg_attr(&m.h, NETTOLL_A_ATTACH_LAYER));
}

static void drain(void)
{
	uint8_t buf[32768];

	while (recv(n.fd, buf, sizeof(buf), MSG_DONTWAIT) > 0 || errno == ENOBUFS)
		;
}

int main(int argc, char **argv)
{
	unsigned long count, accepted = 0, refused = 0, silent = 0, left_out = 0;
	struct nlr_answer a;
	struct pollfd p;

	if (argc != 3)
		die(0, "usage: nl_fuzz SEED COUNT");
	state = (uint64_t)number(argv[1], 1, 1000000000) * 0x9e3779b97f4a7c15ull;
	count = (unsigned long)number(argv[2], 1, 100000000);
	nlr_open(&n);
	p = (struct pollfd){ .fd = n.fd, .events = POLLIN };
	for (unsigned long i = 0; i < count; i++) {
		build();
		if (rnd(8))
			spoil();
		if (m.overflow || too_dear()) {
			left_out++;
			continue;
		}
		check(nlr_send(&n, &m), "send");
		/* Requests are served within the call that sends them: what is not there now does not come. */
		if (poll(&p, 1, 0) <= 0) {
			silent++;
			continue;
		}
		if (rnd(10)) {
			nlr_answer(&n, &a, m.h.nlmsg_flags & NLM_F_ACK ? 20 : 1, NULL, NULL);
			silent += a.error == 1;
			refused += a.error < 0;
			accepted += a.error == 0;
		} else {
			/* A dump that is left half read blocks the next: a new socket. */
			close(n.fd);
			nlr_open(&n);
			p.fd = n.fd;
		}
		drain();
	}
	nlr_open(&n);
	nlr_begin(&n, &m, NETTOLL_CMD_STATUS_GET, 0);
	nlr_ask(&n, &m, &a);
	printf("accepted=%lu refused=%lu silent=%lu left_out=%lu end=%d\n", accepted, refused, silent, left_out, a.error);
	/* Requests of all kinds must have been met, or the fuzzer is not one. */
	return a.error || !accepted || !refused;
}
