// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bad requests to the netlink family, each with the error that it must get: the number, the text, and
 * the attribute that the error points at. Prints "ok TEXT" or "not ok TEXT" for each; --count says how many.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nlraw.h"
#include "util.h"

#define ANY	-1	/* for an errno: any error will do */
#define SILENT	-2	/* nothing may come back */

static struct nlr n;
static struct nlr_msg m;
static bool counting;
static unsigned int cases, failures;

/* Sends what is in m and compares. @at: offset of the attribute at fault, 0: any; @text: part of it, NULL: any. */
static void want(const char *what, int error, size_t at, const char *text)
{
	struct nlr_answer a;
	bool good;

	if (m.overflow)
		die(0, "%s: the message is too long", what);
	check(nlr_send(&n, &m), what);
	nlr_answer(&n, &a, error == SILENT ? 100 : 30000, NULL, NULL);
	good = error == ANY ? a.error < 0 : error == SILENT ? a.error == 1 : a.error == -error;
	if (at && a.offset != at)
		good = false;
	if (text && !strstr(a.text, text))
		good = false;
	printf("%s %s\n", good ? "ok" : "not ok", what);
	if (!good) {
		failures++;
		printf("# got error %d (%s), offset %u, missing %u, text '%s'\n", a.error,
		       a.error < 0 ? strerror(-a.error) : a.error ? "no answer" : "success", a.offset, a.missing,
		       a.text);
		printf("# wanted error %d (%s), offset %zu, text '%s'\n", -error,
		       error > 0 ? strerror(error) : "-", at, text ? text : "");
	}
}

#define CASE	if (counting) cases++; else

static void begin(uint8_t cmd, uint16_t flags) { nlr_begin(&n, &m, cmd, flags); }

static const char *long_name(size_t len)
{
	static char name[600];

	memset(name, 'x', len);
	name[len] = '\0';
	return name;
}

