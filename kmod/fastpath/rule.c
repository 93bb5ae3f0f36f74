// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lists of rules. A change makes a new list and lets go of the old one
 * when nobody reads it any more; sockets notice by the generation.
 */
#include <linux/slab.h>
#include <net/netns/generic.h>

#include "coalesce.h"
#include "csum.h"
#include "front.h"
#include "rule.h"
#include "sock.h"

/**
 * struct nettoll_net - what a network namespace has
 * @rules: in their order, NULL if none and the defaults do nothing
 * @defaults: what is done where no rule says
 * @default_rule: counts for the sockets that only the defaults match
 * @next_id: number of the next rule
 * @groups: fronts that the rules need
 * @gen: changes with every change here; nettoll_rules_gen is all namespaces'
 */
struct nettoll_net {
	struct nettoll_rules __rcu *rules;
	struct nettoll_action defaults;
	struct nettoll_rule *default_rule;
	u32 next_id;
	unsigned long groups;
	u32 gen;
};

/* See rule.h. */
DEFINE_MUTEX(nettoll_rules_lock);
u32 nettoll_rules_gen = 1;
static unsigned int nettoll_net_id __read_mostly;

static struct nettoll_net *net_of(const struct net *net)
{
	return net_generic(net, nettoll_net_id);
}

/** nettoll_rules_rcu() - the rules of a namespace, under RCU; NULL if there are none */
struct nettoll_rules *nettoll_rules_rcu(const struct net *net)
{
	return rcu_dereference(net_of(net)->rules);
}

/** nettoll_rules_net_gen() - changes with every change of a namespace's rules, under their lock */
u32 nettoll_rules_net_gen(struct net *net)
{
	lockdep_assert_held(&nettoll_rules_lock);
	return net_of(net)->gen;
}

/** nettoll_rules_locked() - the rules of a namespace, under their lock; NULL if there are none */
const struct nettoll_rules *nettoll_rules_locked(struct net *net)
{
	return rcu_dereference_protected(net_of(net)->rules,
					 lockdep_is_held(&nettoll_rules_lock));
}

static struct nettoll_rule_counts *counts_new(void)
{
	struct nettoll_rule_counts *counts = kmalloc(sizeof(*counts), GFP_KERNEL_ACCOUNT);

	if (!counts)
		return NULL;
	counts->cpu = alloc_percpu_gfp(struct nettoll_rule_count, GFP_KERNEL_ACCOUNT);
	if (!counts->cpu) {
		kfree(counts);
		return NULL;
	}
	refcount_set(&counts->ref, 1);
	return counts;
}

static void counts_put(struct nettoll_rule_counts *counts)
{
	if (!refcount_dec_and_test(&counts->ref))
		return;
	free_percpu(counts->cpu);
	kfree(counts);
}

/* Consumes a reference to @counts, also without memory. */
static struct nettoll_rule *rule_new(struct nettoll_rule_counts *counts)
{
	struct nettoll_rule *rule = kzalloc(sizeof(*rule), GFP_KERNEL_ACCOUNT);

	if (!rule) {
		counts_put(counts);
		return NULL;
	}
	rule->counts = counts;
	rule->count = counts->cpu;
	refcount_set(&rule->ref, 1);
	return rule;
}

/** nettoll_rule_new() - a rule that matches anything and does nothing; NULL without memory */
struct nettoll_rule *nettoll_rule_new(void)
{
	struct nettoll_rule_counts *counts = counts_new();

	return counts ? rule_new(counts) : NULL;
}

static void rule_free(struct rcu_head *head)
{
	struct nettoll_rule *rule = container_of(head, struct nettoll_rule, rcu);

	counts_put(rule->counts);
	kfree(rule->cgroup_path);
	kfree(rule);
}

/** nettoll_rule_put() - let go of a rule */
void nettoll_rule_put(struct nettoll_rule *rule)
{
	if (rule && refcount_dec_and_test(&rule->ref))
		call_rcu(&rule->rcu, rule_free);
}

/**
 * nettoll_rule_sum() - what a rule did so far
 * @rule: the rule
 * @sum: where to put it
 */
