# SPDX-License-Identifier: GPL-2.0-or-later
# Rules about checksums in namespaces a and b, and what they did.
# shellcheck shell=bash

# rules NAMESPACE RULE... - no rules in it but those, a rule an argument.
rules() {
	local name=${ns[$1]}
	shift
	if [ $# = 0 ]; then
		toll rule flush --netns "$name" --quiet
	else
		printf '%s\n' "$@" | toll rule restore - --netns "$name" --quiet >/dev/null
	fi
}

# rule_count NAMESPACE COLUMN [ROW] - a counter of a rule, by default the first.
rule_count() {
	toll rule list --netns "${ns[$1]}" --tsv | awk -F '\t' -v c="$2" -v row="${3:-1}" '
		/^#/ { next }
		!n { for (i = 1; i <= NF; i++) if ($i == c) n = i; if (!n) exit 1; next }
		++r == row { print $n; found = 1 }
		END { exit !found }'
}

# csum_of NAMESPACE DEVICE COLUMN - what audits found; 0 where the device is not listed.
csum_of() {
	toll csum --netns "${ns[$1]}" "$2" --tsv | awk -F '\t' -v c="$3" '
		/^#/ { next }
		!n { for (i = 1; i <= NF; i++) if ($i == c) n = i; next }
		{ print $n; found = 1 }
		END { if (!found) print 0 }'
}

# snmp NAMESPACE KEY... - sum of counters of the IP stack (Udp:InCsumErrors as UdpInCsumErrors).
snmp() {
	local name=${ns[$1]}
	shift
	ip netns exec "$name" nstat -asz "$@" | awk '!/^#/ { sum += $2 } END { print sum + 0 }'
}
