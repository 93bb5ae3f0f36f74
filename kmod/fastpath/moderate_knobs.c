// SPDX-License-Identifier: GPL-2.0-only
/*
 * Taking, turning and giving back the interrupt moderation and the NAPI
 * deferral of a device. What another party has set meanwhile is left alone.
 */
#include <linux/dim.h>
#include <linux/netdevice.h>
#include <linux/pm_runtime.h>
#include <linux/rtnetlink.h>

#include "moderate_knobs.h"

/* Interrupts stay off after a poll with packets until so many polls found none. */
#define DEFER_POLLS	1

/* As ethtool itself does around every operation of a driver. */
static int ops_begin(struct net_device *dev)
{
	int err = 0;

	if (dev->dev.parent)
		pm_runtime_get_sync(dev->dev.parent);
	if (!netif_device_present(dev))
		err = -ENODEV;
	else if (dev->ethtool_ops->begin)
		err = dev->ethtool_ops->begin(dev);
	if (err && dev->dev.parent)
		pm_runtime_put(dev->dev.parent);
	return err;
}

static void ops_complete(struct net_device *dev)
{
	if (dev->ethtool_ops->complete)
		dev->ethtool_ops->complete(dev);
	if (dev->dev.parent)
		pm_runtime_put(dev->dev.parent);
}

static bool irq_equal(const struct nettoll_moderate_irq *a, const struct nettoll_moderate_irq *b)
{
	return a->usecs == b->usecs && a->frames == b->frames && a->adaptive == b->adaptive;
}

static int irq_read(struct net_device *dev, struct nettoll_moderate_irq *irq)
{
	struct kernel_ethtool_coalesce kernel = {};
	struct ethtool_coalesce c = { .cmd = ETHTOOL_GCOALESCE };
	int err = dev->ethtool_ops->get_coalesce(dev, &c, &kernel, NULL);

	irq->usecs = c.rx_coalesce_usecs;
	irq->frames = c.rx_max_coalesced_frames;
	irq->adaptive = c.use_adaptive_rx_coalesce;
	return err;
}

/* Only what we turn; what else there is stays as it is now. Then as the driver understood it. */
static int irq_write(struct net_device *dev, struct nettoll_moderate_irq *irq)
{
	u32 supported = dev->ethtool_ops->supported_coalesce_params;
	struct kernel_ethtool_coalesce kernel = {};
	struct ethtool_coalesce c = { .cmd = ETHTOOL_GCOALESCE };
	int err;

	err = dev->ethtool_ops->get_coalesce(dev, &c, &kernel, NULL);
	if (err)
		return err;
	c.cmd = ETHTOOL_SCOALESCE;
	c.rx_coalesce_usecs = irq->usecs;
	if (supported & ETHTOOL_COALESCE_RX_MAX_FRAMES)
		c.rx_max_coalesced_frames = irq->frames;
	if (supported & ETHTOOL_COALESCE_USE_ADAPTIVE_RX)
		c.use_adaptive_rx_coalesce = irq->adaptive;
	err = dev->ethtool_ops->set_coalesce(dev, &c, &kernel, NULL);
	return err ?: irq_read(dev, irq);
}

/* Drivers differ in what they take: with our frames, with those found, or no hold-off at all. */
static int irq_try(struct net_device *dev, struct nettoll_moderate_knobs *k, u32 usecs)
{
	const u32 most = net_dim_get_def_rx_moderation(DIM_CQ_PERIOD_MODE_START_FROM_EQE).pkts;
	bool frames = dev->ethtool_ops->supported_coalesce_params & ETHTOOL_COALESCE_RX_MAX_FRAMES;
	const struct nettoll_moderate_irq tries[] = {
		{ usecs, usecs ? most : 1 }, { usecs, k->irq_old.frames }, { 0, 1 },
		{ 0, k->irq_old.frames },
	};
	int i, err = -EINVAL;

	for (i = 0; i < ARRAY_SIZE(tries); i++) {
		struct nettoll_moderate_irq irq = tries[i];

		if (!frames)
			irq.frames = k->irq_old.frames;
		if (irq_equal(&irq, &k->irq))
			return 0;
		err = irq_write(dev, &irq);
		if (!err) {
			k->irq = irq;
			return 0;
		}
		if (err != -EINVAL && err != -ERANGE && err != -EOPNOTSUPP)
			break;
	}
	return err;
}

static bool irq_still_ours(struct net_device *dev, struct nettoll_moderate_knobs *k)
{
	struct nettoll_moderate_irq now;

	if (irq_read(dev, &now))
		return false;
	if (irq_equal(&now, &k->irq))
		return true;
	k->irq_foreign = true;
	return false;
}

