#!/bin/sh
# Builds the extension for PostgreSQL against an installed tree and tests it with Debian's server: the cases of pg_regress,
# then a load of many sessions whose statements are cancelled (integrations/postgresql/load.sh).
#
#   scripts/test-postgresql.sh [--quick] PREFIX        PREFIX is an installed tree (see install.sh); --quick leaves out the load
#
# The server is a copy of the system's, with the extension, in a scratch folder. Its user is not root. The cases run as a plain
# role in a database where an administrator has created the extension.
set -eu

quick=false
[ "${1-}" != --quick ] || { quick=true; shift; }
[ $# -eq 1 ] && [ -f "$1/include/makespan.h" ] || { echo "usage: $0 [--quick] PREFIX (see install.sh)" >&2; exit 2; }
prefix=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."

packages=
ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || packages="postgresql"
ls /usr/lib/postgresql/*/lib/pgxs >/dev/null 2>&1 || packages="$packages postgresql-server-dev-all"
if [ -n "$packages" ]; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages
fi

work=$(mktemp -d)
chmod 755 "$work"
as_user=
if [ "$(id -u)" -eq 0 ]; then
    as_user="runuser -u postgres --"
fi
stop_server() {
    [ ! -f "$work/data/postmaster.pid" ] || $as_user "$tree$binaries/pg_ctl" -D "$work/data" -m immediate stop >/dev/null || :
}
trap 'stop_server; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
fail() {
    echo "FAILED: $1" >&2
    exit 1
}

# The server finds its files from the place of its program, so a tree of links with a copy of the programs is another server.
tree=$work/tree
binaries=$(pg_config --bindir)
for folder in "$binaries" "$(pg_config --sharedir)" "$(pg_config --pkglibdir)"; do
    mkdir -p "$tree$folder"
    cp -rs "$folder/." "$tree$folder/"
done
for program in postgres initdb pg_ctl; do
    cp --remove-destination "$binaries/$program" "$tree$binaries/$program"
done
# The server's user can't read every folder.
mkdir "$work/lib"
cp -a "$prefix"/lib/libmakespan.so* "$work/lib/"

cp -r integrations/postgresql "$work/build"
make --silent -C "$work/build" with_llvm=no COPT=-Werror PKG_CONFIG_PATH="$prefix/lib/pkgconfig" all
make --silent -C "$work/build" with_llvm=no PKG_CONFIG_PATH="$prefix/lib/pkgconfig" DESTDIR="$tree" install >/dev/null
cases=$(make --silent -C "$work/build" PKG_CONFIG_PATH="$prefix/lib/pkgconfig" cases)

mkdir "$work/socket" "$work/results"
[ -z "$as_user" ] || chown -R postgres "$work"
export LD_LIBRARY_PATH="$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
$as_user "$tree$binaries/initdb" -D "$work/data" -U administrator --auth=trust --locale=C.UTF-8 --encoding=UTF8 --no-sync >"$work/initdb.log" ||
    { cat "$work/initdb.log" >&2; fail "initdb"; }
cat >>"$work/data/postgresql.conf" <<END
listen_addresses = ''
unix_socket_directories = '$work/socket'
max_connections = 150
fsync = off
max_parallel_workers_per_gather = 0
END
start_server() {
    $as_user "$tree$binaries/pg_ctl" -D "$work/data" -l "$work/server.log" --wait start >/dev/null ||
        { cat "$work/server.log" >&2; fail "the server's start"; }
}
restart_server() {
    $as_user "$tree$binaries/pg_ctl" -D "$work/data" -m fast --wait stop >/dev/null || fail "the server's end"
    start_server
}
start_server

export PGHOST="$work/socket" PGUSER=administrator
psql -X -q -v ON_ERROR_STOP=1 -d postgres -c 'CREATE ROLE tester LOGIN' -c 'GRANT administrator TO tester' \
    -c 'CREATE DATABASE makespan OWNER tester'
psql -X -q -v ON_ERROR_STOP=1 -d makespan -c 'CREATE EXTENSION makespan' -c 'GRANT USAGE ON SCHEMA makespan TO tester'
$as_user "$(dirname "$(pg_config --pgxs)")/../test/regress/pg_regress" --bindir="$tree$binaries" --inputdir="$work/build" \
    --outputdir="$work/results" --host="$work/socket" --user=tester --use-existing --dbname=makespan $cases >"$work/regress.log" ||
    { cat "$work/regress.log" "$work/results/regression.diffs" >&2; fail "pg_regress"; }
echo "PostgreSQL: $(echo $cases | wc -w) files of cases passed"

# The page of the book: its SQL and its program print what it shows.
page=docs/src/postgresql.md
block() { # mark: the lines of the blocks with this mark
    awk -v mark="\`\`\`$1" '/^```$/ { on = 0 } on { print } $0 == mark { on = 1 }' $page
}
export PGDATABASE=page
psql -X -q -d postgres -c 'CREATE DATABASE page'
block sql | psql -X -q -v ON_ERROR_STOP=1 >"$work/page"
cc -std=c99 -Wall -Wextra -Wpedantic -Werror integrations/postgresql/examples/print_plan.c -o "$work/print_plan" \
    -I "$(pg_config --includedir)" -lpq
"$work/print_plan" >>"$work/page"
tidy() {
    sed 's/ *$//; /^$/d' | sort
}
tidy <"$work/page" >"$work/printed"
block text | tidy | diff - "$work/printed" || fail "$page shows other output"
echo "PostgreSQL: the SQL and the program of the page passed"

# Solves that end without a solution have no rows.
cc -shared -fPIC -Wall -Wextra -Wpedantic -Werror integrations/postgresql/checks/no_solution.c -o "$work/lib/no_solution.so" \
    -I "$prefix/include" -ldl
(export LD_PRELOAD="$work/lib/no_solution.so" && restart_server)
for call in "knapsack('SELECT 1 AS item, 1 AS profit, 1 AS weight', 5)" "cutting_stock('SELECT 1 AS item, 3 AS length', 5)" \
    "multidimensional_knapsack('SELECT 1 AS item, 1 AS profit', 'SELECT 1 AS item, 1 AS dimension, 1 AS weight',
        'SELECT 1 AS dimension, 5 AS capacity')" \
    "flow_shop('SELECT 1 AS job, 1 AS machine, 1 AS duration')" "parallel_machines('SELECT 1 AS job, 1 AS duration', 2)" \
    "matrix_chain('SELECT 1 AS matrix, 1 AS \"rows\", 1 AS \"columns\"')" "search_tree('SELECT 1 AS key, 1 AS weight')" \
    "triangulation('SELECT v AS vertex, 1 AS weight FROM generate_series(1, 3) v')" \
    "matrix_chain_real('SELECT 1 AS matrix, 1 AS \"rows\", 1 AS \"columns\"')" "nussinov('GGGAAAUCC')" "zuker('GGGAAAUCC')" \
    "interval_dp('SELECT 1 AS leaf, 1 AS value', semiring => 'plus-times')" \
    "knapsack_profile('SELECT 1 AS item, 1 AS profit, 1 AS weight', 5)" "lattice_packing('SELECT 1 AS item, 1 AS size', 5)" \
    "knapsack_batch('SELECT 1 AS item, 1 AS weight', 'SELECT 1 AS instance, 1 AS item, 1 AS profit', 5)" \
    "recurrence_batch('SELECT 1 AS \"offset\"', 'SELECT 1 AS instance, 0 AS element, 1 AS value', 5)" \
    "lattice_dp('SELECT 1 AS dimension, 2 AS size', 'SELECT 1 AS move, 1 AS cost', 'SELECT 1 AS move, 1 AS dimension, 1 AS step')" \
    "recurrence('SELECT 1 AS \"offset\"', 'SELECT 0 AS element, 1 AS value', 5)"; do
    rows=$(psql -XAtq -v ON_ERROR_STOP=1 -c "SELECT count(*) FROM makespan.$call" 2>"$work/notices") || fail "without a solution: $call"
    [ "$rows" = 0 ] && grep -q 'the status is stopped' "$work/notices" || fail "without a solution: $call has $rows rows"
done
restart_server
echo "PostgreSQL: solves without a solution passed"

if ! $quick; then
    $as_user "$work/build/load.sh"
fi

! grep -E 'terminated by signal|PANIC|exited with exit code [^01]' "$work/server.log" || fail "a backend crashed"
$as_user "$tree$binaries/pg_ctl" -D "$work/data" -m fast --wait stop >/dev/null || fail "the server's end"
