#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Time off the CPU inside a span is charged to the layer wait, and to nobody else.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

ktap_plan 5
module_load
toll_attach auto
khz=$(toll_status tsc_khz)
file=$NTT_DIR/stat

# sleeps MS TIMES ARGUMENT... - a receiver that sleeps so long so many times.
sleeps() {
	local ms=$1 times=$2 waits waited awake
	shift 2
	toll_stat "$file" "$NTT_PROGS/exchange" -S "$ms" -n "$times" "$@"
	waits=$(stat_sum "$file" calls wait rx)
	expect 'waits, receiving' "$waits" -ge "$times"
	waited=$(stat_sum "$file" cycles wait rx)
	# Never less than asked for; a little more, since a timer and a wake-up take their time.
	expect 'cycles of waiting' "$waited" -ge $((times * ms * khz * 99 / 100))
	expect 'cycles of waiting' "$waited" -le $((times * (ms + late_ms) * khz))
	# All else together is a small part of it, and so is it when one of the two takes the other's place on the CPU.
	awake=$(($(stat_sum "$file" cycles) - waited))
	echo "=waited $waits times $waited cycles, charged to all else $awake"
	expect 'waits, receiving' "$waits" -le $((times * 2))
	expect 'cycles not of waiting' "$awake" -lt $((times * ms * khz / 50))
	expect 'cycles of the receiving layer' "$(stat_sum "$file" cycles "$layer" rx)" -lt $((times * ms * khz / 100))
	stat_closed "$file"
}

late_ms=1
in_virtual_time || late_ms=20
layer=udp
ktap_test 'UDP: a receiver asleep 5 times for 100 ms' sleeps 100 5
ktap_test 'UDP over IPv6: a receiver asleep 10 times for 20 ms' sleeps 20 10 -d ::1
layer=tcp
ktap_test 'TCP: a receiver asleep 5 times for 100 ms' sleeps 100 5 -p tcp

# A reading while the receiver sleeps: what has ended within its spans is in the closure already.
asleep() {
	back_start sleeper exchange -n 1 -G
	wait_until 5 sleeps_in "${back_pid[sleeper]}" __skb_recv_udp
	toll_stat "$file" true
	stat_closed "$file"
	back_tell sleeper go
	back_end sleeper
}
ktap_test 'a reading while a receiver sleeps closes' asleep
ktap_test 'the kernel does not complain' log_clean
ktap_finish
