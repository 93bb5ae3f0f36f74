// SPDX-License-Identifier: GPL-2.0-only
/*
 * account/hook_table.c: finding hooks by name, functions in a kernel, and their
 * number of arguments in its type information.
 */
#include "shim.h"

#define DEFINE_STATIC_CALL(name, fn)	static __typeof__(&fn) static_call_##name = fn
#define static_call(name)		(*static_call_##name)
#define static_call_update(name, fn)	(static_call_##name = (fn))

typedef u8 kprobe_opcode_t;
struct kprobe {
	const char *symbol_name;
	kprobe_opcode_t *addr;
	unsigned int flags;
};

#define KPROBE_FLAG_DISABLED	2

static int kprobe_error;
static bool kprobe_registered;

/* A kernel that has every function of the table but one, and type information for all of those but one. */
#define MISSING	"udp_send_skb"
#define UNTYPED	"ip_make_skb"
static bool has_btf = true;

static unsigned long lookup(const char *name);

static int register_kprobe(struct kprobe *kp)
{
	assert_string_equal(kp->symbol_name, "kallsyms_lookup_name");
	/* It is never armed: that could not be undone without memory. */
	assert_int_equal(kp->flags, KPROBE_FLAG_DISABLED);
	if (kprobe_error)
		return kprobe_error;
	kp->addr = (kprobe_opcode_t *)lookup;
	kprobe_registered = true;
	return 0;
}

static void unregister_kprobe(struct kprobe *kp)
{
	kprobe_registered = false;
}

/* Type information: a name for each function, then what it takes. */
struct btf {
	int unused;
};

struct btf_type {
	u32 name_off;
	u32 type;
	int kind;
	u32 vlen;
};

enum { INT, FUNC, FUNC_PROTO };
static struct btf_type types[600];
static const char *names[600];
static unsigned int n_types;

static const struct btf_type *btf_type_by_id(const struct btf *btf, u32 id)
{
	return id < n_types ? &types[id] : NULL;
}

static bool btf_type_is_func(const struct btf_type *t)
{
	return t->kind == FUNC;
}

static bool btf_type_is_func_proto(const struct btf_type *t)
{
	return t->kind == FUNC_PROTO;
}

static u32 btf_type_vlen(const struct btf_type *t)
{
	return t->vlen;
}

#include "../account/hook_table.c"

const struct nettoll_backend_ops nettoll_backend_direct, nettoll_backend_kretprobe, nettoll_backend_fprobe;

void nettoll_calibration_target(void)
{
}

void nettoll_calibration_target_both(void)
{
}

static struct btf the_btf;
static const struct btf *get_btf(void)
{
	return &the_btf;
}

static const char *name_by_offset(const struct btf *btf, u32 offset)
{
	return names[offset];
}

static int ftrace_enabled = 1;
static bool has_ftrace = true;

static unsigned long lookup(const char *name)
{
	if (!strcmp(name, "ftrace_enabled"))
		return has_ftrace ? (unsigned long)&ftrace_enabled : 0;
	if (!strcmp(name, "bpf_get_btf_vmlinux"))
		return has_btf ? (unsigned long)get_btf : 0;
	if (!strcmp(name, "btf_name_by_offset"))
		return (unsigned long)name_by_offset;
	return strcmp(name, MISSING) ? 0x1000 + strlen(name) : 0;
}

static void add_type(const char *name, int kind, u32 type, u32 vlen)
{
	names[n_types] = name;
	types[n_types] = (struct btf_type) { n_types, type, kind, vlen };
	n_types++;
}

static int setup(void **state)
{
	int id;

	kprobe_error = 0;
	has_btf = true;
	n_types = 0;
	memset(nettoll_name_head, 0, sizeof(nettoll_name_head));
	memset(nettoll_name_next, 0, sizeof(nettoll_name_next));
	add_type("void", INT, 0, 0);
	add_type("not_one_of_ours", FUNC, 2, 0);
	add_type("", FUNC_PROTO, 0, 3);
	nettoll_for_each_hook(id) {
		nettoll_hooks[id].btf_nargs = -1;
		nettoll_hooks[id].error = 0;
		if (!strcmp(nettoll_hooks[id].name, UNTYPED))
			continue;
		add_type(nettoll_hooks[id].name, FUNC, n_types + 1, 0);
		add_type("", FUNC_PROTO, 0, nettoll_hooks[id].nargs);
	}
	return 0;
}

static void find__every_name_and_no_other(void **state)
{
	int id;

	assert_int_equal(nettoll_hook_table_init(), 0);
	nettoll_for_each_hook(id)
		assert_int_equal(nettoll_hook_find(nettoll_hooks[id].name), id);
	assert_int_equal(nettoll_hook_find(""), -ENOENT);
	assert_int_equal(nettoll_hook_find("udp_sendms"), -ENOENT);
	assert_int_equal(nettoll_hook_find("udp_sendmsg "), -ENOENT);
	/* Those that spans are priced on are not for users. */
	assert_int_equal(nettoll_hook_find("nettoll_calibration_target"), -ENOENT);
	assert_int_equal(nettoll_hook_find("nettoll_calibration_target_both"), -ENOENT);
}

