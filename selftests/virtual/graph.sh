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
datagrams=150
traffic=("$NTT_PROGS/exchange" -n "$datagrams")

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

# Attached to the same functions: by direct calls only, which see what function_graph sees. Two runs, whose difference holds
# nothing but so many datagrams.
toll_attach direct
"${traffic[@]}" >/dev/null
toll_stat "$NTT_DIR/stat1" "${traffic[@]:0:2}" 1
toll_stat "$NTT_DIR/stat" "${traffic[@]:0:2}" $((datagrams + 1))
# What comes next wants all hooks.
toll attach >/dev/null
echo auto >"$NTT_DIR/attached"

# agrees WHAT - by function or the sum of all
agrees() {
	awk -v inner="$inner" -v outer="$outer" -v least="$least_percent" -v n="$datagrams" -v what="$1" '
		function cell(name) { return $(at[name]) }
		FNR == 1 { file++ }
		file == 1 { graph[$1] = $3 - ($2 * inner + $4 * outer) / 1000; graph_calls[$1] = $2; next }
		/^#/ { next }
		!(file in head) { for (i = 1; i <= NF; i++) at[$i] = i; head[file]; next }
		cell("layer") == "wait" { next }
		{
			sign = file == 2 ? -1 : 1
			toll[cell("hook")] += sign * (cell("cycles") - cell("own_cycles"))
			calls[cell("hook")] += sign * cell("calls")
		}
		END {
			for (h in toll) {
				# Of each datagram: not what happens at the beginning and with the clock.
				if (calls[h] < n || calls[h] % n || graph_calls[h] < calls[h] || graph_calls[h] > calls[h] * 1.05)
					continue
				both[h] = toll[h] / calls[h]
				other[h] = graph[h] / graph_calls[h]
				sum += both[h] * calls[h]
				sum_graph += other[h] * calls[h]
			}
			for (h in both) {
				share = 100 * both[h] * calls[h] / sum
				d = both[h] - other[h]
				if (share < least)
					continue
				compared++
				covered += share
				# What is subtracted from function_graph is known to half a per cent.
				wrong = (d < 0 ? -d : d) > other[h] * 0.03 && (d < 0 ? -d : d) > (inner + outer) / 1000 * 0.005
				bad = bad || wrong
				if (what == "functions")
					printf "%s%-28s %5d calls  nettoll %7.1f  function_graph %7.1f  %+5.1f %%  (%4.1f %% of all)\n",
						wrong ? "" : "=", h, calls[h], both[h], other[h], 100 * d / other[h], share
			}
			d = 100 * (sum - sum_graph) / sum_graph
			printf "=%d functions, with %.1f %% of the time; all together: nettoll %.0f, function_graph %.0f, %+.2f %%\n",
				compared, covered, sum / n, sum_graph / n, d
			if (what == "sum")
				exit d > 3 || d < -3 || sum_graph <= 0
			exit bad || compared < 15 || covered < 80
		}' "$NTT_DIR/graph" FS='\t' "$NTT_DIR/stat1" "$NTT_DIR/stat"
}
ktap_test 'the self times of all functions together agree within 3 %' agrees sum
ktap_test 'the self time of each function agrees within 3 %' agrees functions
ktap_test 'the kernel does not complain' log_clean
ktap_finish
