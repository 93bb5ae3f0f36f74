#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Loaded but detached, the module costs nothing: a datagram takes the same number of instructions before it is
# loaded, when it is, after hooks were attached and detached, and after it is gone.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

in_virtual_time || ktap_skip_all 'counts instructions, which needs the virtual clock (scripts/vm)'
ktap_plan 7
toll_detach
module_unload 20

coproc COST { exec "$NTT_PROGS/cost"; }
defer end_process "$COST_PID"

declare -A cost=()

# measure WHEN - sets cost[WHEN] to the instructions of a batch of datagrams now.
measure() {
	local line
	echo >&"${COST[1]}"
	read -r line <&"${COST[0]}"
	cost[$1]=$(field "$line" best)
	ktap_note "$1: $line"
}

# timed WHAT - of all hooks, within two seconds.
timed() {
	local result
	result=$(prog nl_time "$1")
	echo "=$1: $result"
	expect "milliseconds to $1" "$(field "$result" ms)" -lt 2000
	expect "hooks changed" "$(field "$result" changed)" -gt 100
}

measure warm
measure without
module_load
measure loaded
ktap_test 'all hooks are attached within 2 s' timed attach
measure attached
ktap_test 'all hooks are detached within 2 s' timed detach
wait_until 5 toll_idle
measure detached
ktap_test 'unload' module_unload 20
measure gone

ktap_test 'attached hooks cost something (or this test sees nothing)' expect attached "${cost[attached]}" -gt "${cost[without]}"
ktap_test 'loaded: not an instruction more' expect loaded "${cost[loaded]}" -eq "${cost[without]}"
ktap_test 'detached: not an instruction more' expect detached "${cost[detached]}" -eq "${cost[without]}"
ktap_test 'unloaded: not an instruction more' expect gone "${cost[gone]}" -eq "${cost[without]}"
ktap_finish
