// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which rule is for a send. The answer is kept for the socket, or, where it is
 * that there is none, in two small tables on each CPU: one that a send can be
 * held against in a few instructions, and one for each peer of sockets whose
 * rules depend on it.
 */
#include <linux/cpu.h>
#include <linux/hash.h>
#include <linux/jhash.h>
#include <linux/slab.h>
#include <linux/sock_diag.h>
#include <linux/static_call.h>

#include "../account/hook.h"
#include "coalesce.h"
#include "flow.h"
#include "front.h"
#include "known.h"
#include "sock.h"
#include "zerocopy.h"

#define SOCK_BITS	12
#define STRANGERS	64

static struct sock_bucket {
	/* Of whoever adds or removes. */
	spinlock_t lock;
	struct hlist_head head;
} sock_table[1 << SOCK_BITS];

struct nettoll_quiet __percpu *nettoll_quiets;

/* Peers that no rule is for, of sockets that a rule may be for. */
struct strangers {
	struct nettoll_sock_key key[STRANGERS];
};

static struct strangers __percpu *strangers;

static u64 no_cookie(struct sock *sk)
{
	return 0;
}

/* Not exported; without it no rule is for any send. */
DEFINE_STATIC_CALL(nettoll_gen_cookie, no_cookie);

static struct sock_bucket *bucket_of(const struct sock *sk)
{
	return &sock_table[hash_ptr(sk, SOCK_BITS)];
}

/**
 * nettoll_sock_find_rcu() - what is known of a socket
 * @sk: the socket
 *
 * Under RCU. Return: NULL if nothing is.
 */
struct nettoll_sock *nettoll_sock_find_rcu(const struct sock *sk)
{
	struct nettoll_sock *ns;

	hlist_for_each_entry_rcu(ns, &bucket_of(sk)->head, node)
		if (ns->sk == sk && ns->cookie == atomic64_read(&sk->sk_cookie))
			return ns;
	return NULL;
}

static void sock_free(struct rcu_head *head)
{
	struct nettoll_sock *ns = container_of(head, struct nettoll_sock, rcu);

	nettoll_coalesce_free(ns->part[NETTOLL_PART_GATHER]);
	nettoll_zc_sock_free(ns->part[NETTOLL_PART_ZEROCOPY]);
	kfree(ns);
}

/** nettoll_sock_put() - let go of what is known of a socket */
void nettoll_sock_put(struct nettoll_sock *ns)
{
	if (!refcount_dec_and_test(&ns->ref))
		return;
	nettoll_rule_put(ns->rule);
	call_rcu(&ns->rcu, sock_free);
}

static struct nettoll_sock *sock_get(struct sock *sk)
{
	struct nettoll_sock *ns;

	rcu_read_lock();
	ns = nettoll_sock_find_rcu(sk);
	if (ns && !refcount_inc_not_zero(&ns->ref))
		ns = NULL;
	rcu_read_unlock();
	return ns;
}

/* The socket cannot go: whoever asks is sending on it. */
static struct nettoll_sock *sock_make(struct sock *sk, u64 cookie)
{
	struct sock_bucket *b = bucket_of(sk);
	struct nettoll_sock *ns, *other;

	ns = kzalloc(sizeof(*ns), GFP_KERNEL_ACCOUNT);
	if (!ns)
		return NULL;
	ns->sk = sk;
	ns->cookie = cookie;
	spin_lock_init(&ns->lock);
	/* The table's and the caller's. */
	refcount_set(&ns->ref, 2);
	spin_lock_bh(&b->lock);
	hlist_for_each_entry(other, &b->head, node)
		if (other->sk == sk && other->cookie == cookie) {
			refcount_inc(&other->ref);
			spin_unlock_bh(&b->lock);
			kfree(ns);
			return other;
		}
	hlist_add_head_rcu(&ns->node, &b->head);
	spin_unlock_bh(&b->lock);
	return ns;
}

static void sock_forget(struct nettoll_sock *ns)
{
	hlist_del_rcu(&ns->node);
	WRITE_ONCE(ns->gone, true);
	nettoll_sock_put(ns);
}

