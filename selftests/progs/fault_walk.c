// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Has the kernel's fault injection fail the first, the second, the third ... allocation or copy of one operation, until
 * it meets no fault any more. Which of them count is set up in debugfs beforehand.
 *   fault_walk MOST load FILE                   loads the module (and unloads it)
 *   fault_walk MOST attach BACKEND HOOK...      attaches, all or none (and detaches); BACKEND by number
 *   fault_walk MOST window BACKEND HOOK...      the same in windows
 *   fault_walk MOST detach BACKEND HOOK...      detaches what was attached before
 *   fault_walk MOST stat|hooks|status|set       a dump of counters or hooks, a reading, a setting
 * What fails has to say that it was for want of memory, or of a copy, and has to leave nothing attached; what meets
 * no fault has to succeed. At most MOST faults are tried: the first fifty, then fewer and fewer. Prints how many
 * there were.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "nlraw.h"
#include "util.h"

static struct nlr nl;
static char **args;

static void put_hooks(struct nlr_msg *m)
{
	for (char **hook = args + 1; *hook; hook++)
		nlr_put_str(m, NETTOLL_A_ATTACH_HOOK, *hook);
}

static int ask(struct nlr_msg *m)
{
	struct nlr_answer a;
	int err = nlr_send(&nl, m);

	if (err)
		return err;
	nlr_answer(&nl, &a, 60000, NULL, NULL);
	return a.error;
}

static int do_attach_as(bool window)
{
	struct nlr_msg m;

	nlr_begin(&nl, &m, NETTOLL_CMD_ATTACH, 0);
	nlr_put_u32(&m, NETTOLL_A_ATTACH_BACKEND, (uint32_t)number(args[0], 0, NETTOLL_BACKEND_FPROBE));
	nlr_put(&m, NETTOLL_A_ATTACH_STRICT, NULL, 0);
	put_hooks(&m);
	if (window) {
		nlr_put_u32(&m, NETTOLL_A_ATTACH_DUTY, 5000);
		nlr_put_u32(&m, NETTOLL_A_ATTACH_WINDOW_MS, 20);
	}
	return ask(&m);
}

static int do_attach(void)
{
	return do_attach_as(false);
}

static int do_window(void)
{
	return do_attach_as(true);
}

static int do_detach(void)
{
	struct nlr_msg m;

	nlr_begin(&nl, &m, NETTOLL_CMD_DETACH, 0);
	put_hooks(&m);
	return ask(&m);
}

static int get(uint8_t cmd, uint16_t flags)
{
	struct nlr_msg m;

	nlr_begin(&nl, &m, cmd, flags);
	return ask(&m);
}

static int do_stat(void)
{
	return get(NETTOLL_CMD_STAT_GET, NLM_F_DUMP);
}

static int do_hooks(void)
{
	return get(NETTOLL_CMD_HOOK_GET, NLM_F_DUMP);
}

static int do_status(void)
{
	return get(NETTOLL_CMD_STATUS_GET, 0);
}

static int do_set(void)
{
	struct nlr_msg m;

	nlr_begin(&nl, &m, NETTOLL_CMD_SETTING_SET, 0);
	nlr_put_str(&m, NETTOLL_A_SETTING_NAME, "nudge_ms");
	nlr_put_u64(&m, NETTOLL_A_SETTING_VALUE, 100);
	return ask(&m);
}

static int do_load(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = (int)check(open(args[0], O_RDONLY | O_CLOEXEC), args[0]);
	return syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
}

static void unload(int err)
{
	if (!err)
		check(syscall(SYS_delete_module, "nettoll", 0), "unload");
}

static void look(const struct nlmsghdr *h, void *arg)
{
	uint64_t *hooks = arg;

	*hooks = nlr_value(nlr_msg_attr(h, NETTOLL_A_STATUS_HOOKS_ATTACHED));
}

/* A failed attach leaves nothing, a failed detach nothing half. */
static void undo(int err)
{
	uint64_t hooks = 0;
	struct nlr_answer a;
	struct nlr_msg m;

	if (err) {
		nlr_begin(&nl, &m, NETTOLL_CMD_STATUS_GET, 0);
		check(nlr_send(&nl, &m), "send");
		nlr_answer(&nl, &a, 10000, look, &hooks);
		if (a.error)
			die(a.error < 0 ? -a.error : ETIMEDOUT, "status");
		if (hooks)
			die(-err, "refused, and yet %d hooks are attached", (int)hooks);
	}
	if (do_detach())
		die(0, "cannot detach");
}

static void redo(void)
{
	int err = do_attach();

	if (err)
		die(err < 0 ? -err : ETIMEDOUT, "attach, without faults");
}

static const struct {
	const char *name;
	int (*op)(void);
	void (*before)(void);
	void (*after)(int err);
} ops[] = {
	{ "load", do_load, NULL, unload },   { "attach", do_attach, NULL, undo }, { "window", do_window, NULL, undo },
	{ "detach", do_detach, redo, NULL }, { "stat", do_stat, NULL, NULL },	  { "hooks", do_hooks, NULL, NULL },
	{ "status", do_status, NULL, NULL }, { "set", do_set, NULL, NULL },
};

static int fail_nth;

static void arm(unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	check(pwrite(fail_nth, text, (size_t)len, 0), "write fail-nth");
}

/* Whether the fault has come. No more will. */
static bool disarm(void)
{
	char text[16] = "";

	check(pread(fail_nth, text, sizeof(text) - 1, 0), "read fail-nth");
	arm(0);
	return strtoul(text, NULL, 10) == 0;
}

int main(int argc, char **argv)
{
	unsigned int most, tried = 0, failed = 0, n = 1;
	bool injected;
	size_t i;
	int err;

	if (argc < 3)
		die(0, "usage: fault_walk MOST load|attach|window|detach|stat|hooks|status|set [ARGUMENT]...");
	most = (unsigned int)number(argv[1], 1, 100000);
	for (i = 0; strcmp(ops[i].name, argv[2]);)
		if (++i == sizeof(ops) / sizeof(*ops))
			die(0, "no operation %s", argv[2]);
	args = argv + 3;
	if (!args[0] && (ops[i].after || ops[i].before))
		die(0, "%s needs an argument", argv[2]);
	fail_nth = (int)check(open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC), "/proc/thread-self/fail-nth");
	if (ops[i].op != do_load)
		nlr_open(&nl);
	do {
		if (ops[i].before)
			ops[i].before();
		arm(n);
		err = ops[i].op();
		injected = disarm();
		if (err && (!injected || (err != -ENOMEM && err != -ENOBUFS && err != -EFAULT)))
			die(err < 0 ? -err : ETIMEDOUT, "%s, fault %u%s", argv[2], n, injected ? "" : " (which it did not meet)");
		if (ops[i].after)
			ops[i].after(err);
		tried++;
		failed += !!err;
		n += n <= 50 ? 1 : n / 16;
	} while (injected && tried < most);
	say("%s: faults=%u failed=%u %s\n", argv[2], tried - !injected, failed, injected ? "and more" : "all");
	return 0;
}
