# SPDX-License-Identifier: GPL-2.0-or-later
# The module and the kernel's log: loading, unloading within bounds, and no complaint.
# shellcheck shell=bash

# What in the kernel's log means that something is wrong.
splat='WARNING: |BUG: |kernel BUG at|Oops|KASAN|UBSAN|INFO: task .* blocked|rcu: INFO|general protection fault'
splat+='|Kernel panic|soft lockup|hard LOCKUP|refcount_t: |list_(add|del) corruption|circular locking|inconsistent lock state'
splat+='|Bad page state|stack guard page|Failed to fixup|scheduling while atomic|unwind stack type|bad unwind'
splat+='|INFO: trying to register|ODEBUG: Out of memory|kmemleak: .*(disabled|pool empty)|ref_tracker: (.* has [0-9]+/[0-9]+ users|reference already)|unregister_netdevice: waiting'

# module_file - the module for this kernel.
module_file() {
	local file=${NETTOLL_KO:-$NTT_TOP/build/$(uname -r)/nettoll.ko}
	if [ ! -e "$file" ]; then
		echo "no module for this kernel: $file (make module, or name it in NETTOLL_KO)" >&2
		return 1
	fi
	printf '%s' "$file"
}

module_loaded() { [ -d /sys/module/nettoll ]; }

# module_refs - users of the module; nothing if it is not loaded.
module_refs() { cat /sys/module/nettoll/refcnt 2>/dev/null; }

# module_load - loads it, unless it is loaded.
module_load() {
	if module_loaded; then
		return 0
	fi
	insmod "$NTT_KO"
}

# module_unload [SECONDS] - unloads it; a hang is a failure.
module_unload() {
	local seconds=${1:-20} status=0
	module_loaded || return 0
	limit "$seconds" rmmod nettoll || status=$?
	[ "$status" != 124 ] || echo "rmmod did not come back within $seconds s"
	return "$status"
}

# log_mark TEXT - a mark in the kernel's log, from which log_since reads.
log_mark() {
	log_text="nettoll-selftest[$$]: $1"
	echo "$log_text" >/dev/kmsg
}

# log_since - what the kernel said since the last mark.
log_since() {
	dmesg | awk -v mark="$log_text" 'index($0, mark) { n = 0; on = 1; next } on { line[n++] = $0 }
		END { for (i = 0; i < n; i++) print line[i] }'
}

# log_clean - fails, and shows it, if the kernel complained since the mark.
log_clean() {
	local bad
	bad=$(log_since | grep -E -A 25 -- "$splat" | head -n 60) || true
	[ -z "$bad" ] || { echo "the kernel complains:"; echo "$bad"; return 1; }
}

# has_backend NAME - whether the module can use it on this kernel.
has_backend() { toll show status --tsv | grep -qE "^backends	.*\<$1\>"; }

# if_fprobe N - N where the module can use fprobes, which is so many tests more, and 0 elsewhere. virtual/table sees to it
# that they are found where they are.
if_fprobe() { if has_backend fprobe; then echo "$1"; else echo 0; fi; }

# in_virtual_time - whether one instruction is one nanosecond here.
in_virtual_time() { [ "${NETTOLL_VM_CLOCK:-}" = virtual ]; }
