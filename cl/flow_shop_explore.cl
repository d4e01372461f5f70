/* Branch and bound of the permutation flow shop with the tree on the device. Included after
 * flow_shop_nodes.cl and the source of the objective, which is flow_shop_bounds.cl for the
 * makespan.
 *
 * Open nodes are on a stack in device memory. One round replaces a batch of the topmost nodes by
 * their open children, in three launches. `expand` bounds the children of the batch, chooses the
 * end to branch at and lists the open children. `advance` computes where the children of each group
 * are written, takes over a better schedule and chooses the next batch. `branch` writes the
 * children. The result of a round does not depend on the order of work-items, so that a search is
 * the same on every device. The host queues many rounds at once and then reads the state.
 *
 * The host numbers the words of the state:
 * BASE           first node of the batch
 * COUNT          nodes of the batch; the stack ends behind it
 * INCUMBENT      open nodes have bounds below this
 * IMPROVED       1 when `best` has a sequence of that value
 * OLD_BASE       where the children of the last batch go
 * OLD_GROUPS     groups that the last batch took
 *
 * and the branching rules: FORWARD, BACKWARD, MIN_BRANCH, MAX_SUM and
 * MIN_MIN_FRONT  ties to the front
 * MIN_MIN_BACK   ties to the end with fewer open children, then to the back */

/* The summary of a group by `expand`: children listed, nodes decomposed, their open jobs, the least
 * value of its complete sequences, and that sequence's place in the batch. */
typedef uint8 summary;

/* Whether the front's sum of bounds is smaller than the back's. */
static uint by_sum(local const pair *bounds, uint open)
{
    long difference = 0;
    for (uint i = 0; i < open; ++i) {
        difference += (long)first_of(bounds[i]) - (long)second_of(bounds[i]);
    }
    return difference < 0;
}

/* The number of closed children at the front minus that at the back. */
static int more_closed_at_front(local const pair *bounds, uint open, uint limit)
{
    int difference = 0;
    for (uint i = 0; i < open; ++i) {
        difference += (int)(first_of(bounds[i]) >= limit) - (int)(second_of(bounds[i]) >= limit);
    }
    return difference;
}

/* How much more often the smallest of all bounds occurs at the front. */
static int more_smallest_at_front(local const pair *bounds, uint open)
{
    uint smallest = UINT_MAX;
    int difference = 0;
    for (uint i = 0; i < open; ++i) {
        uint front = first_of(bounds[i]);
        uint back = second_of(bounds[i]);
        uint both = min(front, back);
        difference = both < smallest ? 0 : difference;
        smallest = min(smallest, both);
        difference += (int)(front == smallest) - (int)(back == smallest);
    }
    return difference;
}

/* The end at which a node branches; 1 is the back. `limit` is the search's initial incumbent. */
static uint choose_end(uint rule, local const pair *bounds, uint open, uint limit)
{
    int difference = 0;
    switch (rule) {
    case FORWARD:
        return 0;
    case BACKWARD:
        return 1;
    case MAX_SUM:
        return by_sum(bounds, open);
    case MIN_BRANCH:
        difference = more_closed_at_front(bounds, open, limit);
        return difference == 0 ? by_sum(bounds, open) : difference < 0;
    case MIN_MIN_FRONT:
        return more_smallest_at_front(bounds, open) > 0;
    default:
        difference = more_smallest_at_front(bounds, open);
        return difference == 0 ? more_closed_at_front(bounds, open, limit) <= 0 : difference > 0;
    }
}

static uint bound_at(pair bounds, uint end)
{
    return end ? second_of(bounds) : first_of(bounds);
}

