# SPDX-License-Identifier: GPL-2.0-or-later
# What the lanes of scripts/check run (lanes.txt names them). Sourced by the shell of one lane, in the top directory.
# shellcheck shell=bash

# shellcheck source=scripts/lib/common.sh
. scripts/lib/common.sh

# lane_no_warnings COMMAND... - runs it and fails if it fails or warns.
lane_no_warnings() {
	local log status=0
	nt_log
	"$@" >"$log" 2>&1 || status=$?
	cat -- "$log"
	# "warning:" is gcc's, sparse's, objtool's and modpost's word alike.
	if [ "$status" = 0 ] && grep -qiE '(^|[ :])warning:|: error:' "$log"; then
		echo "the build passed, but with the warnings above"
		status=1
	fi
	return "$status"
}

# lane_put FILE COPY - at once, since a guest of another lane may be reading the copy.
lane_put() {
	mkdir -p -- "${2%/*}"
	cp -- "$1" "$2.new"
	mv -- "$2.new" "$2"
}

# Builds from scratch, since what is already compiled would not warn again, and apart from a developer's own builds.
lane_build=$PWD/build/check

# lane_tools - the command line, and the library. The other lanes find it where `make tools` puts it.
lane_tools() {
	rm -rf -- "$lane_build/tools"
	lane_no_warnings make -C userspace O="$lane_build/tools"
	lane_put "$lane_build/tools/nettoll" userspace/build/nettoll
	rm -rf -- "$lane_build/libnettoll"
	lane_no_warnings make -C userspace/libnettoll O="$lane_build/libnettoll"
}

# lane_unit - the unit tests of the command, and of the module's pure code compiled as programs.
lane_unit() {
	local status=0
	make -s -C userspace O="$lane_build/tools" check || status=1
	make -s -C kmod/tests O="$lane_build/unit" check || status=1
	return "$status"
}

# lane_asan - the unit tests of the command once more, with the compiler's checks of memory and of undefined behaviour.
lane_asan() { make -s -C userspace O="$lane_build/tools" asan; }

# lane_kmod SERIES - the module for this kernel, with the kernel's extra warnings and sparse. The other lanes find it
# where `make module` puts it.
lane_kmod() {
	local kdir release
	kdir=$(scripts/kernel "$1" --kdir)
	release=$(scripts/kernel "$1" --release)
	rm -rf -- "${lane_build:?}/$release"
	lane_no_warnings make module KDIR="$kdir" O="$lane_build/$release" W=1 C=1
	lane_put "$lane_build/$release/nettoll.ko" "build/$release/nettoll.ko"
}

# lane_programs - the selftests' programs, here rather than in the guest, where compiling is slow.
lane_programs() {
	make -s -C selftests clean
	lane_no_warnings make -C selftests
}

# lane_debug_kernel - the debug kernel is there and boots.
lane_debug_kernel() { scripts/vm --kernel debug --clock real --timeout 300 -- uname -r; }

# lane_selftests SERIES CLOCK [VM-OPTION]... [-- TEST...] - the selftests of this clock, or those named, in one boot. What
# stands behind -- goes to selftests/run.sh.
lane_selftests() {
	local series=$1 clock=$2 options=()
	shift 2
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift $(($# > 0))
	if [ "$clock" = real ]; then
		# The emulator passes from CPU to CPU at their timer ticks. Where these are spread out, what has to reach
		# all CPUs, as patching code does, takes a third of the time.
		# And on a busy host they boot late for a check of the timer that means nothing in an emulator.
		options+=(--append 'skew_tick=1 no_timer_check')
	else
		# The tests that need NICs are those whose results must repeat.
		options+=(--exact --nics 'e1000-82545em,mitigation=off')
	fi
	scripts/vm --kernel "$series" --clock "$clock" --timeout 840 "${options[@]}" -- selftests/run.sh "${@:-$clock}"
}

# The fast paths have lanes of their own, since one boot for all would take too long.
fast_paths=(virtual/zerocopy virtual/calls virtual/coalesce_tx virtual/coalesce_rx virtual/csum virtual/csum_tx)

# lane_virtual SERIES - what is exact, but for the fast paths.
lane_virtual() {
	local test except=()
	for test in "${fast_paths[@]}"; do
		except+=(--except "$test")
	done
	lane_selftests "$1" virtual -- "${except[@]}" virtual
}

# lane_fastpath SERIES - the fast paths.
lane_fastpath() { lane_selftests "$1" virtual -- "${fast_paths[@]}"; }

# lane_real SERIES - races.
lane_real() { lane_selftests "$1" real -- smp; }

# lane_races SERIES - those of the fast paths.
lane_races() { lane_selftests "$1" real -- smp/zerocopy smp/coalesce_rx smp/csum; }

# lane_survive SERIES - the fast paths among all that else happens to sockets and packets, with real devices.
lane_survive() {
	lane_selftests "$1" real --nics 'e1000-82545em,mitigation=off' -- smp/families smp/gone smp/paths smp/programs
}

# lane_demo SERIES - the demo with its bounds, and its document by the schema.
lane_demo() {
	local out=$lane_build/demo-$1 verdict status=0
	scripts/demo --kernel "$1" --out "$out" --check || status=1
	echo 'KTAP version 1'
	echo '1..1'
	if verdict=$(printf 'ladder\t%s/ladder.json\n' "$out" | python3 selftests/lib/json_check.py Documentation/json-schema); then
		echo 'ok 1 the results are as the schema says'
	else
		echo "# $verdict"
		echo 'not ok 1 the results are as the schema says'
		status=1
	fi
	return "$status"
}