static void attach_cases(void)
{
	size_t at;

	CASE {
		begin(NETTOLL_CMD_ATTACH, 0);
		at = nlr_put_u32(&m, NETTOLL_A_ATTACH_LAYER, NETTOLL_LAYER_WAIT + 1);
		want("attach: a layer that does not exist", ERANGE, at, "");
	}
	CASE {
		begin(NETTOLL_CMD_ATTACH, 0);
		at = nlr_put(&m, NETTOLL_A_ATTACH_LAYER, "\1", 2);
		want("attach: a layer of two bytes", ANY, at, "");
	}
	CASE {
		begin(NETTOLL_CMD_ATTACH, 0);
		at = nlr_put_str(&m, NETTOLL_A_ATTACH_HOOK, "no_such_function");
		want("attach: a hook that does not exist", ENOENT, at, "no such hook");
	}
	CASE {
		begin(NETTOLL_CMD_ATTACH, 0);
		nlr_put_str(&m, NETTOLL_A_ATTACH_HOOK, "udp_sendmsg");
		at = nlr_put_str(&m, NETTOLL_A_ATTACH_HOOK, "no_such_function");
		want("attach: a good hook and one that does not exist", ENOENT, at, "no such hook");
	}
	CASE {
		begin(NETTOLL_CMD_ATTACH, 0);
		at = nlr_put_str(&m, NETTOLL_A_ATTACH_HOOK, "");
		want("attach: a hook without a name", ENOENT, at, "no such hook");
	}
	CASE {
		begin(NETTOLL_CMD_ATTACH, 0);
		at = nlr_put(&m, NETTOLL_A_ATTACH_HOOK, NULL, 0);
		want("attach: a hook of no bytes", ANY, 0, NULL);
	}
	CASE {
		begin(NETTOLL_CMD_ATTACH, 0);
		at = nlr_put(&m, NETTOLL_A_ATTACH_HOOK, long_name(63), 63);
		want("attach: a name of 63 characters, no NUL", ENOENT, at, "no such hook");
	}
	CASE {
		begin(NETTOLL_CMD_ATTACH, 0);
		at = nlr_put_str(&m, NETTOLL_A_ATTACH_HOOK, long_name(64));
		want("attach: a name of 64 characters", ANY, at, "");
	}
	CASE {
		begin(NETTOLL_CMD_ATTACH, 0);
		at = nlr_put_str(&m, NETTOLL_A_ATTACH_HOOK, long_name(500));
		want("attach: a name of 500 characters", ANY, at, "");
	}
	CASE {
		begin(NETTOLL_CMD_ATTACH, 0);
		at = nlr_put_str(&m, NETTOLL_A_ATTACH_HOOK, "nettoll_calibration_target");
		want("attach: the hook that is never listed", ENOENT, at, "no such hook");
	}
	CASE {
		begin(NETTOLL_CMD_ATTACH, 0);
		at = nlr_put_u32(&m, NETTOLL_A_ATTACH_BACKEND, NETTOLL_BACKEND_TRACEPOINT + 1);
		want("attach: a backend that does not exist", ERANGE, at, "");
	}
	CASE {
		begin(NETTOLL_CMD_ATTACH, 0);
		at = nlr_put_u32(&m, NETTOLL_A_ATTACH_BACKEND, NETTOLL_BACKEND_TRACEPOINT);
		want("attach: by tracepoint", EINVAL, at, "use auto, direct");
	}
	CASE {
		begin(NETTOLL_CMD_ATTACH, 0);
		at = nlr_put(&m, NETTOLL_A_ATTACH_STRICT, "yes", 4);
		want("attach: strict with a value", ANY, at, "");
	}
	CASE {
		begin(NETTOLL_CMD_ATTACH, 0);
		at = nlr_put_u32(&m, NETTOLL_A_ATTACH_DUTY, 0);
		want("attach: duty of nothing", ERANGE, at, "");
	}
	CASE {
		begin(NETTOLL_CMD_ATTACH, 0);
		at = nlr_put_u32(&m, NETTOLL_A_ATTACH_DUTY, 10001);
		want("attach: duty of more than always", ERANGE, at, "");
	}
	CASE {
		begin(NETTOLL_CMD_ATTACH, 0);
		at = nlr_put_u32(&m, NETTOLL_A_ATTACH_WINDOW_MS, 0);
		want("attach: windows of no length", ERANGE, at, "");
	}
	CASE {
		begin(NETTOLL_CMD_ATTACH, 0);
		at = nlr_put_u32(&m, NETTOLL_A_ATTACH_WINDOW_MS, 10001);
		want("attach: windows of more than ten seconds", ERANGE, at, "");
	}
	CASE {
		begin(NETTOLL_CMD_ATTACH, 0);
		at = nlr_put_u32(&m, 100, 0);
		want("attach: an unknown attribute", EINVAL, at, "nknown attribute");
	}
	CASE {
		begin(NETTOLL_CMD_ATTACH, 0);
		at = nlr_put_u32(&m, NETTOLL_A_ATTACH_LAYER | NLA_F_NESTED, NETTOLL_LAYER_UDP);
		want("attach: a number that claims to be a nest", EINVAL, at, "");
	}
	CASE {
		begin(NETTOLL_CMD_ATTACH, 0);
		nlr_put_u32(&m, NETTOLL_A_ATTACH_LAYER, NETTOLL_LAYER_UDP);
		((struct nlattr *)(m.buf + NLMSG_HDRLEN + GENL_HDRLEN))->nla_len = 200;
		want("attach: an attribute longer than its message", EINVAL, 0, NULL);
	}
	CASE {
		begin(NETTOLL_CMD_DETACH, 0);
		at = nlr_put_u32(&m, NETTOLL_A_ATTACH_BACKEND, NETTOLL_BACKEND_DIRECT);
		want("detach: with a backend, which it does not take", EINVAL, at, "nknown attribute");
	}
	CASE {
		begin(NETTOLL_CMD_DETACH, 0);
		at = nlr_put_str(&m, NETTOLL_A_ATTACH_HOOK, "no_such_function");
		want("detach: a hook that does not exist", ENOENT, at, "no such hook");
	}
	CASE {
		begin(NETTOLL_CMD_DETACH, 0);
		at = nlr_put_u32(&m, NETTOLL_A_ATTACH_LAYER, UINT32_MAX);
		want("detach: a layer that does not exist", ERANGE, at, "");
	}
}

