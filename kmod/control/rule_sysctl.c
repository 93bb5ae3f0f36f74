// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sysctls of a network namespace: what is done where no rule says.
 */
#include <linux/sched.h>
#include <linux/time64.h>
#include <net/netns/generic.h>

#include "../fastpath/rule.h"
#include "rule_nl.h"
#include "rule_sysctl.h"
#include "sysctl.h"

/* net.nettoll.NAME, by enum nettoll_act. */
static const struct rule_sysctl {
	const char *name;
	u32 min;
	u32 max;
} rule_sysctls[NETTOLL_ACTS] = {
	[NETTOLL_ACT_ZEROCOPY] = { "zerocopy", 0, NETTOLL_ZEROCOPY_AUTO },
	[NETTOLL_ACT_ZEROCOPY_MIN] = { "zerocopy_min", 0, U32_MAX },
	/* Without a checksum, only what a rule names. */
	[NETTOLL_ACT_CSUM_TX] = { "csum_tx", 0, NETTOLL_CSUM_TX_SW },
	[NETTOLL_ACT_CSUM_RX] = { "csum_rx", 0, NETTOLL_CSUM_RX_AUDIT },
	[NETTOLL_ACT_AUDIT_RATE] = { "audit_rate", 1, U32_MAX },
	[NETTOLL_ACT_DATAGRAMS] = { "coalesce_datagrams", 0, 64 },
	[NETTOLL_ACT_BYTES] = { "coalesce_bytes", 0, NETTOLL_BATCH_BYTES_MAX },
	[NETTOLL_ACT_USECS] = { "coalesce_usecs", 0, USEC_PER_SEC },
};

/**
 * struct rule_sysctl_net - the sysctls of one namespace
 * @header: what was registered
 * @table: its entries, the last empty
 */
struct rule_sysctl_net {
	struct ctl_table_header *header;
	struct ctl_table table[ARRAY_SIZE(rule_sysctls) + 1];
};

static unsigned int rule_sysctl_id __read_mostly;

static int rule_sysctl_set(struct net *net, unsigned int id, u32 value)
{
	struct nettoll_action act;
	const char *why;
	int err = 0;

	/* For named peers only, which is for rules. */
	if (id == NETTOLL_ACT_CSUM_RX && value == NETTOLL_CSUM_RX_TRUST)
		return -EINVAL;
	mutex_lock(&nettoll_rules_lock);
	act = nettoll_defaults(net);
	if (act.value[id] != value) {
		act.value[id] = value;
		err = nettoll_defaults_set(net, &act, &why);
		if (err)
			pr_info_ratelimited("net.nettoll.%s: %s\n", rule_sysctls[id].name, why);
		else
			nettoll_notify_rule(net, 0, task_tgid_nr(current));
	}
	mutex_unlock(&nettoll_rules_lock);
	return err;
}

static int handler(nettoll_ctl_table *table, int write, void *buffer, size_t *len, loff_t *pos)
{
	const struct nettoll_sysctl_io io = { table, write, buffer, len, pos };
	const struct rule_sysctl *s = table->extra1;
	struct net *net = table->extra2;
	unsigned int id = s - rule_sysctls;
	unsigned long value;
	int err;

	mutex_lock(&nettoll_rules_lock);
	value = nettoll_defaults(net).value[id];
	mutex_unlock(&nettoll_rules_lock);
	err = nettoll_sysctl_value(&io, &value, s->min, s->max);
	return err || !write ? err : rule_sysctl_set(net, id, value);
}

static int __net_init rule_sysctl_net_init(struct net *net)
{
	struct rule_sysctl_net *rsn = net_generic(net, rule_sysctl_id);
	int i;

	for (i = 0; i < ARRAY_SIZE(rule_sysctls); i++) {
		rsn->table[i].procname = rule_sysctls[i].name;
		rsn->table[i].mode = 0644;
		rsn->table[i].maxlen = sizeof(unsigned long);
		rsn->table[i].proc_handler = handler;
		rsn->table[i].extra1 = (void *)&rule_sysctls[i];
		rsn->table[i].extra2 = net;
	}
	rsn->header = nettoll_register_sysctl(net, "net/nettoll", rsn->table,
					      ARRAY_SIZE(rule_sysctls));
	return rsn->header ? 0 : -ENOMEM;
}

static void __net_exit rule_sysctl_net_exit(struct net *net)
{
	struct rule_sysctl_net *rsn = net_generic(net, rule_sysctl_id);

	unregister_net_sysctl_table(rsn->header);
}

static struct pernet_operations rule_sysctl_ops = {
	.init = rule_sysctl_net_init,
	.exit = rule_sysctl_net_exit,
	.id = &rule_sysctl_id,
	.size = sizeof(struct rule_sysctl_net),
};

/** nettoll_rule_sysctl_init() - register the sysctls of all namespaces; 0 or a negative errno */
int nettoll_rule_sysctl_init(void)
{
	return register_pernet_subsys(&rule_sysctl_ops);
}

/** nettoll_rule_sysctl_exit() - unregister them, and wait for who is inside */
void nettoll_rule_sysctl_exit(void)
{
	unregister_pernet_subsys(&rule_sysctl_ops);
}
