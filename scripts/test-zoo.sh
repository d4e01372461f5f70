#!/bin/sh
# Runs every solver against every animal of the zoo, tests/zoo: PoCL's device in the disguise of another one, which
# has small limits, fails, lies, hangs or is slow. docs/src/zoo.md describes the animals.
#
#   scripts/test-zoo.sh [--quick] [ANIMAL ...]
#
# --quick takes a selection of less than a minute of processor time. ANIMAL is a description such as gpu,local=16384; by
# default all of the list below run. MAKESPAN_ZOO_CASES restricts the cases. POCL_CACHE_DIR names PoCL's cache of kernels,
# which all animals share. MAKESPAN_ZOO_TEST names the compiled test; without it, it is compiled.
set -eu

cd "$(dirname "$0")/.."
quick=false
[ "${1:-}" != --quick ] || { quick=true; shift; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

scripts/build-zoo.sh "$work"

test=${MAKESPAN_ZOO_TEST:-}
if [ -z "$test" ]; then
    messages=$(cargo test -p makespan --test zoo --no-run --message-format=json-render-diagnostics)
    test=$(printf '%s\n' "$messages" | sed -n 's|.*"executable":"\([^"]*/zoo-[^"]*\)".*|\1|p' | tail -n 1)
fi

# Limits.
limits="gpu gpu,units=4096 gpu,local=16384 gpu,no-local gpu,group=128 gpu,group=64 gpu,group=32 gpu,kernel-group=64
gpu,allocation=4 gpu,memory=64,allocation=64 gpu,no-atomics gpu,no-doubles gpu,wave=8 gpu,wave=64
gpu,local=16384,group=64,no-doubles,no-atomics"
# Speed.
speeds="gpu,slow=10 gpu,slow=100 gpu,slow=1000,units=4096"
# Faults.
faults="gpu,no-build gpu,broken=lattice_slabs gpu,broken=knapsack
gpu,fail=1 gpu,fail=3 gpu,fail=20 gpu,exhaust=1 gpu,exhaust=3 gpu,lose=1 gpu,lose=5 gpu,lose=60 gpu,fragile=2
gpu,units=4096,fail=3 gpu,units=4096,lose=2 gpu,hang=3,hang-ms=2000"
# Lies, about buffers whose words are no addresses.
lies="gpu,liar=lattice_slab gpu,liar=lattice_partition_level:0 gpu,liar=lattice_batch
gpu,liar=interval_diagonal gpu,liar=interval_fringe gpu,liar=interval_knuth gpu,liar=interval_batch
gpu,liar=interval_folding gpu,liar=recurrence_tournament gpu,liar=knapsack_quad
gpu,liar=multidimensional_knapsack_item:1"
animals="$limits $speeds $faults $lies"
# In a fast run, one animal of each kind: the others differ by a number.
some="gpu,group=64,local=16384 gpu,lose=5 gpu,units=4096,fail=3 gpu,no-build gpu,liar=lattice_slab"
! $quick || animals=$some
[ $# -eq 0 ] || animals=$*
# PoCL takes a third of the time to compile tabu search. It compiles faster if it does not optimise. Each solve of
# the large chain of matrices then takes 15 s, so these cases leave it out.
if $quick; then
    cases="lattice,machines,cutting,matrix chain,search tree,recurrence,knapsack,subset,flow shop on,beam"
    MAKESPAN_ZOO_CASES=${MAKESPAN_ZOO_CASES:-$cases}
    export MAKESPAN_ZOO_CASES POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable
fi

export POCL_CACHE_DIR="${POCL_CACHE_DIR:-$work/pocl}" MAKESPAN_CACHE_DIR="$work/cache"
export OCL_ICD_VENDORS="$work/vendors" MAKESPAN_ZOO_ARMED="$work/armed"
mkdir -p "$POCL_CACHE_DIR"
failed=
for animal in $animals; do
    begun=$(date +%s)
    # Who hangs is ended.
    code=0
    MAKESPAN_ZOO=$animal timeout 600 "$test" --nocapture >"$work/log" 2>&1 || code=$?
    case $animal in
    # Who survives a fault that never happens has shown nothing.
    *fail=* | *exhaust=* | *lose=* | *fragile=* | *hang=* | *liar=* | *no-build* | *broken=*)
        grep -q '^zoo: fault' "$work/log" || { echo "$animal: its fault did not happen" >&2; code=1; } ;;
    esac
    if [ "$code" -eq 0 ]; then
        echo "survived $animal ($(($(date +%s) - begun)) s)"
    else
        failed="$failed $animal"
        sed -n '/panicked/,/stack backtrace/p' "$work/log" | sed '$d' >&2
        echo "FAILED: $animal" >&2
    fi
done
[ -z "$failed" ] || { echo "$0: FAILED:$failed" >&2; exit 1; }
echo "zoo passed"
