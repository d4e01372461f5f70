/* Tabu search for the permutation flow shop: all neighbours of a sequence, and the step to the next one.
 *
 * MACHINES       number of machines
 * LOCAL_COLUMNS  1 keeps the column of a work-item in local memory, as the paper does, 0 in registers
 *
 * Tables have ROW numbers for each job or position, the last ones unused: whole vectors of four. A launch is two-
 * dimensional: the second index is the trajectory, which has its own part of every buffer but the times. */

#define ROW ((MACHINES + 3) / 4 * 4)
#define NONE 0xffffffffu
#define BLOCK 32u

/* Steps whose times `advance` fetches together. */
#define BATCH 16

/* The ways to a neighbour's makespan. */
#define FULL 0u
#define PREFIX 1u
#define HEADS_AND_TAILS 2u

/* The rows of `advance`. */
#define HEADS 0u
#define TAILS 1u

#if LOCAL_COLUMNS
#define COLUMN(machine) column[(machine) * get_local_size(0) + get_local_id(0)]
#else
#define COLUMN(machine) column[machine]
#endif

/* The first position of swap number `number`, counted row by row. */
uint swap_first(uint number, uint jobs)
{
    ulong from_end = (ulong)jobs * (jobs - 1) / 2 - 1 - number;
    long row = (long)((sqrt((float)(8 * from_end + 1)) - 1.0f) * 0.5f);
    /* The root is not exact. */
    while (row > 0 && (ulong)row * (row + 1) / 2 > from_end)
        row--;
    while ((ulong)(row + 1) * (row + 2) / 2 <= from_end)
        row++;
    return jobs - 2 - (uint)row;
}

uint swap_number(uint first, uint second, uint jobs)
{
    return (uint)((ulong)first * (2 * jobs - first - 1) / 2) + second - first - 1;
}

uint insertion_number(uint from, uint to, uint jobs)
{
    return (from / BLOCK * jobs + to) * BLOCK + from % BLOCK;
}

/* The position that a job of position `position` had before move `number`. */
uint before_swap(uint position, uint first, uint second)
{
    return position == first ? second : position == second ? first : position;
}

uint before_insertion(uint position, uint from, uint to)
{
    if (position == to)
        return from;
    if (from <= position && position < to)
        return position + 1;
    if (to < position && position <= from)
        return position - 1;
    return position;
}

uint is_forbidden(global const uint *forbidden, uint count, uint number)
{
    for (uint i = 0; i < count; i++)
        if (forbidden[i] == number)
            return 1;
    return 0;
}

/* Keeps the least makespan of the group, and of those the least number. */
void keep_least(uint makespan, uint number, local uint *makespans, local uint *numbers, global uint *result)
{
    uint item = get_local_id(0);
    makespans[item] = makespan;
    numbers[item] = number;
    for (uint span = get_local_size(0) / 2; span > 0; span /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < span) {
            uint other = makespans[item + span];
            if (other < makespans[item] || (other == makespans[item] && numbers[item + span] < numbers[item])) {
                makespans[item] = other;
                numbers[item] = numbers[item + span];
            }
        }
    }
    if (item == 0) {
        result[0] = makespans[0];
        result[1] = numbers[0];
    }
}

