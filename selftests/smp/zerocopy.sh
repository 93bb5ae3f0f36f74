#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Sends that are not copied, and what happens to them meanwhile: the module, the process, the buffers, the device or the
# rule goes. Packets are held in the queue of the sender, so that they are on their way when it does.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

ktap_plan 9
module_load
toll_detach
ns_add tx rx
ns_veth "${ns[tx]}" "${ns[rx]}"
here=${ns[tx]} there=${ns[rx]}
ip -n "$here" link set veth0 mtu 9000
ip -n "$there" link set veth0 mtu 9000

# mode WORDS... - one rule.
mode() { echo "$*" | toll rule --netns "$here" restore - --quiet; }
counter() { toll rule --netns "$here" --json | jq ".rules[0].counters.$1"; }

# held DELAY - what is sent stays so long in the sender's queue; 0: no time.
held() {
	if [ "$1" = 0 ]; then
		tc -n "$here" qdisc del dev veth0 root 2>/dev/null || true
	else
		tc -n "$here" qdisc replace dev veth0 root netem delay "$1" limit 10000
	fi
}

# start N ARGUMENT... - so many senders in the background, until senders_end.
pids=()
start() {
	local n=$1 i
	shift
	pids=()
	for ((i = 0; i < n; i++)); do
		prog scribble -t "$here" -r "$there" -d 10.66.1.2 -l 8000 "$@" >"$NTT_DIR/send.$i" 2>&1 &
		pids+=($!)
	done
}

# packets_queued N - so many are held in the queue.
packets_queued() { [ "$(tc -n "$here" -j -s qdisc show dev veth0 | jq '.[0].qlen')" -ge "$1" ]; }

# senders_end - all of them succeeded.
senders_end() {
	local pid i=0 bad=0
	for pid in "${pids[@]}"; do
		wait "$pid" || { bad=1; cat "$NTT_DIR/send.$i"; }
		i=$((i + 1))
	done
	return "$bad"
}

# 64 sends of 8 processes: they end as they should, and then the module goes.
rmmod_in_flight() {
	mode zerocopy "$1"
	held 3s
	start 8 -c "$2" -k 8 -n 8 -b "$3"
	wait_until 60 packets_queued 64
	must_fail test -z "$(module_refs)"
	# A pool's file holds the module; waiting calls do after a second.
	wait_until 60 module_goes
	senders_end
	held 0
	module_load
}
module_goes() { rmmod nettoll 2>/dev/null || ! module_loaded; }

ktap_test 'sync: the module goes with 64 sends in flight' rmmod_in_flight sync sendmmsg anon
ktap_test 'pool: the module goes with 64 sends in flight' rmmod_in_flight pool send pool

# What killed processes left in flight holds the module until the device has let go of it.
killed() {
	mode zerocopy sync
	held 250s
	start 4 -c sendmmsg -k 8 -n 8
	wait_until 60 packets_queued 32
	kill -KILL "${pids[@]}"
	wait "${pids[@]}" 2>/dev/null || true
	mode zerocopy pool
	start 4 -b pool -n 8
	wait_until 60 packets_queued 64
	kill -KILL "${pids[@]}"
	wait "${pids[@]}" 2>/dev/null || true
	expect 'references of the module' "$(module_refs)" -ge 8
	must_fail rmmod nettoll
	held 0
	wait_until 60 module_goes
	module_load
}
ktap_test 'processes are killed with sends in flight' killed

unmapped() {
	mode zerocopy pool
	held 300ms
	start 4 -b pool -n 8 -e
	senders_end
	held 0
}
ktap_test 'pool: unmapped with sends in flight' unmapped

# What its queue held is dropped with the device, and whoever waits for it goes on.
down() {
	mode zerocopy sync
	held 250s
	start 4 -c sendmmsg -k 8 -n 8
	wait_until 60 packets_queued 32
	ip -n "$here" link set veth0 down
	wait_until 30 no_sender_waits
	kill -KILL "${pids[@]}" 2>/dev/null || true
	wait "${pids[@]}" 2>/dev/null || true
	held 0
	ip -n "$here" link set veth0 up
	ns_neighbours "$here" veth0 "$there" veth0 1
}
no_sender_waits() {
	local pid
	for pid in "${pids[@]}"; do
		! grep -qs nettoll "/proc/$pid/stack" || return 1
	done
}
ktap_test 'sync: the device goes down with sends in flight' down

moved() {
	mode zerocopy pool
	ip -n "$here" link add veth9 type veth peer name veth9 netns "$there"
	ns_device "$here" veth9 9 1
	ns_device "$there" veth9 9 2
	ip -n "$here" link set veth9 mtu 9000
	ip -n "$there" link set veth9 mtu 9000
	# Whoever asks for the address would be held back too.
	ns_neighbours "$here" veth9 "$there" veth9 9
	tc -n "$here" qdisc replace dev veth9 root netem delay 250s limit 1000
	start 2 -b pool -n 8 -d 10.66.9.2
	wait_until 60 veth9_queued
	ip -n "$here" link set veth9 netns "$there" name veth8
	kill -KILL "${pids[@]}"
	wait "${pids[@]}" 2>/dev/null || true
	ip -n "$there" link del veth8
	wait_until 30 module_goes
	module_load
}
veth9_queued() { [ "$(tc -n "$here" -j -s qdisc show dev veth9 | jq '.[0].qlen')" -ge 16 ]; }
ktap_test 'pool: the device is moved and removed with sends in flight' moved

flips() {
	local i m
	mode zerocopy sync
	start 3 -p tcp -l 200000 -n 60
	for ((i = 0; i < 12; i++)); do
		for m in sync pool off auto; do
			mode zerocopy "$m"
		done
	done
	senders_end
	start 3 -p tcp -l 65536 -n 100 -b pool
	for ((i = 0; i < 12; i++)); do
		for m in pool off sync; do
			mode zerocopy "$m"
		done
	done
	senders_end
}
ktap_test 'rules change under traffic' flips

unload() { toll rule --netns "$here" flush >/dev/null && module_unload 30; }
ktap_test 'the module goes' unload
ktap_test 'the kernel does not complain' log_clean
ktap_finish
