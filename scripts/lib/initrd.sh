# SPDX-License-Identifier: GPL-2.0-or-later
# Packs the guest's initial RAM disk: busybox, the modules that reach the host's files, and guest-init.
# shellcheck shell=bash

# In the order of loading; what a kernel has built in is left out.
NT_INITRD_MODULES="netfs fscache 9pnet 9p virtio_ring virtio 9pnet_virtio
	virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci overlay"
# What guest-init calls before /proc is there (busybox finds its own commands through /proc/self/exe).
NT_INITRD_COMMANDS="sh cat cp hostname insmod ip ln mkdir mount reboot switch_root"

# nt_initrd_pack FILE - packs an initial RAM disk for the kernel that nt_kernel_dir found.
nt_initrd_pack() {
	local out=$1 tree name file
	tree=$(mktemp -d "$NT_RUN/initrd.XXXXXX")
	mkdir -p "$tree"/{bin,dev,proc,sys,modules,low,rw,new,out,keep}
	cp -- "$(command -v busybox)" "$tree/bin/busybox"
	for name in $NT_INITRD_COMMANDS; do
		ln -s busybox "$tree/bin/$name"
	done
	cp -- "$NT_TOP/scripts/lib/guest-init" "$tree/init"
	cp -- "$NT_TOP/scripts/lib/guest-run" "$tree/guest-run"
	chmod 755 "$tree/init"
	: >"$tree/modules/order"
	for name in $NT_INITRD_MODULES; do
		[ -n "$NT_KERNEL_MODULES" ] || continue
		file=$(find "$NT_KERNEL_MODULES/kernel" -name "$name.ko*" -print -quit)
		case $file in
		*.ko) cp -- "$file" "$tree/modules/$name.ko" ;;
		*.xz) xz -dc -- "$file" >"$tree/modules/$name.ko" ;;
		*.zst) zstd -qdc -- "$file" >"$tree/modules/$name.ko" ;;
		*) continue ;;
		esac
		echo "$name" >>"$tree/modules/order"
	done
	# Not compressed: unpacking would cost more guest time than reading these few megabytes.
	(cd -- "$tree" && find . | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0 --reproducible) >"$out"
	rm -rf -- "$tree"
}

# nt_initrd - sets NT_INITRD, a packed initial RAM disk for the kernel that nt_kernel_dir found.
# It is kept in the cache under a name that changes with everything that goes in.
nt_initrd() {
	local key
	key=$( (cat -- "$NT_TOP"/scripts/lib/{guest-init,guest-run,initrd.sh} "$(command -v busybox)"
		printf '%s' "$NT_KERNEL_ROOT"
		stat -L -c '%n %s %Y' -- "$NT_KERNEL_IMAGE" ${NT_KERNEL_MODULES:+"$NT_KERNEL_MODULES"/kernel}) |
		sha256sum | cut -c 1-16)
	mkdir -p -- "$NT_CACHE/initrd"
	NT_INITRD=$NT_CACHE/initrd/$key.cpio
	if [ ! -s "$NT_INITRD" ]; then
		nt_initrd_pack "$NT_RUN/initrd.cpio"
		mv -- "$NT_RUN/initrd.cpio" "$NT_INITRD"
		# Keep the newest few: older ones belong to scripts or kernels that have changed.
		find "$NT_CACHE/initrd" -name '*.cpio' -printf '%T@ %p\n' | sort -rn | tail -n +9 |
			cut -d ' ' -f 2- | tr '\n' '\0' | xargs -0r rm -f --
	fi
}
