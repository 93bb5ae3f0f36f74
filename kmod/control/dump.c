// SPDX-License-Identifier: GPL-2.0-only
/*
 * The dumps of the netlink family. Each can be resumed where the last message
 * was full. A reading of the counters is taken once, before the first message.
 */
#include <linux/mm.h>
#include <net/genetlink.h>

#include "../account/account.h"
#include "../account/duty.h"
#include "../account/park.h"
#include "../compat/genl.h"
#include "dump.h"
#include "netlink_gen.h"
#include "settings.h"

static const struct {
	const char *name;
	const char *doc;
} layers[] = {
#define NETTOLL_LAYER(id, nam, text) [NETTOLL_LAYER_##id] = { .name = nam, .doc = text },
#include "../layers.def"
#undef NETTOLL_LAYER
};
static_assert(ARRAY_SIZE(layers) == NETTOLL_LAYER_WAIT + 1);

static void *begin(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd)
{
	return nettoll_nl_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			      NLM_F_MULTI, cmd);
}

/* A message that did not fit is cancelled; the next call of the dump begins with it. */
static int finish(struct sk_buff *skb, void *hdr, int err)
{
	if (err)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	return err;
}

/** nettoll_nl_layer_get_dumpit() - NETTOLL_CMD_LAYER_GET */
int nettoll_nl_layer_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	void *hdr;
	int i, err;

	for (i = cb->args[0]; i < ARRAY_SIZE(layers); i++) {
		hdr = begin(skb, cb, NETTOLL_CMD_LAYER_GET);
		if (!hdr)
			break;
		err = nla_put_u32(skb, NETTOLL_A_LAYER_INFO_LAYER, i) ?:
		      nla_put_string(skb, NETTOLL_A_LAYER_INFO_NAME, layers[i].name) ?:
		      nla_put_string(skb, NETTOLL_A_LAYER_INFO_DOC, layers[i].doc);
		if (finish(skb, hdr, err))
			break;
	}
	cb->args[0] = i;
	return skb->len;
}

/**
 * nettoll_nl_put_hook() - add the attributes of a hook to a message
 * @msg: the message
 * @id: number of the hook
 *
 * Return: 0 or -EMSGSIZE.
 */
int nettoll_nl_put_hook(struct sk_buff *msg, unsigned int id)
{
	const struct nettoll_hook *h = &nettoll_hooks[id];

	lockdep_assert_held(&nettoll_account_lock);
	return nla_put_u32(msg, NETTOLL_A_HOOK_ID, id) ?:
	       nla_put_string(msg, NETTOLL_A_HOOK_NAME, h->name) ?:
	       nla_put_u32(msg, NETTOLL_A_HOOK_LAYER, h->layer) ?:
	       nla_put_u32(msg, NETTOLL_A_HOOK_DIRECTION, h->dir) ?:
	       nla_put_u32(msg, NETTOLL_A_HOOK_BACKEND, h->backend) ?:
	       nla_put_u32(msg, NETTOLL_A_HOOK_STATE, nettoll_duty_holds(id) &&
			   h->state == NETTOLL_HOOK_STATE_DETACHED ?
			   NETTOLL_HOOK_STATE_ATTACHED : h->state) ?:
	       nla_put_u64_64bit(msg, NETTOLL_A_HOOK_MISSED, nettoll_hook_missed(id),
				 NETTOLL_A_HOOK_PAD) ?:
	       (h->error ? nla_put_s32(msg, NETTOLL_A_HOOK_ERROR, h->error) : 0) ?:
	       (h->why ? nla_put_string(msg, NETTOLL_A_HOOK_ERROR_TEXT, h->why) : 0);
}

/** nettoll_nl_hook_get_dumpit() - NETTOLL_CMD_HOOK_GET of all hooks */
int nettoll_nl_hook_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	void *hdr;
	int i;

	mutex_lock(&nettoll_account_lock);
	/* 0 would mean that there is no sequence to check. */
	cb->seq = nettoll_account_generation() + 1;
	for (i = cb->args[0]; i < NETTOLL_HOOKS; i++) {
		if (nettoll_hook_is_hidden(i))
			continue;
		hdr = begin(skb, cb, NETTOLL_CMD_HOOK_GET);
		if (!hdr)
			break;
		genl_dump_check_consistent(cb, hdr);
		if (finish(skb, hdr, nettoll_nl_put_hook(skb, i)))
			break;
	}
	mutex_unlock(&nettoll_account_lock);
	cb->args[0] = i;
	return skb->len;
}

