#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks what can be checked without running anything: licences, layering, spelling, style, generated files. Prints KTAP.
set -euo pipefail
NT_NAME='check-style'
here=$(cd -P -- "$(dirname -- "$(readlink -f -- "$0")")" && pwd -P)
# shellcheck source=scripts/lib/common.sh
. "$here/lib/common.sh"
# shellcheck source=scripts/lib/setup.sh
. "$here/lib/setup.sh"
# shellcheck source=scripts/lib/kernel.sh
. "$here/lib/kernel.sh"
# shellcheck source=scripts/lib/source.sh
. "$here/lib/source.sh"

usage() {
	cat <<'USAGE'
Usage: scripts/check-style.sh [CHECK]...

Runs all checks, or those named, on the files of the tree (those that git knows or would add), and prints KTAP.
--list lists the checks. Exit status: 0 all passed, 1 something failed, 2 usage.
USAGE
}

# Debian's own Python, which the packages are for; another may come first.
export PATH=/usr/bin:$PATH

tmp=$(mktemp -d)
trap 'rm -rf -- "$tmp"' EXIT

# files [PATTERN] - prints the files of the project that match an extended regular expression, one a line.
files() { grep -E -- "${1:-.}" "$tmp/files" || true; }

# shells sourced|run|busybox - prints the shell scripts of that kind.
shells() {
	local file
	while read -r file; do
		case $1:$(head -n 1 -- "$file") in
		busybox:'#!/bin/busybox sh') echo "$file" ;;
		run:'#!'*bash | run:'#!/bin/sh') echo "$file" ;;
		sourced:'#!'*) ;;
		sourced:*) if grep -qE '^# shellcheck shell=' -- "$file"; then echo "$file"; fi ;;
		esac
	done < <(files | grep -vE '^LICENSES/|\.(c|h|rst|md|py|json|svg|png)$')
}

# Any line that a check prints is a fault, and so is its failure.

check_shellcheck() {
	local -a run sourced busybox
	mapfile -t run < <(shells run)
	mapfile -t sourced < <(shells sourced)
	mapfile -t busybox < <(shells busybox)
	# What a sourced file takes from its user, and sets for it, cannot be seen in the file alone.
	[ "${#run[@]}" = 0 ] || shellcheck -f gcc -- "${run[@]}" || true
	[ "${#sourced[@]}" = 0 ] || shellcheck -f gcc -e SC2034,SC2154 -- "${sourced[@]}" || true
	[ "${#busybox[@]}" = 0 ] || shellcheck -f gcc -s dash -e SC1091,SC2154 -- "${busybox[@]}" || true
}

check_codespell() {
	# Words, and parts of words, that the dictionary takes for slips.
	files | grep -vE '^LICENSES/|\.(svg|png)$|(^|/)(golden|corpus)/' | tr '\n' '\0' |
		xargs -0r codespell -L nam,fro,nknown,sise --ignore-regex '\\[a-z]' -- || true
}

