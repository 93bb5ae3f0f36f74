#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The closure: whatever way the traffic of one task takes, the self times of all hooks add up to the inclusive time of the
# outermost spans, to the cycle. Each case also names hooks that it must have met, so that it tests what it says.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

in_virtual_time || ktap_skip_all 'one CPU that nothing else uses: needs the virtual clock (scripts/vm)'

# What each case must meet | what it is | exchange's arguments. @A and @B are the namespaces on a veth pair and a VLAN on it,
# @C and @D those of the NICs.
cases=(
	'udp_sendmsg=20 __udp4_lib_rcv=20|UDP over IPv4, loopback|-n 20'
	'udpv6_sendmsg=20 __udp6_lib_rcv=20|UDP over IPv6, loopback|-n 20 -d ::1'
	'ip_append_data=40|UDP in two pieces each|-n 20 -m cork'
	'ip6_append_data=40|UDP in two pieces each, IPv6|-n 20 -m cork -d ::1'
	'__sys_sendmmsg=3|UDP by sendmmsg|-n 20 -m sendmmsg'
	'sock_write_iter=20|TCP by write|-p tcp -n 20 -m write'
	'tcp_v4_rcv tcp_ack tcp_recvmsg_locked|TCP over IPv4, loopback|-p tcp -n 10 -l 60000'
	'tcp_v6_rcv ip6_xmit|TCP over IPv6, loopback|-p tcp -n 10 -l 60000 -d ::1'
	'tcp_delack_timer|TCP with delayed acknowledgements|-p tcp -n 8 -E -P 60'
	'sched/sched_switch=5|UDP, the receiver asleep|-n 5 -S 30'
	'sched/sched_switch=5|TCP, the receiver asleep|-p tcp -n 5 -S 30'
	'process_backlog __dev_queue_xmit|UDP over a veth pair|-n 20 -d 10.66.1.2 -T @A -R @B'
	'ip_do_fragment=10 ip_defrag|UDP in fragments|-n 10 -l 8000 -d 10.66.1.2 -T @A -R @B'
	'ip6_fragment=10 ipv6_frag_rcv|UDP in fragments, IPv6|-n 10 -l 8000 -d fd66:1::2 -T @A -R @B'
	'tcp_write_xmit|TCP over a veth pair|-p tcp -n 10 -l 60000 -d 10.66.1.2 -T @A -R @B'
	'__dev_queue_xmit=40|UDP over a VLAN|-n 20 -d 10.66.2.2 -T @A -R @B'
	'ip6_xmit|TCP over a VLAN, IPv6|-p tcp -n 10 -l 60000 -d fd66:2::2 -T @A -R @B'
	'handle_irq_event __napi_poll napi_gro_receive=20|UDP over NICs|-n 20 -d 10.66.3.2 -T @C -R @D'
	'ip6_fragment=10 sch_direct_xmit|UDP in fragments over NICs, IPv6|-n 10 -l 8000 -d fd66:3::2 -T @C -R @D'
	'tcp_v4_rcv handle_irq_event|TCP over NICs|-p tcp -n 10 -l 60000 -d 10.66.3.2 -T @C -R @D'
	'tcp_v6_rcv handle_irq_event|TCP over NICs, IPv6|-p tcp -n 10 -l 60000 -d fd66:3::2 -T @C -R @D'
)
module_load
backends=(auto kretprobe)
! has_backend fprobe || backends+=(fprobe)
ktap_plan $((${#backends[@]} * (${#cases[@]} + 1) + 2))
ns_add a b c d
ns_veth "${ns[a]}" "${ns[b]}"
if find_nics; then
	ns_nics "${ns[c]}" "${ns[d]}"
fi

run_case() { # BACKEND MEETS ARGUMENTS
	local args missed file=$NTT_DIR/stat
	args=${3//@A/${ns[a]}}
	args=${args//@B/${ns[b]}}
	args=${args//@C/${ns[c]}}
	args=${args//@D/${ns[d]}}
	[[ $3 != *@C* || -z $no_nics ]] || skip_here "$no_nics"
	# shellcheck disable=SC2086 # a list of words
	toll_stat "$file" "$NTT_PROGS/exchange" $args
	stat_closed "$file"
	# An interrupt that comes while a kretprobe's handler runs is not seen by other kretprobes: a few calls of some
	# thousand. They are reported as missed, and their time is their callers'. All else sees every call.
	missed=$(stat_field "$file" missed)
	if [ "$1" = kretprobe ]; then
		expect missed "$missed" -le $(($(stat_sum "$file" calls) / 100))
	else
		expect missed "$missed" -eq 0
	fi
	awk -F '\t' -v meets="$2" -v missed="$missed" '
		/^#/ { next }
		!at { for (i = 1; i <= NF; i++) c[$i] = i; at = c["calls"]; next }
		{ calls[$c["hook"]] += $at; if ($c["cycles"] + 0 < 0 || $c["cycles"] + 0 > 1e15) { print "self time of " $0; bad = 1 } }
		END {
			n = split(meets, m, " ")
			for (i = 1; i <= n; i++) {
				split(m[i], p, "=")
				if (p[2] != "" ? calls[p[1]] > p[2] || calls[p[1]] + missed < p[2] : !calls[p[1]]) {
					print "met " p[1] " " calls[p[1]] + 0 " times, not " (p[2] != "" ? p[2] : "once")
					bad = 1
				}
			}
			exit bad
		}' "$file"
	[ "$missed" = 0 ] || echo "=$missed missed; so far, by hook:$(missed_by_hook)"
}

missed_by_hook() {
	toll hooks --tsv |
		awk -F '\t' '/^#/ { next } !n { for (i = 1; i <= NF; i++) if ($i == "missed") n = i; next } $n { printf " %s=%s", $1, $n }'
}

# The same from the JSON document, by another reader.
json_agrees() {
	toll stat --no-attach --json -- "$NTT_PROGS/exchange" -n 3 >"$NTT_DIR/json" 2>&1
	sed -i '/^messages=/d' "$NTT_DIR/json"
	jq -e '.self_cycles == .inclusive_cycles and .closure_percent == 100 and .self_cycles > 0 and
		([.totals[], .wait[] | select(.direction != "all") | .cycles + .own_cycles] | add) == .self_cycles' "$NTT_DIR/json" >/dev/null ||
		{ cat "$NTT_DIR/json"; return 1; }
}

attach() { toll_attach "$1"; }

for backend in "${backends[@]}"; do
	ktap_test "$backend: attach all hooks" attach "$backend"
	for case in "${cases[@]}"; do
		IFS='|' read -r meets what args <<<"$case"
		ktap_test "$backend: $what" run_case "$backend" "$meets" "$args"
	done
	[ "$backend" != auto ] || ktap_test 'the JSON document says the same' json_agrees
done
ktap_test 'the kernel does not complain' log_clean
ktap_finish
