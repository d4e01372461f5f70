/* Tabu search for the permutation flow shop: the step to the best neighbour.
 *
 * ATTRIBUTES       1 if list entries are jobs with the positions they left, 0 if sequences
 * ATTRIBUTE_WORDS  words of such an entry
 * BATCH            numbers that a work-item always reads together, needed or not
 * COMPARE          the first part of a step that compares with a list entry
 * SETUPS           1 if there are set-ups, so that other kernels rebuild the tables */

/* Parts of a step: RECORD stores the new sequence; those from COMPARE on find the moves that the
 * list entries forbid. */
#define RECORD (COMPARE - 1)

#if !SETUPS
/* Moves the times of a tile by one position, for `moved` positions from `begin` on. The array also
 * has a time of the tile before and one of the tile after. */
void shift(uint *time, uint tile, uint begin, uint moved, uint later)
{
    uint old[TILE + 2];
#pragma unroll UNROLL
    for (uint i = 0; i < TILE + 2; ++i) {
        old[i] = time[i];
    }
#pragma unroll UNROLL
    for (uint i = 0; i < TILE; ++i) {
        if (tile * TILE + i - begin < moved) {
            time[i + 1] = later ? old[i + 2] : old[i];
        }
    }
}

/* Recomputes times and tails along a wavefront in one direction, from the first changed tile on.
 * One group does this. The jobs at `from` and `to` (both in this direction) were exchanged, or the
 * one at `from` was moved to `to`. */
