# SPDX-License-Identifier: GPL-2.0-or-later
# The command under test, and reading what it reports.
# shellcheck shell=bash

# toll ARGUMENT... - the nettoll command.
toll() { "$NTT_CLI" "$@"; }

# toll_attach BACKEND - all hooks attached by this backend (auto: the cheapest for each) and no other. Attaching takes
# time, so tests that ask for the same thing share it.
toll_attach() {
	if [ "$(toll_attached_as)" = "$1" ]; then
		return 0
	fi
	module_load
	toll_detach
	toll attach --backend "$1"
	echo "$1" >"$NTT_DIR/attached"
}

# toll_attached_as - how toll_attach attached all hooks, or "no".
toll_attached_as() {
	if module_loaded && [ -s "$NTT_DIR/attached" ]; then
		cat "$NTT_DIR/attached"
	else
		echo no
	fi
}

# toll_detach - no hook attached, and nothing in use any more.
toll_detach() {
	rm -f "$NTT_DIR/attached"
	module_loaded || return 0
	toll detach >/dev/null
	wait_until 10 toll_idle
}

toll_idle() { [ "$(toll_status state)" = idle ]; }

# toll_status KEY - one line of the state of the module.
toll_status() { toll show status --tsv | awk -F '\t' -v k="$1" '$1 == k { print $2 }'; }

# toll_hook HOOK COLUMN - one cell of the table of the hooks.
toll_hook() {
	toll hooks "$1" --tsv | awk -F '\t' -v c="$2" '/^#/ { next } !n { for (i = 1; i <= NF; i++) if ($i == c) n = i; next } { print $n }'
}

# toll_stat FILE COMMAND... - what was charged while the command ran, by hook, uncorrected, as TSV in the file.
# What the command printed is in FILE.out.
toll_stat() {
	local file=$1
	shift
	toll stat --no-attach --by hook --raw --tsv -o "$file" -- "$@" >"$file.out"
}

# stat_field FILE KEY - one of the figures that are not of a hook.
stat_field() { awk -F '\t' -v k="#$2" '$1 == k { print $2; n = 1 } END { exit !n }' "$1"; }

# stat_sum FILE COLUMN [HOOK|LAYER [DIRECTION]] - the sum of a column over the rows of a hook or layer.
stat_sum() {
	awk -F '\t' -v c="$2" -v what="${3:-}" -v dir="${4:-}" '
		/^#/ { next }
		!n { for (i = 1; i <= NF; i++) at[$i] = i; n = at[c]; if (!n) exit 1; next }
		(what == "" || $at["hook"] == what || $at["layer"] == what) && (dir == "" || $at["direction"] == dir) { sum += $n }
		END { if (!n) exit 1; printf "%.0f\n", sum }' "$1"
}

# stat_calls FILE HOOK [DIRECTION]
stat_calls() { stat_sum "$1" calls "$2" "${3:-}"; }

# field TEXT KEY - VALUE of KEY=VALUE in the text.
field() {
	[[ " $1" =~ [[:space:]]"$2"=([^[:space:]]*) ]] || { echo "no $2= in: $1" >&2; return 1; }
	printf '%s' "${BASH_REMATCH[1]}"
}

# stat_closed FILE - the self times of the hooks add up to the inclusive time, to the cycle.
stat_closed() {
	local self inclusive
	self=$(stat_field "$1" self_cycles)
	inclusive=$(stat_field "$1" inclusive_cycles)
	[ "$inclusive" -gt 0 ] || { echo "nothing was charged"; return 1; }
	if [ "$self" != "$inclusive" ]; then
		echo "closure: the hooks' self times are $self cycles, the spans' inclusive time $inclusive"
		return 1
	fi
}
