/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets and bytes that pass the devices, which the tolls are divided by.
 */
#ifndef NETTOLL_ACCOUNT_PACKETS_H
#define NETTOLL_ACCOUNT_PACKETS_H

#include <linux/types.h>

struct net_device;
struct sk_buff;

/* Cycles that counting a packet costs, tracepoint included. */
extern u64 nettoll_own_tx, nettoll_own_rx;

void nettoll_packets_tx(void *data, const struct sk_buff *skb, const struct net_device *dev);
void nettoll_packets_rx(void *data, const struct sk_buff *skb);
void nettoll_packets_price(void);

#endif /* NETTOLL_ACCOUNT_PACKETS_H */
