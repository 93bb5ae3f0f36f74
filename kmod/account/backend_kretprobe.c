// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kretprobe backend: serves any function on any machine, at a price. The
 * span lives in the data of the probe's instance.
 *
 * The exit handler of an instance is not called once its probe is unregistered,
 * which would leave the span open for ever. So a probe is first disarmed: its
 * entry handler declines, and the calls already inside still report their end.
 */
#include <linux/kprobes.h>
#include <linux/slab.h>

#include "hook.h"
#include "span.h"

/**
 * struct nettoll_kretprobe - the probe of one hook
 * @rp: the kernel's
 * @slot: charge of the hook, with the direction of the table
 * @inherit: take the direction of the enclosing span
 * @armed: spans may begin
 */
struct nettoll_kretprobe {
	struct kretprobe rp;
	u32 slot;
	bool inherit;
	bool armed;
};

static int kretprobe_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct nettoll_kretprobe *p = container_of(get_kretprobe(ri), struct nettoll_kretprobe, rp);

	if (!READ_ONCE(p->armed))
		return 1;
	nettoll_span_enter((struct nettoll_span *)ri->data, p->slot, p->inherit);
	return 0;
}
NOKPROBE_SYMBOL(kretprobe_entry);

static int kretprobe_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	nettoll_span_exit((struct nettoll_span *)ri->data, &nettoll_own_kretprobe);
	return 0;
}
NOKPROBE_SYMBOL(kretprobe_return);

static void kretprobe_attach_one(unsigned int id)
{
	struct nettoll_hook *h = &nettoll_hooks[id];
	struct nettoll_kretprobe *p;
	int err;

	p = kzalloc(sizeof(*p), GFP_KERNEL);
	if (!p)
		return nettoll_hook_fail(id, -ENOMEM, "out of memory");
	p->inherit = h->dir == NETTOLL_DIRECTION_BOTH;
	p->slot = nettoll_slot(id, p->inherit ? NETTOLL_DIRECTION_TX : h->dir);
	p->armed = true;
	p->rp.kp.addr = (kprobe_opcode_t *)h->addr;
	p->rp.entry_handler = kretprobe_entry;
	p->rp.handler = kretprobe_return;
	p->rp.data_size = sizeof(struct nettoll_span);
	p->rp.maxactive = nettoll_probe_instances(h);
	err = register_kretprobe(&p->rp);
	if (err) {
		nettoll_hook_fail(id, err, err == -EINVAL ?
				  "the kernel forbids to probe this function" :
				  "the kernel refused the probe; see the kernel log");
		kfree(p);
		return;
	}
	if (kprobe_ftrace(&p->rp.kp) && nettoll_ftrace_off()) {
		unregister_kretprobe(&p->rp);
		kfree(p);
		return nettoll_hook_fail(id, -EOPNOTSUPP, NETTOLL_FTRACE_IS_OFF);
	}
	h->priv = p;
}

static void kretprobe_attach(const u16 *ids, unsigned int n)
{
	while (n--)
		kretprobe_attach_one(*ids++);
}

static void kretprobe_disarm(unsigned int id)
{
	struct nettoll_kretprobe *p = nettoll_hooks[id].priv;

	WRITE_ONCE(p->armed, false);
}

static void kretprobe_rearm(unsigned int id)
{
	struct nettoll_kretprobe *p = nettoll_hooks[id].priv;

	WRITE_ONCE(p->armed, true);
}

/* In batches, since each call waits for a grace period. */
static void kretprobe_release(const u16 *ids, unsigned int n)
{
	struct kretprobe *batch[32];
	unsigned int i, k;

	for (; n; n -= k, ids += k) {
		k = min_t(unsigned int, n, ARRAY_SIZE(batch));
		for (i = 0; i < k; i++)
			batch[i] = &((struct nettoll_kretprobe *)nettoll_hooks[ids[i]].priv)->rp;
		unregister_kretprobes(batch, k);
		for (i = 0; i < k; i++) {
			kfree(nettoll_hooks[ids[i]].priv);
			nettoll_hooks[ids[i]].priv = NULL;
		}
	}
}

static u64 kretprobe_missed(unsigned int id)
{
	struct nettoll_kretprobe *p = nettoll_hooks[id].priv;

	return p ? (u64)p->rp.nmissed + p->rp.kp.nmissed : 0;
}

static bool kretprobe_usable(void)
{
	return true;
}

const struct nettoll_backend_ops nettoll_backend_kretprobe = {
	.attach = kretprobe_attach,
	.disarm = kretprobe_disarm,
	.rearm = kretprobe_rearm,
	.release = kretprobe_release,
	.missed = kretprobe_missed,
	.usable = kretprobe_usable,
};
