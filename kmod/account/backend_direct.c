// SPDX-License-Identifier: GPL-2.0-only
/*
 * The direct backend: the first instruction of the function calls a stub of
 * ours, by ftrace's direct calls. The cheapest there is, and free when detached.
 */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/slab.h>

#include "../compat/direct.h"
#include "hook.h"
#include "stub.h"

#ifdef NETTOLL_HAVE_DIRECT

static unsigned int stack_words(int nargs)
{
	return nargs > 6 ? nargs - 6 : 0;
}

static void direct_attach_one(unsigned int id)
{
	struct nettoll_hook *h = &nettoll_hooks[id];
	struct ftrace_ops *ops;
	unsigned long ip;
	int err;

	if (h->btf_nargs < 0)
		return nettoll_hook_fail(id, -EOPNOTSUPP, "its arguments cannot be counted, the kernel has no type information (BTF) for it; use backend kretprobe");
	if (stack_words(h->btf_nargs) != stack_words(h->nargs))
		return nettoll_hook_fail(id, -EOPNOTSUPP, "it takes another number of arguments than the table says; use backend kretprobe and report this kernel");

	if (nettoll_ftrace_off())
		return nettoll_hook_fail(id, -EOPNOTSUPP, NETTOLL_FTRACE_IS_OFF);

	ops = kzalloc(sizeof(*ops), GFP_KERNEL);
	if (!ops)
		return nettoll_hook_fail(id, -ENOMEM, "out of memory");
	ip = nettoll_ftrace_ip(h->addr);
	if (ftrace_set_filter_ip(ops, ip, 0, 0)) {
		nettoll_hook_fail(id, -EOPNOTSUPP, "ftrace does not see this function; use backend kretprobe");
		goto err_free_filter;
	}
	nettoll_stub_set_body(id, ip + MCOUNT_INSN_SIZE);
	err = nettoll_direct_register(ops, nettoll_stub_addr(id));
	if (err) {
		nettoll_hook_fail(id, err, err == -EBUSY ?
				  "another direct caller (a BPF fentry program or a live patch) has this function; end it or use backend kretprobe" :
				  "ftrace refused the direct call; see the kernel log");
		goto err_free_filter;
	}
	h->priv = ops;
	return;

err_free_filter:
	ftrace_free_filter(ops);
	kfree(ops);
}

static void direct_attach(const u16 *ids, unsigned int n)
{
	while (n--)
		direct_attach_one(*ids++);
}

static void direct_disarm(unsigned int id)
{
	struct ftrace_ops *ops = nettoll_hooks[id].priv;

	/*
	 * Without the flag ftrace does not wait for a grace period of tasks
	 * RCU for each hook, a tenth of a second every time. The caller waits
	 * once for all of them before anything is freed.
	 */
	ops->flags &= ~FTRACE_OPS_FL_DYNAMIC;
	WARN_ON_ONCE(nettoll_direct_unregister(ops, nettoll_stub_addr(id)));
}

static void direct_release(const u16 *ids, unsigned int n)
{
	while (n--) {
		struct nettoll_hook *h = &nettoll_hooks[*ids++];

		ftrace_free_filter(h->priv);
		kfree(h->priv);
		h->priv = NULL;
	}
}

static u64 direct_missed(unsigned int id)
{
	return 0;
}

static bool direct_usable(void)
{
	return nettoll_hooks[NETTOLL_HOOK_CALIBRATION].btf_nargs >= 0;
}

#else /* !NETTOLL_HAVE_DIRECT */

static void direct_attach(const u16 *ids, unsigned int n)
{
	while (n--)
		nettoll_hook_fail(*ids++, -EOPNOTSUPP, "this kernel has no ftrace direct calls; use backend kretprobe");
}

static void direct_disarm(unsigned int id)
{
}

static void direct_release(const u16 *ids, unsigned int n)
{
}

static u64 direct_missed(unsigned int id)
{
	return 0;
}

static bool direct_usable(void)
{
	return false;
}

#endif

const struct nettoll_backend_ops nettoll_backend_direct = {
	.attach = direct_attach,
	.disarm = direct_disarm,
	.release = direct_release,
	.missed = direct_missed,
	.usable = direct_usable,
};
