// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gathering the datagrams of a socket: which go together, and where they wait.
 */
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <net/sock.h>
#include <net/udp.h>

#include "../compat/udp.h"
#include "coalesce.h"
#include "front.h"

/* Batches of small datagrams share it. */
#define ROOM_ORDER	4
#define ROOM_MOST	(PAGE_SIZE << ROOM_ORDER)
/* Flags that change nothing of how a datagram is sent. */
#define FLAGS_GATHERED	(MSG_DONTWAIT | MSG_NOSIGNAL | MSG_BATCH | MSG_CMSG_COMPAT)

static_assert(ROOM_MOST >= NETTOLL_BATCH_BYTES_MAX);

static bool dest_is(const struct nettoll_dest *dest, const struct msghdr *msg)
{
	if (!msg->msg_name)
		return !dest->len;
	return dest->len == msg->msg_namelen && !memcmp(dest->name, msg->msg_name, dest->len);
}

static bool dest_fits(const struct msghdr *msg)
{
	return !msg->msg_name || msg->msg_namelen <= NETTOLL_NAME_MAX;
}

/* Why a send is not one to gather, or -1. */
static int unfit(const struct sock *sk, const struct msghdr *msg, size_t len)
{
	const struct udp_sock *up = udp_sk(sk);

	if (msg->msg_ubuf || msg->msg_flags & MSG_ZEROCOPY || READ_ONCE(up->gso_size))
		return NETTOLL_FALLBACK_OWN;
	if (msg->msg_flags & ~FLAGS_GATHERED || msg->msg_controllen || up->pending ||
	    udp_test_bit(CORK, sk) || READ_ONCE(up->encap_type) || sk->sk_no_check_tx ||
	    READ_ONCE(sk->sk_tsflags) & SOF_TIMESTAMPING_TX_RECORD_MASK ||
	    sock_flag(sk, SOCK_TXTIME) || nettoll_sk_recverr(sk) ||
	    rcu_access_pointer(inet_sk(sk)->inet_opt))
		return NETTOLL_FALLBACK_OPTION;
#if IS_ENABLED(CONFIG_IPV6)
	if (sk->sk_family == AF_INET6 &&
	    (udp_get_no_check6_tx(sk) || rcu_access_pointer(inet6_sk(sk)->opt)))
		return NETTOLL_FALLBACK_OPTION;
#endif
	if (!user_backed_iter(&msg->msg_iter))
		return NETTOLL_FALLBACK_NOT_USER;
	if (!dest_fits(msg))
		return NETTOLL_FALLBACK_DESTINATION;
	if (!len || len > NETTOLL_BATCH_BYTES_MAX / 2)
		return NETTOLL_FALLBACK_SIZE;
	return -1;
}

/* The datagram goes to its place, unless its pages have to be fetched. */
static bool load_copy(const struct nettoll_gather *g, struct msghdr *msg, size_t len)
{
	size_t copied;

	pagefault_disable();
	/* There is room; hardened copies would look for it each time. */
	copied = _copy_from_iter(page_address(g->page) + g->fill, len, &msg->msg_iter);
	pagefault_enable();
	if (likely(copied == len))
		return true;
	iov_iter_revert(&msg->msg_iter, copied);
	return false;
}

/* Whether a datagram may be accepted into the send buffer, and no error waits to be told. */
static bool sock_accepts(const struct sock *sk)
{
	return !READ_ONCE(sk->sk_err) && !(READ_ONCE(sk->sk_shutdown) & SEND_SHUTDOWN) &&
	       sk_wmem_alloc_get(sk) < READ_ONCE(sk->sk_sndbuf);
}

/* Whether the datagram belongs to the batch; if so, how it went: -EFAULT, or enum nettoll_join. */
static int gather_add(struct nettoll_gather *g, struct sock *sk, struct msghdr *msg, size_t len,
		      u16 family)
{
	struct nettoll_load *cur = &g->cur;
	struct nettoll_batch b = cur->b;
	int joins;

	lockdep_assert_held(&g->lock);
	if (!b.n || cur->gen != READ_ONCE(nettoll_rules_gen) || cur->family != family ||
	    !dest_is(&cur->dest, msg) || !sock_accepts(sk))
		return NETTOLL_JOIN_NO;
	joins = nettoll_batch_add(&b, len);
	if (joins == NETTOLL_JOIN_NO)
		return joins;
	if (!load_copy(g, msg, len))
		return -EFAULT;
	cur->b = b;
	g->fill += len;
	refcount_add(len, &sk->sk_wmem_alloc);
	return joins;
}

