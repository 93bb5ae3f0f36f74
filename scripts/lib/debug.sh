# SPDX-License-Identifier: GPL-2.0-or-later
# The debug kernel: Debian's linux-source-6.12, configured by debug.config to find faults rather than to be fast, built once
# and kept in the cache. kernel.sh sources this.
#
# Layout: $NT_CACHE/kernels/VERSION-debug-KEY as for Debian's kernels, where KEY changes with what debug.config says;
# $NT_CACHE/debug-KEY leads there, so that checkouts with different configurations share a cache.
# $NT_CACHE/debug-build/KEY.PACKAGE-VERSION is the source while it is being built: whoever was interrupted goes on there.
# shellcheck shell=bash

NT_DEBUG_PACKAGE=linux-source-6.12
NT_DEBUG_CONFIG=$NT_TOP/scripts/lib/debug.config
# What a guest needs to boot it, in the form of a kernel directory's vm.conf.
NT_DEBUG_VM=$NT_TOP/scripts/lib/debug.vm.conf
# What nothing of this configuration is built from, which is more than half of the source. Kconfig reads all of its own files.
NT_DEBUG_UNUSED="*/Documentation/*/* */tools/testing */tools/perf */dts/* */arch/[a-wyz]*/*.[chS] */sound/*.[chS]
	*/drivers/gpu/*.[chS] */drivers/media/*.[chS]"
# About so many files are compiled, for those who wait.
NT_DEBUG_FILES=1650

# nt_debug_wants - prints what debug.config asks for, a line each.
nt_debug_wants() { grep '^CONFIG_' -- "$NT_DEBUG_CONFIG"; }

# nt_debug_name - prints the name of this checkout's debug kernel in the cache: debug-KEY.
nt_debug_name() { printf 'debug-%s\n' "$(nt_debug_wants | LC_ALL=C sort | sha256sum | cut -c 1-8)"; }

# nt_debug_candidate - prints the version of the source package that apt would fetch, or nothing.
nt_debug_candidate() {
	LC_ALL=C apt-cache policy "$NT_DEBUG_PACKAGE" 2>/dev/null | sed -n 's/^ *Candidate: *//p' | grep -vFx '(none)' || true
}

# nt_debug_cached NAME - whether the cache holds this debug kernel as a whole.
nt_debug_cached() { [ -e "$NT_CACHE/$1/headers/Makefile" ] && [ -s "$NT_CACHE/$1/vm.conf" ]; }

# nt_debug_unpack TREE - fetches the source and unpacks it as TREE, at once or not at all.
nt_debug_unpack() {
	local tree=$1 debs=$NT_CACHE/debs/debug-source path
	local -a unused=()
	nt_say "fetching $NT_DEBUG_PACKAGE (150 MB) for the debug kernel"
	if ! nt_download "$debs" "$NT_DEBUG_PACKAGE"; then
		nt_apt_explain "$log" "fetching $NT_DEBUG_PACKAGE"
	fi
	# shellcheck disable=SC2086 # patterns for tar, not for the shell
	set -f
	for path in $NT_DEBUG_UNUSED; do
		unused+=("--exclude=$path")
	done
	set +f
	rm -rf -- "$tree.new"
	mkdir -p -- "$tree.new"
	dpkg-deb --fsys-tarfile "$debs/$NT_DEBUG_PACKAGE.deb" | tar -xO "./usr/src/$NT_DEBUG_PACKAGE.tar.xz" | xz -dcT0 |
		tar -x -C "$tree.new" --strip-components=1 --wildcards "${unused[@]}" ||
		nt_die "cannot unpack $NT_DEBUG_PACKAGE in $NT_CACHE: is the disk full?"
	mv -T -- "$tree.new" "$tree"
	rm -rf -- "$debs"
}

# nt_debug_make TREE TARGET... - make, as for all of the build; its output goes to $log.
nt_debug_make() {
	local tree=$1
	shift
	# Neither it nor the lock that it inherits outlives this script.
	setpriv --pdeathsig TERM env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$tree" CC=gcc-12 HOSTCC=gcc-12 LOCALVERSION="-$name" \
		KBUILD_BUILD_USER=nettoll KBUILD_BUILD_HOST=nettoll "$@" >>"$log" 2>&1 </dev/null
}

