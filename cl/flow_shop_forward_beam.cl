/* The tree of sequences that grow at the end, for flow shops with set-ups, release times, blocking
 * and objectives of one stage. `flow_shop_levels.cl` selects its levels.
 *
 * MACHINES  number of machines
 * SETUPS, BLOCKING, RELEASES, MAKESPAN  1 if the instance has them, otherwise 0
 * TERMS  0 if each job adds the same multiple of its flow time; otherwise 1
 * LATE_JOBS, LATENESS  1 if the number of late jobs and the largest lateness count; then TERMS is 1
 *
 * `expand` ranks the children of each node. `grow` computes the nodes of the next level. Ranks are
 * floating-point numbers; they are computed as on the host, operation by operation, so that both
 * keep the same nodes. */
#pragma OPENCL FP_CONTRACT OFF

/* A node: when each machine is free; the work left on it if the makespan counts; and words that the
 * host numbers, the last ones only if jobs have terms. */
#define WORK MACHINES
#define WORD(number) ((1 + MAKESPAN) * MACHINES + (number))
#define RECORD WORD(NODE_WORDS + TERMS * TERM_WORDS)

/* The least sum of a node, of even and of odd levels. */
#define LEAST(depth) (OF_TREE + ((depth) & 1))

/* What children are ranked by; see `Ranking` on the host. */
typedef struct {
    ulong flow, makespan, lateness;
    long cutoff, lowest;
    uint mode;
    float flow_scale, makespan_scale, lateness_scale, rise, certainty, uncertainty, begin, rate,
        grain;
} ranking;

#define RANKING_PARAMETERS \
    ulong flow, ulong makespan, ulong lateness, ulong cutoff, ulong lowest, uint mode, \
        uint flow_scale, uint makespan_scale, uint lateness_scale, uint rise, uint certainty, \
        uint uncertainty, uint begin, uint rate, uint grain
#define RANKING \
    {flow, makespan, lateness, (long)cutoff, (long)lowest, mode, as_float(flow_scale), \
        as_float(makespan_scale), as_float(lateness_scale), as_float(rise), as_float(certainty), \
        as_float(uncertainty), as_float(begin), as_float(rate), as_float(grain)}

/* An instance. All numbers are by free job or by machine and free job. */
#define SHOP_PARAMETERS \
    global const uint *times, global const uint *releases, global const uint *setups, \
        global const uint *kinds, global const float *waste, global const uint4 *terms

/* A time as a floating-point number. No schedule lasts 2^31. */
static float real(uint time)
{
    return (float)(int)time;
}

/* A number in the order of the scores. */
static uint ordered(float score)
{
    uint bits = as_uint(score);
    return bits ^ ((uint)((int)bits >> 31) | 1u << 31);
}

/* The set-ups behind a kind of job: by machine and job. */
static global const uint *setups_behind(global const uint *setups, uint kind, uint jobs)
{
    return SETUPS ? setups + (ulong)kind * MACHINES * jobs : setups;
}

/* A child: when its job ends, the estimated delay of later jobs, and a bound of the makespan. */
typedef struct {
    uint end, bound;
    float delay;
    /* Room for the largest lateness of the jobs behind it. */
    float lateness;
} child;

static child advance(local const uint *node,
    global const float *waste,
    global const uint *times,
    global const uint *behind,
    uint jobs,
    uint job,
    child at)
{
    for (uint k = 0; k < MACHINES; ++k) {
        uint is_free = node[k];
        uint setup = SETUPS ? behind[k * jobs + job] : 0;
        uint start = max(at.end, is_free + setup);
        at.delay += real(start - is_free) * waste[k];
        if (BLOCKING && k > 0) {
            at.delay += real(start - at.end) * waste[k - 1];
        }
        if (MAKESPAN) {
            at.bound = max(at.bound, start + node[WORK + k]);
        }
        at.end = start + times[k * jobs + job];
    }
    return at;
}

/* What a job adds to the sum: the words of its terms are the factors of its flow time, of its
 * tardiness and of being late, and its due date. */
