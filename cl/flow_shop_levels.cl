/* The levels of a beam search for a flow shop. The device computes each level from the previous one
 * without the host.
 *
 * SIDES  children that a tree generates for each free job of a node
 * BLOCK  children that a work-group of `count` and `place` processes; work-items divide it
 *
 * A tree's `expand` ranks the children of each node. Three rounds of `tally` and `narrow` find the
 * rank of the last child to keep, digit by digit. `count`, `offset` and `place` list the kept
 * children in order, and the tree's `grow` computes the nodes of the next level. `trace` traces the
 * final sequence back.
 *
 * Each node of a level has `free` unplaced jobs. Child `node * free + slot` adds the node's free
 * job number `slot`. No result depends on the order of work-items, so that every device finds the
 * CPU engine's. */

/* The rank of a child that leads to no better schedule, and the last rank if all children are kept.
 */
#define NONE 0xffffffffu

/* Control words: the number of nodes of even and of odd levels. The host numbers the others: the
 * LAST rank to keep or its known digits, the number of children with that rank that are WANTED,
 * whether any were DROPPED, and the number of generated CHILDREN in two words. */
#define NODES(depth) ((depth) & 1)

#define DIGITS (1 << DIGIT_BITS)

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
kernel void flow_shop_level_tally(global const uint *ranks,
    global const uint *control,
    global uint *tallies,
    uint first,
    uint end,
    uint depth,
    uint jobs,
    uint round GROUP_ARRAYS)
{
    TAKE_PART(group_arrays);
    GROUP_ARRAY(uint, near, DIGITS);
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
kernel void flow_shop_level_narrow(global uint *tallies,
    global uint *control,
    uint depth,
    uint jobs,
    uint width,
    uint round,
    local uint2 *sums)
{
    TAKE_PART(sums);
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
kernel void flow_shop_level_count(global const uint *ranks,
    global const uint *control,
    global uint2 *counts,
    uint first,
    uint depth,
    uint jobs GROUP_ARRAYS)
{
    TAKE_PART(group_arrays);
    GROUP_ARRAY(uint, below, 1);
    GROUP_ARRAY(uint, equal, 1);
    uint last = control[LAST];
    ulong children = (ulong)control[NODES(depth)] * (jobs - depth);
    ulong block = first + get_group_id(0);
    uint2 own = (uint2)(0, 0);
    if (get_local_id(0) == 0) {
        *below = *equal = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i < BLOCK; i += get_local_size(0)) {
        ulong child = block * BLOCK + i;
        own += child < children ? standing(ranks[child], last) : (uint2)(0, 0);
    }
    atomic_add(below, own.x);
    atomic_add(equal, own.y);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        counts[block] = (uint2)(*below, *equal);
    }
}

/* Replaces the counts by their sums over earlier blocks, and starts the next level. One
 * work-group. */
kernel void flow_shop_level_offset(
    global uint2 *counts, global uint *control, uint depth, uint jobs, local uint2 *sums)
{
    TAKE_PART(sums);
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
        ulong generated = SIDES * (ulong)nodes * open;
        uint low = control[CHILDREN] + (uint)generated;
        control[CHILDREN + 1] += (uint)(generated >> 32) + (low < (uint)generated);
        control[CHILDREN] = low;
    }
}

/* Lists the kept children of the blocks from `first` on, one per work-group. */
kernel void flow_shop_level_place(global const uint *ranks,
    global const uint *control,
    global const uint2 *counts,
    global uint *kept,
    uint first,
    uint depth,
    uint jobs,
    local uint2 *sums)
{
    TAKE_PART(sums);
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

/* Writes the jobs and sides that lead to the only node of the last level. One work-item. */
kernel void flow_shop_level_trace(
    global const uint2 *history, global uint *steps, uint width, uint jobs)
{
    uint node = 0;
    for (uint depth = jobs; depth-- > 0;) {
        uint2 step = history[(ulong)depth * width + node];
        steps[depth] = step.y;
        node = step.x;
    }
}