/* Flags and options that only the call can tell are those of a plain send. */
static bool msg_plain(const struct sock *sk, const struct msghdr *msg)
{
	return !(msg->msg_flags & ~FLAGS_GATHERED) && !msg->msg_controllen && !msg->msg_ubuf &&
	       user_backed_iter(&msg->msg_iter) && !udp_sk(sk)->pending;
}

/* The batch is complete, and the call that completed it has it leave. */
static int gather_complete(struct nettoll_sock *ns, struct nettoll_gather *g)
{
	struct nettoll_stay stay;
	int err;

	nettoll_stay_begin(&stay);
	err = nettoll_gather_flush(g, NETTOLL_LEFT_CALL);
	nettoll_sock_put(ns);
	nettoll_stay_end(&stay);
	return err;
}

/*
 * Where gathering has not paid, the next sends to the same destination go
 * alone, by the same rule, and do not ask for it again. Return: the rule, with
 * a reference, or NULL if this is no such send.
 */
static struct nettoll_rule *gather_alone(struct nettoll_gather *g, const struct msghdr *msg,
					 u16 family)
{
	struct nettoll_rule *rule = NULL;

	spin_lock(&g->lock);
	/* The rule is there for as long as the generation: its end comes after a grace period. */
	if (g->alone && g->alone_gen == READ_ONCE(nettoll_rules_gen) &&
	    g->alone_family == family && !g->cur.b.n && !mutex_is_locked(&g->leave) &&
	    dest_is(&g->last, msg) && refcount_inc_not_zero(&g->alone->ref)) {
		rule = g->alone;
		if (nettoll_pace_skips(&g->pace)) {
			nettoll_rule_fallback(rule, g->why);
		} else {
			nettoll_rule_put(rule);
			rule = NULL;
		}
	}
	spin_unlock(&g->lock);
	return rule;
}

/**
 * nettoll_coalesce_join() - let a datagram go with the batch that waits
 * @sk: the socket
 * @msg: the datagram
 * @len: of it
 * @family: of the packets
 * @ret: where to put what the send returns
 * @alone: where to put the rule, with a reference, of one that is to be sent
 *	at once, and be counted
 *
 * Sleeps only where the batch is complete, and leaves. Return: whether it
 * went along; else it has to be sent.
 */
bool nettoll_coalesce_join(struct sock *sk, struct msghdr *msg, size_t len, u16 family, int *ret,
			   struct nettoll_rule **alone)
{
	int joins = NETTOLL_JOIN_NO;
	struct nettoll_gather *g;
	struct nettoll_sock *ns;

	if (!msg_plain(sk, msg))
		return false;
	rcu_read_lock();
	ns = nettoll_sock_find_rcu(sk);
	g = ns ? nettoll_gather_of(ns) : NULL;
	if (!g || !READ_ONCE(g->cur.b.n)) {
		if (g && READ_ONCE(g->pace.skip))
			*alone = gather_alone(g, msg, family);
		rcu_read_unlock();
		return false;
	}
	spin_lock(&g->lock);
	joins = gather_add(g, sk, msg, len, family);
	if (joins == NETTOLL_JOIN_LAST)
		/* The table's reference is there as long as the socket. */
		refcount_inc(&ns->ref);
	spin_unlock(&g->lock);
	rcu_read_unlock();
	*ret = len;
	if (joins == NETTOLL_JOIN_LAST) {
		int err = gather_complete(ns, g);

		if (err)
			*ret = err;
	}
	return joins == NETTOLL_JOIN_MORE || joins == NETTOLL_JOIN_LAST;
}

