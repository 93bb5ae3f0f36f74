// SPDX-License-Identifier: GPL-2.0-only
/*
 * A probe of the kernel's tracepoint at the end of each poll, while a device is
 * watched. It costs some hundred cycles a poll of a watched device, nothing a
 * packet, and nothing at all while there is none.
 */
#include <linux/hashtable.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <trace/events/napi.h>

#include "moderate.h"
#include "moderate_poll.h"

/* A decision takes RTNL, so not more often than this. */
#define DECIDE_NS	NSEC_PER_MSEC

/* Changed under RTNL, read under RCU. */
static DEFINE_HASHTABLE(watched, 4);

static DEFINE_MUTEX(probe_lock);
static unsigned int probe_users;

static struct nettoll_moderate_polls *find(const struct net_device *dev)
{
	struct nettoll_moderate_polls *p;

	hash_for_each_possible_rcu(watched, p, node, (unsigned long)dev)
		if (p->dev == dev)
			return p;
	return NULL;
}

/* The slot of an instance, taken when it is first seen; NULL when there is none left. */
static struct nettoll_moderate_napi *slot(struct nettoll_moderate_polls *p,
					  const struct napi_struct *n)
{
	unsigned int i, at = hash_ptr(n, 16);
	const struct napi_struct *old;

	for (i = 0; i < p->napis; i++) {
		struct nettoll_moderate_napi *s = &p->napi[(at + i) & (p->napis - 1)];

		old = READ_ONCE(s->napi);
		if (!old)
			old = cmpxchg(&s->napi, NULL, n);
		if (!old || old == n)
			return s;
	}
	return NULL;
}

static void count_packets(const struct nettoll_moderate_polls *p, struct nettoll_moderate_napi *s,
			  u64 now, unsigned int packets)
{
	u64 wait = READ_ONCE(p->irq_wait_ns), late;

	s->packets += packets;
	if (s->armed_ns) {
		wait = now - s->base_ns;
		late = wait - min_t(u64, wait, s->armed_ns);
		s->excess.count[nettoll_hist_bucket(late)] += packets;
	}
	s->waits.count[nettoll_hist_bucket(wait)] += packets;
}

/* At the end of each poll, with softirqs off. */
static void poll_probe(void *data, struct napi_struct *n, int work, int budget)
{
	struct nettoll_moderate_polls *p;
	struct nettoll_moderate_napi *s;
	u64 now;

	rcu_read_lock();
	p = n->dev ? find(n->dev) : NULL;
	s = p && budget ? slot(p, n) : NULL;
	if (!s)
		goto unlock;
	now = ktime_get_ns();
	s->polls++;
	if (!s->within) {
		s->rounds++;
		s->timers += !!s->armed_ns;
	}
	if (work > 0)
		count_packets(p, s, now, work);
	s->within = work >= budget;
	if (!s->within) {
		s->base_ns = now;
		s->armed_ns = hrtimer_is_queued(&n->timer) ?
			      READ_ONCE(n->dev->gro_flush_timeout) : 0;
	}
	if (s->rounds - s->asked >= NETTOLL_MODERATE_EVENTS &&
	    now - READ_ONCE(p->asked_ns) >= DECIDE_NS) {
		s->asked = s->rounds;
		WRITE_ONCE(p->asked_ns, now);
		mod_delayed_work(p->queue, p->decide, 0);
	}
unlock:
	rcu_read_unlock();
}

/**
 * nettoll_moderate_probe_get() - begin to probe, or go on for one user more
 *
 * Not under RTNL: it patches the kernel.
 *
 * Return: 0 or a negative errno.
 */
int nettoll_moderate_probe_get(void)
{
	int err = 0;

	mutex_lock(&probe_lock);
	if (!probe_users)
		err = register_trace_napi_poll(poll_probe, NULL);
	if (!err)
		probe_users++;
	mutex_unlock(&probe_lock);
	return err;
}

/** nettoll_moderate_probe_put() - the mirror; the last one waits until no probe runs */
void nettoll_moderate_probe_put(void)
{
	mutex_lock(&probe_lock);
	if (!--probe_users) {
		unregister_trace_napi_poll(poll_probe, NULL);
		tracepoint_synchronize_unregister();
	}
	mutex_unlock(&probe_lock);
}

/**
 * nettoll_moderate_watch() - begin to count the polls of a device
 * @dev: the device, with at least one NAPI instance
 * @decide: queued whenever there is enough for a decision
 * @queue: where
 *
 * Return: the counters, NULL without memory.
 */
struct nettoll_moderate_polls *nettoll_moderate_watch(const struct net_device *dev,
						      struct delayed_work *decide,
						      struct workqueue_struct *queue)
{
	struct nettoll_moderate_polls *p;
	unsigned int napis = 0;
	struct list_head *pos;

	ASSERT_RTNL();
	list_for_each(pos, &dev->napi_list)
		napis++;
	/* Twice as many: queues may be added, and those removed keep their slots. */
	napis = roundup_pow_of_two(2 * napis + 2);
	p = kvzalloc(struct_size(p, napi, napis), GFP_KERNEL_ACCOUNT);
	if (!p)
		return NULL;
	p->dev = dev;
	p->decide = decide;
	p->queue = queue;
	p->napis = napis;
	hash_add_rcu(watched, &p->node, (unsigned long)dev);
	return p;
}

/**
 * nettoll_moderate_unwatch() - count no more, from the next grace period on
 * @p: the counters; to be freed by kvfree() after it
 */
void nettoll_moderate_unwatch(struct nettoll_moderate_polls *p)
{
	ASSERT_RTNL();
	hash_del_rcu(&p->node);
}

static void add(struct nettoll_hist *sum, const struct nettoll_hist *h)
{
	unsigned int i;

	for (i = 0; sum && i < NETTOLL_HIST_BUCKETS; i++)
		sum->count[i] += READ_ONCE(h->count[i]);
}

/**
 * nettoll_moderate_sum() - add the counters of all instances up
 * @p: the counters
 * @sum: of the rounds, polls and packets
 * @waits: NULL, or of that histogram
 * @excess: NULL, or of that
 */
void nettoll_moderate_sum(const struct nettoll_moderate_polls *p, struct nettoll_moderate_sum *sum,
			  struct nettoll_hist *waits, struct nettoll_hist *excess)
{
	unsigned int i;

	memset(sum, 0, sizeof(*sum));
	if (waits)
		memset(waits, 0, sizeof(*waits));
	if (excess)
		memset(excess, 0, sizeof(*excess));
	for (i = 0; i < p->napis; i++) {
		const struct nettoll_moderate_napi *s = &p->napi[i];

		if (!READ_ONCE(s->napi))
			continue;
		sum->polls += READ_ONCE(s->polls);
		sum->rounds += READ_ONCE(s->rounds);
		sum->timers += READ_ONCE(s->timers);
		sum->packets += READ_ONCE(s->packets);
		add(waits, &s->waits);
		add(excess, &s->excess);
	}
}
