# SPDX-License-Identifier: GPL-2.0-or-later
# What every script shares: where the tree and the cache are, messages, quoting, root's rights.
# shellcheck shell=bash

# The project's top directory, without symbolic links in it.
# shellcheck disable=SC2034 # for those who source this
NT_TOP=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
# The name messages carry: the script a person started.
NT_NAME=${NT_NAME:-$(basename -- "$0")}

nt_say() { printf '%s: %s\n' "$NT_NAME" "$*" >&2; }
nt_die() { nt_say "$*"; exit 1; }

# nt_cache - sets NT_CACHE, the directory for everything that is downloaded or built once, and makes it.
# It lies outside the tree, so that a clean checkout stays clean and several checkouts share it.
nt_cache() {
	local dir
	if [ -n "${NETTOLL_CACHE:-}" ]; then
		NT_CACHE=$NETTOLL_CACHE
	elif [ "$(id -u)" = 0 ]; then
		NT_CACHE=/var/cache/nettoll
	elif [ -n "${XDG_CACHE_HOME:-${HOME:-}}" ]; then
		NT_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/nettoll
	else
		nt_die "HOME is not set: set NETTOLL_CACHE to a directory you can write"
	fi
	mkdir -p -- "$NT_CACHE" 2>/dev/null ||
		nt_die "cannot make the cache directory $NT_CACHE: set NETTOLL_CACHE to a directory you can write"
	dir=$NT_CACHE
	NT_CACHE=$(cd -P -- "$dir" 2>/dev/null && pwd -P) && [ -w "$NT_CACHE" ] ||
		nt_die "cannot write to the cache directory $dir: set NETTOLL_CACHE to one you can write"
}

# nt_space MIB WHAT - ends with a sentence unless the cache's file system has MIB free.
nt_space() {
	local free
	free=$(df -Pm -- "$NT_CACHE" | awk 'NR == 2 { print $4 }')
	[ "${free:-0}" -ge "$1" ] ||
		nt_die "the disk is full: $2 needs $1 MiB in $NT_CACHE and $free MiB are free (NETTOLL_CACHE moves it)"
}

# nt_lock NAME - waits for, then holds, a lock on NAME until nt_unlock or the end of the script.
nt_lock() {
	{ exec {NT_LOCK_FD}>"$NT_CACHE/.lock.$1"; } 2>/dev/null ||
		nt_die "cannot write to the cache directory $NT_CACHE: is its disk full? (NETTOLL_CACHE moves it)"
	flock -n "$NT_LOCK_FD" || { nt_say "waiting for another run that holds $1"; flock "$NT_LOCK_FD"; }
}

nt_unlock() { exec {NT_LOCK_FD}>&-; }

# nt_log - sets the caller's `log` to a file for the output of its commands. It has no name, so that it goes with the
# process that asked for it, however that ends.
nt_log() {
	local name fd
	name=$(mktemp)
	exec {fd}<>"$name"
	rm -f -- "$name"
	log=/proc/$BASHPID/fd/$fd
}

# nt_quote STRING - STRING in single quotes, for any POSIX shell.
nt_quote() { printf "'%s'" "${1//\'/\'\\\'\'}"; }

# nt_as_root COMMAND... - runs it as root, through sudo if need be, never asking anything.
nt_as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo -n -- "$@"
	fi
}

# nt_can_root - whether nt_as_root can work.
nt_can_root() { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }
