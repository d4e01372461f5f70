/* Lower bounds of the beginnings of sequences, for flow shops with set-ups, release times,
 * blocking, and sums of any criteria. src/flow_shop/exact/general/bound.rs is the host's side.
 *
 * Nodes have jobs at the front alone, and both bounds of a child are the same. The state in a
 * node's record says when each machine is free, followed by words that the host numbers. The tables
 * of an instance are one list of words; see `tables_of`. Built with MACHINES; SETUPS, RELEASES,
 * BLOCKING and PLAN are 1 if the instance has them, otherwise 0. Included after flow_shop_nodes.cl.
 */

/* A word of the state behind the machines. */
#define WORD(number) (MACHINES + (number))

typedef struct {
    uint jobs, levels;
    int makespan, lateness, late;
    global const int2 *by_load, *level, *by_end, *by_head;
    global const int *times, *loads, *tails, *terms, *by_flow, *by_due, *setups, *follows, *pairs;
} tables;

static tables tables_of(global const uint *words)
{
    tables all;
    uint jobs = words[JOBS], cells = jobs * MACHINES;
    all.jobs = jobs;
    all.levels = words[LEVELS];
    all.makespan = words[MAKESPAN_FACTOR];
    all.lateness = words[LATENESS_FACTOR];
    all.late = words[LATE_FACTOR];
    all.by_load = (global const int2 *)(words + HEADER_WORDS);
    all.level = all.by_load + cells;
    all.by_end = all.level + jobs;
    all.by_head = all.by_end + RELEASES * jobs;
    all.times = (global const int *)(all.by_head + RELEASES * cells);
    all.loads = all.times + cells;
    all.tails = all.loads + cells;
    all.terms = all.tails + cells;
    all.by_flow = all.terms + jobs * TERM_WORDS;
    all.by_due = all.by_flow + jobs;
    all.setups = all.by_due + jobs;
    all.follows = all.setups + SETUPS * (jobs + 1) * cells;
    all.pairs = all.follows + PLAN * (jobs + 1) * jobs;
    return all;
}

/* The beginning of a sequence; see `State` on the host. */
typedef struct {
    int sum, latest, lateness;
    uint last;
    ulong open;
    int free[MACHINES];
} beginning;

static void load_beginning(beginning *at, local const uint *node)
{
    at->sum = node[WORD(SUM)];
    at->latest = node[WORD(LATEST)];
    at->lateness = node[WORD(LATENESS)];
    at->last = node[WORD(LAST)];
    at->open = node[WORD(OPEN)] | (ulong)node[WORD(OPEN) + 1] << 32;
    for (uint k = 0; k < MACHINES; ++k) {
        at->free[k] = node[k];
    }
}

static bool is_open(const beginning *at, int job)
{
    return at->open >> job & 1;
}

/* What a job adds to the objective with this end. */
static int added(const tables *all, global const int *terms, int end)
{
    int lateness = end - terms[DUE];
    return terms[FLOW] * (end - terms[RELEASE]) + terms[TARDY] * max(lateness, 0)
        + (lateness > 0 ? all->late : 0);
}

static global const int *setups_of(const tables *all, const beginning *at, uint job)
{
    return all->setups + SETUPS * (at->last * all->jobs + job) * MACHINES;
}

/* Fixes the next job. */
static void append(beginning *at, uint job, const tables *all)
{
    global const int *terms = all->terms + job * TERM_WORDS;
    global const int *setups = setups_of(all, at, job);
    int end = terms[RELEASE];
    for (uint k = 0; k < MACHINES; ++k) {
        int start = max(end, at->free[k] + (SETUPS ? setups[k] : 0));
        if (BLOCKING && k > 0) {
            at->free[k - 1] = start;
        }
        end = start + all->times[job * MACHINES + k];
        if (!BLOCKING || k == MACHINES - 1) {
            at->free[k] = end;
        }
    }
    at->open &= ~(1ul << job);
#if PLAN
    at->sum += all->follows[at->last * all->jobs + job];
    for (uint later = 0; later < all->jobs; ++later) {
        at->sum += is_open(at, later) ? all->pairs[job * all->jobs + later] : 0;
    }
#endif
    at->sum += added(all, terms, end);
    at->latest = max(at->latest, end);
    at->lateness = max(at->lateness, end + terms[DELIVERY]);
    at->last = job;
}

/* Raises `ends`: when 1, 2, ... open jobs have ended at least. Lines begin at `opening`, and
 * `tails` follow. */
static void fill_ends(
    const beginning *at, const tables *all, const int *opening, const int *tails, int *ends)
{
    uint count = 0;
    for (uint k = 0; k < MACHINES; ++k) {
        int now = opening[k] + tails[k];
        count = 0;
        for (uint i = 0; i < all->jobs; ++i) {
            int2 one = all->by_load[k * all->jobs + i];
            if (is_open(at, one.x)) {
                now += one.y;
                ends[count] = max(ends[count], now);
                ++count;
            }
        }
    }
#if RELEASES
    count = 0;
    for (uint i = 0; i < all->jobs; ++i) {
        int2 one = all->by_end[i];
        if (is_open(at, one.x)) {
            ends[count] = max(ends[count], one.y);
            ++count;
        }
    }
    for (uint k = 0; k < MACHINES; ++k) {
        int now = opening[k];
        for (uint i = 0; i < all->jobs; ++i) {
            int2 one = all->by_head[k * all->jobs + i];
            if (is_open(at, one.x)) {
                now = max(now, one.y) + all->loads[one.x * MACHINES + k];
            }
        }
        ends[count - 1] = max(ends[count - 1], now + tails[k]);
    }
#endif
}