static long added(ulong flow, global const uint4 *terms, uint job, uint released, uint end)
{
    if (!TERMS) {
        return flow * (end - released);
    }
    uint4 own = terms[job];
    uint tardiness = max((int)end - (int)own.w, 0);
    return (ulong)own.x * (end - released) + (ulong)own.y * tardiness + (tardiness ? own.z : 0);
}

/* The part of the largest completion time and of the largest lateness behind a child. */
static long extremes(
    ranking by, local const uint *node, global const uint4 *terms, uint job, uint end)
{
    long cost = by.makespan * max(node[WORD(LATEST)], end);
    if (LATENESS) {
        cost += (long)by.lateness * max((int)node[WORD(WORST)], (int)end - (int)terms[job].w);
    }
    return cost;
}

/* The rank of a complete sequence. */
static uint complete_rank(ranking by,
    local const uint *node,
    global const uint4 *terms,
    uint job,
    uint released,
    uint end)
{
    long cost = node[WORD(SUM)] + added(by.flow, terms, job, released, end)
        + extremes(by, node, terms, job, end);
    return cost < by.cutoff ? (uint)(cost - (LATENESS ? by.lowest : 0)) : NONE;
}

/* Whether no sequence behind a child is better than the cutoff: no later job ends before it. `open`
 * is the number of the node's free jobs. */
static bool is_hopeless(ranking by,
    local const uint *node,
    global const uint4 *terms,
    uint open,
    uint job,
    uint released,
    uint end)
{
    long flow;
    if (TERMS) {
        ulong own = terms[job].x;
        flow = (long)(node[WORD(OPEN_FLOW)] - own) * end
            - (long)(node[WORD(OPEN_RELEASE)] - own * released)
            + added(by.flow, terms, job, released, end);
    } else {
        flow = (long)by.flow * ((long)open * end - (long)node[WORD(OPEN_RELEASE)]);
    }
    return node[WORD(SUM)] + flow + extremes(by, node, terms, job, end) >= by.cutoff;
}

/* The part of the makespan in a score. */
static float makespan_score(ranking by, local const uint *node, child at)
{
    float bound = max(real(at.bound), real(node[WORD(LATEST)]));
    return by.makespan_scale * (by.certainty * bound + by.uncertainty * at.delay);
}

static uint rank(ranking by, local const uint *node, uint least, uint released, child at)
{
    float score = (float)(node[WORD(SUM)] - least);
    score += by.flow_scale * (real(at.end) - (float)released);
    score += by.rise * at.delay;
    if (MAKESPAN) {
        score += makespan_score(by, node, at);
    }
    return ordered(score);
}

/* The rank of a child whose score is known. */
static uint place_of(ranking by,
    local const uint *node,
    global const uint4 *terms,
    uint open,
    uint job,
    uint released,
    uint end,
    uint rank)
{
    if (by.mode == COMPLETE) {
        return complete_rank(by, node, terms, job, released, end);
    }
    return by.mode == DROPS && is_hopeless(by, node, terms, open, job, released, end) ? NONE : rank;
}

#if TERMS

/* The outlook: what the other free jobs will cost behind each child, in their order at a constant
 * rate; see `Outlook` on the host. Each work-item has a strip of neighbouring jobs. Costs are pairs
 * of whole numbers, at the least delay of a child and at a larger one. There are up to STRIPS
 * strips. */

/* Sums over the jobs of a strip: what they cost if no child precedes them, and if one does. And
 * their largest lateness. */
typedef struct {
    long2 costs, behind;
    float lateness;
} strip;

/* A job in the outlook. */
typedef struct {
    float flow, tardy, late, release, due;
} job_terms;

static job_terms terms_of(global const uint4 *terms, uint job, uint released)
{
    uint4 own = terms[job];
    job_terms of = {(float)own.x, (float)own.y, (float)own.z, (float)released, (float)(int)own.w};
    return of;
}

/* What a job that ends at `end` adds. */
static float cost_of(job_terms job, float end)
{
    float lateness = end - job.due;
    float late = lateness > 0 ? job.late : 0;
    return job.flow * (end - job.release) + job.tardy * max(lateness, 0.0f) + late;
}

