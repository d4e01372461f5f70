#!/bin/sh
# Tests makespan-mpi on ranks of this machine, more than it has cores: proofs with the known number of nodes, restarts
# after kills and with another number of ranks, searches, batches. With Open MPI 5, proofs continue after kills, too.
#
#   scripts/test-mpi.sh [--heavy]      --heavy: also 50 kills of a random rank and 20 of the coordinator
#   scripts/test-mpi.sh --efficiency   two ranks of one thread against one, on an idle machine with two cores. It compares
#                                      processor time for a node, and time. TREES has the trees, as INSTANCE:UPPER-BOUND; each
#                                      must take one rank LEAST_SECONDS (60), with an efficiency of ASKED (0.95)
#
# PROGRAM names a built program; otherwise it is built. MPIRUN names the launcher of its MPI, mpirun by default. Needs mpicc,
# mpirun and libclang.
set -eu

cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mode=${1:-quick}
profile=dev
[ "$mode" != --efficiency ] || profile=release
if [ -z "${PROGRAM:-}" ]; then
    cargo build --quiet --profile $profile -p makespan-mpi --features mpi
    folder=$([ $profile = dev ] && echo debug || echo release)
    PROGRAM=${CARGO_TARGET_DIR:-target}/$folder/makespan-mpi
fi
PROGRAM=$(realpath "$PROGRAM")
MPIRUN=${MPIRUN:-mpirun}
launch="$MPIRUN --bind-to none -n"
# Without devices of this machine.
export OCL_ICD_VENDORS=/nonexistent OPENCL_DYLIB_PATH=/nonexistent
# More ranks than cores, for Open MPI 4 and 5. MPICH needs no permission.
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
# Ranks must not wait busily: they share the cores.
export OMPI_MCA_mpi_yield_when_idle=1
[ "$(id -u)" -ne 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

fail() {
    echo "FAILED: $1" >&2
    exit 1
}
ranks() { # number, arguments
    number=$1
    shift
    $launch "$number" "$PROGRAM" "$@"
}
in_background() { # the same; $launcher is then the process of the launcher
    number=$1
    shift
    (exec $launch "$number" "$PROGRAM" "$@" >"$work/out" 2>"$work/err") &
    launcher=$!
}
process_of() { # rank, or a pattern; prints the process, if there is one. The launcher of MPICH has ranks as grandchildren
    helpers=$(pgrep -d , -P "$launcher" || :)
    for process in $(pgrep -P "$launcher${helpers:+,$helpers}" || :); do
        if { tr '\0' '\n' <"/proc/$process/environ"; } 2>/dev/null | grep -qxE "(OMPI_COMM_WORLD|PMI)_RANK=$1"; then
            echo "$process"
        fi
    done
}
has() { # file, text
    grep -qF "$2" "$1" || { cat "$1" >&2; fail "no $2"; }
}
# ta020 below its optimum, whose tree has a known number of nodes.
proof="flow-shop ta020 --method branch-and-bound --upper-bound 1591 --threads 1 --json"
nodes='"nodes":268813'
# A tree that lasts some seconds: that of ta014 is larger with this branching.
longer="flow-shop ta014 --method branch-and-bound --branching forward --upper-bound 1377 --threads 1 --json"

check_proof() { # file
    has "$1" "$nodes"
    has "$1" '"status":"infeasible"'
    has "$1" '"bound":1591'
}

check_longer() { # file
    has "$1" '"nodes":2571005'
    has "$1" '"status":"infeasible"'
    has "$1" '"bound":1377'
}

attempts() { # arguments; runs three ranks and restarts them after losses; $wrapper is then the process that does so
    "$PROGRAM" --attempts 99 --ranks 3 --launcher "$launch {ranks}" "$@" --checkpoint "$work/kept" \
        --checkpoint-interval 0.1 >"$work/out" 2>"$work/err" &
    wrapper=$!
}

survive() { # kills, a pattern of ranks; kills one of these twice in each proof, also while MPI starts
    killed=0
    turn=0
    while [ $killed -lt "$1" ]; do
        rm -f "$work/kept"
        attempts $longer
        last=$((killed + 2))
        [ $last -lt "$1" ] || last=$1
        hit=
        while [ $killed -lt $last ] && kill -0 $wrapper 2>/dev/null; do
            turn=$((turn + 1))
            sleep "0.$((1 + turn * 2 % 9))"
            launcher=$(pgrep -P $wrapper || :)
            [ -n "$launcher" ] && [ "$launcher" != "$hit" ] || continue
            process=$(process_of "$2" | shuf -n 1)
            if [ -n "$process" ] && kill -9 "$process" 2>/dev/null; then
                killed=$((killed + 1))
                hit=$launcher
            fi
        done
        wait $wrapper || { cat "$work/err" >&2; fail "the wrapper"; }
        check_longer "$work/out"
    done
    echo "$1 kills, ranks $2: every proof has all nodes"
}

wait_for_start() { # all ranks have started when rank 0 writes the checkpoint
    for turn in $(seq 600); do
        [ ! -e "$work/kept" ] || return 0
        sleep 0.1
    done
    cat "$work/err" >&2
    fail "the ranks do not start"
}

lose() { # ranks, victims; kills them, and the others complete the proof without a restart
    rm -f "$work/kept"
    in_background "$1" $longer --checkpoint "$work/kept"
    shift
    wait_for_start
    for victim; do
        sleep 0.2
        kill -9 "$(process_of "$victim")" || fail "rank $victim had ended"
    done
    wait $launcher || { cat "$work/err" >&2; fail "the others did not go on"; }
    check_longer "$work/out"
    for victim; do has "$work/err" "rank $victim is lost"; done
    echo "without rank $*: the proof has all nodes"
}

restart() { # victim; kills it, and the wrapper starts the ranks again
    rm -f "$work/kept"
    attempts $longer
    wait_for_start
    sleep 0.3
    launcher=$(pgrep -P $wrapper)
    kill -9 "$(process_of "$1")" || fail "rank $1 had ended"
    wait $wrapper || { cat "$work/err" >&2; fail "the wrapper"; }
    has "$work/err" "a rank was lost; attempt 2 has 2 ranks"
    check_longer "$work/out"
    echo "attempts after the loss of rank $1: the proof has all nodes"
}

cpu() { # seconds of the processor, from what `times` wrote: a subshell would count its own
    awk 'NR == 2 { split($1, u, "[ms]"); split($2, s, "[ms]"); print 60 * (u[1] + s[1]) + u[2] + s[2] }' "$work/times"
}

measure() { # ranks, instance, upper bound; writes seconds and nodes to $work/measured
    times >"$work/times"
    used=$(cpu)
    begun=$(date +%s.%N)
    in_background "$1" flow-shop "$2" --method branch-and-bound --upper-bound "$3" --threads 1 --json
    wait $launcher || { cat "$work/err" >&2; fail "$2 on $1 ranks"; }
    ended=$(date +%s.%N)
    times >"$work/times"
    has "$work/out" '"status":"infeasible"'
    total=$(sed 's/.*"nodes":\([0-9]*\).*/\1/' "$work/out")
    awk -v n="$1" -v i="$2" -v s="$begun" -v e="$ended" -v t="$total" -v u="$used" -v c="$(cpu)" -v to="$work/measured" 'BEGIN {
        printf "%s, %d ranks: %.2f s, %.0f nodes, %.4g nodes a second and rank, ", i, n, e - s, t, t / (e - s) / n
        printf "%.4g nodes a second of the processor, %.3f of the processors busy\n", t / (c - u), (c - u) / (e - s) / n
        printf "%.3f %.0f\n", e - s, t >to
    }'
}