/* The least flow times, tardiness and late jobs of jobs with these ends, in any order. */
static int matched(const beginning *at, const tables *all, const int *ends)
{
    int sum = 0;
    uint count = 0;
    for (uint i = 0; i < all->jobs; ++i) {
        int job = all->by_flow[i];
        global const int *terms = all->terms + job * TERM_WORDS;
        if (is_open(at, job)) {
            sum += terms[FLOW] * (ends[count] - terms[RELEASE]);
            ++count;
        }
    }
    for (uint i = 0; i < all->levels; ++i) {
        int2 level = all->level[i];
        count = 0;
        for (uint k = 0; k < all->jobs; ++k) {
            int job = all->by_due[k];
            global const int *terms = all->terms + job * TERM_WORDS;
            if (is_open(at, job) && terms[TARDY] >= level.x) {
                sum += level.y * max(ends[count] - terms[DUE], 0);
                ++count;
            }
        }
    }
    if (all->late > 0) {
        count = 0;
        for (uint i = 0; i < all->jobs; ++i) {
            int job = all->by_due[i];
            if (is_open(at, job)) {
                bool in_time = ends[count] <= all->terms[job * TERM_WORDS + DUE];
                count += in_time;
                sum += in_time ? 0 : all->late;
            }
        }
    }
    return sum;
}

/* No sequence with this beginning has a lower value. Without open jobs it is the value. */
static uint bound_of(const beginning *at, const tables *all)
{
    int latest = at->latest, lateness = at->lateness, sum = 0;
    if (at->open != 0) {
        int opening[MACHINES], tails[MACHINES], ends[MOST_JOBS];
        for (uint k = 0; k < MACHINES; ++k) {
            opening[k] = INT_MAX;
            tails[k] = INT_MAX;
        }
        for (uint i = 0; i < all->jobs; ++i) {
            ends[i] = 0;
        }
        for (uint job = 0; job < all->jobs; ++job) {
            if (is_open(at, job)) {
                global const int *terms = all->terms + job * TERM_WORDS;
                global const int *setups = setups_of(all, at, job);
                int next = terms[RELEASE], alone = next;
                for (uint k = 0; k < MACHINES; ++k) {
                    uint cell = job * MACHINES + k;
                    int time = all->times[cell];
                    next = max(next, at->free[k] + (SETUPS ? setups[k] : 0)) + time;
                    alone = max(alone, at->free[k]) + time;
                    opening[k] = min(opening[k], next - all->loads[cell]);
                    tails[k] = min(tails[k], all->tails[cell]);
                }
                latest = max(latest, alone);
                lateness = max(lateness, alone + terms[DELIVERY]);
                sum += added(all, terms, alone);
            }
        }
        fill_ends(at, all, opening, tails, ends);
        uint count = 0;
        for (uint i = 0; i < all->jobs; ++i) {
            int job = all->by_due[i];
            if (is_open(at, job)) {
                latest = max(latest, ends[count]);
                lateness = max(lateness, ends[count] + all->terms[job * TERM_WORDS + DELIVERY]);
                ++count;
            }
        }
        sum = max(sum, matched(at, all, ends));
    }
    return max(at->sum + sum + all->makespan * latest + all->lateness * lateness, 0);
}

/* What flow_shop_explore.cl asks of an objective. */
#define BOUND_PARAMETERS , global const uint *times
#define TAKE_BOUND
#define LOAD_TABLES
#define BOUND_TILE(nodes, width) \
    bound_tile(tile, stride, open, nodes, width, jobs, times, near_bounds)
#define RAISES 0
#define REFINES 0

/* Bounds all children of the tile's nodes; child c of node k is bounds[k * jobs + c]. */
static void bound_tile(local const quad *tile,
    uint stride,
    local const uint *open,
    uint nodes,
    uint width,
    uint jobs,
    global const uint *times,
    local pair *bounds)
{
    tables all = tables_of(times);
    for (uint i = get_local_id(0); i < nodes * width; i += get_local_size(0)) {
        uint node = i / width, child = i - node * width;
        if (child < open[node]) {
            local const uint *record = node_of(tile, stride, node);
            beginning at;
            load_beginning(&at, record);
            append(&at, job_at(record, fixed_at_front(record) + child), &all);
            uint bound = bound_of(&at, &all);
            bounds[node * jobs + child] = make_pair(bound, bound);
        }
    }
}

/* Makes the state of a node that of its child with this job. */
static void fix_job(local uint *node, uint job, uint end, global const value *times)
{
    tables all = tables_of(times);
    beginning at;
    load_beginning(&at, node);
    append(&at, job, &all);
    node[WORD(SUM)] = at.sum;
    node[WORD(LATEST)] = at.latest;
    node[WORD(LATENESS)] = at.lateness;
    node[WORD(LAST)] = at.last;
    node[WORD(OPEN)] = (uint)at.open;
    node[WORD(OPEN) + 1] = (uint)(at.open >> 32);
    for (uint k = 0; k < MACHINES; ++k) {
        node[k] = at.free[k];
    }
}
