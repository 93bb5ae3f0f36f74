# SPDX-License-Identifier: GPL-2.0-or-later
# Random sequences of knob changes that end as they began: with kills, a full disk, devices that go and come back.
# shellcheck shell=bash

# What the sequences are run on: a namespace (empty: this one), its devices, and a directory for journals.
UNDO_NETNS='' UNDO_WHERE=() UNDO_DEVICES=() UNDO_DIR='' UNDO_CLI=${UNDO_CLI:-nettoll}
UNDO_REFUSED=0
declare -A UNDO_KNOBS=()	# by device: the names of its knobs that are turned here

undo_nettoll() { "$UNDO_CLI" "$@"; }
undo_ip() { ip ${UNDO_NETNS:+-n "$UNDO_NETNS"} "$@"; }

# undo_world NAME DIRECTORY - a namespace with a pair, a VLAN, a bridge, a bond and a dummy, as far as the kernel has them.
undo_world() {
	UNDO_NETNS=$1 UNDO_WHERE=(--netns "$1") UNDO_DIR=$2
	ip netns add "$1"
	undo_ip link set lo up
	undo_build
	undo_begin
}

# undo_build - the devices; again after some were deleted.
undo_build() {
	local dev
	if ! undo_has v0; then undo_ip link add v0 type veth peer name v1; fi
	undo_has v0.5 || undo_ip link add link v0 name v0.5 type vlan id 5 2>/dev/null || true
	if ! undo_has br0; then undo_ip link add br0 type bridge; fi
	undo_ip link set v1 master br0
	if ! undo_has d0; then undo_ip link add d0 type dummy 2>/dev/null || true; fi
	if ! undo_has bond0 && undo_ip link add bond0 type bond mode active-backup 2>/dev/null; then
		undo_has p0 || undo_ip link add p0 type veth peer name p1
		undo_ip link set p0 down
		undo_ip link set p0 master bond0
	fi
	UNDO_DEVICES=()
	for dev in v0 v1 v0.5 br0 bond0 p0 d0; do
		if undo_has "$dev"; then
			undo_ip link set "$dev" up
			UNDO_DEVICES+=("$dev")
		fi
	done
	undo_ip addr replace 10.67.1.1/24 dev v0
	undo_ip route replace 10.67.9.0/24 via 10.67.1.2
}

# undo_world_nics DIRECTORY - this namespace, with its hardware and a VLAN on that. Nothing else may use it.
undo_world_nics() {
	UNDO_NETNS='' UNDO_WHERE=() UNDO_DIR=$1
	undo_build_nics
	undo_begin
}

undo_build_nics() {
	local path dev
	UNDO_DEVICES=()
	# In the order of their addresses, since names change: the VLAN stands on the same one each time.
	while read -r _ dev; do
		ip link set dev "$dev" up
		UNDO_DEVICES+=("$dev")
	done < <(for path in /sys/class/net/*/device; do
		dev=${path%/device}
		echo "$(<"$dev/address") ${dev##*/}"
	done | sort)
	[ "${#UNDO_DEVICES[@]}" -gt 0 ] || return 1
	if ! undo_has vlan5; then ip link add link "${UNDO_DEVICES[0]}" name vlan5 type vlan id 5; fi
	ip link set vlan5 up
	ip addr replace 10.67.1.1/24 dev "${UNDO_DEVICES[0]}"
	ip route replace 10.67.9.0/24 via 10.67.1.2
	UNDO_DEVICES+=(vlan5)
}

undo_has() { undo_ip link show dev "$1" >/dev/null 2>&1; }

# undo_begin - finds out which knobs there are to turn.
undo_begin() {
	local dev
	mkdir -p -- "$UNDO_DIR"
	export NETTOLL_STATE_DIR=$UNDO_DIR
	for dev in "${UNDO_DEVICES[@]}"; do
		UNDO_KNOBS[$dev]=$(undo_nettoll knob list "$dev" "${UNDO_WHERE[@]}" --tsv | sed '1,/^name\t/d; s/\t.*//' |
			grep -E "$UNDO_TURNED")
	done
}

# Those that an undo has to bring back whatever happens; what most drivers refuse would say nothing.
UNDO_TURNED='^(link|offload|coalesce|ring|napi\.(defer|gro)|steer\.rps|qdisc|route\.init.wnd\.10\.67|pci|pause|irq)'