/* One swap for each work-item. The group size is a power of two. */
kernel void evaluate_swaps(global const uint *times, global const uint *front, global const uint *orders,
                           global const uint *heads, global const uint *tails, global const uint *forbidden,
                           global uint *leasts, uint jobs, uint most_forbidden, uint first_group, uint groups,
                           local uint *makespans, local uint *numbers, uint evaluation,
                           local uint *column_memory)
{
    uint trajectory = get_global_id(1);
    uint group = first_group + get_group_id(0);
    uint number = group * get_local_size(0) + get_local_id(0);
    orders += (size_t)trajectory * jobs;
    heads += (size_t)trajectory * (jobs + 1) * ROW;
    tails += (size_t)trajectory * (jobs + 1) * ROW;
    forbidden += (size_t)trajectory * (most_forbidden + 1);
    leasts += 2 * ((size_t)trajectory * groups + group);

    uint makespan = NONE;
    if (number < (uint)((ulong)jobs * (jobs - 1) / 2) && !is_forbidden(forbidden + 1, forbidden[0], number)) {
#if LOCAL_COLUMNS
        local uint *column = column_memory;
#else
        uint column[MACHINES];
#endif
        uint first = swap_first(number, jobs);
        uint second = number - swap_number(first, first + 1, jobs) + first + 1;
        uint start = evaluation == FULL ? 0 : first;
        uint stop = evaluation == HEADS_AND_TAILS ? second + 1 : jobs;
        global const uint *known = evaluation == FULL ? front : heads + (size_t)start * ROW;
#pragma unroll
        for (uint machine = 0; machine < MACHINES; machine++)
            COLUMN(machine) = known[machine];
        uint next = orders[before_swap(start, first, second)];
        for (uint position = start; position < stop; position++) {
            global const uint4 *row = (global const uint4 *)(times + (size_t)next * ROW);
            if (position + 1 < stop)
                next = orders[before_swap(position + 1, first, second)];
            uint end = 0;
#pragma unroll
            for (uint quad = 0; quad < ROW / 4; quad++) {
                uint4 four = row[quad];
                uint time[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
                for (uint i = 0; i < 4; i++) {
                    uint machine = 4 * quad + i;
                    if (machine < MACHINES) {
                        end = max(end, COLUMN(machine)) + time[i];
                        COLUMN(machine) = end;
                    }
                }
            }
        }
        makespan = 0;
        /* Behind the last position the tails are zero. */
        global const uint *rest = tails + (size_t)stop * ROW;
#pragma unroll
        for (uint machine = 0; machine < MACHINES; machine++)
            makespan = max(makespan, COLUMN(machine) + (evaluation == HEADS_AND_TAILS ? rest[machine] : 0));
    }
    keep_least(makespan, number, makespans, numbers, leasts);
}

/* All places of one job for each pair of work-items: one looks behind its place, the other before it. The heads of the
 * sequence without the job grow with the position, its tails are the whole sequence's; before its place it is the other
 * way round. The first half of the groups looks behind. */
kernel void evaluate_insertions(global const uint *times, global const uint *front, global const uint *orders,
                                global const uint *heads, global const uint *tails, global const uint *forbidden,
                                global uint *leasts, uint jobs, uint most_forbidden, uint first_group, uint groups,
                                local uint *makespans, local uint *numbers)
{
    uint trajectory = get_global_id(1);
    uint group = first_group + get_group_id(0);
    uint earlier = group >= groups / 2;
    uint base = (group - (earlier ? groups / 2 : 0)) * get_local_size(0);
    uint from = base + get_local_id(0);
    orders += (size_t)trajectory * jobs;
    heads += (size_t)trajectory * (jobs + 1) * ROW;
    tails += (size_t)trajectory * (jobs + 1) * ROW;
    forbidden += (size_t)trajectory * (most_forbidden + 1);
    leasts += 2 * ((size_t)trajectory * groups + group);

    uint best = NONE, best_number = NONE;
    if (from < jobs) {
        uint column[MACHINES], own[MACHINES];
        global const uint *known = earlier ? tails + (size_t)(from + 1) * ROW : heads + (size_t)from * ROW;
        global const uint *own_times = times + (size_t)orders[from] * ROW;
#pragma unroll
        for (uint machine = 0; machine < MACHINES; machine++) {
            column[machine] = known[machine];
            own[machine] = own_times[machine];
        }
        /* All lanes of a group are at the same position, so that they read the same rows. */
        uint last = min(base + (uint)get_local_size(0), jobs) - 1;
        uint steps = earlier ? last : jobs - 1 - base;
        uint next = steps > 0 ? orders[earlier ? last - 1 : base + 1] : 0;
        for (uint step = 0; step < steps; step++) {
            uint to = earlier ? last - 1 - step : base + 1 + step;
            global const uint *row = times + (size_t)next * ROW;
            global const uint *joined = earlier ? heads + (size_t)to * ROW : tails + (size_t)(to + 1) * ROW;
            if (step + 1 < steps)
                next = orders[earlier ? to - 1 : to + 1];
            if (earlier ? to >= from : to <= from)
                continue;
            uint end = 0, inserted = 0, makespan = 0;
            if (earlier) {
#pragma unroll
                for (uint i = 0; i < MACHINES; i++) {
                    uint machine = MACHINES - 1 - i;
                    end = max(end, column[machine]) + row[machine];
                    column[machine] = end;
                    /* Inserted from behind, a job's chain is as long. */
                    inserted = max(inserted, end) + own[machine];
                    makespan = max(makespan, inserted + joined[machine]);
                }
            } else {
#pragma unroll
                for (uint machine = 0; machine < MACHINES; machine++) {
                    end = max(end, column[machine]) + row[machine];
                    column[machine] = end;
                    inserted = max(inserted, end) + own[machine];
                    makespan = max(makespan, inserted + joined[machine]);
                }
            }
            uint number = insertion_number(from, to, jobs);
            if ((makespan < best || (makespan == best && number < best_number))
                && !is_forbidden(forbidden + 1, forbidden[0], number)) {
                best = makespan;
                best_number = number;
            }
        }
    }
    keep_least(best, best_number, makespans, numbers, leasts);
}

/* The step to the best neighbour, of which three groups for each trajectory do a part each: the first takes the new
 * sequence down and computes its heads, the second its tails, the third keeps list, forbidden moves and the best. All
 * find the neighbour for themselves. With no move the sequence stays; a first call without leasts starts the search.
 *
 * Heads and tails are computed along anti-diagonals, a barrier between two, each work-item for a machine. The group has
 * at least so many work-items, and a power of two. `link` has room for two numbers for each machine. */
kernel void advance(global const uint *times, global const uint *front, global const uint *orders,
                    global uint *next_orders, global uint *heads, global uint *tails, global uint *list,
                    global uint *forbidden, global const uint *leasts, global uint *bests, uint leasts_each,
                    uint jobs, uint insertions, uint tables, uint tenure, uint generation, local uint *makespans,
                    local uint *numbers, local uint *link)
{
    uint role = get_group_id(0), trajectory = get_global_id(1);
    uint item = get_local_id(0), items = get_local_size(0);
    size_t rows = (size_t)trajectory * (jobs + 1) * ROW;
    orders += (size_t)trajectory * jobs;
    next_orders += (size_t)trajectory * jobs;
    list += (size_t)trajectory * tenure * jobs;
    forbidden += (size_t)trajectory * (2 * tenure + 1);
    leasts += 2 * (size_t)trajectory * leasts_each;
    bests += (size_t)trajectory * (jobs + 1);

    uint makespan = NONE, number = NONE;
    for (uint i = item; i < leasts_each; i += items) {
        uint other = leasts[2 * i], other_number = leasts[2 * i + 1];
        if (other < makespan || (other == makespan && other_number < number)) {
            makespan = other;
            number = other_number;
        }
    }
    makespans[item] = makespan;
    numbers[item] = number;
    for (uint span = items / 2; span > 0; span /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < span) {
            uint other = makespans[item + span];
            if (other < makespans[item] || (other == makespans[item] && numbers[item + span] < numbers[item])) {
                makespans[item] = other;
                numbers[item] = numbers[item + span];
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    makespan = makespans[0];
    number = numbers[0];
    barrier(CLK_LOCAL_MEM_FENCE);

    uint a = 0, b = 0;
    if (makespan != NONE && insertions) {
        uint row = number / BLOCK;
        a = row / jobs * BLOCK + number % BLOCK;
        b = row % jobs;
    } else if (makespan != NONE) {
        a = swap_first(number, jobs);
        b = number - swap_number(a, a + 1, jobs) + a + 1;
    }
#define JOB(position) orders[insertions ? before_insertion(position, a, b) : before_swap(position, a, b)]

    if (role == HEADS)
        for (uint position = item; position < jobs; position += items)
            next_orders[position] = JOB(position);

    if (role < 2 && (tables & (1u << role))) {
        global uint *table = (role == HEADS ? heads : tails) + rows;
        /* Seen from its end, a sequence's tails are heads: machine and position count from there. */
        uint machine = role == HEADS ? item : MACHINES - 1 - item;
        uint end = role == HEADS && item < MACHINES ? front[item] : 0;
        if (item < MACHINES) {
            table[(role == HEADS ? 0 : (size_t)jobs * ROW) + machine] = end;
        }
        /* The times of some steps are fetched together, so that their latencies overlap. */
        for (uint batch = 0; batch < jobs + MACHINES - 1; batch += BATCH) {
            uint time[BATCH];
#pragma unroll
            for (uint i = 0; i < BATCH; i++) {
                uint place = batch + i - item;
                time[i] = 0;
                if (item < MACHINES && batch + i >= item && place < jobs)
                    time[i] = times[(size_t)JOB(role == HEADS ? place : jobs - 1 - place) * ROW + machine];
            }
#pragma unroll
            for (uint i = 0; i < BATCH; i++) {
                uint step = batch + i, place = step - item;
                if (item < MACHINES && step >= item && place < jobs) {
                    uint arrival = item == 0 ? 0 : link[(step & 1) * MACHINES + item - 1];
                    end = max(end, arrival) + time[i];
                    link[(~step & 1) * MACHINES + item] = end;
                    table[(size_t)(role == HEADS ? place + 1 : jobs - 1 - place) * ROW + machine] = end;
                }
                barrier(CLK_LOCAL_MEM_FENCE);
            }
        }
    }

    if (role == 2) {
        uint better = makespan < bests[jobs];
        global uint *slot = list + (size_t)(generation % tenure) * jobs;
        barrier(CLK_GLOBAL_MEM_FENCE);
        for (uint position = item; position < jobs; position += items) {
            uint job = JOB(position);
            slot[position] = job;
            if (better)
                bests[position] = job;
        }
        if (item == 0) {
            if (better)
                bests[jobs] = makespan;
            forbidden[0] = 0;
        }
        uint entries = min(generation + 1, tenure);
        for (uint entry = 0; entry < entries; entry++) {
            /* Where the entry differs from the sequence, first and last, and by which moves it may have come. */
            global const uint *listed = list + (size_t)entry * jobs;
            uint first = jobs, last = 0;
            for (uint position = item; position < jobs; position += items)
                if (listed[position] != JOB(position)) {
                    first = min(first, position);
                    last = position;
                }
            makespans[item] = first;
            numbers[item] = last;
            for (uint span = items / 2; span > 0; span /= 2) {
                barrier(CLK_LOCAL_MEM_FENCE);
                if (item < span) {
                    makespans[item] = min(makespans[item], makespans[item + span]);
                    numbers[item] = max(numbers[item], numbers[item + span]);
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            first = makespans[0];
            last = numbers[0];
            barrier(CLK_LOCAL_MEM_FENCE);
            if (first >= last)
                continue;
            uint wrong = 0;
            for (uint position = first + item; position <= last; position += items) {
                uint job = listed[position];
                if (insertions) {
                    wrong |= job != JOB(before_insertion(position, first, last));
                    wrong |= (job != JOB(before_insertion(position, last, first))) << 1;
                } else {
                    wrong |= job != JOB(before_swap(position, first, last));
                }
            }
            makespans[item] = wrong;
            for (uint span = items / 2; span > 0; span /= 2) {
                barrier(CLK_LOCAL_MEM_FENCE);
                if (item < span)
                    makespans[item] |= makespans[item + span];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            if (item == 0) {
                uint count = forbidden[0];
                if (!insertions && !(makespans[0] & 1))
                    forbidden[1 + count++] = swap_number(first, last, jobs);
                if (insertions && !(makespans[0] & 1))
                    forbidden[1 + count++] = insertion_number(first, last, jobs);
                if (insertions && !(makespans[0] & 2))
                    forbidden[1 + count++] = insertion_number(last, first, jobs);
                forbidden[0] = count;
            }
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        }
    }
}
