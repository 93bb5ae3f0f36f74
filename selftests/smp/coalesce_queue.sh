#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Send coalescing on a device with a transmit queue for each CPU: a batch leaves by the queue of the CPU that its sender
# runs on, whoever has it leave, so that what the socket sends next does not overtake it in another.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

cpus=$(nproc)
[ "$cpus" -ge 2 ] || ktap_skip_all 'needs two CPUs'
ktap_plan 4
module_load
ns_add a
here=${ns[a]}
ip netns exec "$here" sysctl -qw net.ipv6.conf.all.disable_ipv6=1
ip -n "$here" link add queues numtxqueues "$cpus" type dummy
ip -n "$here" addr add 10.66.4.1/24 dev queues
ip -n "$here" link set queues up
ip -n "$here" neigh replace 10.66.4.2 lladdr 02:00:00:00:00:02 dev queues nud permanent
# shellcheck disable=SC2016 # the inner shell expands it
ip netns exec "$here" bash -c 'for ((i = 0; i < '"$cpus"'; i++)); do
	printf %x $((1 << i)) >/sys/class/net/queues/queues/tx-$i/xps_cpus
done'
tc -n "$here" qdisc replace dev queues root handle 1: mq

# packets QUEUE - given to it so far.
packets() {
	tc -n "$here" -s class show dev queues |
		awk -v want=":$(printf %x $(($1 + 1)))" '$1 == "class" { is = substr($3, index($3, ":")) == want }
			is && $1 == "Sent" { print $4; n++ } END { exit n != 1 }'
}
counter() { toll rule --netns "$here" --json | jq ".rules[0].counters.$1"; }

# sprayed CPU - all packets take the queue of the CPU.
sprayed() {
	local before=() i
	for ((i = 0; i < cpus; i++)); do
		before[i]=$(packets "$i")
	done
	ip netns exec "$here" "$NTT_PROGS/spray" 10.66.4.2 9 "$1" 30 20000
	toll rule flush --netns "$here" --quiet
	for ((i = 0; i < cpus; i++)); do
		if [ "$i" = "$1" ]; then
			expect "packets in queue $i" $(($(packets "$i") - before[i])) -gt 30
		else
			expect "packets in queue $i" $(($(packets "$i") - before[i])) -eq 0
		fi
	done
}

by_timer() {
	local batches
	toll rule add --netns "$here" proto udp coalesce 64 late 5ms --quiet
	ip netns exec "$here" "$NTT_PROGS/spray" 10.66.4.2 9 0 5 20000
	batches=$(counter batches)
	expect 'batches' "$batches" -gt 0
	sprayed $((cpus - 1))
}

alone() { sprayed $((cpus - 1)); }

ktap_test 'without a rule' alone
ktap_test 'with one, though a thread has batches leave' by_timer
ktap_test 'unload' module_unload 30
ktap_test 'the kernel does not complain' log_clean
ktap_finish
