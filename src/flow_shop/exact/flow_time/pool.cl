/* Lower bounds of a pool of children, one work-item each; arguments as in cl/flow_shop_pool.cl, but
 * for the tables. Included after bounds.cl. Built with JOBS. */
kernel void flow_shop_pool_bound(global const uint *times,
    global const uint *ready,
    global const uint *orders,
    global const uint *ends,
    global const uint2 *children,
    global uint *bounds,
    uint first_item,
    uint end_item)
{
    uint item = first_item + get_global_id(0);
    if (item >= end_item) {
        return;
    }
    uint2 child = children[item];
    uint at_front = ends[2 * child.x], at_back = ends[2 * child.x + 1];
    uint place = child.y / 2, back = child.y % 2;
    uint order[MOST_JOBS], free_from[MACHINES];
    for (uint k = 0; k < JOBS; ++k) {
        order[k] = orders[child.x * JOBS + k];
    }
    uint target = back ? JOBS - at_back - 1 : at_front, job = order[place];
    order[place] = order[target];
    order[target] = job;
    at_back += back;
    at_front += 1 - back;
    for (uint i = 0; i < MACHINES; ++i) {
        free_from[i] = ready[i];
    }
    uint done = 0;
    for (uint k = 0; k < at_front; ++k) {
        done += append(times + order[k] * MACHINES, free_from);
    }
    bounds[item] = bound_of(times, order, JOBS, at_front, at_back, free_from, done);
}
