#!/bin/sh
# Compiles all tests, the programs, the libraries for other languages and the example that
# test-three-ways.sh runs. Lists the test programs: a line for each, with the folder to run it in
# and its file. All calls name the workspace, so that cargo resolves the features once.
#
#   scripts/list-tests.sh [--features FEATURES]
set -eu

cd "$(dirname "$0")/.."
messages=$(mktemp)
trap 'rm -f "$messages"' EXIT
cargo test --workspace "$@" --tests --no-run --quiet --message-format=json-render-diagnostics >"$messages"
sed -n 's|.*"manifest_path":"\([^"]*\)/Cargo.toml".*"profile":{[^}]*"test":true}.*"executable":"\([^"]*\)".*|\1 \2|p' \
    "$messages"
cargo build --workspace "$@" --lib --bins --example parallel_machines --quiet
