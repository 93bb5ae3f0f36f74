#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Send coalescing: every datagram arrives as it was sent, once and in order, and leaves in time; what else a program does
# to the socket finds nothing waiting; what cannot be gathered goes alone and is counted.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

cases=18
ktap_plan $((16 + 2 * cases))
module_load
toll_detach
ns_add a b c d
here=${ns[a]}
ns_veth "${ns[c]}" "${ns[d]}"
if find_nics; then
	ns_nics "${ns[a]}" "${ns[b]}"
fi

# gather WORDS... - the only rule of both sending namespaces.
gather() {
	local n
	for n in "${ns[a]}" "${ns[c]}"; do
		toll rule flush --netns "$n" --quiet
		toll rule add --netns "$n" proto udp "$@" --quiet
	done
}

# counter NAME - of the rule; fallback REASON - how often.
counter() { toll rule --netns "$here" --json | jq ".rules[0].counters.$1"; }
fallback() { toll rule --netns "$here" --json | jq "[.rules[0].fallbacks[] | select(.reason == \"$1\").count] | add // 0"; }

# exact - how much is gathered, and how late, hangs on what else the machine does, unless time is virtual.
exact() { in_virtual_time || skip_here 'times are exact in virtual time only'; }

# stream MOST-US ARGUMENT... - all of it arrives, and no datagram is later than that; sets $out.
stream() {
	local most=$1 late
	shift
	exact
	[ -z "$no_nics" ] || skip_here "$no_nics"
	out=$(prog gather -T "${ns[a]}" -R "${ns[b]}" -D "${nics[0]}" "$@") || { echo "$out"; return 1; }
	expect 'datagrams not captured' "$(field "$out" missing)" -eq 0
	late=$(field "$out" late_us_max)
	awk -v l="$late" -v m="$most" 'BEGIN { exit !(l <= m) }' || { echo "$out"; echo "late by $late us, at most $most"; return 1; }
}

# gathered ARGUMENT... - most of a stream goes in batches, none later than the bound.
gathered() {
	gather coalesce 64 late 200us
	stream 200 -n 400 "$@"
	expect 'datagrams gathered' "$(counter coalesced)" -gt 200
	expect batches "$(counter batches)" -lt $(($(counter coalesced) / 3))
	expect sends "$(counter sends)" -eq 400
	echo "=$(counter coalesced) of 400 in $(counter batches) batches, at most $(field "$out" late_us_max) us late"
}

# What comes now and then goes at once, as without a rule.
lone() {
	local plain
	toll rule flush --netns "$here" --quiet
	stream 1000000 -d 10.66.3.2 -n 20 -l 200 -b 1 -p 2000
	plain=$(field "$out" late_us_max)
	gather coalesce 64 late 200us
	stream 200 -d 10.66.3.2 -n 20 -l 200 -b 1 -p 2000
	expect 'datagrams gathered' "$(counter coalesced)" -eq 0
	expect sends "$(counter sends)" -eq 20
	echo "=$plain us without a rule, $(field "$out" late_us_max) us with one"
}

# No bound that cannot be held is tried.
tight() {
	gather coalesce 64 late 20us
	stream 40 -d 10.66.3.2 -n 300 -l 1000
}

counted() {
	gather coalesce 4 late 200us
	stream 200 -d 10.66.3.2 -n 400 -l 100
	expect 'datagrams in a batch' $(($(counter coalesced) / $(counter batches))) -le 4
}

large() {
	gather coalesce 64 late 200us
	stream 400 -d 10.66.3.2 -n 30 -l 3000
	expect 'gathered, though each is fragmented' "$(counter coalesced)" -eq 0
	expect 'fragmented' "$(fallback fragmented)" -gt 0
}

# A device that cuts up packets itself is given them whole.
whole() {
	local out
	exact
	gather coalesce 64 late 200us
	out=$(prog gather -T "${ns[c]}" -R "${ns[d]}" -D veth0 -d 10.66.1.2 -n 400 -l 500) || { echo "$out"; return 1; }
	expect 'packets' "$(field "$out" packets)" -lt 200
	expect 'datagrams' "$(field "$out" captured)" -eq 400
}

# A device without checksums refuses segmentation on some kernels.
no_checksums() {
	local out
	gather coalesce 64 late 200us
	ip netns exec "${ns[c]}" ethtool -K veth0 tx off >/dev/null 2>&1
	out=$(prog gather -T "${ns[c]}" -R "${ns[d]}" -d 10.66.1.2 -n 400 -l 500) || { echo "$out"; return 1; }
	ip netns exec "${ns[c]}" ethtool -K veth0 tx on >/dev/null 2>&1
}

# cases DESTINATION - by veth, whose far end hears at once.
run_cases() { prog gather_cases -T "${ns[c]}" -R "${ns[d]}" -d "$1"; }

# Of two addresses of the receiver, the rule is for one: a socket's datagrams keep their order all the same.
run_order() {
	local to=$1 other=$2
	ip -n "${ns[d]}" addr add "$other/${3}" dev veth0 "${@:4}"
	gather remote "$to" coalesce 64 late 100ms
	prog gather_cases -T "${ns[c]}" -R "${ns[d]}" -d "$to" -o "$other"
}

ktap_test 'small datagrams, IPv4' gathered -d 10.66.3.2 -l 64
ktap_test 'datagrams of a full packet, IPv4, sendto' gathered -d 10.66.3.2 -l 1472 -s
ktap_test 'IPv6' gathered -d fd66:3::2 -l 300
ktap_test 'sizes that differ at the end of a batch' gathered -d 10.66.3.2 -l 300 -e 20
ktap_test 'a lone datagram does not wait' lone
ktap_test 'a bound too tight to gather much' tight
ktap_test 'as many in a batch as the rule says' counted
ktap_test 'datagrams larger than the MTU' large
ktap_test 'a device that cuts them up itself' whole
ktap_test 'a device without checksums' no_checksums
gather coalesce 64 late 100ms
ktap_from $((cases - 1)) run_cases 10.66.1.2
ktap_from $((cases - 1)) run_cases fd66:1::2
ktap_from 1 run_order 10.66.1.2 10.66.1.3 24
ktap_from 1 run_order fd66:1::2 fd66:1::3 64 nodad
ktap_test 'unload' module_unload
ktap_test 'the kernel does not complain' log_clean
ktap_finish
