#!/bin/sh
# Builds the library and the command for Windows with MinGW, and runs C programs and the command
# under Wine: with the DLL and its import library, with the static library, and, if CMake is
# installed, with the CMake package.
#
#   apt-get install gcc-mingw-w64-x86-64 wine64
#   scripts/test-windows.sh
set -eu

cd "$(dirname "$0")/.."
triple=x86_64-pc-windows-gnu
cc=x86_64-w64-mingw32-gcc
wine=$(command -v wine64 || command -v wine || echo /usr/lib/wine/wine64)
for tool in "$cc" "$wine"; do
    command -v "$tool" >/dev/null || { echo "$0: there is no $tool" >&2; exit 2; }
done
rustup target list --installed | grep -qx $triple || rustup --quiet target add $triple
work=$(mktemp -d)
# Wine's server outlives its programs for some seconds.
trap 'WINEPREFIX="$work/wine" "$(dirname "$wine")/wineserver" -k 2>/dev/null || true; rm -rf "$work"' EXIT
# Wine prints many messages, and needs a folder for its registry.
export WINEDEBUG=-all WINEPREFIX="$work/wine" WINEDLLOVERRIDES="mscoree,mshtml="
"$wine" cmd /c exit >/dev/null 2>&1 || { echo "$0: Wine does not start" >&2; exit 2; }

fail() {
    echo "FAILED: $1" >&2
    exit 1
}

scripts/install.sh --prefix "$work/makespan" --target $triple
prefix=$work/makespan
dll=$(ls "$prefix"/bin/makespan-*.dll)
x86_64-w64-mingw32-objdump -p "$prefix/lib/libmakespan.dll.a" >/dev/null

# Rust's standard library draws random numbers from a DLL of Windows 7 and later that Wine 8 lacks.
cat >"$work/bcryptprimitives.c" <<'END'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T length)
{
    return SystemFunction036(buffer, (ULONG)length);
}
END
$cc -shared "$work/bcryptprimitives.c" -o "$prefix/bin/bcryptprimitives.dll" -ladvapi32

"$wine" "$prefix/bin/makespan.exe" --version | grep -q '^makespan ' || fail "the command does not start"
"$wine" "$prefix/bin/makespan.exe" flow-shop examples/data/joinery.csv --json | grep -q '"status":"optimal"' ||
    fail "the command does not solve"

# Programs find the DLL in their folder.
mkdir "$work/programs"
cp "$prefix"/bin/*.dll "$work/programs/"
build() { # program, sources and flags
    program=$1
    shift
    $cc -std=c11 -Wall -Wextra -Werror -I "$prefix/include" -o "$program" "$@"
}
runs=0
run() {
    "$wine" "$1" >"$work/output" 2>&1 || { cat "$work/output" >&2; fail "$1"; }
    runs=$((runs + 1))
}
static=$(sed -n 's/^Libs: .*libmakespan\.a //p' "$prefix/lib/pkgconfig/makespan-static.pc")
for example in examples/*.c; do
    name=$(basename "$example" .c)
    build "$work/programs/$name.exe" "$example" -DMKS_SHARED "$prefix/lib/libmakespan.dll.a"
    run "$work/programs/$name.exe"
    # shellcheck disable=SC2086
    build "$work/programs/${name}_static.exe" "$example" "$prefix/lib/libmakespan.a" $static
    run "$work/programs/${name}_static.exe"
done
x86_64-w64-mingw32-objdump -p "$work/programs/knapsack.exe" | grep -q "DLL Name: ${dll##*/}" ||
    fail "programs look for another DLL than ${dll##*/}"

# Tests that need nothing of POSIX and name no error of its files.
for test in one_call options memory_limit handles batch callbacks cutting_stock flow_shop interval_dp knapsack lattice_dp multidimensional_knapsack recurrence devices; do
    build "$work/programs/$test.exe" "tests/c/$test.c" -DMKS_SHARED "$prefix/lib/libmakespan.dll.a"
    run "$work/programs/$test.exe"
done

if command -v cmake >/dev/null; then
    cat >"$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.13)
project(example C)
find_package(makespan 0.1 REQUIRED CONFIG)
add_executable(example ${EXAMPLE})
target_link_libraries(example makespan::makespan)
END
    cmake -S "$work" -B "$work/programs" -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_C_COMPILER=$cc -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=BOTH -DEXAMPLE="$(pwd)/examples/knapsack.c" >"$work/log" &&
        cmake --build "$work/programs" >>"$work/log" || { cat "$work/log" >&2; fail "CMake"; }
    run "$work/programs/example.exe"
fi
echo "Windows: $runs programs ran under Wine; the DLL has $(wc -c <"$dll") bytes"
