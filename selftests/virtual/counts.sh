#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Counts: what is called a known number of times is counted so often; the kernel's function tracer, in the same run, agrees;
# packets and bytes are those that passed the devices.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

ktap_plan 10
module_load
toll_attach auto
ns_add a b c d
ns_veth "${ns[a]}" "${ns[b]}"
if find_nics; then
	ns_nics "${ns[c]}" "${ns[d]}"
	# Each segment is a packet, as nettoll counts; the device counts what the driver was given.
	for i in 0 1; do
		ip netns exec "${ns[$([ "$i" = 0 ] && echo c || echo d)]}" ethtool -K "${nics[$i]}" tso off gso off gro off >/dev/null 2>&1
	done
fi
file=$NTT_DIR/stat

# calls N HOOK... - of each.
calls() {
	local n=$1 hook
	shift
	for hook; do
		expect "calls of $hook" "$(stat_calls "$file" "$hook")" -eq "$n"
	done
}

# packets PACKETS BYTES - sent and received.
packets() {
	expect 'packets sent' "$(stat_field "$file" tx_packets)" -eq "$1"
	expect 'packets received' "$(stat_field "$file" rx_packets)" -eq "$1"
	expect 'bytes sent' "$(stat_field "$file" tx_bytes)" -eq "$2"
	expect 'bytes received' "$(stat_field "$file" rx_bytes)" -eq "$2"
}

udp() {
	toll_stat "$file" "$NTT_PROGS/exchange" -n 137
	calls 137 __sys_sendto inet_sendmsg udp_sendmsg ip_make_skb ip_generic_getfrag udp_send_skb ip_send_skb ip_output \
		__dev_queue_xmit dev_hard_start_xmit process_backlog ip_rcv ip_local_deliver __udp4_lib_rcv \
		__udp_enqueue_schedule_skb __sys_recvfrom inet_recvmsg udp_recvmsg __skb_recv_udp \
		skb_consume_udp sock_wfree
	calls 0 udpv6_sendmsg tcp_sendmsg ip_append_data __sys_sendmmsg
	# Payload, UDP, IP and the loopback device's Ethernet header.
	packets 137 $((137 * (1000 + 8 + 20 + 14)))
}

udp6() {
	toll_stat "$file" "$NTT_PROGS/exchange" -n 59 -d ::1 -l 500
	calls 59 __sys_sendto inet6_sendmsg udpv6_sendmsg ip6_make_skb udp_v6_send_skb ip6_send_skb ip6_output ipv6_rcv __udp6_lib_rcv \
		__sys_recvfrom inet6_recvmsg udpv6_recvmsg skb_consume_udp
	calls 0 udp_sendmsg ip_make_skb __udp4_lib_rcv
	packets 59 $((59 * (500 + 8 + 40 + 14)))
}

by_call() {
	toll_stat "$file" "$NTT_PROGS/exchange" -n 24 -m sendmmsg
	calls 3 __sys_sendmmsg
	calls 24 udp_sendmsg
	toll_stat "$file" "$NTT_PROGS/exchange" -n 11 -m sendmsg -d ::1
	calls 0 __sys_sendto
	calls 11 udpv6_sendmsg
	toll_stat "$file" "$NTT_PROGS/exchange" -n 13 -m write
	calls 13 sock_write_iter udp_sendmsg
	toll_stat "$file" "$NTT_PROGS/exchange" -n 7 -m cork
	calls 14 udp_sendmsg ip_append_data
	calls 0 ip_make_skb
}

# The system calls of a stream are known to the program that made them.
tcp() {
	local out
	toll_stat "$file" "$NTT_PROGS/exchange" -p tcp -n 41 -l 30000
	out=$(<"$file.out")
	calls "$(field "$out" sends)" __sys_sendto inet_sendmsg tcp_sendmsg tcp_sendmsg_locked
	calls "$(field "$out" recvs)" __sys_recvfrom inet_recvmsg tcp_recvmsg tcp_recvmsg_locked
	expect 'segments received' "$(stat_calls "$file" tcp_v4_rcv)" -eq "$(stat_calls "$file" ip_local_deliver)"
}

# devices - sets counted to the packets and bytes that both devices have received and sent: rx, bytes, tx, bytes
devices() {
	local i
	local -a a b
	mapfile -t a < <(ip netns exec "$ns1" cat "/sys/class/net/$dev1/statistics"/{rx_packets,rx_bytes,tx_packets,tx_bytes})
	mapfile -t b < <(ip netns exec "$ns2" cat "/sys/class/net/$dev2/statistics"/{rx_packets,rx_bytes,tx_packets,tx_bytes})
	for i in 0 1 2 3; do counted[i]=$((a[i] + b[i] - before[i])); done
}

