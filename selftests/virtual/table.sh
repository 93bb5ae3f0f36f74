#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The table of the hooks against the kernel that runs: the functions are there once, and take the arguments that the
# table says, since the stubs copy those that travel on the stack.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

ktap_plan 7
module_load

# The lines of the table: function, arguments.
table=$NTT_DIR/table
sed -n 's/^NETTOLL_HOOK(\([a-z0-9_]*\), *\([0-9]*\),.*/\1 \2/p' "$NTT_TOP/kmod/account/hook_table.def" |
	grep -v '^nettoll_' >"$table"
words=$NTT_DIR/words
cut -d ' ' -f 1 "$table" | prog btf_words >"$words"
toll hooks --tsv >"$NTT_DIR/hooks"

# faults PROGRAM - fails if the awk program, over the table and then the words, prints a line.
faults() {
	local bad
	bad=$(awk "function v(key,  i) { for (i = 2; i <= NF; i++) if (index(\$i, key \"=\") == 1) return substr(\$i, length(key) + 2) + 0; return 0 }
		FNR == NR { args[\$1] = \$2; next } $1" "$table" "$words")
	[ -z "$bad" ] || { echo "$bad"; return 1; }
}

listed() {
	local listed
	expect 'functions in the table' "$(wc -l <"$table")" -gt 100
	listed=$(awk -F '\t' 'NR > 1 && !/^#/ && $1 !~ /\// { print $1 }' "$NTT_DIR/hooks" | sort)
	expect 'hooks that the module lists' "$listed" = "$(cut -d ' ' -f 1 "$table" | sort)"
}

# A hook is absent exactly when the kernel has no such function.
absent() {
	local wrong
	wrong=$(awk 'FNR == NR { n[$1] = substr($2, 9) + 0; next } $1 in n && (($5 == "absent") != (n[$1] == 0)) {
		print $1 " is " $5 ", the kernel has " n[$1] " of it" }' "$words" FS='\t' "$NTT_DIR/hooks")
	[ -z "$wrong" ] || { echo "$wrong"; return 1; }
	echo "=$(awk -F '\t' '$5 == "absent" { n++; s = s " " $1 } END { print n + 0 " of the table are absent here:" s }' "$NTT_DIR/hooks")"
}

# What the tests of backends rely on, where they leave out what the kernel does not have.
backends() {
	local backend
	for backend in direct kretprobe; do
		has_backend "$backend" || { echo "there is no $backend"; return 1; }
	done
	case $(uname -r) in
	6.1.*) must_fail has_backend fprobe ;;
	6.12.*) has_backend fprobe || { echo 'there is no fprobe'; return 1; } ;;
	esac
}

ktap_test 'the module lists the table' listed
ktap_test 'the backends are those of this kernel' backends
ktap_test 'absent is what the kernel does not have' absent
# Of two functions with the same name, the hook would be on one, and not necessarily the one that is meant.
# shellcheck disable=SC2016 # awk's fields
ktap_test 'no name is borne by two functions' faults 'v("symbols") > 1 { print }'
# shellcheck disable=SC2016 # awk's fields
ktap_test 'arguments on the stack are as the table says' faults '
	v("types") && (v("odd") || v("stack") != (args[$1] > 6 ? args[$1] - 6 : 0)) {
		print $0 ": the table says " args[$1] " arguments" }'
# The stubs keep one register.
# shellcheck disable=SC2016 # awk's fields
ktap_test 'no function returns more than a register' faults 'v("ret") > 1 { print }'
ktap_test 'every function that is there has type information' faults 'v("symbols") && !v("types") { print }'
ktap_finish
