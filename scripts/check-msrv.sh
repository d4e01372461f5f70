#!/bin/sh
# Compiles the library, the C ABI, the command and the Python package with the oldest Rust that Cargo.toml promises. rustup
# installs it.
set -eu

cd "$(dirname "$0")/.."
version=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
[ -n "$version" ] || { echo "Cargo.toml names no rust-version" >&2; exit 1; }
rustup toolchain list | grep -q "^$version" || rustup --quiet toolchain install "$version" --profile minimal --no-self-update
# Tests and benchmarks may need a newer one.
cargo "+$version" check --quiet --locked --workspace --features makespan-python/python \
    --target-dir "${CARGO_TARGET_DIR:-target}/msrv"
echo "compiles with Rust $version"
