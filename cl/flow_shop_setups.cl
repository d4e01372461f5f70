/* Tabu search for the permutation flow shop with set-ups: the tables of a sequence, and the
 * makespans of all insertions.
 *
 * A machine is set up between the end of a job and the start of the next one. A head before a
 * position is the end of the job there before; a tail after a position begins with the start of the
 * next job. Neither contains the set-up between them. A table of `steps` is one of times,
 * with the set-up before each position, seen in the table's direction, in the upper halves of its
 * words. Tables of tails are rows of positions, machine by machine.
 *
 * Set-ups are between kinds of jobs, `none` in number. `into` has rows of set-ups by the kind of
 * the later job and that of the earlier one, `out_of` by the earlier and the later one. Behind the
 * last kind, `into` has the first set-ups of the machines and `out_of` has zeros. The padding's
 * kind is `none`; its set-ups are zero. A row has 16 bits for each machine.
 *
 * SETUP_ROW  quads of words from one row of set-ups to the next
 * RING       tiles of columns that are kept behind the wavefront */

/* Quads of words of a row of set-ups, without its padding. */
#define SETUP_BLOCKS ((MACHINES + 7) / 8)
/* Tiles that a batch of evaluated positions takes, one position for each work-item. */
#define BATCH_TILES (WAVE / TILE)

/* The kind of the job at a place of a sequence. */
uint kind_at(
    global const uint *kinds, global const uint *orders, uint positions, int place, uint none)
{
    return place >= 0 && place < (int)positions ? kinds[orders[place]] : none;
}

/* A row of set-ups. */
global const uint4 *setups_of(global const uint4 *setups, uint kind, uint other, uint none)
{
    return setups + ((size_t)kind * (none + 1) + other) * SETUP_ROW;
}

/* The set-up of a machine in a row. */
uint setup_on(global const uint4 *row, uint machine)
{
    return ((global const uint *)row)[machine / 2] >> machine % 2 * 16 & 0xffff;
}

/* Eight set-ups of a row. */
#define UNPACK_SETUPS(numbers, block) \
    (numbers)[0] = (block).x & 0xffff, (numbers)[1] = (block).x >> 16, \
    (numbers)[2] = (block).y & 0xffff, (numbers)[3] = (block).y >> 16, \
    (numbers)[4] = (block).z & 0xffff, (numbers)[5] = (block).z >> 16, \
    (numbers)[6] = (block).w & 0xffff, (numbers)[7] = (block).w >> 16

/* The place of a position and a machine in a table of tails. */
size_t at_tail(uint tiles, uint position, uint machine)
{
    return (size_t)machine * tiles * TILE + position;
}

/* Splits a step into its time and its link. */
#define TIME(step) ((step) & 0xffff)
#define LINK(step) ((step) >> 16)

/* Fills the tables of steps, one work-item for each machine and position in each
 * direction. */
kernel void flow_shop_lay_out_setups(global const uint *restrict job_times,
    global const uint4 *restrict into,
    global const uint *restrict kinds,
    global const uint *restrict orders,
    global uint4 *steps,
    uint tiles,
    uint none)
{
    uint positions = tiles * TILE, trajectory = get_global_id(1);
    uint machine = get_global_id(0) % MACHINES, place = get_global_id(0) / MACHINES;
    uint position = place % positions, direction = place / positions;
    if (direction > 1) {
        return;
    }
    orders += (size_t)trajectory * positions;
    int here = direction ? positions - 1 - position : position;
    uint from_machine = direction ? MACHINES - 1 - machine : machine;
    /* The earlier and the later job of the link. */
    int earlier = direction ? here : here - 1, later = direction ? here + 1 : here;
    uint before = kind_at(kinds, orders, positions, earlier, none);
    uint behind = kind_at(kinds, orders, positions, later, none);
    uint lane = machine / LANE_MACHINES;
    size_t four =
        at_row(position / TILE + lane, machine % LANE_MACHINES, position % TILE / 4, lane);
    size_t at = 4 * four + position % 4, table = (2 * trajectory + direction) * TABLE(tiles);
    uint time = job_times[(size_t)orders[here] * ROW + from_machine];
    uint link = setup_on(setups_of(into, behind, before, none), from_machine);
    ((global uint *)(steps + table))[at] = link << 16 | time;
}

