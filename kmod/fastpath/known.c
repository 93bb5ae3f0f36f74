// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sends whose rule is known, without asking for it again and, where they are
 * going to be copied, without anything else.
 */
#include <linux/percpu.h>

#include "known.h"
#include "zerocopy.h"

struct nettoll_known __percpu *nettoll_knowns;

static struct nettoll_known *known_of(u64 cookie)
{
	return this_cpu_ptr(nettoll_knowns) + cookie % NETTOLL_KNOWNS;
}

/* Why a send is copied without trying anything else, or NETTOLL_ZC_SENT. */
static int copy_reason(const struct nettoll_rule *rule, struct nettoll_zc_sock *zs, size_t len)
{
	if (len < rule->act.zerocopy_min)
		return NETTOLL_FALLBACK_SMALL;
	if (rule->act.zerocopy == NETTOLL_ZEROCOPY_AUTO && nettoll_auto_copies(&zs->learned, len))
		return NETTOLL_FALLBACK_SLOWER;
	return NETTOLL_ZC_SENT;
}

/** nettoll_known_copy() - see nettoll_known_copies() */
bool nettoll_known_copy(struct sock *sk, const struct msghdr *msg, size_t len, u16 family)
{
	const struct nettoll_known *k;
	struct nettoll_rule_count *count;
	struct nettoll_zc_sock *zs;
	int reason = NETTOLL_ZC_SENT;

	preempt_disable();
	k = known_of(atomic64_read(&sk->sk_cookie));
	if (!nettoll_known_is(k, sk, nettoll_flow_name(sk, msg), family))
		goto enable;
	zs = READ_ONCE(k->ns->part[NETTOLL_PART_ZEROCOPY]);
	if (!zs)
		goto enable;
	reason = copy_reason(k->rule, zs, len);
	if (reason == NETTOLL_ZC_SENT)
		goto enable;
	zs->sends++;
	zs->fallback[reason]++;
	zs->copied_bytes += len;
	/* Interrupts count packets, never these. */
	count = this_cpu_ptr(k->rule->count);
	count->sends++;
	count->bytes += len;
	count->copied_bytes += len;
	count->fallback[reason]++;
enable:
	preempt_enable();
	return reason != NETTOLL_ZC_SENT;
}

/**
 * nettoll_known_get() - the rule of a send like the last
 * @sk: the socket
 * @msg: what is sent, and to whom
 * @family: of the packets
 * @rule: where to put the rule, with a reference
 *
 * Return: the socket, with a reference, or NULL: ask nettoll_sock_decide().
 */
struct nettoll_sock *nettoll_known_get(const struct sock *sk, const struct msghdr *msg, u16 family,
				       struct nettoll_rule **rule)
{
	struct nettoll_sock *ns = NULL;
	const struct nettoll_known *k;

	preempt_disable();
	k = known_of(atomic64_read(&sk->sk_cookie));
	if (nettoll_known_is(k, sk, nettoll_flow_name(sk, msg), family)) {
		ns = k->ns;
		*rule = k->rule;
		refcount_inc(&ns->ref);
		refcount_inc(&(*rule)->ref);
	}
	preempt_enable();
	return ns;
}

/**
 * nettoll_known_note() - keep the answer of nettoll_sock_decide()
 * @ns: the socket, with a reference
 * @rule: its rule, with a reference
 * @key: what it was decided for
 * @sk: the socket
 * @name: whom the send names, NULL if nobody
 */
void nettoll_known_note(struct nettoll_sock *ns, struct nettoll_rule *rule,
			const struct nettoll_sock_key *key, const struct sock *sk,
			const void *name)
{
	struct nettoll_known *k;
	unsigned long flags;

	/* Of a change of the rules, either the generation is seen or the clearing comes after. */
	local_irq_save(flags);
	if (key->gen != READ_ONCE(nettoll_rules_gen))
		goto restore;
	k = known_of(key->cookie);
	memset(k, 0, sizeof(*k));
	k->q.cookie = key->cookie;
	k->q.ports = nettoll_sock_ports(sk);
	k->q.family = key->family;
	k->q.uid = key->uid;
	/* nettoll_flow_of_send() has looked at the length of the name. */
	if (key->family == AF_INET) {
		k->q.addrpair = sk->sk_addrpair;
		k->q.to = name ? *(u64 *)name : 0;
	} else {
		k->q.local6 = key->local;
		k->q.to = name ? *(u32 *)name : 0;
		k->q.peer6 = key->remote;
	}
	k->route = key->route;
	k->bound_dev_if = key->bound_dev_if;
	k->ns = ns;
	k->rule = rule;
restore:
	local_irq_restore(flags);
}

/** nettoll_knowns_clear_here() - on this CPU, after the rules and their generation have changed */
void nettoll_knowns_clear_here(void)
{
	memset(this_cpu_ptr(nettoll_knowns), 0, NETTOLL_KNOWNS * sizeof(*nettoll_knowns));
}

/** nettoll_knowns_clear_of() - of a CPU that is off */
void nettoll_knowns_clear_of(int cpu)
{
	memset(per_cpu_ptr(nettoll_knowns, cpu), 0, NETTOLL_KNOWNS * sizeof(*nettoll_knowns));
}

/** nettoll_knowns_init() - 0 or -ENOMEM */
int nettoll_knowns_init(void)
{
	nettoll_knowns = __alloc_percpu(NETTOLL_KNOWNS * sizeof(*nettoll_knowns), L1_CACHE_BYTES);
	return nettoll_knowns ? 0 : -ENOMEM;
}

/** nettoll_knowns_exit() - no front may be attached */
void nettoll_knowns_exit(void)
{
	free_percpu(nettoll_knowns);
}
