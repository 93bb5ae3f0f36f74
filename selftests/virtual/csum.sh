#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Checksums of what is received: a device that vouches for damaged packets is believed, found out by audit, and overruled by sw;
# peers that are trusted, and no others, are not verified.
#
#   namespace a  veth0 ---- veth0  namespace b     a lies about checksums
#                           tap-*
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"
# shellcheck source=selftests/lib/csum.sh
. "$NTT_SELF/lib/csum.sh"

ktap_plan 25
module_load
toll_detach
ns_add a b
ns_veth "${ns[a]}" "${ns[b]}"
mac=$(ip netns exec "${ns[b]}" cat /sys/class/net/veth0/address)
tracing=/sys/kernel/tracing
[ -d "$tracing/events" ] || mount -t tracefs tracefs "$tracing"

# Somebody who takes the datagrams to port 9 of every address.
back_start sink csum_sink "${ns[b]}" 9
back_ready sink ready

bpf=$NTT_DIR/bpf.$$
mkdir "$bpf"
mount -t bpf bpf "$bpf"
defer umount "$bpf"
prog liar "$bpf/liar"
ip netns exec "${ns[a]}" tc qdisc add dev veth0 clsact

lie() { ip netns exec "${ns[a]}" tc filter add dev veth0 egress bpf da object-pinned "$bpf/liar"; }
honest() { ip netns exec "${ns[a]}" tc filter del dev veth0 egress; }

# gro on|off - of the end that receives: with it, packets go by NAPI.
gro() { ip netns exec "${ns[b]}" ethtool -K veth0 gro "$1" >/dev/null; }

# frames ARGUMENT... - from a to b over the veth pair, UDP over IPv4 unless the arguments say otherwise.
frames() { prog csum_frames -N "${ns[a]}" -i veth0 -m "$mac" "$@" >/dev/null; }
v4=(-s 10.66.1.1 -d 10.66.1.2)
v6=(-s fd66:1::1 -d fd66:1::2)

udp_in=(UdpInDatagrams Udp6InDatagrams)
udp_bad=(UdpInCsumErrors Udp6InCsumErrors)

# seen COMMAND... - sets delivered and dropped to the datagrams that b took, and that it dropped for their checksums, meanwhile.
seen() {
	local in bad
	in=$(snmp b "${udp_in[@]}") bad=$(snmp b "${udp_bad[@]}")
	"$@"
	# The last may still be on its way through a queue.
	wait_until 5 arrived $((in + bad)) || true
	delivered=$(($(snmp b "${udp_in[@]}") - in))
	dropped=$(($(snmp b "${udp_bad[@]}") - bad))
}
arrived() { [ $(($(snmp b "${udp_in[@]}" "${udp_bad[@]}"))) -gt "$1" ] && pause 0.05; }

# expect_seen DELIVERED DROPPED
expect_seen() {
	expect 'delivered' "$delivered" -eq "$1"
	expect 'dropped for their checksums' "$dropped" -eq "$2"
}

auto_believes() {
	rules b
	seen frames "${v4[@]}" -n 20 -c bad
	expect_seen 20 0
}

sw_finds() {
	rules b 'csum-rx sw'
	seen frames "$@" -n 20 -c bad
	expect_seen 0 20
	seen frames "$@" -n 20 -c good
	expect_seen 20 0
	expect 'packets under the rule' "$(rule_count b csum_packets)" -eq 40
}

# audits HOW... - every packet that is vouched for; all are delivered.
audits() {
	local before
	before=$(csum_of b veth0 disagreed)
	rules b 'csum-rx audit audit-rate 1/1'
	seen frames "$@" -n 20 -c bad
	expect_seen 20 0
	expect audited "$(rule_count b audited)" -eq 20
	expect disagreed "$(rule_count b disagreed)" -eq 20
	expect 'disagreed, of the device' "$(csum_of b veth0 disagreed)" -eq $((before + 20))
	seen frames "$@" -n 20 -c good
	expect_seen 20 0
	expect 'audited in the end' "$(rule_count b audited)" -eq 40
	expect 'disagreed in the end' "$(rule_count b disagreed)" -eq 20
}

one_in_eight() {
	rules b 'csum-rx audit audit-rate 1/8'
	seen frames "${v4[@]}" -n 80 -c bad
	expect_seen 80 0
	expect audited "$(rule_count b audited)" -eq 10
	expect disagreed "$(rule_count b disagreed)" -eq 10
}