static struct nettoll_moderate_defer defer_read(const struct net_device *dev)
{
	return (struct nettoll_moderate_defer) {
		READ_ONCE(dev->gro_flush_timeout), READ_ONCE(dev->napi_defer_hard_irqs),
	};
}

static void defer_write(struct net_device *dev, const struct nettoll_moderate_defer *d)
{
	WRITE_ONCE(dev->gro_flush_timeout, d->flush_ns);
	WRITE_ONCE(dev->napi_defer_hard_irqs, d->hard_irqs);
}

static bool defer_still_ours(struct net_device *dev, struct nettoll_moderate_knobs *k)
{
	struct nettoll_moderate_defer now = defer_read(dev);

	if (now.flush_ns != k->defer.flush_ns || now.hard_irqs != k->defer.hard_irqs)
		k->defer_foreign = true;
	return !k->defer_foreign;
}

/**
 * nettoll_moderate_check() - see whether another has set the values meanwhile
 * @dev: the device
 * @k: its values; irq_foreign and defer_foreign tell
 */
void nettoll_moderate_check(struct net_device *dev, struct nettoll_moderate_knobs *k)
{
	ASSERT_RTNL();
	defer_still_ours(dev, k);
	if (!k->irq_turned || k->irq_foreign || ops_begin(dev))
		return;
	irq_still_ours(dev, k);
	ops_complete(dev);
}

/**
 * nettoll_moderate_take() - remember a device's values
 * @dev: the device
 * @k: where
 */
void nettoll_moderate_take(struct net_device *dev, struct nettoll_moderate_knobs *k)
{
	const struct ethtool_ops *ops = dev->ethtool_ops;

	ASSERT_RTNL();
	memset(k, 0, sizeof(*k));
	k->defer_old = defer_read(dev);
	k->defer = k->defer_old;
	if (!ops || !ops->get_coalesce || !ops->set_coalesce ||
	    !(ops->supported_coalesce_params & ETHTOOL_COALESCE_RX_USECS) || ops_begin(dev))
		return;
	k->irq_turned = !irq_read(dev, &k->irq_old);
	k->irq = k->irq_old;
	ops_complete(dev);
}

/**
 * nettoll_moderate_turn() - let packets wait so long, or not at all
 * @dev: the device
 * @k: its values
 * @hold_ns: how long; 0: not at all
 *
 * The device waits before it interrupts, and after an interrupt the kernel polls
 * at this distance until there is nothing; a packet meets one of the two.
 */
void nettoll_moderate_turn(struct net_device *dev, struct nettoll_moderate_knobs *k, u32 hold_ns)
{
	struct nettoll_moderate_defer d = { hold_ns, hold_ns ? DEFER_POLLS : 0 };

	ASSERT_RTNL();
	if (defer_still_ours(dev, k)) {
		defer_write(dev, &d);
		k->defer = d;
	}
	if (!k->irq_turned || k->irq_foreign || k->irq_error || ops_begin(dev))
		return;
	if (irq_still_ours(dev, k)) {
		k->irq_error = irq_try(dev, k, hold_ns / NSEC_PER_USEC);
		/* Whatever it took in between shall not stay. */
		if (k->irq_error && !irq_equal(&k->irq, &k->irq_old)) {
			struct nettoll_moderate_irq old = k->irq_old;

			if (!irq_write(dev, &old))
				k->irq = old;
		}
	}
	ops_complete(dev);
}

/**
 * nettoll_moderate_give_back() - restore a device's values
 * @dev: the device
 * @k: its values; irq_foreign and defer_foreign say what another has set, and so stays
 */
void nettoll_moderate_give_back(struct net_device *dev, struct nettoll_moderate_knobs *k)
{
	struct nettoll_moderate_irq old = k->irq_old;
	int err;

	ASSERT_RTNL();
	if (defer_still_ours(dev, k)) {
		defer_write(dev, &k->defer_old);
		k->defer = k->defer_old;
	}
	if (!k->irq_turned || k->irq_foreign || irq_equal(&k->irq, &old) || ops_begin(dev))
		return;
	if (irq_still_ours(dev, k)) {
		err = irq_write(dev, &old);
		if (err)
			netdev_warn(dev, "nettoll: rx-usecs %u, rx-frames %u, adaptive-rx %s could not be restored (error %d)\n",
				    k->irq_old.usecs, k->irq_old.frames,
				    k->irq_old.adaptive ? "on" : "off", err);
		else
			k->irq = k->irq_old;
	}
	ops_complete(dev);
}
