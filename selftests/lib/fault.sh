# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel's fault injection: allocations that fail, on purpose, in chosen tasks or below our code.
# shellcheck shell=bash

faults_dir=/sys/kernel/debug
# What may fail, as far as this kernel offers it: objects, pages, copies from and to programs.
faults_kinds=()

# faults_find - whether the kernel can inject faults into what can be chosen.
faults_find() {
	local kind
	for kind in failslab fail_page_alloc fail_usercopy; do
		[ ! -e "$faults_dir/$kind/require-start" ] || faults_kinds+=("$kind")
	done
	[ "${#faults_kinds[@]}" -gt 0 ] && [ -w /proc/self/fail-nth ]
}

# faults_set FILE VALUE - for all kinds that have the file
faults_set() {
	local kind
	for kind in "${faults_kinds[@]}"; do
		[ ! -e "$faults_dir/$kind/$1" ] || echo "$2" >"$faults_dir/$kind/$1"
	done
}

# faults_of_all_kinds - whatever is asked for and may wait, quietly; but not where the kernel cannot bear it.
faults_of_all_kinds() {
	local start='' end
	faults_set times -1
	faults_set ignore-gfp-wait N
	faults_set ignore-gfp-highmem N
	faults_set min-order 0
	faults_set verbose 0
	faults_set stacktrace-depth 32
	# Without memory to take a probe away it warns, keeps the probe, and counts it as gone.
	read -r start end < <(awk '$3 == "__disarm_kprobe_ftrace" { at = $1; next }
		at && $1 != at { print at, $1; exit }' /proc/kallsyms) || true
	[ -z "$start" ] || { faults_set reject-start "0x$start"; faults_set reject-end "0x$end"; }
}

# faults_in_modules - what code in a module, ours, asks for may fail, by whatever it calls; also what could wait for memory.
# The module is loaded: x86-64 puts modules, and nothing else, in one of two ranges.
faults_in_modules() {
	local start=0xffffffffc0000000
	grep -q '^nettoll .* 0xffffffff[ab]' /proc/modules && start=0xffffffffa0000000
	faults_set probability 0
	faults_of_all_kinds
	faults_set require-start "$start"
	faults_set require-end 0xffffffffff000000
}

# faults_in_tasks PERCENT - so many of the allocations of tasks whose make-it-fail is 1 fail, whatever they are for. Copies
# do not: what a task does not get is for itself.
faults_in_tasks() {
	faults_set require-start 0
	faults_set require-end 0xffffffffffffffff
	faults_of_all_kinds
	faults_set task-filter Y
	faults_set probability "$1"
	[ ! -e "$faults_dir/fail_usercopy" ] || echo 0 >"$faults_dir/fail_usercopy/probability"
}

# faults_off - none any more
faults_off() { faults_set probability 0; }
