#!/bin/sh
# Builds the library and installs it for C and C++ programs, for pkg-config and for CMake.
#
#   scripts/install.sh --prefix DIR [--destdir DIR]
#
# DIR must be absolute. Files are installed in DESTDIR/PREFIX; the installed tree may be moved as a
# whole.
set -eu

usage() {
    echo "usage: $0 --prefix DIR [--destdir DIR]" >&2
    exit 2
}

prefix= destdir=
while [ $# -gt 0 ]; do
    [ $# -ge 2 ] || usage
    case $1 in
        --prefix) prefix=$2 ;;
        --destdir) destdir=$2 ;;
        *) usage ;;
    esac
    shift 2
done
case $prefix in /*) ;; *) usage ;; esac

cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# The compiler names the system libraries that the static library needs.
cargo rustc --release --package makespan-cabi --config 'profile.release.lto="fat"' -- --print native-static-libs 2>"$log" ||
    { cat "$log" >&2; exit 1; }
libs_private=$(sed -n 's/^note: native-static-libs: //p' "$log" | tail -n 1)
[ -n "$libs_private" ] || { echo "$0: the compiler did not name the system libraries" >&2; exit 1; }

version=$(sed -n 's/^#define MKS_VERSION_STRING "\(.*\)"$/\1/p' include/makespan.h)
case $version in
    0.*) series=${version%.*} ;;
    *) series=${version%%.*} ;;
esac
library=libmakespan.so.$version
soname=libmakespan.so.$series

to=$destdir$prefix
install -d "$to/include" "$to/lib/pkgconfig" "$to/lib/cmake/makespan" "$to/share/doc/makespan"
install -m 644 include/makespan.h bindings/cpp/makespan.hpp "$to/include/"
install -m 755 "$target/release/libmakespan_cabi.so" "$to/lib/$library"
ln -sf "$library" "$to/lib/$soname"
ln -sf "$soname" "$to/lib/libmakespan.so"
install -m 644 "$target/release/libmakespan_cabi.a" "$to/lib/libmakespan.a"

fill_in() {
    sed -e "s|@VERSION@|$version|g" -e "s|@SHARED_LIBRARY@|$library|g" -e "s|@SONAME@|$soname|g" \
        -e "s|@LIBS_PRIVATE@|$2|g" -e "s|@POINTER_BYTES@|$(($(getconf LONG_BIT) / 8))|g" "$1"
}
for file in makespan.pc makespan-static.pc; do
    fill_in "bindings/pkgconfig/$file.in" "$libs_private" >"$to/lib/pkgconfig/$file"
done
# A CMake list is separated by semicolons.
list=$(echo "$libs_private" | tr ' ' ';')
for file in makespan-config.cmake makespan-config-version.cmake; do
    fill_in "bindings/cmake/$file.in" "$list" >"$to/lib/cmake/makespan/$file"
done
for file in README.md LICENSE*; do
    [ ! -f "$file" ] || install -m 644 "$file" "$to/share/doc/makespan/"
done
