#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Rules about checksums change, their devices come and go, and the module is unloaded, all under traffic on several CPUs: no byte
# is lost or altered, no audit of whole packets disagrees, and the kernel does not complain.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"
# shellcheck source=selftests/lib/csum.sh
. "$NTT_SELF/lib/csum.sh"

ktap_plan 6
# Each change of the rules waits for all CPUs, which may take seconds where these are emulated.
rounds=${NETTOLL_CHURN:-2}
modprobe tun 2>/dev/null || true
module_load
ns_add a b
ns_veth "${ns[a]}" "${ns[b]}"
# The device vouches for all that was summed before it came there, so that there is something to audit.
bpf=$NTT_DIR/bpf.$$
mkdir "$bpf"
mount -t bpf bpf "$bpf"
defer umount "$bpf"
prog liar "$bpf/liar"
ip netns exec "${ns[a]}" tc qdisc add dev veth0 clsact
ip netns exec "${ns[a]}" tc filter add dev veth0 egress bpf da object-pinned "$bpf/liar"

tx_rules=('csum-tx sw' 'dev veth0 csum-tx hw' 'proto udp family ipv4 csum-tx none' 'proto tcp csum-tx sw' 'csum-tx auto')
rx_rules=('csum-rx audit audit-rate 1/1' 'csum-rx sw' 'remote 10.66.1.0/24 csum-rx trust' 'proto tcp csum-rx audit audit-rate 1/3')

# sums on|off - whether the sending device can sum by itself; else the stack does before it sends.
sums() { ip netns exec "${ns[a]}" ethtool -K veth0 tx "$1" >/dev/null; }

# flipper NAME NAMESPACE RULE... - other rules again and again, so many rounds.
flipper() {
	local name=$1 where=$2 n=0
	shift 2
	local list=("$@")
	while [ "$n" -lt "$rounds" ]; do
		rules "$where" "${list[n % $#]}" "${list[(n + 1) % $#]}" || echo 'rules'
		n=$((n + 1))
		[ $((n % 3)) != 0 ] || rules "$where" || echo 'flush'
	done >"$NTT_DIR/$name.err" 2>&1
}

# Reads what was found, while devices come and go that have something to be found.
reader() {
	local n=0 tap
	while [ ! -e "$NTT_DIR/stop" ]; do
		n=$((n + 1)) tap=tap$((n % 3))
		sums "$([ $((n % 2)) = 0 ] && echo on || echo off)"
		toll csum --netns "${ns[b]}" --tsv >/dev/null || echo 'csum'
		prog csum_frames -N "${ns[b]}" -i "$tap" -m 02:00:00:00:00:0a -T napi -s 10.66.9.1 -d 10.66.9.2 -n 1 -w <<<$'go\ngo' >/dev/null 2>&1 &
		ip -n "${ns[b]}" link set "$tap" up 2>/dev/null || true
		wait $! || true
	done >"$NTT_DIR/reader.err" 2>&1
	echo "$n" >"$NTT_DIR/reader.rounds"
}

flips() {
	local pids=() pid reads
	rm -f "$NTT_DIR/stop"
	flipper tx a "${tx_rules[@]}" &
	pids+=($!)
	flipper rx b "${rx_rules[@]}" &
	pids+=($!)
	flipper both b "${rx_rules[@]}" "${tx_rules[@]}" &
	pids+=($!)
	reader &
	reads=$!
	for pid in "${pids[@]}"; do
		wait "$pid"
	done
	touch "$NTT_DIR/stop"
	wait "$reads"
	echo "=$rounds rounds of each, $(<"$NTT_DIR/reader.rounds") of who reads"
	expect 'rounds of who reads' "$(<"$NTT_DIR/reader.rounds")" -gt 0
	# Of rules that two change at once, one may find what it was to replace gone.
	[ ! -s "$NTT_DIR/tx.err" ] || { cat "$NTT_DIR/tx.err"; return 1; }
}

audited() {
	sums off
	rules a 'csum-tx sw'
	rules b 'csum-rx audit audit-rate 1/1'
	wait_until 2 some_audited
	sums on
	echo "=audited $(csum_of b veth0 audited)"
	expect 'disagreed' "$(csum_of b veth0 disagreed)" -eq 0
}
some_audited() { [ "$(csum_of b veth0 audited)" -gt 100 ]; }

unloads() {
	local i
	for i in 1 2; do
		module_load
		rules a "${tx_rules[i]}"
		rules b "${rx_rules[i]}"
		pause 0.3
		module_unload 60
		must_fail module_loaded
	done
}

traffic_whole() {
	cat "$NTT_DIR/pump.log"
	grep '^udp\|^tcp' "$NTT_DIR/pump.log" | sed 's/^/=/'
	expect 'exit status of the traffic' "$1" -eq 0
}

back_start pump pump -u 1 -t 1 -d 10.66.1.2 -A "${ns[a]}" -B "${ns[b]}" -n 19
back_ready pump pumping
ktap_test 'rules change and devices go under traffic' flips
ktap_test 'no audit of whole packets disagrees' audited
ktap_test 'the module is unloaded under rules and traffic' unloads
status=0
back_end pump || status=$?
ktap_test 'no byte lost or altered' traffic_whole "$status"
ktap_test 'unload' module_unload 20
ktap_test 'the kernel does not complain' log_clean
ktap_finish
