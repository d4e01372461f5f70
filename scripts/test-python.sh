#!/bin/sh
# Builds the wheel of the Python package, installs it into an empty virtual environment, and runs its tests. Needs python3 with
# venv, 3.10 or later. The tools come from PyPI into MAKESPAN_PYTHON_TOOLS, by default target/tools/python, and stay there.
#
#   scripts/test-python.sh [--quick]
#
# --quick builds with the development profile, which shares the library with the Rust tests, and leaves out what needs more than
# numpy, pytest and hypothesis. Otherwise the wheel is the released one, for glibc 2.28 by zig as linker; types, frames, plots and
# the notebook are tested, too. MAKESPAN_COMMAND names a built command, whose results are then compared. PYTHON names another
# interpreter, WHEEL a built wheel.
set -eu

cd "$(dirname "$0")/.."
quick=false
[ "${1:-}" != --quick ] || { quick=true; shift; }
[ $# -eq 0 ] || { echo "usage: $0 [--quick]" >&2; exit 2; }
python=${PYTHON:-python3}
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
tools=$(realpath -m "${MAKESPAN_PYTHON_TOOLS:-$target/tools/python}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: "${MAKESPAN_COMMAND=}"
[ -z "$MAKESPAN_COMMAND" ] || MAKESPAN_COMMAND=$(realpath "$MAKESPAN_COMMAND")
[ -n "$MAKESPAN_COMMAND" ] || [ ! -x "$target/debug/makespan" ] || MAKESPAN_COMMAND=$target/debug/makespan
export MAKESPAN_COMMAND MAKESPAN_CACHE_DIR="$work/cache"

venv() { # folder, packages: made once
    folder=$1
    shift
    [ ! -f "$folder/complete" ] || [ "$(cat "$folder/complete")" != "$*" ] || return 0
    rm -rf "$folder"
    "$python" -m venv "$folder"
    "$folder/bin/pip" install --quiet --disable-pip-version-check "$@"
    echo "$*" >"$folder/complete"
}
venv "$tools/build" maturin==1.16.0
if $quick; then
    venv "$tools/quick" numpy pytest hypothesis
    tests=$tools/quick
else
    venv "$tools/zig" ziglang==0.17.1
    venv "$tools/heavy" numpy pytest hypothesis mypy typing-extensions pandas pandas-stubs matplotlib nbclient nbformat ipykernel
    tests=$tools/heavy
fi

wheel=${WHEEL:-}
if [ -z "$wheel" ]; then
    maturin() { "$tools/build/bin/maturin" build --quiet --manifest-path bindings/python/Cargo.toml --out "$work/wheels" "$@"; }
    if $quick; then
        maturin --profile dev --compatibility linux
    else
        # As small as scripts/install.sh makes the library, in a folder of its own since the flags differ from other builds.
        PATH=$tools/zig/bin:$PATH RUSTFLAGS="${RUSTFLAGS-} -C llvm-args=-inline-threshold=50" CARGO_PROFILE_RELEASE_LTO=fat \
            maturin --release --compatibility manylinux_2_28 --zig --target-dir "$target/wheel" --compression-level 9
    fi
    wheel=$(ls "$work"/wheels/*.whl)
fi
size=$(wc -c <"$wheel")
echo "$(basename "$wheel"): $size bytes"
if ! $quick; then
    [ "$size" -lt 3000000 ] || { echo "the wheel has more than 3 MB" >&2; exit 1; }
    case $wheel in *manylinux_2_28*) ;; *) echo "the wheel is not for glibc 2.28" >&2; exit 1 ;; esac
fi

# Nothing but numpy is needed to import and to solve.
"$python" -m venv "$work/empty"
if $quick; then
    # numpy as it is installed already.
    "$work/empty/bin/pip" install --quiet --disable-pip-version-check --no-deps "$wheel"
    path=$("$tests/bin/python" -c 'import numpy, os; print(os.path.dirname(os.path.dirname(numpy.__file__)))')
    mkdir "$work/numpy"
    for part in numpy numpy.libs; do [ ! -e "$path/$part" ] || ln -s "$path/$part" "$work/numpy/$part"; done
    numpy=$work/numpy
else
    "$work/empty/bin/pip" install --quiet --disable-pip-version-check "$wheel"
    numpy=
fi
solved=$(cd "$work" && PYTHONPATH=$numpy "$work/empty/bin/python" -c 'import makespan
print(makespan.flow_shop([[3, 2], [1, 4], [2, 2]]).objective, makespan.matrix_chain([10, 100, 5, 50]).objective)')
[ "$solved" = "9 7500" ] || { echo "in an empty environment: $solved" >&2; exit 1; }
echo "in an empty environment: passed"

# The environment of the tests stays as it is.
"$tests/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$work/site" "$wheel"
export PYTHONPATH="$work/site" PYTHONDONTWRITEBYTECODE=1 MYPY_CACHE_DIR="$work/mypy"
if $quick; then
    "$tests/bin/python" -m pytest -q -p no:cacheprovider -m "not heavy" bindings/python/tests
else
    MAKESPAN_HYPOTHESIS=heavy "$tests/bin/python" -m pytest -q -p no:cacheprovider bindings/python/tests
fi
