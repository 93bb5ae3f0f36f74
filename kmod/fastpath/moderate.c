// SPDX-License-Identifier: GPL-2.0-only
/*
 * The receive coalescing controllers: beginning and ending one, what it decides
 * by, and every way in which a device goes from under it.
 */
#include <linux/dim.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>

#include "moderate.h"
#include "moderate_priv.h"

/* While there is traffic, a look at it at least this often. */
#define TICK	(HZ / 10 ?: 1)

static LIST_HEAD(controllers);
/* Also guards the list, and whose socket is whose, for the notifier that cannot take RTNL. */
static DEFINE_SPINLOCK(owner_lock);
static unsigned int generation;
static struct workqueue_struct *queue;
static void (*listener)(const struct nettoll_moderate_event *e);

static struct controller *controller_of(const struct net_device *dev)
{
	struct controller *c;

	ASSERT_RTNL();
	list_for_each_entry(c, &controllers, list)
		if (c->dev == dev)
			return c;
	return NULL;
}

static void tell(const struct controller *c, unsigned int change, u32 pid)
{
	const struct nettoll_moderate_event e = {
		c->net, c->dev->name, change, pid, c->knobs.irq_foreign || c->knobs.defer_foreign,
	};

	generation++;
	if (listener)
		listener(&e);
}

static u64 drops(const struct rtnl_link_stats64 *s)
{
	return s->rx_missed_errors + s->rx_over_errors + s->rx_fifo_errors;
}

/* Applies what net_dim's level and the bound come to. */
static void turn(struct controller *c)
{
	u32 bound = nettoll_moderate_bound_ns(&c->bound), hold = 0;

	if (!c->idle && !c->pause.left)
		hold = nettoll_moderate_hold_ns(bound, c->dim.profile_ix);
	if (!nettoll_moderate_worth(c->hold_ns, hold, bound))
		return;
	nettoll_moderate_turn(c->dev, &c->knobs, hold);
	c->hold_ns = hold;
	c->turns++;
	WRITE_ONCE(c->polls->irq_wait_ns, c->knobs.irq_turned ?
		   min_t(u64, c->knobs.irq.usecs * 1000ULL, U32_MAX) : 0);
}

/* From the top: the bound takes care of latency, and down there net_dim would not look up. */
static void dim_restart(struct controller *c)
{
	memset(&c->dim.prev_stats, 0, sizeof(c->dim.prev_stats));
	c->dim.state = DIM_START_MEASURE;
	c->dim.tune_state = DIM_PARKING_ON_TOP;
	c->dim.profile_ix = NETTOLL_MODERATE_TOP;
	c->dim.steps_left = 0;
	c->dim.steps_right = 0;
	c->dim.tired = 0;
}

static void look(struct controller *c)
{
	struct nettoll_moderate_window *w = &c->window;
	struct rtnl_link_stats64 stats;
	struct nettoll_moderate_sum sum;
	u64 now = ktime_get_ns();
	unsigned int i;

	dev_get_stats(c->dev, &stats);
	nettoll_moderate_sum(c->polls, &sum, NULL, &w->excess);
	for (i = 0; i < NETTOLL_HIST_BUCKETS; i++) {
		u64 all = w->excess.count[i];

		w->excess.count[i] -= c->excess.count[i];
		c->excess.count[i] = all;
	}
	w->ns = now - c->at.ns;
	w->events = sum.rounds - c->at.rounds;
	w->packets = sum.packets - c->at.packets;
	w->bytes = stats.rx_bytes - c->at.stats.rx_bytes;
	w->drops = drops(&stats) - drops(&c->at.stats);
	if (w->packets >= NETTOLL_MODERATE_EVENTS && !w->bytes)
		c->no_bytes = true;
	if (c->no_bytes)
		w->bytes = w->packets;
	c->at.ns = now;
	c->at.rounds = sum.rounds;
	c->at.packets = sum.packets;
	c->at.stats = stats;
}

