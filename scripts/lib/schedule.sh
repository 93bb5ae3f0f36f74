# SPDX-License-Identifier: GPL-2.0-or-later
# The lanes of scripts/check: reading their table, running as many at once as there are cores, counting their results.
# They use scripts/check's variables (slots, logs, verbose, ...).
# shellcheck shell=bash disable=SC2154

declare -a lanes=()
declare -A lane_slots lane_limit lane_needs lane_kind lane_command
# waiting, running, passed, failed
declare -A lane_state lane_pid lane_began
total_passed=0 total_failed=0 total_skipped=0 total_soft=0

# lanes_read FILE - reads the table.
lanes_read() {
	local name slots limit needs kind command
	[ -r "$1" ] || nt_die "cannot read the list of lanes $1"
	while read -r name slots limit needs kind command; do
		case $name in '' | '#'*) continue ;; esac
		case $slots$limit in *[!0-9]*) nt_die "$1: lane $name: slots and limit are numbers" ;; esac
		case $kind in tap | exit) ;; *) nt_die "$1: lane $name: its kind is tap or exit, not '$kind'" ;; esac
		lanes+=("$name")
		lane_slots[$name]=$slots
		lane_limit[$name]=$limit
		lane_needs[$name]=${needs//,/ }
		[ "$needs" != - ] || lane_needs[$name]=''
		lane_kind[$name]=$kind
		lane_command[$name]=$command
	done <"$1"
}

# lanes_select [NAME...] - leaves only these lanes and those they need, in the table's order.
lanes_select() {
	local name
	local -A in=()
	local -a todo=("$@") selected=()
	[ $# -gt 0 ] || return 0
	while [ "${#todo[@]}" -gt 0 ]; do
		name=${todo[0]}
		todo=("${todo[@]:1}")
		[ -n "${lane_command[$name]:-}" ] || { nt_say "no lane $name (scripts/check --list lists them)"; exit 2; }
		[ -z "${in[$name]:-}" ] || continue
		in[$name]=1
		# shellcheck disable=SC2206 # a list of words
		todo+=(${lane_needs[$name]})
	done
	for name in "${lanes[@]}"; do
		[ -z "${in[$name]:-}" ] || selected+=("$name")
	done
	lanes=("${selected[@]}")
}

# lanes_slots - prints how many cores to use: a guest takes up to 3 GiB a core.
lanes_slots() {
	awk -v cores="$(nproc)" '/^MemAvailable:/ {
		n = int($2 / (3 * 1024 * 1024)); if (n > cores) n = cores; if (n < 1) n = 1; print n }' /proc/meminfo
}

# lane_start NAME - starts a lane in the background.
lane_start() {
	local name=$1
	lane_state[$name]=running
	lane_began[$name]=$SECONDS
	echo "== $name: ${lane_command[$name]}"
	# timeout gives the lane a process group of its own and ends all of it; it is told if this script is killed.
	# shellcheck disable=SC2016 # expanded by the lane's shell
	setpriv --pdeathsig TERM timeout -k 30 "${lane_limit[$name]}m" \
		bash -euo pipefail -c '. scripts/lib/lanes.sh; eval "$1"' "$name" "${lane_command[$name]}" \
		</dev/null >"$logs/$name.log" 2>&1 {NT_LOCK_FD}>&- &
	lane_pid[$name]=$!
}

# lane_end NAME STATUS - counts the results of a lane that ended, and shows them.
lane_end() {
	local name=$1 status=$2 passed failed skipped soft complaints log=$logs/$1.log took
	took=$((SECONDS - ${lane_began[$1]}))
	unset 'lane_pid[$name]'
	{
		read -r passed failed skipped soft
		complaints=$(cat)
	} < <(awk -v status="$status" -v kind="${lane_kind[$name]}" -f "$NT_TOP/scripts/lib/tally.awk" "$log")
	if [ "$status" = 124 ] && [ "$took" -ge $((lane_limit[$name] * 60)) ]; then
		complaints+=$'\n'"it did not end within its ${lane_limit[$name]} minutes and was ended"
	fi
	total_passed=$((total_passed + passed))
	total_failed=$((total_failed + failed))
	total_skipped=$((total_skipped + skipped))
	total_soft=$((total_soft + soft))
	if [ "$failed" = 0 ]; then lane_state[$name]=passed; else lane_state[$name]=failed; fi
	if [ "$failed" != 0 ] || [ "$verbose" = 1 ]; then
		sed "s/^/  $name| /" "$log"
	else
		grep -E '^ *((not )?ok|1\.\.[0-9]|K?TAP version|Bail out!)|^[a-z-]+: .*=' "$log" | sed "s/^/  $name| /" || true
	fi
	[ -z "$complaints" ] || printf '%s\n' "$complaints" | sed "/^\$/d; s/^/== $name: /"
	printf '== %s: %s: %d passed, %d failed, %d skipped (%d s; log %s)\n' "$name" "${lane_state[$name]}" \
		"$passed" "$failed" "$skipped" "$took" "$log"
}

