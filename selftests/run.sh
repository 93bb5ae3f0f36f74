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
A TEST is a file below selftests, as virtual/closure or its path. Both lanes also run on a real host (as root; the
module must not be loaded): tests that need the virtual clock are skipped there.

Options:
  --list       list the tests of the lanes
  -v           show what tests print even when they pass
  -h, --help   this

Environment:
  NETTOLL_KO    the module (default build/RELEASE/nettoll.ko)
  NETTOLL_CLI   the command (default userspace/build/nettoll)
  NETTOLL_NICS  A,B: two unused NICs on one wire
  NETTOLL_RMMOD how many times each kind of unloading under traffic is done (default: 100 in all)

Exit status: 0 all passed or skipped, 1 something failed, 2 usage, 4 all skipped.
END
}

# The order matters: tests that want the same hooks attached follow each other.
virtual=(load idle_cost table sysctl netlink permission attach backends closure counts wait stack_args graph percpu notify)
smp=(load_loop percpu closure churn sleepers hotplug kthread rmmod_traffic)

tests=() list='' verbose=''
lane_tests() { # NAME
	local -n names=$1
	local name
	for name in "${names[@]}"; do
		tests+=("$1/$name")
	done
}
while [ $# -gt 0 ]; do
	case $1 in
	--list) list=1 ;;
	-v) verbose=1 ;;
	-h | --help) usage; exit 0 ;;
	-*) echo "run.sh: unknown option $1 (--help explains)" >&2; exit 2 ;;
	virtual) lane_tests virtual ;;
	smp | real) lane_tests smp ;;
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
if [ -n "$list" ]; then
	[ "${#tests[@]}" -gt 0 ] || { lane_tests virtual; lane_tests smp; }
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
export NTT_PROGS
clean() {
	rm -rf "$NTT_DIR"
	[ ! -d /sys/module/nettoll ] || timeout -k 5 30 rmmod nettoll || true
}
trap clean EXIT

printf 'KTAP version 1\n1..%d\n' "${#tests[@]}"
number=0 failed=0 skipped=0
for name in "${tests[@]}"; do
	number=$((number + 1))
	began=${EPOCHREALTIME/./}
	echo "nettoll-selftest: begin $name" >/dev/kmsg
	status=0
	timeout -k 10 600 bash "$self/$name.sh" 2>&1 </dev/null | sed -u 's/^/    /' || status=$?
	took=$(((${EPOCHREALTIME/./} - began) / 100000))
	echo "# $name took $((took / 10)).$((took % 10)) s"
	case $status in
	0) echo "ok $number $name" ;;
	4)
		skipped=$((skipped + 1))
		echo "ok $number $name # SKIP all of it"
		;;
	*)
		failed=$((failed + 1))
		[ "$status" != 124 ] || echo "# it did not end within ten minutes"
		[ "$status" = 1 ] || echo "# exit status $status"
		echo "not ok $number $name"
		;;
	esac
done
echo "# $number tests: $((number - failed - skipped)) passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] || exit 1
[ "$skipped" != "$number" ] || exit 4