static void ask_dim(struct controller *c)
{
	struct dim_sample sample = {};

	nettoll_moderate_clock_advance(&c->clock, &c->window);
	sample.time = ns_to_ktime(c->clock.ns);
	sample.pkt_ctr = c->clock.packets;
	sample.byte_ctr = c->clock.bytes;
	sample.event_ctr = c->clock.events;
	net_dim(&c->dim, sample);
}

static void end(struct controller *c, unsigned int change, u32 pid);

static void decide(struct work_struct *work)
{
	struct controller *c = container_of(to_delayed_work(work), struct controller, decide);
	bool was;

	rtnl_lock();
	if (!c->dev)
		goto unlock;
	if (READ_ONCE(c->owner_gone)) {
		end(c, NETTOLL_COALESCE_CHANGE_OWNER, 0);
		goto unlock;
	}
	look(c);
	nettoll_moderate_bound_update(&c->bound, &c->window);
	was = c->idle || c->pause.left;
	c->idle = nettoll_moderate_is_idle(&c->window);
	if (!c->idle && c->window.events >= NETTOLL_MODERATE_EVENTS) {
		if (!nettoll_moderate_pause(&c->pause, c->hold_ns, &c->window) && !was)
			ask_dim(c);
	}
	/* What net_dim knew is of another time. */
	if (was && !c->idle && !c->pause.left)
		dim_restart(c);
	turn(c);
	/* When nothing happens, nobody looks until something does. */
	if (!c->idle)
		queue_delayed_work(queue, &c->decide, TICK);
unlock:
	rtnl_unlock();
}

/* net_dim has chosen another level. */
static void apply(struct work_struct *work)
{
	struct controller *c = container_of(work, struct controller, dim.work);

	rtnl_lock();
	if (c->dev)
		turn(c);
	c->dim.state = DIM_START_MEASURE;
	rtnl_unlock();
}

static void reap(struct work_struct *work)
{
	struct controller *c = container_of(work, struct controller, reap);

	/* Probes that still see it may queue a decision until then. */
	synchronize_rcu();
	cancel_delayed_work_sync(&c->decide);
	cancel_work_sync(&c->dim.work);
	kvfree(c->polls);
	kfree(c);
	nettoll_moderate_probe_put();
}

static void end(struct controller *c, unsigned int change, u32 pid)
{
	ASSERT_RTNL();
	nettoll_moderate_give_back(c->dev, &c->knobs);
	if (c->knobs.irq_foreign)
		netdev_notice(c->dev, "nettoll: rx-usecs were set by another meanwhile and stay\n");
	if (c->knobs.defer_foreign)
		netdev_notice(c->dev, "nettoll: napi_defer_hard_irqs and gro_flush_timeout were set by another meanwhile and stay\n");
	tell(c, change, pid);
	nettoll_moderate_unwatch(c->polls);
	spin_lock(&owner_lock);
	list_del(&c->list);
	spin_unlock(&owner_lock);
	c->dev = NULL;
	queue_work(queue, &c->reap);
}

static int begin(struct net_device *dev, const struct nettoll_moderate_request *req)
{
	struct controller *c;
	int err;

	c = kzalloc(sizeof(*c), GFP_KERNEL_ACCOUNT);
	if (!c)
		return -ENOMEM;
	INIT_DEFERRABLE_WORK(&c->decide, decide);
	INIT_WORK(&c->dim.work, apply);
	INIT_WORK(&c->reap, reap);
	c->polls = nettoll_moderate_watch(dev, &c->decide, queue);
	if (!c->polls) {
		err = -ENOMEM;
		goto err_free;
	}
	c->dev = dev;
	c->net = dev_net(dev);
	c->request = *req;
	c->idle = true;
	c->since_ns = ktime_get_ns();
	nettoll_moderate_bound_init(&c->bound, req->target_ns);
	nettoll_moderate_take(dev, &c->knobs);
	dev_get_stats(dev, &c->base);
	c->at.ns = c->since_ns;
	c->at.stats = c->base;
	/* Without traffic nothing waits, whatever was found. */
	nettoll_moderate_turn(dev, &c->knobs, 0);
	spin_lock(&owner_lock);
	list_add_tail(&c->list, &controllers);
	spin_unlock(&owner_lock);
	tell(c, NETTOLL_COALESCE_CHANGE_STARTED, req->pid);
	return 0;

err_free:
	kfree(c);
	return err;
}