kernel void flow_shop_expand(global const quad *stack,
    global quad *batch,
    uint rule,
    uint limit,
    global const uint *state,
    global uint2 *listed,
    global summary *summaries,
    local uint *end,
    local uint *kept,
    TILE_PARAMETERS BOUND_PARAMETERS GROUP_ARRAYS)
{
    TAKE_PART(end);
    TAKE_PART(kept);
    TAKE_TILE;
    TAKE_BOUND;
    TAKE_PART(group_arrays);
    GROUP_ARRAY(uint, width, 1);
    GROUP_ARRAY(uint, decomposed, 1);
    GROUP_ARRAY(uint, summed, 1);
    GROUP_ARRAY(uint, least, 1);
    GROUP_ARRAY(uint, leaf, 1);
    uint lane = get_local_id(0);
    uint lanes = get_local_size(0);
    uint first = get_group_id(0) * tile_nodes;
    if (first >= state[COUNT]) {
        return;
    }
    uint nodes = min(tile_nodes, state[COUNT] - first);
    uint incumbent = state[INCUMBENT];
    global const quad *records = stack + (ulong)(state[BASE] + first) * size;
    load_tile(tile, stride, records, size, nodes);
    LOAD_TABLES;
    /* Kept in a copy, since children overwrite the top of the stack before `branch` has read all
     * parents. */
    for (uint i = lane; i < nodes * size; i += lanes) {
        batch[(ulong)first * size + i] = records[i];
    }
    if (lane == 0) {
        *width = 0;
        *decomposed = 0;
        *summed = 0;
        *least = UINT_MAX;
        *leaf = UINT_MAX;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = lane; k < nodes; k += lanes) {
        local const uint *node = node_of(tile, stride, k);
        /* The incumbent may have improved since the node was pushed. */
        open[k] = node[BOUND] < incumbent ? open_jobs(node, jobs) : 0;
        atomic_max(width, open[k]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    BOUND_TILE(nodes, *width);
    barrier(CLK_LOCAL_MEM_FENCE);

#if RAISES
    for (uint k = 0; k < nodes; ++k) {
        if (open[k] > 1) {
            RAISE(k);
        }
    }
#endif

    for (uint k = lane; k < nodes; k += lanes) {
        local const pair *children = near_bounds + k * jobs;
        uint side = 0;
        uint stay = 0;
        if (open[k] > 1) {
            atomic_inc(decomposed);
            atomic_add(summed, open[k]);
            side = choose_end(rule, children, open[k], limit);
            for (uint i = 0; i < open[k]; ++i) {
                stay += bound_at(children[i], side) < incumbent;
            }
        } else if (open[k] == 1) {
            atomic_min(least, first_of(children[0]));
        }
        end[k] = side;
        kept[k] = stay;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

#if REFINES
    for (uint k = 0; k < nodes; ++k) {
        if (kept[k] > 0) {
            RAISE(k);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = lane; k < nodes; k += lanes) {
        uint stay = 0;
        for (uint i = 0; i < open[k] && kept[k] > 0; ++i) {
            stay += bound_at(near_bounds[k * jobs + i], end[k]) < incumbent;
        }
        kept[k] = stay;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif

    global uint2 *list = listed + (ulong)first * jobs;
    for (uint k = lane; k < nodes; k += lanes) {
        uint next = 0;
        for (uint i = 0; i < k; ++i) {
            next += kept[i];
        }
        for (uint i = 0; kept[k] > 0 && i < open[k]; ++i) {
            uint bound = bound_at(near_bounds[k * jobs + i], end[k]);
            if (bound < incumbent) {
                list[next] = (uint2)(bound, k << 17 | i << 1 | end[k]);
                ++next;
            }
        }
        if (open[k] == 1 && first_of(near_bounds[k * jobs]) == *least) {
            atomic_min(leaf, first + k);
        }
        if (k == nodes - 1) {
            summaries[get_group_id(0)].s0 = next;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0) {
        summaries[get_group_id(0)].s1 = *decomposed;
        summaries[get_group_id(0)].s2 = *summed;
        summaries[get_group_id(0)].s3 = *least;
        summaries[get_group_id(0)].s4 = *leaf;
    }
}

/* Places the children of all groups, in the order of the batch, and chooses the next batch.
 * `totals` counts decomposed nodes and their open jobs. Runs as one work-group. */
kernel void flow_shop_advance(global const quad *batch,
    uint size,
    uint jobs,
    uint tile_nodes,
    uint most,
    uint capacity,
    global const summary *summaries,
    global uint *offsets,
    global uint *state,
    global ulong *totals,
    global uint *best,
    local uint *sums GROUP_ARRAYS)
{
    TAKE_PART(sums);
    TAKE_PART(group_arrays);
    GROUP_ARRAY(uint, least, 1);
    GROUP_ARRAY(uint, leaf, 1);
    GROUP_ARRAY(uint, decomposed, 1);
    GROUP_ARRAY(uint, summed, 1);
    uint lane = get_local_id(0);
    uint lanes = get_local_size(0);
    uint groups = (state[COUNT] + tile_nodes - 1) / tile_nodes;
    uint share = (groups + lanes - 1) / lanes;
    uint begin = min(lane * share, groups);
    uint stop = min(begin + share, groups);
    if (lane == 0) {
        *least = UINT_MAX;
        *leaf = UINT_MAX;
        *decomposed = 0;
        *summed = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint mine = 0;
    uint my_nodes = 0;
    uint my_jobs = 0;
    uint my_least = UINT_MAX;
    uint my_leaf = UINT_MAX;
    for (uint i = begin; i < stop; ++i) {
        summary group = summaries[i];
        mine += group.s0;
        my_nodes += group.s1;
        my_jobs += group.s2;
        my_leaf = group.s3 < my_least ? group.s4 : my_leaf;
        my_least = min(my_least, group.s3);
    }
    sums[lane] = mine;
    atomic_add(decomposed, my_nodes);
    atomic_add(summed, my_jobs);
    atomic_min(least, my_least);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (my_least == *least) {
        atomic_min(leaf, my_leaf);
    }
    for (uint reach = 1; reach < lanes; reach *= 2) {
        uint other = lane >= reach ? sums[lane - reach] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[lane] += other;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    uint next = sums[lane] - mine;
    for (uint i = begin; i < stop; ++i) {
        offsets[i] = next;
        next += summaries[i].s0;
    }
    if (*least < state[INCUMBENT]) {
        global const job_number *sequence =
            (global const job_number *)((global const uint *)(batch + (ulong)*leaf * size)
                + SEQUENCE);
        for (uint i = lane; i < jobs; i += lanes) {
            best[i] = sequence[i];
        }
    }
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    if (lane == 0) {
        if (*least < state[INCUMBENT]) {
            state[INCUMBENT] = *least;
            state[IMPROVED] = 1;
        }
        totals[0] += *decomposed;
        totals[1] += *summed;
        offsets[groups] = sums[lanes - 1];
        uint top = state[BASE] + sums[lanes - 1];
        /* All children of the batch must fit, however many stay open. */
        uint count = min(min(top, most), (capacity - top) / jobs);
        state[OLD_BASE] = state[BASE];
        state[OLD_GROUPS] = groups;
        state[BASE] = top - count;
        state[COUNT] = count;
    }
}

/* Turns a node into one of its children: the open job `child` is fixed at the front or, with `end`
 * 1, at the back. `times` are those of all jobs. */
static void make_child(
    local uint *node, uint jobs, uint child, uint end, uint bound, global const value *times)
{
    local job_number *sequence = (local job_number *)(node + SEQUENCE);
    uint front = fixed_at_front(node);
    /* A wrong list entry must not cause an access outside the record. */
    uint place = min(front + child, jobs - 1);
    uint target = end ? front + open_jobs(node, jobs) - 1 : front;
    job_number job = sequence[place];
    sequence[place] = sequence[target];
    sequence[target] = job;
    node[FIXED] += end ? 0x10000 : 1;
    node[BOUND] = bound;
    fix_job(node, job, end, times);
}

/* Writes the listed children, `some` at a time through local memory. The groups are those of
 * `expand`. */
kernel void flow_shop_branch(global quad *stack,
    global const quad *batch,
    uint size,
    uint jobs,
    global const value *times,
    uint tile_nodes,
    global const uint *state,
    global const uint2 *listed,
    global const uint *offsets,
    uint some,
    uint stride,
    local uint *children)
{
    TAKE_PART(children);
    uint group = get_group_id(0);
    if (group >= state[OLD_GROUPS]) {
        return;
    }
    uint lane = get_local_id(0);
    uint lanes = get_local_size(0);
    uint begin = offsets[group];
    uint total = offsets[group + 1] - begin;
    ulong first = (ulong)group * tile_nodes;
    global const uint2 *list = listed + first * jobs;
    global quad *to = stack + (ulong)(state[OLD_BASE] + begin) * size;
    for (uint base = 0; base < total; base += some) {
        uint count = min(some, total - base);
        for (uint i = lane; i < count * size; i += lanes) {
            uint child = i / size;
            uint word = i - child * size;
            uint parent = min(list[base + child].y >> 17, tile_nodes - 1);
            quad part = batch[(first + parent) * size + word];
            STORE_QUAD(part, word, children + child * stride);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint child = lane; child < count; child += lanes) {
            uint2 entry = list[base + child];
            make_child(children + child * stride, jobs, entry.y >> 1 & 0xffff, entry.y & 1, entry.x,
                times);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = lane; i < count * size; i += lanes) {
            uint child = i / size;
            to[(ulong)base * size + i] = LOAD_QUAD(i - child * size, children + child * stride);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* Lowers `*smallest`, initially UINT_MAX, to the smallest bound of the nodes on the stack. */
kernel void flow_shop_smallest(global const quad *stack,
    uint size,
    global const uint *state,
    global uint *smallest GROUP_ARRAYS)
{
    TAKE_PART(group_arrays);
    GROUP_ARRAY(uint, least, 1);
    if (get_local_id(0) == 0) {
        *least = UINT_MAX;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint mine = UINT_MAX;
    for (uint i = get_global_id(0); i < state[BASE] + state[COUNT]; i += get_global_size(0)) {
        mine = min(mine, ((global const uint *)(stack + (ulong)i * size))[BOUND]);
    }
    atomic_min(least, mine);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        atomic_min(smallest, *least);
    }
}

/* Copies the last `words` words of each of `count` records from `first` on, one after the other. */
kernel void flow_shop_tails(global const uint *stack,
    uint record_words,
    uint words,
    uint first,
    uint count,
    global uint *tails)
{
    ulong i = get_global_id(0);
    if (i < (ulong)count * words) {
        ulong node = first + i / words;
        tails[i] = stack[node * record_words + record_words - words + i % words];
    }
}

/* Computes a digest and copies the last `words` words of each of `count` records from `first` on.
 * Writes to the samples from place `to` on. */
kernel void flow_shop_sample(global const uint *stack,
    uint record_words,
    uint words,
    uint first,
    uint count,
    uint to,
    global uint *samples)
{
    ulong i = get_global_id(0);
    if (i < count) {
        global const uint *record = stack + (first + i) * record_words;
        global uint *sample = samples + (to + i) * (1 + words);
        uint digest = 0;
        for (uint word = 0; word < record_words; ++word) {
            digest = rotate(digest ^ record[word], 7u) * 0x9e3779b1u;
        }
        sample[0] = digest;
        for (uint word = 0; word < words; ++word) {
            sample[1 + word] = record[record_words - words + word];
        }
    }
}

/* Copies `count` records from number `from` on to number `to` on. The two ranges must not
 * overlap. */
kernel void flow_shop_shift(global quad *stack, uint from, uint to, uint count, uint size)
{
    ulong i = get_global_id(0);
    if (i < (ulong)count * size) {
        stack[(ulong)to * size + i] = stack[(ulong)from * size + i];
    }
}