void rebuild(global const uint *front,
    global uint4 *times,
    global uint4 *other_tails,
    uint tiles,
    uint start,
    uint insertions,
    uint from,
    uint to,
    uint direction,
    local uint4 *links)
{
    uint item = get_local_id(0);
    for (uint i = item; i < 2 * QUADS; i += WAVE) {
        links[i * (LANES + 1)] = (uint4)(0);
    }

    /* The old times, of the tile before and of the tiles ahead. */
    uint4 next[AHEAD][LANE_MACHINES][QUADS];
    uint column[LANE_MACHINES], at_from[LANE_MACHINES], at_to[LANE_MACHINES];
    /* Lanes without machines must not even read what others write. */
    if (item < LANES) {
#pragma unroll UNROLL
        for (uint m = 0; m < LANE_MACHINES; ++m) {
            uint machine = item * LANE_MACHINES + m;
            column[m] = start > 0 ? head(other_tails, tiles, start * TILE, machine)
                : direction       ? 0
                                  : front[machine];
            at_from[m] = single(times, from, machine);
            at_to[m] = single(times, to, machine);
#pragma unroll UNROLL
            for (uint ahead = 0; ahead < AHEAD; ++ahead) {
#pragma unroll UNROLL
                for (uint quad = 0; quad < QUADS; ++quad) {
                    next[ahead][m][quad] = times[at_row(start + ahead, m, quad, item)];
                }
            }
        }
    }
    /* If the job was inserted, jobs between the two positions move by one. */
    uint later = from < to, begin = later ? from : to + 1, last = max(from, to) / TILE;
    uint moved = insertions ? (later ? to - from : from - to) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    uint phases = tiles - start + LANES - 1;
    for (uint base = 0; base < phases; base += AHEAD) {
#pragma unroll UNROLL
        for (uint ahead = 0; ahead < AHEAD; ++ahead) {
            uint phase = base + ahead, tile = start + phase - item;
            uint active = item < LANES && item <= phase && tile < tiles;
            uint end[TILE], time[LANE_MACHINES][TILE + 2];
#pragma unroll UNROLL
            for (uint m = 0; m < LANE_MACHINES; ++m) {
                time[m][0] = next[(ahead + AHEAD - 1) % AHEAD][m][QUADS - 1].w;
                time[m][TILE + 1] = next[(ahead + 1) % AHEAD][m][0].x;
#pragma unroll UNROLL
                for (uint quad = 0; quad < QUADS; ++quad) {
                    UNPACK(time[m], 1 + 4 * quad, next[ahead][m][quad]);
                    uint row = min(start + phase + AHEAD - 1, tiles + LANES);
                    if (item < LANES) {
                        next[(ahead + AHEAD - 1) % AHEAD][m][quad] =
                            times[at_row(row, m, quad, item)];
                    }
                }
            }
            if (active) {
#pragma unroll UNROLL
                for (uint quad = 0; quad < QUADS; ++quad) {
                    UNPACK(end, 4 * quad, links[(ahead % 2 * QUADS + quad) * (LANES + 1) + item]);
                }
            }
            if (active && (insertions ? tile <= last : tile == from / TILE || tile == to / TILE)) {
#pragma unroll UNROLL
                for (uint m = 0; m < LANE_MACHINES; ++m) {
                    /* Read before any selection between them and `time`; `Quirks` in
                     * src/opencl/facts.rs says why. */
                    uint leaves = at_from[m], comes = at_to[m];
                    if (insertions) {
                        shift(time[m], tile, begin, moved, later);
                    }
#pragma unroll UNROLL
                    for (uint i = 0; i < TILE; ++i) {
                        uint position = tile * TILE + i;
                        time[m][i + 1] = !insertions && position == from ? comes : time[m][i + 1];
                        time[m][i + 1] = position == to ? leaves : time[m][i + 1];
                    }
#pragma unroll UNROLL
                    for (uint quad = 0; quad < QUADS; ++quad) {
                        times[at_row(tile + item, m, quad, item)] = PACK(time[m], 1 + 4 * quad);
                    }
                }
            }
            if (active) {
#pragma unroll UNROLL
                for (uint m = 0; m < LANE_MACHINES; ++m) {
                    uint before[TILE];
#pragma unroll UNROLL
                    for (uint i = 0; i < TILE; ++i) {
                        before[i] = column[m];
                        column[m] = max(column[m] + time[m][i + 1], end[i] + time[m][i + 1]);
                        end[i] = column[m];
                    }
#pragma unroll UNROLL
                    for (uint quad = 0; quad < QUADS; ++quad) {
                        other_tails[at_row(tiles + LANES - 2 - tile - item, LANE_MACHINES - 1 - m,
                            QUADS - 1 - quad, LANES - 1 - item)] = PACK_REVERSED(before, 4 * quad);
                    }
                }
#pragma unroll UNROLL
                for (uint quad = 0; quad < QUADS; ++quad) {
                    links[((1 - ahead % 2) * QUADS + quad) * (LANES + 1) + item + 1] =
                        PACK(end, 4 * quad);
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
}

#endif

/* The job at a position after move (a, b); (0, 0) moves nothing. */
uint job_behind(global const uint *orders, uint insertions, uint a, uint b, uint position)
{
    return orders[insertions ? before_insertion(position, a, b) : before_swap(position, a, b)];
}

/* Recomputes the deltas at and after two positions whose jobs were exchanged. */
void renew_deltas(global const uint *sums,
    global const uint *orders,
    global int *deltas,
    uint positions,
    uint a,
    uint b)
{
    for (uint i = get_local_id(0); i < 4 * MACHINES; i += WAVE) {
        uint machine = i / 4, position = (i % 4 < 2 ? a : b) + i % 2;
        if (position > 0 && position < positions) {
            deltas[at_delta(position, machine)] =
                delta(sums, job_behind(orders, 0, a, b, position - 1),
                    job_behind(orders, 0, a, b, position), machine);
        }
    }
}

#if ATTRIBUTES
/* Words of a list entry: two jobs, each with the position it left. */
#define ENTRY(jobs) ATTRIBUTE_WORDS

/* The index of the swap of two positions, or none if they are equal or unknown. */
uint swap_of(uint now, uint left, uint jobs)
{
    return now == NONE || now == left ? NONE : swap_number(min(now, left), max(now, left), jobs);
}

/* Forbids the moves that would return the jobs of an entry. The latest entry is that of move (a,
 * b). */
void forbid_return(global const uint *orders,
    global uint *entry,
    uint is_latest,
    global uint *forbidden,
    uint jobs,
    uint insertions,
    uint has_moved,
    uint a,
    uint b,
    local ulong *memory)
{
    local uint *positions = (local uint *)memory;
    uint item = get_local_id(0);
    uint4 left;
    if (is_latest) {
        left = (uint4)(has_moved ? orders[a] : NONE, a, has_moved && !insertions ? orders[b] : NONE,
            b);
        if (item == 0) {
            vstore4(left, 0, entry);
        }
    } else {
        left = vload4(0, entry);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < 2) {
        positions[item] = NONE;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint2 now = (uint2)(NONE, NONE);
    for (uint base = item; base < jobs; base += BATCH * WAVE) {
#pragma unroll UNROLL
        for (uint i = 0; i < BATCH; ++i) {
            uint position = base + i * WAVE,
                 job = job_behind(orders, insertions, a, b, min(position, jobs - 1));
            now.x = position < jobs && job == left.x ? position : now.x;
            now.y = position < jobs && job == left.z ? position : now.y;
        }
    }
    if (now.x != NONE) {
        positions[0] = now.x;
    }
    if (now.y != NONE) {
        positions[1] = now.y;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        now = vload2(0, positions);
        if (insertions) {
            /* An exchange of adjacent jobs has two move indices. */
            uint moves = now.x != NONE && now.x != left.y,
                 exchanges = now.x + 1 == left.y || left.y + 1 == now.x;
            forbidden[0] = moves ? insertion_number(now.x, left.y, jobs) : NONE;
            forbidden[1] = moves && exchanges ? insertion_number(left.y, now.x, jobs) : NONE;
        } else {
            forbidden[0] = swap_of(now.x, left.y, jobs);
            forbidden[1] = swap_of(now.y, left.w, jobs);
        }
    }
}
#else
/* Words of a list entry: a sequence. */
#define ENTRY(jobs) (jobs)

/* Forbids the moves from the sequence after move (a, b) to an entry's sequence. */
void forbid_return(global const uint *orders,
    global uint *entry,
    uint is_latest,
    global uint *forbidden,
    uint jobs,
    uint insertions,
    uint has_moved,
    uint a,
    uint b,
    local ulong *memory)
{
    local uint2 *reduced = (local uint2 *)memory;
    uint item = get_local_id(0);
    /* No move leads from a sequence to itself. */
    if (is_latest) {
        if (item == 0) {
            forbidden[0] = NONE;
            forbidden[1] = NONE;
        }
        return;
    }
    /* The first and last position at which the entry differs from the sequence, and the moves that
     * may lead to it. */
    uint2 differing = (uint2)(jobs, NONE);
    for (uint base = item; base < jobs; base += BATCH * WAVE) {
#pragma unroll UNROLL
        for (uint i = 0; i < BATCH; ++i) {
            uint position = min(base + i * WAVE, jobs - 1);
            uint2 here = (uint2)(position, NONE - position);
            uint job = job_behind(orders, insertions, a, b, position);
            differing = entry[position] != job ? min(differing, here) : differing;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    reduced[item] = differing;
    for (uint span = WAVE / 2; span > 0; span /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < span) {
            reduced[item] = min(reduced[item], reduced[item + span]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint first = reduced[0].x, last = NONE - reduced[0].y;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint2 leads = (uint2)(1, 1);
    uint stop = first < jobs ? last + 1 : 0;
    for (uint base = first + item; base < stop; base += BATCH * WAVE) {
#pragma unroll UNROLL
        for (uint i = 0; i < BATCH; ++i) {
            uint position = min(base + i * WAVE, stop - 1), job = entry[position];
            uint there = insertions ? before_insertion(position, first, last)
                                    : before_swap(position, first, last);
            leads.x &= job == job_behind(orders, insertions, a, b, there);
            leads.y &= job
                == job_behind(orders, insertions, a, b, before_insertion(position, last, first));
        }
    }
    reduced[item] = leads;
    for (uint span = WAVE / 2; span > 0; span /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < span) {
            reduced[item] &= reduced[item + span];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        leads = reduced[0];
        uint differs = first < stop;
        uint there =
            insertions ? insertion_number(first, last, jobs) : swap_number(first, last, jobs);
        forbidden[0] = differs && leads.x ? there : NONE;
        forbidden[1] =
            differs && insertions && leads.y ? insertion_number(last, first, jobs) : NONE;
    }
}
#endif

/* One part of a trajectory's step to its best neighbour. The first and the second part rebuild the
 * tables of one direction each without set-ups, the third stores the new sequence, and the others
 * find the moves that a list entry forbids. Each part finds the best neighbour itself. Without an
 * allowed move the sequence stays. A first step without leasts makes the tables of the given
 * sequence. Its list of attributes is complete: `slot` is then that of no entry. */
void step_part(uint trajectory,
    uint role,
    global const uint *front,
    global const uint *sums,
    global const uint *orders,
    global uint *next_orders,
    global uint4 *times,
    global uint4 *tails,
    global int *deltas,
    global uint *list,
    global uint *forbidden,
    global const ulong *leasts,
    global uint *bests,
    uint leasts_each,
    uint jobs,
    uint tiles,
    uint insertions,
    uint directions,
    uint has_deltas,
    uint tenure,
    uint slot,
    local ulong *group_leasts,
    local uint4 *links)
{
    uint item = get_local_id(0), positions = tiles * TILE;
    orders += (size_t)trajectory * positions;
    next_orders += (size_t)trajectory * positions;
    list += (size_t)trajectory * tenure * ENTRY(jobs);
    forbidden += (size_t)trajectory * 2 * tenure;
    leasts += (size_t)trajectory * leasts_each;
    bests += (size_t)trajectory * (jobs + 1);

    ulong own = NO_MOVE;
    for (uint base = item; base < leasts_each; base += BATCH * WAVE) {
#pragma unroll UNROLL
        for (uint i = 0; i < BATCH; ++i) {
            own = min(own, leasts[min(base + i * WAVE, leasts_each - 1)]);
        }
    }
    ulong best = least(own, group_leasts);
    uint makespan = (uint)(best >> 32), number = (uint)best, has_moved = best != NO_MOVE;

    uint a = 0, b = 0;
    if (has_moved && insertions) {
        uint row = number / BLOCK;
        a = row / jobs * BLOCK + number % BLOCK;
        b = row % jobs;
    } else if (has_moved) {
        a = swap_first(number, jobs);
        b = number - swap_number(a, a + 1, jobs) + a + 1;
    }

#if !SETUPS
    if (role < directions) {
        uint from = role ? positions - 1 - a : a, to = role ? positions - 1 - b : b;
        uint start = leasts_each > 0 ? min(from, to) / TILE : 0;
        times += (2 * trajectory + role) * TABLE(tiles);
        tails += (2 * trajectory + 1 - role) * TABLE(tiles);
        rebuild(front, times, tails, tiles, start, insertions, from, to, role, links);
    }
#endif

    if (role == RECORD) {
        if (has_deltas) {
            renew_deltas(sums, orders, deltas + 4 * trajectory * DELTAS(tiles), positions, a, b);
        }
        uint better = makespan < bests[jobs];
        global uint *record = list + (size_t)slot * ENTRY(jobs);
        barrier(CLK_GLOBAL_MEM_FENCE);
        for (uint base = item; base < positions; base += BATCH * WAVE) {
            uint job[BATCH];
#pragma unroll UNROLL
            for (uint i = 0; i < BATCH; ++i) {
                job[i] = job_behind(orders, insertions, a, b, min(base + i * WAVE, positions - 1));
            }
#pragma unroll UNROLL
            for (uint i = 0; i < BATCH; ++i) {
                uint position = base + i * WAVE;
                if (position < positions) {
                    next_orders[position] = job[i];
                }
                if (!ATTRIBUTES && position < jobs) {
                    record[position] = job[i];
                }
                if (better && position < jobs) {
                    bests[position] = job[i];
                }
            }
        }
        if (item == 0 && better) {
            bests[jobs] = makespan;
        }
    }

    if (role >= COMPARE) {
        uint entry = role - COMPARE;
        forbid_return(orders, list + (size_t)entry * ENTRY(jobs), entry == slot,
            forbidden + 2 * entry, jobs, insertions, has_moved, a, b, group_leasts);
    }
}

/* Moves each trajectory to its best neighbour. The groups of a trajectory share the work. */
kernel __attribute__((reqd_work_group_size(WAVE, 1, 1))) void advance(
    global const uint *restrict front,
    global const uint *restrict sums,
    global const uint *restrict orders,
    global uint *next_orders,
    global uint4 *times,
    global uint4 *tails,
    global int *deltas,
    global uint *list,
    global uint *forbidden,
    global const ulong *restrict leasts,
    global uint *bests,
    uint leasts_each,
    uint jobs,
    uint tiles,
    uint insertions,
    uint directions,
    uint has_deltas,
    uint tenure,
    uint slot,
    local ulong *group_leasts,
    local uint4 *links)
{
    TAKE_PART(group_leasts);
    TAKE_PART(links);
    step_part(get_global_id(1), get_group_id(0), front, sums, orders, next_orders, times, tails,
        deltas, list, forbidden, leasts, bests, leasts_each, jobs, tiles, insertions, directions,
        has_deltas, tenure, slot, group_leasts, links);
}