/**
 * nettoll_moderate_set() - moderate a device, or change what it is moderated for
 * @dev: the device
 * @req: what is asked
 * @extack: why not
 *
 * The caller has called nettoll_moderate_probe_get(); a controller that begins
 * takes that over.
 *
 * Return: 1 for one that began, 0 for one that was changed, or a negative errno.
 */
int nettoll_moderate_set(struct net_device *dev, const struct nettoll_moderate_request *req,
			 struct netlink_ext_ack *extack)
{
	struct controller *c = controller_of(dev);
	int err;

	if (c && READ_ONCE(c->owner_gone)) {
		end(c, NETTOLL_COALESCE_CHANGE_OWNER, 0);
		c = NULL;
	}
	if (!c) {
		if (!netif_running(dev)) {
			NL_SET_ERR_MSG(extack, "the device is down; set it up first (ip link set DEVICE up)");
			return -ENETDOWN;
		}
		if (list_empty(&dev->napi_list)) {
			NL_SET_ERR_MSG(extack, "the device is not polled by NAPI, so there is nothing to coalesce; name the network card below it");
			return -EOPNOTSUPP;
		}
		err = begin(dev, req);
		return err ?: 1;
	}
	if (c->request.portid && c->request.portid != req->portid) {
		NL_SET_ERR_MSG(extack, "another process moderates the device for as long as it runs; wait for it, or switch it off");
		return -EBUSY;
	}
	spin_lock(&owner_lock);
	c->request = *req;
	spin_unlock(&owner_lock);
	nettoll_moderate_bound_init(&c->bound, req->target_ns);
	c->pause = (struct nettoll_moderate_pause) {};
	dim_restart(c);
	turn(c);
	tell(c, NETTOLL_COALESCE_CHANGE_CHANGED, req->pid);
	return 0;
}

static void read_controller(struct controller *c, struct nettoll_moderate_reading *r)
{
	struct nettoll_moderate_sum sum;
	struct rtnl_link_stats64 stats;

	nettoll_moderate_check(c->dev, &c->knobs);
	dev_get_stats(c->dev, &stats);
	nettoll_moderate_sum(c->polls, &sum, &r->waits, NULL);
	strscpy(r->device, c->dev->name, sizeof(r->device));
	r->ifindex = c->dev->ifindex;
	r->request = c->request;
	r->knobs = c->knobs;
	r->hold_ns = c->hold_ns;
	r->bound_ns = nettoll_moderate_bound_ns(&c->bound);
	r->slack_ns = c->bound.slack_ns;
	r->level = c->dim.profile_ix;
	r->idle = c->idle;
	r->time_ns = ktime_get_ns();
	r->since_ns = c->since_ns;
	r->interrupts = sum.rounds - sum.timers;
	r->timers = sum.timers;
	r->polls = sum.polls;
	r->packets = stats.rx_packets - c->base.rx_packets;
	r->bytes = stats.rx_bytes - c->base.rx_bytes;
	r->drops = drops(&stats) - drops(&c->base);
	r->turns = c->turns;
}

/**
 * nettoll_moderate_end() - stop to moderate a device, and give its values back
 * @dev: the device
 * @change: why, enum nettoll_coalesce_change
 * @pid: who asked; 0: the module itself
 * @last: NULL, or where the last reading goes
 *
 * Return: 0, or -ENOENT if it is not moderated.
 */
int nettoll_moderate_end(struct net_device *dev, unsigned int change, u32 pid,
			 struct nettoll_moderate_reading *last)
{
	struct controller *c = controller_of(dev);