/* The same in fixed-point numbers. */
static long2 costs_of(job_terms job, float2 ends, float per_grain)
{
    return (
        long2)((long)(cost_of(job, ends.x) * per_grain), (long)(cost_of(job, ends.y) * per_grain));
}

/* The ends if so many jobs have taken time before. */
static float2 ends_behind(float2 begins, float rate, uint2 taken)
{
    return begins + (float2)((float)taken.x * rate, (float)taken.y * rate);
}

/* Whether a job takes time of the jobs behind it. A job that is late anyway can wait until the end
 * if only that counts. */
static uint2 takes(job_terms job, float2 ends)
{
    return LATE_JOBS
        ? (uint2)(job.late == 0 || ends.x <= job.due, job.late == 0 || ends.y <= job.due)
        : (uint2)(1, 1);
}

/* 1 / number, correctly rounded, which the division of a device need not be. For positive numbers
 * with a normal reciprocal. */
static float reciprocal(float number)
{
    uint bits = as_uint(number);
    ulong mantissa = (bits & 0x7fffff) | 0x800000;
    uint quotient = ((1ul << 48) / mantissa + 1) / 2;
    return as_float(((253 - (bits >> 23)) << 23) + quotient - 0x800000);
}

/* How many jobs may take time until a job is late. */
static uint room(float due, float begin, float rate, uint open)
{
    uint room = 0;
    for (uint step = 1u << (31 - clz(open)); step > 0; step /= 2) {
        if (room + step <= open && begin + (float)(room + step - 1) * rate <= due) {
            room += step;
        }
    }
    return room;
}

/* How many jobs before `first` take time. Due dates ascend. If as many jobs have taken time as
 * there is room before some job, it takes none. Hence their number before place i is the least of i
 * and, over all places j before i, of the room at j plus the i - j - 1 places between them. */