/** nettoll_front_inet_sock_destruct() - a socket is freed, and what is known of it */
void nettoll_front_inet_sock_destruct(struct sock *sk)
{
	struct sock_bucket *b = bucket_of(sk);
	struct nettoll_sock *ns;
	struct hlist_node *next;

	if (!hlist_empty(&b->head)) {
		spin_lock_bh(&b->lock);
		hlist_for_each_entry_safe(ns, next, &b->head, node)
			if (ns->sk == sk)
				sock_forget(ns);
		spin_unlock_bh(&b->lock);
	}
	nettoll_orig(inet_sock_destruct)(sk);
}

/* What a decision depends on, besides the socket's protocol, port and cgroup. */
enum asked {
	ASKED_PEER	= 1,	/* addresses and the peer */
	ASKED_ROUTE	= 2,	/* where the route to it leads */
	ASKED_OWNER	= 4,	/* who owns the socket */
	ASKED_LOCAL	= 8,	/* the socket's own address, not only the peer's */
};

static bool quiet_careful(const struct nettoll_quiet *q, const struct sock *sk, const void *name)
{
	if (q->kind != NETTOLL_QUIET_CAREFUL || q->cookie != atomic64_read(&sk->sk_cookie) ||
	    q->ports != nettoll_sock_ports(sk) || q->uid != __kuid_val(sk->sk_uid))
		return false;
	if (q->family == AF_INET)
		return nettoll_quiet_ipv4(q, sk, name);
#if IS_ENABLED(CONFIG_IPV6)
	return ipv6_addr_equal(&q->local6, &sk->sk_v6_rcv_saddr) &&
	       nettoll_quiet_ipv6(q, sk, name);
#else
	return false;
#endif
}

/**
 * nettoll_sock_quiet_careful() - nettoll_sock_quiet() where more counts
 * @sk: the socket
 * @name: whom the send names, NULL if nobody
 */
bool nettoll_sock_quiet_careful(const struct sock *sk, const void *name)
{
	bool quiet;

	preempt_disable();
	quiet = quiet_careful(this_cpu_ptr(nettoll_quiets) +
			      atomic64_read(&sk->sk_cookie) % NETTOLL_QUIETS, sk, name);
	preempt_enable();
	return quiet;
}

/* No rule is for this send. */
static void quiet_note(const struct sock *sk, const void *name,
		       const struct nettoll_sock_key *key, int asked)
{
	struct nettoll_quiet *q;
	unsigned long flags;

	/* Of a change of the rules, either the generation is seen or the clearing comes after. */
	local_irq_save(flags);
	if (key->gen != READ_ONCE(nettoll_rules_gen))
		goto restore;
	q = this_cpu_ptr(nettoll_quiets) + key->cookie % NETTOLL_QUIETS;
	memset(q, 0, sizeof(*q));
	q->cookie = key->cookie;
	q->ports = nettoll_sock_ports(sk);
	q->family = key->family;
	q->uid = key->uid;
	if (!(asked & (ASKED_PEER | ASKED_OWNER)))
		q->kind = NETTOLL_QUIET_ALL;
	else if (asked & ASKED_OWNER)
		q->kind = NETTOLL_QUIET_CAREFUL;
	else if (sk->sk_family == AF_INET)
		q->kind = NETTOLL_QUIET_IPV4;
	else if (key->family == AF_INET6 && !(asked & ASKED_LOCAL))
		q->kind = NETTOLL_QUIET_IPV6;
	else
		q->kind = NETTOLL_QUIET_CAREFUL;
	/* nettoll_flow_of_send() has looked at the length of the name. */
	if (key->family == AF_INET) {
		q->addrpair = sk->sk_addrpair;
		q->to = name ? *(u64 *)name : 0;
	} else {
#if IS_ENABLED(CONFIG_IPV6)
		q->local6 = sk->sk_v6_rcv_saddr;
#endif
		q->to = name ? *(u32 *)name : 0;
		q->peer6 = key->remote;
	}
	/* Either this sees the socket gather, or quiets_forget() sees the entry. */
	smp_mb();
	if (q->kind != NETTOLL_QUIET_ALL && nettoll_coalesce_may_wait(sk))
		WRITE_ONCE(q->cookie, 0);
restore:
	local_irq_restore(flags);
}

static void quiets_clear_here(void *unused)
{
	memset(this_cpu_ptr(nettoll_quiets), 0, NETTOLL_QUIETS * sizeof(*nettoll_quiets));
	nettoll_knowns_clear_here();
}