vlan_too() {
	rules b 'dev veth0 csum-rx audit audit-rate 1/1'
	seen frames -s 10.66.2.1 -d 10.66.2.2 -v 7 -n 10 -c bad
	expect_seen 10 0
	seen frames -s fd66:2::1 -d fd66:2::2 -v 7 -n 10 -c bad
	expect_seen 10 0
	expect disagreed "$(rule_count b disagreed)" -eq 20
	rules b 'dev veth0 csum-rx sw'
	seen frames -s 10.66.2.1 -d 10.66.2.2 -v 7 -n 10 -c bad
	expect_seen 0 10
}

# What has no checksum of TCP or UDP that could be verified is passed, and says so.
passes() {
	local before
	before=$(csum_of b veth0 passed)
	rules b 'csum-rx audit audit-rate 1/1'
	frames "${v4[@]}" -n 5 -f -c bad
	frames "${v4[@]}" -n 7 -c zero
	wait_until 5 passed_more $((before + 12))
	expect audited "$(rule_count b audited)" -eq 0
}
passed_more() { [ "$(csum_of b veth0 passed)" -ge "$1" ]; }

tcp_too() {
	local errors
	errors=$(snmp b TcpInCsumErrors)
	rules b 'csum-rx audit audit-rate 1/1'
	frames "$@" -t -n 10 -c bad
	wait_until 5 disagreed 10
	expect 'dropped for their checksums' "$(snmp b TcpInCsumErrors)" -eq "$errors"
	rules b 'csum-rx sw'
	frames "$@" -t -n 10 -c bad
	wait_until 5 tcp_errors $((errors + 10))
}
disagreed() { [ "$(rule_count b disagreed)" -eq "$1" ]; }
tcp_errors() { [ "$(snmp b TcpInCsumErrors)" -eq "$1" ]; }

# A rule is for the packets that it matches, and auto keeps later rules off.
first_match() {
	rules b 'proto udp remote 10.66.1.1 rport 4000 lport 9 dev veth0 csum-rx auto' 'proto udp csum-rx sw'
	seen frames "${v4[@]}" -n 10 -c bad
	expect_seen 10 0
	seen frames "${v6[@]}" -n 10 -c bad
	expect_seen 0 10
	rules b 'remote 10.66.1.3 csum-rx sw' 'rport 4001 csum-rx sw' 'lport 10 csum-rx sw' 'dev veth9 csum-rx sw' 'proto tcp csum-rx sw'
	seen frames "${v4[@]}" -n 10 -c bad
	expect_seen 10 0
}

by_default() {
	rules b
	ip netns exec "${ns[b]}" sysctl -qw net.nettoll.csum_rx=1
	seen frames "${v4[@]}" -n 10 -c bad
	expect_seen 0 10
	must_fail ip netns exec "${ns[b]}" sysctl -qw net.nettoll.csum_rx=2
	ip netns exec "${ns[b]}" sysctl -qw net.nettoll.csum_rx=0
	seen frames "${v4[@]}" -n 10 -c bad
	expect_seen 10 0
}

# The event has what is wrong with whom.
traces() {
	local line
	echo >"$tracing/trace"
	echo 1 >"$tracing/events/nettoll/csum_mismatch/enable"
	rules b 'csum-rx audit audit-rate 1/1'
	seen frames "${v4[@]}" -n 3 -c bad
	seen frames "${v6[@]}" -n 2 -c bad
	echo 0 >"$tracing/events/nettoll/csum_mismatch/enable"
	expect 'events' "$(grep -c csum_mismatch: "$tracing/trace")" -eq 5
	line=$(grep -m 1 csum_mismatch: "$tracing/trace")
	echo "=$line"
	expect_text 'the event' "$line" 'dev=veth0 ifindex=[0-9]+ rule=[0-9]+ protocol=17 saddr=::ffff:10.66.1.1 sport=4000 daddr=::ffff:10.66.1.2 dport=9 length=108 complete=0'
	expect_text 'its bytes' "$line" 'head=45000080'
	expect_text 'the other family' "$(grep csum_mismatch: "$tracing/trace" | tail -n 1)" 'saddr=fd66:1::1 sport=4000 daddr=fd66:1::2 .* head=6000'
	# The bit that was flipped is worth 0x0010 of the sum.
	[[ $line =~ found=(0x....)\ computed=(0x....) ]]
	expect_text 'difference of the sums' $((BASH_REMATCH[1] - BASH_REMATCH[2])) '^-?16$'
}

