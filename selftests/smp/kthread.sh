#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A kernel thread asleep inside a span cannot be woken: the module is in use, the thread is named, and when it has gone the
# module goes. The network block device's receiver is such a thread.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

if ! modprobe -q nbd nbds_max=1; then
	ktap_skip_all 'the kernel has no network block device (CONFIG_BLK_DEV_NBD)'
fi
defer modprobe -qr nbd
ktap_plan 5
module_load
prog nl_time attach 0 sock_read_iter __sys_recvmsg inet_recvmsg tcp_recvmsg tcp_recvmsg_locked >/dev/null
back_start nbd nbd_hold /dev/nbd0

# listed - the kernel threads among the holders: pid, command, hook, seconds, "yes"
listed() { toll show holders --tsv | awk -F '\t' '$5 == "yes" { print; n = 1 } END { exit !n }'; }

named() {
	back_ready nbd held
	wait_until 10 listed
	expect_text 'the holder' "$(listed)" 'kworker.*tcp_recvmsg_locked'
	expect 'users of the module' "$(module_refs)" -ge 1
}

in_use() {
	local text status=0
	text=$(timeout -k 5 20 rmmod nettoll 2>&1) || status=$?
	expect 'exit status of rmmod' "$status" -eq 1
	expect_text 'rmmod' "$text" 'in use'
	# Detaching is possible all the same.
	toll detach >/dev/null
	expect state "$(toll_status state)" = draining
	status=0
	text=$(timeout -k 5 20 rmmod nettoll 2>&1) || status=$?
	expect 'exit status of rmmod, detached' "$status" -eq 1
}

free() { [ "$(module_refs)" = 0 ]; }

goes() {
	wait_until 10 free
	wait_until 10 toll_idle
	expect 'open spans' "$(toll_status spans_open)" -eq 0
}

ktap_test 'a kernel thread asleep in a span is named' named
ktap_test 'rmmod says that the module is in use' in_use
# Not in a subshell, which cannot close what this shell holds open.
back_end nbd || true
ktap_test 'when the thread has gone, nothing is in use' goes
ktap_test 'unload' module_unload 30
ktap_test 'the kernel does not complain' log_clean
ktap_finish
