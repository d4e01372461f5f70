/* Tabu search for the permutation flow shop: the tables of a sequence on a device.
 *
 * LANES            work-items of a group that share the machines
 * LANE_MACHINES    machines of each, next to each other
 * QUADS            quads of positions of a tile
 * WAVE             work-items of a group on a wavefront
 * AHEAD            rows that a wavefront reads in advance; tables have as many extra rows
 *
 * Machines and positions are padded with zero times at the end, which change nothing.
 *
 * A sequence is seen in two directions: 0 from its start, and 1 from its end, with positions and
 * machines counted from the last one; heads and tails then exchange their roles. Each direction has
 * two tables with a number for each position and machine: `times` of the job there, and `tails`,
 * the tails after the position. Tables follow the wavefront: lane by lane, each one tile later than
 * the one before, so that lanes on the same anti-diagonal read adjacent data. A launch
 * of one generation has the trajectory as its second index. */

#define MACHINES (LANES * LANE_MACHINES)
#define ROW ((MACHINES + 3) / 4 * 4)
#define TILE (4 * QUADS)
#define TABLE(tiles) ((size_t)((tiles) + LANES + AHEAD) * LANE_MACHINES * QUADS * LANES)
/* Quads of positions on a machine, for swaps. A delta depends on a position's job and the one
 * before. Some are read in advance. */
#define DELTAS(tiles) (((size_t)(tiles) * QUADS + 1) * MACHINES)
#define NONE 0xffffffffu

#define UNPACK(numbers, from, four) \
    (numbers)[from] = (four).x, (numbers)[(from) + 1] = (four).y, \
    (numbers)[(from) + 2] = (four).z, (numbers)[(from) + 3] = (four).w
#define PACK(numbers, from) \
    (uint4)((numbers)[from], (numbers)[(from) + 1], (numbers)[(from) + 2], (numbers)[(from) + 3])
#define PACK_REVERSED(numbers, from) \
    (uint4)((numbers)[(from) + 3], (numbers)[(from) + 2], (numbers)[(from) + 1], (numbers)[from])

/* The place in a table of a tile's quad of positions on one machine of a lane. `row` is tile +
 * lane. */
size_t at_row(uint row, uint machine, uint quad, uint lane)
{
    return (((size_t)row * LANE_MACHINES + machine) * QUADS + quad) * LANES + lane;
}

/* The offset of a machine's numbers from those of the first machine. */
#define OFFSET(machine) \
    at_row((machine) / LANE_MACHINES, (machine) % LANE_MACHINES, 0, (machine) / LANE_MACHINES)

/* A table's entry for a position on the first machine. */
global const uint *at_position(global const uint4 *table, uint position)
{
    return (global const uint *)(table + at_row(position / TILE, 0, position % TILE / 4, 0))
        + position % 4;
}

/* A table's entry for a position and a machine. */
uint single(global const uint4 *table, uint position, uint machine)
{
    return at_position(table, position)[4 * OFFSET(machine)];
}

/* The head before a position, seen in a direction: the other direction's tail. */
uint head(global const uint4 *other_tails, uint tiles, uint position, uint machine)
{
    return single(other_tails, tiles * TILE - 1 - position, MACHINES - 1 - machine);
}

/* The sum of a job's times up to a machine, minus the sum of the next job's times on the machines
 * before. `sums` has each job's prefix sums over the machines. */
int delta(global const uint *sums, uint job, uint next, uint machine)
{
    return (int)sums[(size_t)job * ROW + machine]
        - (machine > 0 ? (int)sums[(size_t)next * ROW + machine - 1] : 0);
}

/* The index of a position and a machine among the deltas. */
size_t at_delta(uint position, uint machine)
{
    return 4 * ((size_t)(position / 4) * MACHINES + machine) + position % 4;
}

/* The deltas of a sequence, one work-item for each position. The first position has no job before
 * it; its deltas are not used. */
kernel void flow_shop_lay_out_deltas(
    global const uint *sums, global const uint *orders, global int *deltas, uint tiles)
{
    uint positions = tiles * TILE, position = get_global_id(0), trajectory = get_global_id(1);
    if (position >= positions) {
        return;
    }
    orders += (size_t)trajectory * positions;
    deltas += 4 * trajectory * DELTAS(tiles);
    for (uint machine = 0; machine < MACHINES; ++machine) {
        deltas[at_delta(position, machine)] =
            position > 0 ? delta(sums, orders[position - 1], orders[position], machine) : 0;
    }
}

/* Fills the tables with times, one work-item for each position in each direction. Sequences are
 * padded with a job of zero times. */
kernel void flow_shop_lay_out(
    global const uint *times, global const uint *orders, global uint4 *tables, uint tiles)
{
    uint positions = tiles * TILE, trajectory = get_global_id(1);
    uint position = get_global_id(0) % positions, direction = get_global_id(0) / positions;
    if (direction > 1) {
        return;
    }
    orders += (size_t)trajectory * positions;
    global uint *table = (global uint *)(tables + (2 * trajectory + direction) * TABLE(tiles));
    global const uint *row =
        times + (size_t)orders[direction ? positions - 1 - position : position] * ROW;
    for (uint machine = 0; machine < MACHINES; ++machine) {
        uint lane = machine / LANE_MACHINES;
        size_t four =
            at_row(position / TILE + lane, machine % LANE_MACHINES, position % TILE / 4, lane);
        table[4 * four + position % 4] = row[direction ? MACHINES - 1 - machine : machine];
    }
}
