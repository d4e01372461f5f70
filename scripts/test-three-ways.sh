#!/bin/sh
# Solves one instance with the command, a Rust program and a C program linked against an installed tree, each on
# the CPU and on an OpenCL device, and compares the six schedules. The debug build must be up to date.
#
#   scripts/test-three-ways.sh PREFIX FILE
set -eu

[ $# -eq 2 ] && [ -f "$1/include/makespan.h" ] || { echo "usage: $0 PREFIX FILE (see install.sh)" >&2; exit 2; }
prefix=$(cd "$1" && pwd)
file=$(realpath "$2")
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

${CC:-cc} examples/parallel_machines_handles.c -o "$work/c" -I "$prefix/include" -L "$prefix/lib" -lmakespan
built=${CARGO_TARGET_DIR:-target}/debug
for engine in cpu device; do
    "$built/makespan" parallel-machines "$file" --method ptas --epsilon 0.2 --engine $engine --json >"$work/json"
    sed 's/.*"assignment":\[\([0-9,]*\)\].*/machines: \1/; s/,/ /g' "$work/json" >"$work/command-$engine"
    "$built/examples/parallel_machines" "$file" $engine >"$work/rust"
    LD_LIBRARY_PATH="$prefix/lib" "$work/c" "$file" $engine >"$work/c-output" 2>/dev/null
    for way in rust c-output; do
        grep '^machines:' "$work/$way" >"$work/$way-$engine"
    done
done
for way in command-device rust-cpu rust-device c-output-cpu c-output-device; do
    cmp "$work/command-cpu" "$work/$way"
done
grep -q '"engine":"device"' "$work/json" || { echo "$file is too easy: no table was filled" >&2; exit 1; }
echo "six equal schedules: $(cut -c1-60 "$work/command-cpu")..."
