// SPDX-License-Identifier: GPL-2.0-only
/*
 * The direct backend: the first instruction of the function calls a stub of
 * ours, by ftrace's direct calls. The cheapest there is, and free when detached.
 */
#include <linux/err.h>

#include "../compat/direct.h"
#include "hook.h"
#include "site.h"

#ifdef NETTOLL_HAVE_DIRECT

static unsigned int stack_words(int nargs)
{
	return nargs > 6 ? nargs - 6 : 0;
}

static void direct_attach_one(unsigned int id)
{
	struct nettoll_hook *h = &nettoll_hooks[id];
	struct nettoll_site *site;

	if (h->btf_nargs < 0)
		return nettoll_hook_fail(id, -EOPNOTSUPP, "its arguments cannot be counted, the kernel has no type information (BTF) for it; use backend kretprobe");
	if (stack_words(h->btf_nargs) != stack_words(h->nargs))
		return nettoll_hook_fail(id, -EOPNOTSUPP, "it takes another number of arguments than the table says; use backend kretprobe and report this kernel");

	if (nettoll_ftrace_off())
		return nettoll_hook_fail(id, -EOPNOTSUPP, NETTOLL_FTRACE_IS_OFF);

	site = nettoll_site_add_stub(h->addr, id);
	if (!IS_ERR(site)) {
		h->priv = site;
		return;
	}
	switch (PTR_ERR(site)) {
	case -ENXIO:
		return nettoll_hook_fail(id, -EOPNOTSUPP, "ftrace does not see this function; use backend kretprobe");
	case -EBUSY:
		return nettoll_hook_fail(id, -EBUSY, "another direct caller (a BPF fentry program or a live patch) has this function; end it or use backend kretprobe");
	}
	nettoll_hook_fail(id, PTR_ERR(site), "ftrace refused the direct call; see the kernel log");
}

static void direct_attach(const u16 *ids, unsigned int n)
{
	while (n--)
		direct_attach_one(*ids++);
}

static void direct_disarm(unsigned int id)
{
	nettoll_site_drop_stub(nettoll_hooks[id].priv);
}

static void direct_release(const u16 *ids, unsigned int n)
{
	while (n--) {
		struct nettoll_hook *h = &nettoll_hooks[*ids++];

		nettoll_site_release(h->priv);
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