void nettoll_rule_sum(const struct nettoll_rule *rule, struct nettoll_rule_count *sum)
{
	const u64 *from;
	unsigned int i;
	u64 *to = (u64 *)sum;
	int cpu;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		from = (const u64 *)per_cpu_ptr(rule->count, cpu);
		for (i = 0; i < sizeof(*sum) / sizeof(u64); i++)
			to[i] += READ_ONCE(from[i]);
	}
}

/* The fronts that an action needs. */
static unsigned long action_groups(const struct nettoll_action *act)
{
	unsigned long groups = 0;

	if (act->zerocopy != NETTOLL_ZEROCOPY_OFF || act->datagrams > 1)
		groups |= BIT(NETTOLL_FRONTS_SEND);
	if (act->datagrams > 1)
		groups |= BIT(NETTOLL_FRONTS_COALESCE);
	if (act->zerocopy != NETTOLL_ZEROCOPY_OFF)
		groups |= BIT(NETTOLL_FRONTS_ZEROCOPY);
	return groups | nettoll_csum_groups(act);
}

/* What @given leaves open is as @defaults says. */
static void action_resolve(struct nettoll_action *act, const struct nettoll_action *given,
			   const struct nettoll_action *defaults)
{
	int i;

	act->set = given->set;
	for (i = 0; i < NETTOLL_ACTS; i++)
		act->value[i] = given->set & BIT(i) ? given->value[i] : defaults->value[i];
}

/* A copy that counts where @from does, for when the defaults changed. */
static struct nettoll_rule *rule_copy(const struct nettoll_rule *from,
				      const struct nettoll_action *defaults)
{
	struct nettoll_rule *rule;

	refcount_inc(&from->counts->ref);
	rule = rule_new(from->counts);
	if (!rule)
		return NULL;
	if (from->cgroup_path) {
		rule->cgroup_path = kstrdup(from->cgroup_path, GFP_KERNEL_ACCOUNT);
		if (!rule->cgroup_path) {
			nettoll_rule_put(rule);
			return NULL;
		}
	}
	rule->id = from->id;
	rule->match = from->match;
	rule->given = from->given;
	action_resolve(&rule->act, &rule->given, defaults);
	return rule;
}

static struct nettoll_rules *rules_alloc(unsigned int n)
{
	struct nettoll_rules *rules;

	/* Thrice: see nettoll_csum_index(). */
	rules = kvzalloc(struct_size(rules, rule, 3 * n), GFP_KERNEL_ACCOUNT);
	if (rules)
		rules->n = n;
	return rules;
}

static void rules_put(struct nettoll_rules *rules)
{
	unsigned int i;

	if (!rules)
		return;
	for (i = 0; i < rules->n; i++)
		nettoll_rule_put(rules->rule[i]);
	kvfree_rcu(rules, rcu);
}

/*
 * Put @rules, which is consumed in any case, in the place of the list of a
 * namespace. The fronts that it needs come before it, those that it does not
 * need go after.
 */
static int rules_replace(struct nettoll_net *nn, struct nettoll_rules *rules, const char **why)
{
	unsigned long groups = 0, old_groups = nn->groups;
	struct nettoll_rules *old;
	unsigned int i;
	int err;

	lockdep_assert_held(&nettoll_rules_lock);
	if (rules && !rules->n) {
		kvfree(rules);
		rules = NULL;
	}
	/* Namespaces come and go on machines that have rules in others, or none. */
	if (!rules && !rcu_access_pointer(nn->rules))
		return 0;
	for (i = 0; rules && i < rules->n; i++)
		groups |= action_groups(&rules->rule[i]->act);
	if (groups & ~old_groups & BIT(NETTOLL_FRONTS_COALESCE)) {
		err = nettoll_coalesce_start();
		if (err) {
			*why = "no thread could be made that has batches leave in time";
			goto err_rules;
		}
	}
	err = nettoll_fronts_get(groups & ~old_groups, why);
	if (err)
		goto err_coalesce;
	if (rules)
		nettoll_csum_index(rules);
	old = rcu_replace_pointer(nn->rules, rules, lockdep_is_held(&nettoll_rules_lock));
	nn->groups = groups;
	nn->gen++;
	/* Whoever sees the new generation sees the new list. */
	smp_store_release(&nettoll_rules_gen, nettoll_rules_gen + 1 ?: 1);
	nettoll_quiets_clear();
	/* What older rules have gathered leaves while what could happen to it is watched. */
	if (old_groups & BIT(NETTOLL_FRONTS_COALESCE))
		nettoll_coalesce_settle();
	nettoll_fronts_put(old_groups & ~groups);
	if (old_groups & ~groups & BIT(NETTOLL_FRONTS_COALESCE))
		nettoll_coalesce_stop();
	rules_put(old);
	return 0;

err_coalesce:
	if (groups & ~old_groups & BIT(NETTOLL_FRONTS_COALESCE))
		nettoll_coalesce_stop();
err_rules:
	rules_put(rules);
	return err;
}

