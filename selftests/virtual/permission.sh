#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Who may do what: hooks are the whole machine's, so changing them takes privilege in the initial namespaces.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

ktap_plan 6
module_load
ns_add other
other=${ns[other]}

# refused STATUS PATTERN COMMAND... - it fails with that status and says why, and nothing has changed.
refused() {
	local wanted=$1 pattern=$2 text status=0
	shift 2
	text=$("$@" 2>&1) || status=$?
	expect "exit status of $*" "$status" -eq "$wanted"
	expect_text "what $* says" "$text" "$pattern"
	expect 'hooks attached' "$(toll_status hooks_attached)" -eq 0
	expect nudge_ms "$(</proc/sys/net/nettoll/nudge_ms)" = 100
}

as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
user() {
	local bin=$NTT_DIR/for-users
	# The directory of the command may be root's.
	chmod 711 "$NTT_DIR"
	install -m 755 "$NTT_CLI" "$bin"
	refused 3 'root|CAP_NET_ADMIN|[Pp]ermi' "${as_user[@]}" "$bin" attach
	refused 3 'root|CAP_NET_ADMIN|[Pp]ermi' "${as_user[@]}" "$bin" detach
	refused 3 'root|CAP_NET_ADMIN|[Pp]ermi' "${as_user[@]}" "$bin" set nudge_ms 5
	refused 3 'root|CAP_NET_ADMIN|[Pp]ermi' "${as_user[@]}" "$bin" show holders
	refused 3 'root|CAP_NET_ADMIN|[Pp]ermi' "${as_user[@]}" "$bin" stat -- true
}

user_reads() {
	"${as_user[@]}" "$NTT_DIR/for-users" show status >/dev/null
	"${as_user[@]}" "$NTT_DIR/for-users" hooks >/dev/null
	"${as_user[@]}" "$NTT_DIR/for-users" show settings >/dev/null
}

netns() {
	refused 3 'initial network namespace' ip netns exec "$other" "$NTT_CLI" attach udp
	refused 3 'initial network namespace' ip netns exec "$other" "$NTT_CLI" detach
	refused 3 'initial network namespace' ip netns exec "$other" "$NTT_CLI" set nudge_ms 5
	ip netns exec "$other" "$NTT_CLI" show status >/dev/null
}

# Root in a user namespace of its own is nobody here.
userns() {
	unshare -Ur true 2>/dev/null || skip_here 'user namespaces are switched off (user.max_user_namespaces)'
	refused 3 'root|CAP_NET_ADMIN|[Pp]ermi|initial' unshare -Ur "$NTT_CLI" attach udp
	refused 3 'root|CAP_NET_ADMIN|[Pp]ermi|initial' unshare -Urn "$NTT_CLI" attach udp
	refused 3 'root|CAP_NET_ADMIN|[Pp]ermi|initial' unshare -Urn "$NTT_CLI" set nudge_ms 5
}

ktap_test 'an ordinary user may not change or see others' user
ktap_test 'an ordinary user sees state, hooks and settings' user_reads
ktap_test 'another network namespace may not change' netns
ktap_test 'another user namespace may not change' userns
ktap_test 'the initial namespaces may' toll set nudge_ms 100
ktap_test 'the kernel does not complain' log_clean
ktap_finish
