// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fprobe backend: like kretprobe, but cheaper, where the kernel offers
 * fprobes with room for a span. One fprobe serves all hooks of a request,
 * since ftrace waits for a grace period of tasks RCU for each that goes.
 *
 * Exit handlers are not called once it is unregistered; see backend_kretprobe.c.
 */
#include <linux/kprobes.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "../compat/direct.h"
#include "../compat/fprobe.h"
#include "hook.h"
#include "span.h"

#ifdef NETTOLL_HAVE_FPROBE

/**
 * struct nettoll_fprobe - the fprobe of one request
 * @fp: the kernel's
 * @users: hooks not yet released
 * @n: number of @entry
 * @entry: its hooks by address
 */
struct nettoll_fprobe {
	struct fprobe fp;
	unsigned int users;
	unsigned int n;
	struct nettoll_fprobe_entry {
		unsigned long addr;
		u32 slot;
		u16 id;
		bool inherit;
		bool armed;
	} entry[];
};

static int by_addr(const void *a, const void *b)
{
	const struct nettoll_fprobe_entry *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* The address that the handler gets may lie behind an ENDBR. */
static __always_inline struct nettoll_fprobe_entry *
entry_of(struct nettoll_fprobe *p, unsigned long ip)
{
	unsigned int lo = 0, hi = p->n;

	while (hi - lo > 1) {
		unsigned int mid = (lo + hi) / 2;

		if (p->entry[mid].addr <= ip)
			lo = mid;
		else
			hi = mid;
	}
	return &p->entry[lo];
}

static int fprobe_entry(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
			nettoll_fprobe_regs *regs, void *data)
{
	struct nettoll_fprobe *p = container_of(fp, struct nettoll_fprobe, fp);
	struct nettoll_fprobe_entry *e = entry_of(p, ip);

	if (!READ_ONCE(e->armed))
		return 1;
	nettoll_span_enter(data, e->slot, e->inherit);
	return 0;
}
NOKPROBE_SYMBOL(fprobe_entry);

static void fprobe_return(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
			  nettoll_fprobe_regs *regs, void *data)
{
	nettoll_span_exit(data, &nettoll_own_fprobe);
}
NOKPROBE_SYMBOL(fprobe_return);

/* 0, or why ftrace does not see the function */
static int unseen(unsigned long addr)
{
	struct ftrace_ops ops = { };
	int err = ftrace_set_filter_ip(&ops, nettoll_ftrace_ip(addr), 0, 0);

	ftrace_free_filter(&ops);
	return err ? nettoll_hook_unseen(err) : 0;
}

static void fprobe_attach(const u16 *ids, unsigned int n)
{
	unsigned long *addrs = kmalloc_array(n, sizeof(*addrs), GFP_KERNEL);
	struct nettoll_fprobe *p = kzalloc(struct_size(p, entry, n), GFP_KERNEL);
	unsigned int i;
	int err = -ENOMEM;

	for (i = 0; p && addrs && i < n; i++) {
		struct nettoll_hook *h = &nettoll_hooks[ids[i]];
		struct nettoll_fprobe_entry *e = &p->entry[p->n];

		if (nettoll_ftrace_off()) {
			nettoll_hook_fail(ids[i], -EOPNOTSUPP, NETTOLL_FTRACE_IS_OFF);
			continue;
		}
		err = unseen(h->addr);
		if (err) {
			nettoll_hook_fail(ids[i], err, "ftrace does not see this function; use backend kretprobe");
			continue;
		}
		e->addr = h->addr;
		e->id = ids[i];
		e->inherit = h->dir == NETTOLL_DIRECTION_BOTH;
		e->slot = nettoll_slot(ids[i], e->inherit ? NETTOLL_DIRECTION_TX : h->dir);
		e->armed = true;
		addrs[p->n++] = h->addr;
		p->fp.nr_maxactive += nettoll_probe_instances(h);
	}
	if (p && addrs) {
		sort(p->entry, p->n, sizeof(p->entry[0]), by_addr, NULL);
		p->fp.entry_handler = fprobe_entry;
		p->fp.exit_handler = fprobe_return;
		p->fp.entry_data_size = sizeof(struct nettoll_span);
		p->fp.nr_maxactive = min(p->fp.nr_maxactive, 4096);
		p->users = p->n;
		err = p->n ? register_fprobe_ips(&p->fp, addrs, p->n) : -ENOENT;
	}
	for (i = 0; p && i < p->n; i++) {
		if (err)
			nettoll_hook_fail(p->entry[i].id, err, "the kernel refused the fprobe; use backend kretprobe");
		else
			nettoll_hooks[p->entry[i].id].priv = p;
	}
	if (!p || !addrs)
		for (i = 0; i < n; i++)
			nettoll_hook_fail(ids[i], -ENOMEM, "out of memory");
	kfree(addrs);
	if (err)
		kfree(p);
}

static void fprobe_arm(unsigned int id, bool armed)
{
	struct nettoll_fprobe *p = nettoll_hooks[id].priv;
	unsigned int i;

	for (i = 0; i < p->n; i++)
		if (p->entry[i].id == id)
			WRITE_ONCE(p->entry[i].armed, armed);
}

static void fprobe_disarm(unsigned int id)
{
	fprobe_arm(id, false);
}

static void fprobe_rearm(unsigned int id)
{
	fprobe_arm(id, true);
}

static void fprobe_release(const u16 *ids, unsigned int n)
{
	while (n--) {
		struct nettoll_hook *h = &nettoll_hooks[*ids++];
		struct nettoll_fprobe *p = h->priv;

		h->priv = NULL;
		if (--p->users)
			continue;
		unregister_fprobe(&p->fp);
		kfree(p);
	}
}

/* The kernel counts for all hooks of the fprobe together. */
static u64 fprobe_missed(unsigned int id)
{
	struct nettoll_fprobe *p = nettoll_hooks[id].priv;
	unsigned int i;

	if (!p)
		return 0;
	/* Told once, at the first of them that is still attached. */
	for (i = 0; i < p->n; i++)
		if (nettoll_hooks[p->entry[i].id].priv == p)
			return p->entry[i].id == id ? p->fp.nmissed : 0;
	return 0;
}

static bool fprobe_usable(void)
{
	return true;
}

#else /* !NETTOLL_HAVE_FPROBE */

static void fprobe_attach(const u16 *ids, unsigned int n)
{
	while (n--)
		nettoll_hook_fail(*ids++, -EOPNOTSUPP, "this kernel has no fprobe with room for a span; use backend direct or kretprobe");
}

static void fprobe_disarm(unsigned int id)
{
}

static void fprobe_rearm(unsigned int id)
{
}

static void fprobe_release(const u16 *ids, unsigned int n)
{
}

static u64 fprobe_missed(unsigned int id)
{
	return 0;
}

static bool fprobe_usable(void)
{
	return false;
}

#endif

const struct nettoll_backend_ops nettoll_backend_fprobe = {
	.attach = fprobe_attach,
	.disarm = fprobe_disarm,
	.rearm = fprobe_rearm,
	.release = fprobe_release,
	.missed = fprobe_missed,
	.usable = fprobe_usable,
};
