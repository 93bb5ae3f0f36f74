#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Knobs go back to the bit, each in one of the ways in which a change can end: undone, killed, unconfirmed, without room
# for its journal, its device gone; and what the command tells of all this.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"
# shellcheck source=selftests/lib/undo.sh
. "$NTT_SELF/lib/undo.sh"

UNDO_CLI=$NTT_CLI
ktap_plan $((4 + ${#UNDO_WAYS_ONCE[@]}))
undo_world "ntt$$-undo" "$NTT_DIR/undo"
defer ip netns delete "$UNDO_NETNS"

# A VLAN's MTU follows that of the device below, and comes back with it.
moved_along() {
	undo_has v0.5 || skip_here 'the kernel has no VLANs'
	toll knob set v0 link.mtu=1300 "${UNDO_WHERE[@]}" >/dev/null
	expect 'MTU of the VLAN' "$(mtu v0.5)" -eq 1300
	toll knob undo >/dev/null
	expect 'MTU of the VLAN' "$(mtu v0.5)" -eq 1500
	expect 'MTU' "$(mtu v0)" -eq 1500
}

mtu() { toll knob get "$1" link.mtu "${UNDO_WHERE[@]}" --json | jq -r '.knobs[0].value'; }

second_is_told() {
	local status=0
	toll knob set v0 link.mtu=1300 --confirm 60s "${UNDO_WHERE[@]}" >/dev/null
	toll knob set v0 link.txqueuelen=7 "${UNDO_WHERE[@]}" 2>"$NTT_DIR/second" || status=$?
	toll knob undo >/dev/null
	expect 'exit status' "$status" -eq 3
	grep -q 'knob set v0 link.mtu=1300, which waits for nettoll confirm' "$NTT_DIR/second"
}

dry_run_changes_nothing() {
	local before
	before=$(undo_hash)
	toll knob set v0 link.mtu=1300 offload.tso=off --dry-run "${UNDO_WHERE[@]}" >"$NTT_DIR/dry"
	expect_text state "$(undo_hash)" "$before"
	grep -q "ip netns exec $UNDO_NETNS ip link set dev v0 mtu 1300" "$NTT_DIR/dry"
}

# one WAY - a sequence of this kind.
one() {
	UNDO_WAYS=("$1") UNDO_BAD=0
	undo_sequences $((SECONDS + 1)) 1
	expect 'sequences that ended otherwise' "$UNDO_BAD" -eq 0
}

ktap_test 'what moves along comes back as well' moved_along
ktap_test 'the second is told who is first' second_is_told
ktap_test 'a dry run changes nothing' dry_run_changes_nothing
for way in "${UNDO_WAYS_ONCE[@]}"; do
	ktap_test "as it was: $way" one "$way"
done
ktap_test 'the kernel does not complain' log_clean
ktap_finish
