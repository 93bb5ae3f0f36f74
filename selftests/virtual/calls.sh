#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What programs do around their sends stays as it was under rules about copying: MSG_ZEROCOPY of their own, sendfile, signals,
# errors that their own queue causes, send buffers that are full, queues that are slow.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

find_nics || ktap_skip_all "$no_nics"
ktap_plan 15
module_load
toll_detach
ns_add tx rx
ns_nics "${ns[tx]}" "${ns[rx]}"
here=${ns[tx]} there=${ns[rx]} dev=${nics[0]} to=10.66.3.2
ip -n "$here" link set "$dev" mtu 9000
ip -n "$there" link set "${nics[1]}" mtu 9000
wait_until 20 ns_carrier "$here" "$dev"
wait_until 20 ns_carrier "$there" "${nics[1]}"
ns_settled "$here" "$there"

mode() { echo "$*" | toll rule --netns "$here" restore - --quiet; }
counter() { toll rule --netns "$here" --json | jq ".rules[0].counters.$1"; }
reason() { toll rule --netns "$here" --json | jq "[.rules[0].fallbacks[] | select(.reason == \"$1\").count] | add // 0"; }
calls() { said=$(prog calls -t "$here" -r "$there" -d "$to" "$@") || { echo "of: calls $*"; return 1; }; }

# queue KIND ARGUMENT... COMMAND - what is sent goes through such a queue meanwhile.
queue() {
	local status=0
	# shellcheck disable=SC2086 # several words
	tc -n "$here" qdisc replace dev "$dev" root $1
	shift
	"$@" || status=1
	tc -n "$here" qdisc del dev "$dev" root
	return "$status"
}

# Whether they say so of themselves or a rule does, nobody counts a byte twice.
own() { # PROTOCOL MODE
	mode "zerocopy $2"
	calls -p "$1" -n 12 -l 8900 own
	expect completions "$(field "$said" completions)" -eq "$(field "$said" sends)"
	expect 'copied' "$(field "$said" copied)" -eq 0
	expect 'left to the program' "$(reason own)" -eq "$(field "$said" sends)"
	expect 'bytes not copied by the rule' "$(counter zerocopy_bytes)" -eq 0
}
files() {
	mode "zerocopy $1"
	calls -p tcp -n 12 -l 60000 sendfile
	expect 'bytes' "$(field "$said" bytes)" -eq $((12 * 60000))
}

# The timer fires several times while a call waits.
signals_udp() {
	mode 'zerocopy sync'
	queue 'netem delay 5ms limit 1000' calls -n 12 -l 8000 signals
	expect 'signals' "$(field "$said" signals)" -ge 12
	expect 'calls that ended with EINTR' "$(field "$said" eintr)" -eq 0
	# On a slow host a wait may be a long one, after which others are copied.
	if in_virtual_time; then
		expect 'bytes not copied' "$(counter zerocopy_bytes)" -eq $((12 * 8000))
	fi
}
signals_tcp() {
	mode 'zerocopy sync min 1'
	queue 'netem delay 5ms limit 1000' calls -p tcp -n 12 -l 200000 signals
	expect 'signals' "$(field "$said" signals)" -ge 2
	expect 'bytes' "$(field "$said" bytes)" -eq $((12 * 200000))
}

# The queue takes none of them, since they are too long for it.
nobufs() {
	local m
	for m in 'proto udp lport 1 zerocopy off' 'zerocopy sync' 'zerocopy auto'; do
		mode "$m"
		queue 'tbf rate 100mbit burst 5000 limit 100000' calls -n 12 -l 8900 nobufs
		expect "ENOBUFS, $m" "$(field "$said" nobufs)" -eq 12
		expect "bytes, $m" "$(field "$said" bytes)" -eq 0
	done
	# Nothing stays charged or held.
	mode 'zerocopy sync'
	calls -n 4 -l 8900 nobufs
	expect 'bytes not copied' "$(counter zerocopy_bytes)" -eq $((4 * 8900))
}

again() { # MODE
	mode "$1"
	queue 'tbf rate 100mbit burst 9100 limit 200000' calls -n 24 -l 8000 again
	expect 'bytes' "$(field "$said" bytes)" -eq $((24 * 8000))
	echo "=EAGAIN $(field "$said" again) times"
}
again_plain() {
	again 'proto udp lport 1 zerocopy off'
	# Whoever is slower than the queue never fills it.
	! in_virtual_time || expect 'EAGAIN' "$(field "$said" again)" -gt 0
}

# A tenth of the time at most is spent on long waits: after the first, what follows is copied for a while.
slow_queue() {
	mode 'zerocopy sync'
	queue 'netem delay 150ms limit 1000' calls -n 40 -l 8000 signals
	expect 'sends copied since the queue is slow' "$(reason slower)" -ge 1
	! in_virtual_time || expect 'bytes not copied' "$(counter zerocopy_bytes)" -eq 8000
}

ktap_test 'MSG_ZEROCOPY of their own, UDP under sync' own udp sync
ktap_test 'MSG_ZEROCOPY of their own, TCP under sync' own tcp sync
ktap_test 'MSG_ZEROCOPY of their own, UDP under auto' own udp auto
ktap_test 'MSG_ZEROCOPY of their own, TCP under pool' own tcp pool
ktap_test 'sendfile under sync' files 'sync min 1'
ktap_test 'sendfile under auto' files 'auto min 1'
ktap_test 'signals while a datagram is waited for' signals_udp
ktap_test 'signals while a stream is waited for' signals_tcp
ktap_test 'a queue that takes nothing: ENOBUFS' nobufs
ktap_test 'a full send buffer, without a rule' again_plain
ktap_test 'a full send buffer: sync' again 'zerocopy sync'
ktap_test 'a full send buffer: auto' again 'zerocopy auto'
ktap_test 'a slow queue is waited for once' slow_queue
unload() {
	toll rule --netns "$here" flush >/dev/null
	module_unload 30
	module_load
}
ktap_test 'the module goes' unload
ktap_test 'the kernel does not complain' log_clean
ktap_finish