static void setting_cases(void)
{
	size_t at;

	CASE {
		begin(NETTOLL_CMD_SETTING_SET, 0);
		want("set: neither name nor value", EINVAL, 0, NULL);
	}
	CASE {
		begin(NETTOLL_CMD_SETTING_SET, 0);
		nlr_put_str(&m, NETTOLL_A_SETTING_NAME, "nudge_ms");
		want("set: no value", EINVAL, 0, NULL);
	}
	CASE {
		begin(NETTOLL_CMD_SETTING_SET, 0);
		at = nlr_put_str(&m, NETTOLL_A_SETTING_NAME, "no_such_setting");
		nlr_put_u64(&m, NETTOLL_A_SETTING_VALUE, 1);
		want("set: a setting that does not exist", ENOENT, at, "no such setting");
	}
	CASE {
		begin(NETTOLL_CMD_SETTING_SET, 0);
		at = nlr_put_str(&m, NETTOLL_A_SETTING_NAME, long_name(32));
		nlr_put_u64(&m, NETTOLL_A_SETTING_VALUE, 1);
		want("set: a name of 32 characters", ANY, at, "");
	}
	CASE {
		begin(NETTOLL_CMD_SETTING_SET, 0);
		at = nlr_put(&m, NETTOLL_A_SETTING_NAME, "nudge_ms", 8);
		nlr_put_u64(&m, NETTOLL_A_SETTING_VALUE, 1);
		want("set: a name without its NUL", ANY, at, "");
	}
	CASE {
		begin(NETTOLL_CMD_SETTING_SET, 0);
		nlr_put_str(&m, NETTOLL_A_SETTING_NAME, "nudge_ms");
		at = nlr_put_u64(&m, NETTOLL_A_SETTING_VALUE, 10001);
		want("set: one more than the maximum", ERANGE, at, "out of range");
	}
	CASE {
		begin(NETTOLL_CMD_SETTING_SET, 0);
		nlr_put_str(&m, NETTOLL_A_SETTING_NAME, "account");
		at = nlr_put_u64(&m, NETTOLL_A_SETTING_VALUE, UINT64_MAX);
		want("set: the greatest number there is", ERANGE, at, "out of range");
	}
	CASE {
		begin(NETTOLL_CMD_SETTING_SET, 0);
		nlr_put_str(&m, NETTOLL_A_SETTING_NAME, "backend");
		at = nlr_put_u64(&m, NETTOLL_A_SETTING_VALUE, NETTOLL_BACKEND_TRACEPOINT);
		want("set: the backend tracepoint", ERANGE, at, "out of range");
	}
	CASE {
		begin(NETTOLL_CMD_SETTING_SET, 0);
		nlr_put_str(&m, NETTOLL_A_SETTING_NAME, "nudge_ms");
		at = nlr_put(&m, NETTOLL_A_SETTING_VALUE, "\1\0", 2);
		want("set: a value of two bytes", ANY, at, "");
	}
	CASE {
		begin(NETTOLL_CMD_SETTING_SET, 0);
		nlr_put_str(&m, NETTOLL_A_SETTING_NAME, "nudge_ms");
		nlr_put_u64(&m, NETTOLL_A_SETTING_VALUE, 100);
		at = nlr_put_u64(&m, NETTOLL_A_SETTING_MAXIMUM, 100000);
		want("set: bounds, which are not for setting", EINVAL, at, "nknown attribute");
	}
}

static void hook_cases(void)
{
	size_t at;

	CASE {
		begin(NETTOLL_CMD_HOOK_GET, 0);
		want("hook: no name", EINVAL, 0, NULL);
	}
	CASE {
		begin(NETTOLL_CMD_HOOK_GET, 0);
		at = nlr_put_str(&m, NETTOLL_A_HOOK_NAME, "no_such_function");
		want("hook: one that does not exist", ENOENT, at, "no such hook");
	}
	CASE {
		begin(NETTOLL_CMD_HOOK_GET, 0);
		at = nlr_put_str(&m, NETTOLL_A_HOOK_NAME, long_name(64));
		want("hook: a name of 64 characters", ANY, at, "");
	}
	CASE {
		begin(NETTOLL_CMD_HOOK_GET, 0);
		nlr_put_str(&m, NETTOLL_A_HOOK_NAME, "udp_sendmsg");
		want("hook: one that exists", 0, 0, NULL);
	}
	CASE {
		begin(NETTOLL_CMD_HOOK_GET, 0);
		nlr_put_str(&m, NETTOLL_A_HOOK_NAME, "sched/sched_switch");
		want("hook: the tracepoint", 0, 0, NULL);
	}
}