/* Somewhere to write @need bytes to, from where they are sent. May sleep. */
static bool gather_room(struct nettoll_gather *g, u32 need)
{
	struct page *page, *old;
	unsigned int order;

	spin_lock(&g->lock);
	if (g->page && !g->cur.b.n && page_ref_count(g->page) == 1)
		g->fill = 0;
	if (g->page && g->room - g->fill >= need) {
		spin_unlock(&g->lock);
		return true;
	}
	spin_unlock(&g->lock);
	order = need > ROOM_MOST / 2 ? ROOM_ORDER : ROOM_ORDER - 1;
	page = alloc_pages(GFP_KERNEL_ACCOUNT | __GFP_COMP | __GFP_NOWARN | __GFP_NORETRY, order);
	if (!page)
		return false;
	spin_lock(&g->lock);
	if (g->cur.b.n) {
		/* Somebody else has begun a batch, which is as good. */
		old = page;
	} else {
		old = g->page;
		g->page = page;
		g->room = PAGE_SIZE << order;
		g->fill = 0;
	}
	spin_unlock(&g->lock);
	if (old)
		put_page(old);
	return true;
}

/* Begin a batch of @limit datagrams with this one; 0, -EFAULT, or -EAGAIN if not now. */
static int gather_open(struct nettoll_gather *g, const struct nettoll_coalesce_try *try,
		       struct msghdr *msg, u32 len, u32 limit, u64 wait)
{
	struct nettoll_load *cur = &g->cur;

	lockdep_assert_held(&g->lock);
	/* Whoever has changed the rules waits for all batches that are older. */
	if (cur->b.n || try->gen != READ_ONCE(nettoll_rules_gen) || !sock_accepts(try->sk) ||
	    !dest_is(&g->last, msg) || !g->page || g->room - g->fill < limit * len)
		return -EAGAIN;
	if (!load_copy(g, msg, len))
		return -EFAULT;
	sock_hold(try->sk);
	refcount_add(len, &try->sk->sk_wmem_alloc);
	refcount_inc(&try->rule->ref);
	get_page(g->page);
	*cur = (struct nettoll_load){
		.b = { .n = 1, .size = len, .bytes = len, .limit = limit },
		.dest = g->last,
		.orig = try->orig,
		.sk = try->sk,
		.rule = try->rule,
		.page = g->page,
		.offset = g->fill,
		.gen = try->gen,
		.family = try->family,
		.cpu = raw_smp_processor_id(),
		.opened = try->began,
		.due = try->began + wait,
	};
	g->fill += len;
	refcount_inc(&g->ns->ref);
	hrtimer_start(&g->timer, ns_to_ktime(wait), HRTIMER_MODE_REL);
	return 0;
}

/* Why this send is no beginning of a batch, or -1; then it is planned. */
static int gather_plan(struct nettoll_gather *g, const struct nettoll_rule *rule,
		       const struct msghdr *msg, size_t len, u64 now, u32 *limit, u64 *wait)
{
	const struct nettoll_batch_limit bound = {
		.datagrams = rule->act.datagrams,
		.bytes = rule->act.bytes,
		.ns = (u64)rule->act.usecs * NSEC_PER_USEC,
	};

	lockdep_assert_held(&g->lock);
	if (!nettoll_pace_busy(&g->pace, now, bound.ns))
		return -1;
	if (!dest_is(&g->last, msg) || g->last_size != len) {
		g->why = g->last_size != len && dest_is(&g->last, msg) ?
			 NETTOLL_FALLBACK_SIZE : NETTOLL_FALLBACK_DESTINATION;
		nettoll_pace_missed(&g->pace);
		return g->why;
	}
	*limit = nettoll_pace_plan(&g->pace, &bound, len, now, wait);
	return -1;
}

static void dest_note(struct nettoll_gather *g, const struct msghdr *msg)
{
	g->last.len = msg->msg_name ? msg->msg_namelen : 0;
	memcpy(g->last.name, msg->msg_name, g->last.len);
}

/* This send goes alone, and as many of the same kind as the pace says need not ask again. */
static void gather_let(struct nettoll_gather *g, const struct nettoll_coalesce_try *try,
		       const struct msghdr *msg)
{
	lockdep_assert_held(&g->lock);
	g->alone = try->rule->act.zerocopy == NETTOLL_ZEROCOPY_OFF ? try->rule : NULL;
	g->alone_gen = try->gen;
	g->alone_family = try->family;
	dest_note(g, msg);
}

