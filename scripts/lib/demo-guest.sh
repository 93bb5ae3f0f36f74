#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The demo inside the test VM: two hosts out of two NICs on one wire, and the UDP ladder between them. With --check, says
# in KTAP whether the ladder reached what the documentation promises.
set -euo pipefail
cd -- "$(dirname -- "$(readlink -f -- "$0")")/../.."
out=${NETTOLL_DEMO_OUT:?scripts/demo runs this in the test VM}
check=0
[ "${1:-}" != --check ] || check=1

nic() { # N - the device with the Nth hardware address of the VM
	local path
	path=$(grep -l "^52:54:00:00:00:0$1$" /sys/class/net/*/address) || { echo "the VM has no NIC $1" >&2; exit 1; }
	path=${path%/address}
	echo "${path##*/}"
}
for i in 1 2; do
	dev=$(nic "$i")
	ip netns add "node$i"
	ip link set "$dev" netns "node$i" name eth0
	# Nobody else may speak on the wire while it is measured.
	ip netns exec "node$i" sysctl -qw net.ipv6.conf.all.disable_ipv6=1
	ip -n "node$i" link set lo up
	ip -n "node$i" addr add "10.0.0.$i/24" dev eth0
	ip -n "node$i" link set eth0 up
done
insmod "build/$(uname -r)/nettoll.ko"

status=0
# climb LADDER NAME - climbs ladders/LADDER.json and leaves NAME.txt, .json, .svg and .log. Prints one line a rung as it is done.
climb() {
	userspace/build/nettoll ladder "ladders/$1.json" --json="$out/$2.json" --svg "$out/$2.svg" \
		2>"$out/$2.log" | tee "$out/$2.txt" | sed -u '/^ladder: /d' || status=$?
	grep -v '^rung \|^interaction ' "$out/$2.log" >&2 || true
	[ "$status" = 0 ] || { rmmod nettoll; exit "$status"; }
}

# Some three minutes of seven rungs, and less for each of the others.
climb udp-1.28g ladder
climb udp-unmodified-1.28g unmodified
climb udp-1500-1.28g mtu-1500
rmmod nettoll

number=0
# expect WHAT VALUE CONDITION [NAME] - passes when the jq condition holds for the value, a jq filter on the document
expect() {
	local got
	number=$((number + 1))
	if ! got=$(jq -c "$2" "$out/${4:-ladder}.json" 2>&1); then
		echo "not ok $number $1 (jq: $got)"
		status=1
	elif [ "$(jq -n --argjson value "$got" "\$value | $3")" = true ]; then
		echo "ok $number $1: $got"
	else
		echo "not ok $number $1: $got"
		status=1
	fi
}
# shellcheck disable=SC2016 # the variables are jq's
if [ "$check" = 1 ]; then
	echo 'KTAP version 1'
	echo '1..13'
	expect 'stock fills at most 45 % of the line' '.rungs[0].share' '. > 0 and . <= 0.45'
	expect 'the last rung fills at least 95 %' '.rungs[-1].share' '. >= 0.95 and . < 1.01'
	expect 'there are at least six rungs' '.rungs | length' '. >= 6'
	expect 'no datagram is lost, on any rung' '[.rungs[].lost]' 'add == 0'
	# The zero-copy rung is there to show that it does nothing without the checksum rung above it.
	expect 'on each other rung, the layers aimed at charge less in sum' '
		[.rungs[] | select(.effect and .name != "zero-copy") | .targets as $aimed |
		 [.effect.layers[] | select(.layer as $l | $aimed | index($l)) | .cycles_per_byte] | add]' \
		'length >= 5 and all(. < 0)'
	expect 'zero-copy sends are copied without checksum offload and not with it' \
		'[.rungs[] | select(.name == "zero-copy" or .name == "checksum") | .zerocopy_share]' '. == [0, 1]'
	expect 'zero-copy and checksum offload need each other: I and its uncertainty' \
		'.interactions[0] | [.interaction_bps, .half]' '.[0] > 0 and .[0] > .[1]'
	expect 'the layers add up to the time of the outermost spans, within a thousandth' \
		'[.rungs[].account.closure | .self_cycles / .inclusive_cycles - 1]' 'all(. < 0.001 and . > -0.001)'
	expect 'the layers of the stock rung account for the CPU within a tenth' \
		'.rungs[0].account.coverage' '. >= 0.9 and . <= 1'
	expect 'a program that only calls send() fills at least 92 %' '.rungs[-1].share' '. >= 0.92 and . < 1.01' unmodified
	expect 'and loses nothing' '[.rungs[].lost]' 'add == 0' unmodified
	expect 'at MTU 1500 it gets at least 1.3 times stock' '.rungs[-1].share / .rungs[0].share' '. >= 1.3' mtu-1500
	expect 'and loses nothing' '[.rungs[].lost]' 'add == 0' mtu-1500
else
	echo "The pictures and the figures: ladder, unmodified and mtu-1500 .svg and .json in $out"
fi
for name in mtu-1500 unmodified ladder; do
	tail -n 1 "$out/$name.txt"
done
exit "$status"
