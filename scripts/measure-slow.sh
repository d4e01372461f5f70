#!/bin/sh
# Measures what a slow graphics processor costs the long searches of the flow shop with the engine auto: the work of 8
# seconds, as a share of the work on the CPU alone. The device is PoCL's in the disguise of the zoo (docs/src/zoo.md).
#
#   scripts/measure-slow.sh [ANIMAL ...]
#
# An ANIMAL is a description such as gpu,slow=10. Each search runs three times: with auto to build the kernels, on the
# CPU, and with auto. The log says how long the device worked. MAKESPAN_SECONDS is the time of each, MAKESPAN_MEASURES
# chooses searches. MAKESPAN_COMMAND names the command; without it, it is built. POCL_CACHE_DIR names PoCL's cache of
# kernels. The machine must be idle.
set -eu

cd "$(dirname "$0")/.."
seconds=${MAKESPAN_SECONDS:-8}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

scripts/build-zoo.sh "$work"

command=${MAKESPAN_COMMAND:-}
if [ -z "$command" ]; then
    cargo build --release -p makespan-cli
    command=target/release/makespan
fi
export POCL_CACHE_DIR="${POCL_CACHE_DIR:-$work/pocl}" MAKESPAN_CACHE_DIR="$work/cache"
export OCL_ICD_VENDORS="$work/vendors" MAKESPAN_ZOO_ARMED="$work/armed" MAKESPAN_TUNING="$work/tuning"
mkdir -p "$POCL_CACHE_DIR"

# search NAME: its arguments. The measure of a beam is its objective, since children of a pass count at its end; so is
# that of the flow time, whose trajectories are shorter on a device.
arguments() {
    case $1 in
    nodes) echo "ta021 --method branch-and-bound --upper-bound 2297" ;;
    evaluations) echo "ta081 --method tabu --trajectories 8" ;;
    flow-time) echo "ta081 --method iterated-greedy --objective total-flow-time" ;;
    objective) echo "ta101 --method beam" ;;
    esac
}

# solve ANIMAL ENGINE MEASURE FILE
solve() {
    # The arguments are words.
    # shellcheck disable=SC2046
    MAKESPAN_ZOO=$1 "$command" flow-shop $(arguments "$3") --engine "$2" --time-limit "$seconds" --json -v >"$4" 2>"$4.log"
}

[ $# -gt 0 ] || set -- gpu,slow=10 gpu,slow=100 gpu,slow=1000
for measure in ${MAKESPAN_MEASURES:-nodes evaluations flow-time objective}; do
    for animal in "$@"; do
        solve "$animal" auto "$measure" "$work/auto"
        solve "$animal" cpu "$measure" "$work/cpu"
        begun=$(date +%s.%N)
        solve "$animal" auto "$measure" "$work/auto"
        ended=$(date +%s.%N)
        python3 - "$measure" "$animal" "$work/cpu" "$work/auto" "$begun" "$ended" <<'END'
import json, sys

measure, animal, cpu, auto, begun, ended = sys.argv[1:]
alone, found = (json.load(open(path)) for path in (cpu, auto))


def work(result):
    if measure in ("objective", "flow-time"):
        return 1 / result["objective"]
    return result["statistics"][measure]


print(
    f"{found['method']:18} {animal:16} {work(found) / work(alone):.3f} of the {measure} alone,"
    f" objective {found['objective']} ({alone['objective']}), device {found['device']},"
    f" process {float(ended) - float(begun):.1f} s, {found['statistics']}",
    flush=True,
)
END
        grep 'on the CPU, .* on the device$' "$work/auto.log" | grep -v engine || :
    done
done
