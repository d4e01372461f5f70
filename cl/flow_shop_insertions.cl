/* Tabu search for the permutation flow shop: the makespans of all insertions. */

/* A word's bits of positions below `position`. */
uint bits_below(uint position, uint word)
{
    return position / 32 > word ? NONE : position / 32 < word ? 0 : (1u << position % 32) - 1;
}

/* All places behind that of one job, seen in one direction, for each group: a wavefront goes
 * through the sequence without the job, and in each place through the job and to the rest. The
 * longest chains come first.
 *
 * Before its place the heads without a job are those of the whole sequence, behind it the rests
 * are. `links` are what lanes hand on, in turns: where the sequence ends on a machine, where the
 * job does, and the makespan up to there. A bit of `closed` says that a place is none or forbidden;
 * one of `barred`, if forbidden moves may lead to a new best sequence, that a place has to. */
kernel __attribute__((reqd_work_group_size(WAVE, 1, 1))) void evaluate_insertions(
    global const uint4 *restrict times,
    global const uint4 *restrict rests,
    global const uint *restrict forbidden,
    global const uint *restrict bests,
    global ulong *leasts,
    uint jobs,
    uint tiles,
    uint most_forbidden,
    uint listed,
    uint first_group,
    uint groups,
    local uint4 *links,
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
#pragma unroll UNROLL
    for (uint m = 0; m < LANE_MACHINES; m++) {
        column[m] = head(heads, tiles, removed, lane * LANE_MACHINES + m);
        own[m] = single(times, removed, lane * LANE_MACHINES + m);
#pragma unroll UNROLL
        for (uint ahead = 0; ahead < AHEAD; ahead++) {
#pragma unroll UNROLL
            for (uint quad = 0; quad < QUADS; quad++) {
                next_times[ahead][m][quad] = times[at_row(first_tile + ahead, m, quad, lane)];
                next_rests[ahead][m][quad] = rests[at_row(first_tile + ahead, m, quad, lane)];
            }
        }
    }
    uint stop = direction ? positions : jobs;
    uint words = (positions + 31) / 32;
    local uint *barred = ATTRIBUTES ? closed + words : closed;
    for (uint word = item; word < words; word += WAVE) {
        barred[word] = 0;
        closed[word] = bits_below(removed + 1, word) | ~bits_below(stop, word);
    }
    /* Nothing comes before the first machine. */
    for (uint i = item; i < 6 * QUADS; i += WAVE) {
        links[i * (LANES + 1)] = (uint4)(0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < listed; i += WAVE) {
        uint number = forbidden[i], row = number / BLOCK;
        if (number != NONE && row / jobs * BLOCK + number % BLOCK == from) {
            uint to = direction ? positions - 1 - row % jobs : row % jobs;
            atomic_or(&barred[to / 32], 1u << to % 32);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    /* Of equal makespans the move with the least number counts, which in direction 1 is the last
     * one. */
    uint2 best = (uint2)(NONE, NONE);
    uint limit = NONE, barred_goal = goal(bests, jobs);
    uint phases = tiles - first_tile + LANES - 1;
    for (uint base = 0; base < phases; base += AHEAD) {
#pragma unroll UNROLL
        for (uint ahead = 0; ahead < AHEAD; ahead++) {
            uint phase = base + ahead, tile = first_tile + phase - item;
            local uint4 *read = links + ahead % 2 * 3 * QUADS * (LANES + 1) + item;
            local uint4 *write = links + (1 - ahead % 2) * 3 * QUADS * (LANES + 1) + item + 1;
            uint end[TILE], inserted[TILE], length[TILE], time[LANE_MACHINES][TILE],
                rest[LANE_MACHINES][TILE];
#pragma unroll UNROLL
            for (uint m = 0; m < LANE_MACHINES; m++) {
#pragma unroll UNROLL
                for (uint quad = 0; quad < QUADS; quad++) {
                    UNPACK(time[m], 4 * quad, next_times[ahead][m][quad]);
                    UNPACK(rest[m], 4 * quad, next_rests[ahead][m][quad]);
                    uint row = min(first_tile + phase + AHEAD, tiles + LANES);
                    next_times[ahead][m][quad] = times[at_row(row, m, quad, lane)];
                    next_rests[ahead][m][quad] = rests[at_row(row, m, quad, lane)];
                }
            }
            if (item < LANES && item <= phase && tile < tiles) {
#pragma unroll UNROLL
                for (uint quad = 0; quad < QUADS; quad++) {
                    UNPACK(end, 4 * quad, read[quad * (LANES + 1)]);
                    UNPACK(inserted, 4 * quad, read[(QUADS + quad) * (LANES + 1)]);
                    UNPACK(length, 4 * quad, read[(2 * QUADS + quad) * (LANES + 1)]);
                }
                /* Up to the job's place heads are as they are, and do not fall from machine to
                 * machine. */
                if (tile == first_tile) {
#pragma unroll UNROLL
                    for (uint i = 0; i < TILE; i++) {
#pragma unroll UNROLL
                        for (uint m = 0; m < LANE_MACHINES; m++) {
                            time[m][i] = tile * TILE + i > removed ? time[m][i] : 0;
                        }
                    }
                }
#pragma unroll UNROLL
                for (uint m = 0; m < LANE_MACHINES; m++) {
#pragma unroll UNROLL
                    for (uint i = 0; i < TILE; i++) {
                        column[m] = max(column[m] + time[m][i], end[i] + time[m][i]);
                        end[i] = column[m];
                        inserted[i] = max(inserted[i], column[m]) + own[m];
                        length[i] = max(length[i], inserted[i] + rest[m][i]);
                    }
                }
#pragma unroll UNROLL
                for (uint quad = 0; quad < QUADS; quad++) {
                    write[quad * (LANES + 1)] = PACK(end, 4 * quad);
                    write[(QUADS + quad) * (LANES + 1)] = PACK(inserted, 4 * quad);
                    write[(2 * QUADS + quad) * (LANES + 1)] = PACK(length, 4 * quad);
                }
                if (item == LANES - 1) {
                    uint shortest = NONE;
#pragma unroll UNROLL
                    for (uint i = 0; i < TILE; i++) {
                        shortest = min(shortest, length[i]);
                    }
                    if (shortest < limit) {
                        uint open = ~closed[tile * TILE / 32] >> tile * TILE % 32;
                        uint bars = ATTRIBUTES ? barred[tile * TILE / 32] >> tile * TILE % 32 : 0;
#pragma unroll UNROLL
                        for (uint i = 0; i < TILE; i++) {
                            if ((open >> i & 1) && length[i] < limit
                                && (!(bars >> i & 1) || length[i] < barred_goal)) {
                                best = (uint2)(length[i], tile * TILE + i);
                                limit = length[i] + direction;
                            }
                        }
                    }
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    if (item == LANES - 1) {
        uint to = direction ? positions - 1 - best.y : best.y;
        leasts[(size_t)trajectory * groups + group] =
            best.x == NONE ? NO_MOVE : ranked(best.x, insertion_number(from, to, jobs));
    }
}
