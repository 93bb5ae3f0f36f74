#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Receive coalescing: a device has its own values back to the bit, however its moderation ends; what another has set meanwhile
# stays; who may ask, and for what; and what is reported agrees with the kernel's own counts.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

find_nics || ktap_skip_all "$no_nics"
ktap_plan 21

a=${nics[0]} b=${nics[1]}
# on A COMMAND... - in the namespace of the sender (a) or the receiver (b).
on() { ip netns exec "${ns[$1]}" "${@:2}"; }
coalesce() { on b "$NTT_CLI" coalesce "$@"; }

knob() { on b cat "/sys/class/net/$b/$1"; }
set_knob() { on b sh -c "echo $2 >/sys/class/net/$b/$1"; }
# values - all of the receiver that is turned: what ethtool shows of its coalescing, and its deferral.
values() { on b ethtool -c "$b" && knob gro_flush_timeout && knob napi_defer_hard_irqs; }
# as_found - the values are those of the beginning.
as_found() {
	local now
	now=$(values)
	[ "$now" = "$found" ] || { diff <(echo "$found") <(echo "$now"); return 1; }
}

# figure KEY [DEVICE] - one member of the device's reading.
figure() { coalesce "${2:-$b}" --json | jq -r ".devices[0].$1"; }
is_moderated() { [ "$(coalesce --json | jq '.devices | length')" = 1 ]; }
is_not_moderated() { [ "$(coalesce --json | jq '.devices | length')" = 0 ]; }

stream() { toll traffic --from "netns:${ns[a]}" --to "netns:${ns[b]}" --addr 10.66.3.2 --size 1472 --count "$1" --rcvbuf 8M >/dev/null; }

# busy - moderated and turned: a stream has made it hold packets back.
busy() {
	coalesce "$b" --latency "${1:-200us}" >/dev/null
	stream 800
	expect 'times turned' "$(figure turns)" -gt 0
}

# refused STATUS PATTERN ARGUMENT... - fails so, and says so.
refused() {
	local status=0 out want=$1 pattern=$2
	shift 2
	out=$("$@" 2>&1) || status=$?
	echo "$out"
	expect 'exit status' "$status" -eq "$want"
	expect_text 'what it says' "$out" "$pattern"
}

off_restores() {
	busy
	coalesce "$b" off >/dev/null
	as_found
	is_not_moderated
}

# While packets are held the values are others; else the tests above would prove nothing.
turned_meanwhile() {
	local pid status=0
	coalesce "$b" --throughput >/dev/null
	# One process that reads them again and again, and no other.
	# shellcheck disable=SC2016 # the inner shell expands it
	ip netns exec "${ns[b]}" bash -c 'until read -r x <"$1" && [ "$x" -ge 10000 ]; do :; done' sh \
		"/sys/class/net/$b/gro_flush_timeout" &
	pid=$!
	stream 2000
	kill "$pid" 2>/dev/null || true
	wait "$pid" || status=$?
	expect 'status of who waits to see packets held' "$status" -eq 0
	expect 'rx-usecs by the driver' "$(figure rx_usecs)" != null
	coalesce "$b" off >/dev/null
	as_found
}

odd_values_restored() {
	on b ethtool -C "$b" rx-usecs 77
	set_knob gro_flush_timeout 12345
	set_knob napi_defer_hard_irqs 3
	local found
	found=$(values)
	busy
	coalesce "$b" off >/dev/null
	as_found
	on b ethtool -C "$b" rx-usecs 3
	set_knob gro_flush_timeout 0
	set_knob napi_defer_hard_irqs 0
}

retarget() {
	busy 200us
	coalesce "$b" --latency 300us >/dev/null
	expect 'target' "$(figure target_us)" = 300
	coalesce "$b" --throughput >/dev/null
	expect 'mode' "$(figure mode)" = throughput
	expect 'target' "$(figure target_us)" = null
	coalesce "$b" off >/dev/null
	as_found
}

rmmod_restores() {
	busy
	limit 60 rmmod nettoll
	as_found
	module_load
}

down_restores() {
	busy
	ip -n "${ns[b]}" link set "$b" down
	is_not_moderated
	ip -n "${ns[b]}" link set "$b" up
	as_found
	settle
}

netns_restores() {
	busy
	ip -n "${ns[b]}" link set "$b" netns "${ns[a]}"
	is_not_moderated
	ip -n "${ns[a]}" link set "$b" netns "${ns[b]}"
	settle
	as_found
}