static uint2 taken_before(global const uint4 *terms,
    local const ushort *list,
    float2 begins,
    float rate,
    uint open,
    uint each,
    local int2 *margins)
{
    uint lane = get_local_id(0);
    uint first = min(lane * each, open);
    if (!LATE_JOBS) {
        return (uint2)(first, first);
    }
    int2 own = (int2)(0, 0);
    for (uint turn = 0; turn < each; ++turn) {
        uint slot = lane * each + turn;
        if (slot < open) {
            float due = (float)(int)terms[list[slot]].w;
            int2 rooms = (int2)(room(due, begins.x, rate, open), room(due, begins.y, rate, open));
            own = min(own, rooms - (int)slot - 1);
        }
    }
    if (lane < STRIPS) {
        margins[lane] = own;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int2 least = (int2)(0, 0);
    for (uint other = 0; other * each < open; ++other) {
        least = min(least, other < lane ? margins[other] : (int2)(0, 0));
    }
    return (uint2)(first + least.x, first + least.y);
}

/* Ranks the children, whose delays are from `low` to `high`. */
static void rank_children(ranking by,
    local const uint *node,
    global const uint4 *terms,
    global const uint *releases,
    local const ushort *list,
    local child *children,
    local strip *strips,
    local int2 *margins,
    global uint *ranks,
    uint least,
    uint open,
    float low,
    float high)
{
    uint lane = get_local_id(0);
    uint count = min((uint)get_local_size(0), (uint)STRIPS);
    uint each = (open + count - 1) / count;
    float span = max(high - low, 1.0f);
    float begin = by.begin + low;
    float2 begins = (float2)(begin, begin + span);
    float per_grain = reciprocal(by.grain);
    uint2 first = taken_before(terms, list, begins, by.rate, open, each, margins);

    strip own = {(long2)(0, 0), (long2)(0, 0), -INFINITY};
    uint2 taken = first;
    for (uint turn = 0; turn < each; ++turn) {
        uint slot = lane * each + turn;
        if (slot < open) {
            uint job = list[slot];
            job_terms of = terms_of(terms, job, RELEASES ? releases[job] : 0);
            float2 ends = ends_behind(begins, by.rate, taken);
            own.costs += costs_of(of, ends, per_grain);
            own.behind += costs_of(of, ends + by.rate, per_grain);
            own.lateness = max(own.lateness, ends.x - of.due);
            children[slot].lateness = ends.x - of.due;
            taken += takes(of, ends);
        }
    }
    if (lane < STRIPS) {
        strips[lane] = own;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    long2 before = (long2)(0, 0);
    long2 same = own.costs;
    long2 later = own.behind;
    float lateness_before = -INFINITY;
    float lateness_behind = -INFINITY;
    for (uint other = 0; other * each < open; ++other) {
        strip there = strips[other];
        if (other < lane) {
            before += there.behind;
            lateness_before = max(lateness_before, there.lateness);
        } else if (other > lane) {
            same += there.costs;
            later += there.behind;
            lateness_behind = max(lateness_behind, there.lateness);
        }
    }
    for (uint turn = LATENESS ? each : 0; turn-- > 0;) {
        uint slot = lane * each + turn;
        if (slot < open) {
            float here = children[slot].lateness;
            children[slot].lateness = lateness_behind;
            lateness_behind = max(lateness_behind, here);
        }
    }
    float base = (float)(node[WORD(SUM)] - least);
    float rise = by.grain * reciprocal(span);
    taken = first;
    for (uint turn = 0; turn < each; ++turn) {
        uint slot = lane * each + turn;
        if (slot < open) {
            uint job = list[slot];
            uint released = RELEASES ? releases[job] : 0;
            job_terms of = terms_of(terms, job, released);
            float2 ends = ends_behind(begins, by.rate, taken);
            uint2 takes_time = takes(of, ends);
            long2 behind = costs_of(of, ends + by.rate, per_grain);
            same -= costs_of(of, ends, per_grain);
            later -= behind;
            long costs = before.x + (takes_time.x ? same.x : later.x);
            long larger = before.y + (takes_time.y ? same.y : later.y);
            child at = children[slot];
            float above = at.delay - low;
            float score = base + cost_of(of, real(at.end));
            score += (float)costs * by.grain + (float)(larger - costs) * rise * above;
            if (LATENESS) {
                float worst = max(real(at.end) - of.due, (float)(int)node[WORD(WORST)]);
                float others = max(lateness_before + by.rate, at.lateness) + at.delay - low;
                score += by.lateness_scale * max(worst, others);
                lateness_before = max(lateness_before, ends.x - of.due);
            }
            if (MAKESPAN) {
                score += makespan_score(by, node, at);
            }
            ranks[slot] = place_of(by, node, terms, open, job, released, at.end, ordered(score));
            before += behind;
            taken += takes_time;
        }
    }
}

#endif

/* Expands the nodes from `first` on, one per work-group. */
kernel void flow_shop_forward_beam_expand(SHOP_PARAMETERS,
    global const uint *states,
    global const uint *placed,
    global uint *ranks,
    global uint *control,
    uint first,
    uint depth,
    uint jobs,
    RANKING_PARAMETERS,
    local ushort *list,
    local child *children GROUP_ARRAYS)
{
    TAKE_PART(list);
    TAKE_PART(children);
    TAKE_PART(group_arrays);
    GROUP_ARRAY(uint, own, RECORD);
#if TERMS
    GROUP_ARRAY(strip, strips, STRIPS);
    GROUP_ARRAY(int2, margins, STRIPS);
    GROUP_ARRAY(uint, low, 1);
    GROUP_ARRAY(uint, high, 1);
#endif
    ranking by = RANKING;
    uint lane = get_local_id(0);
    uint lanes = get_local_size(0);
    ulong node = first + get_group_id(0);
    if (node >= control[NODES(depth)]) {
        return;
    }
    uint open = jobs - depth;
    uint least = control[LEAST(depth)];
    if (node == 0 && lane == 0) {
        control[LEAST(depth + 1)] = NONE;
    }
    /* All work-items execute the same number of turns; see `flow_shop_beam_expand`. */
    for (uint turn = 0; turn < RECORD; turn += lanes) {
        if (turn + lane < RECORD) {
            own[turn + lane] = states[node * RECORD + turn + lane];
        }
    }
    list_free_jobs(placed + node * ((jobs + 31) / 32), jobs, list);
#if TERMS
    uint own_low = NONE;
    uint own_high = 0;
    if (lane == 0) {
        *low = NONE;
        *high = 0;
    }
#endif
    barrier(CLK_LOCAL_MEM_FENCE);

    global const uint *behind = setups_behind(setups, own[WORD(KIND)], jobs);
    for (uint turn = 0; turn < open; turn += lanes) {
        uint slot = turn + lane;
        if (slot < open) {
            uint job = list[slot];
            uint released = RELEASES ? releases[job] : 0;
            child at = {released, 0, as_float(own[WORD(DELAY)])};
            at = advance(own, waste, times, behind, jobs, job, at);
#if TERMS
            children[slot] = at;
            /* Delays are not negative: they have the order of their bits. */
            own_low = min(own_low, as_uint(at.delay));
            own_high = max(own_high, as_uint(at.delay));
#else
            ranks[node * open + slot] = place_of(
                by, own, terms, open, job, released, at.end, rank(by, own, least, released, at));
#endif
        }
    }
#if TERMS
    atomic_min(low, own_low);
    atomic_max(high, own_high);
    barrier(CLK_LOCAL_MEM_FENCE);
    rank_children(by, own, terms, releases, list, children, strips, margins, ranks + node * open,
        least, open, as_float(*low), as_float(*high));
#endif
}

/* Computes a node of the next level for each kept child. A step holds the parent and twice the job.
 */
kernel void flow_shop_forward_beam_grow(SHOP_PARAMETERS,
    global const uint *states,
    global const uint *placed,
    global const uint *kept,
    global uint *control,
    global uint *next_states,
    global uint *next_placed,
    global uint2 *history,
    uint width,
    uint depth,
    uint jobs,
    ulong flow)
{
    ulong node = get_global_id(0);
    if (node >= control[NODES(depth + 1)]) {
        return;
    }
    uint words = (jobs + 31) / 32;
    ulong parent = kept[node] / (jobs - depth);
    uint job = free_job(placed + parent * words, jobs, kept[node] % (jobs - depth));
    history[(ulong)depth * width + node] = (uint2)(parent, job << 1);
    for (uint word = 0; word < words; ++word) {
        uint bit = word == job / 32 ? 1u << job % 32 : 0;
        next_placed[node * words + word] = placed[parent * words + word] | bit;
    }

    global const uint *from = states + parent * RECORD;
    global uint *to = next_states + node * RECORD;
    global const uint *behind = setups_behind(setups, from[WORD(KIND)], jobs);
    uint released = RELEASES ? releases[job] : 0;
    uint end = released;
    float delay = as_float(from[WORD(DELAY)]);
    for (uint k = 0; k < MACHINES; ++k) {
        uint time = times[k * jobs + job];
        uint setup = SETUPS ? behind[k * jobs + job] : 0;
        uint start = max(end, from[k] + setup);
        /* With blocking, the machine before is free from this start on. */
        if (BLOCKING && k > 0) {
            uint before = times[(k - 1) * jobs + job];
            to[k - 1] = start;
            delay += real(start - from[k - 1] - before) * waste[k - 1];
        }
        end = start + time;
        if (!BLOCKING || k == MACHINES - 1) {
            to[k] = end;
            delay += real(end - from[k] - time) * waste[k];
        }
        if (MAKESPAN) {
            to[WORK + k] = from[WORK + k] - time;
        }
    }
    uint sum = from[WORD(SUM)] + (uint)added(flow, terms, job, released, end);
    to[WORD(SUM)] = sum;
    to[WORD(LATEST)] = max(from[WORD(LATEST)], end);
    to[WORD(KIND)] = SETUPS ? kinds[job] : 0;
    to[WORD(DELAY)] = as_uint(delay);
#if TERMS
    uint4 of = terms[job];
    to[WORD(OPEN_RELEASE)] = from[WORD(OPEN_RELEASE)] - of.x * released;
    to[WORD(OPEN_FLOW)] = from[WORD(OPEN_FLOW)] - of.x;
    to[WORD(WORST)] = max((int)from[WORD(WORST)], (int)end - (int)of.w);
#else
    to[WORD(OPEN_RELEASE)] = from[WORD(OPEN_RELEASE)] - released;
#endif
    atomic_min(control + LEAST(depth + 1), sum);
}
