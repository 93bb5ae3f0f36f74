// SPDX-License-Identifier: GPL-2.0-only
/*
 * fastpath/csum_parse.c: where the checksum of a packet is, and which packets have none that can be verified.
 */
#include "shim.h"

#include <netinet/in.h>
#include <sys/socket.h>

#define ETH_P_IP	0x0800
#define ETH_P_IPV6	0x86dd
#define ETH_P_8021Q	0x8100
#define ETH_P_8021AD	0x88a8
#define ETH_P_ARP	0x0806

#include "../fastpath/csum_parse.c"

static u8 frame[2048];
static unsigned int size;
static struct nettoll_csum_packet pkt;

static void put(unsigned int at, u16 value)
{
	frame[at] = value >> 8;
	frame[at + 1] = value;
}

/* A transport header at @at, and @len bytes in all. */
static void put_transport(unsigned int at, u8 protocol, unsigned int len)
{
	put(at, 4000);
	put(at + 2, 53);
	if (protocol == IPPROTO_UDP)
		put(at + 4, len);
	put(at + (protocol == IPPROTO_TCP ? 16 : 6), 0xbeef);
	size = at + len;
}

static void ipv4(unsigned int at, unsigned int options, u8 protocol, unsigned int len)
{
	memset(frame + at, 0, sizeof(frame) - at);
	frame[at] = 0x45 + options / 4;
	put(at + 2, 20 + options + len);
	frame[at + 9] = protocol;
	memcpy(frame + at + 12, "\x0a\1\2\3\x0a\4\5\6", 8);
	put_transport(at + 20 + options, protocol, len);
}

static void ipv6(unsigned int at, unsigned int hop_by_hop, u8 protocol, unsigned int len)
{
	memset(frame + at, 0, sizeof(frame) - at);
	frame[at] = 0x60;
	put(at + 4, hop_by_hop + len);
	frame[at + 6] = hop_by_hop ? IPPROTO_HOPOPTS : protocol;
	memset(frame + at + 8, 0x11, 16);
	memset(frame + at + 24, 0x22, 16);
	if (hop_by_hop) {
		frame[at + 40] = protocol;
		frame[at + 41] = hop_by_hop / 8 - 1;
	}
	put_transport(at + 40 + hop_by_hop, protocol, len);
}

/* As the module calls it: with the first bytes only. What lies behind them is not to be read. */
static enum nettoll_csum_kind parse(u16 ethertype)
{
	unsigned int have = min(size, NETTOLL_CSUM_HEAD);
	u8 *head = malloc(have ?: 1);
	enum nettoll_csum_kind kind;

	memcpy(head, frame, have);
	kind = nettoll_csum_parse(&pkt, head, have, size, ethertype);
	free(head);
	return kind;
}

static void expect_plain(u16 family, u8 protocol, unsigned int at, unsigned int len)
{
	assert_int_equal(pkt.family, family);
	assert_int_equal(pkt.protocol, protocol);
	assert_int_equal(pkt.at, at);
	assert_int_equal(pkt.len, len);
	assert_int_equal(pkt.sport, 4000);
	assert_int_equal(pkt.dport, 53);
	assert_int_equal(pkt.check, 0xbeef);
}

static void ipv4__udp_and_tcp(void **state)
{
	ipv4(0, 0, IPPROTO_UDP, 1000);
	assert_int_equal(parse(ETH_P_IP), NETTOLL_CSUM_PLAIN);
	expect_plain(AF_INET, IPPROTO_UDP, 20, 1000);
	assert_memory_equal(pkt.saddr, "\x0a\1\2\3", 4);
	assert_memory_equal(pkt.daddr, "\x0a\4\5\6", 4);
	assert_false(pkt.routed);
	ipv4(0, 0, IPPROTO_TCP, 20);
	assert_int_equal(parse(ETH_P_IP), NETTOLL_CSUM_PLAIN);
	expect_plain(AF_INET, IPPROTO_TCP, 20, 20);
}

