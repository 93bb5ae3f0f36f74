// SPDX-License-Identifier: GPL-2.0-only
/*
 * account/packets.c: packets and bytes as they are on the wire, however the
 * stack has bundled them.
 */
#include "shim.h"

struct list_head {
	struct list_head *next;
};

static inline bool list_empty(const struct list_head *l)
{
	return l->next == l;
}

struct net_device {
	struct {
		struct list_head lower;
	} adj_list;
};

#define SKB_GSO_TCPV4	1
#define SKB_GSO_TCPV6	2
#define SKB_GSO_UDP_L4	4
struct udphdr {
	u64 of_eight_bytes;
};

struct skb_shared_info {
	unsigned short gso_size, gso_segs;
	unsigned int gso_type;
};

struct sk_buff {
	struct net_device *dev;
	unsigned int len, tcp_header;
	unsigned char *data, *mac, *transport;
	struct skb_shared_info shared;
};

#define skb_shinfo(skb)				(&(skb)->shared)
#define skb_is_gso(skb)				((skb)->shared.gso_size != 0)
#define skb_transport_header_was_set(skb)	(!!(skb)->transport)
#define skb_transport_offset(skb)		((skb)->transport - (skb)->data)
#define skb_mac_header_was_set(skb)		(!!(skb)->mac)
#define skb_mac_header(skb)			((skb)->mac)
#define tcp_hdrlen(skb)				((skb)->tcp_header)

#include "../account/span.c"
#include "../account/packets.c"

static unsigned char frame[256];
static struct net_device nic, vlan;

static int setup(void **state)
{
	shim_percpu_reset();
	nic.adj_list.lower.next = &nic.adj_list.lower;
	vlan.adj_list.lower.next = &nic.adj_list.lower;
	return 0;
}

static void sent(u64 packets, u64 bytes)
{
	assert_int_equal(__this_cpu_read(nettoll_cpu.tx_packets), packets);
	assert_int_equal(__this_cpu_read(nettoll_cpu.tx_bytes), bytes);
}

static void received(u64 packets, u64 bytes)
{
	assert_int_equal(__this_cpu_read(nettoll_cpu.rx_packets), packets);
	assert_int_equal(__this_cpu_read(nettoll_cpu.rx_bytes), bytes);
}

static void tx__single_packet(void **state)
{
	struct sk_buff skb = { .dev = &nic, .data = frame, .len = 1514 };

	nettoll_packets_tx(NULL, &skb, &nic);
	sent(1, 1514);
	received(0, 0);
}

static void tx__device_on_top_of_another_does_not_count(void **state)
{
	struct sk_buff skb = { .dev = &vlan, .data = frame, .len = 1518 };

	nettoll_packets_tx(NULL, &skb, &vlan);
	nettoll_packets_rx(NULL, &skb);
	sent(0, 0);
	received(0, 0);
}

/* 14 + 20 + 32 bytes of headers and 3 * 1448 of data leave as three frames. */
static void tx__tcp_super_packet_repeats_its_headers(void **state)
{
	struct sk_buff skb = {
		.dev = &nic, .data = frame, .transport = frame + 34, .tcp_header = 32,
		.len = 66 + 3 * 1448, .shared = { 1448, 3, SKB_GSO_TCPV4 },
	};

	nettoll_packets_tx(NULL, &skb, &nic);
	sent(3, 3 * (66 + 1448));
}

static void tx__udp_super_packet_with_a_short_end(void **state)
{
	struct sk_buff skb = {
		.dev = &nic, .data = frame, .transport = frame + 54,
		.len = 62 + 2 * 1400 + 7, .shared = { 1400, 3, SKB_GSO_UDP_L4 },
	};

	nettoll_packets_tx(NULL, &skb, &nic);
	sent(3, 3 * 62 + 2 * 1400 + 7);
}

/* A driver of a virtual machine may leave the number of segments open. */
static void tx__unknown_number_of_segments_is_one(void **state)
{
	struct sk_buff skb = {
		.dev = &nic, .data = frame, .transport = frame + 34, .tcp_header = 20,
		.len = 5000, .shared = { 1448, 0, SKB_GSO_TCPV6 },
	};

	nettoll_packets_tx(NULL, &skb, &nic);
	sent(1, 5000);
}

static void rx__counts_the_link_header_that_was_pulled(void **state)
{
	struct sk_buff skb = { .dev = &nic, .mac = frame, .data = frame + 14, .len = 1500 };

	nettoll_packets_rx(NULL, &skb);
	received(1, 1514);
	skb.mac = NULL;
	nettoll_packets_rx(NULL, &skb);
	received(2, 1514 + 1500);
}

static void rx__merged_by_hardware(void **state)
{
	struct sk_buff skb = {
		.dev = &nic, .mac = frame, .data = frame + 14, .len = 52 + 4 * 1448,
		.shared = { 1448, 4, SKB_GSO_TCPV4 },
	};

	nettoll_packets_rx(NULL, &skb);
	assert_int_equal(__this_cpu_read(nettoll_cpu.rx_packets), 4);
}

/* The probe runs in a span of somebody else, or in none. */
static void own_cost__goes_to_the_span_around_the_probe(void **state)
{
	struct sk_buff skb = { .dev = &nic, .data = frame, .len = 60 };
	struct nettoll_span span = { .own = 5 };

	nettoll_own_tx = 30;
	nettoll_own_rx = 20;
	nettoll_packets_tx(NULL, &skb, &nic);
	__this_cpu_write(nettoll_cpu.cur, &span);
	nettoll_packets_tx(NULL, &skb, &nic);
	assert_int_equal(span.own, 35);
	nettoll_packets_rx(NULL, &skb);
	assert_int_equal(span.own, 55);
	__this_cpu_write(nettoll_cpu.cur, NULL);
	sent(2, 120);
	received(1, 60);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(tx__single_packet, setup),
		cmocka_unit_test_setup(tx__device_on_top_of_another_does_not_count, setup),
		cmocka_unit_test_setup(tx__tcp_super_packet_repeats_its_headers, setup),
		cmocka_unit_test_setup(tx__udp_super_packet_with_a_short_end, setup),
		cmocka_unit_test_setup(tx__unknown_number_of_segments_is_one, setup),
		cmocka_unit_test_setup(rx__counts_the_link_header_that_was_pulled, setup),
		cmocka_unit_test_setup(rx__merged_by_hardware, setup),
		cmocka_unit_test_setup(own_cost__goes_to_the_span_around_the_probe, setup),
	};

	return cmocka_run_group_tests_name("packets", tests, NULL, NULL);
}
