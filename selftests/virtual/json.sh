#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the command prints with --json is as Documentation/json-schema says: in every state of the module, with and without
# hooks, sleepers, traffic; and no member of it is missing there.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

schemas=$NTT_TOP/Documentation/json-schema
python=/usr/bin/python3
"$python" -I -c 'import jsonschema' 2>/dev/null || ktap_skip_all 'needs the Debian package python3-jsonschema'

# schema | file | what is run for it
docs=() out=$NTT_DIR/documents
mkdir -p "$out"

# doc SCHEMA NAME ARGUMENT... - the command's document, to be checked later: Python is slow to start in a guest.
doc() {
	local schema=$1 file=$out/$2
	shift 2
	toll --json "$@" >"$file" || echo "exit status $?" >>"$file"
	docs+=("$schema	$file")
}

ktap_plan 44
module_load
toll_detach
"$NTT_CLI" monitor --json >"$out/changes" &
monitor=$!
defer end_process "$monitor"
listens() {
	toll set nudge_ms=$((100 + RANDOM % 100)) >/dev/null
	[ -s "$out/changes" ]
}
wait_until 20 listens
docs+=("monitor	$out/changes")

doc version version version
doc help help help
doc csum csum csum
doc help help-of-one help stat
cat >"$NTT_DIR/plan.json" <<'END'
{ "format": "nettoll-ladder/1", "name": "loopback", "line": "1G",
  "ends": { "local": { "peer": "here", "dev": "lo" }, "remote": { "peer": "here" } },
  "workload": { "proto": "udp", "size": 1400, "count": 1000 },
  "rungs": [ { "name": "foot" }, { "name": "queue", "local": { "link.txqueuelen": 777 } } ] }
END
doc ladder-dry-run dry-run ladder "$NTT_DIR/plan.json" --dry-run
doc show idle show
doc show settings show settings
doc show layers show layers
doc show no-holders show holders
doc hooks detached hooks
doc set set set nudge_ms=100
doc attach refused attach udp_sendmsg _copy_from_iter --backend direct
doc detach one detach udp_sendmsg
toll_attach auto
doc show attached show status
doc hooks all hooks
doc hooks some hooks udp_sendmsg skb_clone
doc detach none detach udp_sendmsg
doc attach again attach udp_sendmsg
# What was charged to nobody has quotients of nothing.
doc stat nothing stat --no-attach -- true
for by in layer hook cpu; do
	doc stat "by-$by" stat --no-attach --by "$by" -o "$out/report" -- "$NTT_PROGS/exchange" -p tcp -n 3
	# What the command itself printed is not the document.
	mv "$out/report" "$out/by-$by"
done
doc rule no-rules rule
doc rule-change added rule add proto udp lport 7 remote 192.0.2.0/24 uid 0-5 csum-rx auto csum-tx sw audit-rate 9
doc rule-change inserted rule insert dev ntt-none coalesce 4 bytes 4K late 1ms zerocopy off min 1K
doc rule rules rule
doc rule-change deleted rule delete "$(toll rule --tsv | awk 'NR == 2 { print $1 }')"
doc rule-change restored rule restore /dev/null
doc rule-change flushed rule flush
ip link add ntt-json type veth peer name ntt-json-peer
defer ip link del ntt-json
# Which gives it a NAPI instance.
ethtool -K ntt-json gro on
ip link set ntt-json up
doc coalesce moderated coalesce ntt-json --latency 100us
doc coalesce all-moderated coalesce
doc coalesce ended coalesce ntt-json off
doc coalesce none-moderated coalesce
doc knob knobs knob list lo
doc knob knobs-of-the-host knob list
doc knob-explain knob-explained knob explain lo link.mtu ring.rx sysctl.net.ipv4.tcp_sack
doc knob-set knob-dry-run knob set lo link.mtu=1400 --dry-run
doc knob-undo nothing-to-undo knob undo
doc snapshot hash snapshot hash lo
doc stat live stat --no-attach 50ms 2
back_start sleeper exchange -n 1 -G
wait_until 5 sleeps_in "${back_pid[sleeper]}" __skb_recv_udp
doc show holders show holders
back_tell sleeper go
back_end sleeper
end_process "$monitor"

while read -r line; do
	case $line in
	'ok '*) ktap_pass "${line#ok }" ;;
	*) ktap_fail "${line#not ok }" ;;
	esac
done < <(printf '%s\n' "${docs[@]}" | "$python" -I "$NTT_SELF/lib/json_check.py" "$schemas" 2>&1)
ktap_test 'the sleeper was among the holders' grep -q exchange "$out/holders"
ktap_test 'the kernel does not complain' log_clean
ktap_finish
