#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Windows among requests of all kinds, under traffic: what is read never goes back and never stands still, and nothing is
# left over.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

ktap_plan 5
module_load
seconds=12

storm() {
	back_start pump pump -u 2 -t 1 -n 19
	back_ready pump pumping
	prog nl_storm "$seconds" 7
	back_end pump || { cat "$NTT_DIR/pump.log"; return 1; }
}

nothing_left() {
	toll detach >/dev/null
	wait_until 10 toll_idle
	expect 'hooks attached' "$(toll_status hooks_attached)" -eq 0
	expect 'open spans' "$(toll_status spans_open)" -eq 0
}

# calls - how many there were so far, as a reader of the counters sees them.
calls() { prog nl_dump stat | awk '/^charge all/ { split($4, n, "="); sum += n[2] } END { printf "%.0f\n", sum }'; }
calls_go_on() { [ "$(calls)" -gt "$1" ]; }

# What was attached always before the windows pauses with them, else no window would ever open again; and a request that
# is refused leaves them alone.
others() {
	local before i
	back_start pump pump -u 1 -t 0
	back_ready pump pumping
	toll attach udp_sendmsg >/dev/null
	toll attach udp_recvmsg --duty 20% --window 20ms >/dev/null
	expect 'hooks attached' "$(toll_status hooks_attached)" -eq 3
	for ((i = 0; i < 3; i++)); do
		before=$(calls)
		wait_until 20 calls_go_on "$before"
	done
	# lib/ is beyond ftrace.
	! toll attach udp_sendmsg _copy_from_iter --strict --backend direct >/dev/null 2>&1 || { echo 'not refused'; return 1; }
	expect_within duty "$(toll_status duty_percent)" 20 0
	before=$(calls)
	wait_until 20 calls_go_on "$before"
	# Whether or not a pause keeps it detached right now.
	expect detached "$(toll detach udp_recvmsg --json | jq .detached)" -eq 1
	expect_within 'duty of the other' "$(toll_status duty_percent)" 20 0
	before=$(calls)
	wait_until 20 calls_go_on "$before"
	back_end pump >/dev/null || true
	nothing_left
}

ktap_test "attach and detach, in windows and always, for $seconds s" storm
ktap_test 'nothing is left over' nothing_left
ktap_test 'windows beside other hooks and a refused request' others
ktap_test 'unload' module_unload 30
ktap_test 'the kernel does not complain' log_clean
ktap_finish
