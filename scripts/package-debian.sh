#!/bin/sh
# Builds the Debian packages into a folder: libmakespan0.1 with the shared library, libmakespan-dev with what programs need to
# link it, and makespan with the command, its manual pages and completions. Needs dpkg-dev.
#
#   scripts/package-debian.sh OUT
#
# DEBFULLNAME and DEBEMAIL name who builds them, as for Debian's tools. The dates in the packages are SOURCE_DATE_EPOCH,
# by default that of the last commit, so that the same source gives the same packages.
set -eu

[ $# -eq 1 ] || { echo "usage: $0 OUT" >&2; exit 2; }
mkdir -p "$1"
out=$(realpath "$1")
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
architecture=$(dpkg-architecture -qDEB_HOST_ARCH)
upstream=$(sed -n 's/^#define MKS_VERSION_STRING "\(.*\)"$/\1/p' include/makespan.h)
version=$upstream-1
maintainer="${DEBFULLNAME:-The makespan developers} <${DEBEMAIL:-makespan@localhost.localdomain}>"
[ -n "${SOURCE_DATE_EPOCH:-}" ] || SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date +%s)
export SOURCE_DATE_EPOCH

stage=$work/stage
scripts/install.sh --prefix /usr --libdir "/usr/lib/$multiarch" --destdir "$stage"
lib=usr/lib/$multiarch
soname=$(readelf -d "$stage/$lib/libmakespan.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
runtime=libmakespan${soname#libmakespan.so.}

# By Debian's conventions: no library may be executed, one folder for packaged completions of zsh, paths that pkg-config knows
# as the system's, static libraries without symbols for debuggers, manual pages compressed.
chmod 644 "$stage/$lib/libmakespan.so.$upstream"
mkdir "$stage/usr/share/zsh/vendor-completions"
mv "$stage/usr/share/zsh/site-functions/_makespan" "$stage/usr/share/zsh/vendor-completions/"
rmdir "$stage/usr/share/zsh/site-functions"
sed -i 's|^prefix=.*|prefix=/usr|' "$stage/$lib/pkgconfig"/*.pc
strip --strip-debug --enable-deterministic-archives "$stage/$lib/libmakespan.a"
gzip -9n "$stage/usr/share/man/man1"/*.1
mv "$stage/usr/share/doc/makespan" "$work/doc"

move() { # package, paths below the staged tree
    package=$1
    shift
    (cd "$stage" && tar -cf - "$@" && rm -r "$@") | tar -xf - -C "$work/$package"
}
control() { # package, section, paragraph's further lines
    {
        echo "Package: $1"
        echo "Source: makespan"
        echo "Version: $version"
        echo "Architecture: $architecture"
        echo "Maintainer: $maintainer"
        echo "Installed-Size: $(du -k -s --apparent-size "$work/$1/usr" | cut -f 1)"
        echo "Section: $2"
        echo "Priority: optional"
        cat
    } >"$work/$1/DEBIAN/control"
}
needed() { # files of a package: the packages with the libraries that they need
    mkdir -p "$work/shlibs/debian"
    printf 'Source: makespan\n\nPackage: makespan\nArchitecture: any\n' >"$work/shlibs/debian/control"
    (cd "$work/shlibs" && dpkg-shlibdeps -O "$@") | sed -n 's/^shlibs:Depends=//p'
}
documents() { # package
    doc=$work/$1/usr/share/doc/$1
    mkdir -p "$doc"
    gzip -9nc CHANGELOG.md >"$doc/changelog.gz"
    {
        printf 'makespan (%s) unstable; urgency=medium\n\n  * Packages made by scripts/package-debian.sh.\n\n' "$version"
        printf ' -- %s  %s\n' "$maintainer" "$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")"
    } | gzip -9nc >"$doc/changelog.Debian.gz"
    gzip -9nc "$work/doc/THIRD-PARTY-LICENSES.md" >"$doc/THIRD-PARTY-LICENSES.md.gz"
    cp packaging/debian/copyright "$doc/"
}
build() { # package
    chmod -R u=rwX,go=rX "$work/$1"
    (cd "$work/$1" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    find "$work/$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zxz --build "$work/$1" "$out/${1}_${version}_$architecture.deb" >&2
    echo "$out/${1}_${version}_$architecture.deb"
}

for package in "$runtime" libmakespan-dev makespan; do
    mkdir -p "$work/$package/DEBIAN"
    documents "$package"
done
cp README.md "$work/makespan/usr/share/doc/makespan/"
move "$runtime" "$lib/$soname" "$lib/libmakespan.so.$upstream"
move libmakespan-dev usr/include "$lib"
move makespan usr/bin usr/share/man usr/share/bash-completion usr/share/zsh usr/share/fish
left=$(find "$stage" ! -type d)
[ -z "$left" ] || { echo "$0: no package has these files:" >&2; echo "$left" >&2; exit 1; }

# The loader's cache must know the library.
echo "activate-noawait ldconfig" >"$work/$runtime/DEBIAN/triggers"
# What programs that link the library depend on.
echo "libmakespan ${runtime#libmakespan} $runtime (>= $upstream)" >"$work/$runtime/DEBIAN/shlibs"
control "$runtime" libs <<TEXT
Multi-Arch: same
Depends: $(needed "$work/$runtime/$lib/libmakespan.so.$upstream")
Suggests: ocl-icd-libopencl1 | libopencl1
Description: production scheduling with proved bounds - shared library
 Solves production scheduling problems and the dynamic programs behind them:
 flow shops, parallel machines, cutting stock, knapsacks, interval programs.
 It runs on all cores, and on a GPU through OpenCL where one is present.
 .
 This package has the shared library.
TEXT
control libmakespan-dev libdevel <<TEXT
Multi-Arch: same
Depends: $runtime (= $version), libc6-dev
Description: production scheduling with proved bounds - development files
 Solves production scheduling problems and the dynamic programs behind them:
 flow shops, parallel machines, cutting stock, knapsacks, interval programs.
 .
 This package has the headers for C and C++, the static library, and the files
 for pkg-config and CMake.
TEXT
control makespan math <<TEXT
Depends: $(needed "$work/makespan/usr/bin/makespan")
Suggests: ocl-icd-libopencl1 | libopencl1
Description: production scheduling with proved bounds - command
 Solves production scheduling problems and the dynamic programs behind them:
 flow shops, parallel machines, cutting stock, knapsacks, interval programs.
 .
 This package has the command with its manual pages and completions.
TEXT
for package in "$runtime" libmakespan-dev makespan; do
    build "$package"
done