# Some drivers copy their counters out of the hardware only now and then.
have_counted() {
	devices
	[ "${counted[2]}" = "$(stat_field "$file" tx_packets)" ] && [ "${counted[0]}" = "${counted[2]}" ]
}

# as_devices NS1 DEV1 NS2 DEV2 ARGUMENT... - packets and bytes are the sum of what both devices counted.
as_devices() {
	local ns1=$1 dev1=$2 ns2=$3 dev2=$4
	local -a counted before=(0 0 0 0)
	shift 4
	devices
	before=("${counted[@]}")
	toll_stat "$file" "$NTT_PROGS/exchange" "$@"
	expect 'packets' "$(stat_field "$file" tx_packets)" -gt 10
	wait_until 5 have_counted ||
		{ echo "the devices counted ${counted[*]}"; cat "$file"; return 1; }
	expect 'packets received' "$(stat_field "$file" rx_packets)" -eq "${counted[0]}"
	expect 'bytes sent' "$(stat_field "$file" tx_bytes)" -eq "${counted[3]}"
	expect 'bytes received' "$(stat_field "$file" rx_bytes)" -eq "${counted[1]}"
}

veth_devices() { as_devices "${ns[a]}" veth0 "${ns[b]}" veth0 "$@"; }

nic_devices() {
	[ -z "$no_nics" ] || skip_here "$no_nics"
	as_devices "${ns[c]}" "${nics[0]}" "${ns[d]}" "${nics[1]}" "$@"
}

# A VLAN's packets pass two devices and are counted once, with their tag.
vlan() {
	toll_stat "$file" "$NTT_PROGS/exchange" -n 21 -d 10.66.2.2 -T "${ns[a]}" -R "${ns[b]}"
	expect 'packets sent' "$(stat_field "$file" tx_packets)" -eq 21
	expect 'packets received' "$(stat_field "$file" rx_packets)" -eq 21
}

# The function tracer on the same functions at the same time.
tracer() {
	local tracing=/sys/kernel/tracing/instances/nettoll-selftest hook seen
	# What netlink does not call as well, for the command's own requests.
	local hooks=(udp_sendmsg udp_recvmsg ip_make_skb __dev_queue_xmit __udp4_lib_rcv tcp_sendmsg tcp_ack tcp_v4_rcv ip_rcv
		process_backlog sock_alloc_send_pskb)
	mkdir "$tracing"
	echo "${hooks[*]}" >"$tracing/set_ftrace_filter"
	echo 4096 >"$tracing/buffer_size_kb"
	echo function >"$tracing/current_tracer"
	toll_stat "$file" bash -c "'$NTT_PROGS/exchange' -n 17; exec '$NTT_PROGS/exchange' -p tcp -n 5 -l 20000"
	echo 0 >"$tracing/tracing_on"
	grep -v '^#' "$tracing/trace" >"$NTT_DIR/trace"
	echo nop >"$tracing/current_tracer"
	rmdir "$tracing"
	for hook in "${hooks[@]}"; do
		seen=$(grep -c ": $hook <-" "$NTT_DIR/trace") || true
		expect "calls of $hook, as the function tracer saw" "$(stat_calls "$file" "$hook")" -eq "$seen"
	done
	echo "=$(grep -c . "$NTT_DIR/trace") calls seen by both"
}

ktap_test 'UDP over IPv4' udp
ktap_test 'UDP over IPv6' udp6
ktap_test 'sendmmsg, sendmsg, write, MSG_MORE' by_call
ktap_test 'TCP' tcp
ktap_test 'packets and bytes of a veth pair: UDP in fragments' veth_devices -n 15 -l 5000 -d 10.66.1.2 -T "${ns[a]}" -R "${ns[b]}"
ktap_test 'packets and bytes of NICs: UDP in fragments' nic_devices -n 15 -l 5000 -d 10.66.3.2 -T "${ns[c]}" -R "${ns[d]}"
ktap_test 'packets and bytes of NICs: TCP' nic_devices -p tcp -n 5 -l 20000 -d 10.66.3.2 -T "${ns[c]}" -R "${ns[d]}"
ktap_test 'packets of a VLAN count once' vlan
ktap_test 'the function tracer sees the same calls in the same run' tracer
ktap_test 'the kernel does not complain' log_clean
ktap_finish
