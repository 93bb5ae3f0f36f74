#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Traffic on all CPUs at once, its tasks asleep, awake, interrupted and moved about: when all is at rest, the self times add
# up to the inclusive times to the cycle, the CPUs to their sum, and the calls to what the programs made.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

module_load
ktap_plan $((9 + $(if_fprobe 4)))
ns_add a b
ns_veth "${ns[a]}" "${ns[b]}"
dump=$NTT_DIR/dump

# traffic BACKEND - every hook's calls from the first to the last.
traffic() {
	local log=$NTT_DIR/udp.log
	toll_detach
	prog nl_dump stat >"$dump.$1.before"
	toll_attach "$1"
	back_start udp pump -u 2 -t 0 -n 19
	back_start tcp pump -u 0 -t 1 -d fd66:1::2 -A "${ns[a]}" -B "${ns[b]}" -n 19
	back_ready udp pumping
	back_ready tcp pumping
	# A reading now and then disturbs nothing.
	for _ in 1 2 3; do
		prog nl_dump stat >/dev/null
		pause 0.3
	done
	back_end udp || { cat "$log"; return 1; }
	back_end tcp || { cat "$NTT_DIR/tcp.log"; return 1; }
	echo "=$(tail -n 2 "$log" | head -n 1)"
	echo "=$(tail -n 1 "$NTT_DIR/tcp.log")"
	cp "$log" "$NTT_DIR/udp.$1"
	# The kernel counts what it missed for all of an fprobe together.
	toll hooks --tsv | awk -F '\t' -v only="$([ "$1" = fprobe ] || echo udp_sendmsg)" '
		/^#/ { next }
		!c { for (i = 1; i <= NF; i++) if ($i == "missed") c = i; next }
		only == "" || $1 == only { n += $c }
		END { print n + 0 }' >"$NTT_DIR/missed.$1"
	toll_detach
	prog nl_dump stat >"$dump.$1"
}

# by_cpu DUMP - the sums that the kernel made are those of the CPUs.
by_cpu() {
	awk '
		{ for (i = 3; i <= NF; i++) { split($i, p, "="); if (p[1] == "hook") { h = p[2]; continue }
			key = $1 == "cpu" ? "cpu " p[1] : "hook " h " " p[1]
			if ($2 == "all") all[key] = p[2]; else if ($1 != "head") { sum[key] += p[2]; n++ } } }
		END {
			for (key in all) if (all[key] != sum[key]) { printf "%s: %.0f in all, %.0f over the CPUs\n", key, all[key], sum[key]; bad = 1 }
			for (key in sum) if (!(key in all)) { print key " is only in the CPUs"; bad = 1 }
			if (n < 200) { print "hardly anything to add up"; bad = 1 }
			exit bad
		}' "$1"
}

# closed BACKEND - counters are 64 bits wide, awk's numbers 53: enough for an hour of cycles.
closed() {
	awk '$2 != "all" { next }
		{ sign = FNR == NR ? -1 : 1 }
		$1 == "cpu" { split($3, p, "="); inclusive += sign * p[2] }
		$1 == "charge" { split($5, p, "="); self += sign * p[2]; of[$3] += sign * p[2] }
		END {
			for (hook in of) if (of[hook] < 0 || of[hook] > 1e15) { print "a self time went below 0: " hook " " of[hook]; bad = 1 }
			printf "=self %.0f, inclusive %.0f\n", self, inclusive
			exit bad || self != inclusive || self == 0
		}' "$dump.$1.before" "$dump.$1" || { echo "the closure is broken"; return 1; }
}

# Each datagram is sent once and answered once, and each of the two flows ends with one more. A probe that is hit within
# another is not seen, but counted as missed.
counted() {
	local made id n missed
	made=$((2 * $(field "$(grep ^udp "$NTT_DIR/udp.$1")" sent) + 2))
	missed=$(<"$NTT_DIR/missed.$1")
	id=$(toll hooks --tsv | grep -v '^#' | awk -F '\t' '$1 == "udp_sendmsg" { n = NR - 2 } END { print n }')
	n=$(($(calls "$dump.$1" "$id.0") - $(calls "$dump.$1.before" "$id.0")))
	echo "=$n calls of udp_sendmsg counted of $made, $missed missed"
	expect 'calls counted' "$n" -le "$made"
	expect 'calls counted or missed' $((n + missed)) -ge "$made"
	[ "$1" != auto ] || expect 'calls missed' "$missed" -eq 0
	expect 'calls missed' "$missed" -le $((made / 50))
}

calls() { awk -v h="hook=$2" '$1 == "charge" && $2 == "all" && $3 == h { split($4, p, "="); n = p[2] } END { print n + 0 }' "$1"; }

for backend in direct kretprobe fprobe; do
	how=$backend
	# Everything, TCP's copy too.
	[ "$backend" != direct ] || how=auto
	has_backend "$backend" || continue
	ktap_test "$backend: traffic arrives whole" traffic "$how"
	ktap_test "$backend: the CPUs add up to their sum" by_cpu "$dump.$how"
	ktap_test "$backend: the self times add up to the inclusive time" closed "$how"
	ktap_test "$backend: every call is counted" counted "$how"
done
ktap_test 'the kernel does not complain' log_clean
ktap_finish
