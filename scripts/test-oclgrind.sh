#!/bin/sh
# Runs the kernels' tests under the Oclgrind simulator, which finds races between work-items and accesses out of bounds.
#
#   scripts/test-oclgrind.sh [--quick] [LIST]
#
# --quick runs property tests with a third of the inputs. LIST names the test programs as scripts/list-tests.sh does;
# without it they are compiled.
set -eu

cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ "${1:-}" != --quick ] || { export MAKESPAN_TEST_SHARE=3; shift; }
tests=${1:-$work/tests}
[ $# -gt 0 ] || scripts/list-tests.sh >"$tests"

mkdir "$work/vendors"
dpkg -L oclgrind | grep 'rt-icd\.so$' >"$work/vendors/oclgrind.icd"
export OCL_ICD_VENDORS="$work/vendors" OCLGRIND_DATA_RACES=1 OCLGRIND_CHECK_API=1 OCLGRIND_LOG="$work/findings"
export MAKESPAN_TEST_PLATFORM=Oclgrind MAKESPAN_TEST_SELF_TESTS=off MAKESPAN_CACHE_DIR="$work/cache"
# One test at a time: the simulator mixes up kernels that run at once in one process. Some tests that would take a third
# of the time are left out: other tests run their kernels.
scripts/run-tests.sh "$tests" 'makespan-|device-' --test-threads=1 device opencl:: \
    --skip devices_search_the_smallest_instances --skip recurrence::tests::jumps
if [ -s "$work/findings" ]; then
    cat "$work/findings" >&2
    exit 1
fi
