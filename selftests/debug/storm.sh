#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Requests of all kinds, in windows and always, for longer than in smp/windows and with other seeds, then while the module
# comes and goes: for the checks of a debug kernel to see as many orders of events as there is time for.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

seconds=${NETTOLL_STORM_SECONDS:-20}
ktap_plan 6
module_load

storm() {
	back_start pump pump -u 2 -t 1 -n 19
	back_ready pump pumping
	prog nl_storm "$seconds" "$1" | sed 's/^/=/'
	back_end pump || { cat "$NTT_DIR/pump.log"; return 1; }
	toll detach >/dev/null
	wait_until 30 toll_idle
	expect 'open spans' "$(toll_status spans_open)" -eq 0
}

reload() {
	local n=0 storm
	back_start pump pump -u 2 -t 1 -n 19
	back_ready pump pumping
	# One round of it takes some ten seconds where all is emulated.
	prog nl_storm $((3 * seconds)) 5 reload >"$NTT_DIR/reload" 2>&1 &
	storm=$!
	while ! is_gone "$storm"; do
		# In use by a dump or a request: a moment later it will not be.
		! rmmod nettoll 2>/dev/null || n=$((n + 1))
		pause 0.2
		module_loaded || insmod "$NTT_KO"
		pause 0.5
	done
	wait "$storm"
	back_end pump || { cat "$NTT_DIR/pump.log"; return 1; }
	echo "=unloaded $n times; $(tail -n 1 "$NTT_DIR/reload")"
	expect 'times unloaded' "$n" -gt 0
}

ktap_test "requests of all kinds for $seconds s, once" storm 101
ktap_test "requests of all kinds for $seconds s, twice" storm 102
ktap_test 'the module comes and goes meanwhile' reload
module_load
toll_detach
ktap_test 'nothing is left attached' expect 'hooks attached' "$(toll_status hooks_attached)" -eq 0
ktap_test 'unload' module_unload 60
ktap_test 'the kernel does not complain' log_clean
ktap_finish
