#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Attaching and detaching: by hook, by layer, all or nothing, in windows; what cannot be attached is reported with its reason.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

ktap_plan 13
module_load
toll_detach

# attached - the hooks that are attached, with their backends, in one line.
attached() {
	toll hooks --tsv | awk -F '\t' '/^#/ { next } $5 == "attached" && $1 !~ /\// { printf "%s%s:%s", n++ ? " " : "", $1, $6 } END { print "" }'
}

by_hook() {
	toll attach udp_sendmsg sock_def_readable
	expect attached "$(attached)" = 'udp_sendmsg:direct sock_def_readable:direct'
	expect state "$(toll_status state)" = attached
	toll detach
	expect attached "$(attached)" = ''
}

by_layer() {
	toll attach wakeup --backend kretprobe
	expect attached "$(attached)" = 'sock_def_readable:kretprobe sock_def_write_space:kretprobe sk_stream_write_space:kretprobe'
	# What is attached stays as it is, whatever backend is asked for.
	toll attach wakeup skb_clone --backend direct
	expect attached "$(attached)" = 'skb_clone:direct sock_def_readable:kretprobe sock_def_write_space:kretprobe sk_stream_write_space:kretprobe'
	toll detach sock_def_readable
	toll detach --layer skb
	expect attached "$(attached)" = 'sock_def_write_space:kretprobe sk_stream_write_space:kretprobe'
	toll_detach
}

default_backend() {
	toll set backend 2
	toll attach skb_clone
	expect attached "$(attached)" = 'skb_clone:kretprobe'
	toll set backend 0
	toll_detach
}

# fails PATTERN ARGUMENT... - attach fails, says why, and attaches nothing.
fails() {
	local pattern=$1 text status=0
	shift
	text=$(toll attach "$@" 2>&1) || status=$?
	expect "exit status of attach $*" "$status" -ne 0
	expect_text "attach $*" "$text" "$pattern"
	expect attached "$(attached)" = ''
}

strict() {
	fails 'no such function' --strict udp_sendmsg "$absent"
	fails 'ftrace does not see this function; use backend kretprobe' --strict --backend direct udp_sendmsg _copy_from_iter
	toll attach --strict udp_sendmsg skb_clone
	expect attached "$(attached)" = 'udp_sendmsg:direct skb_clone:direct'
	toll detach
}

# Not strict, the rest is attached.
reported() {
	local text
	text=$(toll attach --backend direct udp_sendmsg _copy_from_iter "$absent")
	expect_text 'counts' "$text" '^1 attached, 1 failed, 1 absent'
	expect_text 'reason' "$text" '_copy_from_iter.*ftrace does not see this function'
	expect attached "$(attached)" = udp_sendmsg:direct
	expect 'state of the hook that failed' "$(toll_hook _copy_from_iter state)" = failed
	expect_text 'its reason' "$(toll_hook _copy_from_iter reason)" 'kretprobe'
	expect 'state of the absent hook' "$(toll_hook "$absent" state)" = absent
	expect_text 'its reason' "$(toll_hook "$absent" reason)" 'no such function'
	toll detach
}

unknown() {
	fails "did you mean 'udp_sendmsg'" udp_sendmsgs
	fails 'there is no' udp_sendmsg no_such_thing
	fails "backend" --backend fast udp_sendmsg
}

# Right after a detach, other backends must do: nobody sleeps in a span.
at_once() {
	local backend
	for backend in kretprobe direct kretprobe; do
		toll attach udp_sendmsg ip_make_skb __sys_sendmsg --backend "$backend"
		expect attached "$(attached)" = "__sys_sendmsg:$backend udp_sendmsg:$backend ip_make_skb:$backend"
		toll detach
	done
	toll_detach
}

# With kernel.ftrace_enabled off, what ftrace does for us does not happen: it may be refused or it may work, but it may
# not claim to be attached and see nothing.
ftrace_off() {
	local status=0 text
	sysctl -qw kernel.ftrace_enabled=0 || skip_here 'kernel.ftrace_enabled cannot be cleared'
	text=$(toll attach udp_sendmsg --backend direct 2>&1) || status=$?
	if [ "$status" = 0 ]; then
		toll_stat "$NTT_DIR/stat" "$NTT_PROGS/exchange" -n 5
		expect 'calls seen while it claims to be attached' "$(stat_calls "$NTT_DIR/stat" udp_sendmsg)" -eq 5
	else
		expect_text 'refusal' "$text" 'ftrace_enabled'
	fi
}

# Windows of 200 ms, a fifth of the time.
windows() {
	local before after share
	toll attach udp_sendmsg --duty 20% --window 200ms
	expect state "$(toll_status state)" = attached
	expect_within duty "$(toll_status duty_percent)" 20 0
	toll_stat "$NTT_DIR/stat" sleep 10
	share=$(stat_field "$NTT_DIR/stat" attached_share)
	echo "=attached $share of the time, a fifth was asked for"
	# The kernel's timers are as coarse as its ticks (4 ms), and where detaching takes longer than the pause, it is
	# the pause.
	expect_within 'share of the time' "$share" 0.2 25
	toll detach
	before=$(toll_status attached_ns)
	pause 0.3
	after=$(toll_status attached_ns)
	expect 'attached after the detach' "$after" = "$before"
	expect_within duty "$(toll_status duty_percent)" 100 0
}

