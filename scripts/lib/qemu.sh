# SPDX-License-Identifier: GPL-2.0-or-later
# The parts of scripts/vm: what the guest is told, QEMU's command line, running it, and the verdict.
# They use scripts/vm's variables (kernel, clock, machine, ...).
# shellcheck shell=bash disable=SC2154

# What in a kernel log means that something is wrong.
NT_SPLAT='WARNING: |BUG: |kernel BUG at|Oops|KASAN|KCSAN|UBSAN|INFO: task .* blocked|rcu: INFO|general protection fault'
NT_SPLAT+='|Kernel panic|soft lockup|hard LOCKUP|refcount_t: |list_(add|del) corruption|possible circular locking'
NT_SPLAT+='|inconsistent lock state|kmemleak: [0-9]+ new|Bad page state|stack guard page|Failed to fixup'
# What no longer looks, finds nothing.
NT_SPLAT+='|INFO: trying to register|ODEBUG: Out of memory|kmemleak: .*(disabled|pool empty)|ref_tracker: (.* has [0-9]+/[0-9]+ users|reference already)|unregister_netdevice: waiting'

# nt_run_dir - makes NT_RUN, a directory for this run, and sweeps those of runs that were killed.
nt_run_dir() {
	local dir fd
	mkdir -p -- "$NT_CACHE/run" "$NT_CACHE/logs"
	for dir in "$NT_CACHE"/run/vm.*; do
		[ -d "$dir" ] || continue
		# A run holds its lock for as long as it or its QEMU lives. Young ones may not have it yet.
		if [ -n "$(find "$dir" -maxdepth 0 -mmin +1 2>/dev/null)" ] && exec {fd}>>"$dir/lock"; then
			if flock -n "$fd"; then rm -rf -- "$dir"; fi
			exec {fd}>&-
		fi
	done 2>/dev/null
	NT_RUN=$(mktemp -d "$NT_CACHE/run/vm.XXXXXX")
	exec {NT_RUN_FD}>"$NT_RUN/lock"
	flock -n "$NT_RUN_FD"
}

