#!/bin/sh
# Plans in many sessions at once, and cancels a fifth of the statements at random: half by a timeout, half from another
# session. Counts lost connections, wrong plans and errors, and shows the memory of the sessions and how soon solves end.
# It fails if a session grows by more than GROWTH kilobytes after its first plans, or if more than a tenth of the cancelled
# small solves end later than LATENCY milliseconds after their timeout.
#
#   load.sh [SESSIONS [STATEMENTS]]        100 sessions with 50 statements each; the server is named by PGHOST, PGPORT, PGUSER
#
# It needs a superuser, as many connections, and the server on this machine. It makes and drops the database makespan_load.
set -eu

sessions=${1:-100} statements=${2:-50}
growth_limit=${GROWTH:-10240} latency_limit=${LATENCY:-200}
source=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
export PGDATABASE=postgres
sql() {
    psql -XAtq -v ON_ERROR_STOP=1 "$@"
}
finish() {
    PGDATABASE=postgres sql -c 'DROP DATABASE IF EXISTS makespan_load WITH (FORCE)' 2>/dev/null || :
    rm -rf "$work"
}
trap finish EXIT

sql -c 'DROP DATABASE IF EXISTS makespan_load WITH (FORCE)' -c 'CREATE DATABASE makespan_load' 2>/dev/null
sql -c 'ALTER DATABASE makespan_load SET jit = off'
export PGDATABASE=makespan_load
sql -f "$source/load.sql"

# Statements of a session, a line for each: RANDOM SEED, STATEMENTS, SHARE.
script() {
    awk -v seed="$1" -v statements="$2" -v q="'" '
        BEGIN {
            srand(seed)
            print "\\set VERBOSITY sqlstate"
            for (number = 1; number <= statements; number++) {
                shop = 1 + int(rand() * 40)
                kind = rand()
                if (kind >= 0.2) {
                    printf "SELECT %splan%s, load.wrong(%d);\n", q, q, shop
                } else if (kind < 0.1) {
                    printf "SET statement_timeout = %d;\n", 1 + int(rand() * 200)
                    printf "SELECT %sslow%s, load.slow(%d);\nRESET statement_timeout;\n", q, q, shop
                } else {
                    printf "SELECT %sawait%s, load.slow(%d);\n", q, q, shop
                }
                if (number % 10 == 0) {
                    printf "SELECT %smemory%s, %d, load.memory();\n", q, q, number
                }
            }
            printf "SELECT %send%s;\n", q, q
        }'
}

# Cancels the solves that wait for it.
cat >"$work/cancel.sql" <<'END'
SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity
WHERE datname = current_database() AND state = 'active' AND query LIKE 'SELECT ''await''%' AND random() < 0.2
\watch 0.05
END

# Threads other than a session's first must block the signals by which PostgreSQL speaks to sessions:
# HUP, INT, QUIT, USR1, USR2, PIPE, ALRM, TERM, CHLD, URG.
expected=$((1 | 1 << 1 | 1 << 2 | 1 << 9 | 1 << 11 | 1 << 12 | 1 << 13 | 1 << 14 | 1 << 16 | 1 << 22))
watch_signals() {
    while [ ! -e "$work/end" ]; do
        for process in $(sql -c "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"); do
            for thread in "/proc/$process/task"/*; do
                [ "${thread##*/}" != "$process" ] || continue
                mask=$(sed -n 's/^SigBlk:\t........//p' "$thread/status" 2>/dev/null) || continue
                [ -n "$mask" ] || continue
                [ $((0x$mask & expected)) -eq $expected ] && echo blocked || echo "open $mask"
            done
        done >>"$work/threads"
        sleep 1
    done
}

# How soon small solves end: milliseconds after their timeout of 100 ms.
for number in $(seq 0 29); do
    printf '\\timing on\nSET statement_timeout = 100;\nSELECT load.slow(%d);\n' "$number" | psql -Xq 2>/dev/null | tail -n 1
done | sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p' | sort -n | awk '
    { late[NR] = $1 - 100 }
    END {
        printf "%d small solves end %.1f ms after their timeout in the middle, %.1f ms at the 90th percentile, %.1f ms at most\n",
            NR, late[int((NR + 1) / 2)], late[int(0.9 * NR + 0.5)], late[NR]
        print late[int(0.9 * NR + 0.5)] >"/dev/stderr"
    }' 2>"$work/latency"
latency=$(cat "$work/latency")