/** nettoll_quiets_clear() - after a change of the rules and of their generation */
void nettoll_quiets_clear(void)
{
	int cpu;

	cpus_read_lock();
	on_each_cpu(quiets_clear_here, NULL, 1);
	for_each_possible_cpu(cpu)
		if (!cpu_online(cpu)) {
			memset(per_cpu_ptr(nettoll_quiets, cpu), 0,
			       NETTOLL_QUIETS * sizeof(*nettoll_quiets));
			nettoll_knowns_clear_of(cpu);
		}
	cpus_read_unlock();
}

static struct nettoll_sock_key *stranger_slot(const struct nettoll_sock_key *key)
{
	u32 hash = jhash(&key->remote, sizeof(key->remote),
			 (u32)key->cookie ^ (__force u16)key->rport);

	return &this_cpu_ptr(strangers)->key[hash % STRANGERS];
}

static void stranger_note(const struct nettoll_sock_key *key)
{
	preempt_disable();
	*stranger_slot(key) = *key;
	preempt_enable();
}

static bool stranger_is(const struct nettoll_sock_key *key)
{
	bool is;

	preempt_disable();
	is = !memcmp(stranger_slot(key), key, sizeof(*key));
	preempt_enable();
	return is;
}

/* Whether the device, or an address that the socket leaves to the route, decides. */
static bool needs_route(const struct nettoll_match *m, const struct nettoll_flow *flow)
{
	return m->device[0] || (m->local.family && ipv6_addr_any(&flow->laddr));
}

/*
 * The first rule for a flow, with a reference. Rules that only a route can
 * decide are left for a second round, since finding it may sleep.
 */
static struct nettoll_rule *rule_first(const struct net *net, const struct nettoll_flow *flow,
				       bool routed, int *asked)
{
	struct nettoll_rule *found = NULL;
	const struct nettoll_rules *rules;
	unsigned int i;

	*asked = 0;
	rcu_read_lock();
	rules = nettoll_rules_rcu(net);
	for (i = 0; rules && i < rules->n; i++) {
		struct nettoll_rule *rule = rules->rule[i];

		if (rule->match.has_uid)
			*asked |= ASKED_OWNER;
		if (!nettoll_match_socket(&rule->match, flow))
			continue;
		if (nettoll_match_names_peer(&rule->match))
			*asked |= ASKED_PEER;
		if (rule->match.local.family)
			*asked |= ASKED_LOCAL;
		if (!routed && needs_route(&rule->match, flow)) {
			*asked |= ASKED_ROUTE;
			break;
		}
		if (nettoll_match_peer(&rule->match, flow) &&
		    refcount_inc_not_zero(&rule->ref)) {
			found = rule;
			break;
		}
	}
	rcu_read_unlock();
	return found;
}

static struct nettoll_rule *rule_decide(struct sock *sk, struct nettoll_flow *flow,
					const struct msghdr *msg, int *asked)
{
	char device[IFNAMSIZ];
	struct nettoll_rule *rule;

	rule = rule_first(sock_net(sk), flow, false, asked);
	if (!(*asked & ASKED_ROUTE))
		return rule;
	nettoll_flow_route(flow, sk, msg, device);
	rule = rule_first(sock_net(sk), flow, true, asked);
	*asked |= ASKED_ROUTE;
	return rule;
}

/**
 * nettoll_sock_decide() - the rule for a send
 * @sk: the socket
 * @msg: what is sent, and to whom
 * @family: of the packets
 * @rule: where to put the rule, with a reference
 *
 * May sleep. Return: what is known of the socket, with a reference, or NULL if
 * no rule is for the send, or there is no memory to remember it.
 */
struct nettoll_sock *nettoll_sock_decide(struct sock *sk, const struct msghdr *msg, u16 family,
					 struct nettoll_rule **rule)
{
	struct nettoll_sock_key key;
	struct nettoll_flow flow;
	struct nettoll_rule *old;
	struct nettoll_sock *ns;
	bool known = false;
	u64 cookie;
	int asked;

	/* The kernel's own sockets are not a user's to rule. */
	if (sk->sk_kern_sock || !nettoll_flow_of_send(&flow, sk, msg, family))
		return NULL;
	preempt_disable();
	cookie = static_call(nettoll_gen_cookie)(sk);
	preempt_enable();
	if (!cookie)
		return NULL;
	nettoll_flow_key(&key, &flow, sk, cookie);