/* Position of a rule, or -ENOENT; the defaults are no rule. */
static int rule_index(const struct nettoll_rules *rules, u32 id)
{
	unsigned int i;

	for (i = 0; id && rules && i < rules->n; i++)
		if (rules->rule[i]->id == id)
			return i;
	return -ENOENT;
}

/* How many there are without the defaults. */
static unsigned int rules_count(const struct nettoll_rules *rules)
{
	unsigned int n = rules ? rules->n : 0;

	return n && !rules->rule[n - 1]->id ? n - 1 : n;
}

/* The list with @n of its rules from @at on replaced by @rule, NULL for none. */
static struct nettoll_rules *rules_splice(const struct nettoll_rules *old, unsigned int at,
					  unsigned int n, struct nettoll_rule *rule)
{
	unsigned int was = old ? old->n : 0, i, to = 0;
	struct nettoll_rules *rules = rules_alloc(was - n + !!rule);

	if (!rules)
		return NULL;
	for (i = 0; i <= was; i++) {
		if (i == at && rule) {
			refcount_inc(&rule->ref);
			rules->rule[to++] = rule;
		}
		if (i == was || (i >= at && i < at + n))
			continue;
		refcount_inc(&old->rule[i]->ref);
		rules->rule[to++] = old->rule[i];
	}
	return rules;
}

static int rules_change(struct nettoll_net *nn, unsigned int at, unsigned int n,
			struct nettoll_rule *rule, const char **why)
{
	struct nettoll_rules *rules;

	lockdep_assert_held(&nettoll_rules_lock);
	rules = rules_splice(rcu_dereference_protected(nn->rules,
						       lockdep_is_held(&nettoll_rules_lock)),
			     at, n, rule);
	if (!rules) {
		*why = "out of memory";
		return -ENOMEM;
	}
	return rules_replace(nn, rules, why);
}

/**
 * nettoll_rule_add() - add a rule to a namespace
 * @net: the namespace
 * @rule: the rule, checked; it gets its number
 * @before: the rule to insert before, 0 for the end
 * @why: what refused it, a constant string
 *
 * Return: 0, -ENOENT (no such rule), -ENOSPC, -ENOMEM, or what
 * nettoll_fronts_get() says.
 */
int nettoll_rule_add(struct net *net, struct nettoll_rule *rule, u32 before, const char **why)
{
	struct nettoll_net *nn = net_of(net);
	const struct nettoll_rules *rules;
	int at;

	lockdep_assert_held(&nettoll_rules_lock);
	rules = nettoll_rules_locked(net);
	at = before ? rule_index(rules, before) : rules_count(rules);
	if (at < 0) {
		*why = "no rule of that number to insert before; list the rules";
		return at;
	}
	if (rules_count(rules) >= NETTOLL_RULES_MAX || nn->next_id == U32_MAX) {
		*why = "too many rules in this network namespace; delete some";
		return -ENOSPC;
	}
	rule->id = nn->next_id + 1;
	action_resolve(&rule->act, &rule->given, &nn->defaults);
	at = rules_change(nn, at, 0, rule, why);
	if (!at)
		nn->next_id++;
	return at;
}

/**
 * nettoll_rule_set() - put a rule in the place of the one of the same number
 * @net: the namespace
 * @rule: the rule, checked, with its number
 * @why: what refused it, a constant string
 *
 * Return: as nettoll_rule_add().
 */
