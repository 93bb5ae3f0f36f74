# SPDX-License-Identifier: GPL-2.0-or-later
# Network namespaces and what connects them. Names carry the process, so that nothing of the host's is met.
# shellcheck shell=bash

declare -A ns=()

# ns_add NAME... - sets ns[NAME] to a fresh namespace each, gone when the script ends.
ns_add() {
	local name
	for name; do
		ns[$name]=ntt$$-$name
		ip netns add "${ns[$name]}"
		defer ip netns delete "${ns[$name]}"
		# No router solicitations, no duplicate address detection: only what a test sends is sent.
		# shellcheck disable=SC2016 # the inner shell expands it
		ip netns exec "${ns[$name]}" bash -c 'cd /proc/sys/net/ipv6/conf
			for i in all default; do echo 0 >$i/accept_dad; echo 0 >$i/router_solicitations; echo 0 >$i/dad_transmits; done'
		ip -n "${ns[$name]}" link set lo up
	done
}

# ns_device NAMESPACE DEVICE NUMBER - brings a device up with addresses 10.66.NUMBER.x and fd66:NUMBER::x, where x is 1
# in the first namespace and 2 in the second, as the fourth argument says.
ns_device() {
	ip -n "$1" addr add "10.66.$3.$4/24" dev "$2"
	ip -n "$1" addr add "fd66:$3::$4/64" dev "$2" nodad
	ip -n "$1" link set "$2" up
}

# ns_neighbours NS1 DEV1 NS2 DEV2 NUMBER - each knows the other's link address, so that nobody asks.
ns_neighbours() {
	local mac1 mac2
	mac1=$(ip netns exec "$1" cat "/sys/class/net/$2/address")
	mac2=$(ip netns exec "$3" cat "/sys/class/net/$4/address")
	ip -n "$1" neigh replace "10.66.$5.2" lladdr "$mac2" dev "$2" nud permanent
	ip -n "$1" neigh replace "fd66:$5::2" lladdr "$mac2" dev "$2" nud permanent
	ip -n "$3" neigh replace "10.66.$5.1" lladdr "$mac1" dev "$4" nud permanent
	ip -n "$3" neigh replace "fd66:$5::1" lladdr "$mac1" dev "$4" nud permanent
}

# ns_veth NS1 NS2 - a veth pair between them, network 1, and a VLAN on it, network 2.
#
#   NS1  veth0 10.66.1.1 fd66:1::1 -------- veth0 10.66.1.2 fd66:1::2  NS2
#        veth0.7 10.66.2.1 fd66:2::1 ------ veth0.7 10.66.2.2 fd66:2::2
ns_veth() {
	ip -n "$1" link add veth0 type veth peer name veth0 netns "$2"
	ns_device "$1" veth0 1 1
	ns_device "$2" veth0 1 2
	ip -n "$1" link add link veth0 name veth0.7 type vlan id 7
	ip -n "$2" link add link veth0 name veth0.7 type vlan id 7
	ns_device "$1" veth0.7 2 1
	ns_device "$2" veth0.7 2 2
	ns_neighbours "$1" veth0 "$2" veth0 1
	ns_neighbours "$1" veth0.7 "$2" veth0.7 2
	ns_settled "$1" "$2"
}

# find_nics - sets nics to two devices on one wire: those that NETTOLL_NICS=A,B names, or, in our own guest, the two that
# it was given. Else no_nics says why there are none.
nics=() no_nics=''
find_nics() {
	local dev
	if [ -n "${NETTOLL_NICS:-}" ]; then
		IFS=, read -ra nics <<<"$NETTOLL_NICS"
	elif [ -n "${NETTOLL_VM:-}" ]; then
		no_nics='the guest was given no two NICs (scripts/vm --nics e1000-82545em,mitigation=off)'
		for dev in /sys/class/net/*/device; do
			[ ! -e "$dev" ] || nics+=("$(basename "$(dirname "$dev")")")
		done
	else
		no_nics='needs hardware: two unused NICs on one wire, named in NETTOLL_NICS=A,B'
	fi
	[ "${#nics[@]}" = 2 ] || return 1
	# shellcheck disable=SC2034 # tests read it
	no_nics=''
}

# ns_nics NS1 NS2 - two real NICs on one wire, network 3, each in its own namespace; back home at the end, with the MTU
# that they had.
ns_nics() {
	local mtu
	mtu=$(cat "/sys/class/net/${nics[0]}/mtu")
	ip link set "${nics[0]}" netns "$1"
	defer ip -n "$1" link set "${nics[0]}" netns 1
	ip link set "${nics[1]}" netns "$2"
	defer ip -n "$2" link set "${nics[1]}" netns 1
	defer ip -n "$1" link set "${nics[0]}" mtu "$mtu"
	defer ip -n "$2" link set "${nics[1]}" mtu "$mtu"
	ns_device "$1" "${nics[0]}" 3 1
	ns_device "$2" "${nics[1]}" 3 2
	ns_neighbours "$1" "${nics[0]}" "$2" "${nics[1]}" 3
	wait_until 20 ns_carrier "$1" "${nics[0]}"
	wait_until 20 ns_carrier "$2" "${nics[1]}"
	ns_settled "$1" "$2"
}

ns_carrier() { [ "$(ip netns exec "$1" cat "/sys/class/net/$2/carrier" 2>/dev/null)" = 1 ]; }

# ns_settled NS... - no device in them has sent or received for a fifth of a second (multicast joins end by themselves).
ns_settled() {
	local before='' after name
	for _ in {1..50}; do
		after=$(for name; do ip netns exec "$name" cat /proc/net/dev; done)
		[ "$after" != "$before" ] || return 0
		before=$after
		pause 0.2
	done
	echo "the devices do not come to rest"
	return 1
}
