# SPDX-License-Identifier: GPL-2.0-or-later
# Debian's kernels in the cache: image, modules and headers, unpacked and never installed on the host.
#
# Layout: $NT_CACHE/kernels/RELEASE is the root of the unpacked packages, with `headers` leading to the directory
# to give as KDIR; $NT_CACHE/6.1 and $NT_CACHE/6.12 are links to the release in use.
# shellcheck shell=bash

# shellcheck source=scripts/lib/debug.sh
. "$NT_TOP/scripts/lib/debug.sh"

# nt_kernel_meta SERIES - prints the package that names the newest image of SERIES.
nt_kernel_meta() {
	case $1 in
	6.1) echo linux-image-amd64 ;;
	6.12) echo linux-image-6.12-amd64 ;;
	*) nt_die "no kernel series $1: choose 6.1, 6.12, debug, or a directory that holds a kernel" ;;
	esac
}

# nt_depends PACKAGE PATTERN - prints the packages that PACKAGE's candidate depends on and that match PATTERN.
nt_depends() {
	LC_ALL=C apt-cache depends --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
		--no-enhances "$1" 2>/dev/null | sed -n 's/^ *|\{0,1\}Depends: //p' | grep -E "^$2\$" || true
}

# nt_kernel_resolve SERIES - sets image (package of the newest image) and packages (all to unpack); fails if unknown.
nt_kernel_resolve() {
	local series=$1 release headers
	image=$(nt_depends "$(nt_kernel_meta "$series")" "linux-image-${series//./\\.}\\..*-amd64")
	[ -n "$image" ] || return 1
	release=${image#linux-image-}
	headers=linux-headers-$release
	mapfile -t packages < <(nt_depends "$headers" 'linux-(headers-.*-common|kbuild-.*)')
	[ "${#packages[@]}" -ge 2 ] || return 1
	packages+=("$image" "$headers")
}

# nt_download DIRECTORY PACKAGE... - downloads these packages' files to DIRECTORY; fails, leaving apt's words in $log.
# What an interrupted run has already downloaded is not downloaded again.
nt_download() {
	local to=$1 package part
	shift
	mkdir -p -- "$to"
	for package; do
		[ -e "$to/$package.deb" ] && continue
		part=$to/part.$package
		rm -rf -- "$part"
		mkdir -- "$part"
		# apt checks the archive's hash; only a file that passed gets its final name.
		(cd -- "$part" && apt-get -q -o APT::Sandbox::User=root -o Acquire::Retries=2 download "$package") \
			>"$log" 2>&1 </dev/null || return 1
		mv -- "$part"/*.deb "$to/$package.deb"
		rm -rf -- "$part"
	done
}

# nt_kernel_headers ROOT RELEASE - makes the unpacked headers under ROOT work from where they lie.
nt_kernel_headers() {
	local headers=$1/usr/src/linux-headers-$2
	# The packages' Makefile includes /usr/src/linux-headers-*-common/Makefile by its absolute path.
	# (The links to scripts and tools are relative and lead inside ROOT.)
	# shellcheck disable=SC2016
	sed -i 's|^include /usr/src/|include $(dir $(realpath $(lastword $(MAKEFILE_LIST))))../|' "$headers/Makefile"
	ln -sfn "usr/src/linux-headers-$2" "$1/headers"
}

# nt_kernel_unpack SERIES DEBS RELEASE - unpacks the packages in DEBS as $NT_CACHE/kernels/RELEASE, at once or not at all.
nt_kernel_unpack() {
	local series=$1 debs=$2 release=$3 root deb modules
	# Of the other series, another run may be at work on one.
	rm -rf -- "$NT_CACHE/kernels/.new.$series".*
	root=$(mktemp -d "$NT_CACHE/kernels/.new.$series.XXXXXX")
	chmod 755 "$root"
	for deb in "$debs"/*.deb; do
		dpkg-deb -x "$deb" "$root" || nt_die "cannot unpack $deb in $NT_CACHE: is the disk full?"
	done
	# Documentation and packaging leftovers are of no use here.
	rm -rf -- "${root:?}/usr/share"
	nt_kernel_headers "$root" "$release"
	modules=$root/lib/modules/$release
	if [ ! -d "$modules/kernel" ] || [ ! -s "$root/boot/vmlinuz-$release" ]; then
		nt_die "the packages of kernel $release hold no modules or no image: clear $NT_CACHE and try again"
	fi
	ln -sfn "$NT_CACHE/kernels/$release/usr/src/linux-headers-$release" "$modules/build"
	rm -f -- "$modules/source"
	/sbin/depmod -b "$root" "$release"
	rm -rf -- "$NT_CACHE/kernels/$release"
	mv -T -- "$root" "$NT_CACHE/kernels/$release"
	ln -sfn "kernels/$release" "$NT_CACHE/.link.$series"
	mv -T -- "$NT_CACHE/.link.$series" "$NT_CACHE/$series"
}

# nt_kernel_download - downloads nt_kernel_fetch's packages to its debs, with a newer index if the archive has moved on.
nt_kernel_download() {
	debs=$NT_CACHE/debs/${image#linux-image-}
	nt_download "$debs" "${packages[@]}" && return 0
	if grep -qiE "$NT_NO_NETWORK" "$log"; then
		return 1
	fi
	nt_kernel_index "$series" && nt_kernel_resolve "$series" || return 1
	debs=$NT_CACHE/debs/${image#linux-image-}
	nt_download "$debs" "${packages[@]}"
}

# nt_kernel_cached SERIES - whether the cache holds a whole kernel of SERIES.
nt_kernel_cached() { [ -e "$NT_CACHE/$1/headers/Makefile" ] && [ -d "$NT_CACHE/$1/boot" ]; }

# nt_kernel_fetch SERIES [update] - makes sure that the cache holds a kernel of SERIES.
# A cached kernel is used as it is, also without network; `update` looks for a newer one first.
nt_kernel_fetch() {
	local series=$1 update=${2:-} image debs log
	local -a packages
	nt_kernel_meta "$series" >/dev/null
	if nt_kernel_cached "$series" && [ -z "$update" ]; then
		return 0
	fi
	nt_lock "kernel-$series"
	if nt_kernel_cached "$series" && [ -z "$update" ]; then
		nt_unlock
		return 0
	fi
	nt_debian
	nt_log
	if [ -n "$update" ] || ! nt_kernel_resolve "$series"; then
		if ! nt_kernel_index "$series" && [ -n "$update" ]; then
			nt_say "apt's index could not be read anew: the kernel may not be the newest"
		fi
	fi
	if ! nt_kernel_resolve "$series"; then
		nt_kernel_offline "$series" && return 0
		nt_die "apt knows no kernel $series ($(nt_kernel_meta "$series")): run apt-get update as root," \
			"with bookworm and bookworm-security main among its sources and a network"
	fi
	if nt_kernel_cached "$series" && [ "$(readlink "$NT_CACHE/$series")" = "kernels/${image#linux-image-}" ]; then
		nt_unlock
		return 0
	fi
	nt_space 1500 "kernel $series"
	nt_say "fetching kernel ${image#linux-image-} (once; kept in $NT_CACHE)"
	mkdir -p -- "$NT_CACHE/kernels"
	if ! nt_kernel_download; then
		nt_kernel_offline "$series" && return 0
		nt_apt_explain "$log" "fetching kernel $series"
	fi
	nt_kernel_unpack "$series" "$debs" "${image#linux-image-}"
	rm -rf -- "$debs"
	nt_unlock
}

# nt_kernel_index SERIES - reads apt's index anew, if that is possible; fails if a part of it could not be read.
nt_kernel_index() {
	nt_can_root && (nt_apt "kernel $1" update -o APT::Update::Error-Mode=any 2>/dev/null)
}

# nt_kernel_offline SERIES - falls back on the cached kernel, saying so; fails if there is none.
nt_kernel_offline() {
	nt_kernel_cached "$1" || return 1
	nt_say "Debian's archive cannot be reached: using the cached kernel $(readlink "$NT_CACHE/$1" | sed 's|.*/||')"
	nt_unlock
}

# nt_kernel_dir 6.1|6.12|debug|DIRECTORY [update] - sets NT_KERNEL_ROOT, NT_KERNEL_IMAGE,
# NT_KERNEL_MODULES (lib/modules/RELEASE, or empty), NT_KERNEL_RELEASE (empty without modules) and NT_KERNEL_HEADERS (a KDIR, or empty).
# A DIRECTORY holds boot/vmlinuz-* (or vmlinuz) and, if the kernel has modules, lib/modules/RELEASE.
nt_kernel_dir() {
	local found
	case $1 in
	*/*)
		[ -d "$1" ] || nt_die "no such kernel directory: $1"
		NT_KERNEL_ROOT=$(cd -P -- "$1" && pwd -P)
		;;
	debug)
		nt_cache
		nt_debug_fetch "${@:2}"
		NT_KERNEL_ROOT=$(cd -P -- "$NT_CACHE/$(nt_debug_name)" && pwd -P)
		;;
	*)
		nt_cache
		nt_kernel_fetch "$@"
		NT_KERNEL_ROOT=$(cd -P -- "$NT_CACHE/$1" && pwd -P)
		;;
	esac
	for found in "$NT_KERNEL_ROOT"/boot/vmlinuz-* "$NT_KERNEL_ROOT"/vmlinuz "$NT_KERNEL_ROOT"/arch/x86/boot/bzImage; do
		[ -e "$found" ] && break
	done
	[ -e "$found" ] || nt_die "no kernel image in $NT_KERNEL_ROOT: it should be boot/vmlinuz-RELEASE"
	# shellcheck disable=SC2034 # these are this function's results
	NT_KERNEL_IMAGE=$found
	NT_KERNEL_MODULES=
	NT_KERNEL_HEADERS=
	for found in "$NT_KERNEL_ROOT"/lib/modules/*/; do
		[ -d "$found" ] && NT_KERNEL_MODULES=${found%/}
	done
	# shellcheck disable=SC2034
	NT_KERNEL_RELEASE=${NT_KERNEL_MODULES##*/}
	for found in headers build; do
		# shellcheck disable=SC2034
		[ -e "$NT_KERNEL_ROOT/$found/Makefile" ] && NT_KERNEL_HEADERS=$NT_KERNEL_ROOT/$found && break
	done
	return 0
}