# charged FILE SECONDS OPTION... - layers of steady traffic, by a hook or two each
charged() {
	local file=$1 seconds=$2
	shift 2
	toll attach __sys_sendto __sys_recvfrom udp_sendmsg udp_recvmsg __udp4_lib_rcv ip_make_skb ip_rcv __alloc_skb "$@" >/dev/null
	toll stat --no-attach --tsv -o "$file" "$seconds" 1
	toll detach >/dev/null
}

# per_packet FILE LAYER DIRECTION
per_packet() {
	awk -F '\t' -v l="$2" -v d="$3" '
		/^#/ { next }
		!n { for (i = 1; i <= NF; i++) at[$i] = i; n = at["cycles_per_packet"]; next }
		$at["layer"] == l && $at["direction"] == d { print $n }' "$1"
}

# While hooks are attached one after another, layers are charged what belongs to those that are not there yet. Windows
# leave that out: in them, layers are charged a packet what they are charged always.
fair_windows() {
	local layer direction always
	back_start pump pump -u 1 -t 0
	back_ready pump pumping
	charged "$NTT_DIR/always" 0.5
	# Attaching them takes about as long as a window, and is part of the nine tenths.
	charged "$NTT_DIR/windows" 3 --duty 90% --window 100ms
	back_end pump >/dev/null || true
	expect 'scaled by, in hundredths' "$(stat_field "$NTT_DIR/windows" scale | awk '{ printf "%d", $1 * 100 }')" -ge 120
	expect 'parts' "$(stat_field "$NTT_DIR/windows" parts)" -ge 2
	while read -r layer direction; do
		always=$(per_packet "$NTT_DIR/always" "$layer" "$direction")
		echo "=$layer $direction: $always cycles a packet, in windows $(per_packet "$NTT_DIR/windows" "$layer" "$direction")"
		expect_within "$layer $direction, cycles a packet" "$(per_packet "$NTT_DIR/windows" "$layer" "$direction")" "$always" 4
	done <<<$'syscall tx\nsyscall rx\nudp tx\nudp rx\nip tx\nip rx\nskb tx'
}

# A probe, which is dear to hit and cheap to patch: some hundredths of the CPU.
ceiling() {
	local always now
	back_start pump pump -u 1 -t 0
	back_ready pump pumping
	toll attach _copy_from_iter >/dev/null
	toll stat --no-attach --tsv -o "$NTT_DIR/always" 0.3 1
	toll attach _copy_from_iter --ceiling 0.5% --window 20ms >/dev/null
	expect_within ceiling "$(toll_status ceiling_percent)" 0.5 0
	toll stat --no-attach --tsv -o "$NTT_DIR/ceiling" 2 1
	expect 'duty, hundredths of a per cent' "$(toll_status duty_percent | tr -d .)" -lt 5000
	back_end pump >/dev/null || true
	always=$(stat_field "$NTT_DIR/always" own_percent)
	now=$(stat_field "$NTT_DIR/ceiling" own_percent)
	echo "=own cost $always % of the CPU, under the ceiling of 0.5 %: $now %"
	awk -v a="$always" -v n="$now" 'BEGIN { exit !(a > 1 && n <= 0.5 && n > 0) }' || { echo 'the ceiling is not kept'; return 1; }
	# Nothing to do, nothing to pay: always attached.
	pause 30
	expect_within duty "$(toll_status duty_percent)" 100 0
}

absent=$(toll hooks --tsv | awk -F '\t' '$5 == "absent" && !n++ { print $1 }')
[ -n "$absent" ] || absent=no_absent_hook_here
ktap_test 'by hook' by_hook
ktap_test 'by layer, and parts of it detached' by_layer
ktap_test 'by the backend that is set as default' default_backend
ktap_test 'strict: all or nothing, with the reason' strict
ktap_test 'not strict: the rest is attached, and what is not has a reason' reported
ktap_test 'unknown words are refused' unknown
ktap_test 'another backend right after a detach' at_once
ktap_test 'nothing is claimed while ftrace is switched off' ftrace_off
sysctl -qw kernel.ftrace_enabled=1
toll_detach
ktap_test 'in windows, for a share of the time' windows
toll_detach
ktap_test 'in windows, every layer is charged its own' fair_windows
toll_detach
ktap_test 'in windows, below a ceiling' ceiling
toll_detach
ktap_test 'nothing is left attached' expect 'hooks attached' "$(toll_status hooks_attached)" -eq 0
ktap_test 'the kernel does not complain' log_clean
ktap_finish
