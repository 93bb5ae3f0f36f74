#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Functions with arguments on the stack, and those with many ways in, under attached hooks: the traffic arrives as it was
# sent, byte by byte.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

ktap_plan 9
module_load
toll_attach auto
file=$NTT_DIR/stat

# met HOOKS COMMAND... - it succeeds, and has met each of the hooks, attached by direct calls.
met() {
	local hooks=$1 hook
	shift
	toll_stat "$file" "$@"
	cat "$file.out"
	for hook in $hooks; do
		expect "calls of $hook" "$(stat_calls "$file" "$hook")" -gt 0
		expect "backend of $hook" "$(toll_hook "$hook" backend)" = direct
	done
}

exchange=$NTT_PROGS/exchange
ktap_test 'ip_make_skb (10): UDP' met ip_make_skb "$exchange" -n 50 -l 9000
ktap_test 'ip6_make_skb (9): UDP over IPv6' met ip6_make_skb "$exchange" -n 50 -l 9000 -d ::1
ktap_test 'ip_append_data (9): UDP with MSG_MORE' met ip_append_data "$exchange" -n 50 -l 9001 -m cork
ktap_test 'ip6_append_data (9): UDP over IPv6 with MSG_MORE' met ip6_append_data "$exchange" -n 50 -l 9001 -m cork -d ::1
ktap_test 'ip6_xmit (7): TCP over IPv6' met ip6_xmit "$exchange" -p tcp -n 20 -l 60001 -d ::1

# verified ARGUMENT... - the traffic command's own comparison of every byte, with all its ways to send.
verified() {
	toll traffic send --to here --addr "$1" --verify --json "${@:2}" >"$NTT_DIR/traffic"
	jq -e '.receiver | .lost == 0 and .corrupted == 0 and .messages > 0' "$NTT_DIR/traffic" >/dev/null ||
		{ cat "$NTT_DIR/traffic"; return 1; }
}
ktap_test 'traffic, segmentation offload' verified 127.0.0.1 --proto udp --mode gso --size 1400 --count 300 --window 64
ktap_test 'traffic, zero-copy over IPv6' verified ::1 --proto udp --mode zerocopy --size 8000 --count 100 --window 16
ktap_test 'traffic, TCP with zero-copy' verified 127.0.0.1 --proto tcp --mode zerocopy --size 40000 --count 60
ktap_test 'the kernel does not complain' log_clean
ktap_finish
