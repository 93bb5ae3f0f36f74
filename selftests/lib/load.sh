# SPDX-License-Identifier: GPL-2.0-or-later
# Traffic and sleepers in the background, and what they met.
# shellcheck shell=bash

# Several run at once, each with a name, a pipe to its standard input, and a log.
declare -A back_in=() back_pid=()

# back_start NAME PROGRAM ARGUMENT... - starts one of the test programs; what it prints is in $NTT_DIR/NAME.log.
back_start() {
	local name=$1 fifo=$NTT_DIR/$1.fifo fd
	shift
	rm -f "$fifo"
	mkfifo "$fifo"
	: >"$NTT_DIR/$name.log"
	# Without the pipes of the others, or they would never see their end.
	(
		for fd in "${back_in[@]}"; do
			exec {fd}>&-
		done
		exec "$NTT_PROGS/$1" "${@:2}" <"$fifo" >"$NTT_DIR/$name.log" 2>&1
	) &
	back_pid[$name]=$!
	exec {fd}>"$fifo"
	back_in[$name]=$fd
	defer back_kill "$name"
}

# back_says NAME TEXT [TIMES] - whether it has printed such a line (so often). Starts no process, which under load takes
# a second in an emulated machine.
back_says() {
	local line left=${3:-1}
	while IFS= read -r line; do
		[[ $line != "$2"* ]] || [ "$((left -= 1))" -gt 0 ] || return 0
	done <"$NTT_DIR/$1.log"
	return 1
}

# back_ready NAME TEXT
back_ready() {
	if ! wait_until 60 back_says "$1" "$2"; then
		cat "$NTT_DIR/$1.log"
		return 1
	fi
}

# back_tell NAME LINE
back_tell() { echo "$2" >&"${back_in[$1]}"; }

# back_end NAME - lets it come to its end; its exit status.
back_end() {
	local fd=${back_in[$1]} pid=${back_pid[$1]}
	exec {fd}>&-
	unset "back_in[$1]" "back_pid[$1]"
	wait "$pid"
}

back_kill() {
	[ -z "${back_pid[$1]:-}" ] || kill -KILL "${back_pid[$1]}" 2>/dev/null
}
