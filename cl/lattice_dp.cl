/* Min-plus dynamic programming over a mixed-radix box; src/lattice_dp/mod.rs has the recurrence, and why only
 * one group of offsets matters to a cell and the cells of a slab are independent.
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

static ulong2 at_shift(ulong component, uint shift)
{
    ulong field = component << (shift & 63);
    return shift < 64 ? (ulong2)(field, 0) : (ulong2)(0, field);
}

/* Cells first .. first + count - 1 of the slab that begins at cell `base`, whose packed vector is `low`,
 * `high`. The dimensions are those after the slab's own, the offsets its group. */
__kernel void lattice_slab(
    __global ushort *table,
    __global const ulong4 *offsets,
    uint offset_first,
    uint offset_count,
    __global const ulong2 *dimensions,
    uint dimension_first,
    uint dimension_count,
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
    ulong left = first + item;
    ulong index = base + left;
    ulong2 packed = (ulong2)(base_low, base_high);
    for (uint i = dimension_first; i < dimension_first + dimension_count; ++i) {
        ulong2 dimension = dimensions[i];
        ulong component = left / dimension.x;
        left -= component * dimension.x;
        packed += at_shift(component, (uint)dimension.y);
    }

    ulong2 guards = (ulong2)(guards_low, guards_high);
    ushort best = UNREACHABLE;
    for (uint j = offset_first; j < offset_first + offset_count; ++j) {
        ulong4 offset = offsets[j];
        if (fits(offset, packed, guards)) {
            best = min(best, through(table, index, offset));
        }
    }
    table[index] = best;
}

/* Walks from a cell on, by the first offset of its group that explains each value, until the component of the
 * group's dimension is 0 or `max_steps` steps are done; one work-group. `component_mask` covers the component,
 * `shift` is its bit position. `state` is the cell's index, its packed vector (two words) and the number of
 * steps so far; a walk that ends early has found no explanation. */
__kernel void lattice_replay(
    __global const ushort *table,
    __global const ulong4 *offsets,
    uint offset_first,
    uint offset_count,
    uint shift,
    ulong component_mask,
    ulong guards_low,
    ulong guards_high,
    __global ulong *state,
    __global uint *path,
    uint max_steps)
{
    __local uint nearest;
    uint lane = get_local_id(0);
    uint lanes = get_local_size(0);
    uint offset_end = offset_first + offset_count;
    ulong2 guards = (ulong2)(guards_low, guards_high);
    ulong2 mask = at_shift(component_mask, shift);
    ulong index = state[0];
    ulong2 packed = (ulong2)(state[1], state[2]);
    ulong steps = state[3];
    barrier(CLK_GLOBAL_MEM_FENCE);

    for (uint step = 0; step < max_steps && ((packed.x & mask.x) | (packed.y & mask.y)) != 0; ++step) {
        if (lane == 0) {
            nearest = UINT_MAX;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        ushort value = table[index];
        for (uint j = offset_first + lane; j < offset_end; j += lanes) {
            if (fits(offsets[j], packed, guards) && through(table, index, offsets[j]) == value) {
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
