# SPDX-License-Identifier: GPL-2.0-or-later
# The few files of the kernel's source that the tests use, taken once from Debian's linux-source-6.12.
# Needs common.sh, setup.sh and kernel.sh.
# shellcheck shell=bash

NT_SOURCE_PACKAGE=linux-source-6.12
# Under the top directory of the source: the netlink generator and the specs' schemas, and checkpatch with its tables.
NT_SOURCE_FILES="tools/net/ynl Documentation/netlink scripts/checkpatch.pl scripts/spelling.txt scripts/const_structs.checkpatch"

# nt_source - makes sure that those files are in the cache and sets NT_SOURCE, the directory they are in.
nt_source() {
	local deb new log path
	local -a members=()
	nt_cache
	# shellcheck disable=SC2034 # this function's result
	NT_SOURCE=$NT_CACHE/$NT_SOURCE_PACKAGE
	[ -d "$NT_SOURCE" ] && return 0
	nt_lock "$NT_SOURCE_PACKAGE"
	if [ -d "$NT_SOURCE" ]; then
		nt_unlock
		return 0
	fi
	nt_debian
	nt_space 500 "$NT_SOURCE_PACKAGE"
	nt_say "fetching $NT_SOURCE_PACKAGE for a few of its files (150 MB, once; kept in $NT_CACHE)"
	nt_log
	if ! nt_download "$NT_CACHE/debs/source" "$NT_SOURCE_PACKAGE"; then
		! nt_can_root || (nt_apt "$NT_SOURCE_PACKAGE" update)
		nt_download "$NT_CACHE/debs/source" "$NT_SOURCE_PACKAGE" || nt_apt_explain "$log" "fetching $NT_SOURCE_PACKAGE"
	fi
	deb=$NT_CACHE/debs/source/$NT_SOURCE_PACKAGE.deb
	rm -rf -- "$NT_CACHE"/.source.*
	new=$(mktemp -d "$NT_CACHE/.source.XXXXXX")
	chmod 755 "$new"
	for path in $NT_SOURCE_FILES; do
		members+=("$NT_SOURCE_PACKAGE/$path")
	done
	dpkg-deb --fsys-tarfile "$deb" | tar -xO "./usr/src/$NT_SOURCE_PACKAGE.tar.xz" | xz -dcT0 |
		tar -x -C "$new" --strip-components=1 "${members[@]}" ||
		nt_die "cannot unpack $NT_SOURCE_PACKAGE in $NT_CACHE: is the disk full?"
	mv -T -- "$new" "$NT_SOURCE"
	rm -rf -- "$NT_CACHE/debs/source"
	nt_unlock
}
