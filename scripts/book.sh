#!/bin/sh
# Builds the book of docs/ as HTML into target/book, as deep as docs/src, so that links to the repository's files hold. The
# manual of the C header is put into a copy of its page. Installs mdbook with cargo where it is missing.
set -eu

cd "$(dirname "$0")/.."
PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
command -v mdbook >/dev/null || cargo install mdbook --version '^0.5' --locked
rm -rf target/docs
mkdir -p target
cp -r docs target/docs
scripts/c_reference.py docs/src/c-reference.md >target/docs/src/c-reference.md
mdbook build target/docs --dest-dir "$(pwd)/target/book"
echo "target/book/index.html"
