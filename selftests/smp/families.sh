#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Sockets that others have changed beneath the module (kTLS, sockmap, MPTCP) under rules of all kinds: every byte arrives as
# it was sent, and all go on when rules change, when the module goes in the middle of it, and when it comes back.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

kinds=(tcp)
modprobe tls 2>/dev/null || true
[ ! -e /proc/net/tls_stat ] || kinds+=(tls)
! grep -q tcp_bpf_sendmsg /proc/kallsyms || kinds+=(msg forward)
[ ! -e /proc/sys/net/mptcp/enabled ] || kinds+=(mptcp)
module_load
toll_detach
ns_add a b
if find_nics; then
	ns_nics "${ns[a]}" "${ns[b]}"
	to=10.66.3.2
else
	ns_veth "${ns[a]}" "${ns[b]}"
	to=10.66.1.2
fi
ktap_plan 10

all_rules() {
	local name where
	for name; do
		for where in a b; do
			printf '%s\n' "$name" | toll rule restore - --netns "${ns[$where]}" --quiet >/dev/null
		done
	done
}

moved=0
# moves - every stream has moved since.
moves() {
	moved=$((moved + 1))
	back_tell families go
	wait_until 60 back_says families moved "$moved" || { cat "$NTT_DIR/families.log"; return 1; }
}

under() {
	all_rules "$1"
	moves
}

# Whoever had more moves than there were lines knows of it, so this is not run in a subshell.
step() {
	local what=$1
	shift
	ktap_test "$what" "$@"
	moved=$((moved + 1))
}

begins() { back_ready families moving; }
# Under a rule that most of the streams are for.
unloads() {
	module_unload 150
	moves
}
loads() {
	module_load
	under 'zerocopy sync'
}
counted() {
	local sends
	sends=$(toll rule --netns "${ns[a]}" --json | jq '.rules[0].counters.sends')
	echo "=sends under the last rule: $sends"
	expect 'sends under the rule' "$sends" -gt 0
}
whole() {
	sed 's/^/=/' "$NTT_DIR/families.log"
	expect 'exit status of the streams' "$1" -eq 0
}

back_start families families -d "$to" -A "${ns[a]}" -B "${ns[b]}" "${kinds[@]}"
ktap_test "streams: ${kinds[*]}" begins
step 'zero-copy sync' under 'zerocopy sync'
step 'zero-copy auto, checksums by software and audited' under 'zerocopy auto min 1 csum-tx sw csum-rx audit audit-rate 1/1'
step 'rules are gone' under ''
step 'zero-copy sync again' under 'zerocopy sync'
step 'the module goes' unloads
step 'the module is back, with zero-copy sync' loads
ktap_test 'rules are for plain TCP' counted
status=0
back_end families || status=$?
ktap_test 'every byte arrived as it was sent' whole "$status"
module_unload 150
ktap_test 'the kernel does not complain' log_clean
ktap_finish
