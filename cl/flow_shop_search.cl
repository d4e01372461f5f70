/* Tabu search for the permutation flow shop: all neighbours of a sequence, and the step to the next one.
 *
 * LANES            work-items of a group that share the machines
 * LANE_MACHINES    machines of each, next to each other
 * QUADS            fours of positions of a tile
 * LOCAL_COLUMNS    1 keeps the column of a work-item in local memory, as the paper does, 0 in registers
 *
 * Machines and positions are filled up with zero times behind the last ones, which changes nothing.
 *
 * A sequence is looked at in two directions: 0 from its start, and 1 from its end, where positions and machines count
 * from the last one; heads and tails change parts then. For each direction there are two tables, a number for each
 * position and machine: `times` of the job there, and the `rests` from the job behind the position to the end. Tables
 * run along the wavefront: lane by lane, each a tile later than the one before, so that lanes at work on the same
 * anti-diagonal read next to each other. A launch is two-dimensional: the second index is the trajectory. */

#define MACHINES (LANES * LANE_MACHINES)
#define ROW ((MACHINES + 3) / 4 * 4)
#define TILE (4 * QUADS)
#define TABLE(tiles) ((size_t)((tiles) + LANES + AHEAD) * LANE_MACHINES * QUADS * LANES)
/* Rows that a wavefront fetches ahead; tables have room for as many more. */
#define AHEAD 4
/* Work-items of a group on a wavefront. */
#define WAVE 32
/* Numbers that a work-item fetches at once, whether it needs them or not, so that latencies overlap. */
#define BATCH 8
#define NONE 0xffffffffu
#define BLOCK 32u

/* The ways of `evaluate_swaps` to a neighbour's makespan. */
#define FULL 0u
#define PREFIX 1u

/* Groups of `advance` from this one on compare the sequence with the list's. */
#define RECORD 2u
#define COMPARE 3u

#if LOCAL_COLUMNS
#define COLUMN(machine) column[(machine) * get_local_size(0) + get_local_id(0)]
#else
#define COLUMN(machine) column[machine]
#endif

#define UNPACK(numbers, from, four) \
    (numbers)[from] = (four).x, (numbers)[(from) + 1] = (four).y, (numbers)[(from) + 2] = (four).z, \
    (numbers)[(from) + 3] = (four).w
#define PACK(numbers, from) \
    (uint4)((numbers)[from], (numbers)[(from) + 1], (numbers)[(from) + 2], (numbers)[(from) + 3])
#define PACK_REVERSED(numbers, from) \
    (uint4)((numbers)[(from) + 3], (numbers)[(from) + 2], (numbers)[(from) + 1], (numbers)[from])

/* Where a table has a tile's four positions on one machine of a lane. `row` is tile + lane. */
size_t at_row(uint row, uint machine, uint quad, uint lane)
{
    return (((size_t)row * LANE_MACHINES + machine) * QUADS + quad) * LANES + lane;
}

/* Where the numbers of a machine are, from those of the first one on. */
#define OFFSET(machine) at_row((machine) / LANE_MACHINES, (machine) % LANE_MACHINES, 0, (machine) / LANE_MACHINES)

/* A table's number for a position on the first machine. */
global const uint *at_position(global const uint4 *table, uint position)
{
    return (global const uint *)(table + at_row(position / TILE, 0, position % TILE / 4, 0)) + position % 4;
}

/* A table's number for a position and a machine. */
uint single(global const uint4 *table, uint position, uint machine)
{
    return at_position(table, position)[4 * OFFSET(machine)];
}

/* The head before a position, seen in a direction: the other direction's rest. */
uint head(global const uint4 *other_rests, uint tiles, uint position, uint machine)
{
    return single(other_rests, tiles * TILE - 1 - position, MACHINES - 1 - machine);
}

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

