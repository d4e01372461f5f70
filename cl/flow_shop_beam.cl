/* The two-ended tree of the permutation flow shop, whose levels `flow_shop_levels.cl` selects.
 *
 * MACHINES  number of machines
 *
 * `expand` bounds the children of each node, chooses the side at which the node grows, and ranks
 * its children there. `grow` computes the nodes of the next level. All computations use integers.
 *
 * A node's state: rows of MACHINES numbers, as on the host. */
#define FREE(side) (side)
#define WAITED(side) (2 + (side))
#define WORK 4

#define FRONT 0u
#define BACK 1u

/* NONE is also the idle time of a side without jobs. */

/* A machine's contribution to the children at one side: when it is free, a lower bound of the work
 * that follows there, its idle time minus `free`, and its number. */
typedef uint4 term;

/* The guide's parameters: see `Ranking` on the host. */
typedef struct {
    uint guide, share_bits, progress, root_bound, upper, shift, idle_shift;
} ranking;

#define RANKING_PARAMETERS \
    uint guide, uint share_bits, uint progress, uint root_bound, uint upper, uint shift, \
        uint idle_shift
#define RANKING {guide, share_bits, progress, root_bound, upper, shift, idle_shift}

/* The share of idle time until a job ended, rounded down. The quotient is off by at most a third of
 * a unit. So after rounding it is exact or one too large, which the sign of the remainder shows. */
static uint share(uint idle, uint end, uint bits, uint coarse)
{
    idle >>= coarse;
    end = max(end >> coarse, 1u);
    uint near = (uint)((float)idle * (float)(1u << bits) / (float)end + 0.5f);
    return near - (((idle << bits) - near * end) >> 31);
}

/* A child's rank; smaller ranks are better. */
static uint rank(ranking by, uint bound, uint idle, uint opposite)
{
    if (by.guide > BOUND) {
        return bound;
    }
    uint one_sided = opposite == NONE ? ONE_SIDED : 0;
    idle += opposite == NONE ? 0 : opposite;
    if (by.guide == BOUND) {
        uint above = max((int)bound - (int)by.root_bound, 0);
        return one_sided | (above << by.shift) | (idle >> by.idle_shift);
    }
    ulong rest = (1 << PROGRESS_BITS) - by.progress;
    ulong weight = (((ulong)by.progress << by.share_bits) + rest * idle) >> PROGRESS_BITS;
    return one_sided | (uint)((bound * weight) >> by.shift);
}

/* The one-machine bound of the child that adds a job. */
static uint bound_of(local const term *terms, global const uint *times, uint jobs, uint job)
{
    uint end = 0;
    uint bound = 0;
    for (uint k = 0; k < MACHINES; ++k) {
        term at = terms[k];
        uint start = max(end, at.x);
        end = start + times[at.w * jobs + job];
        bound = max(bound, start + at.y);
    }
    return bound;
}

/* The bound and the idle time of the child that adds a job. */
static uint2 outlook_of(
    local const term *terms, global const uint *times, uint jobs, uint job, uint bits, uint coarse)
{
    uint end = 0;
    uint bound = 0;
    uint idle = 0;
    for (uint k = 0; k < MACHINES; ++k) {
        term at = terms[k];
        uint start = max(end, at.x);
        end = start + times[at.w * jobs + job];
        bound = max(bound, start + at.y);
        idle += share(start + at.z, end, bits, coarse);
    }
    return (uint2)(bound, idle);
}

/* The terms of both sides, in the order in which a job passes the machines seen from there. */
static void load_terms(global const uint *state, local term *terms)
{
    for (uint i = get_local_id(0); i < 2 * MACHINES; i += get_local_size(0)) {
        uint side = i / MACHINES;
        uint k = i % MACHINES;
        uint machine = side == FRONT ? k : MACHINES - 1 - k;
        global const uint *at = state + machine;
        uint at_free = at[FREE(side) * MACHINES];
        uint rest = at[WORK * MACHINES] + at[FREE(1 - side) * MACHINES];
        terms[i] = (term)(at_free, rest, at[WAITED(side) * MACHINES] - at_free, machine);
    }
}

