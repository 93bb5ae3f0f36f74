#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Several at once attach, detach, read and set, under traffic and while a CPU goes and comes and a sleeper is killed.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

ktap_plan 5
module_load

at_once() {
	local pids=() pid i status=0
	for i in udp ip copy; do
		for _ in 1 2 3; do
			toll attach "$i" && toll detach "$i"
		done >"$NTT_DIR/churn.$i" 2>&1 &
		pids+=("$!")
	done
	for _ in {1..20}; do "$NTT_PROGS/nl_dump" stat; done >"$NTT_DIR/churn.stat" 2>&1 &
	pids+=("$!")
	"$NTT_PROGS/exchange" -n 2000 >"$NTT_DIR/churn.traffic" 2>&1 || status=1
	for pid in "${pids[@]}"; do
		wait "$pid" || status=1
	done
	[ "$status" = 0 ] || tail -n 3 "$NTT_DIR"/churn.*
	toll_detach
	return "$status"
}

hotplug() {
	local cpu=/sys/devices/system/cpu/cpu1/online
	[ -w "$cpu" ] || skip_here 'needs hardware: a second CPU that can be taken offline'
	toll attach udp syscall >/dev/null
	"$NTT_PROGS/exchange" -n 200 >/dev/null
	echo 0 >"$cpu"
	toll_stat "$NTT_DIR/stat" "$NTT_PROGS/exchange" -n 200
	echo 1 >"$cpu"
	expect 'datagrams sent while a CPU is away' "$(stat_calls "$NTT_DIR/stat" udp_sendmsg)" -ge 200
	toll_stat "$NTT_DIR/stat" "$NTT_PROGS/exchange" -n 200
	expect 'datagrams sent when it is back' "$(stat_calls "$NTT_DIR/stat" udp_sendmsg)" -ge 200
	toll_detach
}

# A task killed while it sleeps in a span leaves no span open.
killed() {
	local pid
	toll attach udp syscall >/dev/null
	"$NTT_PROGS/exchange" -n 1 -S 10000 >/dev/null 2>&1 &
	pid=$!
	wait_until 20 sleeps_in "$pid" __skb_recv_udp
	expect_text 'who holds a span' "$(toll show holders)" exchange
	kill -9 "$pid"
	wait "$pid" 2>/dev/null || true
	toll_detach
	expect 'open spans' "$(toll_status spans_open)" -eq 0
}

ktap_test 'three attach and detach, one reads, all at once' at_once
ktap_test 'a CPU goes and comes back' hotplug
ktap_test 'a task is killed in its sleep' killed
unload() { module_unload 60; }
ktap_test 'and the module goes' unload
ktap_test 'the kernel does not complain' log_clean
ktap_finish
