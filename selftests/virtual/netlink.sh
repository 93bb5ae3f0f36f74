#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Bad requests: each gets its error, with a text and the attribute at fault, and nothing is attached half. Then random
# ones, dumps that are given up, and dumps while hooks come and go.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

cases=$(prog nl_cases --count)
ktap_plan $((cases + 1 + 6))
module_load
toll_detach

untouched() {
	expect 'hooks attached' "$(toll_status hooks_attached)" -eq 0
	expect settings "$(cat /proc/sys/net/nettoll/{account,backend,nudge_ms} | tr '\n' ' ')" = '0 0 100 '
}

fuzz() {
	local seed out
	for seed in 1 2; do
		out=$(prog nl_fuzz "$seed" 1500)
		echo "=seed $seed: $out"
	done
	toll set nudge_ms=100 backend=0 account=0 >/dev/null
	toll rule flush >/dev/null
	toll_detach
}

# close FD
close() {
	local fd=$1
	exec {fd}>&-
}

unused() { [ "$(module_refs)" = 0 ]; }

# A dump that is begun and never read holds the module, and no longer than its socket lives.
given_up() {
	local line pid
	coproc open { exec "$NTT_PROGS/nl_dump" open hook; }
	# shellcheck disable=SC2154 # bash sets it
	pid=$open_PID
	read -r line <&"${open[0]}"
	expect 'the dump' "$line" = open
	expect 'users of the module' "$(module_refs)" -gt 0
	if rmmod nettoll 2>"$NTT_DIR/rmmod"; then
		echo 'unloaded under a dump'
		return 1
	fi
	expect_text 'rmmod' "$(<"$NTT_DIR/rmmod")" 'in use'
	close "${open[1]}"
	wait "$pid"
	wait_until 5 unused
}

# finish - reads the dump that was opened to its end; sets line
finish() {
	echo finish >&"${open[1]}"
	read -r line <&"${open[0]}"
}

# Whoever reads on after a change is told so; otherwise not.
resumed() {
	local line hooks pid
	hooks=$(toll_status hooks)
	coproc open { exec "$NTT_PROGS/nl_dump" open hook; }
	pid=$open_PID
	read -r line <&"${open[0]}"
	finish
	expect_text 'the rest of the dump' "$line" 'finished messages=[0-9]+ interrupted=0'
	expect 'hooks that came late' "$(field "$line" messages)" -gt $((hooks / 3))
	wait "$pid"
	coproc open { exec "$NTT_PROGS/nl_dump" open hook; }
	read -r line <&"${open[0]}"
	toll attach skb_clone
	finish
	expect_text 'the rest of a dump during which something was attached' "$line" 'finished messages=[0-9]+ interrupted=1'
	toll_detach
}

many() {
	local line
	coproc many { exec "$NTT_PROGS/nl_dump" many 4; }
	read -r line <&"${many[0]}"
	for _ in 1 2 3; do
		toll attach udp --backend kretprobe >/dev/null
		toll detach >/dev/null
		# In virtual time there is but one CPU: let the others run.
		pause 0.05
	done
	close "${many[1]}"
	read -r line <&"${many[0]}"
	expect 'dumps that failed' "$line" = bad=0
	toll_detach
}

ktap_from "$cases" "$NTT_PROGS/nl_cases"
ktap_test 'nothing was attached or set by bad requests' untouched
ktap_test 'random requests' fuzz
ktap_test 'dumps that are given up hold the module no longer' given_up
ktap_test 'a dump goes on where it was, and tells of changes' resumed
ktap_test 'dumps while hooks come and go' many
ktap_test 'the kernel does not complain' log_clean
ktap_finish
