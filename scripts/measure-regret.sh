#!/bin/sh
# Measures the regret of auto with devices of the zoo (docs/src/zoo.md): its time over that of the best engine and method.
# The cases are the small ones of `cargo bench --bench solves -- regret --quick`.
#
#   scripts/measure-regret.sh [ANIMAL ...]
#
# An ANIMAL is a description such as gpu,slow=10. Animals with slow=100 or slow=1000 are compared with the processor alone,
# since some of their own solves take hours. MAKESPAN_BENCH names the compiled benchmark; without it, it is built.
# POCL_CACHE_DIR names PoCL's cache of kernels. MAKESPAN_LOGS names a folder for whole outputs. The machine must be idle.
set -eu

cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scripts/build-zoo.sh "$work"

bench=${MAKESPAN_BENCH:-}
if [ -z "$bench" ]; then
    messages=$(cargo bench --no-run --bench solves --message-format=json-render-diagnostics)
    bench=$(printf '%s\n' "$messages" | sed -n 's|.*"executable":"\([^"]*/solves-[^"]*\)".*|\1|p' | tail -n 1)
fi
[ -x "$bench" ] || { echo "$0: the benchmark was not built" >&2; exit 1; }
logs=${MAKESPAN_LOGS:-$work}
export POCL_CACHE_DIR="${POCL_CACHE_DIR:-$work/pocl}" OCL_ICD_VENDORS="$work/vendors"
export MAKESPAN_ZOO_ARMED="$work/armed" MAKESPAN_TUNING="$work/tuning"
mkdir -p "$POCL_CACHE_DIR"

[ $# -gt 0 ] || set -- gpu gpu,units=4096 gpu,local=16384 gpu,group=64 gpu,group=32 gpu,kernel-group=64 \
    gpu,memory=64,allocation=64 gpu,no-local gpu,no-atomics gpu,no-doubles gpu,wave=8 gpu,wave=64 \
    gpu,slow=10 gpu,slow=100 gpu,slow=1000 gpu,no-build

# regret ANIMAL OUTPUT [OPTION]
regret() {
    MAKESPAN_ZOO=$1 MAKESPAN_CACHE_DIR="$work/cache" "$bench" regret --quick ${3:-} >"$2" 2>&1 || { cat "$2" >&2; exit 1; }
}

for animal in "$@"; do
    rm -rf "$work/cache"
    case $animal in
    *slow=100*)
        # A fast animal builds the kernels. Its speeds go.
        regret "$(printf '%s\n' "$animal" | sed 's/,slow=[0-9]*//')" "$work/fast"
        grep -rlZ "^measured_at " "$work/cache" | xargs -0 -r rm
        regret "$animal" "$logs/$animal.regret" --cpu-alone
        ;;
    *) regret "$animal" "$logs/$animal.regret" ;;
    esac
    sed -n -e "s/^lived:/$animal, &/p" -e "s/^process:/$animal, &/p" "$logs/$animal.regret"
done
