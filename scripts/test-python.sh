#!/bin/sh
# Builds the wheel of the Python package, installs it into an empty virtual environment, and runs its tests. Needs python3 with
# venv, 3.10 or later. The tools come from PyPI into MAKESPAN_PYTHON_TOOLS, by default target/tools/python, and stay there.
#
#   scripts/test-python.sh [--quick]
#
# The wheel is the released one, for glibc 2.28 by zig as linker. Types, frames, plots and the notebook are tested, too. --quick
# builds no wheel, but the package's library with the development profile, and leaves out what needs more than numpy, pytest and
# hypothesis. MAKESPAN_FEATURES names the features of other calls of cargo, so that the library is not compiled again.
# MAKESPAN_COMMAND names a built command, whose results are then compared; without one and without target/debug/makespan, pytest
# skips these tests and says so. PYTHON names another interpreter, WHEEL a built wheel, LIBRARY a built library for --quick.
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
[ -n "$MAKESPAN_COMMAND" ] || [ ! -x "$target/debug/makespan" ] || MAKESPAN_COMMAND=$target/debug/makespan
[ -z "$MAKESPAN_COMMAND" ] || MAKESPAN_COMMAND=$(realpath "$MAKESPAN_COMMAND")
export MAKESPAN_COMMAND MAKESPAN_CACHE_DIR="$work/cache" PYTHONDONTWRITEBYTECODE=1

venv() { # folder, packages: made once
    folder=$1
    shift
    [ ! -f "$folder/complete" ] || [ "$(cat "$folder/complete")" != "$*" ] || return 0
    rm -rf "$folder"
    "$python" -m venv "$folder"
    "$folder/bin/pip" install --quiet --disable-pip-version-check "$@"
    echo "$*" >"$folder/complete"
}
solves() { # interpreter: imports and solves with nothing but numpy
    solved=$(cd "$work" && "$1" -c 'import makespan
print(makespan.flow_shop([[3, 2], [1, 4], [2, 2]]).objective, makespan.matrix_chain([10, 100, 5, 50]).objective)')
    [ "$solved" = "9 7500" ] || { echo "with nothing but numpy: $solved" >&2; exit 1; }
}

if $quick; then
    venv "$tools/quick" numpy pytest hypothesis
    library=${LIBRARY:-$target/debug/lib_makespan.so}
    # An example is built, too, so that the features of development dependencies count as in the tests.
    [ -n "${LIBRARY:-}" ] || cargo build --quiet --workspace --lib --example parallel_machines \
        --features "makespan-python/python${MAKESPAN_FEATURES:+,$MAKESPAN_FEATURES}"
    mkdir "$work/site"
    cp -r bindings/python/python/makespan "$work/site"
    cp "$library" "$work/site/makespan/_makespan.abi3.so"
    export PYTHONPATH="$work/site"
    solves "$tools/quick/bin/python"
    "$tools/quick/bin/python" -m pytest -q -p no:cacheprovider -m "not heavy" bindings/python/tests
    exit
fi

venv "$tools/heavy" numpy pytest hypothesis mypy typing-extensions pandas pandas-stubs matplotlib nbclient nbformat ipykernel
wheel=$(scripts/build-wheel.sh "$work/wheels")
size=$(wc -c <"$wheel")
[ "$size" -lt 3000000 ] || { echo "the wheel has $size bytes" >&2; exit 1; }

# Its only need comes with it.
"$python" -m venv "$work/empty"
"$work/empty/bin/pip" install --quiet --disable-pip-version-check "$wheel"
solves "$work/empty/bin/python"
others=$("$work/empty/bin/pip" list --disable-pip-version-check --format freeze | grep -vE '^(makespan|numpy|pip|setuptools)=' || :)
[ -z "$others" ] || { echo "the wheel needs more than numpy: $others" >&2; exit 1; }

# The environment of the tests stays as it is.
"$tools/heavy/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$work/site" "$wheel"
export PYTHONPATH="$work/site" MYPY_CACHE_DIR="$work/mypy" MAKESPAN_HYPOTHESIS=heavy
"$tools/heavy/bin/python" -m pytest -q -p no:cacheprovider bindings/python/tests
echo "wheel passed: $size bytes"
