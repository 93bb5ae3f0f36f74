# SPDX-License-Identifier: GPL-2.0-or-later
# What every test sources first: where things are, and the parts of this library.
# shellcheck shell=bash

set -euo pipefail
NTT_SELF=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
NTT_TOP=$(dirname -- "$NTT_SELF")
NTT_PROGS=${NTT_PROGS:-$NTT_TOP/build/selftests}
NTT_CLI=${NETTOLL_CLI:-$NTT_TOP/userspace/build/nettoll}
# shellcheck source=selftests/lib/ktap.sh
. "$NTT_SELF/lib/ktap.sh"
# shellcheck source=selftests/lib/wait.sh
. "$NTT_SELF/lib/wait.sh"
# shellcheck source=selftests/lib/kernel.sh
. "$NTT_SELF/lib/kernel.sh"
# shellcheck source=selftests/lib/toll.sh
. "$NTT_SELF/lib/toll.sh"
# shellcheck source=selftests/lib/load.sh
. "$NTT_SELF/lib/load.sh"
# shellcheck source=selftests/lib/net.sh
. "$NTT_SELF/lib/net.sh"

[ "$(id -u)" = 0 ] || ktap_skip_all 'needs root'
# Run by itself, a test has a directory of its own; run.sh gives all tests of a lane the same.
if [ -z "${NTT_DIR:-}" ]; then
	NTT_DIR=$(mktemp -d)
	defer rm -rf "$NTT_DIR"
fi
NTT_KO=$(module_file)
for path in "$NTT_CLI" "$NTT_PROGS/exchange"; do
	[ -x "$path" ] || { echo "$path is missing (make tools; make -C selftests)" >&2; exit 1; }
done

# prog NAME ARGUMENT... - one of the test programs.
prog() {
	local name=$1
	shift
	"$NTT_PROGS/$name" "$@"
}
log_mark "$(basename -- "$0")"