int nettoll_rule_set(struct net *net, struct nettoll_rule *rule, const char **why)
{
	struct nettoll_net *nn = net_of(net);
	int at;

	lockdep_assert_held(&nettoll_rules_lock);
	at = rule_index(nettoll_rules_locked(net), rule->id);
	if (at < 0) {
		*why = "no rule of that number; list the rules";
		return at;
	}
	action_resolve(&rule->act, &rule->given, &nn->defaults);
	return rules_change(nn, at, 1, rule, why);
}

/** nettoll_rule_del() - remove a rule; 0, -ENOENT or -ENOMEM */
int nettoll_rule_del(struct net *net, u32 id)
{
	const char *why;
	int at;

	lockdep_assert_held(&nettoll_rules_lock);
	at = rule_index(nettoll_rules_locked(net), id);
	return at < 0 ? at : rules_change(net_of(net), at, 1, NULL, &why);
}

/** nettoll_rules_flush() - remove all rules of a namespace, not its defaults; 0 or -ENOMEM */
int nettoll_rules_flush(struct net *net)
{
	const char *why;

	lockdep_assert_held(&nettoll_rules_lock);
	return rules_change(net_of(net), 0, rules_count(nettoll_rules_locked(net)), NULL, &why);
}

/** nettoll_defaults() - what is done in a namespace where no rule says */
struct nettoll_action nettoll_defaults(struct net *net)
{
	lockdep_assert_held(&nettoll_rules_lock);
	return net_of(net)->defaults;
}

/**
 * nettoll_defaults_set() - change what is done where no rule says
 * @net: the namespace
 * @act: from now on
 * @why: what refused it, a constant string
 *
 * Return: 0, -ENOMEM, or what nettoll_fronts_get() says.
 */
int nettoll_defaults_set(struct net *net, const struct nettoll_action *act, const char **why)
{
	struct nettoll_net *nn = net_of(net);
	const struct nettoll_rules *old = nettoll_rules_locked(net);
	unsigned int i, n = rules_count(old);
	bool active = action_groups(act);	/* The defaults do anything. */
	const struct nettoll_rule *from;
	struct nettoll_rules *rules;
	int err;

	lockdep_assert_held(&nettoll_rules_lock);
	rules = rules_alloc(n + active);
	if (!rules)
		goto no_memory;
	for (i = 0; i < n + active; i++) {
		/* The defaults' rule stands behind the others where it was active before. */
		from = old && i < old->n ? old->rule[i] : nn->default_rule;
		rules->rule[i] = rule_copy(from, act);
		if (!rules->rule[i])
			goto no_memory;
	}
	err = rules_replace(nn, rules, why);
	if (!err)
		nn->defaults = *act;
	return err;

no_memory:
	rules_put(rules);
	*why = "out of memory";
	return -ENOMEM;
}

static int __net_init nettoll_net_init(struct net *net)
{
	struct nettoll_net *nn = net_of(net);

	nn->defaults.zerocopy_min = 4096;
	nn->defaults.audit_rate = 1000;
	nn->defaults.bytes = NETTOLL_BATCH_BYTES_MAX;
	nn->defaults.usecs = 50;
	nn->default_rule = nettoll_rule_new();
	return nn->default_rule ? 0 : -ENOMEM;
}

static void __net_exit nettoll_net_exit(struct net *net)
{
	struct nettoll_net *nn = net_of(net);
	const char *why;

	mutex_lock(&nettoll_rules_lock);
	/* Nothing new is needed, so that nothing can fail. */
	rules_replace(nn, NULL, &why);
	mutex_unlock(&nettoll_rules_lock);
	nettoll_rule_put(nn->default_rule);
}

static struct pernet_operations nettoll_net_ops = {
	.init = nettoll_net_init,
	.exit = nettoll_net_exit,
	.id = &nettoll_net_id,
	.size = sizeof(struct nettoll_net),
};

/** nettoll_rules_init() - 0 or a negative errno */
int nettoll_rules_init(void)
{
	return register_pernet_subsys(&nettoll_net_ops);
}

/** nettoll_rules_exit() - all rules of all namespaces go, and the fronts with them */
void nettoll_rules_exit(void)
{
	unregister_pernet_subsys(&nettoll_net_ops);
	/* rule_free() is our text. */
	rcu_barrier();
}
