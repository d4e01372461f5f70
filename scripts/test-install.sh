#!/bin/sh
# Installs into an empty prefix and builds the C and C++ examples as users do: with a plain compiler line, with pkg-config
# and with CMake. Each is linked with the shared library, and one of each language with the static one, since that takes long.
# Every program is run. Also looks at the command, its manual pages and completions, and at a tree with another folder of
# libraries.
#
#   scripts/test-install.sh [--built DIR]
#
# --built installs what cargo has built in DIR, e.g. target/debug. It leaves out the size of the library, which only the
# released build keeps.
set -eu

built=
case ${1-} in
"") ;;
--built) built=$(realpath "$2") ;;
*) echo "usage: $0 [--built DIR]" >&2; exit 2 ;;
esac
cd "$(dirname "$0")/.."
source=$(pwd)
cc=${CC:-cc} cxx=${CXX:-c++}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
warnings="-std=c99 -Wall -Wextra -Wpedantic -Werror"
cxx_warnings="-std=c++17 -Wall -Wextra -Wpedantic -Werror"

fail() {
    echo "FAILED: $1" >&2
    exit 1
}

install() {
    scripts/install.sh ${built:+--built "$built"} "$@"
}

# Staged under one name and moved to another, as packagers do.
install --prefix /usr --destdir "$work/stage"
prefix=$work/moved
mv "$work/stage/usr" "$prefix"
library=$(readlink -f "$prefix/lib/libmakespan.so")

size=$(wc -c <"$library")
[ "$built" ] || [ "$size" -lt 6310000 ] || fail "the shared library has $size bytes"
soname=$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
[ "$(readlink -f "$prefix/lib/$soname")" = "$library" ] || fail "no link is named as the soname '$soname'"
nm -D --defined-only "$library" | cut -d ' ' -f 3 | LC_ALL=C sort >"$work/exported"
LC_ALL=C sort include/makespan.symbols | diff "$work/exported" - || fail "the exported symbols are not those of the header"
[ ! "$(find "$prefix" -type f -exec grep -l "$work" {} +)" ] || fail "an installed file names the build's folder"

[ "$("$prefix/bin/makespan" --version)" = "makespan ${library##*.so.}" ] || fail "the command is not of version ${library##*.so.}"
for page in makespan makespan-flow-shop makespan-cutting-stock; do
    grep -q '^\.TH' "$prefix/share/man/man1/$page.1" || fail "no manual page $page"
done
bash -c ". '$prefix/share/bash-completion/completions/makespan' && complete -p makespan" >/dev/null ||
    fail "bash does not take the completions"
for file in zsh/site-functions/_makespan fish/vendor_completions.d/makespan.fish; do
    grep -q flow-shop "$prefix/share/$file" || fail "no completions in $file"
done

program=$work/program
run() {
    "$program" >"$work/output" || fail "$1"
    [ -s "$work/output" ] || fail "$1 printed nothing"
}
is_static() {
    ! readelf -d "$1" | grep -q libmakespan || fail "$1 links the shared library"
}
with_library() {
    LD_LIBRARY_PATH="$prefix/lib" run "$1"
}

flags_of() { # library: the compiler's arguments by pkg-config
    PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --cflags --libs "$1"
}

for example in examples/*.c; do
    $cc $warnings "$example" -o "$program" -I "$prefix/include" -L "$prefix/lib" -lmakespan
    with_library "$example with a plain compiler line"
    $cc $warnings "$example" -o "$program" $(flags_of makespan)
    with_library "$example with pkg-config"
done
for example in examples/cpp/*.cpp; do
    $cxx $cxx_warnings "$example" -o "$program" -I "$prefix/include" -L "$prefix/lib" -lmakespan
    with_library "$example with a plain compiler line"
done
$cc $warnings examples/knapsack.c -o "$program" $(flags_of makespan-static)
run "C with pkg-config and the static library"
is_static "$program"
$cxx $cxx_warnings examples/cpp/knapsack.cpp -o "$program" $(flags_of makespan-static)
run "C++ with pkg-config and the static library"
is_static "$program"

mkdir "$work/cmake"
cat >"$work/cmake/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.13)
project(examples C CXX)
set(CMAKE_CXX_STANDARD 17)
find_package(makespan 0.1 REQUIRED CONFIG)
file(GLOB examples ${EXAMPLES}/*.c ${EXAMPLES}/cpp/*.cpp)
foreach(file ${examples})
  get_filename_component(name ${file} NAME)
  add_executable(${name} ${file})
  target_link_libraries(${name} makespan::makespan)
endforeach()
foreach(name knapsack.c knapsack.cpp)
  get_target_property(file ${name} SOURCES)
  add_executable(${name}_static ${file})
  target_link_libraries(${name}_static makespan::static)
endforeach()
END
cmake -S "$work/cmake" -B "$work/cmake/build" -DCMAKE_PREFIX_PATH="$prefix" -DEXAMPLES="$source/examples" >"$work/log" &&
    cmake --build "$work/cmake/build" >>"$work/log" || { cat "$work/log" >&2; fail "CMake"; }
for example in examples/*.c examples/cpp/*.cpp knapsack.c_static knapsack.cpp_static; do
    program=$work/cmake/build/${example##*/}
    run "$example with CMake"
done
is_static "$program"

# Another folder of libraries, as some distributions have it.
install --prefix /opt/makespan --libdir /opt/makespan/lib/x86_64-linux-gnu --destdir "$work/multiarch"
prefix=$work/elsewhere
mv "$work/multiarch/opt/makespan" "$prefix"
[ "$(ls "$prefix/lib")" = x86_64-linux-gnu ] || fail "--libdir leaves files in lib"
for library in makespan makespan-static; do
    flags=$(PKG_CONFIG_PATH="$prefix/lib/x86_64-linux-gnu/pkgconfig" pkg-config --cflags --libs $library)
    program=$work/program
    $cc $warnings examples/knapsack.c -o "$program" $flags
    LD_LIBRARY_PATH="$prefix/lib/x86_64-linux-gnu" run "pkg-config with --libdir and $library"
done
cmake -S "$work/cmake" -B "$work/cmake/multiarch" -DCMAKE_LIBRARY_ARCHITECTURE=x86_64-linux-gnu \
    -DCMAKE_PREFIX_PATH="$prefix" -DEXAMPLES="$source/examples" >"$work/log" &&
    cmake --build "$work/cmake/multiarch" --target knapsack.c knapsack.c_static >>"$work/log" ||
    { cat "$work/log" >&2; fail "CMake with --libdir"; }
for program in "$work/cmake/multiarch/knapsack.c" "$work/cmake/multiarch/knapsack.c_static"; do
    run "CMake with --libdir"
done
install --prefix /opt/makespan --libdir /usr/lib --destdir "$work" 2>/dev/null &&
    fail "a folder of libraries outside of the prefix is accepted"

# Versions that are too new, or too old to be compatible, are not found.
for version in 0.2 0.0 1.0; do
    sed "s/makespan 0.1/makespan $version/" "$work/cmake/CMakeLists.txt" >"$work/CMakeLists.txt"
    cmake -S "$work" -B "$work/refused" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null 2>&1 &&
        fail "find_package accepts version $version"
done
echo "installed: $(ls examples/*.c examples/cpp/*.cpp | wc -l) examples built and run; the shared library has $size bytes"
