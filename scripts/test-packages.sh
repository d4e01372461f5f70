#!/bin/sh
# Builds all packages, installs the Debian ones and the wheel into a fresh Debian, solves there with the command and by programs
# in C, C++ and Python, removes them and looks for what is left. Also packages the crates, and builds the recipes of vcpkg and
# Conan as far as their tools are there. Takes a quarter of an hour or more, needs root and the network.
#
#   scripts/test-packages.sh [debian|crates|vcpkg|conan|sbom]...
#
# Names select parts. MAKESPAN_DEBIAN names the Debian release, bookworm by default, and MAKESPAN_DEBIAN_ROOT an archive of a
# root that mmdebstrap made. WHEEL names a built wheel.
set -eu

cd "$(dirname "$0")/.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
release=${MAKESPAN_DEBIAN:-bookworm}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $1" >&2
    exit 1
}
need() { # Debian package, command that shows it is there
    command -v "$2" >/dev/null 2>&1 && return
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1"
}

fresh_debian() { # folder: a Debian with compilers, numpy and nothing of makespan
    archive=${MAKESPAN_DEBIAN_ROOT:-$target/tools/debian-$release.tar}
    if [ ! -f "$archive" ]; then
        need mmdebstrap mmdebstrap
        mkdir -p "${archive%/*}"
        mmdebstrap --quiet --variant=apt --include=g++,make,cmake,pkg-config,python3-numpy,python3-venv "$release" "$archive"
    fi
    mkdir "$1"
    tar -xf "$archive" -C "$1"
}

test_debian() {
    need dpkg-dev dpkg-shlibdeps
    need lintian lintian
    scripts/package-debian.sh "$work/debian"
    # Who builds a release gives an address by DEBEMAIL, and closes the request for a Debian package only in Debian itself.
    lintian --fail-on error,warning \
        --suppress-tags initial-upload-closes-no-bugs,bogus-mail-host-in-debian-changelog,bogus-mail-host \
        "$work"/debian/*.deb || fail "lintian"
    wheel=$(scripts/build-wheel.sh "$work/wheel")

    root=$work/root
    fresh_debian "$root"
    mkdir "$root/try"
    cp "$work"/debian/*.deb "$wheel" examples/parallel_machines.c examples/knapsack.c examples/cpp/flow_shop.cpp \
        examples/data/assembly-40-jobs.pcmax "$root/try/"
    cp tests/packages/* "$root/try/"
    chroot "$root" /bin/sh /try/in-fresh-debian.sh || fail "the fresh Debian"
    echo "debian passed: installed, linked against and removed in $release"
}

test_crates() {
    # Each crate is compiled from its archive alone, and from those of the others. They share one folder of builds.
    CARGO_TARGET_DIR=$target cargo package --workspace --locked --quiet --allow-dirty
    echo "crates passed: $(ls "$target"/package/*.crate | wc -l) archives"
}

test_vcpkg() {
    scripts/check-vcpkg.sh
}

test_conan() {
    [ -x "$target/tools/conan/bin/conan" ] || python3 -m venv "$target/tools/conan"
    "$target/tools/conan/bin/pip" install --quiet --disable-pip-version-check 'conan>=2.12,<3'
    # Both kinds come of one compilation.
    CONAN_HOME=$work/conan "$target/tools/conan/bin/conan" profile detect
    for shared in True False; do
        CONAN_HOME=$work/conan CARGO_TARGET_DIR="$work/conan-target" \
            "$target/tools/conan/bin/conan" create packaging/conan -o "makespan/*:shared=$shared"
        rm -rf packaging/conan/test_package/build packaging/conan/test_package/CMakeUserPresets.json
    done
    echo "conan passed: shared and static"
}

test_sbom() {
    scripts/sbom.sh "$work/sbom"
    echo "sbom passed: $(ls "$work/sbom")"
}

[ $# -gt 0 ] || set -- debian crates vcpkg conan sbom
for part in "$@"; do
    case $part in
        debian | crates | vcpkg | conan | sbom) "test_$part" ;;
        *) echo "usage: $0 [debian|crates|vcpkg|conan|sbom]..." >&2; exit 2 ;;
    esac
done
