// SPDX-License-Identifier: GPL-2.0-only
/*
 * What checksum audits found of each device, over netlink.
 */
#include <linux/netdevice.h>
#include <net/sock.h>

#include "../compat/genl.h"
#include "../fastpath/csum.h"
#include "dump.h"
#include "netlink_gen.h"

static int put_last(struct sk_buff *skb, const struct nettoll_csum_fault *last)
{
	if (!last->time_ns)
		return 0;
	return nla_put_u64_64bit(skb, NETTOLL_A_CSUM_LAST_NS, last->time_ns,
				 NETTOLL_A_CSUM_PAD) ?:
	       nla_put_u32(skb, NETTOLL_A_CSUM_LAST_RULE, last->rule) ?:
	       nla_put_u16(skb, NETTOLL_A_CSUM_LAST_FOUND, last->found) ?:
	       nla_put_u16(skb, NETTOLL_A_CSUM_LAST_COMPUTED, last->computed) ?:
	       (last->complete ? nla_put_flag(skb, NETTOLL_A_CSUM_LAST_COMPLETE) : 0) ?:
	       nla_put(skb, NETTOLL_A_CSUM_LAST_HEADER, last->kept, last->head);
}

static int put_report(struct sk_buff *skb, const struct net_device *dev,
		      const struct nettoll_csum_report *report)
{
	return nla_put_string(skb, NETTOLL_A_CSUM_DEVICE, dev->name) ?:
	       nla_put_u32(skb, NETTOLL_A_CSUM_IFINDEX, dev->ifindex) ?:
	       nla_put_u64_64bit(skb, NETTOLL_A_CSUM_AUDITED,
				 report->count[NETTOLL_CSUM_AUDITED], NETTOLL_A_CSUM_PAD) ?:
	       nla_put_u64_64bit(skb, NETTOLL_A_CSUM_DISAGREED,
				 report->count[NETTOLL_CSUM_DISAGREED], NETTOLL_A_CSUM_PAD) ?:
	       nla_put_u64_64bit(skb, NETTOLL_A_CSUM_PASSED,
				 report->count[NETTOLL_CSUM_PASSED], NETTOLL_A_CSUM_PAD) ?:
	       put_last(skb, &report->last);
}

/* 0, or an error where the message did not fit and was taken back. */
static int put_one(struct sk_buff *skb, struct netlink_callback *cb,
		   const struct net_device *dev, const struct nettoll_csum_report *report)
{
	void *hdr = nettoll_nl_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				   NLM_F_MULTI, NETTOLL_CMD_CSUM_GET);

	if (!hdr)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, hdr);
	if (put_report(skb, dev, report)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/** nettoll_nl_csum_get_dumpit() - NETTOLL_CMD_CSUM_GET of all devices of the namespace */
int nettoll_nl_csum_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct net *net = sock_net(cb->skb->sk);
	struct nettoll_csum_report report;
	const struct net_device *dev;
	long at = 0;

	/* Headers of others' packets are not for everyone to read. */
	if (!netlink_ns_capable(cb->skb, net->user_ns, CAP_NET_ADMIN))
		return -EPERM;
	rcu_read_lock();
	/* Devices that come or go make the dump an inconsistent one. */
	cb->seq = READ_ONCE(net->dev_base_seq);
	for_each_netdev_rcu(net, dev) {
		if (at >= cb->args[0] && nettoll_csum_report(dev, &report) &&
		    put_one(skb, cb, dev, &report))
			break;
		at++;
	}
	rcu_read_unlock();
	cb->args[0] = at;
	return skb->len;
}
