#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Loading and unloading on several CPUs, with nothing attached and with all attached, by each backend.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

ktap_plan 5

idle() {
	local i
	for ((i = 0; i < 10; i++)); do
		insmod "$NTT_KO"
		expect 'users' "$(module_refs)" = 0
		module_unload 20
	done
}

attached() {
	local result
	module_load
	if ! has_backend "$1"; then
		module_unload 20
		skip_here "needs hardware: this kernel has no $1"
	fi
	result=$(prog nl_time attach "$2")
	echo "=$result"
	expect error "$(field "$result" error)" -eq 0
	expect 'hooks attached' "$(field "$result" changed)" -gt 100
	prog exchange -n 50 >/dev/null
	prog exchange -p tcp -n 50 >/dev/null
	module_unload 30
}

ktap_test 'load and unload, 10 times' idle
ktap_test 'unload with all attached, direct' attached direct 0
ktap_test 'unload with all attached, kretprobe' attached kretprobe 2
ktap_test 'unload with all attached, fprobe' attached fprobe 3
ktap_test 'the kernel does not complain' log_clean
ktap_finish
