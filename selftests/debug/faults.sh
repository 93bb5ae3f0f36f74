#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# No memory: every allocation of every operation fails once, first one by one, then at random and from all sides. Nothing
# breaks, nothing leaks (who unloads the module looks for that), what was refused is not half done, and all works afterwards.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"
# shellcheck source=selftests/lib/fault.sh
. "$NTT_SELF/lib/fault.sh"

faults_find || ktap_skip_all 'needs a kernel that injects faults (scripts/vm --kernel debug)'
seconds=${NETTOLL_STORM_SECONDS:-20}
# At most so many faults for an operation.
most=80
few=(udp_sendmsg __skb_recv_udp _copy_from_iter)
module_load
ktap_plan $((14 + $(if_fprobe 2)))
defer faults_off

# walk OPERATION ARGUMENT... - at least as many faults as there must be allocations
walk() {
	local least=$1 most=$most out
	shift
	module_load
	# Loading prices all backends, which takes its time.
	[ "$1" != load ] || most=25
	faults_in_modules
	[ "$1" != load ] || module_unload 60
	out=$(prog fault_walk "$most" "$@")
	echo "=$out"
	expect 'faults met' "$(field "$out" faults)" -ge "$least"
	log_clean
}

storm() {
	local out
	module_load
	back_start pump pump -u 1 -t 1 -n 19
	back_ready pump pumping
	faults_in_tasks 3
	out=$(prog nl_storm "$seconds" 11 faults)
	faults_off
	echo "=${out//$'\n'/; }"
	# Without a fault now and then, nobody would have begun anew.
	expect 'changes made' "$(awk -F '[= ]' '/^changes=/ { n += $2 } END { print n + 0 }' <<<"$out")" -gt 0
	expect_text 'faults' "$out" 'begun anew [1-9]'
	back_end pump || { cat "$NTT_DIR/pump.log"; return 1; }
	log_clean
}

# loads - tries 25 times to load the module, as a task that may meet faults; unloads it where that worked.
loads() {
	local i loaded=0
	module_load
	module_unload 60
	faults_in_tasks 1
	for ((i = 0; i < 25; i++)); do
		if bash -c 'echo 1 >/proc/self/make-it-fail; exec insmod "$1"' insmod "$NTT_KO" 2>/dev/null; then
			loaded=$((loaded + 1))
			module_unload 60
		fi
		! module_loaded || { echo 'insmod failed, and the module is there'; return 1; }
	done
	faults_off
	echo "=loaded $loaded times of $i"
	expect 'times it was not loaded' "$loaded" -lt "$i"
	module_load
	log_clean
}

# All works as if nothing had been.
works() {
	local backend file=$NTT_DIR/stat
	for backend in direct kretprobe fprobe; do
		has_backend "$backend" || continue
		toll attach --strict --backend "$backend" udp_sendmsg __skb_recv_udp ip_rcv >/dev/null
		toll_stat "$file" "$NTT_PROGS/exchange" -n 21
		expect "calls of udp_sendmsg by $backend" "$(stat_calls "$file" udp_sendmsg)" -eq 21
		toll_detach
	done
}

ktap_test 'load' walk 3 load "$NTT_KO"
ktap_test 'attach, direct' walk 3 attach 1 "${few[@]:0:2}"
ktap_test 'attach, kretprobe' walk 3 attach 2 "${few[@]}"
[ "$(if_fprobe 1)" = 0 ] || ktap_test 'attach, fprobe' walk 3 attach 3 "${few[@]:0:2}"
ktap_test 'attach, the cheapest for each' walk 3 attach 0 "${few[@]}"
ktap_test 'attach in windows' walk 3 window 0 "${few[@]:0:2}"
ktap_test 'detach, direct' walk 0 detach 1 "${few[@]:0:2}"
ktap_test 'detach, kretprobe' walk 0 detach 2 "${few[@]}"
[ "$(if_fprobe 1)" = 0 ] || ktap_test 'detach, fprobe' walk 0 detach 3 "${few[@]:0:2}"
ktap_test 'read the counters' walk 0 stat
ktap_test 'list the hooks' walk 0 hooks
ktap_test 'status' walk 1 status
ktap_test 'change a setting' walk 0 set
ktap_test "requests of all kinds for $seconds s, of which some fail" storm
ktap_test 'all works afterwards' works
ktap_test 'load and unload, of which some fail' loads
ktap_test 'the kernel does not complain' log_clean
ktap_finish