# nt_keep PATH... - prints those of the paths that the guest's fresh /tmp, /run and /dev would hide.
nt_keep() {
	local path
	for path; do
		case $path in
		/tmp/* | /run/* | /dev/*) printf '%s\n' "$path" ;;
		esac
	done | sort -u
}

# nt_guest_conf - prints what guest-init and guest-run read, as shell assignments.
nt_guest_conf() {
	local i path
	i=0
	while read -r path; do
		printf 'keep_%d=%s\n' "$i" "$(nt_quote "$path")"
		i=$((i + 1))
	done < <(nt_keep "$NT_TOP" "$cwd" "$NT_KERNEL_ROOT")
	echo "keep_count=$i"
	for i in "${!writes[@]}"; do
		path=${writes[i]}
		[ -d "$path" ] || { nt_say "--write $path: no such directory"; exit 2; }
		writes[i]=$(cd -P -- "$path" && pwd -P)
		printf 'write_%d=%s\n' "$i" "$(nt_quote "${writes[i]}")"
	done
	echo "write_count=${#writes[@]}"
	# Without symbolic links: an absolute one leads elsewhere while the guest still puts its root together.
	path=$NT_KERNEL_MODULES
	[ -z "$path" ] || path=$(realpath -- "$path")
	printf 'kernel_modules=%s\n' "$(nt_quote "$path")"
	path=$NT_KERNEL_ROOT/boot/config-$NT_KERNEL_RELEASE
	if [ -n "$NT_KERNEL_RELEASE" ] && [ -e "$path" ]; then path=$(realpath -- "$path"); else path=''; fi
	printf 'kernel_config=%s\n' "$(nt_quote "$path")"
	echo "hostname=nettoll-vm"
	# What the kernel still does after its boot ends in the meantime; in virtual time waiting costs nothing.
	echo "settle=$([ "$clock" = virtual ] && echo 2 || echo 0)"
	echo "leaks=$leaks"
	echo "nics=$([ -n "$nics" ] && echo 1 || echo 0)"
}

# nt_guest_env - prints the command's environment, NAME=VALUE, each ended by a NUL.
nt_guest_env() {
	local name
	printf '%s\0' HOME=/root USER=root LOGNAME=root SHELL=/bin/bash LANG=C.UTF-8 TERM=dumb \
		NETTOLL_VM=1 NETTOLL_VM_CLOCK="$clock" NETTOLL_VM_MACHINE="$machine" \
		PATH="$NT_TOP/userspace/build:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	for name in $(compgen -e); do
		case $name in
		NETTOLL_VM | NETTOLL_VM_*) ;;
		NETTOLL_*) printf '%s=%s\0' "$name" "${!name}" ;;
		esac
	done
	for name in "${names[@]}"; do
		[ -z "${!name+set}" ] || printf '%s=%s\0' "$name" "${!name}"
	done
}

# nt_guest_command - prints the script that becomes the command.
nt_guest_command() {
	cat <<'END'
out=/run/nettoll-vm/out
mapfile -d '' -t argv <$out/argv
mapfile -d '' -t environ <$out/environ
END
	# A directory that the guest does not have (the host's /proc/...) gives way to the project's.
	printf 'cd -- %s 2>/dev/null || cd -- %s\n' "$(nt_quote "$cwd")" "$(nt_quote "$NT_TOP")"
	# shellcheck disable=SC2016
	echo 'exec env -i -- "${environ[@]}" "${argv[@]}"'
}

# nt_comma TEXT - TEXT as a value in a QEMU option, where a comma is written twice.
nt_comma() { printf '%s' "${1//,/,,}"; }

# nt_tcg_thread - prints how TCG should run several CPUs: a thread each (multi), or one for all (single).
# With a thread each, QEMU before 8.1 may keep code that another CPU has just patched, and run a breakpoint that is
# long gone ("Oops: int3" at a nop), or a call into a module that is.
nt_tcg_thread() {
	qemu-system-x86_64 --version | awk 'NR == 1 {
		split($4, v, "."); print (v[1] > 8 || (v[1] == 8 && v[2] >= 1)) ? "multi" : "single" }'
}

# nt_tsc_khz - prints the rate of the guest's time stamp counter: with the real clock about that of the host's.
nt_tsc_khz() {
	if [ "$clock" = virtual ]; then
		echo 1000000
	else
		awk '/^cpu MHz/ { printf "%d\n", $4 * 1000; exit }' /proc/cpuinfo
	fi
}

# nt_qemu_args - sets NT_QEMU, the whole command line.
nt_qemu_args() {
	local append i cpu model options slots
	append='console=ttyS0 loglevel=5 panic=-1 rcupdate.rcu_cpu_stall_timeout=60'
	NT_QEMU=(qemu-system-x86_64 -name nettoll-vm -nodefaults -no-user-config -display none -monitor none -no-reboot -m "$mem")
	cpu=max
	[ "$machine" = era ] || cpu+=,-erms
	case $clock in
	virtual)
		# One instruction is one nanosecond and one TSC tick; nothing random may reach the guest.
		NT_QEMU+=(-accel tcg -icount 'shift=0,sleep=off' -smp 1 -rtc 'base=2026-01-01,clock=vm' -seed 1
			-cpu "$cpu,-rdrand,-rdseed,-la57,-smap,-smep")
		append+=' mitigations=off nokaslr norandmaps'
		;;
	real)
		if [ "$accel" = kvm ]; then
			NT_QEMU+=(-accel kvm -cpu host -smp "${cpus:-4}")
		else
			NT_QEMU+=(-accel "tcg,thread=${NETTOLL_TCG_THREAD:-$(nt_tcg_thread)}" -cpu "$cpu,-la57" -smp "${cpus:-4}")
		fi
		;;
	esac
	# In slabs of one page every object lies in the head page, so that finding the slab costs the same for all.
	[ "$exact" = 0 ] || append+=' slub_max_order=0 randomize_kstack_offset=off'
	# A kernel directory may say what its kernel needs (a debug kernel without ACPI, say).
	if [ -r "$NT_KERNEL_ROOT/vm.conf" ]; then
		while IFS='=' read -r i options; do
			case $i in
			machine) NT_QEMU+=(-machine "$options") ;;
			append) append+=" $options" ;;
			tsc) append+=" tsc_early_khz=$(nt_tsc_khz) tsc=reliable" ;;
			'' | '#'*) ;;
			*) nt_die "$NT_KERNEL_ROOT/vm.conf: unknown key $i (machine, append and tsc are known)" ;;
			esac
		done <"$NT_KERNEL_ROOT/vm.conf"
	fi
	NT_QEMU+=(-kernel "$NT_KERNEL_IMAGE" -initrd "$NT_INITRD" -append "$append$extra"
		-virtfs 'local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap'
		-virtfs "local,path=$(nt_comma "$NT_RUN/out"),mount_tag=out,security_model=none")
	for i in "${!writes[@]}"; do
		NT_QEMU+=(-virtfs "local,path=$(nt_comma "${writes[i]}"),mount_tag=write$i,security_model=none,multidevs=remap")
	done
	# Console, the command's output, its errors.
	for i in console stdout stderr; do
		NT_QEMU+=(-chardev "file,id=$i,path=$(nt_comma "$NT_RUN/$i")" -serial "chardev:$i")
	done
	if [ -n "$nics" ]; then
		model=${nics%%,*}
		options=${nics#"$model"}
		# In slots whose interrupt pins lead to different lines: on a shared one, each NIC's interrupts would run the
		# other's handler too, and what that costs would depend on which devices come before them.
		slots=(10 12)
		for i in 1 2; do
			NT_QEMU+=(-netdev "hubport,hubid=1,id=hub$i"
				-device "$model,netdev=hub$i,mac=52:54:00:00:00:0$i,addr=0x${slots[i - 1]}$options")
		done
	fi
}

# nt_qemu_run SECONDS - runs NT_QEMU until it ends or time is out; sets NT_OUT_OF_TIME and NT_QEMU_STATUS.
nt_qemu_run() {
	local relays=() sleeper ended fd1 fd2 started=$EPOCHREALTIME
	mkfifo "$NT_RUN/stdout" "$NT_RUN/stderr"
	cat <"$NT_RUN/stdout" &
	relays+=($!)
	cat <"$NT_RUN/stderr" >&2 &
	relays+=($!)
	# Held open here too, so that the relays end when QEMU has ended, however that came about.
	exec {fd1}>"$NT_RUN/stdout" {fd2}>"$NT_RUN/stderr"
	# QEMU dies with this script, even if that is killed outright.
	setpriv --pdeathsig KILL "${NT_QEMU[@]}" </dev/null >"$NT_RUN/qemu.log" 2>&1 {fd1}>&- {fd2}>&- &
	qemu=$!
	setpriv --pdeathsig KILL sleep "$1" {fd1}>&- {fd2}>&- {NT_RUN_FD}>&- &
	sleeper=$!
	NT_OUT_OF_TIME=0
	NT_QEMU_STATUS=0
	wait -n -p ended "$qemu" "$sleeper" || NT_QEMU_STATUS=$?
	if [ "$ended" = "$sleeper" ]; then
		NT_OUT_OF_TIME=1
		kill -KILL "$qemu"
		wait "$qemu" 2>/dev/null || true
	else
		kill "$sleeper" 2>/dev/null || true
		wait "$sleeper" 2>/dev/null || true
	fi
	qemu=''
	exec {fd1}>&- {fd2}>&-
	wait "${relays[@]}" || true
	NT_WALL=$(awk -v a="$started" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
}

# nt_console_tail - shows the last part of the guest's console.
nt_console_tail() {
	if [ ! -s "$NT_RUN/console" ]; then
		nt_say 'its console is empty'
		return
	fi
	nt_say 'the last lines of its console:'
	tail -n 40 -- "$NT_RUN/console" | tr -d '\r' | sed 's/^/  | /' >&2
}

# nt_keep_log - keeps the guest's kernel log; sets NT_LOG. The console has what a dying guest could still say,
# the log that guest-run saved has every message.
nt_keep_log() {
	NT_LOG=${log:-$NT_CACHE/logs/vm.$(date +%Y%m%d-%H%M%S).$$.log}
	if [ -s "$NT_RUN/out/dmesg" ]; then
		cat -- "$NT_RUN/out/dmesg" >"$NT_LOG"
		# Who had the memory that nobody can reach any more.
		[ ! -s "$NT_RUN/out/leaks" ] || cat -- "$NT_RUN/out/leaks" >>"$NT_LOG"
	else
		tr -d '\r' <"$NT_RUN/console" >"$NT_LOG"
	fi
	if [ -z "$log" ]; then
		find "$NT_CACHE/logs" -name 'vm.*.log' -printf '%T@ %p\n' | sort -rn | tail -n +41 |
			cut -d ' ' -f 2- | tr '\n' '\0' | xargs -0r rm -f --
	fi
}

# nt_verdict - ends the script with the status that the run deserves.
nt_verdict() {
	local status
	[ -e "$NT_RUN/console" ] || : >"$NT_RUN/console"
	nt_keep_log
	[ "$verbose" = 0 ] || nt_say "the guest ran for $NT_WALL s; its kernel log is $NT_LOG"
	if [ ! -s "$NT_RUN/out/verdict" ]; then
		if [ -s "$NT_RUN/qemu.log" ]; then sed 's/^/  qemu: /' "$NT_RUN/qemu.log" >&2; fi
		if [ "$NT_OUT_OF_TIME" = 1 ]; then
			nt_say "the guest did not end within $timeout s (--timeout) and was ended"
			nt_console_tail
			exit 124
		fi
		nt_say "the guest died without a verdict (QEMU's exit status $NT_QEMU_STATUS, after $NT_WALL s)"
		nt_console_tail
		exit 125
	fi
	status=$(cat -- "$NT_RUN/out/verdict")
	if grep -qE "$NT_SPLAT" "$NT_LOG" "$NT_RUN/console"; then
		nt_say "the guest's kernel complained (whole log: $NT_LOG; the command's exit status was $status):"
		grep -hE -A 30 "$NT_SPLAT" "$NT_LOG" | head -n 120 | sed 's/^/  | /' >&2
		[ "$splat" = 0 ] || exit 126
	fi
	exit "$status"
}

# shellcheck disable=SC2034 # NT_ACCEL is the result
# nt_probe_kvm SCRIPT KERNEL - sets NT_ACCEL: kvm if a guest boots with it on this machine, else tcg.
# Having /dev/kvm is not enough: nested hosts may offer it and still not boot a stock kernel.
nt_probe_kvm() {
	local result
	NT_ACCEL=tcg
	[ -r /dev/kvm ] && [ -w /dev/kvm ] || return 0
	result=$NT_CACHE/kvm.$(cat /proc/sys/kernel/random/boot_id).$(id -u)
	if [ ! -s "$result" ]; then
		rm -f -- "$NT_CACHE"/kvm.*."$(id -u)"
		if "$1" --kernel "$2" --clock real --accel kvm --timeout 60 -- true >/dev/null 2>&1; then
			echo kvm >"$result"
		else
			echo tcg >"$result"
		fi
	fi
	NT_ACCEL=$(cat -- "$result")
}
