// SPDX-License-Identifier: GPL-2.0-only
/*
 * account/backend_fprobe.c: one fprobe for all hooks of a request: which of
 * them was hit, and when it may go.
 */
#include "shim.h"

#define CONFIG_FPROBE			1
#define NETTOLL_HAVE_FPROBE_PT_REGS	1
struct pt_regs {
	int unused;
};

struct ftrace_ops {
	unsigned long ip;
};

struct fprobe {
	unsigned long nmissed;
	size_t entry_data_size;
	int nr_maxactive;
	int (*entry_handler)(struct fprobe *fp, unsigned long ip, unsigned long ret,
			     struct pt_regs *regs, void *data);
	void (*exit_handler)(struct fprobe *fp, unsigned long ip, unsigned long ret,
			     struct pt_regs *regs, void *data);
};

#define INVISIBLE	0x5000UL
static int register_error, registered;

static int register_fprobe_ips(struct fprobe *fp, unsigned long *addrs, int n)
{
	int i;

	for (i = 0; i < n; i++)
		assert_true(addrs[i] && addrs[i] != INVISIBLE);
	registered += !register_error;
	return register_error;
}

static int unregister_fprobe(struct fprobe *fp)
{
	registered--;
	return 0;
}

static int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip, int remove, int reset)
{
	return ip == INVISIBLE ? -EINVAL : 0;
}

static void ftrace_free_filter(struct ftrace_ops *ops)
{
}

#define sort(base, n, size, cmp, swap)	qsort(base, n, size, cmp)

#include "../account/span.c"
#include "../account/backend_fprobe.c"

static bool ftrace_off;
bool nettoll_ftrace_off(void);
bool nettoll_ftrace_off(void)
{
	return ftrace_off;
}

struct nettoll_hook nettoll_hooks[NETTOLL_HOOKS];
static const u16 ids[] = { 4, 1, 9, 7 };

static int setup(void **state)
{
	static const unsigned long addrs[] = { 0x4000, 0x1000, 0x3000, 0x2000 };
	unsigned int i;

	memset(nettoll_hooks, 0, sizeof(nettoll_hooks));
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		nettoll_hooks[ids[i]].addr = addrs[i];
		nettoll_hooks[ids[i]].dir = NETTOLL_DIRECTION_RX;
	}
	register_error = 0;
	shim_percpu_reset();
	return nettoll_span_init(NETTOLL_HOOKS);
}

static int teardown(void **state)
{
	nettoll_span_exit_all();
	assert_int_equal(shim_allocated, 0);
	assert_int_equal(registered, 0);
	return 0;
}

static void entry_of__the_function_or_just_behind_it(void **state)
{
	struct nettoll_fprobe *p;
	unsigned int i;

	fprobe_attach(ids, ARRAY_SIZE(ids));
	p = nettoll_hooks[ids[0]].priv;
	assert_int_equal(p->n, ARRAY_SIZE(ids));
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		assert_int_equal(entry_of(p, nettoll_hooks[ids[i]].addr)->id, ids[i]);
		assert_int_equal(entry_of(p, nettoll_hooks[ids[i]].addr + 4)->id, ids[i]);
	}
	fprobe_release(ids, ARRAY_SIZE(ids));
}

static void entry_of__one_function_only(void **state)
{
	fprobe_attach(&ids[2], 1);
	assert_int_equal(entry_of(nettoll_hooks[9].priv, 0x3000)->id, 9);
	assert_int_equal(entry_of(nettoll_hooks[9].priv, 0x3004)->id, 9);
	fprobe_release(&ids[2], 1);
}

static void span__charged_to_the_hook_that_was_hit(void **state)
{
	struct nettoll_span span;
	struct fprobe *fp;

	fprobe_attach(ids, ARRAY_SIZE(ids));
	fp = &((struct nettoll_fprobe *)nettoll_hooks[7].priv)->fp;
	assert_true(fp->entry_data_size >= sizeof(span));
	assert_int_equal(fp->entry_handler(fp, 0x2004, 0, NULL, &span), 0);
	shim_cycles += 30;
	fp->exit_handler(fp, 0x2004, 0, NULL, &span);
	assert_int_equal(this_cpu_ptr(nettoll_charges)[7 * 2 + 1].self, 30);
	fprobe_release(ids, ARRAY_SIZE(ids));
}

static void disarm__only_that_hook(void **state)
{
	struct nettoll_span span;
	struct fprobe *fp;

	fprobe_attach(ids, ARRAY_SIZE(ids));
	fp = &((struct nettoll_fprobe *)nettoll_hooks[7].priv)->fp;
	fprobe_disarm(7);
	assert_int_equal(fp->entry_handler(fp, 0x2000, 0, NULL, &span), 1);
	assert_int_equal(nettoll_span_open(), 0);
	assert_int_equal(fp->entry_handler(fp, 0x1000, 0, NULL, &span), 0);
	fp->exit_handler(fp, 0x1000, 0, NULL, &span);
	fprobe_rearm(7);
	assert_int_equal(fp->entry_handler(fp, 0x2000, 0, NULL, &span), 0);
	fp->exit_handler(fp, 0x2000, 0, NULL, &span);
	fprobe_release(ids, ARRAY_SIZE(ids));
}