# Brings the receiver up again as it was.
settle() {
	ip -n "${ns[b]}" link set "$b" up
	ip -n "${ns[b]}" addr replace 10.66.3.2/24 dev "$b"
	wait_until 20 ns_carrier "${ns[b]}" "$b"
	wait_until 20 ns_carrier "${ns[a]}" "$a"
	ns_neighbours "${ns[a]}" "$a" "${ns[b]}" "$b" 3
}

process_killed() {
	local pid
	# Not the function: the process is to be the command itself.
	ip netns exec "${ns[b]}" "$NTT_CLI" coalesce "$b" --latency 200us --foreground >/dev/null &
	pid=$!
	wait_until 10 is_moderated
	expect 'while_open' "$(figure while_open)" = true
	stream 800
	kill -KILL "$pid"
	wait "$pid" || true
	wait_until 10 is_not_moderated
	as_found
}

others_may_not() {
	local pid
	# Not the function: the process is to be the command itself.
	ip netns exec "${ns[b]}" "$NTT_CLI" coalesce "$b" --latency 200us --foreground >/dev/null &
	pid=$!
	wait_until 10 is_moderated
	refused 3 'another process' coalesce "$b" --latency 50us
	expect 'target' "$(figure target_us)" = 200
	end_process "$pid"
	wait_until 10 is_not_moderated
	as_found
}

around_a_command() {
	coalesce "$b" --latency 200us --json -- sh -c 'exit 7' >"$NTT_DIR/command" || status=$?
	expect 'exit status' "${status:-0}" -eq 7
	expect 'devices reported' "$(jq '.devices | length' "$NTT_DIR/command")" -eq 1
	is_not_moderated
	as_found
}

foreign_deferral_stays() {
	busy
	set_knob gro_flush_timeout 55555
	expect 'reported' "$(figure defer_left)" = true
	stream 800
	expect 'while moderated' "$(knob gro_flush_timeout)" -eq 55555
	coalesce "$b" off --json >"$NTT_DIR/last"
	expect 'reported at the end' "$(jq '.devices[0].defer_left' "$NTT_DIR/last")" = true
	expect 'afterwards' "$(knob gro_flush_timeout)" -eq 55555
	set_knob gro_flush_timeout 0
	set_knob napi_defer_hard_irqs 0
	# The driver's values were nobody else's.
	as_found
}

foreign_usecs_stay() {
	local found_usecs
	busy
	on b ethtool -C "$b" rx-usecs 99
	expect 'reported' "$(figure irq_left)" = true
	stream 800
	coalesce "$b" off --json >"$NTT_DIR/last"
	expect 'reported at the end' "$(jq '.devices[0].irq_left' "$NTT_DIR/last")" = true
	found_usecs=$(on b ethtool -c "$b" | sed -n 's/^rx-usecs:[^0-9]*//p')
	expect 'afterwards' "$found_usecs" -eq 99
	expect 'deferral restored' "$(knob gro_flush_timeout)" -eq 0
	on b ethtool -C "$b" rx-usecs 3
	as_found
}

# The kernel's own: interrupts of the line, and packets.
line_interrupts() { awk -v d="$b" '$NF == d { for (i = 2; i <= NF && $i ~ /^[0-9]+$/; i++) n += $i } END { print n + 0 }' /proc/interrupts; }

counts_agree() {
	local irq packets counted
	packets=$(knob statistics/rx_packets)
	irq=$(line_interrupts)
	coalesce "$b" --latency 200us >"$NTT_DIR/begin"
	stream 2000
	coalesce "$b" --json >"$NTT_DIR/now"
	irq=$(($(line_interrupts) - irq))
	packets=$(($(knob statistics/rx_packets) - packets))
	coalesce "$b" off >/dev/null
	counted=$(jq '.devices[0].interrupts' "$NTT_DIR/now")
	echo "=$(jq -r '.devices[0] | "interrupts=\(.interrupts) timers=\(.timers) packets=\(.packets) p99=\(.wait_p99_us)"' "$NTT_DIR/now") line=$irq"
	expect 'packets' "$(jq '.devices[0].packets' "$NTT_DIR/now")" -eq "$packets"
	# The driver looks for itself every two seconds, also between two readings; and files of the host take long.
	expect 'interrupts at least' "$counted" -ge $((irq - irq / 20 - 30))
	expect 'interrupts at most' "$counted" -le $((irq + irq / 20 + 1))
	expect 'wake-ups are fewer than half the packets' "$(jq '.devices[0] | (.interrupts + .timers) * 2 < .packets' "$NTT_DIR/now")" = true
	expect 'p99 of the waits within the target' "$(jq '.devices[0].wait_p99_us <= 200' "$NTT_DIR/now")" = true
}