/** nettoll_nl_setting_get_dumpit() - NETTOLL_CMD_SETTING_GET */
int nettoll_nl_setting_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	void *hdr;
	int i, err;

	for (i = cb->args[0]; i < NETTOLL_SETTINGS; i++) {
		const struct nettoll_setting *s = &nettoll_settings[i];

		hdr = begin(skb, cb, NETTOLL_CMD_SETTING_GET);
		if (!hdr)
			break;
		err = nla_put_string(skb, NETTOLL_A_SETTING_NAME, s->name) ?:
		      nla_put_u64_64bit(skb, NETTOLL_A_SETTING_VALUE, s->get(),
					NETTOLL_A_SETTING_PAD) ?:
		      nla_put_u64_64bit(skb, NETTOLL_A_SETTING_MINIMUM, s->min,
					NETTOLL_A_SETTING_PAD) ?:
		      nla_put_u64_64bit(skb, NETTOLL_A_SETTING_MAXIMUM, s->max,
					NETTOLL_A_SETTING_PAD) ?:
		      nla_put_u64_64bit(skb, NETTOLL_A_SETTING_DEFAULT, s->preset,
					NETTOLL_A_SETTING_PAD) ?:
		      nla_put_string(skb, NETTOLL_A_SETTING_DOC, s->doc);
		if (finish(skb, hdr, err))
			break;
	}
	cb->args[0] = i;
	return skb->len;
}

/** nettoll_nl_holder_get_dumpit() - NETTOLL_CMD_HOLDER_GET */
int nettoll_nl_holder_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	const unsigned int max = 1024;
	struct nettoll_holder *list;
	unsigned int n, i;
	void *hdr;
	int err;

	list = kvcalloc(max, sizeof(*list), GFP_KERNEL);
	if (!list)
		return -ENOMEM;
	n = min(nettoll_park_list(list, max), max);
	for (i = cb->args[0]; i < n; i++) {
		hdr = begin(skb, cb, NETTOLL_CMD_HOLDER_GET);
		if (!hdr)
			break;
		err = nla_put_u32(skb, NETTOLL_A_HOLDER_PID, list[i].pid) ?:
		      nla_put_string(skb, NETTOLL_A_HOLDER_COMM, list[i].comm) ?:
		      nla_put_u32(skb, NETTOLL_A_HOLDER_HOOK, list[i].hook) ?:
		      (list[i].kthread ? nla_put_flag(skb, NETTOLL_A_HOLDER_KTHREAD) : 0) ?:
		      nla_put_u64_64bit(skb, NETTOLL_A_HOLDER_SINCE_CYCLES, list[i].since,
					NETTOLL_A_HOLDER_PAD);
		if (finish(skb, hdr, err))
			break;
	}
	cb->args[0] = i;
	kvfree(list);
	return skb->len;
}

/*
 * The dump of a reading: args[0] the snapshot, args[1] whether by CPU, args[2]
 * the next item. Item 0 is the head; then come the CPUs, or one for their sum;
 * then the charges of every CPU in turn, or one set for their sum.
 */
int nettoll_nl_stat_get_start(struct netlink_callback *cb)
{
	struct nlattr **attrs = nettoll_genl_dump_attrs(cb);
	struct nettoll_snapshot *snap = nettoll_account_snapshot();
	struct nettoll_snapshot_cpu *sum;
	unsigned int cpu, i;

	if (!snap)
		return -ENOMEM;
	cb->args[0] = (long)snap;
	cb->args[1] = attrs && attrs[NETTOLL_A_STAT_PER_CPU];
	cb->args[2] = 0;
	/* A sleeper is on no CPU; its part goes with the first. */
	sum = &snap->cpu[0];
	sum->cpu.inclusive += snap->parked;
	if (cb->args[1])
		return 0;
	for (cpu = 1; cpu < snap->cpus; cpu++) {
		struct nettoll_snapshot_cpu *c = &snap->cpu[cpu];

		sum->cpu.inclusive += c->cpu.inclusive;
		sum->cpu.tx_packets += c->cpu.tx_packets;
		sum->cpu.tx_bytes += c->cpu.tx_bytes;
		sum->cpu.rx_packets += c->cpu.rx_packets;
		sum->cpu.rx_bytes += c->cpu.rx_bytes;
		for (i = 0; i < ARRAY_SIZE(sum->charge); i++) {
			sum->charge[i].calls += c->charge[i].calls;
			sum->charge[i].self += c->charge[i].self;
			sum->charge[i].own += c->charge[i].own;
			sum->charge[i].total += c->charge[i].total;
		}
	}
	return 0;
}

/** nettoll_nl_stat_get_done() - end of a dump, also of one not read to its end */
int nettoll_nl_stat_get_done(struct netlink_callback *cb)
{
	kvfree((void *)cb->args[0]);
	cb->args[0] = 0;
	return 0;
}

