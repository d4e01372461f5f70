/* Branch and bound on the device for the permutation flow shop; src/flow_shop/exact/tree.rs has the host's part.
 *
 * Open nodes lie in levels by their number of free jobs. A step takes the same number of free jobs for all its nodes,
 * one work-item each: it bounds all children at both ends, chooses the end and appends the open children to the next
 * level. A step of one work-item in between chooses what comes next.
 *
 * Built with: JOBS, MACHINES; FREE, the free jobs of the root; CAPACITY, nodes of a level; BATCH, nodes of a step; GROUP;
 * WIDE, whether bounds need more than 16 bits; ORDER_BITS, bits of a job in the order, the highest its end;
 * LOCAL_TIMES, whether the times fit into local memory; FOUND_ROWS; BOUND and BRANCHING as numbered below.
 *
 * A node is NODE_WORDS words, each CAPACITY words after the one before: its bound; its order; front, back and remaining
 * times of the machines. The order holds the free jobs, then those fixed from the last back to the first, with the end
 * they were fixed at. */

#define LB1 0
#define LB2 1
#define REFINED 2

#define FORWARD 0
#define BACKWARD 1
#define MIN_BRANCH 2
#define MIN_MIN 3
#define MAX_SUM 4

#if WIDE
#define ROW_WORDS MACHINES
typedef long sum_t;
#else
#define ROW_WORDS ((MACHINES + 1) / 2)
typedef int sum_t;
#endif
/* Odd, so that the rows of different jobs begin in different banks of local memory. */
#define TIMES_STRIDE (ROW_WORDS | 1)

#define PER_WORD (32 / ORDER_BITS)
#define ORDER_WORDS ((FREE + PER_WORD - 1) / PER_WORD)
#define ORDER_MASK ((1u << ORDER_BITS) - 1)
#define BACK_BIT (1u << (ORDER_BITS - 1))

#define BOUND_WORD 0
#define ORDER_WORD 1
#define FRONT_WORD (ORDER_WORD + ORDER_WORDS)
#define BACK_WORD (FRONT_WORD + ROW_WORDS)
#define REMAINING_WORD (BACK_WORD + ROW_WORDS)
#define NODE_WORDS (REMAINING_WORD + ROW_WORDS)

#define MASK_WORDS ((FREE + 31) / 32)

/* Words of the state. */
#define LIMIT 0      /* makespan of the best sequence, lowered by any work-item */
#define LIMIT_NOW 1  /* the same at the start of the step */
#define LEVEL 2      /* free jobs of the step's nodes */
#define FIRST 3      /* its first node */
#define COUNT 4      /* its number of nodes */
#define DECOMPOSED 5 /* how many of them were decomposed */
#define LEAST 6      /* least bound of all open nodes, if asked for */
#define OVERFLOW 7   /* whether a sequence was lost */
#define COUNTS 8     /* open nodes by free jobs */

#if LOCAL_TIMES
#define TIMES_SPACE __local
#else
#define TIMES_SPACE __global
#endif

static ulong place(uint level, uint word, uint slot)
{
    return ((ulong)(level - 2) * NODE_WORDS + word) * CAPACITY + slot;
}

/* Row `word` of a node's times, one machine to an element. */
static void load_row(__global const uint *pool, uint level, uint word, uint slot, uint *row)
{
#if WIDE
    for (int i = 0; i < MACHINES; ++i) {
        row[i] = pool[place(level, word + i, slot)];
    }
#else
    for (int i = 0; i < ROW_WORDS; ++i) {
        uint pair = pool[place(level, word + i, slot)];
        row[2 * i] = pair & 0xffff;
        if (2 * i + 1 < MACHINES) {
            row[2 * i + 1] = pair >> 16;
        }
    }
#endif
}

static void store_row(__global uint *pool, uint level, uint word, uint slot, const uint *row)
{
#if WIDE
    for (int i = 0; i < MACHINES; ++i) {
        pool[place(level, word + i, slot)] = row[i];
    }
#else
    for (int i = 0; i < ROW_WORDS; ++i) {
        uint high = 2 * i + 1 < MACHINES ? row[2 * i + 1] : 0;
        pool[place(level, word + i, slot)] = row[2 * i] | high << 16;
    }
#endif
}

/* The times of a job, one machine to an element. */
static void load_times(TIMES_SPACE const uint *times, uint job, uint *row)
{
    TIMES_SPACE const uint *words = times + job * TIMES_STRIDE;
#if WIDE
    for (int i = 0; i < MACHINES; ++i) {
        row[i] = words[i];
    }
#else
    for (int i = 0; i < ROW_WORDS; ++i) {
        uint pair = words[i];
        row[2 * i] = pair & 0xffff;
        if (2 * i + 1 < MACHINES) {
            row[2 * i + 1] = pair >> 16;
        }
    }
#endif
}

