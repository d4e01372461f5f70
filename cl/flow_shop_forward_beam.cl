/* The tree of sequences that grow at the end, for flow shops with set-ups, release times, blocking
 * and sums of the total flow time and the makespan. `flow_shop_levels.cl` selects its levels.
 *
 * MACHINES  number of machines
 * SETUPS, BLOCKING, RELEASES, MAKESPAN  1 if the instance has them, otherwise 0
 *
 * `expand` ranks the children of each node. `grow` computes the nodes of the next level. Ranks are
 * floating-point numbers; they are computed as on the host, operation by operation, so that both
 * keep the same nodes. */
#pragma OPENCL FP_CONTRACT OFF

/* A node: when each machine is free; the work left on it if the makespan counts; and words that the
 * host numbers. */
#define WORK MACHINES
#define WORD(number) ((1 + MAKESPAN) * MACHINES + (number))
#define RECORD WORD(NODE_WORDS)

/* The least sum of a node, of even and of odd levels. */
#define LEAST(depth) (OF_TREE + ((depth) & 1))

/* What children are ranked by; see `Ranking` on the host. */
typedef struct {
    ulong flow, makespan, cutoff;
    uint mode;
    float flow_scale, makespan_scale, rise, certainty, uncertainty;
} ranking;

#define RANKING_PARAMETERS \
    ulong flow, ulong makespan, ulong cutoff, uint mode, uint flow_scale, uint makespan_scale, \
        uint rise, uint certainty, uint uncertainty
#define RANKING \
    {flow, makespan, cutoff, mode, as_float(flow_scale), as_float(makespan_scale), as_float(rise), \
        as_float(certainty), as_float(uncertainty)}

/* An instance. All numbers are by free job or by machine and free job. */
#define SHOP_PARAMETERS \
    global const uint *times, global const uint *releases, global const uint *setups, \
        global const uint *kinds, global const float *waste

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

/* The rank of a complete sequence. */
static uint complete_rank(ranking by, local const uint *node, uint released, uint end)
{
    ulong cost =
        node[WORD(SUM)] + by.flow * (end - released) + by.makespan * max(node[WORD(LATEST)], end);
    return cost < by.cutoff ? (uint)cost : NONE;
}

/* Whether no sequence behind a child is better than the cutoff: no later job ends before it. `open`
 * is the number of the node's free jobs. */
static bool is_hopeless(ranking by, local const uint *node, uint open, uint end)
{
    long flow = (long)open * end - (long)node[WORD(OPEN_RELEASE)];
    long latest = (long)by.makespan * max(node[WORD(LATEST)], end);
    return node[WORD(SUM)] + (long)by.flow * flow + latest >= (long)by.cutoff;
}

static uint rank(ranking by, local const uint *node, uint least, uint released, child at)
{
    float score = (float)(node[WORD(SUM)] - least);
    score += by.flow_scale * (real(at.end) - (float)released);
    score += by.rise * at.delay;
    if (MAKESPAN) {
        float bound = max(real(at.bound), real(node[WORD(LATEST)]));
        score += by.makespan_scale * (by.certainty * bound + by.uncertainty * at.delay);
    }
    return ordered(score);
}

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
    local ushort *list)
{
    local uint own[RECORD];
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
    barrier(CLK_LOCAL_MEM_FENCE);

    global const uint *behind = setups_behind(setups, own[WORD(KIND)], jobs);
    for (uint turn = 0; turn < open; turn += lanes) {
        uint slot = turn + lane;
        if (slot < open) {
            uint job = list[slot];
            uint released = RELEASES ? releases[job] : 0;
            child at = {released, 0, as_float(own[WORD(DELAY)])};
            at = advance(own, waste, times, behind, jobs, job, at);
            uint place = NONE;
            if (by.mode == COMPLETE) {
                place = complete_rank(by, own, released, at.end);
            } else if (by.mode != DROPS || !is_hopeless(by, own, open, at.end)) {
                place = rank(by, own, least, released, at);
            }
            ranks[node * open + slot] = place;
        }
    }
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
    uint sum = from[WORD(SUM)] + (uint)(flow * (end - released));
    to[WORD(SUM)] = sum;
    to[WORD(LATEST)] = max(from[WORD(LATEST)], end);
    to[WORD(KIND)] = SETUPS ? kinds[job] : 0;
    to[WORD(DELAY)] = as_uint(delay);
    to[WORD(OPEN_RELEASE)] = from[WORD(OPEN_RELEASE)] - released;
    if (sum < control[LEAST(depth + 1)]) {
        atomic_min(control + LEAST(depth + 1), sum);
    }
}
