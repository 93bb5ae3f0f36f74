// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sending without copying: which sends can be, by which path, and what is
 * counted of them.
 */
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <linux/uio.h>
#include <net/dst.h>
#include <net/ip.h>

#include "../account/hook.h"
#include "pool.h"
#include "zerocopy.h"

/* After a send whose packets were copied on the way, so many are copied at once. */
#define HOPELESS	15

/* Why an application's control messages or options rule it out, or NETTOLL_ZC_SENT. */
static int udp_own(const struct nettoll_zc_call *call)
{
	struct cmsghdr *cmsg;

	/* A cork of the program's, or of another thread's that is at it. */
	if (READ_ONCE(udp_sk(call->sk)->pending) || udp_test_bit(CORK, call->sk))
		return NETTOLL_FALLBACK_OPTION;
	if (READ_ONCE(udp_sk(call->sk)->gso_size))
		return NETTOLL_FALLBACK_OWN;
	if (!call->msg->msg_controllen)
		return NETTOLL_ZC_SENT;
	for_each_cmsghdr(cmsg, call->msg) {
		if (!CMSG_OK(call->msg, cmsg))
			return NETTOLL_FALLBACK_OPTION;
		if (cmsg->cmsg_level == SOL_UDP)
			return NETTOLL_FALLBACK_OWN;
	}
	return NETTOLL_ZC_SENT;
}

/* Whether the device that a connected socket sends through can, and at this size. */
static int udp_device(const struct nettoll_zc_call *call)
{
	netdev_features_t csum = NETIF_F_HW_CSUM;
	int reason = NETTOLL_ZC_SENT;
	struct dst_entry *dst;
	size_t header = sizeof(struct udphdr);

	if (call->family == AF_INET) {
		header += sizeof(struct iphdr);
		csum |= NETIF_F_IP_CSUM;
	} else {
		header += sizeof(struct ipv6hdr);
		csum |= NETIF_F_IPV6_CSUM;
	}
	/* Where the route is not known yet, the protocol finds out, and copies. */
	rcu_read_lock();
	dst = call->msg->msg_name ? NULL : __sk_dst_get(call->sk);
	if (dst && call->len + header > dst_mtu(dst))
		reason = NETTOLL_FALLBACK_FRAGMENTED;
	else if (dst && (!(dst->dev->features & NETIF_F_SG) || !(dst->dev->features & csum)))
		reason = NETTOLL_FALLBACK_NO_SG;
	rcu_read_unlock();
	return reason;
}

static int udp_unfit(const struct nettoll_zc_call *call)
{
	int reason = udp_own(call);

	if (reason == NETTOLL_ZC_SENT)
		reason = udp_device(call);
	/* A datagram is one packet, which holds only so many pages. */
	if (reason == NETTOLL_ZC_SENT && call->msg->msg_iter.nr_segs > 1 &&
	    iov_iter_npages(&call->msg->msg_iter, MAX_SKB_FRAGS + 1) > MAX_SKB_FRAGS)
		reason = NETTOLL_FALLBACK_SMALL;
	return reason;
}

static int tcp_unfit(const struct nettoll_zc_call *call)
{
	const struct sock *sk = call->sk;

	if (!((1 << READ_ONCE(sk->sk_state)) & (TCPF_ESTABLISHED | TCPF_CLOSE_WAIT)))
		return NETTOLL_FALLBACK_OPTION;
	/* Control messages and time stamps are for a send as a whole. */
	if (call->msg->msg_controllen || tcp_sk(sk)->repair ||
	    READ_ONCE(sk->sk_tsflags) & SOF_TIMESTAMPING_TX_RECORD_MASK)
		return NETTOLL_FALLBACK_OPTION;
	if (!(READ_ONCE(sk->sk_route_caps) & NETIF_F_SG))
		return NETTOLL_FALLBACK_NO_SG;
	return NETTOLL_ZC_SENT;
}

