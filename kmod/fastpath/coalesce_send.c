// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sending a batch: as one large packet that is cut up where the device wants
 * it to be, or, where that is refused, one datagram after the other.
 */
#include <linux/bvec.h>
#include <linux/uio.h>
#include <net/sock.h>
#include <net/udp.h>

#include "../compat/udp.h"
#include "coalesce.h"

/**
 * struct load_ubuf - what a batch's packet is made with
 * @ubuf: what the kernel asks for
 * @cpu: whose transmit queue the packet takes, where it is the CPU that decides
 */
struct load_ubuf {
	struct ubuf_info ubuf;
	u32 cpu;
};

/*
 * Whoever has the batch leave, on whichever CPU: it stays behind what its
 * sender sent before and ahead of what it sends after.
 */
static void load_queue(struct sk_buff *skb, const struct load_ubuf *with)
{
#ifdef CONFIG_XPS
	skb->sender_cpu = with->cpu + 1;
#endif
}

/* The pages are the packet's, which holds them as it would its own. */
static int load_fill(struct sk_buff *skb, struct iov_iter *from, size_t length)
{
	const struct bio_vec *bv = from->bvec;
	struct ubuf_info *with = skb_shinfo(skb)->destructor_arg;
	int frag = skb_shinfo(skb)->nr_frags;

	/* What the caller hung on the packet for zero-copy; nobody is to be told of its end. */
	if (with)
		load_queue(skb, container_of(with, struct load_ubuf, ubuf));
	skb_shinfo(skb)->destructor_arg = NULL;
	if (WARN_ON_ONCE(frag >= MAX_SKB_FRAGS || from->iov_offset + length > bv->bv_len))
		return -EMSGSIZE;
	get_page(bv->bv_page);
	skb_fill_page_desc(skb, frag, bv->bv_page, bv->bv_offset + from->iov_offset, length);
	iov_iter_advance(from, length);
	skb->data_len += length;
	skb->len += length;
	skb->truesize += length;
	return 0;
}

NETTOLL_SG_FROM_ITER(load_from_iter, load_fill)

static int load_call(const struct nettoll_load *load, struct msghdr *msg, u32 offset, u32 len)
{
	struct nettoll_dest dest = load->dest;
	struct bio_vec bv = {
		.bv_page = load->page,
		.bv_offset = load->offset + offset,
		.bv_len = len,
	};
	int ret;

	/* The protocol may write to the address. */
	msg->msg_name = dest.len ? dest.name : NULL;
	msg->msg_namelen = dest.len;
	msg->msg_flags |= MSG_DONTWAIT | MSG_NOSIGNAL;
	iov_iter_bvec(&msg->msg_iter, ITER_SOURCE, &bv, 1, len);
	ret = load->orig(load->sk, msg, len);
	return ret < 0 ? ret : 0;
}

/* What an ICMP message left behind, which the protocol tells instead of sending. */
static bool is_told(int err)
{
	switch (err) {
	case -ECONNREFUSED:
	case -EHOSTUNREACH:
	case -ENETUNREACH:
	case -EHOSTDOWN:
	case -ENOPROTOOPT:
	case -EPROTO:
		return true;
	default:
		return false;
	}
}

/*
 * The batch has had its room in the send buffer from the moment it was
 * accepted. Should others have taken that in the meantime, it is sent all the
 * same.
 */
static int load_call_unbounded(const struct nettoll_load *load, struct msghdr *msg, u32 offset,
			       u32 len)
{
	int room = READ_ONCE(load->sk->sk_sndbuf), err;

	WRITE_ONCE(load->sk->sk_sndbuf, INT_MAX);
	err = load_call(load, msg, offset, len);
	/* Unless the program has just set another. */
	cmpxchg(&load->sk->sk_sndbuf, INT_MAX, room);
	return err;
}

/* Once more where the first call did not come as far as sending. */
static int load_call_sure(const struct nettoll_load *load, struct msghdr *msg, u32 offset, u32 len,
			  int *told)
{
	struct msghdr again = *msg;
	int err = load_call(load, msg, offset, len), first = err;

	if (err == -EAGAIN)
		err = load_call_unbounded(load, &again, offset, len);
	else if (is_told(err))
		err = load_call(load, &again, offset, len);
	if (!err && is_told(first))
		*told = first;
	return err;
}

static int load_send_large(const struct nettoll_load *load, int *told)
{
	struct load_ubuf with = { .ubuf.refcnt = REFCOUNT_INIT(1), .cpu = load->cpu };
	union {
		struct cmsghdr head;
		u8 space[CMSG_SPACE(sizeof(u16))];
	} control = {
		.head = {
			.cmsg_len = CMSG_LEN(sizeof(u16)),
			.cmsg_level = SOL_UDP,
			.cmsg_type = UDP_SEGMENT,
		},
	};
	struct msghdr msg = {
		.msg_control = &control,
		.msg_controllen = sizeof(control),
		/* Flags that are all 0 make it a packet like any other. */
		.msg_ubuf = &with.ubuf,
		.msg_flags = MSG_ZEROCOPY,
		.sg_from_iter = load_from_iter,
	};

	*(u16 *)CMSG_DATA(&control.head) = load->b.size;
	return load_call_sure(load, &msg, 0, load->b.bytes, told);
}

static int load_send_each(const struct nettoll_load *load, int *told)
{
	u32 offset, len;
	int ret = 0;

	for (offset = 0; offset < load->b.bytes; offset += len) {
		struct msghdr msg = { };
		int err;

		len = min(load->b.size, load->b.bytes - offset);
		err = load_call_sure(load, &msg, offset, len, told);
		ret = ret ?: err;
	}
	return ret;
}

/**
 * nettoll_load_send() - send a batch
 * @load: the batch
 * @refused: where to put why it could not go as one packet, enum
 *	nettoll_fallback, left alone if it could
 *
 * An error that waits to be told to the program still waits afterwards. May
 * sleep for memory, not for room in the send buffer. Return: 0 or what the
 * protocol said.
 */
int nettoll_load_send(const struct nettoll_load *load, int *refused)
{
	int told = sock_error(load->sk), err;

	if (load->b.n > 1) {
		err = load_send_large(load, &told);
		/* Nothing was sent: they do not fit, or the device makes no checksums. */
		if (err != -EMSGSIZE && err != -EIO && err != -EINVAL)
			goto sent;
		*refused = err == -EMSGSIZE ? NETTOLL_FALLBACK_FRAGMENTED : NETTOLL_FALLBACK_NO_SG;
	}
	err = load_send_each(load, &told);
sent:
	if (told)
		WRITE_ONCE(load->sk->sk_err, -told);
	return err;
}
