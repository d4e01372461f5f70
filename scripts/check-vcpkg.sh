#!/bin/sh
# Checks the manifest of the vcpkg port by vcpkg's JSON schema, and that its version is that of the library. The schema comes
# from the repository of vcpkg's tool; MAKESPAN_VCPKG_SCHEMA names a folder with its files instead.
set -eu

cd "$(dirname "$0")/.."
version=0.39.0
tools=${CARGO_TARGET_DIR:-target}/tools/check-jsonschema-$version
if [ ! -x "$tools/bin/check-jsonschema" ]; then
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check "check-jsonschema==$version"
fi
if [ -n "${MAKESPAN_VCPKG_SCHEMA:-}" ]; then
    folder=$(realpath "$MAKESPAN_VCPKG_SCHEMA")
    "$tools/bin/check-jsonschema" --schemafile "$folder/vcpkg.schema.json" --base-uri "file://$folder/" packaging/vcpkg/vcpkg.json
else
    "$tools/bin/check-jsonschema" --schemafile \
        https://raw.githubusercontent.com/microsoft/vcpkg-tool/main/docs/vcpkg.schema.json packaging/vcpkg/vcpkg.json
fi
library=$(sed -n 's/^#define MKS_VERSION_STRING "\(.*\)"$/\1/p' include/makespan.h)
grep -q "\"version\": \"$library\"" packaging/vcpkg/vcpkg.json || { echo "the port is not of version $library" >&2; exit 1; }
