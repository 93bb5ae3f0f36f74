#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Changes are told to who listens: attach, detach, settings, by netlink and by sysctl, with who did it.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

ktap_plan 4
module_load
toll_detach
log=$NTT_DIR/monitor

"$NTT_CLI" monitor --json >"$log" &
monitor=$!
defer end_process "$monitor"

# It listens once it reports: settings are changed to and fro until it does.
listens() {
	sysctl -qw net.nettoll.nudge_ms=$((100 + RANDOM % 100))
	[ -s "$log" ]
}
wait_until 20 listens
sysctl -qw net.nettoll.nudge_ms=99

# next_event - sets event to the next one told
at=0
has_line() { [ "$(grep -c '' "$log")" -gt "$at" ]; }
next_event() {
	wait_until 5 has_line || return 1
	at=$((at + 1))
	event=$(sed -n "${at}p" "$log")
}

# members KEY=VALUE... - it has them.
members() {
	local pair
	for pair; do
		[[ $event =~ \"${pair%%=*}\":${pair#*=}[,\}] ]] || { echo "no $pair in: $event"; return 1; }
	done
}

skip_to_setting() {
	while next_event; do
		if members value=99 >/dev/null; then
			return 0
		fi
	done
	echo "the settings made at first were not told:"
	cat "$log"
	return 1
}

changes() {
	local generation pid
	skip_to_setting
	members 'event="setting"' 'setting="nudge_ms"' 'value=99'
	[[ $event =~ \"generation\":\ ?([0-9]+) ]]
	generation=${BASH_REMATCH[1]}

	"$NTT_CLI" set nudge_ms=100 >/dev/null &
	pid=$!
	wait "$pid"
	next_event
	members 'event="setting"' 'setting="nudge_ms"' 'value=100' "pid=$pid" "generation=$((generation + 1))"

	# With the probe of context switches, which comes with the first hook, they are three.
	"$NTT_CLI" attach udp_sendmsg skb_clone --backend kretprobe >/dev/null &
	pid=$!
	wait "$pid"
	next_event
	members 'event="attach"' 'count=2' 'hooks_attached=3' "pid=$pid" "generation=$((generation + 2))"

	toll detach udp_sendmsg >/dev/null
	next_event
	members 'event="detach"' 'count=1' 'hooks_attached=2'
	toll detach >/dev/null
	next_event
	members 'event="detach"' 'count=1' 'hooks_attached=0'
}

# What changes nothing is not told.
no_change() {
	at=$(grep -c '' "$log")
	toll set nudge_ms=100 >/dev/null
	toll detach >/dev/null
	sysctl -qw net.nettoll.nudge_ms=100
	sysctl -qw net.nettoll.nudge_ms=98
	next_event
	members 'event="setting"' 'value=98'
	sysctl -qw net.nettoll.nudge_ms=100
}

valid() { jq -e .change.event "$log" >/dev/null; }

ktap_test 'attach, detach and settings are told, in order, with who did it' changes
ktap_test 'what changes nothing is not told' no_change
ktap_test 'every event is a JSON document' valid
ktap_test 'the kernel does not complain' log_clean
toll_detach
ktap_finish
