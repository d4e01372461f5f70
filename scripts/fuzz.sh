#!/bin/sh
# Runs the fuzz targets under the address sanitizer: scripts/fuzz.sh MINUTES [TARGET...], each
# target for MINUTES, all targets if none is named. Needs the nightly toolchain. Inputs that reach
# new code are kept in target/fuzz/corpus. If an input breaks a target, the script fails and the
# input is in target/fuzz/artifacts; docs/src/fuzzing.md says what to do then.
set -eu

cd "$(dirname "$0")/.."
minutes=${1:?minutes for each target}
shift
[ $# -gt 0 ] || set -- $(ls fuzz/corpus)

command -v cargo-fuzz >/dev/null || cargo install cargo-fuzz --quiet --locked
# One codegen unit would take the better part of an hour.
cargo +nightly fuzz build --codegen-units 16 --target-dir target/fuzz
built=$(find target/fuzz/*/release -maxdepth 1 -name "$1" -type f | head -n 1)

failed=
for target in "$@"; do
    corpus=target/fuzz/corpus/$target artifacts=target/fuzz/artifacts/$target/
    mkdir -p "$corpus" "$artifacts"
    printf '\n=== %s\n' "$target"
    # Arguments of one input are small, and so is the memory that they may ask for.
    "${built%/*}/$target" "$corpus" "fuzz/corpus/$target" -max_total_time=$((minutes * 60)) -artifact_prefix="$artifacts" \
        -max_len=1024 -timeout=20 -rss_limit_mb=4096 -malloc_limit_mb=1024 -print_final_stats=1 2>&1 |
        grep -vE '^#[0-9]+[[:space:]]+(NEW|REDUCE|RELOAD|pulse)' >"$artifacts/log" || true
    grep -E 'stat::(number_of_executed_units|average_exec)|ERROR|panicked' "$artifacts/log" || true
    if grep -q 'Test unit written' "$artifacts/log"; then
        failed="$failed $target"
    fi
done
if [ -n "$failed" ]; then
    echo "broken:$failed; see target/fuzz/artifacts" >&2
    exit 1
fi
