// SPDX-License-Identifier: GPL-2.0-only
/*
 * Batches leave: when their time has come, before anything else happens to the
 * socket, and when the rules change.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <net/sock.h>

#include "coalesce.h"

#define WORKERS_MOST	4
/* Who gathers no more until the timer comes does not keep the memory. */
#define FEW		8

/* See coalesce.h. Under the lock of the rules, as is who does the work of timers. */
int nettoll_coalescers;
static struct kthread_worker *workers[WORKERS_MOST];
static unsigned int n_workers;

/* What the socket holds of its send buffer with the batch, it holds no more. */
static void load_release(struct nettoll_load *load)
{
	WARN_ON_ONCE(refcount_sub_and_test(load->b.bytes, &load->sk->sk_wmem_alloc));
}

/* Take the batch out, if there is one. Its timer finds nothing then, if it cannot be stopped. */
static bool gather_take(struct nettoll_gather *g, struct nettoll_load *load, enum nettoll_left left,
			u64 now)
{
	bool ours;

	spin_lock(&g->lock);
	if (!g->cur.b.n || (left == NETTOLL_LEFT_TIMER && now < g->cur.due)) {
		spin_unlock(&g->lock);
		return false;
	}
	*load = g->cur;
	g->cur.b.n = 0;
	if (left == NETTOLL_LEFT_TIMER)
		nettoll_pace_woken(&g->pace, now - load->due);
	ours = hrtimer_try_to_cancel(&g->timer) == 1;
	spin_unlock(&g->lock);
	if (ours)
		nettoll_sock_put(g->ns);
	load_release(load);
	return true;
}

static void load_count(const struct nettoll_load *load, int refused)
{
	struct nettoll_rule_count __percpu *count = load->rule->count;

	this_cpu_add(count->sends, load->b.n);
	this_cpu_add(count->bytes, load->b.bytes);
	if (refused >= 0) {
		this_cpu_add(count->fallback[refused], load->b.n);
	} else if (load->b.n > 1) {
		this_cpu_add(count->coalesced, load->b.n);
		this_cpu_inc(count->batches);
	}
}

static void load_put(struct nettoll_load *load)
{
	put_page(load->page);
	nettoll_rule_put(load->rule);
	sock_put(load->sk);
}

/**
 * nettoll_gather_flush() - have the batch leave, and wait for one that is leaving
 * @g: of the socket
 * @left: why
 *
 * May sleep. Return: what the protocol said, for the call that completed the
 * batch to say it.
 */
int nettoll_gather_flush(struct nettoll_gather *g, enum nettoll_left left)
{
	struct nettoll_load load;
	int err, refused = -1;
	u64 began, ended;

	mutex_lock(&g->leave);
	began = ktime_get_ns();
	if (!gather_take(g, &load, left, began)) {
		mutex_unlock(&g->leave);
		return 0;
	}
	err = nettoll_load_send(&load, &refused);
	ended = ktime_get_ns();
	if (err)
		/* What was waited for may be free, and no packet is there to tell. */
		load.sk->sk_write_space(load.sk);
	load_count(&load, refused);
	spin_lock(&g->lock);
	if (refused >= 0) {
		g->why = refused;
		nettoll_pace_refused(&g->pace);
	} else {
		/* If it was too small to pay, the next few go alone. */
		g->why = NETTOLL_FALLBACK_SLOWER;
		nettoll_pace_left(&g->pace, load.b.n, began - load.opened, ended - began);
	}
	if (left == NETTOLL_LEFT_TIMER && load.b.n < FEW && !g->cur.b.n && g->page) {
		/* It may be a while until there is more to gather. */
		put_page(g->page);
		g->page = NULL;
	}
	spin_unlock(&g->lock);
	load_put(&load);
	mutex_unlock(&g->leave);
	return err;
}

/**
 * nettoll_gather_leave() - have the batch leave if there is one
 * @g: of the socket
 * @sk: the socket
 * @left: why
 *
 * An error waits for the next call to return it, as one from an ICMP message
 * does. May sleep.
 */
void nettoll_gather_leave(struct nettoll_gather *g, struct sock *sk, enum nettoll_left left)
{
	int err;

	/* Whoever took the batch out holds the mutex by then. */
	if (!READ_ONCE(g->cur.b.n)) {
		/* Pairs with the lock under which it was taken out. */
		smp_rmb();
		if (!mutex_is_locked(&g->leave))
			return;
	}
	err = nettoll_gather_flush(g, left);
	if (!err || left == NETTOLL_LEFT_END)
		return;
	WRITE_ONCE(sk->sk_err, -err);
	sk_error_report(sk);
}

static enum hrtimer_restart gather_timer(struct hrtimer *timer)
{
	struct nettoll_gather *g = container_of(timer, struct nettoll_gather, timer);

	/* The reference goes along. */
	if (!kthread_queue_work(g->worker, &g->work))
		nettoll_sock_put(g->ns);
	return HRTIMER_NORESTART;
}

static void gather_work(struct kthread_work *work)
{
	struct nettoll_gather *g = container_of(work, struct nettoll_gather, work);
	struct sock *sk = NULL;

	spin_lock(&g->lock);
	if (g->cur.b.n) {
		sk = g->cur.sk;
		sock_hold(sk);
	}
	spin_unlock(&g->lock);
	if (sk) {
		nettoll_gather_leave(g, sk, NETTOLL_LEFT_TIMER);
		sock_put(sk);
	}
	nettoll_sock_put(g->ns);
}

/*
 * From now on, a send of the socket that no rule is for may have to wait for
 * others of it, and must not be known as quiet. The part of @ns has been set.
 */