/* Expands the nodes from `first` on, one per work-group. */
kernel void flow_shop_beam_expand(global const uint *times,
    global const uint *states,
    global const uint *placed,
    global const uint2 *idle,
    global uchar *sides,
    global uint *ranks,
    global const uint *control,
    uint first,
    uint depth,
    uint jobs,
    uint coarse,
    RANKING_PARAMETERS,
    local ushort *list GROUP_ARRAYS)
{
    TAKE_PART(list);
    TAKE_PART(group_arrays);
    GROUP_ARRAY(term, terms, 2 * MACHINES);
    GROUP_ARRAY(int, fewer, 1);
    GROUP_ARRAY(int, low, 1);
    GROUP_ARRAY(int, high, 1);
    ranking by = RANKING;
    uint lane = get_local_id(0);
    uint lanes = get_local_size(0);
    ulong node = first + get_group_id(0);
    if (node >= control[NODES(depth)]) {
        return;
    }
    uint open = jobs - depth;
    load_terms(states + node * ROWS * MACHINES, terms);
    list_free_jobs(placed + node * ((jobs + 31) / 32), jobs, list);
    if (lane == 0) {
        *fewer = *low = *high = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    /* How many more children at the front than at the back may lead to a better schedule, and how
     * much larger their sum of bounds is. */
    int more = 0;
    long excess = 0;
    for (uint slot = lane; slot < open; slot += lanes) {
        uint front = bound_of(terms, times, jobs, list[slot]);
        uint back = bound_of(terms + MACHINES, times, jobs, list[slot]);
        more += (front < upper) - (back < upper);
        excess += (long)(front < upper ? front : 0) - (back < upper ? back : 0);
    }
    atomic_add(fewer, more);
    atomic_add(low, (int)(excess & 0xffff));
    atomic_add(high, (int)(excess >> 16));
    barrier(CLK_LOCAL_MEM_FENCE);
    excess = ((long)*high << 16) + *low;
    uint side = *fewer < 0 || (*fewer == 0 && excess >= 0) ? FRONT : BACK;
    if (lane == 0) {
        sides[node] = side;
    }
    uint opposite = side == FRONT ? idle[node].y : idle[node].x;
    /* All work-items execute the same number of turns: otherwise a compiler for processors produced
     * wrong code for one machine. */
    for (uint turn = 0; turn < open; turn += lanes) {
        uint slot = turn + lane;
        if (slot < open) {
            uint2 outlook =
                outlook_of(terms + side * MACHINES, times, jobs, list[slot], share_bits, coarse);
            ranks[node * open + slot] =
                outlook.x < upper ? rank(by, outlook.x, outlook.y, opposite) : NONE;
        }
    }
}

/* Computes a node of the next level for each kept child. A step holds the parent, the job and the
 * side. */
kernel void flow_shop_beam_grow(global const uint *times,
    global const uint *states,
    global const uint *placed,
    global const uint2 *idle,
    global const uchar *sides,
    global const uint *kept,
    global const uint *control,
    global uint *next_states,
    global uint *next_placed,
    global uint2 *next_idle,
    global uint2 *history,
    uint width,
    uint depth,
    uint jobs,
    uint share_bits,
    uint coarse)
{
    ulong node = get_global_id(0);
    if (node >= control[NODES(depth + 1)]) {
        return;
    }
    uint words = (jobs + 31) / 32;
    ulong parent = kept[node] / (jobs - depth);
    uint side = sides[parent];
    uint job = free_job(placed + parent * words, jobs, kept[node] % (jobs - depth));
    history[(ulong)depth * width + node] = (uint2)(parent, job << 1 | side);
    for (uint word = 0; word < words; ++word) {
        uint bit = word == job / 32 ? 1u << job % 32 : 0;
        next_placed[node * words + word] = placed[parent * words + word] | bit;
    }

    global const uint *from = states + parent * ROWS * MACHINES;
    global uint *to = next_states + node * ROWS * MACHINES;
    uint end = 0;
    uint idled = 0;
    for (uint k = 0; k < MACHINES; ++k) {
        uint machine = side == FRONT ? k : MACHINES - 1 - k;
        uint time = times[machine * jobs + job];
        uint at_free = from[FREE(side) * MACHINES + machine];
        uint start = max(end, at_free);
        uint waited = start - at_free + from[WAITED(side) * MACHINES + machine];
        end = start + time;
        idled += share(waited, end, share_bits, coarse);
        to[FREE(side) * MACHINES + machine] = end;
        to[WAITED(side) * MACHINES + machine] = waited;
        to[FREE(1 - side) * MACHINES + machine] = from[FREE(1 - side) * MACHINES + machine];
        to[WAITED(1 - side) * MACHINES + machine] = from[WAITED(1 - side) * MACHINES + machine];
        to[WORK * MACHINES + machine] = from[WORK * MACHINES + machine] - time;
    }
    next_idle[node] =
        side == FRONT ? (uint2)(idled, idle[parent].y) : (uint2)(idle[parent].x, idled);
}
