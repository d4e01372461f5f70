/* Explores the trees below a pool of nodes that the host selected, one work-item for each: the
 * parallel tree exploration of Melab, Chakroun, Mezmaz and Tuyttens. The host's part is in
 * src/flow_shop/exact/tree_pool/. Comes after flow_shop_pool_bounds.cl.
 *
 * A work-item branches, bounds and prunes depth first. It has an order of jobs, that of its present
 * node, and a stack of open children: those of the deepest node on its path are on top, the one
 * with the smallest bound last. `levels` has for each node of the path with open children twice the
 * place of the first one, plus 1 if they fix their jobs at the back. A stack with the present node
 * is all that is left of a tree.
 *
 * Entry k of work-item i is at k * items + i, so that neighbours read neighbouring words; `rows`
 * and `best` have one sequence after the other. A launch bounds some children of each work-item's
 * present node, from the end of the last launch on.
 *
 * Shared with the host: the words of a work-item's state,
 * FRONT, BACK  jobs at the ends of the present node
 * LEVELS, TOP  levels of the path, entries on the stack
 * NEXT         children of the present node that are bounded, or EXHAUSTED if no node is left
 * NODES, FREE  decomposed nodes, and the sum of their free jobs
 * LIMIT        what bounds must be below: the incumbent, or the value of the work-item's best leaf
 * BOUND        the present node's bound
 * and NOBODY, the job of an entry that is a present node; the branching rules FORWARD, BACKWARD,
 * MIN_BRANCH, MAX_SUM, MIN_MIN_FRONT, MIN_MIN_BACK. */

typedef struct {
    uint front, back, levels, top, next, nodes, sum, limit, bound;
} explorer;

/* Fills in the work-items' states at the nodes of `rows`. */
kernel void flow_shop_tree_begin(global const JOB_T *rows,
    global const uint *ends,
    global JOB_T *orders,
    global uint *states,
    uint limit,
    uint items,
    uint first_item,
    uint end_item)
{
    uint item = first_item + get_global_id(0);
    if (item >= end_item) {
        return;
    }
    ulong stride = items;
    for (uint k = 0; k < JOBS; ++k) {
        orders[k * stride + item] = rows[(ulong)item * JOBS + k];
    }
    global uint *state = states + item;
    state[FRONT * stride] = ends[2 * item];
    state[BACK * stride] = ends[2 * item + 1];
    state[LEVELS * stride] = 0;
    state[TOP * stride] = 0;
    state[NEXT * stride] = 0;
    state[NODES * stride] = 0;
    state[FREE * stride] = 0;
    state[LIMIT * stride] = limit;
    state[BOUND * stride] = 0;
}

/* Whether the front's sum of bounds is smaller than the back's. */
static uint by_sum(global const uint *bounds, uint open, ulong stride)
{
    long difference = 0;
    for (uint i = 0; i < open; ++i) {
        difference += (long)bounds[i * stride] - (long)bounds[(open + i) * stride];
    }
    return difference < 0;
}

/* The number of closed children at the front minus that at the back. */
static int more_closed_at_front(global const uint *bounds, uint open, ulong stride, uint limit)
{
    int difference = 0;
    for (uint i = 0; i < open; ++i) {
        difference +=
            (int)(bounds[i * stride] >= limit) - (int)(bounds[(open + i) * stride] >= limit);
    }
    return difference;
}

/* How much more often the smallest of all bounds occurs at the front. */
static int more_smallest_at_front(global const uint *bounds, uint open, ulong stride)
{
    uint smallest = UINT_MAX;
    int difference = 0;
    for (uint i = 0; i < open; ++i) {
        uint front = bounds[i * stride];
        uint back = bounds[(open + i) * stride];
        uint both = min(front, back);
        difference = both < smallest ? 0 : difference;
        smallest = min(smallest, both);
        difference += (int)(front == smallest) - (int)(back == smallest);
    }
    return difference;
}

/* The end at which a node branches; 1 is the back. `limit` is the search's initial incumbent. */
static uint choose_end(uint rule, global const uint *bounds, uint open, ulong stride, uint limit)
{
    int difference = 0;
    switch (rule) {
    case FORWARD:
        return 0;
    case BACKWARD:
        return 1;
    case MAX_SUM:
        return by_sum(bounds, open, stride);
    case MIN_BRANCH:
        difference = more_closed_at_front(bounds, open, stride, limit);
        return difference == 0 ? by_sum(bounds, open, stride) : difference < 0;
    case MIN_MIN_FRONT:
        return more_smallest_at_front(bounds, open, stride) > 0;
    default:
        difference = more_smallest_at_front(bounds, open, stride);
        return difference == 0 ? more_closed_at_front(bounds, open, stride, limit) <= 0
                               : difference > 0;
    }
}

