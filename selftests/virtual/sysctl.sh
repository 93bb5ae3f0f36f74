#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The settings, as sysctls and over netlink: the same values, bounds and errors.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

ktap_plan 8
module_load
dir=/proc/sys/net/nettoll
per_namespace=8
defer sysctl -qw net.nettoll.nudge_ms=100 net.nettoll.backend=0

same_values() {
	local name value min max default rest n=0
	while IFS=$'\t' read -r name value min max default rest; do
		[ "$name" != name ] || continue
		expect "sysctl $name" "$(<"$dir/$name")" = "$value"
		expect "$name at its default" "$value" -eq "$default"
		expect "$name at least its minimum" "$value" -ge "$min"
		expect "$name at most its maximum" "$value" -le "$max"
		[ -n "$rest" ] || { echo "$name is not explained"; return 1; }
		n=$((n + 1))
	done < <(toll show settings --tsv | grep -v '^#')
	# The others are of the namespace: what fast paths do where no rule says.
	expect 'settings shown' $((n + per_namespace)) -eq "$(find "$dir" -type f | wc -l)"
}

# put VALUE FILE - the kernel's answer to writing it.
put() { { printf '%s' "$1" >"$2"; } 2>&1; }

bounds_by_sysctl() {
	local bad
	put 0 "$dir/nudge_ms"
	put 10000 "$dir/nudge_ms"
	for bad in 10001 -1 18446744073709551615 99999999999999999999 x ''; do
		if put "$bad" "$dir/nudge_ms" >/dev/null && [ -n "$bad" ]; then
			echo "'$bad' was taken: $(<"$dir/nudge_ms")"
			return 1
		fi
		expect "nudge_ms after '$bad'" "$(<"$dir/nudge_ms")" = 10000
	done
	must_fail put 4 "$dir/backend"
	must_fail put 2 "$dir/account"
	put 100 "$dir/nudge_ms"
}

bounds_by_netlink() {
	local text status=0
	text=$(toll set nudge_ms 10001 2>&1) || status=$?
	expect 'exit status' "$status" -eq 2
	expect_text 'message' "$text" '10000'
	status=0
	text=$(toll set nudge_mss 1 2>&1) || status=$?
	expect 'exit status' "$status" -ne 0
	expect_text 'message' "$text" "did you mean 'nudge_ms'"
	toll set nudge_ms=250 backend=2
	expect sysctl "$(<"$dir/nudge_ms") $(<"$dir/backend")" = '250 2'
	toll set backend=direct
	expect 'backend by name' "$(<"$dir/backend")" = 1
	must_fail toll set backend=tracepoint
	toll set nudge_ms=100 backend=auto
	expect 'backend by name' "$(<"$dir/backend")" = 0
}

# A backend that this kernel does not have is not a default to be set.
backend_offered() {
	if has_backend fprobe; then
		put 3 "$dir/backend"
		put 0 "$dir/backend"
	else
		must_fail put 3 "$dir/backend"
		expect backend "$(<"$dir/backend")" = 0
	fi
}

# One switch for all: 1 attaches, 0 detaches. By fprobe or kretprobe, whichever is quicker here.
account() {
	put "$(has_backend fprobe && echo 3 || echo 2)" "$dir/backend"
	put 1 "$dir/account"
	expect 'hooks attached' "$(toll_status hooks_attached)" -gt 100
	expect account "$(<"$dir/account")" = 1
	put 0 "$dir/account"
	expect 'hooks attached' "$(toll_status hooks_attached)" -eq 0
	expect account "$(<"$dir/account")" = 0
	put 0 "$dir/backend"
	wait_until 5 toll_idle
}

permission() {
	must_fail setpriv --reuid=65534 --clear-groups sh -c "echo 5 >$dir/nudge_ms"
	expect nudge_ms "$(<"$dir/nudge_ms")" = 100
	setpriv --reuid=65534 --clear-groups cat "$dir/nudge_ms"
}

# Hooks belong to the machine: other namespaces neither see nor change the settings. Rules and their defaults are each
# namespace's own.
namespace() {
	expect 'settings in another namespace' "$(unshare -n sh -c 'cd /proc/sys/net/nettoll; ls -d account backend nudge_ms' 2>/dev/null)" = ''
	expect 'defaults in another namespace' "$(unshare -n sh -c 'ls /proc/sys/net/nettoll' | wc -l)" -eq "$per_namespace"
}

ktap_test 'sysctls and netlink show the same, with defaults and bounds' same_values
ktap_test 'out of bounds by sysctl is refused and changes nothing' bounds_by_sysctl
ktap_test 'out of bounds by command is refused and says so' bounds_by_netlink
ktap_test 'only a backend that is offered can be the default' backend_offered
ktap_test 'account=1 attaches all hooks and account=0 detaches them' account
ktap_test 'an ordinary user reads but does not write' permission
ktap_test 'other network namespaces have only the defaults of their rules' namespace
ktap_test 'the kernel does not complain' log_clean
ktap_finish