# nt_debug_configure TREE - makes its .config, and ends if that is not what debug.config asks for.
nt_debug_configure() {
	local tree=$1 line
	nt_debug_make "$tree" KCONFIG_ALLCONFIG="$NT_DEBUG_CONFIG" allnoconfig || return 1
	while IFS= read -r line; do
		grep -qxF -- "$line" "$tree/.config" ||
			nt_die "debug.config asks for \"$line\", and Kconfig does not grant it: what it depends on is missing"
	done < <(nt_debug_wants | sed 's/^\(CONFIG_.*\)=n$/# \1 is not set/')
}

# nt_debug_progress TREE - says once a minute how far the build is, for as long as this script lives.
nt_debug_progress() {
	local minutes=0 never
	exec {never}<> <(:)
	while read -rt 60 -u "$never" || kill -0 $$ 2>/dev/null; do
		minutes=$((minutes + 1))
		nt_say "$minutes min: $(find "$1" -name '*.o' -newer "$1/.config" ! -path "$1/scripts/*" ! -path "$1/tools/*" | wc -l)" \
			"files of about $NT_DEBUG_FILES are built"
	done
}

# nt_debug_compile TREE - builds image and modules.
nt_debug_compile() {
	local tree=$1 progress status=0
	nt_debug_progress "$tree" {NT_LOCK_FD}>&- &
	progress=$!
	nt_debug_make "$tree" "-j$(nproc)" bzImage modules || status=$?
	kill "$progress" 2>/dev/null || true
	wait "$progress" 2>/dev/null || true
	return "$status"
}

# nt_debug_prune TREE - leaves of a built tree what modules are built with, and vmlinux, which explains addresses.
nt_debug_prune() {
	find "$1" \( -name '*.o' -o -name '*.a' -o -name '.*.cmd' -o -name '*.mod' -o -name '*.mod.c' -o -name '.tmp_*' \
		-o -name 'modules.order' -o -name '*.ko' \) ! -path "$1/scripts/*" ! -path "$1/tools/objtool/*" -delete
	find "$1" -name '*.[cS]' ! -path "$1/scripts/*" ! -path "$1/include/*" -delete
	find "$1" -depth -type d -empty -delete
	rm -f -- "$1/vmlinux.unstripped" "$1/arch/x86/boot/compressed/vmlinux" "$1/arch/x86/boot/compressed/vmlinux.bin"*
}

# nt_debug_install TREE - puts what TREE has built into the cache, at once or not at all; the tree goes.
nt_debug_install() {
	local tree=$1 release root headers
	release=$(cat -- "$tree/include/config/kernel.release")
	rm -rf -- "$NT_CACHE/kernels/.new.debug".*
	mkdir -p -- "$NT_CACHE/kernels"
	root=$(mktemp -d "$NT_CACHE/kernels/.new.debug.XXXXXX")
	chmod 755 "$root"
	mkdir -p -- "$root/boot" "$root/usr/src"
	cp -- "$tree/arch/x86/boot/bzImage" "$root/boot/vmlinuz-$release"
	cp -- "$tree/.config" "$root/boot/config-$release"
	cp -- "$tree/System.map" "$root/boot/System.map-$release"
	nt_debug_make "$tree" INSTALL_MOD_PATH="$root" INSTALL_MOD_STRIP=1 DEPMOD=/sbin/depmod modules_install || return 1
	headers=$root/usr/src/linux-headers-$release
	# Links, not copies: what is taken away here is still in the tree, should this be interrupted.
	cp -al -- "$tree" "$headers"
	nt_debug_prune "$headers"
	# Modules are built with the same compiler without being told, as for Debian's kernels.
	sed -i 's/^\(\(HOST\)\{0,1\}CC[[:space:]]*=.*gcc\)$/\1-12/' "$headers/Makefile"
	ln -sfn "usr/src/linux-headers-$release" "$root/headers"
	ln -sfn "$NT_CACHE/kernels/$release/usr/src/linux-headers-$release" "$root/lib/modules/$release/build"
	rm -f -- "$root/lib/modules/$release/source"
	cp -- "$NT_DEBUG_VM" "$root/vm.conf"
	rm -rf -- "$NT_CACHE/kernels/$release"
	mv -T -- "$root" "$NT_CACHE/kernels/$release"
	ln -sfn "kernels/$release" "$NT_CACHE/.link.debug"
	mv -T -- "$NT_CACHE/.link.debug" "$NT_CACHE/$name"
	rm -rf -- "$tree"
}

# nt_debug_sweep - removes debug kernels that nothing leads to, and all but the two configurations used last.
nt_debug_sweep() {
	local link root
	find "$NT_CACHE" -maxdepth 1 -name 'debug-????????' -type l -printf '%T@ %p\n' | sort -rn | tail -n +3 |
		cut -d ' ' -f 2- | while IFS= read -r link; do rm -f -- "$link"; done
	for root in "$NT_CACHE"/kernels/*-debug-????????; do
		[ -d "$root" ] || continue
		link=$NT_CACHE/debug-${root##*-debug-}
		[ "$(readlink -- "$link" || true)" = "kernels/${root##*/}" ] || rm -rf -- "$root"
	done
}

