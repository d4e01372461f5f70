/* Tabu search for the permutation flow shop: the makespans of all swaps.
 *
 * FULL, PREFIX     the evaluations that `flow_shop_swaps` can use
 * STORED           1 reads whole neighbours, which `flow_shop_write_swaps` has written once
 * LOCAL_COLUMNS    1 keeps a work-item's column in local memory, as the paper does, 0 in
 * registers */

#if LOCAL_COLUMNS
#define COLUMN(machine) column[(machine) * get_local_size(0) + get_local_id(0)]
#else
#define COLUMN(machine) column[machine]
#endif

/* Stored neighbours, with STORED: the position of the present sequence whose job neighbour i has at
 * position k is at k * neighbours + i. So neighbouring work-items read neighbouring numbers. */
#if STORED
#define STORED_PARAMETERS , global const ushort *stored
#define JOB_AT(position) orders[stored[(size_t)(position) * neighbours + number]]
#else
#define STORED_PARAMETERS
#define JOB_AT(position) orders[before_swap(position, first, second)]
#endif

/* Writes the neighbours `first_number` to end_number - 1, one for each work-item. */
kernel void flow_shop_write_swaps(
    global ushort *stored, uint jobs, uint first_number, uint end_number)
{
    uint number = first_number + (uint)get_global_id(0);
    uint neighbours = (uint)((ulong)jobs * (jobs - 1) / 2);
    if (number < end_number) {
        uint first = swap_first(number, jobs);
        uint second = number - swap_number(first, first + 1, jobs) + first + 1;
        for (uint position = 0; position < jobs; ++position) {
            stored[(size_t)position * neighbours + number] =
                (ushort)before_swap(position, first, second);
        }
    }
}

/* One swap for each work-item, as published: a closed formula gives the pair of positions, and jobs
 * are read through the sequence. */
kernel void flow_shop_swaps(global const uint *times,
    global const uint *front,
    global const uint *orders,
    global const uint4 *tails,
    global const uint *forbidden,
    global const uint *bests,
    global ulong *leasts,
    uint jobs,
    uint tiles,
    uint most_forbidden,
    uint listed,
    uint first_group,
    uint groups,
    local ulong *group_leasts,
    uint evaluation,
    local uint *column_memory STORED_PARAMETERS)
{
    TAKE_PART(group_leasts);
    TAKE_PART(column_memory);
    uint trajectory = get_global_id(1);
    uint group = first_group + get_group_id(0);
    uint number = group * get_local_size(0) + get_local_id(0);
    orders += (size_t)trajectory * tiles * TILE;
    tails += (2 * trajectory + 1) * TABLE(tiles);
    forbidden += (size_t)trajectory * most_forbidden;

    uint neighbours = (uint)((ulong)jobs * (jobs - 1) / 2);
    uint makespan = NONE, forbids = is_forbidden(forbidden, listed, number),
         looks = !forbids | ATTRIBUTES;
    if (number < neighbours && looks) {
#if LOCAL_COLUMNS
        local uint *column = column_memory;
#else
        uint column[MACHINES];
#endif
        uint first = swap_first(number, jobs);
        uint second = number - swap_number(first, first + 1, jobs) + first + 1;
        uint start = evaluation == FULL ? 0 : first;
#pragma unroll UNROLL
        for (uint machine = 0; machine < MACHINES; ++machine) {
            COLUMN(machine) =
                evaluation == FULL ? front[machine] : head(tails, tiles, first, machine);
        }
        uint next = JOB_AT(start);
        for (uint position = start; position < jobs; ++position) {
            global const uint4 *row = (global const uint4 *)(times + (size_t)next * ROW);
            if (position + 1 < jobs) {
                next = JOB_AT(position + 1);
            }
            uint end = 0;
#pragma unroll UNROLL
            for (uint quad = 0; quad < ROW / 4; ++quad) {
                uint time[4];
                UNPACK(time, 0, row[quad]);
                /* Reads four machines before any changes, so that latencies overlap. */
                uint free[4];
#pragma unroll UNROLL
                for (uint i = 0; i < 4; ++i) {
                    free[i] = 4 * quad + i < MACHINES ? COLUMN(4 * quad + i) : 0;
                }
#pragma unroll UNROLL
                for (uint i = 0; i < 4; ++i) {
                    end = max(end + time[i], free[i] + time[i]);
                    if (4 * quad + i < MACHINES) {
                        COLUMN(4 * quad + i) = end;
                    }
                }
            }
        }
        makespan = 0;
#pragma unroll UNROLL
        for (uint machine = 0; machine < MACHINES; ++machine) {
            makespan = max(makespan, COLUMN(machine));
        }
        if (forbids && makespan >= cutoff(bests, trajectory, jobs)) {
            makespan = NONE;
        }
    }
    ulong best = least(makespan == NONE ? NO_MOVE : ranked(makespan, number), group_leasts);
    if (get_local_id(0) == 0) {
        leasts[(size_t)trajectory * groups + group] = best;
    }
}

