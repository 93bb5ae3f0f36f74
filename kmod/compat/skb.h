/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets whose bytes are not for the CPU to sum: in the memory of a device
 * (6.12), or still to be encrypted by one (asked in words of its own from 6.8).
 */
#ifndef NETTOLL_COMPAT_SKB_H
#define NETTOLL_COMPAT_SKB_H

#include <linux/skbuff.h>
#include "features.h"

/* Whether all bytes of a packet can be read. */
static inline bool nettoll_skb_readable(const struct sk_buff *skb)
{
#ifdef NETTOLL_HAVE_SKB_FRAGS_READABLE
	return skb_frags_readable(skb);
#else
	return true;
#endif
}

/* Whether the device is to encrypt the bytes of a packet, and to sum what comes of it. */
static inline bool nettoll_skb_plain(const struct sk_buff *skb)
{
#if defined(NETTOLL_HAVE_SKB_IS_DECRYPTED)
	return skb_is_decrypted(skb);
#elif defined(CONFIG_TLS_DEVICE)
	return skb->decrypted;
#else
	return false;
#endif
}

#endif /* NETTOLL_COMPAT_SKB_H */