static void quiets_forget(const struct nettoll_sock *ns)
{
	struct nettoll_quiet *q;
	int cpu;

	for_each_possible_cpu(cpu) {
		q = per_cpu_ptr(nettoll_quiets, cpu) + ns->cookie % NETTOLL_QUIETS;
		/* Should another socket's entry take its place just now, it will be made again. */
		if (READ_ONCE(q->cookie) == ns->cookie)
			WRITE_ONCE(q->cookie, 0);
	}
}

/**
 * nettoll_coalesce_may_wait() - whether datagrams of a socket may be waiting
 * @sk: the socket
 *
 * A send to a peer that no rule is for then has them leave first.
 */
bool nettoll_coalesce_may_wait(const struct sock *sk)
{
	struct nettoll_sock *ns;
	bool may;

	if (!READ_ONCE(nettoll_coalescers))
		return false;
	rcu_read_lock();
	ns = nettoll_sock_find_rcu(sk);
	may = ns && nettoll_gather_of(ns);
	rcu_read_unlock();
	return may;
}

/** nettoll_gather_make() - the first time that a rule has a socket's datagrams gathered */
struct nettoll_gather *nettoll_gather_make(struct nettoll_sock *ns)
{
	struct nettoll_gather *g = kzalloc(sizeof(*g), GFP_KERNEL_ACCOUNT), *other;

	if (!g)
		return NULL;
	g->ns = ns;
	mutex_init(&g->leave);
	spin_lock_init(&g->lock);
	nettoll_pace_init(&g->pace);
	hrtimer_init(&g->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	g->timer.function = gather_timer;
	kthread_init_work(&g->work, gather_work);
	g->worker = workers[ns->cookie % n_workers];
	/* Fully ordered, as quiets_forget() needs it. */
	other = cmpxchg(&ns->part[NETTOLL_PART_GATHER], NULL, g);
	if (other) {
		kfree(g);
		return other;
	}
	quiets_forget(ns);
	return g;
}

/** nettoll_coalesce_free() - the last reference to a socket's knowledge is gone */
void nettoll_coalesce_free(void *part)
{
	struct nettoll_gather *g = part;

	if (!g)
		return;
	if (g->page)
		put_page(g->page);
	kfree(g);
}

/**
 * nettoll_coalesce_flush() - have what is gathered leave
 * @sk: the socket, of which something is to change
 * @left: why
 *
 * May sleep.
 */
void nettoll_coalesce_flush(struct sock *sk, enum nettoll_left left)
{
	struct nettoll_gather *g;
	struct nettoll_sock *ns;

	rcu_read_lock();
	ns = nettoll_sock_find_rcu(sk);
	if (ns && (!nettoll_gather_of(ns) || !refcount_inc_not_zero(&ns->ref)))
		ns = NULL;
	rcu_read_unlock();
	if (!ns)
		return;
	g = nettoll_gather_of(ns);
	/* The next send may be for another rule, and what was refused may not be any more. */
	spin_lock(&g->lock);
	g->alone = NULL;
	nettoll_pace_again(&g->pace);
	spin_unlock(&g->lock);
	nettoll_gather_leave(g, sk, left);
	nettoll_sock_put(ns);
}

static bool sock_waits(const struct nettoll_sock *ns)
{
	const struct nettoll_gather *g = nettoll_gather_of(ns);

	return g && READ_ONCE(g->cur.b.n);
}

static void sock_settle(struct nettoll_sock *ns)
{
	struct nettoll_gather *g = nettoll_gather_of(ns);
	struct sock *sk = NULL;

	spin_lock(&g->lock);
	if (g->cur.b.n) {
		sk = g->cur.sk;
		sock_hold(sk);
	}
	spin_unlock(&g->lock);
	if (!sk)
		return;
	nettoll_gather_leave(g, sk, NETTOLL_LEFT_CALL);
	sock_put(sk);
}

/**
 * nettoll_coalesce_settle() - the rules have changed, and all batches leave
 *
 * None that an older rule began is left when it returns. May sleep.
 */
void nettoll_coalesce_settle(void)
{
	lockdep_assert_held(&nettoll_rules_lock);
	nettoll_socks_each(sock_waits, sock_settle);
}

/**
 * nettoll_coalesce_start() - the rules of one more namespace coalesce
 *
 * Return: 0 or a negative errno.
 */
int nettoll_coalesce_start(void)
{
	lockdep_assert_held(&nettoll_rules_lock);
	while (n_workers < min_t(unsigned int, num_possible_cpus(), WORKERS_MOST)) {
		struct kthread_worker *worker;

		worker = kthread_create_worker(0, "nettoll/%u", n_workers);
		if (IS_ERR(worker)) {
			/* One does. */
			if (n_workers)
				break;
			return PTR_ERR(worker);
		}
		/* What the timer wakes must not wait behind the program that fills the batch. */
		sched_set_fifo_low(worker->task);
		workers[n_workers++] = worker;
	}
	WRITE_ONCE(nettoll_coalescers, nettoll_coalescers + 1);
	return 0;
}

/** nettoll_coalesce_stop() - those of one namespace less do */
void nettoll_coalesce_stop(void)
{
	lockdep_assert_held(&nettoll_rules_lock);
	WRITE_ONCE(nettoll_coalescers, nettoll_coalescers - 1);
}

/** nettoll_coalesce_exit() - after all rules are gone, and whoever was in a front */
void nettoll_coalesce_exit(void)
{
	/* A timer that could not be stopped any more has come to its end. */
	synchronize_rcu();
	while (n_workers)
		kthread_destroy_worker(workers[--n_workers]);
}
