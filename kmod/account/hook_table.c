// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of the hooks in memory, and where its functions are in this kernel.
 */
#include <linux/btf.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/static_call.h>
#include <linux/string.h>

#include "hook.h"
#include "stub.h"

struct nettoll_hook nettoll_hooks[NETTOLL_HOOKS] = {
#define NETTOLL_HOOK(fn, args, lay, direc, slp)			\
	[NETTOLL_HOOK_ID_##fn] = {				\
		.name = #fn,					\
		.layer = NETTOLL_LAYER_##lay,			\
		.dir = NETTOLL_DIRECTION_##direc,		\
		.nargs = args,					\
		.sleeps = slp,					\
		.btf_nargs = -1,				\
	},
#include "hook_table.def"
#undef NETTOLL_HOOK
	[NETTOLL_HOOK_WAIT] = {
		.name = "sched/sched_switch",
		.layer = NETTOLL_LAYER_WAIT,
		.dir = NETTOLL_DIRECTION_BOTH,
		.btf_nargs = -1,
		.backend = NETTOLL_BACKEND_TRACEPOINT,
		.state = NETTOLL_HOOK_STATE_DETACHED,
	},
};

/* Chained hash of the names, since all of the kernel's functions pass by. */
static u8 nettoll_name_head[256], nettoll_name_next[NETTOLL_HOOKS];
static_assert(NETTOLL_HOOKS < 255);

static u8 nettoll_name_hash(const char *name)
{
	u32 h = 0;

	while (*name)
		h = h * 31 + (u8)*name++;
	return h ^ h >> 8 ^ h >> 16;
}

static unsigned long nettoll_no_ksym(const char *name)
{
	return 0;
}

static const struct btf *nettoll_no_btf(void)
{
	return NULL;
}

static const char *nettoll_no_btf_name(const struct btf *btf, u32 offset)
{
	return "";
}

/*
 * What the kernel does not export is called through static calls: a direct
 * call needs no ENDBR at its target, which IBT removes from functions whose
 * address nobody takes.
 */
DEFINE_STATIC_CALL(nettoll_ksym, nettoll_no_ksym);
DEFINE_STATIC_CALL(nettoll_btf, nettoll_no_btf);
DEFINE_STATIC_CALL(nettoll_btf_name, nettoll_no_btf_name);

/**
 * nettoll_ksym() - address of a kernel symbol, 0 if there is none
 * @name: the symbol
 */
unsigned long nettoll_ksym(const char *name)
{
	return static_call(nettoll_ksym)(name);
}

/* Behind kernel.ftrace_enabled; NULL where it cannot be found. */
static const int *ftrace_switch;

/**
 * nettoll_ftrace_off() - kernel.ftrace_enabled is 0
 *
 * ftrace then takes every request and patches nothing.
 */
bool nettoll_ftrace_off(void)
{
	return ftrace_switch && !READ_ONCE(*ftrace_switch);
}

static int nettoll_ksym_init(void)
{
	/*
	 * Only asked where the symbol is, and never armed: to disarm it could
	 * fail for want of memory, and it would stay where it is, on our stack.
	 */
	struct kprobe kp = {
		.symbol_name = "kallsyms_lookup_name",
		.flags = KPROBE_FLAG_DISABLED,
	};
	int err;

	err = register_kprobe(&kp);
	if (err) {
		pr_err("cannot look up kernel functions: no kprobes (error %d); CONFIG_KPROBES and CONFIG_KALLSYMS are needed\n",
		       err);
		return err;
	}
	static_call_update(nettoll_ksym, (unsigned long (*)(const char *))kp.addr);
	unregister_kprobe(&kp);
	return 0;
}

static bool nettoll_btf_init(void)
{
	unsigned long get = nettoll_ksym("bpf_get_btf_vmlinux");
	unsigned long name_of = nettoll_ksym("btf_name_by_offset");

	if (!get || !name_of)
		return false;
	static_call_update(nettoll_btf, (const struct btf *(*)(void))get);
	static_call_update(nettoll_btf_name,
			   (const char *(*)(const struct btf *, u32))name_of);
	return true;
}

/**
 * nettoll_btf_functions() - all functions that the kernel has type information for
 * @found: called with the name of each and the number of its arguments
 */