	if (!c)
		return -ENOENT;
	if (last)
		read_controller(c, last);
	end(c, change, pid);
	return 0;
}

/**
 * nettoll_moderate_read() - what the controller of a device does
 * @dev: the device
 * @r: where it goes
 *
 * Return: 0, or -ENOENT if it is not moderated.
 */
int nettoll_moderate_read(struct net_device *dev, struct nettoll_moderate_reading *r)
{
	struct controller *c = controller_of(dev);

	if (!c)
		return -ENOENT;
	read_controller(c, r);
	return 0;
}

/**
 * nettoll_moderate_device() - the devices of a namespace that are moderated
 * @net: the namespace
 * @nth: which of them, from 0
 *
 * Return: the device, or NULL behind the last one.
 */
struct net_device *nettoll_moderate_device(struct net *net, unsigned int nth)
{
	struct controller *c;

	ASSERT_RTNL();
	list_for_each_entry(c, &controllers, list)
		if (net_eq(c->net, net) && !nth--)
			return c->dev;
	return NULL;
}

/** nettoll_moderate_generation() - changes with every controller that begins, ends or is changed */
unsigned int nettoll_moderate_generation(void)
{
	return generation;
}

/**
 * nettoll_moderate_listen() - who is told of changes, under RTNL
 * @fn: that; NULL: nobody
 */
void nettoll_moderate_listen(void (*fn)(const struct nettoll_moderate_event *e))
{
	rtnl_lock();
	listener = fn;
	rtnl_unlock();
}

/* The device is still there and up when it is about to go down. */
static int device_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);

	if (event == NETDEV_GOING_DOWN)
		nettoll_moderate_end(dev, NETTOLL_COALESCE_CHANGE_DOWN, 0, NULL);
	else if (event == NETDEV_UNREGISTER)
		nettoll_moderate_end(dev, NETTOLL_COALESCE_CHANGE_GONE, 0, NULL);
	return NOTIFY_DONE;
}

static struct notifier_block device_notifier = { .notifier_call = device_event };

/* Who closes a socket may hold RTNL, so a work ends what was bound to it. */
static int socket_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	const struct netlink_notify *n = ptr;
	struct controller *c;

	if (event != NETLINK_URELEASE || n->protocol != NETLINK_GENERIC)
		return NOTIFY_DONE;
	spin_lock(&owner_lock);
	list_for_each_entry(c, &controllers, list) {
		if (!c->request.portid || c->request.portid != n->portid || !net_eq(c->net, n->net))
			continue;
		WRITE_ONCE(c->owner_gone, true);
		mod_delayed_work(queue, &c->decide, 0);
	}
	spin_unlock(&owner_lock);
	return NOTIFY_DONE;
}

static struct notifier_block socket_notifier = { .notifier_call = socket_event };

/** nettoll_moderate_init() - ready to moderate; 0 or a negative errno */
int nettoll_moderate_init(void)
{
	int err;

	queue = alloc_workqueue("nettoll_coalesce", WQ_UNBOUND, 0);
	if (!queue)
		return -ENOMEM;
	err = register_netdevice_notifier(&device_notifier);
	if (err)
		goto err_queue;
	err = netlink_register_notifier(&socket_notifier);
	if (err)
		goto err_device;
	return 0;

err_device:
	unregister_netdevice_notifier(&device_notifier);
err_queue:
	destroy_workqueue(queue);
	return err;
}

/** nettoll_moderate_exit() - give every device its values back, when nobody can ask any more */
void nettoll_moderate_exit(void)
{
	struct controller *c, *next;

	netlink_unregister_notifier(&socket_notifier);
	rtnl_lock();
	list_for_each_entry_safe(c, next, &controllers, list)
		end(c, NETTOLL_COALESCE_CHANGE_STOPPED, 0);
	rtnl_unlock();
	unregister_netdevice_notifier(&device_notifier);
	/* Waits for those that are being reaped. */
	destroy_workqueue(queue);
}
