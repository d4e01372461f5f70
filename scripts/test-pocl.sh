#!/bin/sh
# Runs the Rust tests on PoCL (Debian package pocl-opencl-icd).
#
#   scripts/test-pocl.sh [--quick] [LIST]
#
# Without --quick it takes half an hour on two cores, since PoCL compiles slowly. --quick gives properties a quarter of
# their inputs, and PoCL does not optimise the kernels. It leaves out the tests about self-tests, and tests that take long
# and whose kernels other tests run, such as those of scripts/test-rusticl.sh and scripts/test-intel.sh. LIST names the test
# programs as scripts/list-tests.sh does; without it they are compiled.
set -eu

cd "$(dirname "$0")/.."
quick=false
[ "${1:-}" != --quick ] || { quick=true; shift; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests=${1:-$work/tests}
[ $# -gt 0 ] || scripts/list-tests.sh >"$tests"

# Kernel binaries of earlier runs must not hide what this run builds.
export MAKESPAN_CACHE_DIR="${MAKESPAN_CACHE_DIR:-$work/cache}" POCL_CACHE_DIR="${POCL_CACHE_DIR:-$work/pocl}"
mkdir -p "$POCL_CACHE_DIR"
# Self-tests of kernels would take most of the time. Only the tests that are about self-tests, and those that solve
# through a context, run them. The others compare the kernels with the CPU themselves. Of the library's own tests, those
# that use devices say so in their names.
export MAKESPAN_TEST_PLATFORM="Portable Computing Language" MAKESPAN_TEST_SELF_TESTS=off
grep -v '/deps/makespan-' "$tests" >"$work/whole"
set -- device opencl:: self_test context::
if $quick; then
    # Most of the time is compilation. Without optimisations, that takes a third of the time. No other test must get
    # these kernels.
    export MAKESPAN_TEST_SHARE=4 POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable MAKESPAN_CACHE_DIR="$work/cache"
    set -- "$@" --skip ::self_test:: --skip small_devices::small --skip the_smallest_case \
        --skip nodes_move_between_cpu_and_device --skip devices_keep_the_nodes_of_the_cpu_if_jobs_have_terms \
        --skip devices_have_strips_of_many_jobs --skip tabu_search_on_a_device_is_that_on_the_cpu \
        --skip a_device_compares_with_a_running_plan --skip a_device_finds_the_sequences \
        --skip auto_tries_a_device_in_a_long_search --skip small_tiles_equal_the_recurrence \
        --skip whole_tiles_equal_the_recurrence --skip deep_trees_equal_the_recurrence
fi
scripts/run-tests.sh "$work/whole"
scripts/run-tests.sh "$tests" makespan- "$@"
