/* Lower bounds of all children of branch-and-bound nodes of the permutation flow shop.
 *
 * A node has some jobs fixed at the front of the sequence and some at the back. f(i) is the time at
 * which machine i becomes free after the front. b(i) is the time from the start of the back on
 * machine i to the end. r(i) is the time that machine i needs for the jobs between. A child fixes
 * one of these jobs at the front or at the back.
 *
 * The two kinds of children are mirror images of each other, so one pass over the machines bounds
 * both. Entry i of a row of pairs belongs to machine i in its first half and to machine MACHINES -
 * 1 - i in its second half.
 *
 * The state in a node's record has two rows: around[i] = (f, b), rest[i] = (r + b, r + f), both
 * padded with zeros to QUADS * 4 entries. Rows of times are padded like those. Included after
 * flow_shop_nodes.cl. */

#if TIMES_IN_LOCAL
#define TIMES local
#else
#define TIMES global
#endif

#define QUADS ((MACHINES + 3) / 4)
#define ROW_WORDS (QUADS * 4 * PAIR_WORDS)
#define REST ROW_WORDS

static pair larger(pair a, pair b)
{
#if WIDE
    return max(a, b);
#elif PACKED_PTX && defined(INLINE_PTX)
    uint result;
    asm("max.u16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
    return result;
#else
    return as_uint(max(as_ushort2(a), as_ushort2(b)));
#endif
}

/* The one-machine bounds of the children that fix a job at the front and at the back of a node. If
 * the node has one open job, both bounds are the makespan. */
static pair one_machine(local const uint *node, TIMES const quad *times)
{
    local const quad *around = (local const quad *)node;
    local const quad *rest = around + QUADS;
    pair start = 0;
    pair before = 0;
    pair bound = 0;
#pragma unroll
    for (uint i = 0; i < QUADS; ++i) {
        quad free = around[i];
        quad load = rest[i];
        quad time = times[i];
        start = larger(start + before, free.P0);
        bound = larger(bound, start + load.P0);
        start = larger(start + time.P0, free.P1);
        bound = larger(bound, start + load.P1);
        start = larger(start + time.P1, free.P2);
        bound = larger(bound, start + load.P2);
        start = larger(start + time.P2, free.P3);
        bound = larger(bound, start + load.P3);
        before = time.P3;
    }
    return bound;
}

/* Bounds all children of the tile's nodes; child c of node k is bounds[k * jobs + c]. `open` has
 * the number of children to bound for each node, `width` their maximum. */
static void bound_children(local const quad *tile,
    uint stride,
    local const uint *open,
    uint nodes,
    uint width,
    uint jobs,
    TIMES const quad *times,
    local pair *bounds)
{
    if (width == 0) {
        return;
    }
    uint lanes = get_local_size(0);
    uint node = get_local_id(0) / width;
    uint child = get_local_id(0) - node * width;
    uint node_step = lanes / width;
    uint child_step = lanes - node_step * width;
    while (node < nodes) {
        if (child < open[node]) {
            local const uint *record = node_of(tile, stride, node);
            uint job = job_at(record, fixed_at_front(record) + child);
            bounds[node * jobs + child] = one_machine(record, times + job * QUADS);
        }
        node += node_step;
        child += child_step;
        if (child >= width) {
            child -= width;
            ++node;
        }
    }
}

#if TWO_MACHINES

/* The two-machine bound of Lenstra et al. for all children at once. For a pair of machines u < v,
 * let Tu and Tv be their completion times when the open jobs are processed in Johnson's order. One
 * job maps d = Tv - Tu to max(d + a, c), with a = p(v) - p(u) and c = p(v) + the time between u and
 * v. Maps of this form are closed under composition, so prefixes and suffixes of the order give the
 * map of all jobs but one. Only C matters of its two constants: the other one leads to the
 * one-machine bound of v, which the child already has. The bounds are
 *
 * - for the child at the front: f'(u) + r'(u) + C + b(v),
 * - for the child at the back: f(u) + r'(u) + C + b'(v).
 *
 * C is never below a and never negative, so 0 can represent the empty composition.
 *
 * For each place k of Johnson's order, `orders` has a row of `pairs` steps: the job, with c in the
 * high half unless WIDE; a; and if WIDE, c and an unused word. `machines` has u and v of each
 * pair. */

#if WIDE
typedef uint4 johnson_step;
typedef uint constant_c;
#else
typedef uint2 johnson_step;
typedef ushort constant_c;
#endif

#define SCHEDULED ((ushort)65535)

static uint step_job(johnson_step step)
{
    return step.x & 0xffff;
}

static int step_c(johnson_step step)
{
#if WIDE
    return (int)step.z;
#else
    return (int)(step.x >> 16);
#endif
}

/* Local memory of the two-machine bound. It processes `chunk` children and `pair_chunk` pairs at a
 * time. */
typedef struct {
    local ushort *place;       /* jobs: child number of each open job, or SCHEDULED */
    local pair *ends_u;        /* MACHINES * chunk: (f'(u) + r'(u), f(u) + r'(u)) of each child */
    local pair *ends_v;        /* MACHINES * chunk: (b(v), b'(v)) of each child */
    local constant_c *but_one; /* chunk * pair_stride: C of all jobs but the child's */
    local pair *partial;       /* one for each work-item */
    uint chunk;
    uint pair_chunk;
    uint pair_stride;
} johnson_space;

/* Heads and tails around the open jobs, for the children from `first` on. */
static void child_ends(
    local const uint *node, uint first, uint count, TIMES const quad *times, johnson_space space)
{
    local const pair *around = (local const pair *)node;
    local const pair *rest = (local const pair *)(node + REST);
    for (uint child = get_local_id(0); child < count; child += get_local_size(0)) {
        uint job = job_at(node, fixed_at_front(node) + first + child);
        TIMES const pair *time = (TIMES const pair *)(times + job * QUADS);
        pair start = 0;
        for (uint i = 0; i < MACHINES; ++i) {
            uint mirror = MACHINES - 1 - i;
            start = larger(start, around[i]);
            uint front_u = first_of(start) + first_of(rest[i]) - second_of(around[mirror]);
            uint back_u = second_of(rest[mirror]) - first_of(time[i]);
            space.ends_u[i * space.chunk + child] = make_pair(front_u, back_u);
            start += time[i];
            space.ends_v[mirror * space.chunk + child] =
                make_pair(second_of(around[i]), second_of(start));
        }
    }
}

/* The constants C of one pair, for children from `first` on. `order` points to the pair's column of
 * Johnson's order. */
static void all_but_one(global const johnson_step *order,
    uint pairs,
    uint jobs,
    uint first,
    uint count,
    local constant_c *column,
    johnson_space space)
{
    int prefix = 0;
    for (uint k = 0; k < jobs; ++k) {
        johnson_step step = order[k * pairs];
        ushort place = space.place[step_job(step)];
        if (place != SCHEDULED) {
            uint child = place - first;
            if (child < count) {
                column[child * space.pair_stride] = (constant_c)prefix;
            }
            prefix = max(prefix + (int)step.y, step_c(step));
        }
    }
    int suffix = 0;
    int sum = 0;
    for (uint k = jobs; k-- > 0;) {
        johnson_step step = order[k * pairs];
        ushort place = space.place[step_job(step)];
        if (place != SCHEDULED) {
            uint child = place - first;
            if (child < count) {
                local constant_c *c = column + child * space.pair_stride;
                *c = (constant_c)max((int)*c + sum, suffix);
            }
            suffix = max(suffix, step_c(step) + sum);
            sum += (int)step.y;
        }
    }
}

/* Raises the bounds of a node's children to their two-machine bounds. All work-items of the group
 * must take part. */
static void two_machines(local const uint *node,
    uint open,
    uint jobs,
    TIMES const quad *times,
    global const johnson_step *orders,
    global const uchar2 *machines,
    uint pairs,
    johnson_space space,
    local pair *bounds)
{
    uint lane = get_local_id(0);
    uint lanes = get_local_size(0);
    for (uint k = lane; k < jobs; k += lanes) {
        uint child = k - fixed_at_front(node);
        space.place[job_at(node, k)] = child < open ? (ushort)child : SCHEDULED;
    }
    for (uint first = 0; first < open; first += space.chunk) {
        uint count = min(space.chunk, open - first);
        barrier(CLK_LOCAL_MEM_FENCE);
        child_ends(node, first, count, times, space);
        uint slices = max(lanes / count, 1u);
        uint slice = lane / count;
        pair best = 0;
        for (uint base = 0; base < pairs; base += space.pair_chunk) {
            uint some = min(space.pair_chunk, pairs - base);
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint p = lane; p < some; p += lanes) {
                all_but_one(orders + base + p, pairs, jobs, first, count, space.but_one + p, space);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            if (slice < slices) {
                uint child = lane - slice * count;
                for (uint p = slice; p < some; p += slices) {
                    uchar2 uv = machines[base + p];
                    uint c = space.but_one[child * space.pair_stride + p];
                    pair ends = space.ends_u[uv.x * space.chunk + child]
                        + space.ends_v[uv.y * space.chunk + child];
                    best = larger(best, ends + make_pair(c, c));
                }
            }
        }
        space.partial[lane] = best;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint child = lane; child < count; child += lanes) {
            pair bound = bounds[first + child];
            for (uint i = 0; i < slices; ++i) {
                bound = larger(bound, space.partial[i * count + child]);
            }
            bounds[first + child] = bound;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

#endif

#if TWO_MACHINES
#define JOHNSON_PARAMETERS \
    , global const johnson_step *orders, global const uchar2 *machines, uint pairs, uint chunk, \
        uint pair_chunk, uint pair_stride, local ushort *place, local pair *ends_u, \
        local pair *ends_v, local constant_c *but_one, local pair *partial
#define TAKE_JOHNSON \
    TAKE_PART(place); \
    TAKE_PART(ends_u); \
    TAKE_PART(ends_v); \
    TAKE_PART(but_one); \
    TAKE_PART(partial)
#define JOHNSON_SPACE {place, ends_u, ends_v, but_one, partial, chunk, pair_chunk, pair_stride}
#else
#define JOHNSON_PARAMETERS
#define TAKE_JOHNSON
#endif

/* Further parameters of those kernels: the times, and the tables of the two-machine bound. */
#define BOUND_PARAMETERS , global const quad *times, local quad *near_times JOHNSON_PARAMETERS
#define TAKE_BOUND \
    TAKE_PART(near_times); \
    TAKE_JOHNSON

#if TIMES_IN_LOCAL
#define TIMES_OF_CHOICE near_times
#else
#define TIMES_OF_CHOICE times
#endif

static void load_times(local quad *near_times, global const quad *times, uint jobs)
{
#if TIMES_IN_LOCAL
    for (uint i = get_local_id(0); i < jobs * QUADS; i += get_local_size(0)) {
        near_times[i] = times[i];
    }
#endif
}

/* Bounds all children of a list of nodes; child c of node k is bounds[k * jobs + c]. Each
 * work-group processes tiles of `tile_nodes` nodes until none is left. */
kernel void flow_shop_children(global const quad *records,
    uint nodes,
    global pair *bounds,
    TILE_PARAMETERS BOUND_PARAMETERS GROUP_ARRAYS)
{
    TAKE_TILE;
    TAKE_BOUND;
    TAKE_PART(group_arrays);
    GROUP_ARRAY(uint, width, 1);
    for (uint first = get_group_id(0) * tile_nodes; first < nodes;
        first += get_num_groups(0) * tile_nodes) {
        uint count = min(tile_nodes, nodes - first);
        load_tile(tile, stride, records + (ulong)first * size, size, count);
        load_times(near_times, times, jobs);
        if (get_local_id(0) == 0) {
            *width = 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = get_local_id(0); k < count; k += get_local_size(0)) {
            open[k] = open_jobs(node_of(tile, stride, k), jobs);
            atomic_max(width, open[k]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        bound_children(tile, stride, open, count, *width, jobs, TIMES_OF_CHOICE, near_bounds);
        barrier(CLK_LOCAL_MEM_FENCE);
#if TWO_MACHINES
        johnson_space space = JOHNSON_SPACE;
        for (uint k = 0; k < count; ++k) {
            two_machines(node_of(tile, stride, k), open[k], jobs, TIMES_OF_CHOICE, orders, machines,
                pairs, space, near_bounds + k * jobs);
        }
#endif
        for (uint i = get_local_id(0); i < count * jobs; i += get_local_size(0)) {
            uint node = i / jobs;
            if (i - node * jobs < open[node]) {
                bounds[(ulong)first * jobs + i] = near_bounds[i];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* What flow_shop_explore.cl asks of an objective: a tile's tables and the bounds of its children,
 * better bounds for the children of node k before the end is chosen (RAISES) or after (REFINES),
 * and the state of a child. */
#define LOAD_TABLES load_times(near_times, times, jobs)
#define BOUND_TILE(nodes, width) \
    bound_children(tile, stride, open, nodes, width, jobs, TIMES_OF_CHOICE, near_bounds)
#define RAISES (TWO_MACHINES && !REFINE)
#define REFINES (TWO_MACHINES && REFINE)
#define RAISE(k) \
    do { \
        johnson_space space = JOHNSON_SPACE; \
        two_machines(node_of(tile, stride, k), open[k], jobs, TIMES_OF_CHOICE, orders, machines, \
            pairs, space, near_bounds + (k) * jobs); \
    } while (0)

/* Makes the state of a node that of its child with the job at the front or, with `end` 1, at the
 * back. `times` are those of all jobs. */
static void fix_job(local uint *node, uint job, uint end, global const value *times)
{
    local value *around = (local value *)node;
    local value *rest = (local value *)(node + REST);
    global const value *time = times + job * (QUADS * 8);
    uint start = 0;
    for (uint i = 0; i < MACHINES; ++i) {
        uint own = 2 * i + end;
        uint mirror = 2 * (MACHINES - 1 - i) + 1 - end;
        uint before = around[own];
        start = max(start, before) + time[own];
        around[own] = (value)start;
        rest[own] -= time[own];
        rest[mirror] += (value)(start - before - time[own]);
    }
}