static uint free_jobs(const explorer *at)
{
    return JOBS - at->front - at->back;
}

/* Goes to the child of the present node that fixes a job. */
static void enter(explorer *at, global JOB_T *order, ulong stride, uint job, uint at_back)
{
    uint place = at->front;
    while (order[place * stride] != job) {
        ++place;
    }
    uint fixed = at_back ? JOBS - 1 - at->back : at->front;
    order[place * stride] = order[fixed * stride];
    order[fixed * stride] = job;
    at->back += at_back;
    at->front += 1 - at_back;
}

/* Returns from a child of the last level to its parent. */
static void leave(explorer *at, global const uint *levels, ulong stride)
{
    if (at->levels > 0) {
        uint at_back = levels[(at->levels - 1) * stride] & 1;
        at->back -= at_back;
        at->front -= 1 - at_back;
    }
}

/* Decomposes the present node, whose children are bounded: puts the open ones on the stack. */
static void branch(explorer *at,
    uint rule,
    uint branching_limit,
    global const uint *bounds,
    global const JOB_T *order,
    global uint *stack_bounds,
    global JOB_T *stack_jobs,
    global uint *levels,
    ulong stride)
{
    uint open = free_jobs(at), begin = at->top;
    uint end = choose_end(rule, bounds, open, stride, branching_limit);
    global const uint *chosen = bounds + (end && rule != BACKWARD ? open * stride : 0);
    for (uint k = 0; k < open; ++k) {
        uint bound = chosen[k * stride], job = order[(at->front + k) * stride];
        if (bound >= at->limit) {
            continue;
        }
        ulong place = at->top++;
        while (place > begin) {
            uint below = stack_bounds[(place - 1) * stride];
            uint other = stack_jobs[(place - 1) * stride];
            if (below > bound || (below == bound && other > job)) {
                break;
            }
            stack_bounds[place * stride] = below;
            stack_jobs[place * stride] = other;
            --place;
        }
        stack_bounds[place * stride] = bound;
        stack_jobs[place * stride] = job;
    }
    at->nodes += 1;
    at->sum += open;
    if (at->top > begin) {
        levels[at->levels * stride] = begin << 1 | end;
        at->levels += 1;
    } else {
        leave(at, levels, stride);
    }
}

/* Goes to the next node: the last open child of the deepest level that has any. */
static void go_on(explorer *at,
    global JOB_T *order,
    global const uint *stack_bounds,
    global const JOB_T *stack_jobs,
    global const uint *levels,
    ulong stride)
{
    at->next = 0;
    while (at->levels > 0) {
        uint level = levels[(at->levels - 1) * stride];
        if (at->top == level >> 1) {
            at->levels -= 1;
            leave(at, levels, stride);
            continue;
        }
        at->top -= 1;
        at->bound = stack_bounds[at->top * stride];
        if (at->bound < at->limit) {
            enter(at, order, stride, stack_jobs[at->top * stride], level & 1);
            return;
        }
    }
    at->next = EXHAUSTED;
}

/* Each work-item bounds at most `steps` children and decomposes `budget` nodes in all. `working`
 * counts the work-items that have more to do. */