# undo_value KNOB - sets value to one that it may take.
undo_value() {
	local cpus=(0 1 0-1)
	[ "$(nproc)" -gt 1 ] || cpus=(0)
	case $1 in
	link.mtu) value=$((1280 + RANDOM % 3000)) ;;
	link.txqueuelen) value=$((1 + RANDOM % 5000)) ;;
	link.gso-max-segs) value=$((1 + RANDOM % 65535)) ;;
	link.*) value=$((8192 + RANDOM % 57344)) ;;
	offload.*) ((RANDOM % 2)) && value=on || value=off ;;
	ring.*) value=$((80 + 8 * (RANDOM % 400))) ;;
	coalesce.adaptive-*) ((RANDOM % 2)) && value=on || value=off ;;
	coalesce.*) value=$((RANDOM % 200)) ;;
	pause.*) ((RANDOM % 2)) && value=on || value=off ;;
	napi.defer*) value=$((RANDOM % 100)) ;;
	napi.*) value=$((RANDOM * 10)) ;;
	steer.rps-flows-*) value=$((1 << RANDOM % 12)) ;;
	steer.* | irq.*) value="${cpus[RANDOM % ${#cpus[@]}]}" ;;
	pci.*) value=$((512 << RANDOM % 4)) ;;
	route.*) value=$((RANDOM % 100)) ;;
	qdisc.root) value="tbf rate=$((10 + RANDOM))M burst=64K limit=1M" ;;
	esac
}