void nettoll_btf_functions(nettoll_func_found *found)
{
	const struct btf_type *t, *proto;
	const struct btf *btf;
	u32 i;

	btf = static_call(nettoll_btf)();
	if (IS_ERR_OR_NULL(btf))
		return;
	for (i = 1; (t = btf_type_by_id(btf, i)); i++) {
		if (!btf_type_is_func(t))
			continue;
		proto = btf_type_by_id(btf, t->type);
		if (proto && btf_type_is_func_proto(proto))
			found(static_call(nettoll_btf_name)(btf, t->name_off),
			      btf_type_vlen(proto));
	}
}

/* The stubs trust the table's argument counts, so the kernel has to agree. */
static void nettoll_count_arguments(const char *name, unsigned int nargs)
{
	int id = nettoll_hook_find(name);

	if (id >= 0)
		nettoll_hooks[id].btf_nargs = nargs;
}

/**
 * nettoll_hook_find() - number of a hook by its name
 * @name: the function, or system/name of the tracepoint
 *
 * Return: its number, or -ENOENT.
 */
int nettoll_hook_find(const char *name)
{
	int i;

	for (i = nettoll_name_head[nettoll_name_hash(name)]; i; i = nettoll_name_next[i - 1])
		if (!strcmp(nettoll_hooks[i - 1].name, name))
			return i - 1;
	return -ENOENT;
}

static void nettoll_hash_names(void)
{
	int id;
	u8 h;

	nettoll_for_each_hook(id) {
		h = nettoll_name_hash(nettoll_hooks[id].name);
		nettoll_name_next[id] = nettoll_name_head[h];
		nettoll_name_head[h] = id + 1;
	}
}

/**
 * nettoll_hook_table_init() - find the functions in this kernel
 *
 * Return: 0, or why symbols cannot be looked up.
 */
int nettoll_hook_table_init(void)
{
	struct nettoll_hook *h;
	int id, err;

	err = nettoll_ksym_init();
	if (err)
		return err;
	ftrace_switch = (const int *)nettoll_ksym("ftrace_enabled");
	nettoll_hash_names();
	for (id = 0; id < NETTOLL_HOOK_CALIBRATION; id++) {
		h = &nettoll_hooks[id];
		h->addr = nettoll_ksym(h->name);
		h->state = h->addr ? NETTOLL_HOOK_STATE_DETACHED : NETTOLL_HOOK_STATE_ABSENT;
		if (!h->addr) {
			h->error = -ENOENT;
			h->why = "this kernel has no such function; its time is in its caller's layer";
		}
	}
	if (nettoll_btf_init())
		nettoll_btf_functions(nettoll_count_arguments);

	nettoll_hooks[NETTOLL_HOOK_CALIBRATION].addr =
		(unsigned long)nettoll_calibration_target;
	nettoll_hooks[NETTOLL_HOOK_CALIBRATION_BOTH].addr =
		(unsigned long)nettoll_calibration_target_both;
	for (id = NETTOLL_HOOK_CALIBRATION; id <= NETTOLL_HOOK_CALIBRATION_BOTH; id++) {
		nettoll_hooks[id].btf_nargs = 0;
		nettoll_hooks[id].state = NETTOLL_HOOK_STATE_DETACHED;
	}
	return 0;
}

/**
 * nettoll_backend() - the operations of a backend
 * @backend: enum nettoll_backend, not auto or tracepoint
 */
const struct nettoll_backend_ops *nettoll_backend(unsigned int backend)
{
	switch (backend) {
	case NETTOLL_BACKEND_DIRECT:
		return &nettoll_backend_direct;
	case NETTOLL_BACKEND_KRETPROBE:
		return &nettoll_backend_kretprobe;
	case NETTOLL_BACKEND_FPROBE:
		return &nettoll_backend_fprobe;
	}
	return NULL;
}

/** nettoll_backend_mask() - bit mask of the backends that this kernel offers */
u32 nettoll_backend_mask(void)
{
	u32 mask = BIT(NETTOLL_BACKEND_AUTO) | BIT(NETTOLL_BACKEND_TRACEPOINT);
	int i;

	for (i = NETTOLL_BACKEND_DIRECT; i <= NETTOLL_BACKEND_FPROBE; i++)
		if (nettoll_backend(i)->usable())
			mask |= BIT(i);
	return mask;
}

/** nettoll_hook_missed() - calls of a hook that its probe could not see */
u64 nettoll_hook_missed(unsigned int id)
{
	const struct nettoll_backend_ops *ops = nettoll_backend(nettoll_hooks[id].backend);

	return ops ? ops->missed(id) : 0;
}
