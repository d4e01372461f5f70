/* Min-plus dynamic programming over a mixed-radix box; src/lattice_dp/mod.rs has the recurrence.
 *
 * An offset is a ulong4: the vector packed into two words, its distance in cells, its cost. A dimension is a
 * ulong2: its stride in cells and the bit position of its component in the packed vector. */

#define UNREACHABLE ((ushort)65535)

/* Whether s <= v in every component: no guard bit is borrowed. */
static int fits(ulong4 s, ulong2 v, ulong2 guards)
{
    ulong2 difference = (v | guards) - s.xy;
    return ((difference.x & guards.x) == guards.x) & ((difference.y & guards.y) == guards.y);
}

/* What the cell costs if the offset is its last step. */
static ushort through(__global const ushort *table, ulong index, ulong4 offset)
{
    return add_sat(table[index - offset.z], (ushort)offset.w);
}

/* Cells first .. first + count - 1 of a level, in lexicographic order. Row i of `ways` says in how many ways
 * the components from dimension i on sum to 0, 1, ..., levels - 1. */
__kernel void lattice_level(
    __global ushort *table,
    __global const ulong4 *offsets,
    uint offset_count,
    __global const ulong2 *dimensions,
    uint dimension_count,
    __global const ulong *ways,
    uint levels,
    ulong guards_low,
    ulong guards_high,
    uint level,
    ulong first,
    ulong count)
{
    ulong item = get_global_id(0);
    if (item >= count) {
        return;
    }
    ulong rank = first + item;
    ulong index = 0;
    ulong2 packed = (ulong2)(0, 0);
    for (uint i = 0; i < dimension_count; ++i) {
        ways += levels;
        uint component = 0;
        while (rank >= ways[level]) {
            rank -= ways[level];
            --level;
            ++component;
        }
        ulong2 dimension = dimensions[i];
        ulong field = (ulong)component << (dimension.y & 63);
        index += component * dimension.x;
        packed += dimension.y < 64 ? (ulong2)(field, 0) : (ulong2)(0, field);
    }

    ulong2 guards = (ulong2)(guards_low, guards_high);
    ushort best = UNREACHABLE;
    for (uint j = 0; j < offset_count; ++j) {
        ulong4 offset = offsets[j];
        if (fits(offset, packed, guards)) {
            best = min(best, through(table, index, offset));
        }
    }
    table[index] = best;
}

/* Walks back from a cell towards cell 0 by the first offset that explains each value, at most `max_steps`
 * steps; one work-group. `state` is the cell's index, its packed vector (two words) and the number of steps so
 * far; a walk that ends early has found no explanation. */
__kernel void lattice_replay(
    __global const ushort *table,
    __global const ulong4 *offsets,
    uint offset_count,
    ulong guards_low,
    ulong guards_high,
    __global ulong *state,
    __global uint *path,
    uint max_steps)
{
    __local uint first;
    uint lane = get_local_id(0);
    uint lanes = get_local_size(0);
    ulong2 guards = (ulong2)(guards_low, guards_high);
    ulong index = state[0];
    ulong2 packed = (ulong2)(state[1], state[2]);
    ulong steps = state[3];
    barrier(CLK_GLOBAL_MEM_FENCE);

    for (uint step = 0; step < max_steps && index != 0; ++step) {
        if (lane == 0) {
            first = UINT_MAX;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        ushort value = table[index];
        for (uint j = lane; j < offset_count; j += lanes) {
            if (fits(offsets[j], packed, guards) && through(table, index, offsets[j]) == value) {
                atomic_min(&first, j);
                break;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint found = first;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (found == UINT_MAX) {
            break;
        }
        index -= offsets[found].z;
        packed -= offsets[found].xy;
        if (lane == 0) {
            path[steps] = found;
        }
        ++steps;
    }

    if (lane == 0) {
        state[0] = index;
        state[1] = packed.x;
        state[2] = packed.y;
        state[3] = steps;
    }
}
