// SPDX-License-Identifier: GPL-2.0-only
#include <linux/skbuff.h>

bool probe(const struct sk_buff *skb);
bool probe(const struct sk_buff *skb)
{
	return skb_is_decrypted(skb);
}