kernel void flow_shop_tree_explore(TABLE_PARAMETERS,
    global JOB_T *orders,
    global uint *states,
    global uint *all_bounds,
    global uint *all_stack_bounds,
    global JOB_T *all_stack_jobs,
    global uint *all_levels,
    global JOB_T *best,
    global uint *working,
    uint rule,
    uint branching_limit,
    uint budget,
    uint steps,
    uint items,
    uint first_item,
    uint end_item)
{
    uint item = first_item + get_global_id(0);
    DECLARE_TIMES;
    DECLARE_JOHNSON;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item >= end_item) {
        return;
    }
    ulong stride = items;
    global uint *state = states + item;
    explorer at;
    at.next = state[NEXT * stride];
    at.nodes = state[NODES * stride];
    if (at.next == EXHAUSTED || at.nodes >= budget) {
        return;
    }
    at.front = state[FRONT * stride];
    at.back = state[BACK * stride];
    at.levels = state[LEVELS * stride];
    at.top = state[TOP * stride];
    at.sum = state[FREE * stride];
    at.limit = state[LIMIT * stride];
    at.bound = state[BOUND * stride];
    global JOB_T *order = orders + item;
    global uint *bounds = all_bounds + item;
    global uint *stack_bounds = all_stack_bounds + item;
    global JOB_T *stack_jobs = all_stack_jobs + item;
    global uint *levels = all_levels + item;
    uint sides = rule == FORWARD || rule == BACKWARD ? 1 : 2;
    int front[MACHINES], back[MACHINES], remaining[MACHINES];
    uint is_free[(JOBS + 31) / 32];
    uint is_new = 1;
    /* A launch ends at a node with several free jobs. A leaf's only child is the whole sequence. */
    for (uint step = 0; step < steps || free_jobs(&at) == 1; ++step) {
        if (is_new) {
            /* Called in one place, so that it is inlined: PoCL 3.1 passes no local arrays to other
             * functions. */
            surroundings(
                ptm, rm, qm, order, stride, at.front, at.back, front, back, remaining, is_free);
            is_new = 0;
        }
        uint open = free_jobs(&at);
        uint job = order[(at.front + at.next % open) * stride];
        uint at_back = rule == BACKWARD || at.next >= open;
        int child_front[MACHINES], child_back[MACHINES], child_remaining[MACHINES];
        uint child_free[(JOBS + 31) / 32];
        for (int i = 0; i < MACHINES; ++i) {
            child_front[i] = front[i];
            child_back[i] = back[i];
            child_remaining[i] = remaining[i];
        }
        for (int i = 0; i < (JOBS + 31) / 32; ++i) {
            child_free[i] = is_free[i];
        }
        become_child(ptm, job, at_back, child_front, child_back, child_remaining, child_free);
        uint bound = bound_of(
            ptm, lm, near_jm, far_jm, mm, child_front, child_back, child_remaining, child_free);
        bounds[at.next * stride] = bound;
        at.next += 1;
        if (open > 1 && at.next < sides * open) {
            continue;
        }
        if (open == 1) {
            if (bound < at.limit) {
                at.limit = bound;
                for (uint k = 0; k < JOBS; ++k) {
                    best[(ulong)item * JOBS + k] = order[k * stride];
                }
            }
            leave(&at, levels, stride);
        } else {
            branch(&at, rule, branching_limit, bounds, order, stack_bounds, stack_jobs, levels,
                stride);
        }
        go_on(&at, order, stack_bounds, stack_jobs, levels, stride);
        if (at.next == EXHAUSTED || (at.nodes >= budget && free_jobs(&at) > 1)) {
            break;
        }
        is_new = 1;
    }
    state[FRONT * stride] = at.front;
    state[BACK * stride] = at.back;
    state[LEVELS * stride] = at.levels;
    state[TOP * stride] = at.top;
    state[NEXT * stride] = at.next;
    state[NODES * stride] = at.nodes;
    state[FREE * stride] = at.sum;
    state[LIMIT * stride] = at.limit;
    state[BOUND * stride] = at.bound;
    if (at.next != EXHAUSTED && at.nodes < budget) {
        atomic_inc(working);
    }
}

/* Lists what is left of each tree: the children on the stack and then the present node, each with
 * its bound, twice its job plus 1 at the back, and its parent's numbers of jobs at the ends. Those
 * of a work-item begin at its place in `offsets`. Writes the work-items' orders to `rows`. */
kernel void flow_shop_tree_left(global const JOB_T *orders,
    global const uint *states,
    global const uint *all_stack_bounds,
    global const JOB_T *all_stack_jobs,
    global const uint *all_levels,
    global const uint *offsets,
    global JOB_T *rows,
    global uint4 *left,
    uint items,
    uint first_item,
    uint end_item)
{
    uint item = first_item + get_global_id(0);
    if (item >= end_item) {
        return;
    }
    ulong stride = items;
    for (uint k = 0; k < JOBS; ++k) {
        rows[(ulong)item * JOBS + k] = orders[k * stride + item];
    }
    global const uint *state = states + item;
    if (state[NEXT * stride] == EXHAUSTED) {
        return;
    }
    global const uint *stack_bounds = all_stack_bounds + item;
    global const JOB_T *stack_jobs = all_stack_jobs + item;
    global const uint *levels = all_levels + item;
    uint count = state[LEVELS * stride], top = state[TOP * stride];
    uint front = state[FRONT * stride], back = state[BACK * stride];
    for (uint level = 0; level < count; ++level) {
        uint at_back = levels[level * stride] & 1;
        back -= at_back;
        front -= 1 - at_back;
    }
    global uint4 *own = left + offsets[item - first_item];
    uint entry = 0;
    for (uint level = 0; level < count; ++level) {
        uint at_back = levels[level * stride] & 1;
        uint end = level + 1 < count ? levels[(level + 1) * stride] >> 1 : top;
        for (; entry < end; ++entry) {
            uint job = stack_jobs[entry * stride];
            own[entry] = (uint4)(stack_bounds[entry * stride], job << 1 | at_back, front, back);
        }
        back += at_back;
        front += 1 - at_back;
    }
    own[top] = (uint4)(state[BOUND * stride], NOBODY, front, back);
}
