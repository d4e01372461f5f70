#!/bin/sh
# Runs the Rust tests on Intel's OpenCL runtime for CPUs, which PyPI carries (about 225 MB): a second compiler
# and a second set of limits. Needs python3 with venv; works on AMD processors too.
set -eu

cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet intel-opencl-rt intel-cmplr-lib-rt
library=$(find "$work/venv" -name 'libintelocl.so' | head -n 1)
[ -n "$library" ] || { echo "the runtime's library is not in its package" >&2; exit 1; }

# The package's own .icd file names another folder.
mkdir "$work/vendors"
echo "$library" >"$work/vendors/intel.icd"
export OCL_ICD_VENDORS="$work/vendors" MAKESPAN_CACHE_DIR="$work/cache"
export LD_LIBRARY_PATH="$(dirname "$library"):$work/venv/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
cargo run --quiet -- devices
MAKESPAN_TEST_PLATFORM=Intel cargo test --workspace --quiet
