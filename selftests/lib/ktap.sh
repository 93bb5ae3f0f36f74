# SPDX-License-Identifier: GPL-2.0-or-later
# Results in KTAP: a plan, a line for each result, diagnostics behind '#'.
# shellcheck shell=bash

ktap_planned=0 ktap_seen=0 ktap_failed=0 ktap_skipped=0

# ktap_plan N - begins the document: so many results follow.
ktap_plan() {
	ktap_planned=$1
	printf 'KTAP version 1\n1..%d\n' "$1"
}

# ktap_note TEXT... - a line of diagnostics.
ktap_note() { printf '# %s\n' "$*"; }

# ktap_notes - what comes in becomes diagnostics.
ktap_notes() { sed 's/^/# /'; }

# A description may not hold what KTAP gives a meaning to.
ktap_words() { printf '%s' "${1//#/}"; }

# ktap_pass DESCRIPTION
ktap_pass() {
	ktap_seen=$((ktap_seen + 1))
	printf 'ok %d %s\n' "$ktap_seen" "$(ktap_words "$1")"
}

# ktap_fail DESCRIPTION
ktap_fail() {
	ktap_seen=$((ktap_seen + 1))
	ktap_failed=$((ktap_failed + 1))
	printf 'not ok %d %s\n' "$ktap_seen" "$(ktap_words "$1")"
}

# ktap_skip DESCRIPTION REASON - REASON begins with "needs hardware:" only where no software could help.
ktap_skip() {
	ktap_seen=$((ktap_seen + 1))
	ktap_skipped=$((ktap_skipped + 1))
	printf 'ok %d %s # SKIP %s\n' "$ktap_seen" "$(ktap_words "$1")" "$2"
}

# ktap_skip_all REASON - ends the script: nothing of it can be tested here.
ktap_skip_all() {
	printf 'KTAP version 1\n1..0 # SKIP %s\n' "$1"
	exit 4
}

# ktap_test DESCRIPTION COMMAND... - passes if the command, run in a subshell that ends at the first failure, succeeds.
# What it printed is shown if it failed. A command that exits with 4 has printed, last, why it cannot be run here.
ktap_test() {
	# Names that the command's own variables do not meet.
	local ktap_what=$1 ktap_status ktap_log=$NTT_DIR/ktap.log
	shift
	# Not as a condition: there bash would ignore set -e.
	set +e
	(set -e; "$@") >"$ktap_log" 2>&1 </dev/null
	ktap_status=$?
	set -e
	case $ktap_status in
	0) ktap_pass "$ktap_what" ;;
	4)
		ktap_skip "$ktap_what" "$(tail -n 1 "$ktap_log")"
		return 0
		;;
	*) ktap_fail "$ktap_what" ;;
	esac
	if [ "$ktap_status" != 0 ] || [ -n "${NTT_VERBOSE:-}" ]; then
		[ "$ktap_status" = 0 ] || ktap_note "exit status $ktap_status of: $*"
		ktap_notes <"$ktap_log"
	else
		# Figures that are worth to be seen begin with '='.
		sed -n 's/^=/# /p' "$ktap_log"
	fi
}

# ktap_from COMMAND... - takes over the results of a program that prints "ok TEXT", "not ok TEXT" and "# TEXT".
# The program printing all it announced is one more result.
ktap_from() {
	local expected=$1 before=$ktap_seen line status
	shift
	while IFS= read -r line; do
		case $line in
		'ok '*) ktap_pass "${line#ok }" ;;
		'not ok '*) ktap_fail "${line#not ok }" ;;
		*) ktap_note "${line#\# }" ;;
		esac
	done < <(
		"$@" 2>&1 </dev/null && status=0 || status=$?
		echo "exit status $status"
	)
	if [ "$((ktap_seen - before))" = "$expected" ]; then
		ktap_pass "$(basename -- "$1") came to its end"
	else
		ktap_fail "$(basename -- "$1") came to its end"
	fi
}

# ktap_finish - ends the script with the status that its results deserve.
ktap_finish() {
	if [ "$ktap_seen" != "$ktap_planned" ]; then
		ktap_note "planned $ktap_planned results, saw $ktap_seen"
		exit 1
	fi
	[ "$ktap_failed" = 0 ] || exit 1
	[ "$ktap_skipped" != "$ktap_seen" ] || exit 4
	exit 0
}

# must_fail COMMAND... - bash does not end a script for a '!' before a command.
must_fail() {
	if "$@"; then
		echo "this should have failed: $*"
		return 1
	fi
}

# expect WHAT GOT OPERATOR WANTED - a comparison that says what it saw: = != (text), -eq -le ... (numbers).
expect() {
	# shellcheck disable=SC1072,SC1073,SC1009 # the operator is a variable
	if test "$2" "$3" "$4"; then
		return 0
	fi
	echo "$1: '$2' should be $3 '$4'"
	return 1
}

# expect_text WHAT TEXT PATTERN - TEXT must match the extended regular expression.
expect_text() {
	if [[ $2 =~ $3 ]]; then
		return 0
	fi
	echo "$1: should match '$3': $2"
	return 1
}

# expect_within WHAT GOT WANTED PERCENT
expect_within() {
	awk -v g="$2" -v w="$3" -v p="$4" 'BEGIN { d = g - w; if (d < 0) d = -d; m = w < 0 ? -w : w; exit !(d <= m * p / 100) }' ||
		{ echo "$1: $2 should be within $4 % of $3"; return 1; }
}

# skip_here REASON - within ktap_test: this cannot be tested here.
skip_here() {
	echo "$1"
	exit 4
}
