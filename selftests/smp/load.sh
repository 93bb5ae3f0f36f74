#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Loading and unloading on several CPUs, with nothing attached and with all attached, by each backend.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

module_load
fprobes=$(if_fprobe 1)
module_unload 20
ktap_plan $((4 + fprobes))

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
	result=$(prog nl_time attach "$1")
	echo "=$result"
	expect error "$(field "$result" error)" -eq 0
	expect 'hooks attached' "$(field "$result" changed)" -gt 100
	prog exchange -n 50 >/dev/null
	prog exchange -p tcp -n 50 >/dev/null
	module_unload 30
}

ktap_test 'load and unload, 10 times' idle
ktap_test 'unload with all attached, direct' attached 0
ktap_test 'unload with all attached, kretprobe' attached 2
[ "$fprobes" = 0 ] || ktap_test 'unload with all attached, fprobe' attached 3
ktap_test 'the kernel does not complain' log_clean
ktap_finish
