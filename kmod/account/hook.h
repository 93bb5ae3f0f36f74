/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks: kernel functions attached to layers, and the backends that attach them.
 */
#ifndef NETTOLL_ACCOUNT_HOOK_H
#define NETTOLL_ACCOUNT_HOOK_H

#include <linux/cpumask.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <uapi/linux/nettoll.h>

enum nettoll_hook_id {
#define NETTOLL_HOOK(fn, nargs, layer, dir, sleeps) NETTOLL_HOOK_ID_##fn,
#include "hook_table.def"
#undef NETTOLL_HOOK
	NETTOLL_HOOK_FUNCTIONS,
	/* The last two of the table price spans and are never listed. */
	NETTOLL_HOOK_CALIBRATION = NETTOLL_HOOK_FUNCTIONS - 2,
	NETTOLL_HOOK_CALIBRATION_BOTH,
	/* Not a function: the switch probe charges the time off the CPU. */
	NETTOLL_HOOK_WAIT = NETTOLL_HOOK_FUNCTIONS,
	NETTOLL_HOOKS,
	NETTOLL_HOOKS_LISTED = NETTOLL_HOOKS - 2,
};

/**
 * struct nettoll_hook - one line of the table and its state
 * @name: the function, or system/name of a tracepoint
 * @layer: enum nettoll_layer
 * @dir: enum nettoll_direction
 * @nargs: number of its arguments
 * @sleeps: a task may sleep in it
 * @addr: where the function is, 0 if absent
 * @btf_nargs: arguments by the kernel's type information, -1 if unknown
 * @backend: how it is attached, or was last
 * @state: enum nettoll_hook_state
 * @error: negative errno of the last refusal
 * @why: what refused it and what to do, a constant string
 * @priv: the backend's, allocated at attach
 *
 * All but the constants are written under nettoll_account_lock.
 */
struct nettoll_hook {
	const char *name;
	u8 layer;
	u8 dir;
	u8 nargs;
	u8 sleeps;
	unsigned long addr;
	int btf_nargs;
	u8 backend;
	u8 state;
	int error;
	const char *why;
	void *priv;
};

/**
 * struct nettoll_backend_ops - one way to attach a hook
 * @attach: attach the hooks of those numbers; sets error and why of each that
 *	could not be, and priv of each that could
 * @disarm: from now on no span begins; those that are open still end
 * @rearm: undo @disarm of a hook not yet released; NULL if release does not
 *	have to wait for open spans
 * @release: free what attach took, after a grace period of tasks RCU
 *	and, where there is a @rearm, no span of the hooks may be open
 * @missed: calls that could not be seen
 * @usable: whether this kernel offers the backend at all
 */
struct nettoll_backend_ops {
	void (*attach)(const u16 *ids, unsigned int n);
	void (*disarm)(unsigned int id);
	void (*rearm)(unsigned int id);
	void (*release)(const u16 *ids, unsigned int n);
	u64 (*missed)(unsigned int id);
	bool (*usable)(void);
};

extern struct nettoll_hook nettoll_hooks[NETTOLL_HOOKS];
extern const struct nettoll_backend_ops nettoll_backend_direct;
extern const struct nettoll_backend_ops nettoll_backend_kretprobe;
extern const struct nettoll_backend_ops nettoll_backend_fprobe;

/* Our own, on which spans are priced. */
static inline bool nettoll_hook_is_hidden(unsigned int id)
{
	return id == NETTOLL_HOOK_CALIBRATION || id == NETTOLL_HOOK_CALIBRATION_BOTH;
}

/* Every hook that a user may see, in the order of the table. */
#define nettoll_for_each_hook(id)				\
	for ((id) = 0; (id) < NETTOLL_HOOKS; (id)++)		\
		if (!nettoll_hook_is_hidden(id))

int nettoll_hook_table_init(void);
int nettoll_hook_find(const char *name);
const struct nettoll_backend_ops *nettoll_backend(unsigned int backend);
u32 nettoll_backend_mask(void);
u64 nettoll_hook_missed(unsigned int id);

/* Whoever reports the error of what it called need not tell want of memory from a refusal. */
static inline void nettoll_hook_fail(unsigned int id, int error, const char *why)
{
	nettoll_hooks[id].error = error;
	nettoll_hooks[id].why = error == -ENOMEM ? "out of memory" : why;
}

/* Why ftrace's filter did not take a hook: it had no memory, or does not know the function. */
static inline int nettoll_hook_unseen(int error)
{
	return error == -ENOMEM ? error : -EOPNOTSUPP;
}

/* A sleeper keeps its instance; a call that finds none free counts as missed. */
static inline int nettoll_probe_instances(const struct nettoll_hook *h)
{
	return h->sleeps ? 1024 : max(64U, 4 * num_possible_cpus());
}

unsigned long nettoll_ksym(const char *name);

/**
 * typedef nettoll_func_found - called with a function of the kernel
 * @name: its name
 * @nargs: number of its arguments
 */
typedef void nettoll_func_found(const char *name, unsigned int nargs);
void nettoll_btf_functions(nettoll_func_found *found);

bool nettoll_ftrace_off(void);
#define NETTOLL_FTRACE_IS_OFF	"ftrace is switched off; sysctl kernel.ftrace_enabled=1"

#endif /* NETTOLL_ACCOUNT_HOOK_H */
