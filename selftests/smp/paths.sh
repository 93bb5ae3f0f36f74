#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What lies on the way of packets that nobody copied, or that were gathered: address translation at both ends, captures at both ends, of
# which one is stopped, and a path that loses, doubles, reorders and damages. Every byte arrives as it was sent.
# And a wire that damages packets, behind which a device vouches for them: audit finds it.
#
#   namespace a  nic or veth0 ---- nic or veth0  namespace b
#                veth1 ---- veth1  namespace m  veth2 ---- veth2  namespace b      m forwards, damages and lies
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"
# shellcheck source=selftests/lib/csum.sh
. "$NTT_SELF/lib/csum.sh"

modes=('zerocopy sync min 1' 'zerocopy pool min 1' 'zerocopy auto min 1' 'proto udp coalesce 8 late 20ms')
ktap_plan $((3 * ${#modes[@]} + 5))
module_load
toll_detach
ns_add a m b
here=${ns[a]} there=${ns[b]}
if find_nics; then
	ns_nics "$here" "$there"
	net=3 dev=${nics[0]} peer=${nics[1]}
else
	ns_veth "$here" "$there"
	net=1 dev=veth0 peer=veth0
fi
ip -n "$here" link set "$dev" mtu 9000
ip -n "$there" link set "$peer" mtu 9000
wait_until 30 ns_carrier "$here" "$dev"
wait_until 30 ns_carrier "$there" "$peer"
to=10.66.$net.2

# sends ARGUMENT... - datagrams and a stream of both, as the mode wants them.
sends() { # MODE ADDRESS
	local pool=()
	[[ $1 != *pool* ]] || pool=(-b pool)
	if [[ $1 = *coalesce* ]]; then
		prog scribble -t "$here" -r "$there" -d "$2" -l 1200 -n 64 -c sendmmsg -k 16
	else
		prog scribble -t "$here" -r "$there" -d "$2" -l 8000 -n 16 "${pool[@]}"
	fi
	prog scribble -p tcp -t "$here" -r "$there" -d "$2" -l 100000 -n 6 "${pool[@]}"
}

under() { # MODE COMMAND...
	local mode=$1
	shift
	rules a "$mode"
	"$@" "$mode"
	echo "=$(toll rule --netns "$here" --json | jq -c '.rules[0].counters | {sends, zerocopy_bytes, copied_bytes, batches} | with_entries(select(.value))')"
}

# The receiver's address is known to none but its own namespace: the sender's translates it into one that is on the wire, and
# the receiver's back. The sender's own address changes, too.
translates() {
	ip -n "$there" addr add 10.66.77.2/32 dev lo
	ip -n "$here" route add 10.66.77.2/32 dev "$dev" via "$to"
	ip -n "$here" addr add "10.66.$net.77/24" dev "$dev"
	ip netns exec "$here" nft -f - <<-END
		table ip t {
			chain out { type nat hook output priority -100; ip daddr 10.66.77.2 counter dnat to $to; }
			chain post { type nat hook postrouting priority 100; oif "$dev" counter snat to 10.66.$net.77; }
		}
	END
	ip netns exec "$there" nft -f - <<-END
		table ip t {
			chain pre { type nat hook prerouting priority -100; ip daddr $to counter dnat to 10.66.77.2; }
			chain watch { type filter hook input priority 0; ct status dnat ip saddr 10.66.$net.77 counter; }
		}
	END
}
through_nat() {
	local before
	before=$(translated)
	sends "$1" 10.66.77.2
	expect 'packets translated' "$(translated)" -gt $((before + 10))
}
translated() { ip netns exec "$there" nft -j list chain ip t watch | jq '[.. | .counter? | objects | .packets] | add'; }
untranslated() {
	ip netns exec "$here" nft delete table ip t
	ip netns exec "$there" nft delete table ip t
	ip -n "$here" addr del "10.66.$net.77/24" dev "$dev"
}

# captures N - so many sockets of the sender's namespace see its packets.
captures() { [ "$(ip netns exec "$1" cat /proc/net/packet | wc -l)" -gt "$2" ]; }
captured() {
	local pids=() pid
	ip netns exec "$here" tcpdump -Z root -U -s 0 -i "$dev" -w "$NTT_DIR/a.pcap" udp 2>/dev/null &
	pids+=($!)
	ip netns exec "$there" tcpdump -Z root -U -s 0 -i "$peer" -w "$NTT_DIR/b.pcap" udp 2>/dev/null &
	pids+=($!)
	# It has packets in its queue for as long as it is stopped.
	ip netns exec "$here" tcpdump -Z root -s 0 -i "$dev" -w /dev/null 2>/dev/null &
	pids+=($!)
	wait_until 60 captures "$here" 2
	wait_until 60 captures "$there" 1
	kill -STOP "${pids[2]}"
	sends "$1" "$to"
	wait_until 60 seen_by a
	wait_until 60 seen_by b
	kill -CONT "${pids[2]}"
	for pid in "${pids[@]}"; do
		kill -INT "$pid"
		wait "$pid" || true
	done
}
# Of datagrams, the last has been written; what was gathered may be in one.
seen_by() { [ "$(tcpdump -Z root -nr "$NTT_DIR/$1.pcap" 2>/dev/null | awk '{ n += $NF } END { print n + 0 }')" -ge 76800 ]; }

# Datagrams may be lost there, so that only the stream says that all arrived.
over_bad_path() {
	local pool=() i status=0
	[[ $1 != *pool* ]] || pool=(-b pool)
	tc -n "$here" qdisc replace dev "$dev" root netem delay 200us loss 2% duplicate 2% reorder 10% corrupt 2% limit 10000
	prog scribble -p tcp -t "$here" -r "$there" -d "$to" -l 100000 -n 6 "${pool[@]}" || status=1
	tc -n "$here" qdisc del dev "$dev" root
	return "$status"
}

# Packets that are made here have their sums when they leave a, are damaged by m, which vouches for them, and come to b.
wire() {
	local bpf=$NTT_DIR/bpf.$$
	ip -n "$here" link add veth1 type veth peer name veth1 netns "${ns[m]}"
	ip -n "${ns[m]}" link add veth2 type veth peer name veth2 netns "$there"
	ip -n "$here" addr add 10.66.8.1/24 dev veth1
	ip -n "${ns[m]}" addr add 10.66.8.9/24 dev veth1
	ip -n "${ns[m]}" addr add 10.66.9.9/24 dev veth2
	ip -n "$there" addr add 10.66.9.2/24 dev veth2
	for i in "$here veth1" "${ns[m]} veth1" "${ns[m]} veth2" "$there veth2"; do
		ip -n "${i% *}" link set "${i#* }" up
		ip netns exec "${i% *}" ethtool -K "${i#* }" tx off tso off gso off gro off >/dev/null
	done
	ip -n "$here" route add 10.66.9.0/24 via 10.66.8.9
	ip -n "$there" route add 10.66.8.0/24 via 10.66.9.9
	ip netns exec "${ns[m]}" sysctl -qw net.ipv4.ip_forward=1
	ip netns exec "$here" ping -qc 1 -W 5 10.66.9.2 >/dev/null
	mkdir "$bpf"
	mount -t bpf bpf "$bpf"
	prog liar "$bpf/liar"
	ip netns exec "${ns[m]}" tc qdisc add dev veth2 clsact
	ip netns exec "${ns[m]}" tc filter add dev veth2 egress bpf da object-pinned "$bpf/liar"
	umount "$bpf"
	tc -n "${ns[m]}" qdisc add dev veth2 root netem corrupt 30% limit 10000
}

# blast ADDRESS N - datagrams of a program.
# shellcheck disable=SC2016 # the inner shell expands it
blast() { ip netns exec "$here" bash -c 'exec 3>"/dev/udp/$1/9"; for ((i = 0; i < $2; i++)); do printf "%0500d" "$i" >&3 || true; done' _ "$@"; }

damaged() {
	local errors
	rules b 'csum-rx audit audit-rate 1/1'
	blast 10.66.9.2 150
	wait_until 30 csum_more veth2 disagreed 10
	echo "=of $(csum_of b veth2 audited) datagrams $(csum_of b veth2 disagreed) disagreed"
	expect 'agreed' "$(csum_of b veth2 audited)" -gt "$(csum_of b veth2 disagreed)"
	errors=$(snmp b UdpInCsumErrors)
	expect 'dropped by the stack, which believed the device' "$errors" -eq 0
	rules b 'csum-rx sw'
	blast 10.66.9.2 100
	wait_until 30 errors_more 10
}
csum_more() { [ "$(csum_of b "$1" "$2")" -ge "$3" ]; }
errors_more() { [ "$(snmp b UdpInCsumErrors)" -ge "$1" ]; }

# The tunnel's own sum, which the device vouches for, covers what is within: of that there is a sum of all bytes, and a wrong one.
complete() {
	local last
	ip -n "$here" link add vx0 type vxlan id 5 local 10.66.8.1 remote 10.66.9.2 dstport 4789 udpcsum
	ip -n "$there" link add vx0 type vxlan id 5 local 10.66.9.2 remote 10.66.8.1 dstport 4789 udpcsum
	for i in "$here 1" "$there 2"; do
		ip -n "${i% *}" addr add "10.66.10.${i#* }/24" dev vx0
		ip -n "${i% *}" link set vx0 up
	done
	ip -n "$here" neigh replace 10.66.10.2 lladdr "$(ip netns exec "$there" cat /sys/class/net/vx0/address)" dev vx0 nud permanent
	rules b 'dev vx0 csum-rx audit audit-rate 1/1'
	blast 10.66.10.2 200
	wait_until 30 csum_more vx0 disagreed 5
	echo "=of $(csum_of b vx0 audited) datagrams $(csum_of b vx0 disagreed) disagreed"
	last=$(toll csum --netns "$there" vx0 --json)
	expect_text 'the last' "$last" '"complete"'
}

if command -v nft >/dev/null; then
	translates
	for mode in "${modes[@]}"; do
		ktap_test "through address translation: $mode" under "$mode" through_nat
	done
	untranslated
else
	for mode in "${modes[@]}"; do
		ktap_skip "through address translation: $mode" 'no nft'
	done
fi
for mode in "${modes[@]}"; do
	if command -v tcpdump >/dev/null; then
		ktap_test "captured at both ends: $mode" under "$mode" captured
	else
		ktap_skip "captured at both ends: $mode" 'no tcpdump'
	fi
done
# Of datagrams, some would be lost.
for mode in "${modes[@]:0:3}"; do
	ktap_test "loss, duplicates, disorder and damage: $mode" under "$mode" over_bad_path
done
rules a
back_start sink csum_sink "$there" 9
back_ready sink ready
ktap_test 'a wire that damages, and a device that vouches for it' wire
ktap_test 'audit finds what was let through' damaged
ktap_test 'also where the device gives the sum of all bytes' complete
rules b
ktap_test 'nothing is left of it' expect 'references of the module' "$(module_refs)" -eq 0
ktap_test 'the module goes' module_unload 60
ktap_test 'the kernel does not complain' log_clean
ktap_finish
