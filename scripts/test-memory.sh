#!/bin/sh
# Runs every problem with the command under `ulimit -v`, in twelve steps from the lowest limit at which `makespan --version`
# starts to 4 GB. Each run must end with a result or with a message that says why there is none: an abort, a crash, a hang
# or silence fails. The debug build must be up to date.
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

make() { # size: instances of each problem
    draw 11 "n = 50 * $1; print n, n * 20000; for (i = 0; i < n; i++) { w = 10000 + random(90000); print w + 1000, w }" \
        >"$work/$1.knapsack"
    draw 13 "n = 400 * $1; print \"p p_cmax\", n, int(n / 7); for (i = 0; i < n; i++) print random(100000); print 0" \
        >"$work/$1.pcmax"
    draw 14 "n = 40 * $1; print n, 10000; for (i = 0; i < n; i++) print random(5000), random(30)" >"$work/$1.csp"
    draw 15 "for (i = 0; i < 10 + 2 * $1; i++) { for (j = 0; j < 10; j++) printf \"%d \", random(99); print \"\" }" \
        >"$work/$1.shop"
    draw 16 "print \"sizes 40 40 \" 40 * $1; for (i = 0; i < 20; i++) print \"offset\", random(9), random(5), random(5), random(5)" \
        >"$work/$1.lattice"
    draw 17 "print \"semiring min-plus\"; print \"length\", 200000 * $1; print \"offsets 1000..901\";
             print \"initial 0*1000\"; print \"weights 3*100\"" >"$work/$1.recurrence"
    draw 18 "print \"capacity\", 100000 * $1; printf \"weights\"; for (i = 0; i < 10; i++) printf \" %d\", random(9999);
             printf \"\\nprofits\"; for (i = 0; i < 10; i++) printf \" %d\", random(9999); print \"\"" >"$work/$1.rows"
    draw 19 "for (i = 0; i < 20 * $1; i++) { for (j = 0; j < 50; j++) printf \"%d \", random(99); print \"\" }" >"$work/$1.profits"
    draw 20 "print 50, 60000; for (i = 0; i < 50; i++) print random(99), random(4000)" >"$work/$1.items"
}

list() { # size: the runs, one in a line
    echo "knapsack $work/$1.knapsack"
    echo "knapsack $work/$1.knapsack --method core"
    echo "knapsack $work/$1.items --method dense"
    echo "knapsack $work/$1.items --profits $work/$1.profits"
    echo "parallel-machines $work/$1.pcmax"
    echo "parallel-machines $work/$1.pcmax --method ptas --epsilon 0.1"
    echo "cutting-stock $work/$1.csp"
    echo "flow-shop $work/$1.shop"
    echo "flow-shop $work/$1.shop --method branch-and-bound"
    echo "flow-shop $work/$1.shop --method beam"
    echo "lattice-dp $work/$1.lattice"
    echo "recurrence $work/$1.recurrence"
    echo "recurrence $work/$1.recurrence --method pipeline --choices"
    echo "recurrence $work/$1.rows"
    echo "interval-dp matrix-chain random:$((200 * $1)):1"
    echo "interval-dp matrix-chain random:$((200 * $1)):1 --method cubic"
    echo "interval-dp search-tree random:$((400 * $1)):1 --method knuth"
    echo "interval-dp matrix-chain random:20:1 --batch=$((100 * $1))"
}

make 1
make 10
list 1 >"$work/runs"
list 10 | sed 's/$/ --threads 16/' >>"$work/runs"
if [ -n "$full" ]; then
    make 50
    list 1 | sed 's/$/ --threads 16/' >>"$work/runs"
    list 10 >>"$work/runs"
    list 50 >>"$work/runs"
    list 50 | sed 's/$/ --threads 16/' >>"$work/runs"
fi

runs=0 refused=0 failed=0
for limit in $limits; do
    while read -r run; do
        code=0
        # shellcheck disable=SC2086
        under "$limit" "$makespan" $run --engine cpu --json --time-limit $seconds >"$work/out" 2>"$work/err" || code=$?
        runs=$((runs + 1))
        case $code in
        0) grep -q '^{"problem":' "$work/out" || code="0 without a result" ;;
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
