/* Lower bounds of the total flow time. A node's jobs are in `order`: those at the front, the open
 * ones, those at the back. Built with MACHINES. */
#define MOST_JOBS 16

/* Appends a job; returns when it ends. */
static uint append(global const uint *time, uint *free_from)
{
    uint end = 0;
    for (uint i = 0; i < MACHINES; ++i) {
        end = max(end, free_from[i]) + time[i];
        free_from[i] = end;
    }
    return end;
}

/* The sum of the completion times if jobs wait for one machine alone, which is free from `end` on:
 * the open jobs by rising time, then the back. */
static uint sum_of_ends(global const uint *times,
    uint machine,
    uint end,
    uint *order,
    uint jobs,
    uint at_front,
    uint at_back)
{
    uint sum = 0;
    for (uint k = at_front; k < jobs; ++k) {
        for (uint other = k + 1; other < jobs - at_back; ++other) {
            uint a = order[k], b = order[other];
            if (times[b * MACHINES + machine] < times[a * MACHINES + machine]) {
                order[k] = b;
                order[other] = a;
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

/* The bound of a node; its value if no job is open. */
static uint bound_of(global const uint *times,
    uint *order,
    uint jobs,
    uint at_front,
    uint at_back,
    uint *free_from,
    uint done)
{
    uint bound = done;
    if (at_front + at_back == jobs) {
        for (uint k = at_front; k < jobs; ++k) {
            bound += append(times + order[k] * MACHINES, free_from);
        }
        return bound;
    }
    for (uint i = 0; i < MACHINES; ++i) {
        uint sum = sum_of_ends(times, i, free_from[i], order, jobs, at_front, at_back);
        bound = max(bound, done + sum);
    }
    return bound;
}
