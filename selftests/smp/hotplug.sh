#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# CPUs that go and come while hooks are attached: their counters stay, and traffic goes on.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

cpu=$(($(nproc) - 1))
online=/sys/devices/system/cpu/cpu$cpu/online
if [ "$cpu" = 0 ] || [ ! -w "$online" ]; then
	ktap_skip_all 'needs hardware: a CPU that can be taken offline'
fi
ktap_plan 5
module_load
defer sh -c "echo 1 >$online"

# inclusive DUMP CPU - its cycles
inclusive() { awk -v c="$2" '$1 == "cpu" && $2 == c { sub(/inclusive=/, "", $3); print $3 }' "$1"; }

goes_and_comes() {
	local before while_off after
	prog nl_time attach 0 __sys_sendto udp_sendmsg udp_recvmsg __skb_recv_udp net_rx_action >/dev/null
	back_start pump pump -u 2 -t 0 -n 19
	back_ready pump pumping
	taskset -c "$cpu" "$NTT_PROGS/exchange" -n 200 >/dev/null
	echo 0 >"$online"
	prog nl_dump stat >"$NTT_DIR/off1"
	pause 0.3
	prog nl_dump stat >"$NTT_DIR/off2"
	before=$(inclusive "$NTT_DIR/off1" "$cpu")
	while_off=$(inclusive "$NTT_DIR/off2" "$cpu")
	expect 'cycles of the CPU that is gone' "$before" -gt 0
	expect 'cycles while it is gone' "$while_off" -eq "$before"
	echo 1 >"$online"
	taskset -c "$cpu" "$NTT_PROGS/exchange" -n 200 >/dev/null
	prog nl_dump stat >"$NTT_DIR/on"
	after=$(inclusive "$NTT_DIR/on" "$cpu")
	expect 'cycles since it is back' "$after" -gt "$before"
	back_end pump || { cat "$NTT_DIR/pump.log"; return 1; }
}

# Attached while it is away, and detached after it has come back.
attached_meanwhile() {
	echo 0 >"$online"
	prog nl_time attach 2 __sys_sendto udp_sendmsg udp_recvmsg >/dev/null
	echo 1 >"$online"
	taskset -c "$cpu" "$NTT_PROGS/exchange" -n 50 >/dev/null
	toll_detach
	expect 'open spans' "$(toll_status spans_open)" -eq 0
}

# Unloaded while it is away.
unloaded_meanwhile() {
	prog nl_time attach 0 __sys_sendto udp_sendmsg udp_recvmsg >/dev/null
	echo 0 >"$online"
	module_unload 20
	echo 1 >"$online"
	module_load
}

ktap_test 'a CPU goes and comes under traffic' goes_and_comes
toll_detach
ktap_test 'attached while a CPU is away' attached_meanwhile
ktap_test 'unloaded while a CPU is away' unloaded_meanwhile
ktap_test 'unload' module_unload 30
ktap_test 'the kernel does not complain' log_clean
ktap_finish
