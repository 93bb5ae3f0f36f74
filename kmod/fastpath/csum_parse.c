// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where in a received packet the checksum of TCP or UDP is, and of what.
 */
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/socket.h>
#include <linux/string.h>

#include "csum_parse.h"

#define IPV4_LEN	20
#define IPV6_LEN	40
#define UDP_LEN		8
#define TCP_LEN		20
#define VLAN_TAG	4

static u16 word(const u8 *at)
{
	return at[0] << 8 | at[1];
}

/* What is the same for both families: the transport header at @pkt->at, up to @end. */
static enum nettoll_csum_kind parse_transport(struct nettoll_csum_packet *pkt, const u8 *head,
					      unsigned int have, unsigned int end)
{
	unsigned int need = pkt->protocol == IPPROTO_TCP ? TCP_LEN : UDP_LEN;
	const u8 *th = head + pkt->at;

	if (pkt->protocol != IPPROTO_TCP && pkt->protocol != IPPROTO_UDP)
		return NETTOLL_CSUM_UNTREATED;
	if (pkt->at + need > have || pkt->at + need > end)
		return NETTOLL_CSUM_UNTREATED;
	pkt->sport = word(th);
	pkt->dport = word(th + 2);
	pkt->len = end - pkt->at;
	if (pkt->protocol == IPPROTO_TCP) {
		pkt->check = word(th + 16);
		return NETTOLL_CSUM_PLAIN;
	}
	pkt->check = word(th + 6);
	/* What UDP does not count as its own is not summed; a jumbogram's 0 is not followed. */
	if (word(th + 4) < UDP_LEN || word(th + 4) > pkt->len)
		return NETTOLL_CSUM_UNTREATED;
	pkt->len = word(th + 4);
	return NETTOLL_CSUM_PLAIN;
}

static enum nettoll_csum_kind parse_ipv4(struct nettoll_csum_packet *pkt, const u8 *head,
					 unsigned int at, unsigned int have, unsigned int size)
{
	const u8 *ip = head + at;
	unsigned int hlen, total;

	if (at + IPV4_LEN > have || ip[0] >> 4 != 4)
		return NETTOLL_CSUM_UNTREATED;
	hlen = (ip[0] & 0xf) * 4;
	total = word(ip + 2);
	/* More fragments, or an offset: the sum is of the whole. */
	if (hlen < IPV4_LEN || total < hlen || at + total > size || word(ip + 6) & 0x3fff)
		return NETTOLL_CSUM_UNTREATED;
	pkt->family = AF_INET;
	pkt->protocol = ip[9];
	pkt->routed = hlen > IPV4_LEN;
	memcpy(pkt->saddr, ip + 12, 4);
	memcpy(pkt->daddr, ip + 16, 4);
	pkt->at = at + hlen;
	return parse_transport(pkt, head, have, at + total);
}

static enum nettoll_csum_kind parse_ipv6(struct nettoll_csum_packet *pkt, const u8 *head,
					 unsigned int at, unsigned int have, unsigned int size)
{
	const u8 *ip = head + at;
	unsigned int end;

	if (at + IPV6_LEN > have || ip[0] >> 4 != 6)
		return NETTOLL_CSUM_UNTREATED;
	end = at + IPV6_LEN + word(ip + 4);
	/* A length of 0 is that of a jumbogram. */
	if (!word(ip + 4) || end > size)
		return NETTOLL_CSUM_UNTREATED;
	pkt->family = AF_INET6;
	pkt->protocol = ip[6];
	memcpy(pkt->saddr, ip + 8, 16);
	memcpy(pkt->daddr, ip + 24, 16);
	pkt->at = at + IPV6_LEN;
	/*
	 * Of the extension headers only the hop-by-hop options are followed:
	 * routing headers and home addresses change what the sum is of.
	 */
	if (pkt->protocol == IPPROTO_HOPOPTS) {
		if (pkt->at + 8 > have)
			return NETTOLL_CSUM_UNTREATED;
		pkt->protocol = head[pkt->at];
		pkt->at += (head[pkt->at + 1] + 1) * 8;
	}
	return parse_transport(pkt, head, have, end);
}

/**
 * nettoll_csum_parse() - find the checksum of a packet
 * @pkt: where to put what was found; nothing of it means anything unless the
 *	packet is NETTOLL_CSUM_PLAIN
 * @head: the packet from behind the Ethernet header on, or its beginning
 * @have: bytes at @head
 * @size: bytes of the packet from there on
 * @ethertype: what the Ethernet header says follows, host order
 */
enum nettoll_csum_kind nettoll_csum_parse(struct nettoll_csum_packet *pkt, const u8 *head,
					  unsigned int have, unsigned int size, u16 ethertype)
{
	unsigned int at = 0, tags;

	memset(pkt, 0, sizeof(*pkt));
	for (tags = 0; tags < 2 && (ethertype == ETH_P_8021Q || ethertype == ETH_P_8021AD);
	     tags++) {
		if (at + VLAN_TAG > have)
			return NETTOLL_CSUM_NOT_IP;
		ethertype = word(head + at + 2);
		at += VLAN_TAG;
	}
	if (ethertype == ETH_P_IP)
		return parse_ipv4(pkt, head, at, have, size);
	if (ethertype == ETH_P_IPV6)
		return parse_ipv6(pkt, head, at, have, size);
	return NETTOLL_CSUM_NOT_IP;
}
