#!/bin/sh
# Compiles the header alone in every supported language and checks the layout of its structs. Then builds the programs of tests/c against
# an installed tree and runs them plainly, under valgrind, and with the address and
# undefined-behaviour sanitizers. Programs of tests/cpp run as C++17 and C++20, and with the sanitizers; those of
# examples/cpp run as C++17.
#
#   scripts/test-c.sh PREFIX        CC and CXX name other compilers; clang++ compiles the C++ programs, too, where it is installed
set -eu

[ $# -eq 1 ] && [ -f "$1/include/makespan.h" ] || { echo "usage: $0 PREFIX (see install.sh)" >&2; exit 2; }
prefix=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
cc=${CC:-cc} cxx=${CXX:-c++}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

warnings="-Wall -Wextra -Wpedantic -Wconversion -Wundef -Werror"
printf '#include <makespan_units.h>\n' >"$work/header.c"
cp "$work/header.c" "$work/header.cpp"
for standard in c99 c11 c17 c2x; do
    $cc -std=$standard $warnings -Wstrict-prototypes -I "$prefix/include" -fsyntax-only "$work/header.c"
done
for standard in c++11 c++17 c++20; do
    $cxx -std=$standard $warnings -I "$prefix/include" -fsyntax-only "$work/header.cpp"
done
for source in tests/c/layout/*.c; do
    $cc -std=c11 $warnings -I "$prefix/include" -fsyntax-only "$source"
done
echo "the header compiles as C99, C11, C17, C2x, C++11, C++17, C++20"

build() { # flavour, compiler and linker flags
    flavour=$1
    shift
    mkdir "$work/$flavour"
    for source in tests/c/*.c; do
        program=$work/$flavour/$(basename "$source" .c)
        $cc -std=c11 -g $warnings -I "$prefix/include" "$source" -o "$program" "$@" -lpthread
    done
}

run() { # flavour, how many programs run at once, command to run them under
    flavour=$1 at_once=$2
    shift 2
    for source in tests/c/*.c; do
        echo "$work/$flavour/$(basename "$source" .c)"
    done | xargs -P "$at_once" -I {} sh -c '"$@" || { echo "FAILED: $*" >&2; exit 255; }' program "$@" {}
    echo "$flavour: $(ls tests/c/*.c | wc -l) programs passed${1:+ under ${1##*/}}"
}

build shared -L "$prefix/lib" -lmakespan
export LD_LIBRARY_PATH="$prefix/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
run shared 1

build_cpp() { # folder of sources, standard, compiler and linker flags
    sources=$1 standard=$2
    shift 2
    mkdir -p "$work/cpp"
    for source in "$sources"/*.cpp; do
        program=$work/cpp/$(basename "$source" .cpp)
        $cxx -std=$standard -g $warnings -I "$prefix/include" "$source" -o "$program" "$@" -lpthread
        "$program" >"$work/output" || { echo "FAILED: $source as $standard" >&2; exit 1; }
    done
    echo "$sources: $(ls "$sources"/*.cpp | wc -l) programs passed as $standard"
}
build_cpp tests/cpp c++17 -L "$prefix/lib" -lmakespan
build_cpp tests/cpp c++20 -L "$prefix/lib" -lmakespan
build_cpp examples/cpp c++17 -L "$prefix/lib" -lmakespan
# A second compiler sees other mistakes.
if [ "$cxx" != clang++ ] && command -v clang++ >/dev/null; then
    gnu=$cxx cxx=clang++
    build_cpp tests/cpp c++17 -L "$prefix/lib" -lmakespan
    build_cpp examples/cpp c++20 -L "$prefix/lib" -lmakespan
    cxx=$gnu
fi

# Drivers leak and confuse the checkers, so the following runs have none.
mkdir "$work/no-drivers"
export OCL_ICD_VENDORS="$work/no-drivers"
# "Possibly lost" is what rayon's queues keep for the whole process, behind tagged pointers.
run shared "$(nproc)" valgrind --quiet --error-exitcode=1 --leak-check=full --show-leak-kinds=definite \
    --errors-for-leak-kinds=definite

# Valgrind has looked for leaks above. The sanitizer's own search stops all threads, and crashes now and then.
export ASAN_OPTIONS="detect_leaks=0"
sanitize="-fsanitize=address,undefined -fno-sanitize-recover=all"
build sanitized $sanitize -L "$prefix/lib" -lmakespan
nm "$work/sanitized/one_call" | grep -q __asan_init || { echo "no sanitizer in the programs" >&2; exit 1; }
cat >"$work/overflow.c" <<'END'
#include <stdlib.h>
int main(void)
{
    volatile char *byte = malloc(1);
    byte[1] = 1;
    return 0;
}
END
$cc $sanitize "$work/overflow.c" -o "$work/overflow"
if "$work/overflow" 2>/dev/null; then
    echo "the sanitizer missed an overflow" >&2
    exit 1
fi
run sanitized 1
build_cpp tests/cpp c++17 $sanitize -L "$prefix/lib" -lmakespan