# lane_ready NAME - whether all that it needs has passed; marks it failed if something did not.
lane_ready() {
	local need
	for need in ${lane_needs[$1]}; do
		case ${lane_state[$need]} in
		passed) ;;
		failed)
			lane_state[$1]=failed
			total_failed=$((total_failed + 1))
			echo "== $1: failed: not run, since it needs $need (counts as 1 failed)"
			return 1
			;;
		*) return 1 ;;
		esac
	done
}

# lanes_out_of_time - ends everything: the whole check has a limit, too.
lanes_out_of_time() {
	local name
	nt_say "not done within $minutes minutes (NETTOLL_CHECK_MINUTES): ending what still runs"
	for name in "${lanes[@]}"; do
		case ${lane_state[$name]} in
		waiting)
			lane_state[$name]=failed
			total_failed=$((total_failed + 1))
			echo "== $name: failed: not run, since time was out (counts as 1 failed)"
			;;
		running) kill -TERM "${lane_pid[$name]}" 2>/dev/null || true ;;
		esac
	done
}

# lanes_run - runs the selected lanes, each as soon as what it needs has passed and there are cores for it.
lanes_run() {
	local name free=$slots take pid status before sleeper
	for name in "${lanes[@]}"; do
		lane_state[$name]=waiting
	done
	setpriv --pdeathsig KILL sleep $((minutes * 60 - (SECONDS - began))) {NT_LOCK_FD}>&- &
	sleeper=$!
	lane_pid[' sleeper']=$sleeper
	while :; do
		before=${lane_state[*]}
		for name in "${lanes[@]}"; do
			[ "${lane_state[$name]}" = waiting ] || continue
			take=$((lane_slots[$name] < slots ? lane_slots[$name] : slots))
			if lane_ready "$name"; then
				# A lane that needs more cores than are free waits; a smaller one may pass it.
				if [ "$take" -le "$free" ]; then
					free=$((free - take))
					lane_start "$name"
				fi
			fi
		done
		if [ "$free" = "$slots" ]; then
			# What waited for a lane that has just been marked failed is marked on the next pass.
			[ "${lane_state[*]}" != "$before" ] || break
			continue
		fi
		status=0
		wait -n -p pid "${lane_pid[@]}" || status=$?
		if [ "$pid" = "$sleeper" ]; then
			unset 'lane_pid[ sleeper]'
			sleeper=none
			lanes_out_of_time
			continue
		fi
		for name in "${lanes[@]}"; do
			if [ "${lane_pid[$name]:-}" = "$pid" ]; then
				lane_end "$name" "$status"
				free=$((free + (lane_slots[$name] < slots ? lane_slots[$name] : slots)))
			fi
		done
	done
}

# lanes_end - ends what still runs, when the script ends.
lanes_end() {
	local pid
	trap '' INT TERM HUP
	for pid in "${lane_pid[@]}"; do
		kill -TERM "$pid" 2>/dev/null || true
	done
	wait 2>/dev/null || true
}

# lanes_summary - prints the tally and ends the script with the status it deserves.
lanes_summary() {
	local name status=0
	for name in "${lanes[@]}"; do
		[ "${lane_state[$name]}" = passed ] || echo "== failed: $name (scripts/check $name runs it again)"
	done
	[ "$total_failed" = 0 ] || status=1
	if [ "${CI:-}" = true ] && [ "$total_soft" != 0 ]; then
		echo "== $total_soft skipped tests name no missing hardware: with CI=true that is a failure"
		status=1
	fi
	printf '== %d lanes in %d min %d s on %d cores\n' "${#lanes[@]}" $(((SECONDS - began) / 60)) \
		$(((SECONDS - began) % 60)) "$slots"
	printf '%d passed, %d failed, %d skipped\n' "$total_passed" "$total_failed" "$total_skipped"
	exit "$status"
}
