#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Checksums of what is sent: whoever makes them, they are right on the wire, or 0 where a rule says none; and it is the CPU or
# the device that makes them, as the rule says. Without a rule nothing costs anything.
#
#   namespace a  NIC ---- NIC  namespace b      MTU 1500
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"
# shellcheck source=selftests/lib/csum.sh
. "$NTT_SELF/lib/csum.sh"

find_nics || ktap_skip_all "$no_nics"
ktap_plan 24
module_load
toll_detach
ns_add a b
ns_nics "${ns[a]}" "${ns[b]}"
dev=${nics[0]}
# Packets as they were on the wire.
ip netns exec "${ns[b]}" ethtool -K "${nics[1]}" gro off lro off >/dev/null 2>&1 || true
to4=10.66.3.2 to6=fd66:3::2
file=$NTT_DIR/stat

# wire ARGUMENT... - sends with csum_send, sets udp and tcp to what came by on the wire, and says who made sums.
wire() {
	back_start wire csum_wire "${ns[b]}" "${nics[1]}"
	back_ready wire ready
	toll_stat "$file" "$NTT_PROGS/csum_send" "$1" "$2" "${ns[b]}" "${ns[a]}" "${@:3}"
	pause 0.1
	back_end wire
	udp=$(grep ^udp "$NTT_DIR/wire.log") tcp=$(grep ^tcp "$NTT_DIR/wire.log")
	echo "=$* : $(cat "$file.out")"
	echo "=$udp | $tcp"
	summed=$(stat_calls "$file" skb_checksum_help)
	segmented=$(stat_calls "$file" __skb_gso_segment)
	echo "=skb_checksum_help $summed, __skb_gso_segment $segmented, skb_checksum $(stat_calls "$file" skb_checksum)"
}

# on_wire TEXT PACKETS GOOD ZERO - of the packets of a protocol; nothing is ever wrong. PACKETS: at least so many.
on_wire() {
	expect packets "$(field "$1" packets)" -ge "$2"
	expect 'right sums' "$(field "$1" good)" -ge "$3"
	expect 'no sums' "$(field "$1" zero)" -eq "$4"
	expect 'wrong sums' "$(field "$1" bad)" -eq 0
	expect 'largest' "$(field "$1" largest)" -le 1480
}

# all_right RULE CPU - every kind of packet has the right sum; CPU: whether the CPU made those of data.
all_right() {
	rules a ${1:+"$1"}
	wire udp "$to4" 1000 20
	on_wire "$udp" 20 20 0
	expect 'sums by the CPU' "$summed" "$([ "$2" = cpu ] && echo -ge || echo -eq)" "$([ "$2" = cpu ] && echo 20 || echo 0)"
	wire udp "$to6" 1000 20
	on_wire "$udp" 20 20 0
	expect 'sums by the CPU' "$summed" "$([ "$2" = cpu ] && echo -ge || echo -eq)" "$([ "$2" = cpu ] && echo 20 || echo 0)"
}
segments_right() {
	rules a ${1:+"$1"}
	wire tcp "$to4" 60000 3
	on_wire "$tcp" 100 100 0
	expect 'segmented by the CPU' "$segmented" "$2" 0
	wire tcp "$to6" 60000 3
	on_wire "$tcp" 100 100 0
}
gso_right() {
	rules a ${1:+"$1"}
	wire udp "$to4" 10000 4 1000
	on_wire "$udp" 40 40 0
	wire udp "$to6" 10000 4 1000
	on_wire "$udp" 40 40 0
}
fragments_right() {
	rules a ${1:+"$1"}
	wire udp "$to4" 9000 4
	on_wire "$udp" 28 0 0
	wire udp "$to6" 9000 4
}

counted() {
	rules a "$1"
	wire "$2" "$to4" "${@:4}"
	expect 'packets under the rule' "$(rule_count a csum_packets)" -ge "$3"
	expect fallbacks "$(rule_count a fallbacks)" = -
}

# IPv4 UDP alone, and there all of it.
none_on_wire() {
	rules a 'proto udp family ipv4 csum-tx none'
	wire udp "$to4" 1000 20
	on_wire "$udp" 20 0 20
	expect 'packets under the rule' "$(rule_count a csum_packets)" -eq 20
	expect 'sums by the CPU' "$summed" -eq 0
	wire udp "$to6" 1000 20
	on_wire "$udp" 20 20 0
	wire tcp "$to4" 20000 2
	on_wire "$tcp" 20 20 0
}
none_without_offload() {
	ip netns exec "${ns[a]}" ethtool -K "$dev" tx off >/dev/null 2>&1
	rules a 'proto udp family ipv4 csum-tx none'
	wire udp "$to4" 1000 20
	ip netns exec "${ns[a]}" ethtool -K "$dev" tx on sg on tso on gso on >/dev/null 2>&1
	on_wire "$udp" 20 0 20
}
none_of_segments() {
	rules a 'proto udp family ipv4 csum-tx none'
	wire udp "$to4" 10000 4 1000
	on_wire "$udp" 40 40 0
	expect_text fallbacks "$(rule_count a fallbacks)" '^own 4$'
}
# Another destination than the rule's keeps its sum.
none_of_another() {
	rules a 'proto udp family ipv4 remote 10.66.3.3 csum-tx none'
	wire udp "$to4" 1000 20
	on_wire "$udp" 20 20 0
}

