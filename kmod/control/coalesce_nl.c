// SPDX-License-Identifier: GPL-2.0-only
/*
 * The netlink requests about receive coalescing. They belong to the network
 * namespace of the socket, and so does the privilege to change something.
 */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/sched.h>
#include <net/sock.h>

#include "../compat/genl.h"
#include "../fastpath/moderate.h"
#include "dump.h"
#include "netlink_gen.h"

static int may_change(struct sk_buff *skb, struct genl_info *info)
{
	if (netlink_ns_capable(skb, genl_info_net(info)->user_ns, CAP_NET_ADMIN))
		return 0;
	NL_SET_ERR_MSG(info->extack, "needs CAP_NET_ADMIN in the network namespace; ask as root");
	return -EPERM;
}

/* The device that a request names, by number or name. */
static struct net_device *device_of(struct genl_info *info)
{
	struct nlattr *index = info->attrs[NETTOLL_A_COALESCE_IFINDEX];
	struct nlattr *name = info->attrs[NETTOLL_A_COALESCE_DEVICE];
	struct net *net = genl_info_net(info);
	struct net_device *dev;

	ASSERT_RTNL();
	if (!index && !name) {
		NL_SET_ERR_MSG(info->extack, "the request names no device");
		return ERR_PTR(-EINVAL);
	}
	dev = index ? __dev_get_by_index(net, nla_get_u32(index))
		    : __dev_get_by_name(net, nla_data(name));
	if (dev && index && name && strcmp(dev->name, nla_data(name)))
		dev = NULL;
	if (dev)
		return dev;
	NL_SET_ERR_MSG_ATTR(info->extack, index ?: name, "no such device in this network namespace");
	return ERR_PTR(-ENODEV);
}

static int put_u64(struct sk_buff *msg, int attr, u64 value)
{
	return nla_put_u64_64bit(msg, attr, value, NETTOLL_A_COALESCE_PAD);
}

static int put_flag(struct sk_buff *msg, int attr, bool value)
{
	return value ? nla_put_flag(msg, attr) : 0;
}

static int put_knobs(struct sk_buff *msg, const struct nettoll_moderate_knobs *k)
{
	int err = 0;

	if (k->irq_turned)
		err = (k->irq_error || k->irq_foreign ? 0 :
		       nla_put_u32(msg, NETTOLL_A_COALESCE_RX_USECS, k->irq.usecs)) ?:
		      nla_put_u32(msg, NETTOLL_A_COALESCE_RX_USECS_OLD, k->irq_old.usecs) ?:
		      nla_put_u32(msg, NETTOLL_A_COALESCE_RX_FRAMES_OLD, k->irq_old.frames) ?:
		      nla_put_u32(msg, NETTOLL_A_COALESCE_ADAPTIVE_RX_OLD, k->irq_old.adaptive);
	return err ?:
	       put_u64(msg, NETTOLL_A_COALESCE_FLUSH_NS_OLD, k->defer_old.flush_ns) ?:
	       nla_put_u32(msg, NETTOLL_A_COALESCE_HARD_IRQS_OLD, k->defer_old.hard_irqs) ?:
	       put_flag(msg, NETTOLL_A_COALESCE_IRQ_LEFT, k->irq_foreign) ?:
	       put_flag(msg, NETTOLL_A_COALESCE_DEFER_LEFT, k->defer_foreign) ?:
	       (k->irq_error ? nla_put_s32(msg, NETTOLL_A_COALESCE_IRQ_ERROR, k->irq_error) : 0);
}