static uint order_at(__global const uint *pool, uint level, uint slot, uint position)
{
    uint word = pool[place(level, ORDER_WORD + position / PER_WORD, slot)];
    return word >> (position % PER_WORD * ORDER_BITS) & ORDER_MASK;
}

/* Bound of the child at the front; `after` are remaining and back times. */
static uint front_bound(const uint *front, const uint *after, const uint *times)
{
    uint start = 0, bound = 0;
    for (int i = 0; i < MACHINES; ++i) {
        start = max(start, front[i]);
        bound = max(bound, start + after[i]);
        start += times[i];
    }
    return bound;
}

/* Bound of the child at the back; `before` are remaining and front times. */
static uint back_bound(const uint *back, const uint *before, const uint *times)
{
    uint start = 0, bound = 0;
    for (int i = MACHINES - 1; i >= 0; --i) {
        start = max(start, back[i]);
        bound = max(bound, start + before[i]);
        start += times[i];
    }
    return bound;
}

static void append(uint *front, const uint *times)
{
    uint end = 0;
    for (int i = 0; i < MACHINES; ++i) {
        end = max(end, front[i]) + times[i];
        front[i] = end;
    }
}

static void prepend(uint *back, const uint *times)
{
    uint end = 0;
    for (int i = MACHINES - 1; i >= 0; --i) {
        end = max(end, back[i]) + times[i];
        back[i] = end;
    }
}

#if BOUND != LB1
/* The two-machine bound of a child, at least `bound`, by a walk along Johnson's order of each pair of machines; ends
 * early when the bound reaches `limit`. `remaining` has the child's own job out. A step of the walk is three words:
 * its job, and the map lead -> max(lead + add, least). */
static uint two_machine_bound(
    __global const int *pairs,
    const uint *front,
    const uint *back,
    const uint *remaining,
    const uint *is_free,
    uint bound,
    uint limit)
{
    __global const int *step = pairs;
    for (int u = 0; u < MACHINES && bound < limit; ++u) {
        for (int v = u + 1; v < MACHINES && bound < limit; ++v) {
            int lead = (int)(front[v] - front[u]);
            for (int k = 0; k < JOBS; ++k, step += 3) {
                uint job = (uint)step[0];
                int moved = max(lead + step[1], step[2]);
                lead = is_free[job / 32] >> job % 32 & 1 ? moved : lead;
            }
            uint first_end = front[u] + remaining[u];
            bound = max(bound, first_end + back[u]);
            bound = max(bound, (uint)((int)first_end + lead) + back[v]);
        }
    }
    return bound;
}
#endif

/* The makespan when the last free job is fixed as well. */
static uint complete(const uint *front, const uint *back, const uint *times)
{
    uint end = 0, makespan = 0;
    for (int i = 0; i < MACHINES; ++i) {
        end = max(end, front[i]) + times[i];
        makespan = max(makespan, end + back[i]);
    }
    return makespan;
}

/* Chooses the next step: the deepest level with a whole batch, else the fullest. One work-item. */
__kernel void tree_plan(__global uint *state, __global ulong *totals)
{
    ulong decomposed = state[DECOMPOSED];
    totals[0] += decomposed;
    totals[1] += decomposed * state[LEVEL] * (BRANCHING <= BACKWARD ? 1 : 2);
    state[DECOMPOSED] = 0;
    state[LIMIT_NOW] = state[LIMIT];

    uint level = 2, count = 0;
    for (uint i = 2; i <= FREE && count < BATCH; ++i) {
        uint open = state[COUNTS + i];
        if (open > count) {
            level = i;
            count = open;
        }
    }
    uint room = level == 2 ? UINT_MAX : (CAPACITY - state[COUNTS + level - 1]) / level;
    count = min(min(count, (uint)BATCH), room);
    state[COUNTS + level] -= count;
    state[LEVEL] = level;
    state[FIRST] = state[COUNTS + level];
    state[COUNT] = count;
}

/* Least bound of the open nodes of a level into the state. */
__kernel void tree_least(__global const uint *pool, __global uint *state, uint level)
{
    uint least = UINT_MAX, count = state[COUNTS + level];
    for (uint slot = get_global_id(0); slot < count; slot += get_global_size(0)) {
        least = min(least, pool[place(level, BOUND_WORD, slot)]);
    }
    if (least != UINT_MAX) {
        atomic_min(&state[LEAST], least);
    }
}

/* Which children of a node are open at an end, and what the choice of the end needs. */
struct end {
    uint open[MASK_WORDS];
    uint open_count;
    uint closed;
};

