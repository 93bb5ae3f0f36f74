# SPDX-License-Identifier: GPL-2.0-or-later
# What the lanes of scripts/check run (lanes.txt names them). Sourced by the shell of one lane, in the top directory.
# shellcheck shell=bash

# lane_no_warnings COMMAND... - runs it and fails if it fails or warns.
lane_no_warnings() {
	local log status=0
	log=$(mktemp)
	"$@" >"$log" 2>&1 || status=$?
	cat -- "$log"
	# "warning:" is gcc's, sparse's, objtool's and modpost's word alike.
	if [ "$status" = 0 ] && grep -qiE '(^|[ :])warning:|: error:' "$log"; then
		echo "the build passed, but with the warnings above"
		status=1
	fi
	rm -f -- "$log"
	return "$status"
}

# lane_tools - the command line, from scratch (what is already compiled would not warn again), for the other lanes too.
lane_tools() {
	make -s -C userspace clean
	lane_no_warnings make tools
}

# lane_kmod SERIES - the module for this kernel, from scratch, with the kernel's extra warnings and sparse.
lane_kmod() {
	local kdir release
	kdir=$(scripts/kernel "$1" --kdir)
	release=$(scripts/kernel "$1" --release)
	rm -rf -- "build/$release"
	lane_no_warnings make module KDIR="$kdir" W=1 C=1
}

# lane_selftests SERIES CLOCK - the selftests of this clock, in one boot.
lane_selftests() {
	local more=()
	# The tests that need NICs are those whose results must repeat.
	[ "$2" = real ] || more=(--nics 'e1000-82545em,mitigation=off')
	scripts/vm --kernel "$1" --clock "$2" --timeout 840 "${more[@]}" -- selftests/run.sh "$2"
}