static int put_reading(struct sk_buff *msg, const struct nettoll_moderate_reading *r)
{
	unsigned int buckets = NETTOLL_HIST_BUCKETS;

	while (buckets && !r->waits.count[buckets - 1])
		buckets--;
	return nla_put_u32(msg, NETTOLL_A_COALESCE_IFINDEX, r->ifindex) ?:
	       nla_put_string(msg, NETTOLL_A_COALESCE_DEVICE, r->device) ?:
	       nla_put_u32(msg, NETTOLL_A_COALESCE_MODE, r->request.mode) ?:
	       (r->request.target_ns ?
		nla_put_u32(msg, NETTOLL_A_COALESCE_TARGET_NS, r->request.target_ns) : 0) ?:
	       put_flag(msg, NETTOLL_A_COALESCE_WHILE_OPEN, r->request.portid) ?:
	       nla_put_u32(msg, NETTOLL_A_COALESCE_PID, r->request.pid) ?:
	       nla_put_u32(msg, NETTOLL_A_COALESCE_HOLD_NS, r->hold_ns) ?:
	       nla_put_u32(msg, NETTOLL_A_COALESCE_BOUND_NS, r->bound_ns) ?:
	       nla_put_u32(msg, NETTOLL_A_COALESCE_SLACK_NS, r->slack_ns) ?:
	       nla_put_u32(msg, NETTOLL_A_COALESCE_LEVEL, r->level) ?:
	       put_flag(msg, NETTOLL_A_COALESCE_IDLE, r->idle) ?:
	       put_knobs(msg, &r->knobs) ?:
	       put_u64(msg, NETTOLL_A_COALESCE_TIME_NS, r->time_ns) ?:
	       put_u64(msg, NETTOLL_A_COALESCE_SINCE_NS, r->since_ns) ?:
	       put_u64(msg, NETTOLL_A_COALESCE_INTERRUPTS, r->interrupts) ?:
	       put_u64(msg, NETTOLL_A_COALESCE_TIMERS, r->timers) ?:
	       put_u64(msg, NETTOLL_A_COALESCE_POLLS, r->polls) ?:
	       put_u64(msg, NETTOLL_A_COALESCE_PACKETS, r->packets) ?:
	       put_u64(msg, NETTOLL_A_COALESCE_BYTES, r->bytes) ?:
	       put_u64(msg, NETTOLL_A_COALESCE_DROPS, r->drops) ?:
	       put_u64(msg, NETTOLL_A_COALESCE_TURNS, r->turns) ?:
	       nla_put(msg, NETTOLL_A_COALESCE_WAITS, buckets * sizeof(u64), r->waits.count);
}

/* The histogram has a page nearly to itself. */
#define REPLY_SIZE	(sizeof(struct nettoll_hist) + 1024)

static int reply(struct genl_info *info, u8 cmd, const struct nettoll_moderate_reading *r)
{
	struct sk_buff *msg = genlmsg_new(REPLY_SIZE, GFP_KERNEL);
	void *hdr;

	if (!msg)
		return -ENOMEM;
	hdr = nettoll_nl_put(msg, info->snd_portid, info->snd_seq, 0, cmd);
	if (!hdr || put_reading(msg, r)) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	genlmsg_end(msg, hdr);
	return genlmsg_reply(msg, info);
}

/** nettoll_nl_coalesce_set_doit() - NETTOLL_CMD_COALESCE_SET */
int nettoll_nl_coalesce_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *mode = info->attrs[NETTOLL_A_COALESCE_MODE];
	struct nlattr *target = info->attrs[NETTOLL_A_COALESCE_TARGET_NS];
	struct nettoll_moderate_request req = { .pid = task_tgid_nr(current) };
	struct net_device *dev;
	int ret;

	if (GENL_REQ_ATTR_CHECK(info, NETTOLL_A_COALESCE_MODE))
		return -EINVAL;
	ret = may_change(skb, info);
	if (ret)
		return ret;
	req.mode = nla_get_u32(mode);
	if (req.mode == NETTOLL_COALESCE_MODE_LATENCY && !target) {
		NL_SET_ERR_MSG(info->extack, "latency mode needs a target (target-ns)");
		return -EINVAL;
	}
	if (req.mode != NETTOLL_COALESCE_MODE_LATENCY && target) {
		NL_SET_ERR_MSG_ATTR(info->extack, target, "a target belongs to latency mode");
		return -EINVAL;
	}
	if (target)
		req.target_ns = nla_get_u32(target);
	if (req.target_ns > NETTOLL_MODERATE_TARGET_MAX_NS) {
		NL_SET_ERR_MSG_ATTR(info->extack, target, "the target is out of range; 10 ms is the longest");
		return -ERANGE;
	}
	if (info->attrs[NETTOLL_A_COALESCE_WHILE_OPEN])
		req.portid = info->snd_portid;

	ret = nettoll_moderate_probe_get();
	if (ret) {
		NL_SET_ERR_MSG(info->extack, "the kernel's tracepoint of NAPI polls cannot be probed");
		return ret;
	}
	rtnl_lock();
	dev = device_of(info);
	ret = IS_ERR(dev) ? PTR_ERR(dev) : nettoll_moderate_set(dev, &req, info->extack);
	rtnl_unlock();
	if (ret != 1)
		nettoll_moderate_probe_put();
	return min(ret, 0);
}