# nt_debug_fetch [update] - makes sure that the cache holds this checkout's debug kernel, which takes a while once.
# A cached one is used as it is; `update` looks for a newer source first.
nt_debug_fetch() {
	local update=${1:-} name tree version log
	name=$(nt_debug_name)
	if ! nt_debug_cached "$name" || [ -n "$update" ]; then
		nt_lock kernel-debug
		if ! nt_debug_cached "$name" || [ -n "$update" ]; then
			nt_debug_build
		fi
		nt_unlock
	fi
	# How it is booted is no reason to build it anew.
	if ! cmp -s -- "$NT_DEBUG_VM" "$NT_CACHE/$name/vm.conf"; then
		cp -- "$NT_DEBUG_VM" "$NT_CACHE/$name/.vm.conf.$$"
		mv -- "$NT_CACHE/$name/.vm.conf.$$" "$NT_CACHE/$name/vm.conf"
	fi
}

# nt_debug_build - nt_debug_fetch under the lock.
nt_debug_build() {
	local upstream
	nt_setup debug
	nt_log
	version=$(nt_debug_candidate)
	if [ -n "$update" ] || [ -z "$version" ]; then
		nt_kernel_index debug || nt_say "apt's index could not be read anew: the source may not be the newest"
		version=$(nt_debug_candidate)
	fi
	[ -n "$version" ] ||
		nt_die "apt knows no $NT_DEBUG_PACKAGE: run apt-get update as root, with bookworm-security main among its sources"
	upstream=${version%%-*}
	if nt_debug_cached "$name" && [ "$(readlink -- "$NT_CACHE/$name")" = "kernels/$upstream-$name" ]; then
		return 0
	fi
	tree=$NT_CACHE/debug-build/$name.$version
	mkdir -p -- "$NT_CACHE/debug-build"
	# Of another version or configuration: nobody goes on with those.
	find "$NT_CACHE/debug-build" -mindepth 1 -maxdepth 1 ! -name "$name.$version" -exec rm -rf -- {} +
	if [ -d "$tree" ]; then
		nt_say "going on with the debug kernel $upstream-$name where a run was interrupted"
	else
		nt_space 7000 'building the debug kernel'
		nt_debug_unpack "$tree"
	fi
	nt_say "building the debug kernel $upstream-$name (20 to 40 minutes on two cores, once; kept in $NT_CACHE)"
	if ! nt_debug_configure "$tree" || ! nt_debug_compile "$tree" || ! nt_debug_install "$tree"; then
		tail -n 30 -- "$log" | sed 's/^/  make: /' >&2
		nt_die "the debug kernel does not build (above, the end of make's output); rm -r $tree starts anew"
	fi
	nt_debug_sweep
	nt_say "the debug kernel is built"
}
