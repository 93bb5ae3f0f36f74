#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Several processes attach, detach, set and read at the same time, under traffic: nobody is refused but for a reason that is
# named, nothing is left over, and the traffic arrives.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

ktap_plan 5
module_load
seconds=12

# attacher NAME BACKEND HOOK... - until the file "stop" appears; what fails is in NAME.err.
attacher() {
	local name=$1 backend=$2 out n=0
	shift 2
	while [ ! -e "$NTT_DIR/stop" ]; do
		n=$((n + 1))
		out=$("$NTT_PROGS/nl_time" attach "$backend" "$@" 2>&1) || echo "attach: $out"
		pause 0.05
		out=$("$NTT_PROGS/nl_time" detach "$backend" "$@" 2>&1) || echo "detach: $out"
	done >"$NTT_DIR/$name.err"
	echo "$n" >"$NTT_DIR/$name.rounds"
}

reader() {
	local n=0
	while [ ! -e "$NTT_DIR/stop" ]; do
		n=$((n + 1))
		toll show status --tsv >/dev/null || echo 'show failed'
		toll hooks --tsv >/dev/null || echo 'hooks failed'
		toll show holders --tsv >/dev/null || echo 'holders failed'
		sysctl -qw net.nettoll.nudge_ms=$((50 + n % 50)) || echo 'sysctl failed'
	done >"$NTT_DIR/reader.err" 2>&1
	echo "$n" >"$NTT_DIR/reader.rounds"
}

churn() {
	local pids=() pid name
	back_start pump pump -u 2 -t 1 -n 19
	back_ready pump pumping
	back_start dumps nl_dump many 2
	back_ready dumps running
	rm -f "$NTT_DIR/stop"
	attacher one 0 udp_sendmsg udp_recvmsg __skb_recv_udp skb_release_data &
	pids+=($!)
	attacher two 2 tcp_sendmsg_locked tcp_recvmsg_locked tcp_ack skb_clone &
	pids+=($!)
	# The same hooks as the first, by another backend.
	attacher three 2 udp_sendmsg __skb_recv_udp &
	pids+=($!)
	reader &
	pids+=($!)
	pause "$seconds"
	touch "$NTT_DIR/stop"
	for pid in "${pids[@]}"; do
		wait "$pid"
	done
	back_end dumps || { cat "$NTT_DIR/dumps.log"; return 1; }
	back_end pump || { cat "$NTT_DIR/pump.log"; return 1; }
	for name in one two three reader; do
		echo "=$name: $(<"$NTT_DIR/$name.rounds") rounds"
		[ ! -s "$NTT_DIR/$name.err" ] || { echo "$name:"; sort "$NTT_DIR/$name.err" | uniq -c; return 1; }
	done
}

nothing_left() {
	toll detach >/dev/null
	wait_until 10 toll_idle
	expect 'hooks attached' "$(toll_status hooks_attached)" -eq 0
	expect 'open spans' "$(toll_status spans_open)" -eq 0
	expect 'holders' "$(toll show holders --tsv | grep -c '^[0-9]')" -eq 0
}

# Short-lived tasks by the hundred, born and dead while hooks are attached.
births() {
	local i
	toll attach --layer syscall --layer socket --layer udp >/dev/null
	for ((i = 0; i < 40; i++)); do
		"$NTT_PROGS/exchange" -n 2 -S 1 >/dev/null &
		"$NTT_PROGS/exchange" -p tcp -n 2 -S 1 >/dev/null &
		[ $((i % 8)) != 0 ] || wait
	done
	wait
	toll detach >/dev/null
	wait_until 10 toll_idle
	expect 'open spans' "$(toll_status spans_open)" -eq 0
}

ktap_test "attach, detach, set and read from six processes for $seconds s" churn
ktap_test 'nothing is left over' nothing_left
ktap_test 'tasks that come and go' births
ktap_test 'unload' module_unload 30
ktap_test 'the kernel does not complain' log_clean
ktap_finish
