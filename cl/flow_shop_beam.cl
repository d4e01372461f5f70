/* Beam search for the permutation flow shop. The device computes each level from the previous one
 * without the host.
 *
 * MACHINES  number of machines
 * BLOCK     children that a work-group of `count` and `place` processes; work-items divide it
 *
 * `expand` bounds the children of each node, chooses the side at which the node grows, and ranks
 * its children there. Three rounds of `tally` and `narrow` find the rank of the last child to keep,
 * digit by digit. `count`, `offset` and `place` list the kept children in order, and `grow`
 * computes the nodes of the next level. `trace` traces the final sequence back.
 *
 * Each node of a level has `free` unplaced jobs. Child `node * free + slot` adds the node's free
 * job number `slot`. All computations use integers and do not depend on the order of work-items, so
 * that every device finds the CPU engine's result.
 *
 * A node's state: rows of MACHINES numbers, as on the host. */
#define FREE(side) (side)
#define WAITED(side) (2 + (side))
#define WORK 4

#define FRONT 0u
#define BACK 1u

/* The idle time of a side without jobs; the rank of a child that leads to no better schedule; and
 * the last rank if all children are kept. */
#define NONE 0xffffffffu

/* Control words: the number of nodes of even and of odd levels. The host numbers the others: the
 * LAST rank to keep or its known digits, the number of children with that rank that are WANTED,
 * whether any were DROPPED, and the number of generated CHILDREN in two words. */
#define NODES(depth) ((depth) & 1)

#define DIGITS (1 << DIGIT_BITS)

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

/* The unplaced jobs of word `word`. */
static uint free_jobs(global const uint *placed, uint word, uint jobs)
{
    uint in_word = min(jobs - 32 * word, 32u);
    return ~placed[word] & (NONE >> (32 - in_word));
}

