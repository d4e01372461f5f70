/* Lower bounds of a pool of children for the total flow time, one work-item each; the arguments are
 * those of pool_bound in cl/flow_shop_pool.cl, but for the tables. Built with JOBS and MACHINES. */

static uint append(global const uint *time, uint *free_from)
{
    uint end = 0;
    for (uint i = 0; i < MACHINES; ++i) {
        end = max(end, free_from[i]) + time[i];
        free_from[i] = end;
    }
    return end;
}

/* The sum of the completion times on a machine: the open jobs by rising time, then the back. */
static uint ends_on(global const uint *times, uint machine, uint end, uint *order, uint at_front,
    uint at_back)
{
    uint sum = 0;
    for (uint k = at_front; k < JOBS; ++k) {
        if (k < JOBS - at_back) {
            for (uint other = k + 1; other < JOBS - at_back; ++other) {
                uint a = order[k], b = order[other];
                if (times[b * MACHINES + machine] < times[a * MACHINES + machine]) {
                    order[k] = b;
                    order[other] = a;
                }
            }
        }
        end += times[order[k] * MACHINES + machine];
        sum += end;
        for (uint later = machine + 1; later < MACHINES; ++later) {
            sum += times[order[k] * MACHINES + later];
        }
    }
    return sum;
}

kernel void pool_bound(global const uint *times, global const uint *ready,
    global const uint *orders, global const uint *ends, global const uint2 *children,
    global uint *bounds, uint first_item, uint end_item)
{
    uint item = first_item + get_global_id(0);
    if (item >= end_item) {
        return;
    }
    uint2 child = children[item];
    uint at_front = ends[2 * child.x], at_back = ends[2 * child.x + 1];
    uint place = child.y / 2, back = child.y % 2;
    uint order[JOBS], free_from[MACHINES];
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
    uint bound = done;
    if (at_front + at_back == JOBS) {
        for (uint k = at_front; k < JOBS; ++k) {
            bound += append(times + order[k] * MACHINES, free_from);
        }
    } else {
        for (uint i = 0; i < MACHINES; ++i) {
            bound = max(bound, done + ends_on(times, i, free_from[i], order, at_front, at_back));
        }
    }
    bounds[item] = bound;
}
