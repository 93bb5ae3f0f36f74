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
userspace/build/nettoll ladder ladders/udp-1.28g.json --json="$out/ladder.json" --svg="$out/ladder.svg" \
	>"$out/ladder.txt" 2> >(tee "$out/ladder.log" >&2) || status=$?
cat -- "$out/ladder.txt"
rmmod nettoll
[ "$status" = 0 ] || exit "$status"
line=$(tail -n 1 "$out/ladder.txt")
if [ "$check" = 0 ]; then
	echo "The picture and the figures: $out/ladder.svg, $out/ladder.json"
	echo "$line"
	exit 0
fi

bounds() { # WHAT VALUE OPERATOR BOUND
	number=$((number + 1))
	if awk -v a="$2" -v b="$4" "BEGIN { exit !(a $3 b) }"; then
		echo "ok $number $1 ($2 $3 $4)"
	else
		echo "not ok $number $1 ($2, must be $3 $4)"
		status=1
	fi
}
field() { sed -n "s/.*\\<$1=\\([0-9.]*\\).*/\\1/p" <<<"$line"; }
number=0
echo 'KTAP version 1'
echo '1..4'
bounds 'stock, per cent of the line' "$(field stock)" '<=' 45
bounds 'the last rung, per cent of the line' "$(field last)" '>=' 95
bounds 'rungs' "$(field rungs)" '>=' 6
bounds 'datagrams lost' "$(jq '[.rungs[].lost] | add' "$out/ladder.json")" '==' 0
echo "$line"
exit "$status"