static int put_head(struct sk_buff *skb, const struct nettoll_snapshot *snap)
{
	return nla_put_u32(skb, NETTOLL_A_STAT_GENERATION, snap->generation) ?:
	       nla_put_u64_64bit(skb, NETTOLL_A_STAT_TIME_NS, snap->time_ns,
				 NETTOLL_A_STAT_PAD) ?:
	       nla_put_u64_64bit(skb, NETTOLL_A_STAT_CYCLES, snap->cycles,
				 NETTOLL_A_STAT_PAD) ?:
	       nla_put_u64_64bit(skb, NETTOLL_A_STAT_ATTACHED_NS, snap->attached_ns,
				 NETTOLL_A_STAT_PAD);
}

static int put_stat_cpu(struct sk_buff *skb, const struct nettoll_cpu *c, int cpu,
			unsigned int cpus)
{
	struct nlattr *nest = nla_nest_start(skb, NETTOLL_A_STAT_CPU);
	int err;

	if (!nest)
		return -EMSGSIZE;
	err = (cpu >= 0 ? nla_put_u32(skb, NETTOLL_A_STAT_CPU_CPU, cpu) : 0) ?:
	      nla_put_u32(skb, NETTOLL_A_STAT_CPU_CPUS, cpus) ?:
	      nla_put_u64_64bit(skb, NETTOLL_A_STAT_CPU_INCLUSIVE, c->inclusive,
				NETTOLL_A_STAT_CPU_PAD) ?:
	      nla_put_u64_64bit(skb, NETTOLL_A_STAT_CPU_TX_PACKETS, c->tx_packets,
				NETTOLL_A_STAT_CPU_PAD) ?:
	      nla_put_u64_64bit(skb, NETTOLL_A_STAT_CPU_TX_BYTES, c->tx_bytes,
				NETTOLL_A_STAT_CPU_PAD) ?:
	      nla_put_u64_64bit(skb, NETTOLL_A_STAT_CPU_RX_PACKETS, c->rx_packets,
				NETTOLL_A_STAT_CPU_PAD) ?:
	      nla_put_u64_64bit(skb, NETTOLL_A_STAT_CPU_RX_BYTES, c->rx_bytes,
				NETTOLL_A_STAT_CPU_PAD);
	nla_nest_end(skb, nest);
	return err;
}

static int put_charge(struct sk_buff *skb, const struct nettoll_charge *c, unsigned int slot,
		      int cpu)
{
	struct nlattr *nest = nla_nest_start(skb, NETTOLL_A_STAT_CHARGE);
	int err;

	if (!nest)
		return -EMSGSIZE;
	err = nla_put_u32(skb, NETTOLL_A_CHARGE_HOOK, slot / 2) ?:
	      nla_put_u32(skb, NETTOLL_A_CHARGE_DIRECTION, slot & 1) ?:
	      (cpu >= 0 ? nla_put_u32(skb, NETTOLL_A_CHARGE_CPU, cpu) : 0) ?:
	      nla_put_u64_64bit(skb, NETTOLL_A_CHARGE_CALLS, c->calls, NETTOLL_A_CHARGE_PAD) ?:
	      nla_put_u64_64bit(skb, NETTOLL_A_CHARGE_SELF, c->self, NETTOLL_A_CHARGE_PAD) ?:
	      nla_put_u64_64bit(skb, NETTOLL_A_CHARGE_OWN, c->own, NETTOLL_A_CHARGE_PAD) ?:
	      nla_put_u64_64bit(skb, NETTOLL_A_CHARGE_TOTAL, c->total, NETTOLL_A_CHARGE_PAD);
	nla_nest_end(skb, nest);
	return err;
}

/** nettoll_nl_stat_get_dumpit() - NETTOLL_CMD_STAT_GET */
int nettoll_nl_stat_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct nettoll_snapshot *snap = (void *)cb->args[0];
	bool by_cpu = cb->args[1];
	unsigned long item, slots = ARRAY_SIZE(snap->cpu[0].charge);
	unsigned long cpus = by_cpu ? snap->cpus : 1, cpu, slot;
	void *hdr;
	int err;

	for (item = cb->args[2]; item < 1 + cpus + cpus * slots; item++) {
		cpu = item - 1;
		slot = 0;
		if (item > cpus) {
			cpu = (item - 1 - cpus) / slots;
			slot = (item - 1 - cpus) % slots;
			if (nettoll_hook_is_hidden(slot / 2) ||
			    !snap->cpu[cpu].charge[slot].calls)
				continue;
		}
		if (item && by_cpu && !cpu_possible(cpu))
			continue;
		hdr = begin(skb, cb, NETTOLL_CMD_STAT_GET);
		if (!hdr)
			break;
		if (!item)
			err = put_head(skb, snap);
		else if (item <= cpus)
			err = put_stat_cpu(skb, &snap->cpu[cpu].cpu, by_cpu ? cpu : -1,
					   by_cpu ? 1 : num_online_cpus());
		else
			err = put_charge(skb, &snap->cpu[cpu].charge[slot], slot,
					 by_cpu ? cpu : -1);
		if (finish(skb, hdr, err))
			break;
	}
	cb->args[2] = item;
	return skb->len;
}
