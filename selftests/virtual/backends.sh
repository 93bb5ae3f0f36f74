#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The ways to attach: each counts the same calls, leaves stacks readable, and gives way where a BPF program is.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

module_load
ktap_plan $((10 + $(if_fprobe 2)))
toll_detach

# The hooks of a datagram's way, and how often each is met for N of them.
some=(__sys_sendto inet_sendmsg udp_sendmsg ip_make_skb ip_send_skb __dev_queue_xmit __udp4_lib_rcv udp_recvmsg __sys_recvfrom)

counts_and_closes() {
	local hook file=$NTT_DIR/stat.$1
	toll attach --strict --backend "$1" "${some[@]}"
	for hook in "${some[@]}"; do
		expect "backend of $hook" "$(toll_hook "$hook" backend)" = "$1"
	done
	toll_stat "$file" "$NTT_PROGS/exchange" -n 21
	for hook in "${some[@]}"; do
		expect "calls of $hook" "$(stat_calls "$file" "$hook")" -eq 21
	done
	expect missed "$(stat_field "$file" missed)" -eq 0
	stat_closed "$file"
	toll_detach
}

# A receiver asleep inside spans: its stack can be read, through our frames, down to the system call.
stack_readable() {
	local pid stack
	toll attach --backend "$1" __sys_recvfrom inet_recvmsg udp_recvmsg __skb_recv_udp
	back_start sleeper exchange -n 1 -G
	pid=${back_pid[sleeper]}
	wait_until 5 sleeps_in "$pid" __skb_recv_udp
	stack=$(awk '{ sub(/\+.*/, "", $2); printf "%s ", $2 }' "/proc/$pid/stack")
	echo "stack: $stack"
	expect_text 'stack' "$stack" '__skb_recv_udp .*udp_recvmsg .*inet_recvmsg .*__sys_recvfrom .*__x64_sys_recvfrom .*do_syscall_64 .*entry_SYSCALL_64'
	expect 'open spans' "$(toll_status spans_open)" -ge 4
	expect_text 'holders' "$(toll show holders --tsv)" "$pid	exchange	__skb_recv_udp"
	# Detached meanwhile, it finds its way out by itself.
	toll detach
	expect state "$(toll_status state)" = draining
	back_tell sleeper go
	back_end sleeper
	wait_until 5 toll_idle
	expect_text 'its message' "$(<"$NTT_DIR/sleeper.log")" 'messages=1 .*bad=0'
}

fprobe_refused() {
	local text status=0
	if has_backend fprobe; then
		return 0
	fi
	text=$(toll attach udp_sendmsg --backend fprobe 2>&1) || status=$?
	expect 'exit status' "$status" -eq 1
	expect_text 'message' "$text" 'does not offer that backend; use auto or kretprobe'
	expect 'hooks attached' "$(toll_status hooks_attached)" -eq 0
}

# hold FUNCTION... - a BPF fentry program on each.
hold() {
	local line
	coproc HOLD { exec "$NTT_PROGS/fentry" "$@" 2>&1; }
	read -r line <&"${HOLD[0]}"
	expect 'the BPF program' "$line" = held
}

# release - sets held to what it counted.
release() {
	local fd=${HOLD[1]} from
	exec {from}<&"${HOLD[0]}"
	exec {fd}>&-
	mapfile -t held <&"$from"
	exec {from}<&-
}

gives_way() {
	local file=$NTT_DIR/stat.bpf
	# Not ip_make_skb: BPF takes no function with arguments on the stack.
	hold udp_sendmsg ip_send_skb
	toll attach udp ip_make_skb ip_send_skb
	expect 'backend of udp_sendmsg' "$(toll_hook udp_sendmsg backend)" = kretprobe
	expect 'backend of ip_send_skb' "$(toll_hook ip_send_skb backend)" = kretprobe
	expect 'backend of ip_make_skb' "$(toll_hook ip_make_skb backend)" = direct
	expect 'backend of udp_recvmsg' "$(toll_hook udp_recvmsg backend)" = direct
	toll_stat "$file" "$NTT_PROGS/exchange" -n 33
	expect 'calls of udp_sendmsg' "$(stat_calls "$file" udp_sendmsg)" -eq 33
	expect 'calls of ip_send_skb' "$(stat_calls "$file" ip_send_skb)" -eq 33
	expect 'calls of udp_recvmsg' "$(stat_calls "$file" udp_recvmsg)" -eq 33
	stat_closed "$file"
	toll_detach
	release
	expect 'what the BPF program counted' "${held[*]}" = 'udp_sendmsg calls=33 ip_send_skb calls=33'
	# It is gone: direct is to be had again.
	toll attach udp_sendmsg
	expect 'backend of udp_sendmsg' "$(toll_hook udp_sendmsg backend)" = direct
	toll_detach
}

says_who() {
	local text status=0
	hold udp_sendmsg
	text=$(toll attach --backend direct udp_sendmsg skb_clone)
	expect_text 'counts' "$text" '^1 attached, 1 failed'
	expect_text 'reason' "$text" 'BPF fentry.*use backend kretprobe'
	toll detach
	text=$(toll attach --backend direct --strict udp_sendmsg skb_clone 2>&1) || status=$?
	expect 'exit status, strict' "$status" -eq 3
	expect_text 'message, strict' "$text" 'BPF fentry'
	expect 'hooks attached' "$(toll_status hooks_attached)" -eq 0
	release
	toll_detach
}

# The other way round: who comes second is refused, and nothing is broken.
bpf_second() {
	local file=$NTT_DIR/stat.second
	toll attach udp_sendmsg
	if hold udp_sendmsg; then
		release
	fi
	toll_stat "$file" "$NTT_PROGS/exchange" -n 9
	expect 'calls of udp_sendmsg' "$(stat_calls "$file" udp_sendmsg)" -eq 9
	toll_detach
}

ktap_test 'direct: counts and closes' counts_and_closes direct
ktap_test 'kretprobe: counts and closes' counts_and_closes kretprobe
! has_backend fprobe || ktap_test 'fprobe: counts and closes' counts_and_closes fprobe
ktap_test 'fprobe: refused in words where the kernel has none' fprobe_refused
ktap_test 'direct: the stack of a sleeper is readable' stack_readable direct
ktap_test 'kretprobe: the stack of a sleeper is readable' stack_readable kretprobe
! has_backend fprobe || ktap_test 'fprobe: the stack of a sleeper is readable' stack_readable fprobe
ktap_test 'a function that a BPF program holds falls back to kretprobe, alone' gives_way
ktap_test 'direct on it is refused and says what holds it' says_who
ktap_test 'a BPF program that comes second does no harm' bpf_second
ktap_test 'nothing is left attached' expect 'hooks attached' "$(toll_status hooks_attached)" -eq 0
ktap_test 'the kernel does not complain' log_clean
ktap_finish
