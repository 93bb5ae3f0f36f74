#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# function_graph's opinion: what each function takes itself, by both tools, each less its own cost, agrees within 3 %.
#
# Both see the same functions and the same traffic, one after the other. What function_graph costs is measured on an empty
# function: the part that it reports as the function's time, and the rest, which it leaves in the caller's.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

in_virtual_time || ktap_skip_all 'compares single cycles, which needs the virtual clock (scripts/vm)'
ktap_plan 5
module_load
toll_detach

tracing=/sys/kernel/tracing
empty=do_no_restart_syscall
# Short functions are dominated by what is subtracted; these make up nearly all of the time.
least_percent=1.5
traffic=("$NTT_PROGS/exchange" -n 150)

trace_end() {
	echo nop >"$tracing/current_tracer"
	echo >"$tracing/set_ftrace_filter"
	echo 0 >"$tracing/options/funcgraph-tail"
	echo 1408 >"$tracing/buffer_size_kb"
	echo 1 >"$tracing/tracing_on"
}
defer trace_end
echo 1 >"$tracing/options/funcgraph-tail"
echo 16384 >"$tracing/buffer_size_kb"

# trace FUNCTIONS FILE COMMAND... - the functions' self times while the command runs.
trace() {
	echo 0 >"$tracing/tracing_on"
	echo "$1" >"$tracing/set_ftrace_filter"
	echo function_graph >"$tracing/current_tracer"
	echo >"$tracing/trace"
	echo 1 >"$tracing/tracing_on"
	"${@:3}" >"$2.out"
	echo 0 >"$tracing/tracing_on"
	awk -f "$NTT_SELF/virtual/graph.awk" "$tracing/trace" >"$2"
	echo nop >"$tracing/current_tracer"
}

# sets inner and outer, in thousandths of a nanosecond
price() {
	local off on usual
	off=$(prog empty_call)
	trace "$empty" "$NTT_DIR/empty" "$NTT_PROGS/empty_call"
	on=$(<"$NTT_DIR/empty.out")
	read -r _ calls _ _ usual <"$NTT_DIR/empty"
	# The function's own two instructions are not the tracer's.
	inner=$(((usual - 2) * 1000))
	outer=$((($(field "$on" best) - $(field "$off" best)) * 1000 / $(field "$on" batch) - inner))
}
price
ktap_note "function_graph: a span costs $(((inner + outer) / 1000)) ns, of which $((inner / 1000)) in the function's own time"
ktap_test 'every call of the empty function is traced' expect calls "$calls" -eq "$(field "$(<"$NTT_DIR/empty.out")" calls)"
ktap_test "function_graph's own cost is plausible" expect 'thousandths of a ns' $((inner + outer)) -gt 50000

hooks=$(toll hooks --tsv | awk -F '\t' '/^#/ { next } $5 == "detached" && $1 !~ /\// && $1 != "_copy_from_iter" { printf "%s ", $1 }')
"${traffic[@]}" >/dev/null
trace "$hooks" "$NTT_DIR/graph" "${traffic[@]}"

# Attached to the same functions: _copy_from_iter, which function_graph does not see, is in its caller's time there.
toll_attach auto
toll detach _copy_from_iter >/dev/null
toll_stat "$NTT_DIR/stat" "${traffic[@]}"
toll attach _copy_from_iter >/dev/null

# agrees WHAT - by function or the sum of all
agrees() {
	awk -v inner="$inner" -v outer="$outer" -v least="$least_percent" -v what="$1" '
		FNR == NR { graph[$1] = $3 - ($2 * inner + $4 * outer) / 1000; graph_calls[$1] = $2; next }
		/^#/ { next }
		!at { n = split($0, name, "\t"); for (i = 1; i <= n; i++) at_of[name[i]] = i; at = 1; next }
		{
			split($0, cell, "\t")
			h = cell[at_of["hook"]]
			if (!(h in graph) || cell[at_of["layer"]] == "wait")
				next
			toll[h] += cell[at_of["cycles"]] - cell[at_of["own_cycles"]]
			calls[h] += cell[at_of["calls"]]
			if (graph_calls[h] > 0)
				seen[h]
		}
		END {
			for (h in seen) {
				# The commands around the traffic, and the clock, are not the same number of calls.
				if (calls[h] < 100 || calls[h] < graph_calls[h] * 0.98 || calls[h] > graph_calls[h] * 1.02)
					continue
				both[h]
				sum_toll += toll[h] / calls[h] * 150
				sum_graph += graph[h] / graph_calls[h] * 150
			}
			for (h in both) {
				t = toll[h] / calls[h]
				g = graph[h] / graph_calls[h]
				share = 100 * t * calls[h] / sum_toll
				d = 100 * (t - g) / g
				line = sprintf("%-28s %6d calls  nettoll %8.1f  function_graph %8.1f  %+5.1f %%  (%4.1f %% of all)", h, calls[h], t, g, d, share)
				if (what == "functions" && share >= least) {
					compared++
					covered += share
					if (d > 3 || d < -3) { bad = 1; print line }
					else print "=" line
				}
			}
			d = 100 * (sum_toll - sum_graph) / sum_graph
			if (what == "sum") {
				printf "=all functions: nettoll %.0f, function_graph %.0f, %+.2f %%\n", sum_toll, sum_graph, d
				exit d > 3 || d < -3 || sum_graph <= 0
			}
			printf "=%d functions compared, with %.1f %% of the time\n", compared, covered
			if (compared < 10) { print "too few functions to compare"; bad = 1 }
			exit bad
		}' "$NTT_DIR/graph" "$NTT_DIR/stat"
}
ktap_test 'the self times of all functions together agree within 3 %' agrees sum
ktap_test 'the self time of each function agrees within 3 %' agrees functions
ktap_test 'the kernel does not complain' log_clean
ktap_finish
