/* What cl/flow_shop_explore.cl asks of an objective. The state in a node's record is from when on
 * the machines are free behind the front, and the sum of the front's completion times. Included
 * after cl/flow_shop_nodes.cl and bounds.cl. */
#define BOUND_PARAMETERS , global const uint *times
#define TAKE_BOUND
#define LOAD_TABLES
#define BOUND_TILE(nodes, width) bound_tile(tile, stride, open, nodes, jobs, times, near_bounds)
#define RAISES 0
#define REFINES 0

/* The bounds of the children that fix an open job at the front and at the back. */
static pair bounds_of_child(local const uint *node, uint child, uint jobs, global const uint *times)
{
    uint bounds[2];
    for (uint end = 0; end < 2; ++end) {
        uint order[MOST_JOBS], free_from[MACHINES];
        for (uint k = 0; k < jobs; ++k) {
            order[k] = job_at(node, k);
        }
        for (uint i = 0; i < MACHINES; ++i) {
            free_from[i] = node[i];
        }
        uint done = node[MACHINES], at_front = fixed_at_front(node);
        uint at_back = jobs - at_front - open_jobs(node, jobs);
        uint target = end ? jobs - at_back - 1 : at_front, job = order[at_front + child];
        order[at_front + child] = order[target];
        order[target] = job;
        if (!end) {
            done += append(times + job * MACHINES, free_from);
        }
        at_front += 1 - end;
        at_back += end;
        bounds[end] = bound_of(times, order, jobs, at_front, at_back, free_from, done);
    }
    return make_pair(bounds[0], bounds[1]);
}

static void bound_tile(local const quad *tile,
    uint stride,
    local const uint *open,
    uint nodes,
    uint jobs,
    global const uint *times,
    local pair *near_bounds)
{
    for (uint i = get_local_id(0); i < nodes * jobs; i += get_local_size(0)) {
        uint node = i / jobs, child = i - node * jobs;
        if (child < open[node]) {
            near_bounds[i] = bounds_of_child(node_of(tile, stride, node), child, jobs, times);
        }
    }
}

static void fix_job(local uint *node, uint job, uint end, global const value *times)
{
    if (end) {
        return;
    }
    uint free_from[MACHINES];
    for (uint i = 0; i < MACHINES; ++i) {
        free_from[i] = node[i];
    }
    node[MACHINES] += append(times + job * MACHINES, free_from);
    for (uint i = 0; i < MACHINES; ++i) {
        node[i] = free_from[i];
    }
}
