#!/bin/sh
# Runs the command under `ulimit -v` on instances of every problem, which the parts in tests/memory/
# draw, in twelve steps from the lowest limit at which `makespan --version` starts to 4 GB. Each run
# must end with a result or with a message that says why there is none: an abort, a crash, a hang or
# silence fails. The debug build must be up to date.
#
#   scripts/test-memory.sh          some 10 seconds of processor time
#   scripts/test-memory.sh --full   larger instances too, and longer: minutes
set -eu

full=
case "$*" in
"") ;;
--full) full=1 ;;
*) echo "usage: $0 [--full]" >&2; exit 2 ;;
esac
cd "$(dirname "$0")/.."
makespan=$(realpath "${CARGO_TARGET_DIR:-target}/debug/makespan")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seconds=0.1
[ -z "$full" ] || seconds=1

under() { # kilobytes, command
    timeout -k 5 60 sh -c 'ulimit -v "$0"; exec "$@"' "$@"
}

# The command needs more address space than the size of its file; a megabyte is never enough.
low=1024 high=4194304
while [ $((high - low)) -gt 256 ]; do
    middle=$(((low + high) / 2))
    if under $middle "$makespan" --version >"$work/out" 2>&1; then high=$middle; else low=$middle; fi
done
limits=$(awk -v low=$high 'BEGIN { for (i = 0; i < 12; i++) printf "%d ", low * (4194304 / low) ^ (i / 11) }')

draw() { # seed, program of awk with the function random(n): a number from 1 to n
    awk -v state="$1" "function random(n) { state = (state * 16807) % 2147483647; return 1 + state % n } BEGIN { $2 }"
}

runs_of() { # size: draws instances and prints the runs, one in a line
    size=$1
    for problem in tests/memory/*.sh; do . "./$problem"; done
}

runs_of 1 >"$work/small"
runs_of 10 >"$work/large"
{
    cat "$work/small"
    sed 's/$/ --threads 16/' "$work/large"
    if [ -n "$full" ]; then
        runs_of 50 >"$work/huge"
        sed 's/$/ --threads 16/' "$work/small"
        cat "$work/large" "$work/huge"
        sed 's/$/ --threads 16/' "$work/huge"
    fi
} >"$work/runs"

runs=0 refused=0 failed=0
for limit in $limits; do
    while read -r run; do
        code=0
        # shellcheck disable=SC2086
        under "$limit" "$makespan" $run --engine cpu --json --time-limit $seconds >"$work/out" 2>"$work/err" || code=$?
        runs=$((runs + 1))
        case $code in
        0) grep -q '^{"version":' "$work/out" || code="0 without a result" ;;
        1 | 2)
            refused=$((refused + 1))
            grep -q '^makespan: error: ' "$work/err" || code="$code without a message"
            ;;
        124 | 137) code="a hang" ;;
        esac
        case $code in 0 | 1 | 2) continue ;; esac
        failed=$((failed + 1))
        echo "FAILED: $limit kB: makespan $run: $code: $(tail -c 300 "$work/err")" >&2
    done <"$work/runs"
done
# Drivers that would abort for want of address space are not opened.
if ! under 900000 "$makespan" devices 2>&1 | grep -q 'bytes of address space that are left'; then
    failed=$((failed + 1))
    echo "FAILED: OpenCL was opened with less than 1 GB of address space" >&2
fi
echo "$runs runs under limits of the address space from $high kB on: $refused refused, $failed failed"
[ "$failed" -eq 0 ]