efficiency() {
    # Trees below an upper bound have the same nodes on any number of ranks. The first has 462 million, two minutes of a
    # usual core with a release build. Other programs must leave both cores alone.
    for tree in ${TREES:-ta021:2297}; do
        for number in 1 2 1 2; do
            measure $number "${tree%:*}" "${tree#*:}"
            echo "$number $(cat "$work/measured")" >>"$work/all"
        done
        # The least times count: other programs only add to them.
        awk -v tree="$tree" -v least="${LEAST_SECONDS:-60}" -v asked="${ASKED:-0.95}" '
            NR == 1 { nodes = $3 }
            $3 != nodes { printf "FAILED: %s has %s and %s nodes\n", tree, nodes, $3; failed = 1 }
            !($1 in best) || $2 < best[$1] { best[$1] = $2 }
            END {
                reached = best[1] / best[2] / 2
                printf "%s: efficiency %.3f of two ranks, asked %s\n", tree, reached, asked
                if (best[1] < least) { printf "FAILED: %s takes %.1f s, less than %s s\n", tree, best[1], least; failed = 1 }
                if (reached < asked) { print "FAILED: the efficiency is too low"; failed = 1 }
                exit failed
            }' "$work/all"
        rm "$work/all"
    done
}

if [ "$mode" = --efficiency ]; then
    efficiency
    exit
fi

for number in 1 2 4; do
    ranks $number $proof >"$work/out"
    check_proof "$work/out"
    echo "$number ranks: the proof has all nodes"
done

survive 2 '[0-9]+'
survive 1 0

restart 2

# With ULFM, the loss of workers needs no restart. Open MPI 5 has it.
if $MPIRUN --with-ft ulfm -n 1 true 2>/dev/null; then
    without=$launch
    launch="$MPIRUN --with-ft ulfm --bind-to none -n"
    lose 3 1
    lose 3 2 1
    restart 0
    if [ "$mode" = --heavy ]; then
        for turn in $(seq 20); do lose 4 $((turn % 3 + 1)) $(((turn + 1) % 3 + 1)); done
    fi
    launch=$without
else
    echo "skipped: $MPIRUN has no ULFM"
fi

# A run that its time limit has ended is continued without MPI, and with other ranks.
rm -f "$work/kept"
ranks 2 $proof --checkpoint "$work/kept" --time-limit 0.3 >"$work/out"
has "$work/out" '"problem":"flow-shop"'
ranks 3 $proof --checkpoint "$work/kept" >"$work/out"
check_proof "$work/out"
echo "time limit: the proof has all nodes"

# Searches exchange the best schedule; the result is evaluated again. ta001 is proved by its bound.
ranks 2 flow-shop ta021 --method iterated-greedy --time-limit 2 --threads 1 --json --gantt "$work/chart.svg" >"$work/out"
has "$work/out" '"method":"iterated-greedy"'
has "$work/chart.svg" '<svg'
ranks 2 flow-shop ta001 --time-limit 20 --threads 1 --json >"$work/out"
has "$work/out" '"objective":1278,"bound":1278'
echo "searches: the ranks agree"

ranks 3 batch ta001 ta002 ta003 ta004 -- --method branch-and-bound --threads 1 >"$work/out"
[ "$(grep -c '"status":"optimal"' "$work/out")" -eq 4 ] || { cat "$work/out" >&2; fail "the batch"; }
echo "batch: 4 instances"

# Wrong usage ends all ranks.
if ranks 2 flow-shop /nowhere/x --json >"$work/out" 2>"$work/err"; then fail "a missing file is no error"; fi
has "$work/err" "/nowhere/x"

if [ "$mode" = --heavy ]; then
    survive 50 '[0-9]+'
    survive 20 0
fi
echo "makespan-mpi passed"
