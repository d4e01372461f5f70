#!/bin/sh
# Checks the book and all other pages: links, anchors, the summary, the charts; runs the commands and the C programs that
# they show.
# Rust in pages is run with the doctests.
#
#   scripts/test-docs.sh COMMAND PREFIX        the built command; an installed tree (see install.sh)
set -eu

[ $# -eq 2 ] && [ -x "$1" ] && [ -f "$2/include/makespan.h" ] || { echo "usage: $0 COMMAND PREFIX" >&2; exit 2; }
python3 "$(dirname "$0")/plots.py" --check
exec python3 "$(dirname "$0")/check-docs.py" "$1" "$2"
