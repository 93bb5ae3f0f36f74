#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Sends that are not copied: every byte arrives as it was when it was sent, however soon the program writes over it; what
# cannot be sent so is copied, and counted by its reason.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

find_nics || ktap_skip_all "$no_nics"
ktap_plan 21
module_load
toll_detach
ns_add tx rx
ns_nics "${ns[tx]}" "${ns[rx]}"
here=${ns[tx]} there=${ns[rx]} dev=${nics[0]}
ip -n "$here" link set "$dev" mtu 9000
ip -n "$there" link set "${nics[1]}" mtu 9000
wait_until 20 ns_carrier "$here" "$dev"
wait_until 20 ns_carrier "$there" "${nics[1]}"
ns_settled "$here" "$there"

# mode WORDS... - one rule, whose counters begin at 0.
mode() { echo "$*" | toll rule --netns "$here" restore - --quiet; }

# counter NAME / reason NAME - of that rule.
counter() { toll rule --netns "$here" --json | jq ".rules[0].counters.$1"; }
reason() { toll rule --netns "$here" --json | jq "[.rules[0].fallbacks[] | select(.reason == \"$1\").count] | add // 0"; }

# sends ARGUMENT... - the program, from one NIC to the other.
sends() { said=$(prog scribble -t "$here" -r "$there" "$@") || { echo "of: scribble $*"; return 1; }; }

# all_zerocopy - whatever was sent was sent from where it lay.
all_zerocopy() {
	expect 'bytes sent' "$(counter bytes)" -gt 0
	expect 'bytes not copied' "$(counter zerocopy_bytes)" -eq "$(counter bytes)"
}

# all_copied REASON - nothing was, and that is why.
all_copied() {
	expect 'bytes not copied' "$(counter zerocopy_bytes)" -eq 0
	expect 'bytes copied' "$(counter copied_bytes)" -gt 0
	expect "sends copied because of $1" "$(reason "$1")" -eq "$(counter sends)"
}

v4=10.66.3.2 v6=fd66:3::2

udp_calls() {
	local call
	mode zerocopy sync
	for call in send sendto sendmsg write writev; do
		sends -d "$v4" -l 8000 -n 4 -c "$call"
		sends -d "$v6" -l 8000 -n 2 -c "$call"
	done
	sends -d "$v4" -l 8900 -n 2 -o 77 -u
	sends -d "$v6" -l 8900 -n 2 -o 4095 -u -c sendmsg
	all_zerocopy
}
ktap_test 'sync: UDP by each call, over IPv4 and IPv6' udp_calls

# delayed DELAY COMMAND... - with packets held back in the sender's queue, which has the pages meanwhile.
delayed() {
	local delay=$1
	shift
	tc -n "$here" qdisc replace dev "$dev" root netem delay "$delay" limit 10000
	"$@" || { tc -n "$here" qdisc del dev "$dev" root; return 1; }
	tc -n "$here" qdisc del dev "$dev" root
}

udp_delayed() {
	mode zerocopy sync
	delayed 5ms sends -d "$v4" -l 8000 -n 4
	delayed 5ms sends -d "$v6" -l 8000 -n 4 -c sendmsg
	all_zerocopy
	# Once for all of a call: with 40 ms each it would be 1280.
	delayed 40ms sends -d "$v4" -l 8000 -n 32 -k 32 -c sendmmsg
	expect 'microseconds for 32 datagrams' "$(field "$said" sending_us)" -ge 40000
	expect 'microseconds for 32 datagrams' "$(field "$said" sending_us)" -lt 640000
	all_zerocopy
}
ktap_test 'sync: UDP held back in a queue' udp_delayed

udp_mmsg() {
	mode zerocopy sync
	sends -d "$v4" -l 8000 -n 32 -c sendmmsg -k 16
	sends -d "$v6" -l 5000 -n 16 -c sendmmsg -k 8 -u
	all_zerocopy
}
ktap_test 'sync: sendmmsg' udp_mmsg

buffers() {
	local kind
	echo 4 >/proc/sys/vm/nr_hugepages
	mode zerocopy sync
	for kind in file readonly cow huge; do
		sends -d "$v4" -l 8000 -n 3 -b "$kind" -o 100
		sends -p tcp -d "$v4" -l 300000 -n 3 -b "$kind" -o 100
	done
	echo 0 >/proc/sys/vm/nr_hugepages
	expect 'bytes not copied' "$(counter zerocopy_bytes)" -gt $((4 * 3 * 8000 + 4 * 300000))
}
ktap_test 'sync: page cache, read-only, shared with a child, huge pages' buffers

