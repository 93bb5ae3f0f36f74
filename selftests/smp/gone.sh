#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A real device goes down, moves to another namespace or is removed from its bus while packets that nobody copied, or that
# were gathered, are on their way: who waits for them goes on, and nothing is left of them.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

find_nics || ktap_skip_all "$no_nics"
ktap_plan 11
pci=$(basename "$(readlink -f "/sys/class/net/${nics[0]}/device")")
module_load
toll_detach
ns_add a b c
ns_nics "${ns[a]}" "${ns[b]}"
here=${ns[a]} there=${ns[b]} dev=${nics[0]}
ip -n "$there" link set "${nics[1]}" mtu 9000

# fit - the device, wherever it is, is ready to send, and holds all back.
fit() {
	ip link set "$dev" netns "$here" 2>/dev/null || ip -n "${ns[c]}" link set "$dev" netns "$here" 2>/dev/null || true
	ip -n "$here" addr flush dev "$dev"
	ip -n "$here" link set "$dev" mtu 9000
	ns_device "$here" "$dev" 3 1
	ns_neighbours "$here" "$dev" "$there" "${nics[1]}" 3
	wait_until 30 ns_carrier "$here" "$dev"
	ns_settled "$here"
	tc -n "$here" qdisc replace dev "$dev" root netem delay 250s limit 1000
}

queued() { [ "$(tc -n "$here" -j -s qdisc show dev "$dev" | jq '.[0].qlen')" -ge "$1" ]; }

# start MODE - two programs that send eight datagrams each.
pids=()
start() {
	local i how=()
	case $1 in
	sync) how=(-l 8000 -c sendmmsg -k 8) ;;
	pool) how=(-l 8000 -b pool) ;;
	coalesce) how=(-l 1200 -c sendmmsg -k 8) ;;
	esac
	pids=()
	for i in 1 2; do
		prog scribble -t "$here" -r "$there" -d 10.66.3.2 -n 8 "${how[@]}" >"$NTT_DIR/send.$i" 2>&1 &
		pids+=($!)
	done
}

none_waits() {
	local pid
	for pid in "${pids[@]}"; do
		! grep -qs nettoll "/proc/$pid/stack" || return 1
	done
}

down() { ip -n "$here" link set "$dev" down; }
moved() { ip -n "$here" link set "$dev" netns "${ns[c]}"; }
removed() { echo 1 >"/sys/bus/pci/devices/$pci/remove"; }
back() {
	echo 1 >/sys/bus/pci/rescan
	wait_until 30 came_back
	dev=$(ls "/sys/bus/pci/devices/$pci/net")
}
came_back() { [ -n "$(ls "/sys/bus/pci/devices/$pci/net" 2>/dev/null)" ]; }

declare -A rule=([sync]='zerocopy sync' [pool]='zerocopy pool' [coalesce]='proto udp coalesce 64 late 100ms')
declare -A packets=([sync]=16 [pool]=16 [coalesce]=2)

goes() { # MODE EVENT
	module_load
	fit
	echo "${rule[$1]}" | toll rule restore - --netns "$here" --quiet >/dev/null
	start "$1"
	wait_until 60 queued "${packets[$1]}"
	[ "$1" != pool ] || expect 'references of the module' "$(module_refs)" -gt 0
	"$2"
	wait_until 60 none_waits
	kill -KILL "${pids[@]}" 2>/dev/null || true
	wait "${pids[@]}" 2>/dev/null || true
	[ "$2" != removed ] || back
	wait_until 60 module_goes
}
module_goes() { rmmod nettoll 2>/dev/null || ! module_loaded; }

for mode in sync pool coalesce; do
	ktap_test "$mode: the device goes down" goes "$mode" down
	ktap_test "$mode: the device moves to another namespace" goes "$mode" moved
	ktap_test "$mode: the device is removed from its bus" goes "$mode" removed
	[ -e "/sys/bus/pci/devices/$pci" ] || back
	dev=$(ls "/sys/bus/pci/devices/$pci/net" 2>/dev/null || echo "$dev")
done
ktap_test 'unload' module_unload 60
ktap_test 'the kernel does not complain' log_clean
ktap_finish