static int not_moderated(struct genl_info *info)
{
	NL_SET_ERR_MSG(info->extack, "the device is not moderated");
	return -ENOENT;
}

/** nettoll_nl_coalesce_del_doit() - NETTOLL_CMD_COALESCE_DEL */
int nettoll_nl_coalesce_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nettoll_moderate_reading *last;
	struct net_device *dev;
	int err;

	err = may_change(skb, info);
	if (err)
		return err;
	last = kzalloc(sizeof(*last), GFP_KERNEL);
	if (!last)
		return -ENOMEM;
	rtnl_lock();
	dev = device_of(info);
	err = IS_ERR(dev) ? PTR_ERR(dev) :
	      nettoll_moderate_end(dev, NETTOLL_COALESCE_CHANGE_STOPPED, task_tgid_nr(current),
				   last);
	rtnl_unlock();
	if (err == -ENOENT)
		not_moderated(info);
	if (!err)
		err = reply(info, NETTOLL_CMD_COALESCE_DEL, last);
	kfree(last);
	return err;
}

/** nettoll_nl_coalesce_get_doit() - NETTOLL_CMD_COALESCE_GET of one device */
int nettoll_nl_coalesce_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nettoll_moderate_reading *r;
	struct net_device *dev;
	int err;

	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return -ENOMEM;
	rtnl_lock();
	dev = device_of(info);
	err = IS_ERR(dev) ? PTR_ERR(dev) : nettoll_moderate_read(dev, r);
	rtnl_unlock();
	if (err == -ENOENT)
		not_moderated(info);
	if (!err)
		err = reply(info, NETTOLL_CMD_COALESCE_GET, r);
	kfree(r);
	return err;
}

/** nettoll_nl_coalesce_get_dumpit() - NETTOLL_CMD_COALESCE_GET of all devices of the namespace */
int nettoll_nl_coalesce_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct net *net = sock_net(cb->skb->sk);
	struct nettoll_moderate_reading *r;
	struct net_device *dev;
	int i, err = 0;
	void *hdr;

	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return -ENOMEM;
	rtnl_lock();
	/* 0 would mean that there is no sequence to check. */
	cb->seq = nettoll_moderate_generation() + 1;
	for (i = cb->args[0]; (dev = nettoll_moderate_device(net, i)); i++) {
		hdr = nettoll_nl_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				     NLM_F_MULTI, NETTOLL_CMD_COALESCE_GET);
		if (!hdr)
			break;
		genl_dump_check_consistent(cb, hdr);
		err = nettoll_moderate_read(dev, r) ?: put_reading(skb, r);
		if (err) {
			genlmsg_cancel(skb, hdr);
			break;
		}
		genlmsg_end(skb, hdr);
	}
	rtnl_unlock();
	kfree(r);
	cb->args[0] = i;
	/* A device that an empty message has no room for would be asked for forever. */
	return skb->len ?: err;
}
