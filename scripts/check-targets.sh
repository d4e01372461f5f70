#!/bin/sh
# Compiles the library, the C ABI and the command for systems that no test runs on, without linking them. rustup installs the
# standard libraries that are missing.
set -eu

cd "$(dirname "$0")/.."
for target in x86_64-pc-windows-gnu x86_64-pc-windows-msvc aarch64-unknown-linux-gnu aarch64-apple-darwin; do
    rustup target list --installed | grep -qx "$target" || rustup --quiet target add "$target"
    RUSTFLAGS="-D warnings" cargo check --quiet --workspace --target "$target" --target-dir "${CARGO_TARGET_DIR:-target}/targets"
    echo "$target compiles"
done
