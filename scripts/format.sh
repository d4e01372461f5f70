#!/bin/sh
# Formats the code: Rust with rustfmt, OpenCL C, C and C++ with clang-format, which it installs from PyPI.
#
#   scripts/format.sh [--check]
#
# With --check it changes nothing. It fails if code is not formatted or a comment is longer than 100
# columns.
set -eu

cd "$(dirname "$0")/.."
version=20.1.8
tools=${CARGO_TARGET_DIR:-target}/tools/clang-format-$version
if [ ! -x "$tools/bin/clang-format" ]; then
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check "clang-format==$version"
fi

failed=false
if [ "${1:-}" = --check ]; then
    cargo fmt --all --check || failed=true
else
    cargo fmt --all
fi
# clang-format does not know .cl files; the given name determines the language.
for file in $(find bindings/cpp cl examples integrations tests -name '*.cl' -o -name '*.c' -o -name '*.h' -o -name '*.[ch]pp'); do
    case $file in *.[ch]pp) name=$file ;; *) name=$file.c ;; esac
    formatted=$("$tools/bin/clang-format" --style=file --assume-filename="$name" <"$file" && echo .)
    if [ "${1:-}" = --check ]; then
        printf '%s' "${formatted%.}" | cmp -s - "$file" || { echo "not formatted: $file" >&2; failed=true; }
    else
        printf '%s' "${formatted%.}" | cmp -s - "$file" || printf '%s' "${formatted%.}" >"$file"
    fi
done
# rustfmt leaves comments as they are; tables of Markdown and addresses can't be broken.
long=$(grep -rnE '^ *//.{99,}|^.{100,}//' --include='*.rs' src bindings benches examples fuzz tests |
    grep -vE '^[^:]*:[0-9]*: *//[/!]? *\||://' || :)
[ -z "$long" ] || { echo "comments longer than 100 columns:" >&2; echo "$long" | cut -c1-160 >&2; failed=true; }
if $failed; then
    echo "scripts/format.sh formats the code" >&2
    exit 1
fi
