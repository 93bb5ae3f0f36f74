#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Unloading at any moment: under traffic, with sleepers, an open dump, dying namespaces, and other tracers on the same
# functions. No byte may be lost or altered, no call may fail that would not have, and the kernel may not complain.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

# How often in all; attaching every hook takes seconds in an emulated machine, so each round attaches some.
total=${NETTOLL_RMMOD:-50}
backends=(auto direct kretprobe)
layers=(syscall udp copy)
ktap_plan 7

# rounds PER-CENT - that share of the total, at least one.
rounds() { echo $(((total * $1 + 99) / 100)); }

# unload_loop TIMES - attach by each backend in turn, let it run, unload.
unload_loop() {
	local i
	for ((i = 0; i < $1; i++)); do
		module_load
		toll attach --backend "${backends[i % ${#backends[@]}]}" "${layers[@]}" >"$NTT_DIR/attach.out" 2>&1 ||
			{ cat "$NTT_DIR/attach.out"; return 1; }
		pause 0.1
		module_unload 60 || return 1
		must_fail grep -qw nettoll /proc/modules
	done
}

# with_pump TIMES ARGUMENT... - unload so often while a pump runs.
with_pump() {
	local times=$1 pid in status=0
	shift
	coproc PUMP { "$NTT_PROGS/pump" "$@" 2>&1; }
	pid=$PUMP_PID in=${PUMP[1]}
	local line
	read -rt 60 -u "${PUMP[0]}" line
	[ "$line" = pumping ] || { echo "the pump does not start: $line"; return 1; }
	unload_loop "$times" || status=1
	exec {in}>&-
	cat <&"${PUMP[0]}" || true
	wait "$pid" || { echo "the pump lost or altered something"; status=1; }
	return "$status"
}

traffic_lo() { with_pump "$(rounds 30)" -u 1 -t 1; }

traffic_veth() {
	ns_add a b
	ns_veth "${ns[a]}" "${ns[b]}"
	with_pump "$(rounds 20)" -A "${ns[a]}" -B "${ns[b]}" -d 10.66.1.2 -u 1 -t 1
}

# Sleepers of every kind are in the hooked functions when the module goes.
asleep() {
	local i line
	coproc SLEEP { "$NTT_PROGS/sleepers" -n 1; }
	local pid=$SLEEP_PID in=${SLEEP[1]} out=${SLEEP[0]}
	read -rt 60 -u "$out" line
	for ((i = 0; i < $(rounds 20); i++)); do
		module_load
		toll attach "${layers[@]}" tcp >/dev/null
		# Their next sleep is inside the hooks.
		echo wake >&"$in"
		while read -rt 60 -u "$out" line && [ "$line" != asleep ]; do
			case $line in
			udp_timeout* | tcp_timeout*) ;;
			*) expect_text 'a plain sleeper' "$line" ' bad=0 eintr=0 .*error=0' ;;
			esac
			expect_text 'a sleeper' "$line" "sent=$((i + 1)) got=$((i + 1)) bad=0 "
		done
		module_unload 60
	done
	exec {in}>&-
	wait "$pid"
}

# A reader that does not read on keeps the module; unloading says so, at once, and works when it is gone.
dump_open() {
	local line
	module_load
	# Enough to send that it does not fit the socket's buffer at once.
	toll attach >/dev/null
	"$NTT_PROGS/exchange" -n 50 >/dev/null
	"$NTT_PROGS/exchange" -p tcp -n 50 >/dev/null
	coproc DUMP { "$NTT_PROGS/nl_dump" open stat; }
	local pid=$DUMP_PID in=${DUMP[1]}
	read -rt 60 -u "${DUMP[0]}" line
	expect 'the reader' "$line" = open
	must_fail rmmod nettoll 2>/dev/null
	exec {in}>&-
	wait "$pid"
	module_unload 60
}

namespaces() {
	local i
	for ((i = 0; i < $(rounds 10); i++)); do
		module_load
		toll attach "${layers[@]}" >/dev/null
		ip netns add "ntt$$"
		ip -n "ntt$$" link set lo up
		ip netns exec "ntt$$" "$NTT_PROGS/exchange" -n 20 >/dev/null &
		ip netns del "ntt$$"
		module_unload 60
		wait "$!" || true
	done
}

other_tracers() {
	local i t=/sys/kernel/tracing
	[ -w "$t/current_tracer" ] || skip_here 'needs tracefs'
	for ((i = 0; i < $(rounds 10); i++)); do
		printf '%s\n' udp_sendmsg udp_recvmsg ip_make_skb >"$t/set_ftrace_filter"
		echo function_graph >"$t/current_tracer"
		module_load
		toll attach "${layers[@]}" >/dev/null
		"$NTT_PROGS/exchange" -n 20 >/dev/null
		module_unload 60
		grep -q udp_sendmsg "$t/trace"
		echo nop >"$t/current_tracer"
		echo >"$t/set_ftrace_filter"
	done
}

module_unload 60
ktap_test "$(rounds 30) times under UDP and TCP over loopback" traffic_lo
ktap_test "$(rounds 20) times under UDP and TCP over veth" traffic_veth
ktap_test "$(rounds 20) times under sleepers of every kind" asleep
ktap_test 'with a dump half read' dump_open
ktap_test "$(rounds 10) times while a namespace goes" namespaces
ktap_test "$(rounds 10) times with function_graph on the same functions" other_tracers
ktap_test 'the kernel does not complain' log_clean
ktap_finish