shows() {
	local header
	header=$(csum_of b veth0 last_header)
	expect_text 'the last header' "$header" '^6000000000(6c|6d)'
	expect 'its length' "${#header}" -eq 128
	expect_text 'the time' "$(csum_of b veth0 last_time)" '^20[0-9-]*T[0-9:.]*Z$'
	expect vouched "$(csum_of b veth0 last_vouched)" = unnecessary
	expect 'rule' "$(csum_of b veth0 last_rule)" -gt 0
	toll csum --netns "${ns[b]}" | grep "^last of veth0: $header"
	toll csum --netns "${ns[b]}" --json >"$NTT_DIR/csum.json"
	if /usr/bin/python3 -I -c 'import jsonschema' 2>/dev/null; then
		expect_text 'the schema' "$(printf 'csum\t%s\n' "$NTT_DIR/csum.json" |
			/usr/bin/python3 -I "$NTT_SELF/lib/json_check.py" "$NTT_TOP/Documentation/json-schema" 2>&1)" '^ok '
	fi
	must_fail setpriv --reuid 65534 --clear-groups "$NTT_CLI" csum
}

# trusts KIND PEER DELIVERED DROPPED - packets that the tap device does not vouch for, by each of the functions that drivers hand them up by.
trusts() {
	local tap=tap-$1
	modprobe tun 2>/dev/null || true
	[ -e /dev/net/tun ] || skip_here 'this kernel has no tap devices'
	back_start tap csum_frames -N "${ns[b]}" -i "$tap" -m 02:00:00:00:00:0a -T "$1" -s 10.66.9.1 -d 10.66.9.2 -n 10 -c bad -w
	back_ready tap ready
	ip -n "${ns[b]}" link set "$tap" address 02:00:00:00:00:0a up
	ip -n "${ns[b]}" addr add 10.66.9.2/24 dev "$tap"
	rules b "remote $2 csum-rx trust"
	seen tap_go
	expect_seen "$3" "$4"
	back_end tap
}
tap_go() { back_tell tap go; back_ready tap frames; }

# Loopback's packets were never summed, and are left alone.
loopback_same() {
	rules b 'csum-rx sw'
	"$NTT_PROGS/csum_send" udp 10.66.1.2 "${ns[b]}" "${ns[b]}" 1000 20
	"$NTT_PROGS/csum_send" tcp fd66:1::2 "${ns[b]}" "${ns[b]}" 60000 5
	"$NTT_PROGS/csum_send" tcp 10.66.1.2 "${ns[b]}" "${ns[a]}" 60000 5
}

lie
for how in off on; do
	gro "$how"
	ktap_test "GRO $how: without a rule damaged packets are delivered" auto_believes
	ktap_test "GRO $how: sw drops them and no others" sw_finds "${v4[@]}"
	ktap_test "GRO $how: sw, IPv6" sw_finds "${v6[@]}"
	ktap_test "GRO $how: audit finds each of them" audits "${v4[@]}"
	ktap_test "GRO $how: audit, IPv6" audits "${v6[@]}"
	ktap_test "GRO $how: TCP" tcp_too "${v4[@]}"
done
ktap_test 'audit of one in eight' one_in_eight
ktap_test 'audit behind a VLAN tag' vlan_too
ktap_test 'fragments and datagrams without a checksum are passed' passes
ktap_test 'the first rule that matches and says csum-rx counts' first_match
ktap_test 'the sysctl is for what no rule is for' by_default
ktap_test 'a trace event for each disagreement' traces
ktap_test 'nettoll csum shows the last of them' shows
honest
ktap_test 'packets that nobody summed are left alone' loopback_same
ktap_test 'trust: a peer, by netif_receive_skb' trusts plain 10.66.9.0/24 10 0
ktap_test 'trust: a peer, by napi_gro_receive' trusts napi 10.66.9.1 10 0
ktap_test 'trust: a peer, by napi_gro_frags' trusts frags 10.66.9.1 10 0
ktap_test 'trust: another is verified' trusts frags 10.66.9.2/31 0 10
rules b
back_end sink
ktap_test 'the kernel does not complain' log_clean
ktap_finish