/* Swaps of a work-item, which share the data it reads. */
#define SWAPS 2
/* Machines whose deltas are read one quad of positions in advance. */
#define FETCHED (MACHINES > MOST_FETCHED ? MOST_FETCHED : MACHINES)

int sum_of(int a, int b)
{
    return (int)((uint)a + (uint)b);
}

/* The column of a swap after the successor of its first position, which now has the second
 * position's job. Nonexistent swaps get an arbitrary column. */
void begin_swap(int *column,
    global const uint *sums,
    global const uint *orders,
    global const uint4 *tails,
    uint tiles,
    uint successor,
    uint second)
{
    uint last = tiles * TILE - 1;
    uint first = successor > 0 ? min(successor - 1, last) : 0, is_successor = successor == second;
    global const uint4 *entering =
        (global const uint4 *)(sums + (size_t)orders[min(second, last)] * ROW);
    global const uint4 *next =
        (global const uint4 *)(sums + (size_t)orders[min(successor, last)] * ROW);
    global const uint *heads = at_position(tails + TABLE(tiles), last - first);
    int own = 0, behind = 0, own_before = 0, next_before = 0;
#pragma unroll UNROLL
    for (uint quad = 0; quad < ROW / 4; ++quad) {
        int own_sum[4], next_sum[4];
        UNPACK(own_sum, 0, entering[quad]);
        UNPACK(next_sum, 0, next[quad]);
#pragma unroll UNROLL
        for (uint i = 0; i < 4; ++i) {
            uint machine = 4 * quad + i;
            if (machine < MACHINES) {
                own = max(sum_of(heads[4 * OFFSET(MACHINES - 1 - machine)], -own_before), own);
                behind = max(sum_of(own, is_successor ? 0 : own_sum[i] - next_before), behind);
                column[machine] = behind;
                own_before = own_sum[i];
                next_before = next_sum[i];
            }
        }
    }
}

/* Lets the jobs of four positions pass a machine. */
void pass(int *column, int *chain, const int *delta)
{
#pragma unroll UNROLL
    for (uint i = 0; i < 4; ++i) {
        *column = max(sum_of(*column, delta[i]), chain[i]);
        chain[i] = *column;
    }
}

/* The makespan of a swap, from its column before the second position, which now has the first
 * position's job. */
uint end_swap(const int *column,
    global const uint *sums,
    global const uint *orders,
    global const uint4 *tails,
    uint successor,
    uint second)
{
    uint before = successor == second ? second : second - 1;
    global const uint4 *leaving =
        (global const uint4 *)(sums + (size_t)orders[successor - 1] * ROW);
    global const uint4 *previous = (global const uint4 *)(sums + (size_t)orders[before] * ROW);
    global const uint *tail = at_position(tails, second);
    int own = 0, own_before = 0, makespan = 0;
#pragma unroll UNROLL
    for (uint quad = 0; quad < ROW / 4; ++quad) {
        int own_sum[4], previous_sum[4];
        UNPACK(own_sum, 0, leaving[quad]);
        UNPACK(previous_sum, 0, previous[quad]);
#pragma unroll UNROLL
        for (uint i = 0; i < 4; ++i) {
            uint machine = 4 * quad + i;
            if (machine < MACHINES) {
                own = max(column[machine] + previous_sum[i] - own_before, own);
                makespan = max(makespan, own + own_sum[i] + (int)tail[4 * OFFSET(machine)]);
                own_before = own_sum[i];
            }
        }
    }
    return (uint)makespan;
}

/* Two swaps for each work-item, evaluated from the first to the second position, where the tails
 * join. The first positions of WAVE adjacent work-items are in the same group of eight, and so are
 * their second positions; so all of them pass the same sequence between. The longest ones come
 * first.
 *
 * The kernel computes start times instead of completion times, and subtracts from each the job's
 * time on the earlier machines, which is in `sums`. This value is the maximum of the value on the
 * earlier machine and a sum: the previous job's value on the same machine plus a number that
 * depends only on the two jobs. `deltas` has this number for jobs that stay adjacent. */
