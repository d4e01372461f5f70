#!/bin/sh
# Adds the problem of docs/src/new-problem.md to a copy of the repository, as the page says, and
# builds and tests it there. Takes some minutes.
#
#   scripts/test-new-problem.sh
set -eu

# Existing files that a new problem may touch.
most=12

cd "$(dirname "$0")/.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The copy always has the same path, so that cargo knows what it has built.
copy=$target/new-problem
rm -rf "$copy"
mkdir -p "$copy"
git ls-files --cached --others --exclude-standard | tar -c -T - | tar -x -C "$copy"
cp -R docs/new-problem/. "$copy"

python3 scripts/edits.py docs/src/new-problem.md "$copy" >"$work/edited"
touched=$(wc -l <"$work/edited")
echo "$touched existing files touched:"
sed 's/^/    /' "$work/edited"
[ "$touched" -le "$most" ] || { echo "a new problem may touch $most existing files" >&2; exit 1; }

cd "$copy"
export CARGO_TARGET_DIR="$target/new-problem-target"
makespan=$CARGO_TARGET_DIR/debug/makespan
step() { printf '\n=== %s\n' "$1"; }
cargo fmt --all --check

step "header"
MAKESPAN_BLESS=1 cargo test --workspace --quiet --test header
cargo test --workspace --quiet --test header

step "tests of the library"
cargo test --workspace --quiet --lib single_machine
cargo test --workspace --quiet --lib fuzzing
cargo test --workspace --quiet --test single_machine --test limits

step "command"
cargo build --workspace --quiet --lib --bins --example single_machine
"$CARGO_TARGET_DIR/debug/examples/single_machine"
"$makespan" single-machine examples/data/repairs-5-jobs.single-machine
cargo test --workspace --quiet --test command single_machine
scripts/test-memory.sh

step "C programs"
prefix=$work/prefix
mkdir -p "$prefix/include" "$prefix/lib"
cp include/makespan.h include/makespan_units.h "$prefix/include"
library=$CARGO_TARGET_DIR/debug/libmakespan_cabi.so
for name in libmakespan.so "$(objdump -p "$library" | sed -n 's/^ *SONAME *//p')"; do
    cp "$library" "$prefix/lib/$name"
done
c() { # arguments of the compiler
    ${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror -I "$prefix/include" "$@"
}
for program in single_machine wrong_single_machine; do
    c "tests/c/$program.c" -o "$work/$program" -L "$prefix/lib" -lmakespan
    LD_LIBRARY_PATH="$prefix/lib" "$work/$program"
done

step "book"
# The edits have been performed: their places have changed.
sed -i '/^```/,/^```/d' docs/src/new-problem.md
scripts/test-docs.sh "$makespan" "$prefix"

step "$touched existing files touched, all tests passed"