/* Computes the tails of both directions along a wavefront, a group for each. The columns of one
 * direction are the tails of the other one. */
kernel __attribute__((reqd_work_group_size(WAVE, 1, 1))) void flow_shop_setup_tails(
    global const uint *restrict front,
    global const uint4 *restrict steps,
    global uint4 *tails,
    uint tiles,
    local uint4 *chains)
{
    TAKE_PART(chains);
    uint direction = get_group_id(0), trajectory = get_global_id(1);
    uint item = get_local_id(0), lane = min(item, LANES - 1u);
    steps += (2 * trajectory + direction) * TABLE(tiles);
    tails += (2 * trajectory + 1 - direction) * TABLE(tiles);
    for (uint i = item; i < 2 * QUADS; i += WAVE) {
        chains[i * (LANES + 1)] = (uint4)(0);
    }
    uint4 next[AHEAD][LANE_MACHINES][QUADS];
    uint column[LANE_MACHINES];
#pragma unroll UNROLL
    for (uint m = 0; m < LANE_MACHINES; ++m) {
        column[m] = direction ? 0 : front[lane * LANE_MACHINES + m];
#pragma unroll UNROLL
        for (uint ahead = 0; ahead < AHEAD; ++ahead) {
#pragma unroll UNROLL
            for (uint quad = 0; quad < QUADS; ++quad) {
                next[ahead][m][quad] = steps[at_row(ahead, m, quad, lane)];
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    uint phases = tiles + LANES - 1;
    for (uint base = 0; base < phases; base += AHEAD) {
#pragma unroll UNROLL
        for (uint ahead = 0; ahead < AHEAD; ++ahead) {
            uint phase = base + ahead, tile = phase - item;
            local uint4 *read = chains + ahead % 2 * QUADS * (LANES + 1) + item;
            local uint4 *write = chains + (1 - ahead % 2) * QUADS * (LANES + 1) + item + 1;
            uint end[TILE], step[LANE_MACHINES][TILE];
#pragma unroll UNROLL
            for (uint m = 0; m < LANE_MACHINES; ++m) {
#pragma unroll UNROLL
                for (uint quad = 0; quad < QUADS; ++quad) {
                    UNPACK(step[m], 4 * quad, next[ahead][m][quad]);
                    uint row = min(phase + AHEAD, tiles + LANES);
                    next[ahead][m][quad] = steps[at_row(row, m, quad, lane)];
                }
            }
            if (item < LANES && item <= phase && tile < tiles) {
#pragma unroll UNROLL
                for (uint quad = 0; quad < QUADS; ++quad) {
                    UNPACK(end, 4 * quad, read[quad * (LANES + 1)]);
                }
#pragma unroll UNROLL
                for (uint m = 0; m < LANE_MACHINES; ++m) {
                    uint before[TILE];
#pragma unroll UNROLL
                    for (uint i = 0; i < TILE; ++i) {
                        before[i] = column[m];
                        column[m] = max(column[m] + LINK(step[m][i]), end[i]) + TIME(step[m][i]);
                        end[i] = column[m];
                    }
#pragma unroll UNROLL
                    for (uint quad = 0; quad < QUADS; ++quad) {
                        uint first = (tiles - 1 - tile) * TILE + 4 * (QUADS - 1 - quad);
                        uint machine = MACHINES - 1 - item * LANE_MACHINES - m;
                        tails[at_tail(tiles, first, machine) / 4] = PACK_REVERSED(before, 4 * quad);
                    }
                }
#pragma unroll UNROLL
                for (uint quad = 0; quad < QUADS; ++quad) {
                    write[quad * (LANES + 1)] = PACK(end, 4 * quad);
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
}

/* Each group evaluates all positions after that of one job, in one direction. A wavefront passes
 * the sequence without the job, and leaves its columns in a ring. Behind it, a batch of positions
 * at a time, each work-item joins the job at one position with the heads and tails there. The
 * makespan is computed from the first machine on in both directions: in direction 1 the columns are
 * tails.
 *
 * `chains` are the completion times that lanes pass on, `own` the job's times. For `closed`, see
 * flow_shop_moves.cl. */
kernel __attribute__((reqd_work_group_size(WAVE, 1, 1))) void evaluate_setup_insertions(
    global const uint4 *restrict steps,
    global const uint4 *restrict into,
    global const uint4 *restrict out_of,
    global const uint *restrict kinds,
    global const uint *restrict orders,
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
    uint none,
    local uint4 *chains,
    local uint *closed,
    local uint *own,
    local uint4 *ring,
    local ulong *group_leasts)
{
    TAKE_PART(chains);
    TAKE_PART(closed);
    TAKE_PART(own);
    TAKE_PART(ring);
    TAKE_PART(group_leasts);
    uint trajectory = get_global_id(1), item = get_local_id(0), lane = min(item, LANES - 1u);
    uint group = first_group + get_group_id(0), direction = group % 2;
    uint positions = tiles * TILE;
    /* Seen from its end, a sequence begins with the padding. */
    uint removed = group / 2 + (direction ? positions - jobs : 0);
    uint from = direction ? positions - 1 - removed : removed;
    steps += (2 * trajectory + direction) * TABLE(tiles);
    global const uint *own_tails =
        (global const uint *)(tails + (2 * trajectory + direction) * TABLE(tiles));
    global const uint *heads =
        (global const uint *)(tails + (2 * trajectory + 1 - direction) * TABLE(tiles));
    forbidden += (size_t)trajectory * most_forbidden;
    orders += (size_t)trajectory * positions;

    /* The link between the jobs before and after the removed one. */
    uint kind = kinds[orders[from]];
    global const uint4 *gap =
        setups_of(into, kind_at(kinds, orders, positions, (int)from + 1, none),
            kind_at(kinds, orders, positions, (int)from - 1, none), none);
    uint column[LANE_MACHINES], bridge[LANE_MACHINES];
    uint4 next[AHEAD][LANE_MACHINES][QUADS];
    uint first_tile = removed / TILE;
#pragma unroll UNROLL
    for (uint m = 0; m < LANE_MACHINES; ++m) {
        uint machine = lane * LANE_MACHINES + m;
        column[m] = heads[at_tail(tiles, positions - 1 - removed, MACHINES - 1 - machine)];
        bridge[m] = setup_on(gap, direction ? MACHINES - 1 - machine : machine);
#pragma unroll UNROLL
        for (uint ahead = 0; ahead < AHEAD; ++ahead) {
#pragma unroll UNROLL
            for (uint quad = 0; quad < QUADS; ++quad) {
                next[ahead][m][quad] = steps[at_row(first_tile + ahead, m, quad, lane)];
            }
        }
    }
    for (uint machine = item; machine < MACHINES; machine += WAVE) {
        uint row = direction ? MACHINES - 1 - machine : machine;
        own[machine] = TIME(single(steps, removed, row));
    }
    /* Nothing precedes the first machine. */
    for (uint i = item; i < 2 * QUADS; i += WAVE) {
        chains[i * (LANES + 1)] = (uint4)(0);
    }
    uint words = (positions + 31) / 32, stop = direction ? positions : jobs;
    local uint *barred = ATTRIBUTES ? closed + words : closed;
    close_positions(closed, barred, words, removed, stop);
    bar_forbidden(barred, forbidden, listed, jobs, positions, from, direction);

    ulong best = NO_MOVE;
    uint barred_cutoff = cutoff(bests, trajectory, jobs), phase = 0;
    for (uint first = first_tile; first < tiles; first += BATCH_TILES) {
        uint position = first * TILE + item, place = min(position, positions - 1);
        uint to = direction ? positions - 1 - place : place;
        /* The jobs between which the job comes. */
        int earlier = direction ? (int)to - 1 : (int)to, later = earlier + 1;
        global const uint4 *entering =
            setups_of(into, kind, kind_at(kinds, orders, positions, earlier, none), none);
        global const uint4 *leaving =
            setups_of(out_of, kind, kind_at(kinds, orders, positions, later, none), none);
        /* Read before the wavefront goes on, so that latencies overlap. */
        uint4 packed_into[SETUP_BLOCKS], packed_out[SETUP_BLOCKS];
#pragma unroll UNROLL
        for (uint block = 0; block < SETUP_BLOCKS; ++block) {
            packed_into[block] = entering[block];
            packed_out[block] = leaving[block];
        }
        /* The phase after which the last lane has passed the batch. */
        uint last = min(first + BATCH_TILES, tiles) - first_tile + LANES - 1;
        do {
#pragma unroll UNROLL
            for (uint ahead = 0; ahead < AHEAD; ++ahead) {
                uint turn = phase + ahead, tile = first_tile + turn - item;
                local uint4 *read = chains + ahead % 2 * QUADS * (LANES + 1) + item;
                local uint4 *write = chains + (1 - ahead % 2) * QUADS * (LANES + 1) + item + 1;
                uint end[TILE], step[LANE_MACHINES][TILE];
#pragma unroll UNROLL
                for (uint m = 0; m < LANE_MACHINES; ++m) {
#pragma unroll UNROLL
                    for (uint quad = 0; quad < QUADS; ++quad) {
                        UNPACK(step[m], 4 * quad, next[ahead][m][quad]);
                        uint row = min(first_tile + turn + AHEAD, tiles + LANES);
                        next[ahead][m][quad] = steps[at_row(row, m, quad, lane)];
                    }
                }
                if (item < LANES && item <= turn && tile < tiles) {
#pragma unroll UNROLL
                    for (uint quad = 0; quad < QUADS; ++quad) {
                        UNPACK(end, 4 * quad, read[quad * (LANES + 1)]);
                    }
#pragma unroll UNROLL
                    for (uint m = 0; m < LANE_MACHINES; ++m) {
                        uint passed[TILE];
#pragma unroll UNROLL
                        for (uint i = 0; i < TILE; ++i) {
                            uint position = tile * TILE + i;
                            uint link = position == removed + 1 ? bridge[m] : LINK(step[m][i]);
                            uint later = max(column[m] + link, end[i]) + TIME(step[m][i]);
                            /* Up to the job's position the heads are unchanged. */
                            column[m] = position > removed ? later : column[m];
                            end[i] = column[m];
                            passed[i] = column[m];
                        }
                        uint slot = (lane * LANE_MACHINES + m) * RING + (turn - item) % RING;
#pragma unroll UNROLL
                        for (uint quad = 0; quad < QUADS; ++quad) {
                            ring[slot * QUADS + quad] = PACK(passed, 4 * quad);
                        }
                    }
#pragma unroll UNROLL
                    for (uint quad = 0; quad < QUADS; ++quad) {
                        write[quad * (LANES + 1)] = PACK(end, 4 * quad);
                    }
                }
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            phase += AHEAD;
        } while (phase < last);

        local const uint *passed =
            (local const uint *)(ring + (place / TILE - first_tile) % RING * QUADS) + place % TILE;
        uint inserted = 0, length = 0;
#pragma unroll UNROLL
        for (uint block = 0; block < SETUP_BLOCKS; ++block) {
            uint into_job[8], out_of_job[8];
            UNPACK_SETUPS(into_job, packed_into[block]);
            UNPACK_SETUPS(out_of_job, packed_out[block]);
#pragma unroll UNROLL
            for (uint i = 0; i < 8; ++i) {
                uint machine = 8 * block + i;
                if (machine < MACHINES) {
                    uint row = direction ? MACHINES - 1 - machine : machine;
                    uint here = passed[row * RING * TILE],
                         there = own_tails[at_tail(tiles, place, row)];
                    uint start = direction ? there : here, rest = direction ? here : there;
                    inserted = max(inserted, start + into_job[i]) + own[machine];
                    length = max(length, inserted + out_of_job[i] + rest);
                }
            }
        }
        uint word = place / 32, bit = place % 32;
        uint is_open = position < positions && (~closed[word] >> bit & 1);
        uint is_barred = ATTRIBUTES && (barred[word] >> bit & 1);
        if (is_open && (!is_barred || length < barred_cutoff)) {
            best = min(best, ranked(length, insertion_number(from, to, jobs)));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    best = least(best, group_leasts);
    if (item == 0) {
        leasts[(size_t)trajectory * groups + group] = best;
    }
}