holes() {
	mode zerocopy sync
	sends -d "$v4" -l 8192 -n 3 -b hole
	expect 'EFAULT of datagrams' "$(field "$said" faults)" -eq 3
	expect 'bytes' "$(field "$said" bytes)" -eq 0
	sends -p tcp -d "$v4" -l 524288 -n 3 -b hole
	expect 'EFAULT of the stream' "$(field "$said" faults)" -eq 3
	# TCP takes no part of a piece that it cannot have whole.
	expect 'bytes' "$(field "$said" bytes)" -le $((3 * 262144))
	expect 'bytes' "$(field "$said" bytes)" -ge $((3 * (262144 - 65536)))
}
ktap_test 'sync: memory that is not there is EFAULT, as ever' holes

tcp_calls() {
	local call
	mode proto tcp zerocopy sync
	for call in send sendto sendmsg write writev; do
		sends -p tcp -d "$v4" -l 400000 -n 3 -c "$call"
		sends -p tcp -d "$v6" -l 400000 -n 2 -c "$call" -o 33
	done
	expect 'bytes not copied' "$(counter zerocopy_bytes)" -gt $(($(counter bytes) / 3))
	expect 'all bytes' $(($(counter zerocopy_bytes) + $(counter copied_bytes))) -eq "$(counter bytes)"
}
ktap_test 'sync: TCP by each call, over IPv4 and IPv6' tcp_calls

# The peer's answer comes late, so that what it has not acknowledged is copied, and the call ends.
tcp_delayed() {
	mode proto tcp zerocopy sync
	sends -p tcp -d "$v4" -l 1000000 -n 1
	delayed 400ms sends -p tcp -d "$v4" -l 400000 -n 2
}
ktap_test 'sync: TCP whose peer is late' tcp_delayed

tcp_lossy() {
	mode proto tcp zerocopy sync
	tc -n "$here" qdisc replace dev "$dev" root netem delay 200us loss 2% duplicate 1% reorder 5% limit 10000
	sends -p tcp -d "$v4" -l 400000 -n 6 || { tc -n "$here" qdisc del dev "$dev" root; return 1; }
	tc -n "$here" qdisc del dev "$dev" root
	expect 'bytes not copied' "$(counter zerocopy_bytes)" -gt 0
}
ktap_test 'sync: TCP over a path that loses, doubles and reorders' tcp_lossy

nonblock() {
	mode zerocopy sync
	sends -p tcp -d "$v4" -l 1000000 -n 3 -x -s 100000
	expect 'partial writes' "$(field "$said" partial)" -gt 0
	sends -d "$v4" -l 8000 -n 8 -x
}
ktap_test 'sync: non-blocking sockets' nonblock

small_or_large() {
	mode zerocopy sync
	sends -d "$v4" -l 1472 -n 4
	all_copied small
	mode zerocopy sync min 1000
	sends -d "$v4" -l 1472 -n 4
	all_zerocopy
	mode zerocopy sync
	sends -d "$v4" -l 12000 -n 4
	all_copied fragmented
}
ktap_test 'what is too small, or fragmented, is copied' small_or_large

loopback() {
	mode zerocopy sync
	said=$(prog scribble -t "$here" -r "$here" -d 10.66.3.1 -l 8000 -n 4)
	all_copied copied
	mode zerocopy pool
	said=$(prog scribble -t "$here" -r "$here" -d 10.66.3.1 -l 8000 -n 4 -b pool)
	expect 'bytes not copied' "$(counter zerocopy_bytes)" -eq 0
}
ktap_test 'what is delivered on this host is copied' loopback

memlock() {
	mode zerocopy sync
	said=$(prlimit --memlock=4096 setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock \
		"$NTT_PROGS/scribble" -t "$here" -r "$there" -d "$v4" -l 8000 -n 4)
	all_copied memlock
	mode zerocopy pool
	must_fail prlimit --memlock=4096 setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock \
		"$NTT_PROGS/scribble" -t "$here" -r "$there" -d "$v4" -l 8000 -n 4 -b pool
	# Nothing of it stays charged.
	said=$(prlimit --memlock=65536 setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock \
		"$NTT_PROGS/scribble" -t "$here" -r "$there" -d "$v4" -l 8000 -n 100 -c sendmmsg -k 1)
	mode zerocopy sync
	said=$(prlimit --memlock=65536 setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock \
		"$NTT_PROGS/scribble" -t "$here" -r "$there" -d "$v4" -l 8000 -n 40)
	all_zerocopy
}
ktap_test 'RLIMIT_MEMLOCK: what goes beyond it is copied' memlock

