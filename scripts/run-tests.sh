#!/bin/sh
# Runs test programs that scripts/list-tests.sh has listed.
#
#   scripts/run-tests.sh LIST [PATTERN [ARGUMENT ...]]
#
# PATTERN chooses programs by their file names, as grep -E does. The test programs get the arguments.
set -eu

[ $# -ge 1 ] || { echo "usage: $0 LIST [PATTERN [ARGUMENT ...]]" >&2; exit 2; }
list=$1 pattern=${2:-.}
[ $# -le 2 ] && shift $# || shift 2
grep -E "/deps/($pattern)" "$list" >/dev/null || { echo "$0: no test program is named like $pattern" >&2; exit 2; }
grep -E "/deps/($pattern)" "$list" | {
    failed=
    while read -r folder program; do
        (cd "$folder" && "$program" --quiet "$@" </dev/null) || failed="$failed $(basename "$program")"
    done
    [ -z "$failed" ] || { echo "FAILED:$failed" >&2; exit 1; }
}