static void release__with_its_last_user(void **state)
{
	fprobe_attach(ids, ARRAY_SIZE(ids));
	fprobe_release(&ids[1], 2);
	assert_int_equal(registered, 1);
	assert_null(nettoll_hooks[ids[1]].priv);
	assert_non_null(nettoll_hooks[ids[0]].priv);
	fprobe_release(&ids[3], 1);
	assert_int_equal(registered, 1);
	fprobe_release(&ids[0], 1);
	assert_int_equal(registered, 0);
}

static void attach__leaves_out_what_ftrace_does_not_see(void **state)
{
	nettoll_hooks[1].addr = INVISIBLE;
	fprobe_attach(ids, ARRAY_SIZE(ids));
	assert_null(nettoll_hooks[1].priv);
	assert_int_equal(nettoll_hooks[1].error, -EOPNOTSUPP);
	assert_non_null(strstr(nettoll_hooks[1].why, "use backend kretprobe"));
	assert_int_equal(((struct nettoll_fprobe *)nettoll_hooks[4].priv)->n, 3);
	fprobe_release(&ids[0], 1);
	fprobe_release(&ids[2], 2);
}

static void attach__nothing_to_see(void **state)
{
	nettoll_hooks[1].addr = INVISIBLE;
	fprobe_attach(&ids[1], 1);
	assert_null(nettoll_hooks[1].priv);
	assert_int_equal(nettoll_hooks[1].error, -EOPNOTSUPP);
}

static void attach__refused_by_the_kernel(void **state)
{
	unsigned int i;

	register_error = -EBUSY;
	fprobe_attach(ids, ARRAY_SIZE(ids));
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		assert_null(nettoll_hooks[ids[i]].priv);
		assert_int_equal(nettoll_hooks[ids[i]].error, -EBUSY);
		assert_non_null(nettoll_hooks[ids[i]].why);
	}
}

/* ftrace would take the request and patch nothing. */
static void attach__ftrace_switched_off(void **state)
{
	unsigned int i;

	ftrace_off = true;
	fprobe_attach(ids, ARRAY_SIZE(ids));
	ftrace_off = false;
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		assert_null(nettoll_hooks[ids[i]].priv);
		assert_int_equal(nettoll_hooks[ids[i]].error, -EOPNOTSUPP);
		assert_non_null(strstr(nettoll_hooks[ids[i]].why, "kernel.ftrace_enabled"));
	}
}

static void attach__out_of_memory(void **state)
{
	int at;
	unsigned int i;

	for (at = 0; at < 2; at++) {
		shim_fail_in = at;
		fprobe_attach(ids, ARRAY_SIZE(ids));
		for (i = 0; i < ARRAY_SIZE(ids); i++) {
			assert_null(nettoll_hooks[ids[i]].priv);
			assert_int_equal(nettoll_hooks[ids[i]].error, -ENOMEM);
		}
	}
}

/* The kernel counts for the whole fprobe; counted four times, it would be a lie. */
static void missed__is_counted_once(void **state)
{
	unsigned int i;
	u64 sum = 0;

	fprobe_attach(ids, ARRAY_SIZE(ids));
	((struct nettoll_fprobe *)nettoll_hooks[4].priv)->fp.nmissed = 5;
	for (i = 0; i < NETTOLL_HOOKS; i++)
		sum += fprobe_missed(i);
	assert_int_equal(sum, 5);
	fprobe_release(ids, ARRAY_SIZE(ids));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(entry_of__the_function_or_just_behind_it, setup, teardown),
		cmocka_unit_test_setup_teardown(entry_of__one_function_only, setup, teardown),
		cmocka_unit_test_setup_teardown(span__charged_to_the_hook_that_was_hit, setup, teardown),
		cmocka_unit_test_setup_teardown(disarm__only_that_hook, setup, teardown),
		cmocka_unit_test_setup_teardown(release__with_its_last_user, setup, teardown),
		cmocka_unit_test_setup_teardown(attach__leaves_out_what_ftrace_does_not_see, setup, teardown),
		cmocka_unit_test_setup_teardown(attach__nothing_to_see, setup, teardown),
		cmocka_unit_test_setup_teardown(attach__refused_by_the_kernel, setup, teardown),
		cmocka_unit_test_setup_teardown(attach__ftrace_switched_off, setup, teardown),
		cmocka_unit_test_setup_teardown(attach__out_of_memory, setup, teardown),
		cmocka_unit_test_setup_teardown(missed__is_counted_once, setup, teardown),
	};

	return cmocka_run_group_tests_name("fprobe", tests, NULL, NULL);
}