static void note_child(struct end *end, uint child, uint bound, uint limit, uint branching_limit)
{
    end->open[child / 32] |= (uint)(bound < limit) << child % 32;
    end->open_count += bound < limit;
    end->closed += bound >= branching_limit;
}

/* Whether the node is decomposed at its back. `difference` is the sum of the front's bounds less that of the back's. */
static int chooses_back(
    const struct end *front,
    const struct end *back,
    sum_t difference,
    uint front_least,
    uint back_least)
{
#if BRANCHING == FORWARD
    return 0;
#elif BRANCHING == BACKWARD
    return 1;
#elif BRANCHING == MAX_SUM
    return difference < 0;
#elif BRANCHING == MIN_BRANCH
    return front->closed == back->closed ? difference < 0 : front->closed < back->closed;
#else
    return front_least == back_least ? front->closed <= back->closed : front_least > back_least;
#endif
}

/* Keeps a complete sequence that is shorter than all before. `found` is a table of FOUND_ROWS makespans, 0 where there
 * is none yet, and then their orders. */
static void keep(
    __global uint *state,
    __global uint *found,
    uint makespan,
    __global const uint *pool,
    uint slot,
    uint child,
    uint fixed)
{
    if (makespan >= atomic_min(&state[LIMIT], makespan)) {
        return;
    }
    for (uint probe = 0; probe < FOUND_ROWS; ++probe) {
        uint row = (makespan + probe) % FOUND_ROWS;
        uint other = atomic_cmpxchg(&found[row], 0, makespan + 1);
        if (other == makespan + 1) {
            return;
        }
        if (other == 0) {
            __global uint *order = found + FOUND_ROWS + row * FREE;
            for (uint i = 2; i < FREE; ++i) {
                order[i] = order_at(pool, 2, slot, i);
            }
            order[1] = fixed;
            order[0] = order_at(pool, 2, slot, 1 - child);
            return;
        }
    }
    state[OVERFLOW] = 1;
}