pool_udp() {
	local call
	mode zerocopy pool
	for call in send sendto write; do
		sends -d "$v4" -l 8000 -n 12 -b pool -c "$call"
		sends -d "$v6" -l 8000 -n 12 -b pool -c "$call" -o 50
	done
	all_zerocopy
	delayed 5ms sends -d "$v4" -l 8000 -n 24 -b pool
	all_zerocopy
	expect 'bytes of the last pool' "$(field "$said" pool_zerocopy)" -eq $((24 * 8000))
}
ktap_test 'pool: UDP' pool_udp

pool_tcp() {
	# What is left of a partial write may be little.
	mode zerocopy pool min 1
	sends -p tcp -d "$v4" -l 16384 -n 40 -b pool
	sends -p tcp -d "$v6" -l 262144 -n 12 -b pool -o 1000
	sends -p tcp -d "$v4" -l 65536 -n 20 -b pool -x -s 50000
	delayed 5ms sends -p tcp -d "$v4" -l 65536 -n 20 -b pool
	all_zerocopy
}
ktap_test 'pool: TCP' pool_tcp

pool_lossy() {
	mode zerocopy pool
	tc -n "$here" qdisc replace dev "$dev" root netem delay 200us loss 2% duplicate 1% reorder 5% limit 10000
	sends -p tcp -d "$v4" -l 65536 -n 30 -b pool || { tc -n "$here" qdisc del dev "$dev" root; return 1; }
	tc -n "$here" qdisc del dev "$dev" root
}
ktap_test 'pool: TCP over a path that loses, doubles and reorders' pool_lossy

pool_gone() {
	mode zerocopy pool
	delayed 20ms sends -d "$v4" -l 8000 -n 8 -b pool -e
	all_zerocopy
}
ktap_test 'pool: unmapped and closed while it is being sent' pool_gone

# listener DIRECTORY - in the receiver's namespace: one TCP stream and as many datagrams as come, each into a file.
listener() {
	ip netns exec "$there" python3 -c '
import os, socket, sys
tcp = socket.create_server(("10.66.3.2", 5300))
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.setsockopt(socket.SOL_SOCKET, 33, 1 << 24)
udp.bind(("10.66.3.2", 5300))
open(sys.argv[1] + "/ready", "w").close()
s, _ = tcp.accept()
with open(sys.argv[1] + "/stream", "wb") as f:
    while data := s.recv(1 << 20):
        f.write(data)
s.close()
udp.setblocking(False)
n = 0
try:
    while data := udp.recv(65536):
        n += len(data)
except BlockingIOError:
    pass
print(n, file=open(sys.argv[1] + "/datagrams", "w"))
' "$1"
}

# First the datagrams, which wait in the socket, then the stream, whose end ends all.
examples() {
	local dir pid
	dir=$(mktemp -d)
	head -c 3000000 /dev/urandom >"$dir/file"
	mode zerocopy pool min 1
	listener "$dir" &
	pid=$!
	wait_until 30 test -e "$dir/ready"
	ip netns exec "$here" "$NTT_PROGS/udp_sender" 10.66.3.2 5300 50 8000
	ip netns exec "$here" "$NTT_PROGS/tcp_sender" 10.66.3.2 5300 <"$dir/file"
	wait "$pid"
	cmp "$dir/file" "$dir/stream"
	expect 'bytes of datagrams' "$(cat "$dir/datagrams")" -eq 400000
	all_zerocopy
	expect 'all bytes' "$(counter bytes)" -eq 3400000
	rm -rf "$dir"
}
if command -v python3 >/dev/null; then
	ktap_test 'pool: the examples of the library' examples
else
	ktap_skip 'pool: the examples of the library' 'no python3'
fi

not_pool() {
	mode zerocopy pool
	sends -d "$v4" -l 8000 -n 4
	all_copied not-pool
	mode zerocopy pool
	sends -d "$v4" -l 8000 -n 4 -b pool -c writev
	all_copied not-pool
}
ktap_test 'pool: what is in none, or not in one piece, is copied' not_pool

captures() { [ "$(ip netns exec "$here" cat /proc/net/packet | wc -l)" -gt 1 ]; }
captured() {
	mode zerocopy sync
	ip netns exec "$here" tcpdump -i "$dev" -w /dev/null 2>/dev/null &
	wait_until 20 captures
	sends -d "$v4" -l 8000 -n 4
	sends -p tcp -d "$v4" -l 400000 -n 2
	end_process $!
}
if command -v tcpdump >/dev/null; then
	ktap_test 'sync: under a capture' captured
else
	ktap_skip 'sync: under a capture' 'no tcpdump'
fi

unload() {
	toll rule --netns "$here" flush >/dev/null
	module_unload 30
	module_load
}
ktap_test 'the module goes' unload
ktap_test 'the kernel does not complain' log_clean
ktap_finish
