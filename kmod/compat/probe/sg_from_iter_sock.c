// SPDX-License-Identifier: GPL-2.0-only
#include <linux/socket.h>

static int from_iter(struct sock *sk, struct sk_buff *skb, struct iov_iter *from, size_t length)
{
	return 0;
}

void probe(struct msghdr *msg);
void probe(struct msghdr *msg)
{
	msg->sg_from_iter = from_iter;
}
