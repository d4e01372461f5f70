/* Tabu search for the permutation flow shop: the makespans of all insertions. */

/* Evaluates all positions after that of one job, in one direction. A wavefront passes the sequence
 * without the job. At each position it appends the job and joins the tails. The last lane writes
 * the best move. `group` counts jobs and directions, the longest chains first.
 *
 * Without a job, the sequence has the whole sequence's heads before the job's position, and its
 * tails after it. `links` are the values that lanes pass on, alternating between two buffers: the
 * completion times of the sequence and of the job on a machine, and the makespan so far. A bit of
 * `closed` marks a position that does not exist or is forbidden. If forbidden moves may lead to a
 * new best sequence, a bit of `barred` marks a position that must. */
void best_insertion(uint trajectory,
    uint group,
    global const uint4 *times,
    global const uint4 *tails,
    global const uint *forbidden,
    global const uint *bests,
    global ulong *leasts,
    uint jobs,
    uint tiles,
    uint most_forbidden,
    uint listed,
    local uint4 *links,
    local uint *closed)
{
    uint item = get_local_id(0), lane = min(item, LANES - 1u);
    uint direction = group % 2;
    uint positions = tiles * TILE;
    /* Seen from its end, a sequence begins with the padding. */
    uint removed = group / 2 + (direction ? positions - jobs : 0);
    uint from = direction ? positions - 1 - removed : removed;
    times += (2 * trajectory + direction) * TABLE(tiles);
    global const uint4 *heads = tails + (2 * trajectory + 1 - direction) * TABLE(tiles);
    tails += (2 * trajectory + direction) * TABLE(tiles);
    forbidden += (size_t)trajectory * most_forbidden;

    uint column[LANE_MACHINES], own[LANE_MACHINES];
    uint4 next_times[AHEAD][LANE_MACHINES][QUADS], next_tails[AHEAD][LANE_MACHINES][QUADS];
    uint first_tile = removed / TILE;
#pragma unroll UNROLL
    for (uint m = 0; m < LANE_MACHINES; ++m) {
        column[m] = head(heads, tiles, removed, lane * LANE_MACHINES + m);
        own[m] = single(times, removed, lane * LANE_MACHINES + m);
#pragma unroll UNROLL
        for (uint ahead = 0; ahead < AHEAD; ++ahead) {
#pragma unroll UNROLL
            for (uint quad = 0; quad < QUADS; ++quad) {
                next_times[ahead][m][quad] = times[at_row(first_tile + ahead, m, quad, lane)];
                next_tails[ahead][m][quad] = tails[at_row(first_tile + ahead, m, quad, lane)];
            }
        }
    }
    uint stop = direction ? positions : jobs;
    uint words = (positions + 31) / 32;
    local uint *barred = ATTRIBUTES ? closed + words : closed;
    /* Nothing precedes the first machine. */
    for (uint i = item; i < 6 * QUADS; i += WAVE) {
        links[i * (LANES + 1)] = (uint4)(0);
    }
    close_positions(closed, barred, words, removed, stop);
    bar_forbidden(barred, forbidden, listed, jobs, positions, from, direction);

    /* On ties the smallest move index counts, which in direction 1 is the last one. */
    uint2 best = (uint2)(NONE, NONE);
    uint limit = NONE, barred_cutoff = cutoff(bests, trajectory, jobs);
    uint phases = tiles - first_tile + LANES - 1;
    for (uint base = 0; base < phases; base += AHEAD) {
#pragma unroll UNROLL
        for (uint ahead = 0; ahead < AHEAD; ++ahead) {
            uint phase = base + ahead, tile = first_tile + phase - item;
            local uint4 *read = links + ahead % 2 * 3 * QUADS * (LANES + 1) + item;
            local uint4 *write = links + (1 - ahead % 2) * 3 * QUADS * (LANES + 1) + item + 1;
            uint end[TILE], inserted[TILE], length[TILE], time[LANE_MACHINES][TILE],
                tail[LANE_MACHINES][TILE];
#pragma unroll UNROLL
            for (uint m = 0; m < LANE_MACHINES; ++m) {
#pragma unroll UNROLL
                for (uint quad = 0; quad < QUADS; ++quad) {
                    UNPACK(time[m], 4 * quad, next_times[ahead][m][quad]);
                    UNPACK(tail[m], 4 * quad, next_tails[ahead][m][quad]);
                    uint row = min(first_tile + phase + AHEAD, tiles + LANES);
                    next_times[ahead][m][quad] = times[at_row(row, m, quad, lane)];
                    next_tails[ahead][m][quad] = tails[at_row(row, m, quad, lane)];
                }
            }
            if (item < LANES && item <= phase && tile < tiles) {
#pragma unroll UNROLL
                for (uint quad = 0; quad < QUADS; ++quad) {
                    UNPACK(end, 4 * quad, read[quad * (LANES + 1)]);
                    UNPACK(inserted, 4 * quad, read[(QUADS + quad) * (LANES + 1)]);
                    UNPACK(length, 4 * quad, read[(2 * QUADS + quad) * (LANES + 1)]);
                }
                /* Before the job's position the heads are unchanged, and heads never decrease from
                 * machine to machine. */
                if (tile == first_tile) {
#pragma unroll UNROLL
                    for (uint i = 0; i < TILE; ++i) {
#pragma unroll UNROLL
                        for (uint m = 0; m < LANE_MACHINES; ++m) {
                            time[m][i] = tile * TILE + i > removed ? time[m][i] : 0;
                        }
                    }
                }
#pragma unroll UNROLL
                for (uint m = 0; m < LANE_MACHINES; ++m) {
#pragma unroll UNROLL
                    for (uint i = 0; i < TILE; ++i) {
                        column[m] = max(column[m] + time[m][i], end[i] + time[m][i]);
                        end[i] = column[m];
                        inserted[i] = max(inserted[i], column[m]) + own[m];
                        length[i] = max(length[i], inserted[i] + tail[m][i]);
                    }
                }
#pragma unroll UNROLL
                for (uint quad = 0; quad < QUADS; ++quad) {
                    write[quad * (LANES + 1)] = PACK(end, 4 * quad);
                    write[(QUADS + quad) * (LANES + 1)] = PACK(inserted, 4 * quad);
                    write[(2 * QUADS + quad) * (LANES + 1)] = PACK(length, 4 * quad);
                }
                if (item == LANES - 1) {
                    uint shortest = NONE;
#pragma unroll UNROLL
                    for (uint i = 0; i < TILE; ++i) {
                        shortest = min(shortest, length[i]);
                    }
                    if (shortest < limit) {
                        uint open = ~closed[tile * TILE / 32] >> tile * TILE % 32;
                        uint bars = ATTRIBUTES ? barred[tile * TILE / 32] >> tile * TILE % 32 : 0;
#pragma unroll UNROLL
                        for (uint i = 0; i < TILE; ++i) {
                            if ((open >> i & 1) && length[i] < limit
                                && (!(bars >> i & 1) || length[i] < barred_cutoff)) {
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
        leasts[(size_t)trajectory * 2 * jobs + group] =
            best.x == NONE ? NO_MOVE : ranked(best.x, insertion_number(from, to, jobs));
    }
}

/* Each group evaluates the insertions of one job in one direction. The third dimension counts parts
 * of a trajectory's groups. */
kernel __attribute__((reqd_work_group_size(WAVE, 1, 1))) void evaluate_insertions(
    global const uint4 *restrict times,
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
    local uint4 *links,
    local uint *closed)
{
    TAKE_PART(links);
    TAKE_PART(closed);
    uint group = first_group + get_group_id(2) * get_num_groups(0) + get_group_id(0);
    if (group < groups) {
        best_insertion(get_global_id(1), group, times, tails, forbidden, bests, leasts, jobs, tiles,
            most_forbidden, listed, links, closed);
    }
}