static void init__says_what_is_absent(void **state)
{
	int id;

	assert_int_equal(nettoll_hook_table_init(), 0);
	assert_false(kprobe_registered);
	for (id = 0; id < NETTOLL_HOOK_CALIBRATION; id++) {
		const struct nettoll_hook *h = &nettoll_hooks[id];
		bool missing = !strcmp(h->name, MISSING);

		assert_int_equal(h->state, missing ? NETTOLL_HOOK_STATE_ABSENT : NETTOLL_HOOK_STATE_DETACHED);
		assert_int_equal(h->error, missing ? -ENOENT : 0);
		assert_int_equal(h->addr, missing ? 0 : 0x1000 + strlen(h->name));
		if (missing)
			assert_non_null(strstr(h->why, "its caller's layer"));
	}
}

static void init__counts_arguments(void **state)
{
	int id;

	assert_int_equal(nettoll_hook_table_init(), 0);
	for (id = 0; id < NETTOLL_HOOK_CALIBRATION; id++) {
		const struct nettoll_hook *h = &nettoll_hooks[id];

		assert_int_equal(h->btf_nargs, strcmp(h->name, UNTYPED) ? h->nargs : -1);
	}
	assert_int_equal(nettoll_hooks[NETTOLL_HOOK_CALIBRATION].btf_nargs, 0);
}

static void init__without_type_information(void **state)
{
	has_btf = false;
	assert_int_equal(nettoll_hook_table_init(), 0);
	assert_int_equal(nettoll_hooks[nettoll_hook_find("udp_sendmsg")].btf_nargs, -1);
}

static void init__without_kprobes_says_so(void **state)
{
	kprobe_error = -EOPNOTSUPP;
	shim_log[0] = 0;
	assert_int_equal(nettoll_hook_table_init(), -EOPNOTSUPP);
	assert_non_null(strstr(shim_log, "CONFIG_KPROBES"));
}

static void ftrace__switched_off(void **state)
{
	assert_int_equal(nettoll_hook_table_init(), 0);
	assert_false(nettoll_ftrace_off());
	ftrace_enabled = 0;
	assert_true(nettoll_ftrace_off());
	ftrace_enabled = 1;
}

static void ftrace__not_there(void **state)
{
	has_ftrace = false;
	ftrace_enabled = 0;
	assert_int_equal(nettoll_hook_table_init(), 0);
	assert_false(nettoll_ftrace_off());
	has_ftrace = true;
	ftrace_enabled = 1;
}

/* Each row is sound by itself; the stubs rely on it. */
static void table__is_sound(void **state)
{
	int id, other;

	for (id = 0; id < NETTOLL_HOOK_CALIBRATION; id++) {
		const struct nettoll_hook *h = &nettoll_hooks[id];

		assert_in_range(h->nargs, 0, 12);
		assert_in_range(h->layer, 0, NETTOLL_LAYER_WAIT - 1);
		assert_in_range(h->dir, 0, NETTOLL_DIRECTION_BOTH);
		assert_in_range(strlen(h->name), 1, 63);
		for (other = 0; other < id; other++)
			assert_string_not_equal(h->name, nettoll_hooks[other].name);
	}
	assert_int_equal(nettoll_hooks[NETTOLL_HOOK_WAIT].layer, NETTOLL_LAYER_WAIT);
}

static void backend__by_number(void **state)
{
	assert_ptr_equal(nettoll_backend(NETTOLL_BACKEND_DIRECT), &nettoll_backend_direct);
	assert_ptr_equal(nettoll_backend(NETTOLL_BACKEND_KRETPROBE), &nettoll_backend_kretprobe);
	assert_ptr_equal(nettoll_backend(NETTOLL_BACKEND_FPROBE), &nettoll_backend_fprobe);
	assert_null(nettoll_backend(NETTOLL_BACKEND_AUTO));
	assert_null(nettoll_backend(NETTOLL_BACKEND_TRACEPOINT));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(find__every_name_and_no_other, setup),
		cmocka_unit_test_setup(init__says_what_is_absent, setup),
		cmocka_unit_test_setup(init__counts_arguments, setup),
		cmocka_unit_test_setup(init__without_type_information, setup),
		cmocka_unit_test_setup(init__without_kprobes_says_so, setup),
		cmocka_unit_test_setup(ftrace__switched_off, setup),
		cmocka_unit_test_setup(ftrace__not_there, setup),
		cmocka_unit_test(table__is_sound),
		cmocka_unit_test(backend__by_number),
	};

	return cmocka_run_group_tests_name("hook_table", tests, NULL, NULL);
}
