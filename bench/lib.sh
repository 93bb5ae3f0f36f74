# SPDX-License-Identifier: GPL-2.0-or-later
# What the benches share: building what they need, their VM, the module's states, KTAP. Sourced by bench/NAME.
# shellcheck shell=bash

# The bench: a name for messages, and its own last line.
BENCH=$(basename -- "$0")
# shellcheck disable=SC2034 # for common.sh
NT_NAME=$BENCH
BENCH_DIR=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=scripts/lib/common.sh
. "$BENCH_DIR/../scripts/lib/common.sh"
# shellcheck source=scripts/lib/setup.sh
. "$BENCH_DIR/../scripts/lib/setup.sh"
# What the guest runs is copied here first, so that a build in the tree at the same time does not pull it away.
BENCH_PROGS=$NT_TOP/build/bench
NETTOLL=$BENCH_PROGS/nettoll

# bench_usage_error MESSAGE - ends as a wrong command line does.
bench_usage_error() { nt_say "$* (bench/$BENCH --help explains)"; exit 2; }

# bench_build KERNEL TARGET... - builds the module for that kernel, the command, and these targets of bench/progs.
# Quiet unless it fails.
bench_build() {
	local kdir release log kernel=$1
	shift
	nt_cache
	kdir=$("$NT_TOP/scripts/kernel" "$kernel" --kdir) || exit
	release=$("$NT_TOP/scripts/kernel" "$kernel" --release) || exit
	nt_log
	nt_lock build
	if ! { make -C "$NT_TOP" module KDIR="$kdir" && make -C "$NT_TOP" tools &&
		make -C "$BENCH_DIR/progs" "$@"; } >"$log" 2>&1 </dev/null; then
		tail -n 40 -- "$log" >&2
		nt_die "the build failed (its last lines are above)"
	fi
	bench_keep "$NT_TOP/build/$release/nettoll.ko" "$BENCH_PROGS/$release/nettoll.ko"
	bench_keep "$NT_TOP/userspace/build/nettoll" "$NETTOLL"
	nt_unlock
}

# bench_build_host TARGET... - builds the command and these targets of bench/progs, for a bench that needs no guest.
bench_build_host() {
	nt_setup build
	nt_cache
	nt_log
	nt_lock build
	if ! { make -C "$NT_TOP" tools && make -C "$BENCH_DIR/progs" "$@"; } >"$log" 2>&1 </dev/null; then
		tail -n 40 -- "$log" >&2
		nt_die "the build failed (its last lines are above)"
	fi
	bench_keep "$NT_TOP/userspace/build/nettoll" "$NETTOLL"
	nt_unlock
}

# bench_keep FILE COPY - makes the copy, unless it is one already.
bench_keep() {
	if ! cmp -s -- "$1" "$2"; then
		mkdir -p -- "${2%/*}"
		cp -- "$1" "$2.new"
		mv -- "$2.new" "$2"
	fi
}

# bench_guest - whether this is the guest of scripts/vm.
bench_guest() { [ "${NETTOLL_VM:-0}" = 1 ]; }

# In the guest.

# bench_load - loads the module; bench_unload - removes it.
bench_load() {
	local ko
	ko=$BENCH_PROGS/$(uname -r)/nettoll.ko
	[ -e "$ko" ] || nt_die "$ko does not exist: run bench/$BENCH on the host, which builds it"
	insmod "$ko" || nt_die "insmod $ko failed: $(dmesg | tail -n 3)"
}

bench_unload() { rmmod nettoll; }

# bench_poll SECONDS WHAT COMMAND... - runs the command until it succeeds; ends if it never does.
bench_poll() {
	local deadline=$((${EPOCHREALTIME/./} + $1 * 1000000)) what=$2
	shift 2
	until "$@"; do
		((${EPOCHREALTIME/./} < deadline)) || nt_die "waited in vain for $what"
		sleep 0.05
	done
}

# bench_wire NETNS ADDRESS - waits until what is sent in that namespace arrives there: a NIC that says it has a link may lose
# it once more while the two ends agree.
bench_wire() { bench_poll 20 "the wire to $2" bench_reaches "$@"; }
bench_reaches() { ip netns exec "$1" ping -c 1 -W 1 -q "$2" >/dev/null; }

bench_is_idle() { [ "$("$NETTOLL" show status --json | jq -r '.state')" = idle ]; }

# bench_attach BACKEND [HOOK]... - attaches by this backend.
# bench_detach - detaches all hooks and waits until nothing of the module is in the kernel's way any more.
bench_attach() {
	local backend=$1
	shift
	"$NETTOLL" attach "$@" --backend "$backend" >/dev/null
}

bench_detach() {
	"$NETTOLL" detach >/dev/null
	bench_poll 10 'the module to become idle' bench_is_idle
}

# bench_field NAME - from a line of NAME=VALUE words on standard input, the value of NAME.
bench_field() { tr ' ' '\n' | sed -n "s/^$1=//p"; }

# bench_calc EXPRESSION [FORMAT] - arithmetic on real numbers.
# In parentheses: a > b would write to a file else.
bench_calc() { awk "BEGIN { printf \"${2:-%.1f}\", ($1) }" </dev/null; }

# KTAP: bench_plan N, then bench_ok "EXPRESSION of awk" DESCRIPTION for each. BENCH_FAILED counts.
BENCH_TESTS=0
BENCH_FAILED=0
bench_plan() { printf 'KTAP version 1\n1..%d\n' "$1"; }

bench_ok() {
	local ok='not ok'
	BENCH_TESTS=$((BENCH_TESTS + 1))
	if awk "BEGIN { exit !($1) }" </dev/null; then ok=ok; else BENCH_FAILED=$((BENCH_FAILED + 1)); fi
	printf '%s %d %s\n' "$ok" "$BENCH_TESTS" "$2"
}
