#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Send coalescing against everything at once: threads on one socket, rules that come and go, sockets that are closed while
# they gather, and unloading under all of it. Nothing that a send accepted is lost.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

seconds=4
ktap_plan 6
module_load
ns_add a b
ns_veth "${ns[a]}" "${ns[b]}"
here=${ns[a]}
# One CPU receives all: each has a queue of its own else, and what two of them sent may overtake.
# shellcheck disable=SC2016 # the inner shell expands it
ip netns exec "${ns[b]}" bash -c 'echo 1 >/sys/class/net/veth0/queues/rx-0/rps_cpus'

gather() { toll rule add --netns "$here" proto udp coalesce 64 late "$1" --quiet; }
storm() { prog gather_storm -T "${ns[a]}" -R "${ns[b]}" -d "$1" -s "$seconds"; }

# flips - rules come, change and go until told to end.
flips() {
	while [ -e "$NTT_DIR/flip" ]; do
		toll rule flush --netns "$here" --quiet
		gather 300us
		toll rule insert --netns "$here" proto udp coalesce 5 late 50us --quiet
	done
}

with_flips() {
	local pid status=0
	: >"$NTT_DIR/flip"
	flips &
	pid=$!
	storm "$1" || status=$?
	rm "$NTT_DIR/flip"
	wait "$pid"
	return "$status"
}

with_rmmod() {
	local pid status=0
	storm 10.66.1.2 &
	pid=$!
	for _ in 1 2 3; do
		module_load
		toll rule add --netns "$here" proto udp coalesce 64 late 1ms --quiet
		pause 0.5
		module_unload 60
	done
	wait "$pid" || status=$?
	return "$status"
}

gather 300us
ktap_test 'threads and forks on sockets that are opened and closed all the time' storm 10.66.1.2
ktap_test 'and over IPv6' storm fd66:1::2
ktap_test 'while rules come and go' with_flips 10.66.1.2
ktap_test 'unloading while datagrams are gathered' with_rmmod
ktap_test 'unload' module_unload 30
ktap_test 'the kernel does not complain' log_clean
ktap_finish
