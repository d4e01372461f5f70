#!/bin/sh
# Runs the Rust tests on Intel's OpenCL runtime for CPUs, which PyPI carries (about 225 MB): a second compiler
# and a second set of limits. Needs python3 with venv; works on AMD processors too.
#
#   scripts/test-intel.sh [--quick] [LIST]
#
# --quick runs the tests of the OpenCL layer, one of which runs every kernel family and compares with the CPU. It leaves out
# the same test without local memory, which takes three minutes. The self-tests of the flow shop's pool run with every width
# of vectors that the runtime's compiler knows; scripts/test-rusticl.sh runs the other self-tests. LIST names the test
# programs as scripts/list-tests.sh does; without it they are compiled. MAKESPAN_INTEL_VENV names a folder in which the
# runtime is kept for the next time.
set -eu

cd "$(dirname "$0")/.."
quick=false
[ "${1:-}" != --quick ] || { quick=true; shift; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests=${1:-$work/tests}
[ $# -gt 0 ] || scripts/list-tests.sh >"$tests"

venv=$(realpath -m "${MAKESPAN_INTEL_VENV:-$work/venv}")
version=2026.2.0
runtime() { find "$venv" -name libintelocl.so 2>/dev/null | head -n 1; }
if [ -z "$(runtime)" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check "intel-opencl-rt==$version" "intel-cmplr-lib-rt==$version"
fi
library=$(runtime)
[ -n "$library" ] || { echo "the runtime's library is not in its package" >&2; exit 1; }

# The package's own .icd file names another folder.
mkdir "$work/vendors"
echo "$library" >"$work/vendors/intel.icd"
export OCL_ICD_VENDORS="$work/vendors" MAKESPAN_CACHE_DIR="$work/cache" MAKESPAN_TEST_PLATFORM=Intel
export LD_LIBRARY_PATH="$(dirname "$library"):$venv/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
# named WORD [OPTION ...]: runs the tests with this in their names, of which there must be some. The runtime's compiler has aborted with a double free
# while two threads used it, so one thread runs them.
named() {
    scripts/run-tests.sh "$tests" makespan- --list "$1" | grep ': test$' >/dev/null ||
        { echo "$0: no test has $1 in its name" >&2; exit 1; }
    test=$1; shift
    scripts/run-tests.sh "$tests" makespan- "$test" --test-threads=1 "$@"
}
if $quick; then
    # Each width is compiled by another path of the compiler.
    for width in 4 8 16; do
        echo "vectors of $width work-items"
        (export CL_CONFIG_CPU_VECTORIZER_MODE=$width MAKESPAN_CACHE_DIR="$work/cache-$width"; named pool::self_test::)
    done
    named opencl:: --skip the_smallest_cases_agree_on_devices_without_local_memory
else
    scripts/run-tests.sh "$tests"
fi
