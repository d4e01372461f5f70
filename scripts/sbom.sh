#!/bin/sh
# Writes the bills of materials into a folder: for the library for C, the command and the Python package one file each, in
# CycloneDX 1.5 as JSON, with all crates in them. cargo-cyclonedx takes minutes to compile and is kept in target/tools.
#
#   scripts/sbom.sh OUT
set -eu

[ $# -eq 1 ] || { echo "usage: $0 OUT" >&2; exit 2; }
mkdir -p "$1"
out=$(realpath "$1")
cd "$(dirname "$0")/.."
version=0.5.9
cyclonedx=$(command -v cargo-cyclonedx) || cyclonedx="$PWD/target/tools/cargo-cyclonedx-$version/bin/cargo-cyclonedx"
[ -x "$cyclonedx" ] ||
    cargo install cargo-cyclonedx --quiet --locked --version "$version" --root "${cyclonedx%/bin/cargo-cyclonedx}"

# The tool writes next to each manifest of the workspace.
name=makespan-sbom-$$
trap 'find . bindings -maxdepth 2 -name "$name.json" -delete' EXIT
# With a fixed time, and without the folder of the build, the same source gives the same bills.
[ -n "${SOURCE_DATE_EPOCH:-}" ] || SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date +%s)
export SOURCE_DATE_EPOCH
"$cyclonedx" cyclonedx --quiet --format json --spec-version 1.5 --target all --no-build-deps \
    --features makespan-python/python --override-filename "$name"
for crate in cabi cli python; do
    sed "s|file://$PWD|file:///makespan|g" "bindings/$crate/$name.json" >"$out/makespan-$crate.cdx.json"
    # A bill must name the library itself and what it is made of.
    python3 - "$out/makespan-$crate.cdx.json" <<'PYTHON'
import json
import sys

bill = json.load(open(sys.argv[1]))
assert bill["bomFormat"] == "CycloneDX" and bill["specVersion"] == "1.5", bill["bomFormat"]
names = {component["name"] for component in bill["components"]}
assert {"makespan", "opencl3", "rayon"} <= names, sorted(names)
PYTHON
done
