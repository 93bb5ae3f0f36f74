#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs the selftests of a lane, or those named, and prints their results as KTAP.
set -euo pipefail
self=$(cd -P -- "$(dirname -- "$(readlink -f -- "$0")")" && pwd -P)
top=$(dirname -- "$self")

usage() {
	cat <<'END'
Usage: selftests/run.sh [OPTION]... LANE|TEST...

Lanes:
  virtual      what is exact: made for the virtual clock,
               scripts/vm --clock virtual --nics e1000-82545em,mitigation=off -- selftests/run.sh virtual
  smp (real)   races: several CPUs and the real clock,
               scripts/vm --clock real -- selftests/run.sh smp
  debug        what only a debug kernel offers, want of memory above all:
               scripts/vm --kernel debug --clock real -- selftests/run.sh debug
A TEST is a file below selftests, as virtual/closure or its path. Both lanes also run on a real host (as root; the
module must not be loaded): tests that need the virtual clock are skipped there.

Options:
  --except TEST  leave this one out of the lane (may be repeated)
  --list         list the tests of the lanes
  -v             show what tests print even when they pass
  -h, --help     this

Environment:
  NETTOLL_KO    the module (default build/RELEASE/nettoll.ko)
  NETTOLL_CLI   the command (default userspace/build/nettoll)
  NETTOLL_NICS  A,B: two unused NICs on one wire
  NETTOLL_RMMOD how many times smp/rmmod unloads the module (default: 100, in our own guest 12)
  NETTOLL_TEST_SECONDS  after which a test is ended, but not in virtual time (default 600)

Exit status: 0 all passed or skipped, 1 something failed, 2 usage, 4 all skipped.
END
}

# The order matters: tests that want the same hooks attached follow each other.
declare -A lanes=(
	[virtual]='load table sysctl permission stack_args idle_cost netlink rule notify attach backends json graph counts coalesce_tx wait closure'
	[smp]='load sleepers kthread hotplug churn windows closure coalesce_tx rmmod'
	[debug]='faults storm'
)
tests=() excepted=() list='' verbose=''
lane_tests() { # LANE
	local name
	for name in ${lanes[$1]}; do
		tests+=("$1/$name")
	done
}
while [ $# -gt 0 ]; do
	case $1 in
	--list) list=1 ;;
	--except)
		[ -e "$self/${2:-.}.sh" ] || { echo "run.sh: --except needs a test, not '${2:-}'" >&2; exit 2; }
		excepted+=("$2")
		shift
		;;
	-v) verbose=1 ;;
	-h | --help) usage; exit 0 ;;
	-*) echo "run.sh: unknown option $1 (--help explains)" >&2; exit 2 ;;
	virtual) lane_tests virtual ;;
	smp | real) lane_tests smp ;;
	debug) lane_tests debug ;;
	*)
		name=${1#"$self/"}
		name=${name#selftests/}
		name=${name%.sh}
		[ -e "$self/$name.sh" ] || { echo "run.sh: no lane or test $1 (--help explains)" >&2; exit 2; }
		tests+=("$name")
		;;
	esac
	shift
done
[ -z "$list" ] || [ "${#tests[@]}" -gt 0 ] || { lane_tests virtual; lane_tests smp; lane_tests debug; }
for name in "${excepted[@]}"; do
	for i in "${!tests[@]}"; do
		[ "${tests[i]}" != "$name" ] || unset "tests[$i]"
	done
done
if [ -n "$list" ]; then
	printf '%s\n' "${tests[@]}"
	exit 0
fi
[ "${#tests[@]}" -gt 0 ] || { usage >&2; exit 2; }

bail() { echo "KTAP version 1"; echo "Bail out! $*"; exit 1; }

[ "$(id -u)" = 0 ] || bail 'the selftests need root'
[ ! -d /sys/module/nettoll ] || bail 'the module is loaded: rmmod nettoll first'
NTT_DIR=$(mktemp -d)
export NTT_DIR NTT_VERBOSE=$verbose
NTT_PROGS=${NTT_PROGS:-$top/build/selftests}
# Where they have not been built beforehand (make -C selftests), or are old.
if ! log=$(make -s -C "$self" O="$NTT_PROGS" 2>&1); then
	bail "the test programs do not build: $(tail -n 1 <<<"$log")"
fi
virtual() { [ "${NETTOLL_VM_CLOCK:-}" = virtual ]; }
if [ -n "${NETTOLL_VM:-}" ]; then
	# Out of the host's file system, which is slow, and under the virtual clock takes minutes of the guest's time.
	mkdir "$NTT_DIR/bin"
	find "$NTT_PROGS" -maxdepth 1 -type f -exec cp -t "$NTT_DIR/bin" {} +
	NTT_PROGS=$NTT_DIR/bin
	cp "${NETTOLL_CLI:-$top/userspace/build/nettoll}" "$NTT_DIR/bin/nettoll"
	cp "${NETTOLL_KO:-$top/build/$(uname -r)/nettoll.ko}" "$NTT_DIR/bin/nettoll.ko"
	export NETTOLL_CLI=$NTT_DIR/bin/nettoll NETTOLL_KO=$NTT_DIR/bin/nettoll.ko
	"$NTT_PROGS/seed_random"
fi
export NTT_PROGS
clean() {
	rm -rf "$NTT_DIR"
	[ ! -d /sys/module/nettoll ] || timeout -k 5 30 rmmod nettoll || true
}
trap clean EXIT

printf 'KTAP version 1\n1..%d\n' "${#tests[@]}"
# A pipe that never has data: reading it with a time-out is a pause without a process.
exec {never}<> <(:)
number=0 failed=0 skipped=0 guard='' seconds=${NETTOLL_TEST_SECONDS:-600}
# Under the virtual clock, who waits for the host's files sees minutes pass: there the guest as a whole has a limit.
virtual || guard="timeout -k 10 $seconds"
for name in "${tests[@]}"; do
	number=$((number + 1))
	began=${EPOCHREALTIME/./}
	echo "nettoll-selftest: begin $name" >/dev/kmsg
	status=0
	exec {out}> >(exec sed -u 's/^/    /')
	indenter=$!
	$guard bash "$self/$name.sh" >&"$out" 2>&1 </dev/null {out}>&- || status=$?
	exec {out}>&-
	# What the test printed comes out first; something it left running must not hold us up.
	for _ in {1..100}; do
		kill -0 "$indenter" 2>/dev/null || break
		read -rt 0.05 -u "$never" || true
	done
	if kill "$indenter" 2>/dev/null; then
		echo '# it left a process behind that holds its output'
		status=1
	fi
	virtual || took=$(((${EPOCHREALTIME/./} - began) / 100000))
	virtual || echo "# $name took $((took / 10)).$((took % 10)) s"
	case $status in
	0) echo "ok $number $name" ;;
	4)
		skipped=$((skipped + 1))
		echo "ok $number $name # SKIP all of it"
		;;
	*)
		failed=$((failed + 1))
		[ "$status" != 124 ] || echo "# it did not end within $seconds s"
		[ "$status" = 1 ] || echo "# exit status $status"
		echo "not ok $number $name"
		;;
	esac
done
echo "# $number tests: $((number - failed - skipped)) passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] || exit 1
[ "$skipped" != "$number" ] || exit 4