static void ipv4__options_may_route(void **state)
{
	ipv4(0, 40, IPPROTO_TCP, 700);
	assert_int_equal(parse(ETH_P_IP), NETTOLL_CSUM_PLAIN);
	expect_plain(AF_INET, IPPROTO_TCP, 60, 700);
	assert_true(pkt.routed);
}

static void ipv4__padding_is_not_summed(void **state)
{
	ipv4(0, 0, IPPROTO_UDP, 9);
	size = 46;
	assert_int_equal(parse(ETH_P_IP), NETTOLL_CSUM_PLAIN);
	expect_plain(AF_INET, IPPROTO_UDP, 20, 9);
}

static void ipv4__fragments_are_left(void **state)
{
	ipv4(0, 0, IPPROTO_UDP, 1000);
	put(6, 0x2000);		/* the first */
	assert_int_equal(parse(ETH_P_IP), NETTOLL_CSUM_UNTREATED);
	put(6, 0x0010);		/* the last */
	assert_int_equal(parse(ETH_P_IP), NETTOLL_CSUM_UNTREATED);
	put(6, 0x4000);		/* not to be fragmented is no fragment */
	assert_int_equal(parse(ETH_P_IP), NETTOLL_CSUM_PLAIN);
}

static void udp__length_counts(void **state)
{
	ipv4(0, 0, IPPROTO_UDP, 100);
	put(24, 50);
	assert_int_equal(parse(ETH_P_IP), NETTOLL_CSUM_PLAIN);
	expect_plain(AF_INET, IPPROTO_UDP, 20, 50);
	put(24, 101);
	assert_int_equal(parse(ETH_P_IP), NETTOLL_CSUM_UNTREATED);
	put(24, 7);
	assert_int_equal(parse(ETH_P_IP), NETTOLL_CSUM_UNTREATED);
	put(24, 0);
	assert_int_equal(parse(ETH_P_IP), NETTOLL_CSUM_UNTREATED);
}

static void ipv6__udp_and_tcp(void **state)
{
	static const u8 from[16] = { [0 ... 15] = 0x11 }, to[16] = { [0 ... 15] = 0x22 };

	ipv6(0, 0, IPPROTO_TCP, 1440);
	assert_int_equal(parse(ETH_P_IPV6), NETTOLL_CSUM_PLAIN);
	expect_plain(AF_INET6, IPPROTO_TCP, 40, 1440);
	assert_memory_equal(pkt.saddr, from, 16);
	assert_memory_equal(pkt.daddr, to, 16);
	ipv6(0, 0, IPPROTO_UDP, 8);
	assert_int_equal(parse(ETH_P_IPV6), NETTOLL_CSUM_PLAIN);
	expect_plain(AF_INET6, IPPROTO_UDP, 40, 8);
}

static void ipv6__of_extension_headers_hop_by_hop_only(void **state)
{
	ipv6(0, 16, IPPROTO_UDP, 100);
	assert_int_equal(parse(ETH_P_IPV6), NETTOLL_CSUM_PLAIN);
	expect_plain(AF_INET6, IPPROTO_UDP, 56, 100);
	frame[40] = IPPROTO_ROUTING;
	assert_int_equal(parse(ETH_P_IPV6), NETTOLL_CSUM_UNTREATED);
	frame[40] = IPPROTO_HOPOPTS;
	assert_int_equal(parse(ETH_P_IPV6), NETTOLL_CSUM_UNTREATED);
	ipv6(0, 0, IPPROTO_FRAGMENT, 100);
	assert_int_equal(parse(ETH_P_IPV6), NETTOLL_CSUM_UNTREATED);
	/* Longer than what is looked at. */
	ipv6(0, 1024, IPPROTO_UDP, 100);
	assert_int_equal(parse(ETH_P_IPV6), NETTOLL_CSUM_UNTREATED);
}

static void ipv6__jumbograms_are_left(void **state)
{
	ipv6(0, 0, IPPROTO_TCP, 1000);
	put(4, 0);
	assert_int_equal(parse(ETH_P_IPV6), NETTOLL_CSUM_UNTREATED);
}

