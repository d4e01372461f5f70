/* Tabu search for the permutation flow shop: several generations in one launch. Comes after
 * device_barrier.cl.
 *
 * EVALUATE     0 if the neighbours are insertions; others have no such launch
 * GAVE_UP      the word of `state` that says whether a work-group gave up
 * NEXT_TICKET  that of the next ticket
 * COUNTS       the first of the words that count, for each trajectory, the evaluated jobs and
 *              directions; the finished parts of steps follow
 *
 * The work-groups take tickets. A ticket is a part of a trajectory's generation: the insertions of
 * one job in one direction, or a part of the step. Tickets are sorted by generation, then by
 * trajectory, then by part. While the last insertions of a trajectory end, and while it steps,
 * other work-groups evaluate the next trajectories.
 *
 * A part waits only for parts with smaller tickets. Work-groups that have started own these, so one
 * of them can always continue. Any number of work-groups therefore ends. */
#if EVALUATE == 0

/* Waits until a count has reached a value. Returns 0 if that takes too long. */
uint has_reached(volatile global uint *count, uint value)
{
    uint found, polls = 0;
    do {
        found = fresh(count);
    } while (found < value && ++polls < BARRIER_POLLS);
    device_fence();
    return found >= value;
}

/* Takes a ticket and waits for what its part needs. Returns NONE at the end. */
uint next_ticket(
    volatile global uint *state, uint jobs, uint tenure, uint trajectories, uint generations)
{
    uint insertions = 2 * jobs, steps = COMPARE + tenure, parts = insertions + steps;
    uint ticket = atomic_inc(state + NEXT_TICKET), trajectory = ticket / parts % trajectories;
    uint generation = ticket / parts / trajectories;
    if (generation >= generations || fresh(state + GAVE_UP)) {
        return NONE;
    }
    volatile global uint *evaluated = state + COUNTS + trajectory;
    uint may_go = ticket % parts < insertions
        ? has_reached(evaluated + trajectories, generation * steps)
        : has_reached(evaluated, (generation + 1) * insertions);
    if (!may_go) {
        atomic_or(state + GAVE_UP, 1);
        return NONE;
    }
    return ticket;
}

/* Makes generations of all trajectories. The sequences are in `orders` before the first one, with
 * `entries` list entries; the first one writes its entry to `slot`. */
kernel __attribute__((reqd_work_group_size(WAVE, 1, 1))) void flow_shop_generations(
    volatile global uint *state,
    global const uint *front,
    global uint *orders,
    global uint *next_orders,
    global uint4 *times,
    global uint4 *tails,
    global uint *list,
    global uint *forbidden,
    global ulong *leasts,
    global uint *bests,
    uint jobs,
    uint tiles,
    uint tenure,
    uint entries,
    uint slot,
    uint trajectories,
    uint generations,
    local ulong *group_leasts,
    local uint4 *links,
    local uint *closed GROUP_ARRAYS)
{
    TAKE_PART(group_leasts);
    TAKE_PART(links);
    TAKE_PART(closed);
    TAKE_PART(group_arrays);
    GROUP_ARRAY(uint, ticket, 1);
    uint item = get_local_id(0);
    uint insertions = 2 * jobs, parts = insertions + COMPARE + tenure;
    uint own;
    /* PoCL 3.1 mixes up work-items where a loop with barriers has a second exit. */
    do {
        if (item == 0) {
            *ticket = next_ticket(state, jobs, tenure, trajectories, generations);
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        own = *ticket;
        if (own != NONE) {
            uint part = own % parts, role = part - insertions;
            uint trajectory = own / parts % trajectories, generation = own / parts / trajectories;
            uint odd = generation % 2;
            if (part < insertions) {
                best_insertion(trajectory, part, times, tails, forbidden, bests, leasts, jobs,
                    tiles, 2 * tenure, 2 * min(entries + generation, tenure), links, closed);
            } else if (role < COMPARE + min(entries + generation + 1, tenure)) {
                step_part(trajectory, role, front, front, odd ? next_orders : orders,
                    odd ? orders : next_orders, times, tails, 0, list, forbidden, leasts, bests,
                    insertions, jobs, tiles, 1, 2, 0, tenure, (slot + generation) % tenure,
                    group_leasts, links);
            }
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            if (item == 0) {
                device_fence();
                volatile global uint *evaluated = state + COUNTS + trajectory;
                atomic_inc(part < insertions ? evaluated : evaluated + trajectories);
            }
        }
        /* All have read the ticket before the next one is taken. */
        barrier(CLK_LOCAL_MEM_FENCE);
    } while (own != NONE);
}
#endif
