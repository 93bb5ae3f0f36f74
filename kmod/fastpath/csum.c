// SPDX-License-Identifier: GPL-2.0-only
/*
 * What both directions of checksum control share: the rules that a packet is
 * held against, and what was found of each device.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "csum.h"
#include "front.h"

#define DEV_BITS	6

/**
 * struct csum_dev - what was found of a device; made when there is something
 * @node: in its bucket
 * @dev: the device, not held: its end is told by a notifier
 * @count: by enum nettoll_csum_event
 * @lock: of @last
 * @last: the last disagreement
 * @rcu: packets find it under RCU
 */
struct csum_dev {
	struct hlist_node node;
	const struct net_device *dev;
	atomic64_t count[NETTOLL_CSUM_EVENTS];
	/* Of last; drivers may hand packets up in an interrupt. */
	spinlock_t lock;
	struct nettoll_csum_fault last;
	struct rcu_head rcu;
};

static struct hlist_head dev_table[1 << DEV_BITS];
/* Of whoever adds or removes. */
static DEFINE_SPINLOCK(dev_lock);

/** nettoll_csum_groups() - the fronts that the checksums of an action need */
unsigned long nettoll_csum_groups(const struct nettoll_action *act)
{
	unsigned long groups = 0;

	if (act->csum_tx != NETTOLL_CSUM_TX_AUTO)
		groups |= BIT(NETTOLL_FRONTS_SEND) | BIT(NETTOLL_FRONTS_CSUM_TX);
	if (act->csum_rx != NETTOLL_CSUM_RX_AUTO)
		groups |= BIT(NETTOLL_FRONTS_CSUM_RX);
	return groups;
}

/* The defaults give whatever no rule does. */
static bool gives(const struct nettoll_rule *rule, enum nettoll_act act)
{
	return rule->given.set & BIT(act) || (!rule->id && rule->act.value[act]);
}

/**
 * nettoll_csum_index() - pick the rules that a packet is held against
 * @rules: a list that is complete and not yet in use
 *
 * A packet that comes is for the first rule that gives csum-rx; auto, too, so
 * that it keeps others off. A packet that leaves without a socket that was
 * decided for is for the first that gives csum-tx and names at most a device.
 */
void nettoll_csum_index(struct nettoll_rules *rules)
{
	struct nettoll_rule **at = rules->rule + rules->n;
	struct nettoll_rule *rule;
	unsigned int i;

	for (i = 0; i < rules->n; i++)
		if (gives(rules->rule[i], NETTOLL_ACT_CSUM_RX))
			at[rules->rx++] = rules->rule[i];
	at += rules->rx;
	for (i = 0; i < rules->n; i++) {
		rule = rules->rule[i];
		if (gives(rule, NETTOLL_ACT_CSUM_TX) && nettoll_match_is_device(&rule->match))
			at[rules->tx++] = rule;
	}
}

static struct hlist_head *bucket_of(const struct net_device *dev)
{
	return &dev_table[hash_ptr(dev, DEV_BITS)];
}

static struct csum_dev *dev_find_rcu(const struct net_device *dev)
{
	struct csum_dev *cd;

	hlist_for_each_entry_rcu(cd, bucket_of(dev), node)
		if (cd->dev == dev)
			return cd;
	return NULL;
}

/* NULL without memory, or where the device is going. */
static struct csum_dev *dev_make_rcu(const struct net_device *dev)
{
	struct csum_dev *cd = kzalloc(sizeof(*cd), GFP_ATOMIC | __GFP_NOWARN), *other;
	unsigned long flags;

	if (!cd)
		return NULL;
	cd->dev = dev;
	spin_lock_init(&cd->lock);
	spin_lock_irqsave(&dev_lock, flags);
	other = dev_find_rcu(dev);
	/* Whoever comes after the notifier sees that it came. */
	if (other || READ_ONCE(dev->reg_state) != NETREG_REGISTERED) {
		spin_unlock_irqrestore(&dev_lock, flags);
		kfree(cd);
		return other;
	}
	hlist_add_head_rcu(&cd->node, bucket_of(dev));
	spin_unlock_irqrestore(&dev_lock, flags);
	return cd;
}

/** nettoll_csum_count() - count an event of a device, under RCU */
void nettoll_csum_count(struct net_device *dev, enum nettoll_csum_event event)
{
	struct csum_dev *cd = dev_find_rcu(dev) ?: dev_make_rcu(dev);

	if (cd)
		atomic64_inc(&cd->count[event]);
}

/** nettoll_csum_note() - keep the last disagreement of a device, under RCU */
void nettoll_csum_note(struct net_device *dev, const struct nettoll_csum_fault *fault)
{
	struct csum_dev *cd = dev_find_rcu(dev) ?: dev_make_rcu(dev);
	unsigned long flags;

	if (!cd)
		return;
	spin_lock_irqsave(&cd->lock, flags);
	cd->last = *fault;
	spin_unlock_irqrestore(&cd->lock, flags);
}

/**
 * nettoll_csum_report() - what was found of a device
 * @dev: the device
 * @report: where to put it
 *
 * Under RCU. Return: false if nothing was.
 */
bool nettoll_csum_report(const struct net_device *dev, struct nettoll_csum_report *report)
{
	struct csum_dev *cd = dev_find_rcu(dev);
	unsigned long flags;
	unsigned int i;

	if (!cd)
		return false;
	for (i = 0; i < NETTOLL_CSUM_EVENTS; i++)
		report->count[i] = atomic64_read(&cd->count[i]);
	spin_lock_irqsave(&cd->lock, flags);
	report->last = cd->last;
	spin_unlock_irqrestore(&cd->lock, flags);
	return true;
}

/* Forget a device; all of them for NULL. */
static void dev_forget(const struct net_device *dev)
{
	struct hlist_node *next;
	struct csum_dev *cd;
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&dev_lock, flags);
	for (i = 0; i < ARRAY_SIZE(dev_table); i++)
		hlist_for_each_entry_safe(cd, next, &dev_table[i], node)
			if (!dev || cd->dev == dev) {
				hlist_del_rcu(&cd->node);
				kfree_rcu(cd, rcu);
			}
	spin_unlock_irqrestore(&dev_lock, flags);
}

/* Also sent of a device that moves to another namespace: there it begins anew. */
static int device_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	if (event == NETDEV_UNREGISTER)
		dev_forget(netdev_notifier_info_to_dev(ptr));
	return NOTIFY_DONE;
}

static struct notifier_block device_notifier = {
	.notifier_call = device_event,
};

/** nettoll_csum_init() - 0 or a negative errno */
int nettoll_csum_init(void)
{
	return register_netdevice_notifier(&device_notifier);
}

/** nettoll_csum_exit() - forget all devices; no front may be attached, no handler running */
void nettoll_csum_exit(void)
{
	unregister_netdevice_notifier(&device_notifier);
	dev_forget(NULL);
}
