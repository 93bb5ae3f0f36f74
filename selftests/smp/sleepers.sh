#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tasks asleep inside spans when the module goes: they are named, woken if they do not wake by themselves, and never notice;
# killed, their spans are gone with them.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

module_load
fprobes=$(if_fprobe 2)
module_unload 20
ktap_plan $((9 + fprobes))
waits=(udp_recv tcp_recv tcp_read udp_recvmsg udp_recvmmsg)
hooks=(__sys_recvfrom __sys_recvmsg __sys_recvmmsg sock_read_iter inet_recvmsg udp_recvmsg __skb_recv_udp tcp_recvmsg tcp_recvmsg_locked)
tasks=2

# asleep_in_spans BACKEND - fresh sleepers, all of them in spans
round=0
asleep_in_spans() {
	back_start sleepers sleepers -n "$tasks"
	back_ready sleepers asleep
	module_load
	prog nl_time attach "$1" "${hooks[@]}" >/dev/null
	# Those that fell asleep before the hooks were there have to come round once.
	wake
	expect 'tasks asleep in spans' "$(holders)" -ge $((tasks * 8))
}

holders() { toll show holders --tsv | grep -c sleepers; }

# wake - sends each its message, and waits until they sleep again
wake() {
	round=$((round + 1))
	back_tell sleepers wake
	wait_until 60 back_says sleepers asleep $((round + 1)) || { cat "$NTT_DIR/sleepers.log"; return 1; }
}

# met WAY - its last line of the log
met() { grep "^$1 " "$NTT_DIR/sleepers.log" | tail -n 1; }

unnoticed() {
	local way line
	for way in udp_recv tcp_recv tcp_read udp_recvmsg udp_recvmmsg udp_timeout tcp_timeout tcp_waitall epoll poll; do
		line=$(met "$way")
		echo "=$line"
		expect "$way: messages" "$(field "$line" got)" -eq "$(field "$line" sent)"
		expect "$way: damaged" "$(field "$line" bad)" -eq 0
		expect "$way: errors" "$(field "$line" error)" -eq 0
	done
	# Plain calls begin again, and who waits in epoll or poll is in no span of ours.
	for way in "${waits[@]}" epoll poll; do
		line=$(met "$way")
		expect "$way: EINTR" "$(field "$line" eintr)" -eq 0
		expect "$way: halves" "$(field "$line" partial)" -eq 0
	done
}

unload_wakes() {
	local began took
	asleep_in_spans "$1"
	began=$(now_us)
	module_unload 20
	took=$((($(now_us) - began) / 1000))
	echo "=unloaded in $took ms"
	# Asleep again, outside of our code, and still good for a message.
	wake
	unnoticed
	back_end sleepers
	round=0
}

# Detached, they may sleep on: draining, until the last has woken.
drains() {
	asleep_in_spans 0
	toll detach >/dev/null
	expect state "$(toll_status state)" = draining
	expect 'open spans' "$(toll_status spans_open)" -ge $((tasks * 8))
	wake
	wait_until 10 toll_idle
	unnoticed
	back_end sleepers
	round=0
}

killed() {
	asleep_in_spans "$1"
	kill -KILL "${back_pid[sleepers]}"
	# Its children go with it.
	wait_until 10 nobody
	expect 'open spans' "$(toll_status spans_open)" -eq 0
	toll detach >/dev/null
	wait_until 10 toll_idle
	back_end sleepers || true
	round=0
}

nobody() { [ "$(holders)" = 0 ]; }

# With nudging put off, the unload waits for those who wake by themselves, and does not disturb the others before.
patient() {
	local pid
	module_load
	sysctl -qw net.nettoll.nudge_ms=10000
	prog nl_time attach 0 "${hooks[@]}" >/dev/null
	"$NTT_PROGS/exchange" -n 1 -S 1500 >"$NTT_DIR/out" &
	pid=$!
	wait_until 5 sleeps_in "$pid" __skb_recv_udp
	module_unload 20
	wait "$pid"
	expect_text 'its message' "$(<"$NTT_DIR/out")" 'messages=1 .*bad=0'
}

# A receiver that was stopped or traced sleeps in no span.
stopped() {
	local pid
	module_load
	prog nl_time attach 0 "${hooks[@]}" >/dev/null
	"$NTT_PROGS/exchange" -n 1 -S 3000 >"$NTT_DIR/out" &
	pid=$!
	wait_until 5 sleeps_in "$pid" __skb_recv_udp
	kill -STOP "$pid"
	module_unload 20
	kill -CONT "$pid"
	wait "$pid"
	expect_text 'its message' "$(<"$NTT_DIR/out")" 'messages=1 .*bad=0'
}

ktap_test 'direct: unload under sleepers' unload_wakes 0
ktap_test 'kretprobe: unload under sleepers' unload_wakes 2
[ "$fprobes" = 0 ] || ktap_test 'fprobe: unload under sleepers' unload_wakes 3
ktap_test 'detach under sleepers drains when they wake' drains
ktap_test 'direct: sleepers killed' killed 0
ktap_test 'kretprobe: sleepers killed' killed 2
[ "$fprobes" = 0 ] || ktap_test 'fprobe: sleepers killed' killed 3
ktap_test 'unload waits for who wakes in time' patient
ktap_test 'unload under a stopped receiver' stopped
ktap_test 'unload' module_unload 30
ktap_test 'the kernel does not complain' log_clean
ktap_finish