static void vlan__tags_are_passed(void **state)
{
	ipv4(4, 0, IPPROTO_UDP, 500);
	put(2, ETH_P_IP);
	assert_int_equal(parse(ETH_P_8021Q), NETTOLL_CSUM_PLAIN);
	expect_plain(AF_INET, IPPROTO_UDP, 24, 500);
	ipv6(8, 0, IPPROTO_TCP, 500);
	put(2, ETH_P_8021Q);
	put(6, ETH_P_IPV6);
	assert_int_equal(parse(ETH_P_8021AD), NETTOLL_CSUM_PLAIN);
	expect_plain(AF_INET6, IPPROTO_TCP, 48, 500);
	/* Two are enough. */
	put(6, ETH_P_8021Q);
	assert_int_equal(parse(ETH_P_8021AD), NETTOLL_CSUM_NOT_IP);
}

static void other__is_not_ip(void **state)
{
	ipv4(0, 0, IPPROTO_UDP, 500);
	assert_int_equal(parse(ETH_P_ARP), NETTOLL_CSUM_NOT_IP);
	ipv4(0, 0, IPPROTO_ICMP, 500);
	assert_int_equal(parse(ETH_P_IP), NETTOLL_CSUM_UNTREATED);
	ipv4(0, 0, IPPROTO_UDPLITE, 500);
	assert_int_equal(parse(ETH_P_IP), NETTOLL_CSUM_UNTREATED);
}

/* Whatever the length, nothing behind it is read (the sanitizer watches) or believed. */
static void any_length__is_held(void **state)
{
	unsigned int full, kind;
	u16 type;

	for (kind = 0; kind < 4; kind++) {
		type = kind & 1 ? ETH_P_IPV6 : ETH_P_IP;
		if (kind & 1)
			ipv6(0, 0, kind & 2 ? IPPROTO_TCP : IPPROTO_UDP, 300);
		else
			ipv4(0, 0, kind & 2 ? IPPROTO_TCP : IPPROTO_UDP, 300);
		full = size;
		for (size = 0; size < full; size++)
			assert_int_equal(parse(type), NETTOLL_CSUM_UNTREATED);
		assert_int_equal(parse(type), NETTOLL_CSUM_PLAIN);
	}
	for (size = 0; size < 4; size++)
		assert_int_equal(parse(ETH_P_8021Q), NETTOLL_CSUM_NOT_IP);
}

static void any_bytes__are_survived(void **state)
{
	static const u16 types[] = { ETH_P_IP, ETH_P_IPV6, ETH_P_8021Q, ETH_P_8021AD };
	unsigned int round, i;

	srand(7);
	for (round = 0; round < 200000; round++) {
		size = rand() % 200;
		for (i = 0; i < size; i++)
			frame[i] = rand();
		/* Likely headers, or nothing of interest is reached. */
		frame[0] = rand() & 1 ? 0x45 + rand() % 11 : 0x60;
		if (rand() & 1)
			frame[2] = 0;
		if (rand() & 1)
			frame[4] = frame[6] = frame[7] = 0;
		if (rand() & 1)
			frame[9] = rand() & 1 ? IPPROTO_TCP : IPPROTO_UDP;
		if (parse(types[rand() % 4]) == NETTOLL_CSUM_PLAIN)
			assert_true(pkt.at + pkt.len <= size && pkt.len >= 8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ipv4__udp_and_tcp),
		cmocka_unit_test(ipv4__options_may_route),
		cmocka_unit_test(ipv4__padding_is_not_summed),
		cmocka_unit_test(ipv4__fragments_are_left),
		cmocka_unit_test(udp__length_counts),
		cmocka_unit_test(ipv6__udp_and_tcp),
		cmocka_unit_test(ipv6__of_extension_headers_hop_by_hop_only),
		cmocka_unit_test(ipv6__jumbograms_are_left),
		cmocka_unit_test(vlan__tags_are_passed),
		cmocka_unit_test(other__is_not_ip),
		cmocka_unit_test(any_length__is_held),
		cmocka_unit_test(any_bytes__are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
