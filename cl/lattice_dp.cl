/* Min-plus dynamic programming over a mixed-radix box; src/lattice_dp/mod.rs has the recurrence, and why only
 * one group of offsets matters to a cell and the cells of a slab are independent.
 *
 * `plan` holds rows of four words. An offset: its packed vector (two words), its distance in cells, its cost.
 * A component: its dimension's stride in cells, its number of values, its bit position in packed vectors. A
 * dimension: first and last + 1 row of its group, bit position and mask of its component. */

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

static ulong2 at_shift(ulong component, uint shift)
{
    ulong field = component << (shift & 63);
    return shift < 64 ? (ulong2)(field, 0) : (ulong2)(0, field);
}

/* Cells first .. first + count - 1 of the slab that begins at cell `base`, whose packed vector is `low`,
 * `high`. The components are those that any offset of the group uses beside the slab's own. */
__kernel void lattice_slab(
    __global ushort *table,
    __global const ulong4 *plan,
    uint offset_first,
    uint offset_end,
    uint component_first,
    uint component_end,
    ulong guards_low,
    ulong guards_high,
    ulong base,
    ulong base_low,
    ulong base_high,
    ulong first,
    ulong count)
{
    ulong item = get_global_id(0);
    if (item >= count) {
        return;
    }
    ulong cell = first + item;
    ulong2 packed = (ulong2)(base_low, base_high);
    for (uint i = component_first; i < component_end; ++i) {
        ulong4 row = plan[i];
        /* Division of 64 bits is several times as long. */
        ulong component = (cell | row.x) <= UINT_MAX ? (uint)cell / (uint)row.x % (uint)row.y
                                                     : cell / row.x % row.y;
        packed += at_shift(component, (uint)row.z);
    }

    ulong index = base + cell;
    ulong2 guards = (ulong2)(guards_low, guards_high);
    ushort best = UNREACHABLE;
    for (uint j = offset_first; j < offset_end; ++j) {
        ulong4 offset = plan[j];
        if (fits(offset, packed, guards)) {
            best = min(best, through(table, index, offset));
        }
    }
    table[index] = best;
}

/* Walks from a cell towards cell 0, by the first offset of each cell's group that explains its value, at most
 * `max_steps` steps; one work-group. `walk` is the cell's index, its packed vector (two words), the number of
 * steps so far, and the rows of the steps' offsets. A walk that makes no step has found no explanation. */
__kernel void lattice_replay(
    __global const ushort *table,
    __global const ulong4 *plan,
    uint dimension_first,
    ulong guards_low,
    ulong guards_high,
    __global ulong *walk,
    uint max_steps)
{
    __local uint nearest;
    uint lane = get_local_id(0);
    uint lanes = get_local_size(0);
    ulong2 guards = (ulong2)(guards_low, guards_high);
    ulong index = walk[0];
    ulong2 packed = (ulong2)(walk[1], walk[2]);
    ulong steps = walk[3];
    __global const ulong4 *dimension = plan + dimension_first;
    barrier(CLK_GLOBAL_MEM_FENCE);

    for (uint step = 0; step < max_steps && index != 0; ++step) {
        for (;; ++dimension) {
            ulong2 mask = at_shift(dimension->w, (uint)dimension->z);
            if (((packed.x & mask.x) | (packed.y & mask.y)) != 0) {
                break;
            }
        }
        if (lane == 0) {
            nearest = UINT_MAX;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        ushort value = table[index];
        for (uint j = (uint)dimension->x + lane; j < (uint)dimension->y; j += lanes) {
            if (fits(plan[j], packed, guards) && through(table, index, plan[j]) == value) {
                atomic_min(&nearest, j);
                break;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint found = nearest;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (found == UINT_MAX) {
            break;
        }
        index -= plan[found].z;
        packed -= plan[found].xy;
        if (lane == 0) {
            walk[4 + steps] = found;
        }
        ++steps;
    }

    if (lane == 0) {
        walk[0] = index;
        walk[1] = packed.x;
        walk[2] = packed.y;
        walk[3] = steps;
    }
}