	ns = sock_get(sk);
	if (ns) {
		spin_lock_bh(&ns->lock);
		known = !memcmp(&ns->key, &key, sizeof(key));
		*rule = ns->rule;
		if (known && *rule)
			refcount_inc(&(*rule)->ref);
		spin_unlock_bh(&ns->lock);
	}
	if (known && *rule) {
		nettoll_known_note(ns, *rule, &key, sk, nettoll_flow_name(sk, msg));
		return ns;
	}
	if (known || stranger_is(&key)) {
		if (ns)
			nettoll_sock_put(ns);
		return NULL;
	}

	*rule = rule_decide(sk, &flow, msg, &asked);
	if (!*rule) {
		if (!(asked & ASKED_ROUTE))
			quiet_note(sk, nettoll_flow_name(sk, msg), &key, asked);
		if (asked & (ASKED_PEER | ASKED_ROUTE))
			stranger_note(&key);
		if (ns)
			nettoll_sock_put(ns);
		return NULL;
	}
	if (!ns)
		ns = sock_make(sk, cookie);
	if (!ns) {
		nettoll_rule_fallback(*rule, NETTOLL_FALLBACK_NO_MEMORY);
		nettoll_rule_put(*rule);
		return NULL;
	}
	this_cpu_inc((*rule)->count->sockets);
	refcount_inc(&(*rule)->ref);
	spin_lock_bh(&ns->lock);
	old = ns->rule;
	/* Packets read it under RCU alone, see csum_tx.c. */
	smp_store_release(&ns->rule, *rule);
	ns->key = key;
	spin_unlock_bh(&ns->lock);
	nettoll_rule_put(old);
	nettoll_known_note(ns, *rule, &key, sk, nettoll_flow_name(sk, msg));
	return ns;
}

static struct nettoll_sock *bucket_find(struct sock_bucket *b,
					bool (*wanted)(const struct nettoll_sock *ns))
{
	struct nettoll_sock *ns;

	spin_lock_bh(&b->lock);
	hlist_for_each_entry(ns, &b->head, node)
		if (wanted(ns)) {
			refcount_inc(&ns->ref);
			break;
		}
	spin_unlock_bh(&b->lock);
	return ns;
}

/**
 * nettoll_socks_each() - do something with some sockets
 * @wanted: which; it may not sleep
 * @fn: what; it may sleep, and @wanted says no to the socket after it
 */
void nettoll_socks_each(bool (*wanted)(const struct nettoll_sock *ns),
			void (*fn)(struct nettoll_sock *ns))
{
	struct nettoll_sock *ns;
	int i;

	for (i = 0; i < ARRAY_SIZE(sock_table); i++) {
		if (hlist_empty(&sock_table[i].head))
			continue;
		while ((ns = bucket_find(&sock_table[i], wanted))) {
			fn(ns);
			nettoll_sock_put(ns);
		}
	}
}

/** nettoll_socks_init() - 0 or a negative errno */
int nettoll_socks_init(void)
{
	unsigned long cookie = nettoll_ksym("__sock_gen_cookie");
	int i;

	if (cookie)
		static_call_update(nettoll_gen_cookie, (void *)cookie);
	for (i = 0; i < ARRAY_SIZE(sock_table); i++) {
		spin_lock_init(&sock_table[i].lock);
		INIT_HLIST_HEAD(&sock_table[i].head);
	}
	nettoll_quiets = __alloc_percpu(NETTOLL_QUIETS * sizeof(*nettoll_quiets),
					L1_CACHE_BYTES);
	strangers = alloc_percpu(struct strangers);
	if (!nettoll_knowns_init() && nettoll_quiets && strangers)
		return 0;
	nettoll_socks_exit();
	return -ENOMEM;
}

/** nettoll_socks_exit() - forget all sockets; no front may be attached, no handler running */
void nettoll_socks_exit(void)
{
	struct nettoll_sock *ns;
	struct hlist_node *next;
	int i;

	for (i = 0; i < ARRAY_SIZE(sock_table); i++) {
		spin_lock_bh(&sock_table[i].lock);
		hlist_for_each_entry_safe(ns, next, &sock_table[i].head, node)
			sock_forget(ns);
		spin_unlock_bh(&sock_table[i].lock);
	}
	/* sock_free() is our text. */
	rcu_barrier();
	nettoll_knowns_exit();
	free_percpu(nettoll_quiets);
	free_percpu(strangers);
}
