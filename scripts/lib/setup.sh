# SPDX-License-Identifier: GPL-2.0-or-later
# Installs the Debian packages that a purpose needs (packages.txt), without asking anything.
# shellcheck shell=bash

NT_PACKAGES=$NT_TOP/scripts/lib/packages.txt

# What apt says when there is no network.
NT_NO_NETWORK='resolv|could not connect|unreachable|timed out|cannot initiate'

# nt_packages PURPOSE... - prints the packages of these purposes, one a line.
nt_packages() {
	local IFS='|'
	awk -F '\t' -v want="|$*|" '!/^#/ && index(want, "|" $1 "|") { print $2 }' "$NT_PACKAGES"
}

# nt_missing PURPOSE... - prints those of them that are not installed.
nt_missing() {
	local -a all
	mapfile -t all < <(nt_packages "$@")
	# A package with several architectures, or one that only provides another, answers on several lines.
	comm -23 <(printf '%s\n' "${all[@]}" | sort -u) \
		<(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${all[@]}" 2>/dev/null |
			sed -n 's/^installed //p' | sort -u)
}

# nt_apt_explain LOG WHAT - ends with the one sentence that apt's LOG amounts to.
nt_apt_explain() {
	if grep -qiE 'no space left|enough free space' "$1"; then
		nt_die "the disk is full: free some space, then run this again ($2)"
	elif grep -qiE "$NT_NO_NETWORK|failed to fetch" "$1"; then
		nt_die "no network: $2 needs Debian's archive, and it cannot be reached"
	elif grep -qi 'could not get lock' "$1"; then
		nt_die "another package manager has held dpkg's lock for ten minutes: let it end, then run this again"
	elif grep -qi 'unable to locate package\|has no installation candidate' "$1"; then
		nt_die "apt does not know $(sed -n "s/^E: .*package '\{0,1\}\([^' ]*\).*/\1/p" "$1" | head -n 1):" \
			"check that bookworm and bookworm-security main are among its sources"
	fi
	sed 's/^/  apt: /' "$1" >&2
	nt_die "apt failed: $2 (its output is above)"
}

# nt_apt WHAT ARGUMENTS... - apt-get as root, quiet unless it fails; WHAT says in an error what it was for.
nt_apt() {
	local what=$1 log
	shift
	nt_log
	if ! nt_as_root env DEBIAN_FRONTEND=noninteractive apt-get -qy -o DPkg::Lock::Timeout=600 \
		-o Acquire::Retries=2 "$@" >"$log" 2>&1 </dev/null; then
		nt_apt_explain "$log" "$what"
	fi
}

# nt_debian - ends unless this is Debian 12 on amd64, where the package names and kernels are known.
nt_debian() {
	local id='' version='' name=''
	if [ -r /etc/os-release ]; then
		# shellcheck disable=SC1091
		read -r id version name < <(. /etc/os-release; printf '%s %s %s\n' "${ID:--}" "${VERSION_ID:--}" "${PRETTY_NAME:-}")
	fi
	[ "$id $version" = 'debian 12' ] ||
		nt_die "this needs Debian 12 and found ${name:-another system}: run it in a Debian 12 container or machine"
	[ "$(dpkg --print-architecture)" = amd64 ] ||
		nt_die "this needs an amd64 machine: nettoll's testbed boots amd64 kernels"
}

# nt_setup PURPOSE... - makes sure that the packages of these purposes are installed.
nt_setup() {
	local -a missing
	nt_debian
	mapfile -t missing < <(nt_missing "$@")
	[ "${#missing[@]}" -gt 0 ] || return 0
	nt_can_root ||
		nt_die "not root, and sudo without a password is not possible: as root, run apt-get install ${missing[*]}"
	nt_say "installing ${#missing[@]} Debian packages: ${missing[*]}"
	nt_apt "installing packages" update
	nt_apt "installing ${missing[*]}" install --no-install-recommends "${missing[@]}"
	mapfile -t missing < <(nt_missing "$@")
	[ "${#missing[@]}" -eq 0 ] || nt_die "apt left these packages uninstalled: ${missing[*]}"
}