hw_without_offload() {
	ip netns exec "${ns[a]}" ethtool -K "$dev" tx off >/dev/null 2>&1
	rules a
	wire tcp "$to4" 20000 3
	expect 'sums by the CPU, without a rule' $((summed + segmented)) -gt 0
	on_wire "$tcp" 40 40 0
	rules a 'csum-tx hw'
	wire tcp "$to4" 20000 3
	on_wire "$tcp" 40 40 0
	expect 'sums by the CPU, under hw' "$summed" -eq 0
	expect 'packets under the rule' "$(rule_count a csum_packets)" -ge 40
	wire udp "$to4" 1000 20
	on_wire "$udp" 20 20 0
	expect_text fallbacks "$(rule_count a fallbacks)" '^no-sg (19|20)$'
}
offload_on() { ip netns exec "${ns[a]}" ethtool -K "$dev" tx on sg on tso on gso on >/dev/null 2>&1; }

# Acknowledgements of a receiver that never sends are under the rule of the device, and under no other.
by_device() {
	rules a
	rules b "dev ${nics[1]} csum-tx sw"
	wire tcp "$to4" 60000 3
	expect 'sends under the rule' "$(rule_count b sends)" -eq 0
	expect 'packets under the rule' "$(rule_count b csum_packets)" -ge 3
	expect 'sums by the CPU' "$summed" -ge 3
	rules b "dev lo csum-tx sw"
	wire tcp "$to4" 60000 3
	expect 'packets under the rule of another' "$(rule_count b csum_packets)" -eq 0
	rules b 'local 10.66.3.2 csum-tx sw'
	wire tcp "$to4" 60000 3
	expect 'packets under a rule for sockets' "$(rule_count b csum_packets)" -eq 0
	rules b
}

# What netem damages, a device that is honest does not vouch for; the stack drops it, and audit finds no lie.
netem() {
	ip netns exec "${ns[a]}" tc qdisc replace dev "$dev" root netem corrupt 100%
	rules b 'csum-rx audit audit-rate 1/1'
	wire_bad=$(snmp b UdpInCsumErrors)
	"$NTT_PROGS/csum_send" udp "$to4" "${ns[b]}" "${ns[a]}" 1000 10 >"$NTT_DIR/netem" || true
	ip netns exec "${ns[a]}" tc qdisc del dev "$dev" root
	echo "=$(cat "$NTT_DIR/netem"), audited $(rule_count b audited)"
	expect 'damaged and delivered' "$(field "$(cat "$NTT_DIR/netem")" bad)" -eq 0
	expect 'dropped for their checksums' "$(snmp b UdpInCsumErrors)" -gt "$wire_bad"
	expect disagreed "$(rule_count b disagreed)" -eq 0
	rules b
}

toll attach skb_checksum_help __skb_gso_segment skb_checksum >/dev/null
ktap_test 'no rule: UDP is right, by the device' all_right '' device
ktap_test 'no rule: TCP is right' segments_right '' -ge
ktap_test 'no rule: segments of UDP are right' gso_right ''
ktap_test 'sw: UDP is right, by the CPU' all_right 'csum-tx sw' cpu
ktap_test 'sw: TCP is right, and segmented by the CPU' segments_right 'csum-tx sw' -gt
ktap_test 'sw: segments of UDP are right' gso_right 'csum-tx sw'
ktap_test 'sw: fragments are right' fragments_right 'csum-tx sw'
ktap_test 'sw: datagrams are counted' counted 'csum-tx sw' udp 20 1000 20
ktap_test 'sw: segments are counted' counted 'csum-tx sw' tcp 120 60000 3
ktap_test 'hw: UDP is right, by the device' all_right 'csum-tx hw' device
ktap_test 'hw: TCP is right' segments_right 'csum-tx hw' -ge
ktap_test 'hw: segments of UDP are right' gso_right 'csum-tx hw'
ktap_test 'hw: the device sums though its offload is off' hw_without_offload
offload_on
ktap_test 'none: no sum on UDP over IPv4, and on nothing else' none_on_wire
ktap_test 'none: also where the CPU had made it' none_without_offload
ktap_test 'none: segments keep theirs' none_of_segments
ktap_test 'none: fragments' fragments_right 'proto udp family ipv4 csum-tx none'
ktap_test 'none: another destination keeps its sum' none_of_another
ktap_test 'packets without a socket are under the rule of their device' by_device
ktap_test 'netem: damage that an honest device saw is no disagreement' netem
rules a
toll_detach

# What a datagram over loopback costs, in another namespace than those of the rules.
costs() {
	local line before held
	coproc COST { exec "$NTT_PROGS/cost"; }
	local pid=$COST_PID
	for _ in 1 2; do
		echo >&"${COST[1]}"
		read -r line <&"${COST[0]}"
	done
	before=$(field "$line" best)
	rules "$1" "$2"
	echo >&"${COST[1]}"
	read -r line <&"${COST[0]}"
	held=$(field "$line" best)
	rules "$1"
	echo >&"${COST[1]}"
	read -r line <&"${COST[0]}"
	echo "=50 datagrams: $before instructions, $held while another namespace has a rule, $(field "$line" best) after"
	kill "$pid"
	in_virtual_time || skip_here 'counts instructions, which needs the virtual clock (scripts/vm)'
	expect 'with a rule elsewhere' "$held" -gt "$before"
	expect 'a datagram, with a rule elsewhere' $(((held - before) / 50)) -le "$3"
	expect 'without a rule again' "$(field "$line" best)" -eq "$before"
}
ktap_test 'csum-rx: nothing without a rule, little for other namespaces' costs b 'csum-rx audit' 80
ktap_test 'csum-tx: nothing without a rule, little for other namespaces' costs a 'csum-tx sw' 200
ktap_test 'unload' module_unload 20
ktap_test 'the kernel does not complain' log_clean
ktap_finish
