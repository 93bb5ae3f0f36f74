#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs as they are, iperf3, nuttcp, sockperf, socat and openssl, under rules of each kind: what they transfer and report is
# what it is without.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

# A rule for both ends each.
declare -A rule=(
	[none]='proto tcp lport 1 zerocopy off'
	[sync]='zerocopy sync min 1'
	[auto]='zerocopy auto min 1'
	[coalesce]='proto udp coalesce 16 late 300us'
	[csum]='csum-tx sw csum-rx audit audit-rate 1/1'
)
modes=(none sync csum coalesce auto)
programs=(iperf3 nuttcp sockperf socat openssl)
ktap_plan $((${#modes[@]} * ${#programs[@]} + 2))
modprobe tls 2>/dev/null || true
module_load
toll_detach
ns_add a b
if find_nics; then
	ns_nics "${ns[a]}" "${ns[b]}"
	to=10.66.3.2
else
	ns_veth "${ns[a]}" "${ns[b]}"
	to=10.66.1.2
fi
# Room for all that is sent, so that nothing is lost to a receiver that waits for a CPU.
for room in rmem_max wmem_max; do
	defer sysctl -qw "net.core.$room=$(sysctl -n "net.core.$room")"
	sysctl -qw "net.core.$room=8388608"
done
file=$NTT_DIR/file out=$NTT_DIR/out
# Digits, since openssl takes some letters for commands.
head -c 30000 /dev/urandom | od -An -vtx1 | tr -d ' \n' >"$file"

a() { ip netns exec "${ns[a]}" timeout -k 5 60 "$@"; }
# serves PROTOCOL PORT COMMAND... - a server in b, which listens when this returns; its process is in "server".
serves() {
	local how=$1 port=$2
	shift 2
	ip netns exec "${ns[b]}" timeout -k 5 60 "$@" <&"$wait_fd" >"$NTT_DIR/server.log" 2>"$NTT_DIR/server.err" &
	server=$!
	wait_until 30 listens "$how" "$port"
}
listens() { [ -n "$(ip netns exec "${ns[b]}" ss -Hnl "--$1" "sport = :$2")" ]; }

use_iperf3() {
	local said
	serves tcp 5201 iperf3 -s -1
	said=$(a iperf3 -c "$to" -n 1M -l 32K --json)
	wait "$server"
	expect 'bytes sent' "$(jq .end.sum_sent.bytes <<<"$said")" -ge 1048576
	# It does not count what comes after the sender has said that it is done.
	expect 'bytes received' "$(jq .end.sum_received.bytes <<<"$said")" -gt 0
	serves tcp 5201 iperf3 -s -1
	said=$(a iperf3 -c "$to" -u -b 20M -n 200K -l 1400 -w 2M --json)
	wait "$server"
	expect 'datagrams' "$(jq .end.sum.packets <<<"$said")" -ge 146
	expect 'datagrams lost' "$(jq .end.sum.lost_packets <<<"$said")" -eq 0
}

use_nuttcp() {
	local said
	serves tcp 5100 nuttcp -1 -P5100 -p5101
	said=$(a nuttcp -P5100 -p5101 -n16 -l65536 -fparse "$to")
	expect 'megabytes' "$(field "$said" megabytes)" = 1.0000
	wait "$server"
	wait_until 30 must_fail listens tcp 5100
	serves tcp 5100 nuttcp -1 -P5100 -p5101
	said=$(a nuttcp -u -P5100 -p5101 -n64 -l1400 -R20m -w2m -fparse "$to")
	expect 'datagrams' "$(field "$said" pkt)" -eq 64
	expect 'datagrams lost' "$(field "$said" drop)" -eq 0
	wait_until 30 must_fail listens tcp 5100
}

use_sockperf() {
	local said how options=(-i "$to" -p 5102)
	for how in udp tcp; do
		[ "$how" = udp ] || options+=(--tcp)
		serves "$how" 5102 sockperf server "${options[@]}"
		said=$(a sockperf ping-pong "${options[@]}" -t 1 -m 1400 --data-integrity)
		end_process "$server"
		expect_text "sockperf over $how" "$said" '# dropped messages = 0; # duplicated messages = 0; # out-of-order messages = 0'
		expect_text "sockperf over $how" "$said" 'ReceivedMessages=[1-9]'
		wait_until 30 must_fail listens "$how" 5102
	done
}

use_socat() {
	rm -f "$out"
	serves tcp 5103 socat -u TCP-LISTEN:5103,bind="$to",reuseaddr CREATE:"$out"
	a socat -u FILE:"$file" TCP:"$to":5103
	wait "$server"
	cmp "$file" "$out"
	rm -f "$out"
	serves udp 5104 socat -u -T4 UDP-RECV:5104,bind="$to" CREATE:"$out"
	a socat -u -b 1400 FILE:"$file" UDP-SENDTO:"$to":5104
	wait "$server"
	cmp "$file" "$out"
}

# As it is, and with the kernel's TLS where there is one.
use_openssl() {
	local conf before
	for conf in plain ktls; do
		serves tcp 5105 env OPENSSL_CONF="$NTT_DIR/$conf.cnf" openssl s_server -accept "$to:5105" -cert "$NTT_DIR/cert" -key "$NTT_DIR/key" \
			-quiet -naccept 1
		before=$(tls_used)
		a env OPENSSL_CONF="$NTT_DIR/$conf.cnf" openssl s_client -connect "$to:5105" -quiet -no_ign_eof <"$file" >"$out" 2>&1
		wait "$server" || true
		cmp "$file" "$NTT_DIR/server.log"
		[ "$conf" = plain ] || [ "$before" = none ] || expect 'sockets of the kernel'\''s TLS' "$(tls_used)" -gt "$before"
		wait_until 30 must_fail listens tcp 5105
	done
}
# shellcheck disable=SC2016 # of awk
tls_used() { ip netns exec "${ns[a]}" awk '$1 == "TlsTxSw" { n = $2 } END { print n == "" ? "none" : n }' /proc/net/tls_stat 2>/dev/null || echo none; }
prepare_openssl() {
	: >"$NTT_DIR/plain.cnf"
	printf '%s\n' 'openssl_conf = all' '[all]' 'ssl_conf = ssl' '[ssl]' 'system_default = tls' '[tls]' 'Options = KTLS' >"$NTT_DIR/ktls.cnf"
	printf '%s\n' '[req]' 'distinguished_name = name' '[name]' >"$NTT_DIR/req.cnf"
	OPENSSL_CONF=$NTT_DIR/req.cnf openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=b \
		-keyout "$NTT_DIR/key" -out "$NTT_DIR/cert" 2>/dev/null
}

under() {
	local where
	for where in a b; do
		echo "${rule[$1]}" | toll rule restore - --netns "${ns[$where]}" --quiet >/dev/null
	done
}

! command -v openssl >/dev/null || prepare_openssl
for mode in "${modes[@]}"; do
	under "$mode"
	for program in "${programs[@]}"; do
		if command -v "$program" >/dev/null; then
			ktap_test "$mode: $program" "use_$program"
		else
			ktap_skip "$mode: $program" "no $program"
		fi
	done
	[ "$mode" = none ] || ktap_note "$mode: $(toll rule --netns "${ns[a]}" --json | jq -c '.rules[0].counters | with_entries(select(.value != 0))')"
done
ktap_test 'the module goes' module_unload 60
ktap_test 'the kernel does not complain' log_clean
ktap_finish
