/* Tabu search for the permutation flow shop: the makespans of all swaps.
 *
 * LOCAL_COLUMNS    1 keeps the column of a work-item in local memory, as the paper does, 0 in registers */

/* The ways of `evaluate_swaps` to a neighbour's makespan. */
#define FULL 0u
#define PREFIX 1u

#if LOCAL_COLUMNS
#define COLUMN(machine) column[(machine) * get_local_size(0) + get_local_id(0)]
#else
#define COLUMN(machine) column[machine]
#endif

/* One swap for each work-item, as published: pairs by a closed formula, jobs by their sequence. */
kernel void evaluate_swaps(global const uint *times, global const uint *front, global const uint *orders,
                           global const uint4 *rests, global const uint *forbidden, global const uint *bests,
                           global uint2 *leasts, uint jobs, uint tiles, uint most_forbidden, uint listed,
                           uint first_group, uint groups, local uint2 *group_leasts, uint evaluation,
                           local uint *column_memory)
{
    uint trajectory = get_global_id(1);
    uint group = first_group + get_group_id(0);
    uint number = group * get_local_size(0) + get_local_id(0);
    orders += (size_t)trajectory * tiles * TILE;
    rests += (2 * trajectory + 1) * TABLE(tiles);
    forbidden += (size_t)trajectory * most_forbidden;

    uint makespan = NONE, forbids = is_forbidden(forbidden, listed, number), looks = !forbids | ATTRIBUTES;
    if (number < (uint)((ulong)jobs * (jobs - 1) / 2) && looks) {
#if LOCAL_COLUMNS
        local uint *column = column_memory;
#else
        uint column[MACHINES];
#endif
        uint first = swap_first(number, jobs);
        uint second = number - swap_number(first, first + 1, jobs) + first + 1;
        uint start = evaluation == FULL ? 0 : first;
#pragma unroll
        for (uint machine = 0; machine < MACHINES; machine++)
            COLUMN(machine) = evaluation == FULL ? front[machine] : head(rests, tiles, first, machine);
        uint next = orders[before_swap(start, first, second)];
        for (uint position = start; position < jobs; position++) {
            global const uint4 *row = (global const uint4 *)(times + (size_t)next * ROW);
            if (position + 1 < jobs)
                next = orders[before_swap(position + 1, first, second)];
            uint end = 0;
#pragma unroll
            for (uint quad = 0; quad < ROW / 4; quad++) {
                uint time[4];
                UNPACK(time, 0, row[quad]);
                /* A look at four machines before any changes, so that latencies overlap. */
                uint free[4];
#pragma unroll
                for (uint i = 0; i < 4; i++)
                    free[i] = 4 * quad + i < MACHINES ? COLUMN(4 * quad + i) : 0;
#pragma unroll
                for (uint i = 0; i < 4; i++) {
                    end = max(end + time[i], free[i] + time[i]);
                    if (4 * quad + i < MACHINES)
                        COLUMN(4 * quad + i) = end;
                }
            }
        }
        makespan = 0;
#pragma unroll
        for (uint machine = 0; machine < MACHINES; machine++)
            makespan = max(makespan, COLUMN(machine));
        if (forbids && makespan >= goal(bests, jobs))
            makespan = NONE;
    }
    uint2 best = least((uint2)(makespan, number), group_leasts);
    if (get_local_id(0) == 0)
        leasts[(size_t)trajectory * groups + group] = best;
}

/* One swap for each work-item, from its first to its second position: there the rest joins. WAVE work-items next to
 * each other have their first positions in the same four, so that the sequence between is the same for all, and their
 * second ones in the same eight. These are numbered by pairs of eights, row by row. */
kernel void evaluate_swaps_between(global const uint4 *restrict times, global const uint4 *restrict rests,
                                   global const uint *restrict forbidden, global const uint *restrict bests,
                                   global uint2 *leasts, uint jobs, uint tiles, uint most_forbidden, uint listed,
                                   uint first_group, uint groups, local uint2 *group_leasts)
{
    uint trajectory = get_global_id(1);
    uint group = first_group + get_group_id(0);
    uint item = group * get_local_size(0) + get_local_id(0), lane = item % WAVE, pair = item / (2 * WAVE);
    uint eights = (jobs + 7) / 8, positions = tiles * TILE;
    times += 2 * trajectory * TABLE(tiles);
    rests += 2 * trajectory * TABLE(tiles);
    forbidden += (size_t)trajectory * most_forbidden;

    uint2 own = (uint2)(NONE, NONE);
    if (pair < eights * (eights + 1) / 2) {
        uint first_eight = swap_first(pair, eights + 1);
        uint second_eight = pair - swap_number(first_eight, first_eight + 1, eights + 1) + first_eight;
        uint first_quad = 2 * first_eight + item / WAVE % 2, stop_quad = min(2 * second_eight + 2, positions / 4);
        uint first = 4 * first_quad + lane % 4, second = 8 * second_eight + lane / 4, makespan = 0;
        global const uint *first_times = at_position(times, min(first, positions - 1));
        global const uint *second_times = at_position(times, min(second, positions - 1));
        uint column[MACHINES];
        if (first_quad < stop_quad) {
            global const uint *heads = at_position(rests + TABLE(tiles), positions - 1 - 4 * first_quad);
#pragma unroll
            for (uint machine = 0; machine < MACHINES; machine++)
                column[machine] = heads[4 * OFFSET(MACHINES - 1 - machine)];
        }
        for (uint quad = first_quad; quad < stop_quad; quad++) {
            /* Machine by machine, so that four chains are under way at once. */
            uint chain[4] = {0, 0, 0, 0};
            size_t here = at_row(quad / QUADS, 0, quad % QUADS, 0);
            if (first_quad < quad && quad < 2 * second_eight) {
#pragma unroll
                for (uint machine = 0; machine < MACHINES; machine++) {
                    uint time[4];
                    UNPACK(time, 0, times[here + OFFSET(machine)]);
#pragma unroll
                    for (uint i = 0; i < 4; i++) {
                        column[machine] = max(column[machine] + time[i], chain[i] + time[i]);
                        chain[i] = column[machine];
                    }
                }
            } else {
                /* What a work-item does behind its second position has no use. */
#pragma unroll
                for (uint machine = 0; machine < MACHINES; machine++) {
                    uint first_time = first_times[4 * OFFSET(machine)], second_time = second_times[4 * OFFSET(machine)];
                    uint time[4], rest[4];
                    UNPACK(time, 0, times[here + OFFSET(machine)]);
                    UNPACK(rest, 0, rests[here + OFFSET(machine)]);
#pragma unroll
                    for (uint i = 0; i < 4; i++) {
                        uint position = 4 * quad + i;
                        time[i] = position == first ? second_time : position == second ? first_time : time[i];
                        column[machine] = max(column[machine] + time[i], chain[i] + time[i]);
                        chain[i] = column[machine];
                        if (position == second)
                            makespan = max(makespan, column[machine] + rest[i]);
                    }
                }
            }
        }
        if (first < second && second < jobs) {
            uint number = swap_number(first, second, jobs);
            if (!is_forbidden(forbidden, listed, number) || makespan < goal(bests, jobs))
                own = (uint2)(makespan, number);
        }
    }
    uint2 best = least(own, group_leasts);
    if (get_local_id(0) == 0)
        leasts[(size_t)trajectory * groups + group] = best;
}