/* Why a send has to be copied, or NETTOLL_ZC_SENT. */
static int unfit(const struct nettoll_zc_call *call)
{
	const struct msghdr *msg = call->msg;

	if (call->len < call->rule->act.zerocopy_min || !call->len)
		return NETTOLL_FALLBACK_SMALL;
	if (msg->msg_ubuf || msg->msg_flags & MSG_ZEROCOPY)
		return NETTOLL_FALLBACK_OWN;
	if (!user_backed_iter(&msg->msg_iter))
		return NETTOLL_FALLBACK_NOT_USER;
	if (msg->msg_flags & (MSG_MORE | MSG_OOB | MSG_FASTOPEN))
		return NETTOLL_FALLBACK_OPTION;
	if (iter_is_iovec(&msg->msg_iter) && msg->msg_iter.nr_segs > 1 &&
	    call->len / msg->msg_iter.nr_segs < NETTOLL_ZC_SEGMENT_MIN)
		return NETTOLL_FALLBACK_SMALL;
	return call->sk->sk_protocol == IPPROTO_UDP ? udp_unfit(call) : tcp_unfit(call);
}

/**
 * nettoll_zc_fallback() - note that a send of a socket was copied
 * @zs: the socket's
 * @rule: that was for the send
 * @reason: enum nettoll_fallback
 */
void nettoll_zc_fallback(struct nettoll_zc_sock *zs, struct nettoll_rule *rule,
			 unsigned int reason)
{
	zs->fallback[reason]++;
	nettoll_rule_fallback(rule, reason);
}

/**
 * nettoll_zc_count() - note what a send took
 * @zs: the socket's
 * @rule: that was for the send
 * @bytes: sent
 * @copied: of those, bytes that were copied
 */
void nettoll_zc_count(struct nettoll_zc_sock *zs, struct nettoll_rule *rule, size_t bytes,
		      size_t copied)
{
	copied = min(copied, bytes);
	zs->zerocopy_bytes += bytes - copied;
	zs->copied_bytes += copied;
	this_cpu_add(rule->count->zerocopy_bytes, bytes - copied);
	this_cpu_add(rule->count->copied_bytes, copied);
}

/**
 * nettoll_zc_result() - note what became of pages that no packet holds any more
 * @zs: the socket's
 * @rule: that was for the sends
 * @taken: whether a packet held them at all
 * @copied: bytes that were copied on the way
 * @bytes: sent
 */
void nettoll_zc_result(struct nettoll_zc_sock *zs, struct nettoll_rule *rule, bool taken,
		       size_t copied, size_t bytes)
{
	unsigned int reason = NETTOLL_FALLBACK_COPIED;

	if (!bytes)
		return;
	if (!taken) {
		/* The protocol found that the device cannot, or not at this size. */
		reason = NETTOLL_FALLBACK_NO_SG;
		copied = bytes;
	}
	nettoll_zc_count(zs, rule, bytes, copied);
	if (copied)
		nettoll_zc_fallback(zs, rule, reason);
	if (copied >= bytes) {
		zs->why = reason;
		WRITE_ONCE(zs->hopeless, HOPELESS);
	}
}

static struct nettoll_zc_sock *zc_sock_of(struct nettoll_sock *ns)
{
	void **part = &ns->part[NETTOLL_PART_ZEROCOPY];
	struct nettoll_zc_sock *zs = READ_ONCE(*part);
	void *other;

	if (likely(zs))
		return zs;
	zs = kzalloc(sizeof(*zs), GFP_KERNEL_ACCOUNT);
	if (!zs)
		return NULL;
	spin_lock_init(&zs->lock);
	other = cmpxchg(part, NULL, zs);
	if (!other)
		return zs;
	kfree(zs);
	return other;
}

/** nettoll_zc_sock_free() - the socket is gone, and no send of it is left */
void nettoll_zc_sock_free(struct nettoll_zc_sock *zs)
{
	if (!zs)
		return;
	kfree(zs->spare);
	kfree(zs);
}

static u64 no_runtime(struct task_struct *task)
{
	return 0;
}

/* Not exported; without it ways that take the same time are taken as alike. */
DEFINE_STATIC_CALL(task_runtime, no_runtime);

/** nettoll_zerocopy_init() - before any front is attached */
void nettoll_zerocopy_init(void)
{
	unsigned long runtime = nettoll_ksym("task_sched_runtime");

	if (runtime)
		static_call_update(task_runtime, (void *)runtime);
}

