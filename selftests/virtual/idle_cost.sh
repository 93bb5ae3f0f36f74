#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Loaded but detached, the module costs nothing: a datagram takes the same number of instructions before it is
# loaded, when it is, after hooks were attached and detached, and after it is gone.
. "$(dirname -- "$0")/../lib/selftest.sh"

in_virtual_time || ktap_skip_all 'counts instructions, which needs the virtual clock (scripts/vm)'
ktap_plan 7

coproc COST { exec "$NTT_PROGS/cost"; }
defer end_process "$COST_PID"

# cost NAME - sets cost_NAME to the instructions of a batch of datagrams now.
cost() {
	local line
	echo >&"${COST[1]}"
	read -r line <&"${COST[0]}"
	printf -v "cost_$1" '%s' "$(sed -n 's/.*best=\([0-9]*\).*/\1/p' <<<"$line")"
	ktap_note "$1: $line"
}

# within_seconds LIMIT COMMAND...
timed() {
	local limit=$1 began
	shift
	began=$(now_us)
	"$@"
	took=$((($(now_us) - began) / 1000))
	echo "=$1 took $took ms"
	expect "milliseconds" "$took" -lt $((limit * 1000))
}

attach_all() {
	toll show status >/dev/null # so that what follows does not wait for the disk
	timed 2 toll attach --backend auto
	expect 'hooks attached' "$(toll_status hooks_attached)" -gt 100
}

detach_all() {
	timed 2 toll detach
	wait_until 2 toll_idle
	expect 'hooks attached' "$(toll_status hooks_attached)" -eq 0
}

cost warm
cost without
module_load
cost loaded
ktap_test 'all hooks are attached within 2 s' attach_all
cost attached
ktap_test 'all hooks are detached within 2 s' detach_all
cost detached
ktap_test 'unload' module_unload
cost gone

ktap_test 'attached hooks cost something (or this test sees nothing)' expect attached "$cost_attached" -gt "$cost_without"
ktap_test 'loaded: not an instruction more' expect loaded "$cost_loaded" -eq "$cost_without"
ktap_test 'detached: not an instruction more' expect detached "$cost_detached" -eq "$cost_without"
ktap_test 'unloaded: not an instruction more' expect gone "$cost_gone" -eq "$cost_without"
ktap_finish