/* The least makespan of the group, and of those with it the least number. */
uint2 least(uint2 own, local uint2 *leasts)
{
    uint item = get_local_id(0);
    leasts[item] = own;
    for (uint span = get_local_size(0) / 2; span > 0; span /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < span) {
            uint2 other = leasts[item + span];
            if (other.x < leasts[item].x || (other.x == leasts[item].x && other.y < leasts[item].y))
                leasts[item] = other;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return leasts[0];
}

/* The tables' times, a work-item for each position in each direction. Orders are filled up with a job without times. */
kernel void lay_out(global const uint *times, global const uint *orders, global uint4 *tables, uint tiles)
{
    uint positions = tiles * TILE, trajectory = get_global_id(1);
    uint position = get_global_id(0) % positions, direction = get_global_id(0) / positions;
    if (direction > 1)
        return;
    orders += (size_t)trajectory * positions;
    global uint *table = (global uint *)(tables + (2 * trajectory + direction) * TABLE(tiles));
    global const uint *row = times + (size_t)orders[direction ? positions - 1 - position : position] * ROW;
    for (uint machine = 0; machine < MACHINES; machine++) {
        uint lane = machine / LANE_MACHINES;
        size_t four = at_row(position / TILE + lane, machine % LANE_MACHINES, position % TILE / 4, lane);
        table[4 * four + position % 4] = row[direction ? MACHINES - 1 - machine : machine];
    }
}

/* One swap for each work-item, as published: pairs by a closed formula, jobs by their sequence. */
kernel void evaluate_swaps(global const uint *times, global const uint *front, global const uint *orders,
                           global const uint4 *rests, global const uint *forbidden, global uint2 *leasts, uint jobs,
                           uint tiles, uint most_forbidden, uint listed, uint first_group, uint groups,
                           local uint2 *group_leasts, uint evaluation, local uint *column_memory)
{
    uint trajectory = get_global_id(1);
    uint group = first_group + get_group_id(0);
    uint number = group * get_local_size(0) + get_local_id(0);
    orders += (size_t)trajectory * tiles * TILE;
    rests += (2 * trajectory + 1) * TABLE(tiles);
    forbidden += (size_t)trajectory * most_forbidden;

    uint makespan = NONE;
    if (number < (uint)((ulong)jobs * (jobs - 1) / 2) && !is_forbidden(forbidden, listed, number)) {
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
    }
    uint2 best = least((uint2)(makespan, number), group_leasts);
    if (get_local_id(0) == 0)
        leasts[(size_t)trajectory * groups + group] = best;
}

/* One swap for each work-item, from its first to its second position: there the rest joins. WAVE work-items next to
 * each other have their first positions in the same four, so that the sequence between is the same for all, and their
 * second ones in the same eight. These are numbered by pairs of eights, row by row. */
kernel void evaluate_swaps_between(global const uint4 *restrict times, global const uint4 *restrict rests,
                                   global const uint *restrict forbidden, global uint2 *leasts, uint jobs, uint tiles,
                                   uint most_forbidden, uint listed, uint first_group, uint groups,
                                   local uint2 *group_leasts)
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
            if (!is_forbidden(forbidden, listed, number))
                own = (uint2)(makespan, number);
        }
    }
    uint2 best = least(own, group_leasts);
    if (get_local_id(0) == 0)
        leasts[(size_t)trajectory * groups + group] = best;
}

/* A word's bits of positions below `position`. */
uint bits_below(uint position, uint word)
{
    return position / 32 > word ? NONE : position / 32 < word ? 0 : (1u << position % 32) - 1;
}

/* All places behind that of one job, seen in one direction, for each group: a wavefront goes through the sequence
 * without the job, and in each place through the job and to the rest. The longest chains come first.
 *
 * Before its place the heads without a job are those of the whole sequence, behind it the rests are. `links` are what
 * lanes hand on, in turns: where the sequence ends on a machine, where the job does, and the makespan up to there. A
 * bit of `closed` says that a place is forbidden or none. */
