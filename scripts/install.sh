#!/bin/sh
# Builds the library and the command, and installs them: the library for C and C++ programs, for pkg-config and for CMake;
# the command with its manual pages and completions for bash, zsh and fish.
#
#   scripts/install.sh --prefix DIR [--libdir DIR] [--destdir DIR] [--target TRIPLE | --built DIR]
#
# The prefix must be absolute. The folder of libraries lies in it, and is `lib` by default. Files are installed in
# DESTDIR/PREFIX; the installed tree may be moved as a whole. With --target the build is for another system; manual pages and
# completions are then left out. With --built nothing is compiled: DIR holds what cargo has built for this system, e.g.
# target/debug.
set -eu

usage() {
    echo "usage: $0 --prefix DIR [--libdir DIR] [--destdir DIR] [--target TRIPLE | --built DIR]" >&2
    exit 2
}

prefix= libdir=lib destdir= triple= built=
while [ $# -gt 0 ]; do
    [ $# -ge 2 ] || usage
    case $1 in
        --prefix) prefix=${2%/} ;;
        --libdir) libdir=${2%/} ;;
        --destdir) destdir=$2 ;;
        --target) triple=$2 ;;
        --built) built=$2 ;;
        *) usage ;;
    esac
    shift 2
done
case $prefix in /*) ;; *) usage ;; esac
[ -z "$triple" ] || [ -z "$built" ] || usage
[ -z "$built" ] || built=$(realpath "$built")
libdir=${libdir#"$prefix/"}
case $libdir in "" | /* | *..*) echo "$0: the folder of libraries must lie in $prefix" >&2; exit 2 ;; esac
# From the folder of libraries to the prefix.
up=$(echo "$libdir" | sed 's|[^/][^/]*|..|g')

cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log" "$log.a"' EXIT

libraries='--print native-static-libs'
if [ -z "$built" ]; then
    # One build for both, since the library is compiled once then. The compiler inlines functions without the attribute
    # `inline` only if they are tiny, which makes the library a seventh smaller. The variable RUSTFLAGS would hide the flags of
    # the configuration.
    [ -z "${RUSTFLAGS-}" ] || export RUSTFLAGS="$RUSTFLAGS $libraries -C llvm-args=-inline-threshold=50"
    cargo build --release --package makespan-cli --package makespan-cabi ${triple:+--target "$triple"} \
        --config 'profile.release.lto="fat"' \
        --config 'build.rustflags=["--print", "native-static-libs", "-C", "llvm-args=-inline-threshold=50"]' \
        2>"$log" || { cat "$log" >&2; exit 1; }
    built=${CARGO_TARGET_DIR:-target}/${triple:+$triple/}release
else
    # The crates need no more system libraries than Rust's own.
    rustc --crate-name libraries --crate-type staticlib $libraries -o "$log.a" - </dev/null 2>"$log"
fi
# The compiler names the system libraries that the static library needs. A crate contains import libraries with the prefix
# `winapi`; the system's are the same.
libs_private=$(sed -n 's/^note: native-static-libs: //p' "$log" | tail -n 1 | sed 's/-lwinapi_/-l/g')
[ -n "$libs_private" ] || { echo "$0: the compiler did not name the system libraries" >&2; exit 1; }

fact() {
    rustc --print cfg ${triple:+--target "$triple"} | sed -n "s/^$1=\"\(.*\)\"$/\1/p"
}
version=$(sed -n 's/^#define MKS_VERSION_STRING "\(.*\)"$/\1/p' include/makespan.h)
case $version in
    0.*) series=${version%.*} ;;
    *) series=${version%%.*} ;;
esac

to=$destdir$prefix
lib=$to/$libdir
install -d "$to/bin" "$to/include" "$lib/pkgconfig" "$lib/cmake/makespan" "$to/share/doc/makespan"
install -m 644 include/makespan.h include/makespan_units.h bindings/cpp/makespan.hpp bindings/cpp/makespan_units.hpp \
    "$to/include/"
install -m 644 "$built/libmakespan_cabi.a" "$lib/libmakespan.a"

# The shared library: its file with the whole version, and the names that programs and linkers look for. CMake gets the
# file and how programs find it.
links() { # built file, installed file, name that programs look for, name that linkers look for
    install -m 755 "$built/$1" "$lib/$2"
    ln -sf "$2" "$lib/$3"
    ln -sf "$3" "$lib/$4"
    library=$libdir/$2
}
case $(fact target_os) in
    windows)
        dll=makespan-$series.dll library=bin/makespan-$series.dll
        install -m 755 "$built/makespan_cabi.dll" "$to/$library"
        install -m 755 "$built/makespan.exe" "$to/bin/"
        # The import library of the build has the DLL's name in the build.
        { echo EXPORTS; cat include/makespan.symbols; } >"$log"
        "${DLLTOOL:-x86_64-w64-mingw32-dlltool}" --dllname "$dll" --input-def "$log" --output-lib "$lib/libmakespan.dll.a"
        found_by="IMPORTED_IMPLIB \"\${_makespan_prefix}/$libdir/libmakespan.dll.a\""
        ;;
    macos)
        links libmakespan_cabi.dylib "libmakespan.$version.dylib" "libmakespan.$series.dylib" libmakespan.dylib
        install -m 755 "$built/makespan" "$to/bin/"
        found_by="IMPORTED_SONAME \"@rpath/libmakespan.$series.dylib\""
        ;;
    *)
        links libmakespan_cabi.so "libmakespan.so.$version" "libmakespan.so.$series" libmakespan.so
        install -m 755 "$built/makespan" "$to/bin/"
        found_by="IMPORTED_SONAME \"libmakespan.so.$series\""
        ;;
esac
[ -n "$triple" ] || "$to/bin/makespan" generate "$to/share"

fill_in() { # file, system libraries
    sed -e "s|@VERSION@|$version|g" -e "s|@SHARED_LIBRARY@|$library|g" -e "s|@FOUND_BY@|$found_by|g" \
        -e "s|@LIBDIR@|$libdir|g" -e "s|@UP@|$up|g" -e "s|@LIBS_PRIVATE@|$2|g" \
        -e "s|@POINTER_BYTES@|$(($(fact target_pointer_width) / 8))|g" "$1"
}
for file in makespan.pc makespan-static.pc; do
    fill_in "bindings/pkgconfig/$file.in" "$libs_private" >"$lib/pkgconfig/$file"
done
# A CMake list is separated by semicolons.
list=$(echo "$libs_private" | tr ' ' ';')
for file in makespan-config.cmake makespan-config-version.cmake; do
    fill_in "bindings/cmake/$file.in" "$list" >"$lib/cmake/makespan/$file"
done
for file in README.md LICENSE* THIRD-PARTY-LICENSES.md; do
    [ ! -f "$file" ] || install -m 644 "$file" "$to/share/doc/makespan/"
done
