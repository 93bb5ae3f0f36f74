#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Unloading a hundred times: under traffic at full rate and both ways, with receivers asleep in every way there is, a dump half
# read, namespaces that come and go, and other tracers on the same functions. The kernel does not complain, rmmod always comes back,
# and no byte is lost or altered.
#
#   lo:  UDP both ways, IPv4            namespaces A -- veth -- B:  TCP both ways, IPv6
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

# Emulated, a round takes some ten seconds.
times=${NETTOLL_RMMOD:-$([ -n "${NETTOLL_VM:-}" ] && echo 12 || echo 100)}
ktap_plan 10

# Functions that tasks sleep in, that interrupts run, and that both do.
few=(__sys_recvfrom inet_recvmsg udp_recvmsg __skb_recv_udp tcp_recvmsg_locked sock_read_iter udp_sendmsg ip_make_skb tcp_write_xmit
	net_rx_action tcp_v4_rcv tcp_v6_rcv skb_release_data _copy_from_iter)
began=$(now_us)
done_in_all=0 slowest=0 slept=0

seconds() { echo $((($(now_us) - began) / 1000000)); }

# unload - within bounds; remembers the slowest
unload() {
	local from took
	from=$(now_us)
	module_unload 120 || return 1
	took=$((($(now_us) - from) / 1000))
	[ "$took" -le "$slowest" ] || slowest=$took
	! module_loaded
}

# attach NUMBER - some hooks, each time in another way; none may be refused.
attach() {
	local result
	case $(($1 % 4)) in
	0) result=$(prog nl_time attach 0 "${few[@]}") ;;
	1) result=$(prog nl_time attach 2 "${few[@]}") ;;
	2)
		if [ -n "$fprobe" ]; then
			result=$(prog nl_time attach 3 "${few[@]:0:13}")
		else
			result=$(prog nl_time attach 2 "${few[@]:0:8}")
		fi
		;;
	3) result=$(prog nl_time attach 0 "${few[@]:0:8}") ;;
	esac
	expect_text "attach, kind $(($1 % 4))" "$result" 'error=0 .* changed=([1-9]|1[0-9]) failed=0 absent=0'
}

# rounds TIMES COMMAND [ARGUMENT]... - loads, attaches, runs the command and unloads, so often. Not in a subshell: the count
# goes on.
rounds() {
	local i n=$1
	shift
	for ((i = 0; i < n; i++)); do
		insmod "$NTT_KO" || return 1
		if ! attach "$i" || ! "$@" "$i"; then
			unload
			return 1
		fi
		unload || return 1
		done_in_all=$((done_in_all + 1))
	done
}

# result WHAT PERCENT COMMAND... - that share of all the times, but at least once
result() {
	local what=$1 n=$(((times * $2 + 99) / 100)) from log=$NTT_DIR/rounds.log
	shift 2
	from=$(seconds)
	if rounds "$n" "$@" >"$log" 2>&1; then
		ktap_pass "$what: $n times"
		ktap_note "$n rounds in $(($(seconds) - from)) s"
	else
		ktap_fail "$what"
		ktap_notes <"$log"
	fi
}

# What sleeps is woken by a message, and falls asleep again, now inside the hooked functions.
round=0
wake() {
	round=$((round + 1))
	back_tell sleepers wake
	wait_until 60 back_says sleepers asleep $((round + 1)) || { cat "$NTT_DIR/sleepers.log"; return 1; }
}

# sleepers_in NUMBER - every second time the sleepers have a frame of ours on their stacks: all but those in epoll and poll.
sleepers_in() {
	if [ $(($1 % 2)) = 1 ]; then
		pause 0.1
		return 0
	fi
	wake || return 1
	expect 'tasks asleep in spans' "$(toll show holders --tsv | grep -c sleepers)" -ge 16 || return 1
	slept=$((slept + 1))
}

# A dump is open: the module is in use, and when its reader has gone it is not.
under_dump() {
	local line
	coproc DUMP { exec "$NTT_PROGS/nl_dump" open hook; }
	local pid=$DUMP_PID fd=${DUMP[1]}
	read -r line <&"${DUMP[0]}" || true
	if rmmod nettoll 2>/dev/null; then
		echo "unloaded under a dump ($line)"
		return 1
	fi
	exec {fd}>&-
	wait "$pid" || true
	wait_until 10 unused
}
unused() { [ "$(</sys/module/nettoll/refcnt)" = 0 ]; }

