#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Receive coalescing under traffic, with everything going from under it at any moment: the device is removed, moved to another
# namespace, taken down; the module is unloaded; the process that it was bound to is killed; several ask at once. Nothing is left, and
# the kernel does not complain.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

ktap_plan 8
# Emulated, and on a busy host, a round takes more than ten seconds.
rounds=${NETTOLL_COALESCE_ROUNDS:-$([ -n "${NETTOLL_VM:-}" ] && echo 1 || echo 10)}

coalesce() { ip netns exec "${ns[b]}" "$NTT_CLI" coalesce "$@"; }
none_left() { [ "$(coalesce --json | jq '.devices | length')" = 0 ]; }

# A fresh pair, polled by NAPI at the receiving end, and traffic over it for as long as it lasts.
begin() {
	ip -n "${ns[a]}" link add veth0 type veth peer name veth0 netns "${ns[b]}"
	ip netns exec "${ns[b]}" ethtool -K veth0 gro on >/dev/null
	ns_device "${ns[a]}" veth0 1 1
	ns_device "${ns[b]}" veth0 1 2
	# Datagrams to nobody are as good.
	# shellcheck disable=SC2016 # the inner shell expands it
	ip netns exec "${ns[a]}" bash -c 'exec 3>/dev/udp/10.66.1.2/9; while echo "$RANDOM" >&3 || sleep 0.01; do :; done' 2>/dev/null &
	sender=$!
	wait_until 20 moderates
}
moderates() { coalesce veth0 --latency $((20 + RANDOM % 200))us >/dev/null; }

finish() {
	end_process "$sender"
	ip -n "${ns[a]}" link delete veth0 2>/dev/null || true
	! module_loaded || wait_until 10 none_left
}

# in_rounds COMMAND - so often, on a fresh pair each time.
in_rounds() {
	local i
	for ((i = 0; i < rounds; i++)); do
		begin
		pause 0.0$((RANDOM % 10))
		"$@"
		finish
	done
}

removed() { ip -n "${ns[b]}" link delete veth0; }
moved() { ip -n "${ns[b]}" link set veth0 netns "${ns[c]}"; }
downed() { ip -n "${ns[b]}" link set veth0 down; }
unloaded() {
	limit 60 rmmod nettoll
	expect 'deferral after unloading' "$(ip netns exec "${ns[b]}" cat /sys/class/net/veth0/gro_flush_timeout)" -eq 0
	insmod "$NTT_KO"
}
killed() {
	local pid
	coalesce veth0 off >/dev/null
	ip netns exec "${ns[b]}" "$NTT_CLI" coalesce veth0 --throughput --foreground >/dev/null &
	pid=$!
	pause 0.$((RANDOM % 5))
	kill -KILL "$pid"
	wait "$pid" || true
	wait_until 10 none_left
}
# Whoever comes second is refused or comes first; nothing else.
crowd() {
	local i pids=()
	for i in 1 2 3 4; do
		(for _ in 1 2 3; do coalesce veth0 --latency 100us; coalesce; coalesce veth0 off; done) >/dev/null 2>&1 &
		pids+=($!)
	done
	ip -n "${ns[b]}" link set veth0 down
	ip -n "${ns[b]}" link set veth0 up
	for i in "${pids[@]}"; do
		wait "$i" || true
	done
	coalesce veth0 off >/dev/null 2>&1 || true
}

ns_add a b c
module_load
ktap_test 'the device is removed' in_rounds removed
ktap_test 'the device moves to another namespace' in_rounds moved
ktap_test 'the device goes down' in_rounds downed
ktap_test 'the module is unloaded' in_rounds unloaded
ktap_test 'the process that it was bound to is killed' in_rounds killed
ktap_test 'several ask at once, and the device goes down and up' in_rounds crowd
ktap_test 'nothing is left, and the module can go' module_unload 60
ktap_test 'the kernel does not complain' log_clean
ktap_finish