# checkpatch IGNORE OPTION... - its findings on the files listed on standard input, less what it gets wrong (see awk).
checkpatch() {
	local ignore=$1
	shift
	# It looks for names of the kernel's, of which there are none here, and leaves a file of its own where it runs.
	mkdir -p "$tmp/root/include"
	(cd -- "$tmp" && sed "s|^|$NT_TOP/|" | tr '\n' '\0' | xargs -0r perl "$NT_SOURCE/scripts/checkpatch.pl" --strict \
		--no-tree --root="$tmp/root" --no-summary --terse --show-types "$@" --ignore "$ignore" -f) 2>&1 |
		sed "s|^$NT_TOP/||" | awk -F : '
			{
				line = ""
				for (i = 0; i < $2 + 0 && (getline line < $1) > 0; i++);
				close($1)
				# A message is not broken, so that it can be searched for; what stands beside it has to be short.
				if (/:LONG_LINE:/) {
					gsub(/"[^"]*"/, "", line)
					if (length(line) < 60)
						next
				}
				# Belongs to what stands above it.
				if (/:LINE_SPACING:/ && line ~ /^(NOKPROBE_SYMBOL|static_assert)\(/)
					next
				print
			}' || true
}

check_checkpatch_kmod() {
	# A table that is read several times, each time by a macro that takes what it needs of a row.
	local tables='kmod/account/(hook\.h|hook_table\.c|stub_x86\.c)|kmod/control/dump\.c'
	local table=MACRO_ARG_UNUSED,COMPLEX_MACRO,MACRO_ARG_REUSE,BRACKET_SPACE
	# Not for it: what the netlink generator writes, and the unit tests, which are userspace programs.
	files '^kmod/.*\.(c|h|def)$' | grep -vE '^kmod/(include/uapi|control/netlink_gen|tests)' >"$tmp/kmod"
	[ -s "$tmp/kmod" ] || echo 'no files of the module found'
	# Trace events are laid out as the kernel lays them out.
	local traces='kmod/fastpath/trace\.h'
	# Its rows become functions.
	local functions='kmod/fastpath/front\.(c|h)'
	grep -vE "$tables|$functions|$traces|^kmod/compat/.*\.h" "$tmp/kmod" | checkpatch LONG_LINE_STRING
	grep -E "$functions" "$tmp/kmod" |
		checkpatch "LONG_LINE_STRING,$table,TRAILING_SEMICOLON,MULTISTATEMENT_MACRO_USE_DO_WHILE,AVOID_EXTERNS"
	grep -E "$traces" "$tmp/kmod" | checkpatch LONG_LINE_STRING,PARENTHESIS_ALIGNMENT,OPEN_ENDED_LINE
	grep -E "$tables" "$tmp/kmod" | grep -v stub_x86 | checkpatch "LONG_LINE_STRING,$table"
	# Its rows become assembly.
	grep stub_x86 "$tmp/kmod" | checkpatch "LONG_LINE_STRING,$table,TRAILING_SEMICOLON,LEADING_SPACE,SPLIT_STRING"
	# One name for what kernels call differently.
	grep '^kmod/compat/.*\.h' "$tmp/kmod" | checkpatch LONG_LINE_STRING,NEW_TYPEDEFS,MACRO_WITH_FLOW_CONTROL
}

check_checkpatch_userspace() {
	# The kernel's own: its types, names and functions; what it says of macros and messages in its log.
	local ignore=PREFER_KERNEL_TYPES,CAMELCASE,VOLATILE,PREFER_DEFINED_ATTRIBUTE_MACRO,STRCPY,STRNCPY,BIT_MACRO
	ignore+=,NEW_TYPEDEFS,COMPLEX_MACRO,MACRO_WITH_FLOW_CONTROL,MACRO_ARG_UNUSED,MACRO_ARG_REUSE,TRAILING_SEMICOLON
	ignore+=,LONG_LINE_STRING,SPLIT_STRING,MISSING_SPACE,TYPO_SPELLING,EMBEDDED_FUNCTION_NAME,PREFER_FALLTHROUGH
	ignore+=,AVOID_EXTERNS,UNCOMMENTED_DEFINITION,MACRO_ARG_PRECEDENCE,MULTISTATEMENT_MACRO_USE_DO_WHILE
	# Matters of taste that are kept in the kernel's way there only.
	ignore+=,MULTIPLE_ASSIGNMENTS,BLOCK_COMMENT_STYLE,LINE_SPACING,SPACING,PARENTHESIS_ALIGNMENT,BRACKET_SPACE
	ignore+=,UNNECESSARY_PARENTHESES,UNSPECIFIED_INT,TRAILING_STATEMENTS
	files '^(userspace|kmod/tests|selftests|bench)/.*\.(c|h)$' | checkpatch "$ignore" --max-line-length=120
}

# The rules of style.py find what they are there for.
check_rules() { python3 "$here/lib/test_style.py" >"$tmp/rules" 2>&1 || cat "$tmp/rules"; }

# What the generator writes is what is committed.
check_spec() {
	local file
	scripts/ynl-regen "$NT_SOURCE" "$tmp/spec" || return
	(cd -- "$tmp/spec" && find . -type f -printf '%P\n') | sort >"$tmp/spec.files"
	[ "$(wc -l <"$tmp/spec.files")" -ge 4 ] || echo "the generator wrote only $(tr '\n' ' ' <"$tmp/spec.files")"
	while read -r file; do
		cmp -s -- "$tmp/spec/$file" "$file" ||
			echo "$file: not what scripts/ynl-regen \$(scripts/kernel --source) writes from the spec"
	done <"$tmp/spec.files"
}

mapfile -t text_rules < <(python3 "$here/lib/style.py" --list | cut -f 1)
checks=("${text_rules[@]}" shellcheck codespell checkpatch-kmod checkpatch-userspace spec rules)
wanted=()
for arg; do
	case $arg in
	--list) printf '%s\n' "${checks[@]}"; exit 0 ;;
	-h | --help) usage; exit 0 ;;
	-*) nt_say "unknown option $arg (scripts/check-style.sh --help explains)"; exit 2 ;;
	*)
		case " ${checks[*]} " in
		*" $arg "*) wanted+=("$arg") ;;
		*) nt_say "no check $arg (scripts/check-style.sh --list lists them)"; exit 2 ;;
		esac
		;;
	esac
done
[ "${#wanted[@]}" -gt 0 ] || wanted=("${checks[@]}")

cd -- "$NT_TOP"
nt_setup test
(nt_source)
nt_source
# A checkout of another user is as good as one's own to look at.
git -c safe.directory='*' ls-files -co --exclude-standard >"$tmp/known" 2>"$tmp/git" ||
	nt_die "the files to check are those that git lists, and it failed: $(head -n 1 "$tmp/git")"
# Deleted and not yet committed is no longer a file.
while IFS= read -r file; do [ ! -e "$file" ] || printf '%s\n' "$file"; done <"$tmp/known" >"$tmp/files"

echo 'KTAP version 1'
echo "1..${#wanted[@]}"
n=0 failed=0
for check in "${wanted[@]}"; do
	n=$((n + 1)) status=0
	case " ${text_rules[*]} " in
	*" $check "*) python3 "$here/lib/style.py" "$check" <"$tmp/files" ;;
	*) "check_${check//-/_}" ;;
	esac >"$tmp/found" 2>&1 || status=$?
	if [ "$status" = 0 ] && [ ! -s "$tmp/found" ]; then
		echo "ok $n $check"
	else
		failed=1
		sed 's/^/# /' "$tmp/found"
		[ -s "$tmp/found" ] || echo "# it ended with exit status $status"
		echo "not ok $n $check"
	fi
done
exit "$failed"