# Nothing of a moderation that ended is left in the way of unloading.
nothing_left() {
	local text
	coalesce "$b" --latency 100us >/dev/null
	text=$(figure polls)
	stream 500
	expect 'polls counted' "$(figure polls)" -gt "$text"
	coalesce "$b" off >/dev/null
	expect 'nobody holds the module' "$(</sys/module/nettoll/refcnt)" -eq 0
}

unknown_device() {
	refused 1 'no device' coalesce nosuchdev --latency 50us
	refused 1 'no device' coalesce nosuchdev off
	refused 1 'no device' coalesce nosuchdev
	refused 1 'not moderated' coalesce "$b" off
	refused 1 'not moderated' coalesce "$b"
}

no_napi() { refused 1 'NAPI' coalesce lo --latency 50us; }

device_down() {
	ip -n "${ns[b]}" link set "$b" down
	refused 1 'is down' coalesce "$b" --latency 50us
	settle
	as_found
}

wrong_usage() {
	refused 2 'latency' coalesce "$b" --latency 5us
	refused 2 'latency' coalesce "$b" --latency 11ms
	refused 2 'unit' coalesce "$b" --latency 50
	refused 2 'once' coalesce "$b" --latency 50us --throughput
	refused 2 'device' coalesce --latency 50us
	refused 2 'alone' coalesce "$b" off --throughput
	refused 2 'needs --latency' coalesce "$b" -- true
	is_not_moderated
}

# The namespace is the device's: who is nobody there may look, and no more. The device of another namespace is unknown.
privilege() {
	local as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all --inh-caps=-all)
	install -m 755 "$NTT_CLI" "$NTT_DIR/for-users"
	chmod 755 "$NTT_DIR"
	refused 3 'CAP_NET_ADMIN' on b "${as_user[@]}" "$NTT_DIR/for-users" coalesce "$b" --latency 50us
	coalesce "$b" --latency 50us >/dev/null
	refused 3 'CAP_NET_ADMIN' on b "${as_user[@]}" "$NTT_DIR/for-users" coalesce "$b" off
	on b "${as_user[@]}" "$NTT_DIR/for-users" coalesce "$b" >/dev/null
	refused 1 'no device' on a "$NTT_CLI" coalesce "$b" off
	expect 'devices seen from the other namespace' "$(on a "$NTT_CLI" coalesce --json | jq '.devices | length')" -eq 0
	is_moderated
	coalesce "$b" off >/dev/null
}

ns_add a b
ns_nics "${ns[a]}" "${ns[b]}"
module_load
found=$(values)

ktap_test 'off: values as found' off_restores
ktap_test 'meanwhile they are others' turned_meanwhile
ktap_test 'off: values of another than the driver are back, too' odd_values_restored
ktap_test 'another target, without losing what was found' retarget
ktap_test 'rmmod: values as found' rmmod_restores
ktap_test 'the device goes down: values as found' down_restores
ktap_test 'the device moves to another namespace: values as found' netns_restores
ktap_test 'the process that it was bound to is killed: values as found' process_killed
ktap_test 'nobody else changes what is bound to a process' others_may_not
ktap_test 'around a command' around_a_command
ktap_test 'another sets the deferral: it stays, and is told' foreign_deferral_stays
ktap_test 'another sets rx-usecs: they stay, and are told' foreign_usecs_stay
ktap_test 'what is reported agrees with the kernel' counts_agree
ktap_test 'off: nothing holds the module' nothing_left
ktap_test 'a device that does not exist, or is not moderated' unknown_device
ktap_test 'the loopback has no NAPI' no_napi
ktap_test 'a device that is down' device_down
ktap_test 'wrong usage' wrong_usage
ktap_test 'privilege and namespace' privilege
ktap_test 'all is as it was at first' as_found
ktap_test 'the kernel does not complain' log_clean
ktap_finish