static void command_cases(void)
{
	size_t at;

	CASE {
		begin(200, 0);
		want("a command that does not exist", EOPNOTSUPP, 0, NULL);
	}
	CASE {
		begin(0, 0);
		want("command 0", EOPNOTSUPP, 0, NULL);
	}
	CASE {
		begin(NETTOLL_CMD_CHANGE_NTF, 0);
		want("a notification as a request", EOPNOTSUPP, 0, NULL);
	}
	CASE {
		begin(NETTOLL_CMD_ATTACH, NLM_F_DUMP);
		want("attach as a dump", EOPNOTSUPP, 0, NULL);
	}
	CASE {
		begin(NETTOLL_CMD_STAT_GET, 0);
		want("the counters without a dump", EOPNOTSUPP, 0, NULL);
	}
	CASE {
		begin(NETTOLL_CMD_STAT_GET, NLM_F_DUMP);
		at = nlr_put_u32(&m, NETTOLL_A_STAT_CPU, 0);
		want("counters: an attribute that is not of a request", EINVAL, at, "");
	}
	CASE {
		begin(NETTOLL_CMD_STAT_GET, NLM_F_DUMP);
		at = nlr_put_u32(&m, NETTOLL_A_STAT_PER_CPU, 1);
		want("counters: a flag with a value", ANY, at, "");
	}
}

/* Messages that are wrong before anybody looks at their attributes. */
static void framing_cases(void)
{
	struct genlmsghdr *g = (void *)(m.buf + NLMSG_HDRLEN);

	CASE {
		begin(NETTOLL_CMD_STATUS_GET, 0);
		m.used = NLMSG_HDRLEN + 2;
		m.h.nlmsg_len = (uint32_t)m.used;
		want("a message cut short in the family's header", EINVAL, 0, NULL);
	}
	CASE {
		begin(NETTOLL_CMD_STATUS_GET, 0);
		m.h.nlmsg_len = 4000;
		want("a message shorter than it claims", SILENT, 0, NULL);
	}
	CASE {
		begin(NETTOLL_CMD_STATUS_GET, 0);
		m.used = 7;
		want("a message cut short in netlink's header", SILENT, 0, NULL);
	}
	CASE {
		begin(NETTOLL_CMD_DETACH, 0);
		memset(m.buf + m.used, 0xff, 2);
		m.used += 2;
		m.h.nlmsg_len = (uint32_t)m.used;
		want("two bytes too many", EINVAL, 0, NULL);
	}
	CASE {
		begin(NETTOLL_CMD_STATUS_GET, 0);
		g->reserved = 1;
		want("a reserved field that is not 0", EINVAL, 0, NULL);
	}
	CASE {
		begin(NETTOLL_CMD_ATTACH, 0);
		for (int i = 0; i < 4000; i++)
			nlr_put_u32(&m, NETTOLL_A_ATTACH_BACKEND, NETTOLL_BACKEND_AUTO);
		nlr_put_u32(&m, NETTOLL_A_ATTACH_BACKEND, 99);
		want("four thousand attributes, the last one bad", ERANGE, m.used - 8, "");
	}
	CASE {
		begin(NETTOLL_CMD_ATTACH, 0);
		for (int i = 0; i < 4000; i++) {
			/* A nest that is closed at the very end, so each is within the one before. */
			struct nlattr *a = (void *)(m.buf + m.used);

			a->nla_type = NETTOLL_A_ATTACH_HOOK | NLA_F_NESTED;
			a->nla_len = (uint16_t)(4 * (4000 - i));
			m.used += NLA_HDRLEN;
		}
		m.h.nlmsg_len = (uint32_t)m.used;
		want("four thousand nests within each other", EINVAL, NLMSG_HDRLEN + GENL_HDRLEN, "");
	}
	CASE {
		begin(NETTOLL_CMD_STATUS_GET, 0);
		want("after all that, the status", 0, 0, NULL);
	}
}

int main(int argc, char **argv)
{
	counting = argc == 2 && !strcmp(argv[1], "--count");
	if (argc != 1 && !counting)
		die(0, "usage: nl_cases [--count]");
	if (!counting)
		nlr_open(&n);
	attach_cases();
	setting_cases();
	hook_cases();
	command_cases();
	framing_cases();
	if (counting)
		printf("%u\n", cases);
	return failures != 0;
}
