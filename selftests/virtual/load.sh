#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Loading and unloading, with nothing attached: it comes and goes, and leaves nothing behind.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

times=3
ktap_plan 6

loads() {
	local i
	for ((i = 0; i < times; i++)); do
		insmod "$NTT_KO"
		[ "$(module_refs)" = 0 ] || { echo "$(module_refs) users just after it was loaded"; return 1; }
		[ -e /proc/sys/net/nettoll/account ]
		module_unload 20
		[ ! -e /proc/sys/net/nettoll ] || { echo "the sysctls are still there"; return 1; }
	done
}

twice() {
	insmod "$NTT_KO"
	must_fail insmod "$NTT_KO"
	expect_text "status" "$(toll show status --tsv)" 'state	idle'
}

status_is_sane() {
	local release
	release=$(modinfo -F version "$NTT_KO")
	expect "module version" "$(toll_status module_version)" = "$release"
	expect "hooks attached" "$(toll_status hooks_attached)" -eq 0
	expect "open spans" "$(toll_status spans_open)" -eq 0
	expect "hooks" "$(toll_status hooks)" -gt 100
	expect "CPUs" "$(toll_status cpus)" -ge "$(nproc)"
	expect_text "backends" "$(toll_status backends)" 'kretprobe'
	# The counter that all is measured in, as the kernel calibrated it.
	expect "kHz" "$(toll_status tsc_khz)" -gt 100000
}

no_module() {
	local text status=0
	module_unload 20
	text=$(toll stat --no-attach -- true 2>&1) || status=$?
	expect "exit status without the module" "$status" -eq 1
	expect_text "message without the module" "$text" 'modprobe|not loaded|insmod'
}

nothing_left() {
	must_fail grep -w nettoll /proc/modules
	must_fail grep -rl nettoll /sys/kernel/tracing/enabled_functions
	must_fail grep nettoll /sys/kernel/debug/kprobes/list
	# What a module takes and does not give back shows here.
	must_fail grep nettoll /proc/vmallocinfo
}

ktap_test "load and unload, $times times" loads
ktap_test 'a second load is refused and harms nothing' twice
ktap_test 'status of a module just loaded' status_is_sane
ktap_test 'the command says that the module is not loaded' no_module
ktap_test 'nothing is left in ftrace, kprobes and memory' nothing_left
ktap_test 'the kernel does not complain' log_clean
ktap_finish