# A namespace with traffic in it dies while the module goes.
dying_namespace() {
	local name=ntt$$-dying
	ip netns add "$name"
	ip -n "$name" -batch - <<<$'link set lo up\nlink add veth0 type veth peer name veth1'
	ip netns exec "$name" "$NTT_PROGS/exchange" -n 5 >/dev/null
	ip netns delete "$name"
}

traffic_whole() {
	local name=$1
	cat "$NTT_DIR/$name.log"
	grep "^udp\|^tcp" "$NTT_DIR/$name.log" | sed 's/^/=/'
	expect "exit status of $name" "$2" -eq 0
}

sleepers_whole() {
	local way line
	for way in udp_recv tcp_recv tcp_read udp_recvmsg udp_recvmmsg udp_timeout tcp_timeout tcp_waitall epoll poll; do
		line=$(grep "^$way " "$NTT_DIR/sleepers.log" | tail -n 1)
		echo "=$line"
		expect "$way: messages" "$(field "$line" got)" -eq "$(field "$line" sent)"
		expect "$way: damaged or failed" $(($(field "$line" bad) + $(field "$line" error))) -eq 0
		case $way in
		# A wait with an end of its own, or for a whole buffer, may be cut short by a wake-up.
		*timeout | *waitall) ;;
		*) expect "$way: EINTR or halves" $(($(field "$line" eintr) + $(field "$line" partial))) -eq 0 ;;
		esac
	done
}

# Other tracers on the same functions: function_graph, and BPF programs, as bpftrace attaches them.
tracing=/sys/kernel/tracing
tracers_on() {
	echo 'udp_sendmsg udp_recvmsg ip_make_skb __skb_recv_udp tcp_recvmsg_locked net_rx_action' >"$tracing/set_ftrace_filter"
	echo function_graph >"$tracing/current_tracer"
	back_start bpf fentry udp_sendmsg __skb_recv_udp tcp_write_xmit
	back_ready bpf held
}
tracers_off() {
	grep -m 1 'udp_sendmsg' "$tracing/trace" >"$NTT_DIR/graph" || true
	echo nop >"$tracing/current_tracer"
	echo >"$tracing/set_ftrace_filter"
	back_end bpf
}
tracers_saw() {
	local name
	expect_text function_graph "$(<"$NTT_DIR/graph")" udp_sendmsg
	for name in udp_sendmsg __skb_recv_udp tcp_write_xmit; do
		expect_text 'BPF' "$(grep "^$name " "$NTT_DIR/bpf.log")" 'calls=[1-9]'
	done
	sed 's/^/=/' "$NTT_DIR/bpf.log"
}
defer sh -c "echo nop >$tracing/current_tracer; echo >$tracing/set_ftrace_filter"

module_load
fprobe=$(has_backend fprobe && echo 1) || true
module_unload
ns_add a b
ns_veth "${ns[a]}" "${ns[b]}"
# A time-out that ends would show as a task that is not asleep.
back_start sleepers sleepers -n 2 -t 100000
back_ready sleepers asleep
# All CPUs are busy with traffic, whenever nothing else wants them.
back_start lo pump -u 2 -t 0 -n 19
back_start veth pump -u 0 -t 1 -d fd66:1::2 -A "${ns[a]}" -B "${ns[b]}" -n 19
back_ready lo pumping
back_ready veth pumping

result 'with sleepers' 60 sleepers_in
result 'with a dump half read' 15 under_dump
result 'with a namespace dying' 10 dying_namespace
tracers_on
result 'with function_graph and BPF programs on the same functions' 15 sleepers_in
tracers_off
ktap_test 'the other tracers saw the traffic' tracers_saw
wake || true
status=0
back_end lo || status=$?
ktap_test 'loopback: no byte lost or altered' traffic_whole lo "$status"
status=0
back_end veth || status=$?
ktap_test 'veth: no byte lost or altered' traffic_whole veth "$status"
back_end sleepers || true
ktap_test 'sleepers: every message came, plain calls never noticed' sleepers_whole
ktap_note "unloaded $done_in_all times in $(seconds) s, $slept times with all asleep in spans; the slowest took $slowest ms"
ktap_test 'often enough' expect 'times unloaded' "$done_in_all" -ge "$times"
ktap_test 'the kernel does not complain' log_clean
ktap_finish
