/* Min-plus dynamic programming over a mixed-radix box. src/lattice_dp/mod.rs has the recurrence,
 * and explains why only one group of offsets matters to a cell and why the cells of a slab are
 * independent. This file is shared by the kernels on tables in global memory.
 *
 * `plan` holds rows of four words:
 * - offset: its packed vector (two words), its distance in cells, its cost;
 * - component: its dimension's stride in cells, its number of values, its bit position in packed
 *   vectors;
 * - dimension, two rows: its stride, its largest component, first and last + 1 row of its group;
 *   then bit position and mask of its component, first and last + 1 row of the other components
 *   that its group uses. */

#if CELL_BYTES == 1
typedef uchar cell_t;
#define UNREACHABLE ((cell_t)255)
#else
typedef ushort cell_t;
#define UNREACHABLE ((cell_t)65535)
#endif

/* Address space of the kernel's plan. */
/* A table may exceed the size of a buffer: part i holds the cells from i << PART_SHIFT on. */
#if PARTS == 1
#define TABLE global cell_t *part_0
#define THE_TABLE part_0
static global cell_t *cell_at(TABLE, ulong index)
{
    return part_0 + index;
}
#else
#define TABLE \
    global cell_t *part_0, global cell_t *part_1, global cell_t *part_2, global cell_t *part_3, \
        global cell_t *part_4, global cell_t *part_5, global cell_t *part_6, global cell_t *part_7
#define THE_TABLE part_0, part_1, part_2, part_3, part_4, part_5, part_6, part_7
static global cell_t *cell_at(TABLE, ulong index)
{
    uint part = (uint)(index >> PART_SHIFT);
    global cell_t *even_low = part & 2 ? part_2 : part_0;
    global cell_t *even_high = part & 2 ? part_6 : part_4;
    global cell_t *odd_low = part & 2 ? part_3 : part_1;
    global cell_t *odd_high = part & 2 ? part_7 : part_5;
    global cell_t *even = part & 4 ? even_high : even_low;
    global cell_t *odd = part & 4 ? odd_high : odd_low;
    return (part & 1 ? odd : even) + (index & ((1UL << PART_SHIFT) - 1));
}
#endif

/* Whether s <= v in every component: no guard bit is borrowed. */
static int fits(ulong4 s, ulong2 v, ulong2 guards)
{
    ulong2 difference = (v | guards) - s.xy;
    return ((difference.x & guards.x) == guards.x) & ((difference.y & guards.y) == guards.y);
}

/* The cell's cost if the offset is its last step; unreachable if the offset does not fit. The code
 * has no branch, so that several look-ups can be in flight. */
static cell_t through(TABLE, ulong index, ulong4 offset, ulong2 packed, ulong2 guards)
{
    int possible = fits(offset, packed, guards);
    cell_t before = *cell_at(THE_TABLE, possible ? index - offset.z : 0);
    return possible ? add_sat(before, (cell_t)offset.w) : UNREACHABLE;
}

static ulong2 at_shift(ulong component, uint shift)
{
    ulong field = component << (shift & 63);
    return shift < 64 ? (ulong2)(field, 0) : (ulong2)(0, field);
}

/* The components in rows component_first to component_end - 1 of the plan, for the cell that is
 * `inner` cells after one where they are all 0. */
static ulong2 inner_vector(
    PLAN_SPACE const ulong4 *plan, uint component_first, uint component_end, uint inner)
{
    ulong2 packed = (ulong2)(0);
    for (uint i = component_first; i < component_end; ++i) {
        ulong4 row = plan[i];
        packed += at_shift(inner / (uint)row.x % (uint)row.y, (uint)row.z);
    }
    return packed;
}

/* Fills a cell. `packed` must hold the components that the offsets use; others may be missing. */
static void fill_cell(TABLE,
    PLAN_SPACE const ulong4 *plan,
    uint offset_first,
    uint offset_end,
    ulong2 guards,
    ulong index,
    ulong2 packed)
{
    cell_t best = UNREACHABLE;
    for (uint j = offset_first; j < offset_end; ++j) {
        best = min(best, through(THE_TABLE, index, plan[j], packed, guards));
    }
    *cell_at(THE_TABLE, index) = best;
}

/* Traceback from a cell, `steps` steps away from the last one, towards cell 0, by at most
 * `max_steps` steps, or to the first cell whose index is below `least`. Each step is the first
 * offset of the cell's group that explains its value. One work-group runs it. Writes to
 * `traceback`:
 * - the index and the packed vector (two words) of the cell reached;
 * - the number of steps so far;
 * - the value of the cell where this traceback began;
 * - from word TRACEBACK_HEAD on, the rows of all steps' offsets.
 *
 * If it makes no step, it has found no explanation. */
static void trace_back(TABLE,
    PLAN_SPACE const ulong4 *plan,
    uint dimension_first,
    ulong2 guards,
    ulong index,
    ulong least,
    ulong2 packed,
    uint steps,
    uint max_steps,
    global ulong *traceback,
    local uint *nearest)
{
    uint lane = get_local_id(0);
    uint lanes = get_local_size(0);
    PLAN_SPACE const ulong4 *dimension = plan + dimension_first;
    cell_t value = *cell_at(THE_TABLE, index);
    if (lane == 0) {
        traceback[4] = value;
    }
    for (uint step = 0; step < max_steps && index != 0 && index >= least && value != UNREACHABLE;
        ++step) {
        for (;; dimension += 2) {
            ulong2 mask = at_shift(dimension[1].y, (uint)dimension[1].x);
            if (((packed.x & mask.x) | (packed.y & mask.y)) != 0) {
                break;
            }
        }
        if (lane == 0) {
            *nearest = UINT_MAX;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = (uint)dimension->z + lane; j < (uint)dimension->w; j += lanes) {
            if (through(THE_TABLE, index, plan[j], packed, guards) == value) {
                atomic_min(nearest, j);
                break;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint found = *nearest;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (found == UINT_MAX) {
            break;
        }
        ulong4 offset = plan[found];
        index -= offset.z;
        packed -= offset.xy;
        value -= (cell_t)offset.w;
        if (lane == 0) {
            traceback[TRACEBACK_HEAD + steps] = found;
        }
        ++steps;
    }

    if (lane == 0) {
        traceback[0] = index;
        traceback[1] = packed.x;
        traceback[2] = packed.y;
        traceback[3] = steps;
    }
}
