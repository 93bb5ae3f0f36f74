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
least_percent=0.4
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

# trace FUNCTIONS FIRST FILE COMMAND... - the functions' self times while the command runs, by calls of the first.
trace() {
	echo 0 >"$tracing/tracing_on"
	echo "$1" >"$tracing/set_ftrace_filter"
	echo function_graph >"$tracing/current_tracer"
	echo >"$tracing/trace"
	echo 1 >"$tracing/tracing_on"
	"${@:4}" >"$3.out"
	echo 0 >"$tracing/tracing_on"
	awk -v first="$2" -f "$NTT_SELF/virtual/graph.awk" "$tracing/trace" >"$3"
	echo nop >"$tracing/current_tracer"
}

# sets inner and outer
price() {
	local off on usual
	off=$(prog empty_call)
	trace "$empty" "$empty" "$NTT_DIR/empty" "$NTT_PROGS/empty_call"
	on=$(<"$NTT_DIR/empty.out")
	read -r _ calls _ usual _ <"$NTT_DIR/empty"
	# The function's own two instructions are not the tracer's.
	inner=$((usual - 2))
	outer=$(($(field "$on" usual) - $(field "$off" usual) - inner))
	ktap_note "function_graph: a span costs $((inner + outer)) ns, of which $inner in the function's own time"
}
price
ktap_test 'nearly every call of the empty function takes the same time' expect calls "$calls" -gt \
	$(($(field "$(<"$NTT_DIR/empty.out")" calls) * 9 / 10))
ktap_test "function_graph's own cost is plausible" expect ns $((inner + outer)) -gt 50

hooks=$(toll hooks --tsv | awk -F '\t' '/^#/ { next } $5 == "detached" && $1 !~ /\// && $1 != "_copy_from_iter" { printf "%s ", $1 }')
"${traffic[@]}" >/dev/null
trace "$hooks" __sys_sendto "$NTT_DIR/graph" "${traffic[@]}"

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
		file == 1 {
			seen[$1] = $2
			graph_calls[$1] = $3
			graph[$1] = $4 - $3 * inner - $5 * outer
			next
		}
		/^#/ { next }
		!(file in head) { for (i = 1; i <= NF; i++) at[$i] = i; head[file]; next }
		# handle_softirqs runs for datagrams and for the clock alike, whose share of the two runs differs.
		cell("layer") == "wait" || cell("layer") == "irq" { next }
		{
			sign = file == 2 ? -1 : 1
			toll[cell("hook")] += sign * (cell("cycles") - cell("own_cycles"))
			calls[cell("hook")] += sign * cell("calls")
		}
		END {
			for (h in toll) {
				# Of each datagram: not what happens at the beginning and with the clock.
				toll[h] /= n
				if (!calls[h] || calls[h] != n * graph_calls[h] || seen[h] < n / 2)
					continue
				both[h]
				sum += toll[h]
				sum_graph += graph[h]
			}
			for (h in both) {
				share = 100 * toll[h] / sum
				d = 100 * (toll[h] - graph[h]) / graph[h]
				if (share < least)
					continue
				compared++
				covered += share
				wrong = d > 3 || d < -3
				bad = bad || wrong
				if (what == "functions")
					printf "%s%-28s %d calls  nettoll %7.1f  function_graph %5d  %+5.1f %%  (%4.1f %% of all)\n",
						wrong ? "" : "=", h, graph_calls[h], toll[h], graph[h], d, share
			}
			d = 100 * (sum - sum_graph) / sum_graph
			printf "=%d functions, with %.1f %% of the time; all together: nettoll %.0f, function_graph %.0f, %+.2f %%\n",
				compared, covered, sum, sum_graph, d
			if (what == "sum")
				exit d > 3 || d < -3 || sum_graph <= 0
			exit bad || compared < 20 || covered < 90
		}' "$NTT_DIR/graph" FS='\t' "$NTT_DIR/stat1" "$NTT_DIR/stat"
}
ktap_test 'the self times of all functions together agree within 3 %' agrees sum
ktap_test 'the self time of each function agrees within 3 %' agrees functions
ktap_test 'the kernel does not complain' log_clean
ktap_finish