/* The free jobs of a node in ascending order. */
static void list_free_jobs(global const uint *placed, uint jobs, local ushort *list)
{
    for (uint word = get_local_id(0); 32 * word < jobs; word += get_local_size(0)) {
        uint slot = 0;
        for (uint before = 0; before < word; ++before) {
            slot += popcount(free_jobs(placed, before, jobs));
        }
        for (uint left = free_jobs(placed, word, jobs); left; left &= left - 1) {
            list[slot++] = 32 * word + 31 - clz(left & -left);
        }
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
    local ushort *list)
{
    local term terms[2 * MACHINES];
    local int fewer, low, high;
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
        fewer = low = high = 0;
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
    atomic_add(&fewer, more);
    atomic_add(&low, (int)(excess & 0xffff));
    atomic_add(&high, (int)(excess >> 16));
    barrier(CLK_LOCAL_MEM_FENCE);
    excess = ((long)high << 16) + low;
    uint side = fewer < 0 || (fewer == 0 && excess >= 0) ? FRONT : BACK;
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

/* The rounds use the upper 11 bits of a rank, the next 11 and the last 10. */
static uint low_bits(uint round)
{
    return round == 0 ? 21 : round == 1 ? 10 : 0;
}

static uint digit_bits(uint round)
{
    return round == 2 ? 10 : DIGIT_BITS;
}

/* Counts children from `first` to `end` by this round's digit. Only children whose earlier digits
 * equal those of the last rank count. */
kernel void flow_shop_beam_tally(global const uint *ranks,
    global const uint *control,
    global uint *tallies,
    uint first,
    uint end,
    uint depth,
    uint jobs,
    uint round)
{
    local uint near[DIGITS];
    uint last = control[LAST];
    uint low = low_bits(round);
    uint mask = (1u << digit_bits(round)) - 1;
    end = min((ulong)end, (ulong)control[NODES(depth)] * (jobs - depth));
    if (round > 0 && last == NONE) {
        return;
    }
    for (uint digit = get_local_id(0); digit < DIGITS; digit += get_local_size(0)) {
        near[digit] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (ulong child = first + get_global_id(0); child < end; child += get_global_size(0)) {
        uint rank = ranks[child];
        bool known = round == 0 || rank >> (low + digit_bits(round)) == last;
        if (known && rank != NONE) {
            atomic_inc(near + (rank >> low & mask));
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint digit = get_local_id(0); digit < DIGITS; digit += get_local_size(0)) {
        if (near[digit]) {
            atomic_add(tallies + digit, near[digit]);
        }
    }
}

/* The sum over the earlier work-items; the last entry of `sums` is the total. */
static uint2 sum_before(uint2 own, local uint2 *sums)
{
    uint lane = get_local_id(0);
    sums[lane] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < get_local_size(0); step *= 2) {
        uint2 before = lane >= step ? sums[lane - step] : (uint2)(0, 0);
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[lane] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return sums[lane] - own;
}

/* Finds this round's digit of the last of `width` children, if there are more than that. Runs as
 * one work-group; its size divides DIGITS. Clears the tallies. */
kernel void flow_shop_beam_narrow(global uint *tallies,
    global uint *control,
    uint depth,
    uint jobs,
    uint width,
    uint round,
    local uint2 *sums)
{
    uint last = control[LAST];
    uint wanted = round == 0 ? width : control[WANTED];
    uint each = DIGITS / get_local_size(0);
    uint digit = get_local_id(0) * each;
    /* All work-items read the control words before one writes them. */
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (round > 0 && last == NONE) {
        return;
    }
    uint2 own = (uint2)(0, 0);
    for (uint i = 0; i < each; ++i) {
        own.x += tallies[digit + i];
    }
    uint before = sum_before(own, sums).x;
    uint all = sums[get_local_size(0) - 1].x;
    if (round == 0 && all <= width) {
        if (get_local_id(0) == 0) {
            control[LAST] = NONE;
            control[WANTED] = 0;
        }
    } else if (before < wanted && wanted <= before + own.x) {
        while (before + tallies[digit] < wanted) {
            before += tallies[digit++];
        }
        control[LAST] = round == 0 ? digit : last << digit_bits(round) | digit;
        control[WANTED] = wanted - before;
        /* Only the best complete schedule is needed, so dropping others does not count. */
        control[DROPPED] |= depth + 1 < jobs;
    }
    digit = get_local_id(0) * each;
    for (uint i = 0; i < each; ++i) {
        tallies[digit + i] = 0;
    }
}

/* Whether a child ranks before the last kept rank, and whether it has that rank. */
static uint2 standing(uint rank, uint last)
{
    return (uint2)(rank < last, rank == last && last != NONE);
}

/* Counts both kinds for the blocks from `first` on, one per work-group. */
kernel void flow_shop_beam_count(global const uint *ranks,
    global const uint *control,
    global uint2 *counts,
    uint first,
    uint depth,
    uint jobs)
{
    local uint below, equal;
    uint last = control[LAST];
    ulong children = (ulong)control[NODES(depth)] * (jobs - depth);
    ulong block = first + get_group_id(0);
    uint2 own = (uint2)(0, 0);
    if (get_local_id(0) == 0) {
        below = equal = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i < BLOCK; i += get_local_size(0)) {
        ulong child = block * BLOCK + i;
        own += child < children ? standing(ranks[child], last) : (uint2)(0, 0);
    }
    atomic_add(&below, own.x);
    atomic_add(&equal, own.y);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        counts[block] = (uint2)(below, equal);
    }
}

/* Replaces the counts by their sums over earlier blocks, and starts the next level. One
 * work-group. */
kernel void flow_shop_beam_offset(
    global uint2 *counts, global uint *control, uint depth, uint jobs, local uint2 *sums)
{
    uint open = jobs - depth;
    uint nodes = control[NODES(depth)];
    uint blocks = ((ulong)nodes * open + BLOCK - 1) / BLOCK;
    uint each = (blocks + get_local_size(0) - 1) / get_local_size(0);
    uint first = min((uint)get_local_id(0) * each, blocks);
    uint end = min(first + each, blocks);
    uint2 own = (uint2)(0, 0);
    for (uint block = first; block < end; ++block) {
        own += counts[block];
    }
    uint2 before = sum_before(own, sums);
    for (uint block = first; block < end; ++block) {
        uint2 here = counts[block];
        counts[block] = before;
        before += here;
    }
    if (get_local_id(0) == 0) {
        uint2 all = sums[get_local_size(0) - 1];
        control[NODES(depth + 1)] = all.x + min(all.y, control[WANTED]);
        ulong generated = 2 * (ulong)nodes * open;
        uint low = control[CHILDREN] + (uint)generated;
        control[CHILDREN + 1] += (uint)(generated >> 32) + (low < (uint)generated);
        control[CHILDREN] = low;
    }
}

/* Lists the kept children of the blocks from `first` on, one per work-group. */
kernel void flow_shop_beam_place(global const uint *ranks,
    global const uint *control,
    global const uint2 *counts,
    global uint *kept,
    uint first,
    uint depth,
    uint jobs,
    local uint2 *sums)
{
    uint last = control[LAST];
    uint wanted = control[WANTED];
    ulong children = (ulong)control[NODES(depth)] * (jobs - depth);
    ulong block = first + get_group_id(0);
    uint each = BLOCK / get_local_size(0);
    ulong begin = block * BLOCK + get_local_id(0) * each;
    ulong end = min((ulong)(begin + each), children);
    if (block * BLOCK >= children) {
        return;
    }
    uint2 own = (uint2)(0, 0);
    for (ulong child = begin; child < end; ++child) {
        own += standing(ranks[child], last);
    }
    uint2 before = counts[block] + sum_before(own, sums);
    for (ulong child = begin; child < end; ++child) {
        uint2 here = standing(ranks[child], last);
        if (here.x || (here.y && before.y < wanted)) {
            kept[before.x + min(before.y, wanted)] = child;
        }
        before += here;
    }
}

/* The free job number `slot`. */
static uint free_job(global const uint *placed, uint jobs, uint slot)
{
    uint word = 0;
    uint left = free_jobs(placed, 0, jobs);
    while (slot >= popcount(left)) {
        slot -= popcount(left);
        left = free_jobs(placed, ++word, jobs);
    }
    for (; slot; --slot) {
        left &= left - 1;
    }
    return 32 * word + 31 - clz(left & -left);
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

/* Writes the jobs and sides that lead to the only node of the last level. One work-item. */
kernel void flow_shop_beam_trace(
    global const uint2 *history, global uint *steps, uint width, uint jobs)
{
    uint node = 0;
    for (uint depth = jobs; depth-- > 0;) {
        uint2 step = history[(ulong)depth * width + node];
        steps[depth] = step.y;
        node = step.x;
    }
}
