#!/bin/sh
# Builds the book of docs/ as HTML into target/book, as deep as docs/src, so that links to the repository's files hold.
# Installs mdbook with cargo where it is missing.
set -eu

cd "$(dirname "$0")/.."
PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
command -v mdbook >/dev/null || cargo install mdbook --version '^0.5' --locked
mdbook build docs
echo "target/book/index.html"