# The same in every phase of a call of a million rows: reading, sorting, checks, the solve, the rows of the plan.
call_large() { # timeout in milliseconds, or 0: how many the call lasts
    printf '\\timing on\nSET makespan.memory_limit = "2GB";\nSET statement_timeout = %d;\nSELECT load.large();\n' "$1" |
        psql -Xq 2>/dev/null | sed -n '$s/^Time: \([0-9]*\).*/\1/p'
}
total=$(call_large 0)
for step in $(seq 20); do
    timeout=$((total * step / 20))
    echo "$timeout $(call_large $timeout)"
done | awk -v total="$total" '
    $2 > $1 { ended++; if ($2 - $1 > most) { most = $2 - $1; at = $1 } }
    END { printf "%d calls of a million rows, which last %d ms, end up to %d ms after their timeout, at %d ms\n", ended, total, most, at }'

began=$(date +%s)
psql -Xq -f "$work/cancel.sql" >/dev/null &
canceller=$!
watch_signals &
watcher=$!
running=
for session in $(seq "$sessions"); do
    script "$session" "$statements" >"$work/$session.sql"
    psql -XAtq -f "$work/$session.sql" >"$work/$session.out" 2>&1 &
    running="$running $!"
done
lost=0
for process in $running; do
    wait "$process" || lost=$((lost + 1))
done
: >"$work/end"
kill $canceller
wait $watcher || :

cat "$work"/[0-9]*.out >"$work/all"
count() {
    grep -cE "$1" "$work/all" || :
}
right=$(count '^plan\|f$') cancelled=$(count 'ERROR:  57014$')
wrong=$(count '^plan\|(t|)$') late=$(count '^(slow|await)\|') ended=$(count '^end$')
errors=$(($(count 'ERROR|FATAL|PANIC|server closed') - cancelled))
echo "$sessions sessions, $statements statements each, in $(($(date +%s) - began)) s"
echo "$right plans right, $cancelled statements cancelled, $late solves of a minute ended without"
echo "lost connections $lost, wrong plans $wrong, other errors $errors"
echo "threads seen with signals blocked $(grep -c blocked "$work/threads" || :), open $(grep -c open "$work/threads" || :)"
# Kilobytes that a session has more at its end than after its first ten statements.
growth=$(for session in $(seq "$sessions"); do
    sed -n 's/^memory|[0-9]*|//p' "$work/$session.out" | awk 'NR == 1 { first = $1 } END { print $1 - first }'
done | sort -n | tail -n 1)
echo "growth of a session after its first ten statements: $growth kB at most"
for number in $(seq 10 10 "$statements"); do
    sed -n "s/^memory|$number|//p" "$work/all" | awk -v number="$number" '
        { sum += $1; if ($1 > most) most = $1 }
        END { printf "memory after %d statements: %.1f MB on average, %.1f MB at most\n", number, sum / NR / 1024, most / 1024 }'
done

# Many cancelled solves of one kind in one session: its memory must not grow.
for kind in 0 1 2 3 4 5; do
    awk -v kind=$kind 'BEGIN {
        srand(kind)
        for (number = 1; number <= 250; number++) {
            printf "SET statement_timeout = %d;\nSELECT load.slow(%d);\nRESET statement_timeout;\n", 1 + int(rand() * 120), kind
            if (number % 50 == 0) {
                print "SELECT load.memory();"
            }
        }
    }' >"$work/kind.sql"
    psql -XAtq -f "$work/kind.sql" >"$work/kind.out" 2>/dev/null || lost=$((lost + 1))
    echo "kilobytes after 50, 100, ... 250 cancelled solves of kind $kind:" $(cat "$work/kind.out")
    awk 'NR == 1 { first = $1 } END { print $1 - first }' "$work/kind.out" >>"$work/growths"
done
growth=$( (echo "$growth"; cat "$work/growths") | sort -n | tail -n 1)

if [ "$growth" -gt "$growth_limit" ]; then
    echo "a session has grown by $growth kB, more than $growth_limit kB" >&2
    exit 1
fi
if awk -v late="$latency" -v limit="$latency_limit" 'BEGIN { exit !(late > limit) }'; then
    echo "a tenth of the small solves ends later than $latency_limit ms after the timeout" >&2
    exit 1
fi
[ $((lost + wrong + errors)) -eq 0 ] && [ "$ended" -eq "$sessions" ] && ! grep -q open "$work/threads" || {
    grep -E 'ERROR|FATAL|PANIC|server closed|^plan\|(t|)$' "$work/all" | sort | uniq -c >&2
    exit 1
}
