/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules: what is done to which sockets. Each network namespace has a list of
 * its own; the first rule that matches counts.
 */
#ifndef NETTOLL_FASTPATH_RULE_H
#define NETTOLL_FASTPATH_RULE_H

#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <net/net_namespace.h>
#include <uapi/linux/nettoll.h>

#include "match.h"

#define NETTOLL_RULES_MAX	4096
/* What one IPv4 packet carries for UDP. */
#define NETTOLL_BATCH_BYTES_MAX	65507
#define NETTOLL_FALLBACKS	(NETTOLL_FALLBACK_INTERRUPTED + 1)

/* What an action can say; each a u32 of struct nettoll_action. */
enum nettoll_act {
	NETTOLL_ACT_ZEROCOPY,
	NETTOLL_ACT_ZEROCOPY_MIN,
	NETTOLL_ACT_CSUM_TX,
	NETTOLL_ACT_CSUM_RX,
	NETTOLL_ACT_AUDIT_RATE,
	NETTOLL_ACT_DATAGRAMS,
	NETTOLL_ACT_BYTES,
	NETTOLL_ACT_USECS,
	NETTOLL_ACTS,
};

/**
 * struct nettoll_action - what the fast paths do
 * @set: which of the others a rule gives, bit mask of enum nettoll_act; what
 *	it does not give is taken from the defaults of the namespace
 * @zerocopy: enum nettoll_zerocopy
 * @zerocopy_min: bytes below which a send is copied
 * @csum_tx: enum nettoll_csum_tx
 * @csum_rx: enum nettoll_csum_rx
 * @audit_rate: one packet in so many is verified
 * @datagrams: to gather in a batch; 1 or 0 for no batches
 * @bytes: to gather in a batch
 * @usecs: that a datagram may wait
 * @value: all of them, by enum nettoll_act
 */
struct nettoll_action {
	u32 set;
	union {
		struct {
			u32 zerocopy;
			u32 zerocopy_min;
			u32 csum_tx;
			u32 csum_rx;
			u32 audit_rate;
			u32 datagrams;
			u32 bytes;
			u32 usecs;
		};
		u32 value[NETTOLL_ACTS];
	};
};

/**
 * struct nettoll_rule_count - what a rule did, on one CPU
 *
 * Each is written on its own CPU with preemption off, or by this_cpu_*().
 * Packets that audit chooses from are counted in @vouched.
 */
struct nettoll_rule_count {
	u64 sockets;
	u64 sends;
	u64 bytes;
	u64 zerocopy_bytes;
	u64 copied_bytes;
	u64 coalesced;
	u64 batches;
	u64 csum_packets;
	u64 audited;
	u64 disagreed;
	u64 vouched;
	u64 fallback[NETTOLL_FALLBACKS];
};

/**
 * struct nettoll_rule_counts - counters that outlive a change of the defaults
 * @ref: rules that count here
 * @cpu: the counters
 */
struct nettoll_rule_counts {
	refcount_t ref;
	struct nettoll_rule_count __percpu *cpu;
};

/**
 * struct nettoll_rule - a rule; it does not change once it is in a list
 * @id: its number, 0 for the defaults of a namespace
 * @match: whom it is for
 * @given: what it says is done
 * @act: what is done, with the defaults
 * @cgroup_path: as it was given, NULL if the cgroup does not count
 * @counts: of this rule, and of those that stood for it before
 * @count: what it did, the counters of @counts
 * @ref: lists and sockets that know it
 * @rcu: it may be read under RCU until the last reference is gone
 */
struct nettoll_rule {
	u32 id;
	struct nettoll_match match;
	struct nettoll_action given;
	struct nettoll_action act;
	char *cgroup_path;
	struct nettoll_rule_counts *counts;
	struct nettoll_rule_count __percpu *count;
	refcount_t ref;
	struct rcu_head rcu;
};

/**
 * struct nettoll_rules - the rules of a namespace in their order
 * @n: how many, the defaults among them where they do anything
 * @rx: how many of them packets that come are held against
 * @tx: how many of them packets that leave without a socket are held against
 * @rcu: readers are under RCU
 * @rule: each holds a reference; behind them, without, once more those of @rx,
 *	and then those of @tx
 */
struct nettoll_rules {
	unsigned int n;
	unsigned int rx;
	unsigned int tx;
	struct rcu_head rcu;
	struct nettoll_rule *rule[];
};

/* Of all lists and defaults; taken outside the locks of fronts and sites. */
extern struct mutex nettoll_rules_lock;

/* Changes with every change of any rule, and is never 0. */
extern u32 nettoll_rules_gen;

struct nettoll_rule *nettoll_rule_new(void);
void nettoll_rule_put(struct nettoll_rule *rule);
const char *nettoll_rule_check(const struct nettoll_rule *rule, u16 *attr);
int nettoll_rule_add(struct net *net, struct nettoll_rule *rule, u32 before, const char **why);
int nettoll_rule_set(struct net *net, struct nettoll_rule *rule, const char **why);
int nettoll_rule_del(struct net *net, u32 id);
int nettoll_rules_flush(struct net *net);
struct nettoll_action nettoll_defaults(struct net *net);
int nettoll_defaults_set(struct net *net, const struct nettoll_action *act, const char **why);
const struct nettoll_rules *nettoll_rules_locked(struct net *net);
u32 nettoll_rules_net_gen(struct net *net);
struct nettoll_rules *nettoll_rules_rcu(const struct net *net);
void nettoll_rule_sum(const struct nettoll_rule *rule, struct nettoll_rule_count *sum);
int nettoll_rules_init(void);
void nettoll_rules_exit(void);

/** nettoll_rule_fallback() - note that a send went as without the rule */
static inline void nettoll_rule_fallback(const struct nettoll_rule *rule, unsigned int reason)
{
	this_cpu_inc(rule->count->fallback[reason]);
}

#endif /* NETTOLL_FASTPATH_RULE_H */