kernel __attribute__((reqd_work_group_size(WAVE, 1, 1)))
void evaluate_insertions(global const uint4 *restrict times, global const uint4 *restrict rests,
                         global const uint *restrict forbidden, global uint2 *leasts, uint jobs, uint tiles,
                         uint most_forbidden, uint listed, uint first_group, uint groups, local uint4 *links,
                         local uint *closed)
{
    uint trajectory = get_global_id(1), item = get_local_id(0), lane = min(item, LANES - 1u);
    uint group = first_group + get_group_id(0), direction = group % 2;
    uint positions = tiles * TILE;
    /* Seen from its end, a sequence begins with what fills it up. */
    uint removed = group / 2 + (direction ? positions - jobs : 0);
    uint from = direction ? positions - 1 - removed : removed;
    times += (2 * trajectory + direction) * TABLE(tiles);
    global const uint4 *heads = rests + (2 * trajectory + 1 - direction) * TABLE(tiles);
    rests += (2 * trajectory + direction) * TABLE(tiles);
    forbidden += (size_t)trajectory * most_forbidden;

    uint column[LANE_MACHINES], own[LANE_MACHINES];
    uint4 next_times[AHEAD][LANE_MACHINES][QUADS], next_rests[AHEAD][LANE_MACHINES][QUADS];
    uint first_tile = removed / TILE;
#pragma unroll
    for (uint m = 0; m < LANE_MACHINES; m++) {
        column[m] = head(heads, tiles, removed, lane * LANE_MACHINES + m);
        own[m] = single(times, removed, lane * LANE_MACHINES + m);
#pragma unroll
        for (uint ahead = 0; ahead < AHEAD; ahead++) {
#pragma unroll
            for (uint quad = 0; quad < QUADS; quad++) {
                next_times[ahead][m][quad] = times[at_row(first_tile + ahead, m, quad, lane)];
                next_rests[ahead][m][quad] = rests[at_row(first_tile + ahead, m, quad, lane)];
            }
        }
    }
    uint stop = direction ? positions : jobs;
    for (uint word = item; word < (positions + 31) / 32; word += WAVE)
        closed[word] = bits_below(removed + 1, word) | ~bits_below(stop, word);
    /* Nothing comes before the first machine. */
    for (uint i = item; i < 6 * QUADS; i += WAVE)
        links[i * (LANES + 1)] = (uint4)(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < listed; i += WAVE) {
        uint number = forbidden[i], row = number / BLOCK;
        if (number != NONE && row / jobs * BLOCK + number % BLOCK == from) {
            uint to = direction ? positions - 1 - row % jobs : row % jobs;
            atomic_or(&closed[to / 32], 1u << to % 32);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    /* Of equal makespans the move with the least number counts, which in direction 1 is the last one. */
    uint2 best = (uint2)(NONE, NONE);
    uint limit = NONE;
    uint phases = tiles - first_tile + LANES - 1;
    for (uint base = 0; base < phases; base += AHEAD) {
#pragma unroll
        for (uint ahead = 0; ahead < AHEAD; ahead++) {
            uint phase = base + ahead, tile = first_tile + phase - item;
            local uint4 *read = links + ahead % 2 * 3 * QUADS * (LANES + 1) + item;
            local uint4 *write = links + (1 - ahead % 2) * 3 * QUADS * (LANES + 1) + item + 1;
            uint end[TILE], inserted[TILE], length[TILE], time[LANE_MACHINES][TILE], rest[LANE_MACHINES][TILE];
#pragma unroll
            for (uint m = 0; m < LANE_MACHINES; m++) {
#pragma unroll
                for (uint quad = 0; quad < QUADS; quad++) {
                    UNPACK(time[m], 4 * quad, next_times[ahead][m][quad]);
                    UNPACK(rest[m], 4 * quad, next_rests[ahead][m][quad]);
                    uint row = min(first_tile + phase + AHEAD, tiles + LANES);
                    next_times[ahead][m][quad] = times[at_row(row, m, quad, lane)];
                    next_rests[ahead][m][quad] = rests[at_row(row, m, quad, lane)];
                }
            }
            if (item < LANES && item <= phase && tile < tiles) {
#pragma unroll
                for (uint quad = 0; quad < QUADS; quad++) {
                    UNPACK(end, 4 * quad, read[quad * (LANES + 1)]);
                    UNPACK(inserted, 4 * quad, read[(QUADS + quad) * (LANES + 1)]);
                    UNPACK(length, 4 * quad, read[(2 * QUADS + quad) * (LANES + 1)]);
                }
                /* Up to the job's place heads are as they are, and do not fall from machine to machine. */
                if (tile == first_tile) {
#pragma unroll
                    for (uint i = 0; i < TILE; i++) {
#pragma unroll
                        for (uint m = 0; m < LANE_MACHINES; m++)
                            time[m][i] = tile * TILE + i > removed ? time[m][i] : 0;
                    }
                }
#pragma unroll
                for (uint m = 0; m < LANE_MACHINES; m++) {
#pragma unroll
                    for (uint i = 0; i < TILE; i++) {
                        column[m] = max(column[m] + time[m][i], end[i] + time[m][i]);
                        end[i] = column[m];
                        inserted[i] = max(inserted[i], column[m]) + own[m];
                        length[i] = max(length[i], inserted[i] + rest[m][i]);
                    }
                }
#pragma unroll
                for (uint quad = 0; quad < QUADS; quad++) {
                    write[quad * (LANES + 1)] = PACK(end, 4 * quad);
                    write[(QUADS + quad) * (LANES + 1)] = PACK(inserted, 4 * quad);
                    write[(2 * QUADS + quad) * (LANES + 1)] = PACK(length, 4 * quad);
                }
                if (item == LANES - 1) {
                    uint shortest = NONE;
#pragma unroll
                    for (uint i = 0; i < TILE; i++)
                        shortest = min(shortest, length[i]);
                    if (shortest < limit) {
                        uint open = ~closed[tile * TILE / 32] >> tile * TILE % 32;
#pragma unroll
                        for (uint i = 0; i < TILE; i++)
                            if ((open >> i & 1) && length[i] < limit) {
                                best = (uint2)(length[i], tile * TILE + i);
                                limit = length[i] + direction;
                            }
                    }
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    if (item == LANES - 1) {
        uint to = direction ? positions - 1 - best.y : best.y;
        best.y = best.x == NONE ? NONE : insertion_number(from, to, jobs);
        leasts[(size_t)trajectory * groups + group] = best;
    }
}

/* Times and rests along a wavefront in one direction for one group, from the tile on where something has changed. The
 * jobs of `from` and `to` (both in this direction) have changed places, or that of `from` has moved to `to`. */
void rebuild(global const uint *front, global uint4 *times, global uint4 *other_rests, uint tiles, uint start,
             uint insertions, uint from, uint to, uint direction, local uint4 *links)
{
    uint item = get_local_id(0);
    for (uint i = item; i < 2 * QUADS; i += WAVE)
        links[i * (LANES + 1)] = (uint4)(0);

    /* The times as they were, of the tile behind and of those ahead. */
    uint4 next[AHEAD][LANE_MACHINES][QUADS];
    uint column[LANE_MACHINES], at_from[LANE_MACHINES], at_to[LANE_MACHINES];
    /* Who has no machines may not even look at what others write. */
    if (item < LANES) {
#pragma unroll
        for (uint m = 0; m < LANE_MACHINES; m++) {
            uint machine = item * LANE_MACHINES + m;
            column[m] = start > 0 ? head(other_rests, tiles, start * TILE, machine) : direction ? 0 : front[machine];
            at_from[m] = single(times, from, machine);
            at_to[m] = single(times, to, machine);
#pragma unroll
            for (uint ahead = 0; ahead < AHEAD; ahead++) {
#pragma unroll
                for (uint quad = 0; quad < QUADS; quad++)
                    next[ahead][m][quad] = times[at_row(start + ahead, m, quad, item)];
            }
        }
    }
    /* Jobs between the two places move by one, if the job was inserted. */
    uint later = from < to, begin = later ? from : to + 1, last = max(from, to) / TILE;
    uint moved = insertions ? (later ? to - from : from - to) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    uint phases = tiles - start + LANES - 1;
    for (uint base = 0; base < phases; base += AHEAD) {
#pragma unroll
        for (uint ahead = 0; ahead < AHEAD; ahead++) {
            uint phase = base + ahead, tile = start + phase - item;
            uint active = item < LANES && item <= phase && tile < tiles;
            uint end[TILE], time[LANE_MACHINES][TILE + 2];
#pragma unroll
            for (uint m = 0; m < LANE_MACHINES; m++) {
                time[m][0] = next[(ahead + AHEAD - 1) % AHEAD][m][QUADS - 1].w;
                time[m][TILE + 1] = next[(ahead + 1) % AHEAD][m][0].x;
#pragma unroll
                for (uint quad = 0; quad < QUADS; quad++) {
                    UNPACK(time[m], 1 + 4 * quad, next[ahead][m][quad]);
                    uint row = min(start + phase + AHEAD - 1, tiles + LANES);
                    if (phase > 0 && item < LANES)
                        next[(ahead + AHEAD - 1) % AHEAD][m][quad] = times[at_row(row, m, quad, item)];
                }
            }
            if (active && tile <= last) {
#pragma unroll
                for (uint m = 0; m < LANE_MACHINES; m++) {
                    uint old[TILE + 2];
#pragma unroll
                    for (uint i = 0; i < TILE + 2; i++)
                        old[i] = time[m][i];
#pragma unroll
                    for (uint i = 0; i < TILE; i++) {
                        uint position = tile * TILE + i;
                        uint now = position - begin < moved ? (later ? old[i + 2] : old[i]) : old[i + 1];
                        now = !insertions && position == from ? at_to[m] : now;
                        time[m][i + 1] = position == to ? at_from[m] : now;
                    }
#pragma unroll
                    for (uint quad = 0; quad < QUADS; quad++)
                        times[at_row(tile + item, m, quad, item)] = PACK(time[m], 1 + 4 * quad);
                }
            }
            if (active) {
#pragma unroll
                for (uint quad = 0; quad < QUADS; quad++)
                    UNPACK(end, 4 * quad, links[(ahead % 2 * QUADS + quad) * (LANES + 1) + item]);
#pragma unroll
                for (uint m = 0; m < LANE_MACHINES; m++) {
                    uint before[TILE];
#pragma unroll
                    for (uint i = 0; i < TILE; i++) {
                        before[i] = column[m];
                        column[m] = max(column[m] + time[m][i + 1], end[i] + time[m][i + 1]);
                        end[i] = column[m];
                    }
#pragma unroll
                    for (uint quad = 0; quad < QUADS; quad++)
                        other_rests[at_row(tiles + LANES - 2 - tile - item, LANE_MACHINES - 1 - m, QUADS - 1 - quad,
                                           LANES - 1 - item)] = PACK_REVERSED(before, 4 * quad);
                }
#pragma unroll
                for (uint quad = 0; quad < QUADS; quad++)
                    links[((1 - ahead % 2) * QUADS + quad) * (LANES + 1) + item + 1] = PACK(end, 4 * quad);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
}

/* The step to the best neighbour, of which the groups of a trajectory do a part each: the first and the second rebuild
 * the tables of a direction, the third takes the new sequence down, the others find the moves that would lead back to
 * the sequences of the list. All find the neighbour for themselves. With no move the sequence stays; a first call
 * without leasts starts the search. */
kernel __attribute__((reqd_work_group_size(WAVE, 1, 1)))
void advance(global const uint *restrict front, global const uint *restrict orders, global uint *next_orders,
             global uint4 *times, global uint4 *rests, global uint *list, global uint *forbidden,
             global const uint2 *restrict leasts, global uint *bests, uint leasts_each, uint jobs, uint tiles,
             uint insertions, uint directions, uint tenure, uint slot, local uint2 *group_leasts, local uint4 *links)
{
    uint role = get_group_id(0), trajectory = get_global_id(1);
    uint item = get_local_id(0), positions = tiles * TILE;
    orders += (size_t)trajectory * positions;
    next_orders += (size_t)trajectory * positions;
    list += (size_t)trajectory * tenure * jobs;
    forbidden += (size_t)trajectory * 2 * tenure;
    leasts += (size_t)trajectory * leasts_each;
    bests += (size_t)trajectory * (jobs + 1);

    uint2 own = (uint2)(NONE, NONE);
    for (uint base = item; base < leasts_each; base += BATCH * WAVE) {
#pragma unroll
        for (uint i = 0; i < BATCH; i++) {
            uint2 other = leasts[min(base + i * WAVE, leasts_each - 1)];
            own = other.x < own.x || (other.x == own.x && other.y < own.y) ? other : own;
        }
    }
    uint2 chosen = least(own, group_leasts);

    uint a = 0, b = 0;
    if (chosen.x != NONE && insertions) {
        uint row = chosen.y / BLOCK;
        a = row / jobs * BLOCK + chosen.y % BLOCK;
        b = row % jobs;
    } else if (chosen.x != NONE) {
        a = swap_first(chosen.y, jobs);
        b = chosen.y - swap_number(a, a + 1, jobs) + a + 1;
    }
#define JOB(position) orders[insertions ? before_insertion(position, a, b) : before_swap(position, a, b)]

    if (role < directions) {
        uint from = role ? positions - 1 - a : a, to = role ? positions - 1 - b : b;
        uint start = leasts_each > 0 ? min(from, to) / TILE : 0;
        times += (2 * trajectory + role) * TABLE(tiles);
        rests += (2 * trajectory + 1 - role) * TABLE(tiles);
        rebuild(front, times, rests, tiles, start, insertions, from, to, role, links);
    }

    if (role == RECORD) {
        uint better = chosen.x < bests[jobs];
        global uint *record = list + (size_t)slot * jobs;
        barrier(CLK_GLOBAL_MEM_FENCE);
        for (uint base = item; base < positions; base += BATCH * WAVE) {
            uint job[BATCH];
#pragma unroll
            for (uint i = 0; i < BATCH; i++)
                job[i] = JOB(min(base + i * WAVE, positions - 1));
#pragma unroll
            for (uint i = 0; i < BATCH; i++) {
                uint position = base + i * WAVE;
                if (position < positions)
                    next_orders[position] = job[i];
                if (position < jobs)
                    record[position] = job[i];
                if (better && position < jobs)
                    bests[position] = job[i];
            }
        }
        if (item == 0) {
            if (better)
                bests[jobs] = chosen.x;
            /* No move leads from a sequence to itself. */
            forbidden[2 * slot] = NONE;
            forbidden[2 * slot + 1] = NONE;
        }
    }

    uint entry = role - COMPARE;
    if (role >= COMPARE && entry != slot) {
        /* Where the entry differs from the sequence, first and last, and by which moves it may have come. */
        global const uint *listed = list + (size_t)entry * jobs;
        uint2 differing = (uint2)(jobs, NONE);
        for (uint base = item; base < jobs; base += BATCH * WAVE) {
#pragma unroll
            for (uint i = 0; i < BATCH; i++) {
                uint position = min(base + i * WAVE, jobs - 1);
                uint2 here = (uint2)(position, NONE - position);
                differing = listed[position] != JOB(position) ? min(differing, here) : differing;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        group_leasts[item] = differing;
        for (uint span = WAVE / 2; span > 0; span /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (item < span)
                group_leasts[item] = min(group_leasts[item], group_leasts[item + span]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint first = group_leasts[0].x, last = NONE - group_leasts[0].y;
        barrier(CLK_LOCAL_MEM_FENCE);
        uint2 leads = (uint2)(1, 1);
        uint stop = first < jobs ? last + 1 : 0;
        for (uint base = first + item; base < stop; base += BATCH * WAVE) {
#pragma unroll
            for (uint i = 0; i < BATCH; i++) {
                uint position = min(base + i * WAVE, stop - 1), job = listed[position];
                uint there = insertions ? before_insertion(position, first, last) : before_swap(position, first, last);
                leads.x &= job == JOB(there);
                leads.y &= job == JOB(before_insertion(position, last, first));
            }
        }
        group_leasts[item] = leads;
        for (uint span = WAVE / 2; span > 0; span /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (item < span)
                group_leasts[item] &= group_leasts[item + span];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item == 0) {
            leads = group_leasts[0];
            uint differs = first < stop;
            uint there = insertions ? insertion_number(first, last, jobs) : swap_number(first, last, jobs);
            forbidden[2 * entry] = differs && leads.x ? there : NONE;
            forbidden[2 * entry + 1] =
                differs && insertions && leads.y ? insertion_number(last, first, jobs) : NONE;
        }
    }
}