# undo_words - sets words to a device and some of its knobs with values, and maybe a sysctl.
words=()
undo_words() {
	local dev=${UNDO_DEVICES[RANDOM % ${#UNDO_DEVICES[@]}]} knobs n knob value
	mapfile -t knobs <<<"${UNDO_KNOBS[$dev]}"
	words=(--dev "$dev")
	for ((n = 1 + RANDOM % 4; n > 0; n--)); do
		knob=${knobs[RANDOM % ${#knobs[@]}]}
		undo_value "$knob"
		words+=("$knob=$value")
	done
	((RANDOM % 3)) || words+=("sysctl.net.ipv4.tcp_rmem=4096 $((8192 + RANDOM)) 6291456")
	((RANDOM % 3)) || words+=("sysctl.net.ipv4.tcp_timestamps=$((RANDOM % 2))")
	words+=("${UNDO_WHERE[@]}")
}

# undo_hash - names the state.
undo_hash() {
	undo_nettoll snapshot hash "${UNDO_DEVICES[@]}" "${UNDO_WHERE[@]}" --tsv | sed -n 's/^#hash\t//p'
}

undo_set() {
	# A driver may refuse a value: then nothing is changed, which the hash tells.
	undo_nettoll knob set "${words[@]}" "$@" >>"$UNDO_DIR.log" 2>&1 || UNDO_REFUSED=$((UNDO_REFUSED + 1))
}

undo_all() { undo_nettoll knob undo --all >>"$UNDO_DIR.log" 2>&1; }

# undo_kill [OPTION]... - begins a change, and kills it at a random moment.
undo_kill() {
	local pid
	# Not by way of a function, which would be a process of its own, and be killed in its place.
	"$UNDO_CLI" knob set "${words[@]}" "$@" >>"$UNDO_DIR.log" 2>&1 &
	pid=$!
	sleep "0.$(printf '%03d' $((RANDOM % UNDO_KILL_MS)))"
	kill -9 "$pid" 2>/dev/null || true
	# The shell would say that it was killed.
	wait "$pid" 2>/dev/null || true
}

# How long a change takes here, about: kills come within. Measured once.
UNDO_KILL_MS=''
undo_time() {
	local from=${EPOCHREALTIME/./}
	[ -z "$UNDO_KILL_MS" ] || return 0
	undo_words
	undo_set
	UNDO_KILL_MS=$(((${EPOCHREALTIME/./} - from) / 1000 + 50))
	[ "$UNDO_KILL_MS" -lt 1000 ] || UNDO_KILL_MS=999
	undo_all
}

# undo_guards - the processes that wait for a confirmation, of this directory.
undo_guards() { sed -n 's/.*"pid":\([0-9]*\),.*/\1/p' "$UNDO_DIR"/knob-*.json 2>/dev/null || true; }

# undo_poll COMMAND... - until it succeeds; fails after half a minute.
undo_poll() {
	local deadline=$((SECONDS + 30))
	until "$@"; do
		[ "$SECONDS" -lt "$deadline" ] || return 1
		sleep 0.05
	done
}

undo_none_left() { ! compgen -G "$UNDO_DIR/knob-*.json" >/dev/null; }

# The ways in which a sequence may go. Each leaves the state as it was.

way_undo() { undo_words; undo_set; undo_words; undo_set; undo_all; }

way_kill() { undo_words; undo_set; undo_words; undo_kill; undo_all; }

way_kill_guarded() { undo_words; undo_kill --confirm 60; undo_all; }

# The guard is killed as well; what is left is found by the next undo.
way_kill_guard() {
	local pid
	undo_words
	undo_set --confirm 60
	for pid in $(undo_guards); do kill -9 "$pid" 2>/dev/null || true; done
	undo_all
}

way_unconfirmed() { undo_words; undo_set --confirm 1; undo_poll undo_none_left; }

way_confirmed() {
	undo_words
	undo_set --confirm 60
	undo_none_left || undo_nettoll confirm >>"$UNDO_DIR.log" 2>&1
	undo_all
}

# With no room for a journal nothing is changed at all.
way_full_disk() {
	local before after full=$UNDO_DIR/full refused=0
	mkdir -p -- "$full"
	mount -t tmpfs -o size=64k tmpfs "$full"
	NETTOLL_STATE_DIR=$full undo_nettoll knob list --tsv >/dev/null
	cat /dev/zero >"$full/zero" 2>/dev/null || true
	before=$(undo_hash)
	undo_words
	# One that differs for certain.
	words+=("sysctl.net.ipv4.tcp_wmem=4096 16384 $((4194304 + 4096 * (1 + RANDOM % 100)))")
	NETTOLL_STATE_DIR=$full undo_nettoll knob set "${words[@]}" >>"$UNDO_DIR.log" 2>&1 || refused=1
	after=$(undo_hash)
	undo_poll umount "$full"
	rmdir "$full"
	[ "$refused" = 1 ] && [ "$before" = "$after" ]
}

# Others turn things as well: the snapshot brings them back.
way_snapshot() {
	local dev=${UNDO_DEVICES[RANDOM % ${#UNDO_DEVICES[@]}]}
	undo_nettoll snapshot save "$UNDO_DIR/snapshot" "${UNDO_DEVICES[@]}" "${UNDO_WHERE[@]}" >>"$UNDO_DIR.log"
	undo_words
	undo_set
	undo_ip link set dev "$dev" mtu $((1280 + RANDOM % 200)) txqueuelen $((RANDOM % 100))
	undo_nettoll snapshot restore "$UNDO_DIR/snapshot" >>"$UNDO_DIR.log" 2>&1
	rm -f "$UNDO_DIR"/undo-*.json
}

# Devices are taken away with what was changed there, and brought back.
way_gone() {
	undo_nettoll snapshot save "$UNDO_DIR/snapshot" "${UNDO_DEVICES[@]}" "${UNDO_WHERE[@]}" >>"$UNDO_DIR.log"
	undo_words
	undo_set
	((RANDOM % 2)) || { undo_words; undo_kill; }
	undo_take_away
	# While it is gone, or once it is there again.
	((RANDOM % 2)) || undo_all
	undo_bring_back
	undo_all
	# What it had not from its driver comes back from the snapshot.
	undo_nettoll snapshot restore "$UNDO_DIR/snapshot" >>"$UNDO_DIR.log" 2>&1
	rm -f "$UNDO_DIR"/undo-*.json
}

undo_nics_back() { [ "$(compgen -G '/sys/class/net/*/device' | wc -l)" = "$1" ]; }

# Hardware is pulled out of its bus, and found there again, under another name.
undo_take_away() {
	if [ -n "$UNDO_NETNS" ]; then
		undo_ip link delete v0
	else
		UNDO_NICS=$(compgen -G '/sys/class/net/*/device' | wc -l)
		echo 1 >"/sys/class/net/${UNDO_DEVICES[0]}/device/remove"
	fi
}

undo_bring_back() {
	local path new
	if [ -n "$UNDO_NETNS" ]; then
		undo_build
		return
	fi
	echo 1 >/sys/bus/pci/rescan
	undo_poll undo_nics_back "$UNDO_NICS"
	for path in /sys/class/net/*/device; do
		new=${path%/device}
		new=${new##*/}
		if [[ " ${UNDO_DEVICES[*]:1} " != *" $new "* ]]; then
			ip link set dev "$new" name "nic$RANDOM"
			break
		fi
	done
	undo_build_nics
	undo_begin
}

# shellcheck disable=SC2034 # the selftest reads it
UNDO_WAYS_ONCE=(undo kill kill_guarded kill_guard unconfirmed confirmed full_disk snapshot gone)
UNDO_WAYS=(undo undo kill kill kill kill_guarded kill_guard unconfirmed confirmed full_disk snapshot gone)

# undo_sequences FIRST N - runs them, by a seed each; prints a line for each that ends otherwise, and sets UNDO_BAD.
UNDO_BAD=0
undo_sequences() {
	local seed way before after status
	RANDOM=$1
	undo_time
	for ((seed = $1; seed < $1 + $2; seed++)); do
		RANDOM=$seed
		way=${UNDO_WAYS[seed % ${#UNDO_WAYS[@]}]}
		echo "== sequence $seed: $way" >>"$UNDO_DIR.log"
		before=$(undo_hash)
		status=0
		"way_$way" || status=$?
		after=$(undo_hash)
		if [ "$before" != "$after" ] || [ "$status" != 0 ] || ! undo_none_left; then
			UNDO_BAD=$((UNDO_BAD + 1))
			echo "sequence $seed ($way) ended with status $status, and $([ "$before" = "$after" ] || echo another) state"
			sed -n "/^== sequence $seed:/,\$p" "$UNDO_DIR.log" | tail -n 20
		fi
	done
}