/* The socket is not one to gather from. */
static void gather_refuse(struct nettoll_gather *g, const struct nettoll_coalesce_try *try,
			  const struct msghdr *msg, int why)
{
	spin_lock(&g->lock);
	g->why = why;
	nettoll_pace_refused(&g->pace);
	gather_let(g, try, msg);
	spin_unlock(&g->lock);
}

/* The send goes alone; what follows soon after it may be gathered. */
static void gather_note(struct nettoll_gather *g, const struct msghdr *msg, size_t len)
{
	lockdep_assert_held(&g->lock);
	g->pace.last = 0;
	dest_note(g, msg);
	g->last_size = len;
}

/**
 * nettoll_coalesce_send() - gather a datagram, or have all that was gathered leave
 * @try: the send
 * @msg: the datagram
 * @len: of it
 *
 * May sleep. Return: whether it was gathered; else it has to be sent and
 * nettoll_coalesce_sent() to be called.
 */
bool nettoll_coalesce_send(struct nettoll_coalesce_try *try, struct msghdr *msg, size_t len)
{
	struct nettoll_gather *g = nettoll_gather_of(try->ns);
	int why, err, tries;
	u32 limit = 0;
	u64 wait;

	try->began = 0;
	if (try->rule->act.datagrams < 2 || try->sk->sk_protocol != IPPROTO_UDP) {
		if (g)
			nettoll_gather_leave(g, try->sk, NETTOLL_LEFT_CALL);
		return false;
	}
	if (!g)
		g = nettoll_gather_make(try->ns);
	if (!g) {
		nettoll_rule_fallback(try->rule, NETTOLL_FALLBACK_NO_MEMORY);
		return false;
	}
	/* Not with the batch that waits, or it would have gone that way. */
	nettoll_gather_leave(g, try->sk, NETTOLL_LEFT_CALL);
	why = unfit(try->sk, msg, len);
	if (why >= 0) {
		nettoll_rule_fallback(try->rule, why);
		/* What the socket has set stays so until it sets something else. */
		if (msg_plain(try->sk, msg) && dest_fits(msg) &&
		    (why == NETTOLL_FALLBACK_OPTION || why == NETTOLL_FALLBACK_OWN))
			gather_refuse(g, try, msg, why);
		return false;
	}
	spin_lock(&g->lock);
	if (nettoll_pace_skips(&g->pace)) {
		why = g->why;
		gather_let(g, try, msg);
		spin_unlock(&g->lock);
		nettoll_rule_fallback(try->rule, why);
		return false;
	}
	try->began = ktime_get_ns();
	why = gather_plan(g, try->rule, msg, len, try->began, &limit, &wait);
	if (!limit)
		gather_note(g, msg, len);
	spin_unlock(&g->lock);
	if (limit && !gather_room(g, limit * len)) {
		why = NETTOLL_FALLBACK_NO_MEMORY;
		limit = 0;
	}
	for (tries = 0; limit && tries < 2; tries++) {
		spin_lock(&g->lock);
		err = gather_open(g, try, msg, len, limit, wait);
		spin_unlock(&g->lock);
		if (!err)
			return true;
		if (err != -EFAULT || fault_in_iov_iter_readable(&msg->msg_iter, len))
			break;
	}
	/* Another thread may have begun one. */
	nettoll_gather_leave(g, try->sk, NETTOLL_LEFT_CALL);
	if (why >= 0)
		nettoll_rule_fallback(try->rule, why);
	return false;
}

/**
 * nettoll_coalesce_sent() - a datagram was sent that was not gathered
 * @try: the send
 * @ret: what it returned
 */
void nettoll_coalesce_sent(const struct nettoll_coalesce_try *try, int ret)
{
	struct nettoll_gather *g = nettoll_gather_of(try->ns);

	if (!try->began || ret < 0)
		return;
	spin_lock(&g->lock);
	nettoll_pace_alone(&g->pace, try->began, ktime_get_ns());
	spin_unlock(&g->lock);
}