/* Without copying, from a pool or while the call waits; see NETTOLL_ZC_SENT. */
static int zc_send(const struct nettoll_zc_call *call, struct nettoll_sock *ns, int *ret)
{
	u32 mode = call->rule->act.zerocopy;
	int reason = NETTOLL_FALLBACK_NOT_POOL;

	if (mode != NETTOLL_ZEROCOPY_SYNC)
		reason = nettoll_pool_send(call, ns, ret);
	if (mode == NETTOLL_ZEROCOPY_POOL || reason != NETTOLL_FALLBACK_NOT_POOL)
		return reason;
	if (call->sk->sk_protocol == IPPROTO_UDP)
		return nettoll_sync_udp(call, ns, ret);
	return nettoll_sync_tcp(call, ret);
}

/* Copy, for a reason, and count it. */
static int zc_copy(const struct nettoll_zc_call *call, int reason)
{
	int ret = call->orig(call->sk, call->msg, call->len);

	nettoll_zc_fallback(call->zs, call->rule, reason);
	if (ret > 0)
		nettoll_zc_count(call->zs, call->rule, ret, ret);
	return ret;
}

/* Whichever way has cost less, or, now and then, the other, to see. */
static int zc_auto(const struct nettoll_zc_call *call, struct nettoll_sock *ns)
{
	struct nettoll_zc_sock *zs = call->zs;
	struct nettoll_auto_send send = {};
	int reason = NETTOLL_ZC_SENT, ret;
	enum nettoll_way way;
	bool measure;

	spin_lock(&zs->lock);
	way = nettoll_auto_way(&zs->learned, call->len, &measure);
	spin_unlock(&zs->lock);
	if (measure) {
		send.cpu = static_call(task_runtime)(current);
		send.start = ktime_get_ns();
	}
	if (way == NETTOLL_WAY_COPY)
		reason = measure ? NETTOLL_FALLBACK_LEARNING : NETTOLL_FALLBACK_SLOWER;
	else
		reason = zc_send(call, ns, &ret);
	if (reason != NETTOLL_ZC_SENT)
		ret = zc_copy(call, reason);
	if (measure && ret > 0) {
		send.end = ktime_get_ns();
		send.cpu = static_call(task_runtime)(current) - send.cpu;
		send.bytes = ret;
		spin_lock(&zs->lock);
		nettoll_auto_note(&zs->learned, call->len, &send);
		spin_unlock(&zs->lock);
	}
	return ret;
}

/**
 * nettoll_zerocopy_send() - a send under a rule that asks not to copy
 * @ns: the socket, with a reference
 * @rule: the rule, with a reference
 * @sk: the socket
 * @msg: what is sent
 * @len: bytes of it
 * @family: of the packets
 * @orig: the protocol's send
 *
 * May sleep, within a stay. Return: as @orig.
 */
int nettoll_zerocopy_send(struct nettoll_sock *ns, struct nettoll_rule *rule, struct sock *sk,
			  struct msghdr *msg, size_t len, u16 family, nettoll_send_fn *orig)
{
	struct nettoll_zc_call call = {
		.zs = zc_sock_of(ns), .rule = rule, .sk = sk, .msg = msg, .len = len,
		.family = family, .orig = orig,
	};
	unsigned int hopeless;
	int reason, ret;

	if (!call.zs) {
		nettoll_rule_fallback(rule, NETTOLL_FALLBACK_NO_MEMORY);
		return orig(sk, msg, len);
	}
	call.zs->sends++;
	reason = unfit(&call);
	hopeless = READ_ONCE(call.zs->hopeless);
	if (reason == NETTOLL_ZC_SENT && hopeless) {
		WRITE_ONCE(call.zs->hopeless, hopeless - 1);
		reason = call.zs->why;
	}
	if (reason != NETTOLL_ZC_SENT)
		return zc_copy(&call, reason);
	if (rule->act.zerocopy == NETTOLL_ZEROCOPY_AUTO)
		return zc_auto(&call, ns);
	reason = zc_send(&call, ns, &ret);
	return reason == NETTOLL_ZC_SENT ? ret : zc_copy(&call, reason);
}