kernel void flow_shop_swaps_between(global const uint *restrict sums,
    global const uint *restrict orders,
    global const int4 *restrict deltas,
    global const uint4 *restrict tails,
    global const uint *restrict forbidden,
    global const uint *restrict bests,
    global ulong *leasts,
    uint jobs,
    uint tiles,
    uint most_forbidden,
    uint listed,
    uint first_group,
    uint groups,
    local ulong *group_leasts)
{
    TAKE_PART(group_leasts);
    uint trajectory = get_global_id(1);
    uint group = first_group + get_group_id(0);
    uint item = group * get_local_size(0) + get_local_id(0), lane = item % WAVE, rank = item / WAVE;
    uint eights = (jobs + 7) / 8, positions = tiles * TILE;
    orders += (size_t)trajectory * positions;
    deltas += trajectory * DELTAS(tiles);
    tails += 2 * trajectory * TABLE(tiles);
    forbidden += (size_t)trajectory * most_forbidden;

    ulong own = NO_MOVE;
    uint row = triangle_row(rank), first_eight = rank - row * (row + 1) / 2,
         second_eight = first_eight + eights - 1 - row;
    uint second = 8 * second_eight + lane / 4;
    if (rank < eights * (eights + 1) / 2) {
        int column[SWAPS][MACHINES];
        /* First positions are one less than the positions of the eight, so that these are their
         * successors. */
        uint successor[SWAPS];
#pragma unroll UNROLL
        for (uint i = 0; i < SWAPS; ++i) {
            successor[i] = 8 * first_eight + 4 * i + lane % 4;
            begin_swap(column[i], sums, orders, tails, tiles, successor[i], second);
        }
        uint stop = min(2 * second_eight + 2, positions / 4);
        global const int4 *here = deltas + (size_t)2 * first_eight * MACHINES;
        int4 next[FETCHED];
#pragma unroll UNROLL
        for (uint machine = 0; machine < FETCHED; ++machine) {
            next[machine] = here[machine];
        }
        for (uint quad = 2 * first_eight; quad < stop; ++quad) {
            int4 fetched[FETCHED];
#pragma unroll UNROLL
            for (uint machine = 0; machine < FETCHED; ++machine) {
                fetched[machine] = next[machine];
                next[machine] = here[MACHINES + machine];
            }
            /* The order is machine by machine, so that four chains of each swap overlap. */
            int chain[SWAPS][4] = {{0}};
            if (2 * first_eight + 2 <= quad && quad < 2 * second_eight) {
#pragma unroll UNROLL
                for (uint machine = 0; machine < MACHINES; ++machine) {
                    int delta[4];
                    UNPACK(delta, 0, machine < FETCHED ? fetched[machine] : here[machine]);
#pragma unroll UNROLL
                    for (uint i = 0; i < SWAPS; ++i) {
                        pass(&column[i][machine], chain[i], delta);
                    }
                }
            } else {
                int between[SWAPS][4];
#pragma unroll UNROLL
                for (uint i = 0; i < SWAPS; ++i) {
#pragma unroll UNROLL
                    for (uint j = 0; j < 4; ++j) {
                        uint position = 4 * quad + j;
                        between[i][j] = successor[i] < position && position < second ? -1 : 0;
                    }
                }
#pragma unroll UNROLL
                for (uint machine = 0; machine < MACHINES; ++machine) {
                    int delta[4], own_delta[4];
                    UNPACK(delta, 0, machine < FETCHED ? fetched[machine] : here[machine]);
#pragma unroll UNROLL
                    for (uint i = 0; i < SWAPS; ++i) {
                        /* Zeros change nothing, since columns never decrease from machine to
                         * machine. */
#pragma unroll UNROLL
                        for (uint j = 0; j < 4; ++j) {
                            own_delta[j] = delta[j] & between[i][j];
                        }
                        pass(&column[i][machine], chain[i], own_delta);
                    }
                }
            }
            here += MACHINES;
        }
#pragma unroll UNROLL
        for (uint i = 0; i < SWAPS; ++i) {
            uint first = successor[i] - 1;
            if (successor[i] > 0 && first < second && second < jobs) {
                uint makespan = end_swap(column[i], sums, orders, tails, successor[i], second);
                uint number = swap_number(first, second, jobs);
                if (!is_forbidden(forbidden, listed, number)
                    || makespan < cutoff(bests, trajectory, jobs)) {
                    own = min(own, ranked(makespan, number));
                }
            }
        }
    }
    ulong best = least(own, group_leasts);
    if (get_local_id(0) == 0) {
        leasts[(size_t)trajectory * groups + group] = best;
    }
}
