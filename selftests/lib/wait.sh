# SPDX-License-Identifier: GPL-2.0-or-later
# Waiting for a condition with a deadline, and cleaning up what was begun.
# shellcheck shell=bash

# A pipe that never has data: reading it with a time-out is a pause without a process.
exec {wait_fd}<> <(:)

# pause SECONDS
pause() { read -rt "$1" -u "$wait_fd" || true; }

# wait_until SECONDS COMMAND... - polls until the command succeeds; fails when it has not for so long. Only the pauses are
# counted: under the virtual clock, reading a file from the host may take minutes of the guest's time.
wait_until() {
	local left=$(($1 * 50))
	shift
	until "$@"; do
		if [ "$((left -= 1))" -lt 0 ]; then
			echo "time is out, waiting for: $*"
			return 1
		fi
		pause 0.02
	done
}

# limit SECONDS COMMAND... - ends it (status 124) if it takes longer; for the same reason, only on a real clock.
limit() {
	if in_virtual_time; then
		shift
		"$@"
	else
		timeout -k 5 "$@"
	fi
}

# now_us - microseconds of the clock; cheap.
now_us() { printf '%s' "${EPOCHREALTIME/./}"; }

defer_list=()

# defer COMMAND... - runs it when the script ends, however it ends; the last one deferred runs first.
defer() { defer_list+=("$(printf '%q ' "$@")"); }

defer_run() {
	local i status=$?
	set +e
	trap '' INT TERM HUP
	for ((i = ${#defer_list[@]} - 1; i >= 0; i--)); do
		eval "${defer_list[i]}" >/dev/null 2>&1
	done
	defer_list=()
	return "$status"
}
trap defer_run EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# end_process PID - ends a process of ours and waits for it.
end_process() {
	kill "$1" 2>/dev/null
	wait "$1" 2>/dev/null || true
}

is_gone() { ! kill -0 "$1" 2>/dev/null; }

# sleeps_in PID FUNCTION - the process sleeps in the kernel, with FUNCTION on its stack.
sleeps_in() { grep -qs -- "\<$2+" "/proc/$1/stack"; }
