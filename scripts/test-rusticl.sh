#!/bin/sh
# Runs the Rust tests on Mesa's rusticl with llvmpipe (Debian package mesa-opencl-icd): an implementation for processors
# without double precision, whose kernels may allow groups of 32 work-items only.
#
#   scripts/test-rusticl.sh [--quick] [LIST]
#
# --quick runs the self-tests, and tests of each family of kernels that take little time, with a quarter of the inputs. It
# leaves out the smallest case of each workload, which scripts/test-intel.sh runs.
# LIST names the test programs as scripts/list-tests.sh does; without it they are compiled. MAKESPAN_RUSTICL names the
# implementation's library if it is not the system's.
set -eu

cd "$(dirname "$0")/.."
quick=false
[ "${1:-}" != --quick ] || { quick=true; shift; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests=${1:-$work/tests}
[ $# -gt 0 ] || scripts/list-tests.sh >"$tests"

library=${MAKESPAN_RUSTICL:-$(ldconfig -p | sed -n 's/.*libRusticlOpenCL\.so\.1 .*=> //p' | head -n 1)}
[ -n "$library" ] || { echo "libRusticlOpenCL.so.1 is missing: install mesa-opencl-icd" >&2; exit 1; }

# Without RUSTICL_ENABLE the implementation has no device, so that it does not disturb other tests.
mkdir "$work/vendors"
echo "$library" >"$work/vendors/rusticl.icd"
export RUSTICL_ENABLE=llvmpipe OCL_ICD_VENDORS="$work/vendors" MAKESPAN_TEST_PLATFORM=rusticl
export MAKESPAN_CACHE_DIR="$work/cache"
if $quick; then
    export MAKESPAN_TEST_SHARE=4
    scripts/run-tests.sh "$tests" makespan- ::self_test:: opencl:: small_devices interval_dp::device \
        knapsack::batch recurrence::device:: --skip whole_tiles --skip the_smallest_case \
        --skip devices_together_equal_the_cpu --skip small_devices_have_a_part_of_johnsons_orders
else
    # The other tests, which use devices through the command or the C interface, choose none by its platform.
    scripts/run-tests.sh "$tests" makespan- device opencl:: self_test context::
fi