/* Decomposes the nodes of the step. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void tree_expand(
    __global const uint *all_times,
    __global const int *pairs,
    __global uint *pool,
    __global uint *state,
    __global uint *found,
    uint branching_limit)
{
    __local uint group_children, group_first, group_nodes;
    uint count = state[COUNT];
    uint lane = get_local_id(0);
    if (get_group_id(0) * GROUP >= count) {
        return;
    }
#if LOCAL_TIMES
    __local uint times[JOBS * TIMES_STRIDE];
    for (uint i = lane; i < JOBS * TIMES_STRIDE; i += GROUP) {
        times[i] = all_times[i];
    }
#else
    __global const uint *times = all_times;
#endif
    if (lane == 0) {
        group_children = 0;
        group_nodes = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    uint level = state[LEVEL], limit = state[LIMIT_NOW];
    uint slot = state[FIRST] + get_global_id(0);
    int works = get_global_id(0) < count && pool[place(level, BOUND_WORD, slot)] < limit;

    uint front[MACHINES + 1], back[MACHINES + 1], row[MACHINES + 1];
    uint after[MACHINES], before[MACHINES];
    struct end at_front, at_back;
    at_front.open_count = at_front.closed = at_back.open_count = at_back.closed = 0;
    for (int i = 0; i < MASK_WORDS; ++i) {
        at_front.open[i] = at_back.open[i] = 0;
    }
    int to_back = 0;
    uint children = 0;
    if (works) {
        load_row(pool, level, FRONT_WORD, slot, front);
        load_row(pool, level, BACK_WORD, slot, back);
        load_row(pool, level, REMAINING_WORD, slot, row);
        for (int i = 0; i < MACHINES; ++i) {
            after[i] = row[i] + back[i];
            before[i] = row[i] + front[i];
        }
#if BOUND != LB1
        uint is_free[(JOBS + 31) / 32];
        for (int i = 0; i < (JOBS + 31) / 32; ++i) {
            is_free[i] = 0;
        }
        for (uint child = 0; child < level; ++child) {
            uint job = order_at(pool, level, slot, child);
            is_free[job / 32] |= 1u << job % 32;
        }
#endif
        sum_t difference = 0;
        uint least = UINT_MAX, front_least = 0, back_least = 0;
        for (uint child = 0; child < level; ++child) {
            uint job = order_at(pool, level, slot, child);
            load_times(times, job, row);
            uint by_front = front_bound(front, after, row);
            uint by_back = back_bound(back, before, row);
#if BOUND == LB2
            uint changed[MACHINES + 1], remaining[MACHINES];
            for (int i = 0; i < MACHINES; ++i) {
                remaining[i] = after[i] - back[i] - row[i];
                changed[i] = front[i];
            }
            append(changed, row);
            is_free[job / 32] &= ~(1u << job % 32);
            by_front = two_machine_bound(pairs, changed, back, remaining, is_free, by_front, UINT_MAX);
            for (int i = 0; i < MACHINES; ++i) {
                changed[i] = back[i];
            }
            prepend(changed, row);
            by_back = two_machine_bound(pairs, front, changed, remaining, is_free, by_back, UINT_MAX);
            is_free[job / 32] |= 1u << job % 32;
#endif
            note_child(&at_front, child, by_front, limit, branching_limit);
            note_child(&at_back, child, by_back, limit, branching_limit);
            difference += (sum_t)by_front - (sum_t)by_back;
            uint smaller = min(by_front, by_back);
            if (smaller < least) {
                least = smaller;
                front_least = back_least = 0;
            }
            front_least += by_front == least;
            back_least += by_back == least;
        }
        to_back = chooses_back(&at_front, &at_back, difference, front_least, back_least);
        if (to_back) {
            at_front = at_back;
        }
#if BOUND == REFINED
        at_front.open_count = 0;
        for (uint child = 0; child < level; ++child) {
            if ((at_front.open[child / 32] >> child % 32 & 1) == 0) {
                continue;
            }
            uint job = order_at(pool, level, slot, child);
            uint changed[MACHINES + 1], remaining[MACHINES];
            load_times(times, job, row);
            for (int i = 0; i < MACHINES; ++i) {
                remaining[i] = after[i] - back[i] - row[i];
                changed[i] = to_back ? back[i] : front[i];
            }
            uint bound;
            is_free[job / 32] &= ~(1u << job % 32);
            if (to_back) {
                prepend(changed, row);
                bound = two_machine_bound(pairs, front, changed, remaining, is_free, 0, limit);
            } else {
                append(changed, row);
                bound = two_machine_bound(pairs, changed, back, remaining, is_free, 0, limit);
            }
            is_free[job / 32] |= 1u << job % 32;
            at_front.open[child / 32] &= ~((uint)(bound >= limit) << child % 32);
            at_front.open_count += bound < limit;
        }
#endif
        children = level == 2 ? 0 : at_front.open_count;
        atomic_inc(&group_nodes);
    }
    uint own_first = children == 0 ? 0 : atomic_add(&group_children, children);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0) {
        group_first = group_children == 0 ? 0 : atomic_add(&state[COUNTS + level - 1], group_children);
        atomic_add(&state[DECOMPOSED], group_nodes);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!works) {
        return;
    }

    uint target = group_first + own_first;
    for (int word = 0; word < MASK_WORDS; ++word) {
        for (uint open = at_front.open[word]; open != 0; open &= open - 1) {
            uint child = word * 32 + popcount((open & -open) - 1);
            uint job = order_at(pool, level, slot, child);
            uint end[MACHINES + 1];
            load_times(times, job, row);
            uint fixed = to_back ? job | BACK_BIT : job;
            uint bound = to_back ? back_bound(back, before, row) : front_bound(front, after, row);
            for (int i = 0; i < MACHINES; ++i) {
                end[i] = to_back ? back[i] : front[i];
            }
            if (to_back) {
                prepend(end, row);
            } else {
                append(end, row);
            }
            if (level == 2) {
                uint last[MACHINES + 1];
                load_times(times, order_at(pool, 2, slot, 1 - child), last);
                uint makespan = to_back ? complete(front, end, last) : complete(end, back, last);
                if (makespan < limit) {
                    keep(state, found, makespan, pool, slot, child, fixed);
                }
                continue;
            }
            uint next = level - 1;
            pool[place(next, BOUND_WORD, target)] = bound;
            /* The last free job takes the place of the one that is fixed now. */
            uint moved = order_at(pool, level, slot, level - 1);
            for (uint i = 0; i < ORDER_WORDS; ++i) {
                uint value = pool[place(level, ORDER_WORD + i, slot)];
                uint at = child % PER_WORD * ORDER_BITS;
                value = i == child / PER_WORD ? (value & ~(ORDER_MASK << at)) | moved << at : value;
                at = (level - 1) % PER_WORD * ORDER_BITS;
                value = i == (level - 1) / PER_WORD ? (value & ~(ORDER_MASK << at)) | fixed << at : value;
                pool[place(next, ORDER_WORD + i, target)] = value;
            }
            store_row(pool, next, FRONT_WORD, target, to_back ? front : end);
            store_row(pool, next, BACK_WORD, target, to_back ? end : back);
            for (int i = 0; i < MACHINES; ++i) {
                row[i] = after[i] - back[i] - row[i];
            }
            store_row(pool, next, REMAINING_WORD, target, row);
            ++target;
        }
    }
}
