#!/bin/sh
# Writes THIRD-PARTY-LICENSES.md, the licences of the crates in the library, the command and the Python package. cargo-about
# gathers them from the sources of the crates, in minutes; it takes as long to compile and is kept in target/tools.
#
#   scripts/third-party-licenses.sh [--check]
#
# With --check it changes nothing and needs no tool: it fails if the file lacks a crate of Cargo.lock that is shipped, or names
# one that is not.
set -eu

cd "$(dirname "$0")/.."
version=0.9.3
file=THIRD-PARTY-LICENSES.md

if [ "${1:-}" = --check ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    for target in $(sed -n '/^targets/,/]/s/.*"\(.*\)".*/\1/p' packaging/licences/about.toml); do
        cargo tree --workspace --features makespan-python/python --edges normal --prefix none --locked \
            --target "$target" --format '{p}'
    done | grep -v -e '(/' -e '^$' | sed 's/^\([^ ]*\) v\([^ ]*\).*/\1 \2/' | LC_ALL=C sort -u >"$work/shipped"
    sed -n 's/^- \([a-zA-Z0-9_-]*\) \([0-9][^, ]*\).*/\1 \2/p' "$file" | LC_ALL=C sort -u | grep -v '^makespan' >"$work/named"
    diff "$work/shipped" "$work/named" || { echo "scripts/third-party-licenses.sh updates $file" >&2; exit 1; }
    exit
fi

about=$(command -v cargo-about) || about="$PWD/target/tools/cargo-about-$version/bin/cargo-about"
[ -x "$about" ] || cargo install cargo-about --features cli --quiet --locked --version "$version" --root "${about%/bin/cargo-about}"
"$about" generate --workspace --features makespan-python/python --locked --fail --config packaging/licences/about.toml \
    --output-file "$file" packaging/licences/about.hbs
