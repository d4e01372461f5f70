#!/bin/sh
# Runs every test there is, after installing what the tests need (Debian packages, as root): format, lints,
# documentation; the Rust tests without OpenCL, on PoCL and, for the kernels, under the Oclgrind simulator with
# race and bounds checking, on Intel's runtime from PyPI and on Mesa's rusticl; every solver on devices that fail; the
# command with little memory; the Python package; the C programs plain, under valgrind and under sanitizers; the pages of the
# book; the installed tree; the extension for PostgreSQL.
set -eu

cd "$(dirname "$0")/.."
work=$(mktemp -d)
background=
finish() {
    for process in $background; do kill "$process" 2>/dev/null || :; done
    rm -rf "$work"
}
trap finish EXIT

begun=$(date +%s)
step() { printf '\n=== %s (after %d s)\n' "$1" $(($(date +%s) - begun)); }
aside() { # name, command: runs it next to the steps
    name=$1
    shift
    "$@" >"$work/$name.log" 2>&1 &
    echo $! >"$work/$name.process"
    background="$background $!"
}
end_of() { # name: waits for what runs aside
    wait "$(cat "$work/$1.process")" || { cat "$work/$1.log" >&2; echo "FAILED: $1" >&2; exit 1; }
    grep -E '^(test result|.* passed|installed:)' "$work/$1.log" || :
}

step "tools"
packages=
need() { # package, file or command that shows it is there
    command -v "$2" >/dev/null 2>&1 || [ -e "$2" ] || packages="$packages $1"
}
need gcc cc
need g++ c++
need binutils nm
need cmake cmake
need pkg-config pkg-config
need valgrind valgrind
need oclgrind oclgrind
need pocl-opencl-icd /etc/OpenCL/vendors/pocl.icd
need opencl-c-headers /usr/include/CL/cl_icd.h
need mesa-opencl-icd /etc/OpenCL/vendors/rusticl.icd
need libopenmpi-dev mpicc
need openmpi-bin mpirun
need libclang-dev /usr/share/doc/libclang-dev
ls /usr/lib/postgresql/*/lib/pgxs >/dev/null 2>&1 || packages="$packages postgresql postgresql-server-dev-all"
python3 -c 'import ensurepip' 2>/dev/null || packages="$packages python3-venv"
ldconfig -p | grep -q 'libOpenCL\.so\.1' || packages="$packages ocl-icd-libopencl1"
if [ -n "$packages" ]; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages
fi

# Everything is compiled once, in few units and without optimisation across them, which takes a third less time. The C
# programs and the database get this build, too: the released one is for scripts/test-install.sh without arguments and
# scripts/test-packages.sh. Without line numbers in backtraces, it compiles faster. The message of a failed test still has
# its line.
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_CODEGEN_UNITS=4 CARGO_PROFILE_DEV_LTO=off CARGO_PROFILE_DEV_DEBUG=0

# The same in all calls, so that cargo compiles the library once.
features="--features makespan-mpi/mpi,makespan-python/python"

step "format, lints, documentation"
scripts/format.sh --check
# --all-targets leaves out benchmarks that a plain `cargo bench` does not run.
cargo clippy --workspace $features --all-targets --bench solves --bench papers -- -D warnings
RUSTDOCFLAGS="-D warnings" cargo doc --workspace $features --no-deps --quiet

step "compilation"
scripts/list-tests.sh $features >"$work/tests"
built=$(realpath -m "${CARGO_TARGET_DIR:-target}")/debug
command=$built/makespan
scripts/install.sh --prefix "$work/prefix" --built "$built"

# Kernel binaries of earlier runs must not hide what this run builds.
export MAKESPAN_CACHE_DIR="$work/cache" POCL_CACHE_DIR="$work/pocl"
mkdir -p "$POCL_CACHE_DIR"

aside pocl scripts/test-pocl.sh --quick "$work/tests"
aside oclgrind scripts/test-oclgrind.sh --quick "$work/tests"

step "Rust tests without OpenCL"
# An empty file of the loader's name ends the search for it.
mkdir "$work/hidden"
: >"$work/hidden/libOpenCL.so.1"
(
    export LD_LIBRARY_PATH="$work/hidden${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    "$command" devices | grep -q "no OpenCL device" || { echo "the loader was not hidden" >&2; exit 1; }
    scripts/run-tests.sh "$work/tests"
)

step "examples of the documentation"
cargo test --workspace $features --doc --quiet

step "tables and figures of the papers"
cargo test --workspace $features --bench papers --quiet -- --book --check
cargo test --workspace $features --bench papers --quiet -- parallel-machines table-1 --quick --engine core --out "$work/papers" >"$work/papers.log"

step "several ranks"
PROGRAM=$built/makespan-mpi scripts/test-mpi.sh

step "Python"
MAKESPAN_FEATURES=makespan-mpi/mpi scripts/test-python.sh --quick

step "dependencies"
scripts/check-dependencies.sh

# Each of these uses about one core, and so do the compilers of Intel's runtime and rusticl.
aside c scripts/test-c.sh "$work/prefix"
aside zoo env MAKESPAN_ZOO_TEST="$(sed -n 's|.* \(.*/deps/zoo-.*\)|\1|p' "$work/tests")" scripts/test-zoo.sh --quick

step "kernels on Intel's runtime"
MAKESPAN_INTEL_VENV=${MAKESPAN_INTEL_VENV:-${CARGO_TARGET_DIR:-target}/tools/intel} scripts/test-intel.sh --quick "$work/tests"

step "kernels on rusticl"
scripts/test-rusticl.sh --quick "$work/tests"

step "little memory"
scripts/test-memory.sh

step "zoo of devices"
end_of zoo

step "Rust tests on PoCL"
end_of pocl

step "kernels under Oclgrind"
end_of oclgrind

step "book"
aside tree scripts/test-install.sh --built "$built"
aside sql scripts/test-postgresql.sh --quick "$work/prefix"
scripts/test-docs.sh "$command" "$work/prefix"

step "three ways, two engines"
scripts/test-three-ways.sh "$work/prefix" examples/data/full-shifts-18-jobs.pcmax

step "C programs"
end_of c

step "installed tree"
end_of tree

step "PostgreSQL"
end_of sql

step "all tests passed"
