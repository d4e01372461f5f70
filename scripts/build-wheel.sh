#!/bin/sh
# Builds the released wheel of the Python package into a folder, with zig as linker, and checks that it needs no glibc newer
# than 2.28, which manylinux_2_28 promises. The tools come from PyPI into MAKESPAN_PYTHON_TOOLS, by default
# target/tools/python, and stay there. PYTHON names another interpreter. WHEEL names a built wheel: it is checked and copied.
#
#   scripts/build-wheel.sh OUT
set -eu

[ $# -eq 1 ] || { echo "usage: $0 OUT" >&2; exit 2; }
mkdir -p "$1"
out=$(realpath "$1")
cd "$(dirname "$0")/.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
tools=$(realpath -m "${MAKESPAN_PYTHON_TOOLS:-$target/tools/python}")/build
packages="maturin==1.16.0 ziglang==0.17.1"

if [ -n "${WHEEL:-}" ]; then
    cp "$WHEEL" "$out/"
    wheel=$out/$(basename "$WHEEL")
else
    if [ "$(cat "$tools/complete" 2>/dev/null || :)" != "$packages" ]; then
        rm -rf "$tools"
        "${PYTHON:-python3}" -m venv "$tools"
        "$tools/bin/pip" install --quiet --disable-pip-version-check $packages
        echo "$packages" >"$tools/complete"
    fi
    # As small as scripts/install.sh makes the library, in a folder of its own since the flags differ from other builds.
    # Callers read the wheel's name from standard output. The messages of maturin must not mix with it.
    PATH=$tools/bin:$PATH RUSTFLAGS="${RUSTFLAGS-} -C llvm-args=-inline-threshold=50" CARGO_PROFILE_RELEASE_LTO=fat \
        maturin build --quiet --manifest-path bindings/python/Cargo.toml --out "$out" --target-dir "$target/wheel" \
        --release --compatibility manylinux_2_28 --zig --compression-level 9 >&2
    wheel=$(ls "$out"/*.whl)
fi
case $wheel in *manylinux_2_28*) ;; *) echo "the wheel is not for glibc 2.28: $wheel" >&2; exit 1 ;; esac

# Its name promises that; the symbols that the loader looks for must keep it.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${PYTHON:-python3}" -m zipfile -e "$wheel" "$work"
objdump -T "$work"/makespan/*.so >"$work/symbols"
newest=$(sed -n 's/.*GLIBC_\([0-9.]*\).*/\1/p' "$work/symbols" | sort -V | tail -n 1)
[ -n "$newest" ] || { echo "the wheel's library names no version of glibc" >&2; exit 1; }
[ "$(printf '%s\n2.28\n' "$newest" | sort -V | tail -n 1)" = 2.28 ] ||
    { echo "the wheel needs glibc $newest:" >&2; grep "GLIBC_$newest" "$work/symbols" >&2; exit 1; }
echo "$wheel"
