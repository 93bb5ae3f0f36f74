/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where in a received packet the checksum of TCP or UDP is, and of what.
 */
#ifndef NETTOLL_FASTPATH_CSUM_PARSE_H
#define NETTOLL_FASTPATH_CSUM_PARSE_H

#include <linux/types.h>

/* Two VLAN tags, the longest IPv4 header, and of TCP what goes up to its checksum. */
#define NETTOLL_CSUM_HEAD	128

/**
 * enum nettoll_csum_kind - what a packet is to those who verify checksums
 * @NETTOLL_CSUM_PLAIN: the outermost headers are TCP or UDP on IPv4 or IPv6
 * @NETTOLL_CSUM_UNTREATED: IP, but a fragment, another protocol, or malformed
 * @NETTOLL_CSUM_NOT_IP: something else
 */
enum nettoll_csum_kind {
	NETTOLL_CSUM_PLAIN,
	NETTOLL_CSUM_UNTREATED,
	NETTOLL_CSUM_NOT_IP,
};

/**
 * struct nettoll_csum_packet - a packet of TCP or UDP
 * @family: AF_INET or AF_INET6
 * @protocol: IPPROTO_TCP or IPPROTO_UDP
 * @routed: options may say that the sum is of other addresses than these
 * @sport: port of the sender, host order
 * @dport: port of the receiver, host order
 * @check: the checksum field, host order
 * @at: where the transport header begins, in bytes from behind the Ethernet header
 * @len: bytes of transport header and payload, all of which are there
 * @saddr: address of the sender, IPv4 in the first four bytes
 * @daddr: address of the receiver
 */
struct nettoll_csum_packet {
	u16 family;
	u8 protocol;
	bool routed;
	u16 sport;
	u16 dport;
	u16 check;
	unsigned int at;
	unsigned int len;
	u8 saddr[16];
	u8 daddr[16];
};

enum nettoll_csum_kind nettoll_csum_parse(struct nettoll_csum_packet *pkt, const u8 *head,
					  unsigned int have, unsigned int size, u16 ethertype);

#endif /* NETTOLL_FASTPATH_CSUM_PARSE_H */
