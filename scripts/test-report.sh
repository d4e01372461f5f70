#!/bin/sh
# Opens pages of --report in a headless Chromium and uses them as people do: searches and follows jobs, by pointer and
# by keyboard, and compares all numbers with the JSON object. docs/src/report.md describes the page.
#
#   scripts/test-report.sh
#
# As root on Debian and Ubuntu it installs Chromium if it is missing; CHROMIUM names another one. The client of the
# browser's protocol comes from PyPI. MAKESPAN names the built command; without it, it is built. It takes about a minute.
set -eu

cd "$(dirname "$0")/.."
client=1.8.0
tools=${CARGO_TARGET_DIR:-target}/tools/websocket-client-$client
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || :)}
if [ -z "$chromium" ]; then
    [ "$(id -u)" = 0 ] || { echo "$0: chromium is missing" >&2; exit 1; }
    apt-get install --yes --no-install-recommends chromium >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
    chromium=chromium
fi
if [ ! -x "$tools/bin/python" ]; then
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check "websocket-client==$client"
fi
makespan=${MAKESPAN:-}
if [ -z "$makespan" ]; then
    cargo build --quiet --package makespan-cli
    makespan=${CARGO_TARGET_DIR:-target}/debug/makespan
fi
"$tools/bin/python" scripts/test-report.py "$makespan" "$chromium" "$work"
echo "report passed"
