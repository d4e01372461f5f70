/* Min-plus dynamic programming over a mixed-radix box by anti-diagonal levels, of the whole box or
 * of blocks. src/lattice_dp/mod.rs has the recurrence and explains why only one group of offsets
 * matters to a cell. src/lattice_dp/partition/layout.rs explains the layout of the table and how a
 * step back in it borrows.
 *
 * `offsets` holds a row for each offset: its packed vector (two words) and its components modulo
 * the sides (two words).
 *
 * `plan` holds words:
 * - BIT_WORDS for each of the BITS bits of a packed vector: for a bit of a component the group's
 * first and last + 1 offset, for a guard bit the additional distance of a step that borrows;
 * - MOVE_WORDS for each offset: its distance and its cost;
 * - from word `axes_at` on, AXIS_WORDS for each dimension: its side in a block, block stride, inner
 *   stride, bit position and mask;
 * - for the box of blocks and for one block, one row for each dimension and one more: for every
 *   level the number of vectors of this and the later dimensions with that sum.
 *
 * With CHILDREN 1, CHILD_GROUP work-items share the offsets of a cell, else one work-item has
 * all. */

#define UNREACHABLE ((ushort)65535)

/* The first parameters of all kernels: the table and the description of its box. */
#define BOX(CELL) \
    global CELL *table, global const ulong4 *offsets, global const uint *plan, ulong guards_low, \
        ulong guards_high, uint axes_at, uint dimensions

/* A cell: its packed vector, its coordinates inside the block, its place. */
typedef struct {
    ulong2 packed;
    ulong2 inner;
    uint place;
} cell_t;

static ulong2 at_shift(uint component, uint shift)
{
    ulong field = (ulong)component << (shift & 63);
    return shift < 64 ? (ulong2)(field, 0) : (ulong2)(0, field);
}

/* The next component of vector `number` of a level. `later` is the row of the later dimensions,
 * which counts the vectors with smaller components. `number` and `level` become those of the
 * remaining dimensions. */
static uint next_component(global const uint *later, uint *number, uint *level)
{
    uint component = 0;
    uint vectors = later[*level];
    while (*number >= vectors) {
        *number -= vectors;
        ++component;
        vectors = later[*level - component];
    }
    *level -= component;
    return component;
}

/* Sets `cell` to the first cell of block `number` of a block level. */
static void find_block(cell_t *cell,
    global const uint *axes,
    uint dimensions,
    global const uint *counts,
    uint levels,
    uint level,
    uint number)
{
    cell->packed = (ulong2)(0);
    cell->inner = (ulong2)(0);
    cell->place = 0;
    for (uint d = 0; d < dimensions; ++d, axes += AXIS_WORDS) {
        counts += levels;
        uint component = next_component(counts, &number, &level);
        cell->packed += at_shift(component * axes[0], axes[3]);
        cell->place += component * axes[1];
    }
}

/* Moves `cell` from the first cell of a block to cell `number` of a level of the block. */
static void find_cell(cell_t *cell,
    global const uint *axes,
    uint dimensions,
    global const uint *counts,
    uint levels,
    uint level,
    uint number)
{
    for (uint d = 0; d < dimensions; ++d, axes += AXIS_WORDS) {
        counts += levels;
        uint component = next_component(counts, &number, &level);
        cell->inner += at_shift(component, axes[3]);
        cell->place += component * axes[2];
    }
    cell->packed += cell->inner;
}

/* The first and last + 1 offset that matter to a cell other than cell 0: the group of its first
 * component above 0. */
static uint2 group_of(ulong2 packed, global const uint *plan)
{
    ulong word = packed.x != 0 ? packed.x : packed.y;
    uint bit = 63 - (uint)clz(word & (~word + 1)) + (packed.x != 0 ? 0 : 64);
    return (uint2)(plan[BIT_WORDS * bit], plan[BIT_WORDS * bit + 1]);
}

/* Whether the offset fits into the cell: no guard bit is borrowed. */
static int fits(ulong4 offset, ulong2 packed, ulong2 guards)
{
    ulong2 difference = (packed | guards) - offset.xy;
    return ((difference.x & guards.x) == guards.x) & ((difference.y & guards.y) == guards.y);
}

/* The place of the cell that a fitting offset leads back to. */
static uint place_before(const cell_t *cell,
    ulong4 offset,
    global const uint *move,
    global const uint *plan,
    ulong2 guards)
{
    uint place = cell->place - move[0];
    ulong2 borrowing = ~((cell->inner | guards) - offset.zw) & guards;
    for (uint base = 0; base < BITS; base += 64) {
        ulong left = base == 0 ? borrowing.x : borrowing.y;
        while (left != 0) {
            uint bit = base + 63 - (uint)clz(left & (~left + 1));
            place -= plan[BIT_WORDS * bit + 2];
            left &= left - 1;
        }
    }
    return place;
}

/* The work-items that share a cell: team `number` of the `count` teams of some neighbouring
 * work-items, and one child of the team. */
typedef struct {
    uint number;
    uint count;
    uint child;
    uint children;
} team_t;

static team_t team_of(uint lane, uint lanes)
{
    uint children = CHILDREN ? min((uint)CHILD_GROUP, lanes) : 1;
    team_t team = {lane / children, lanes / children, lane % children, children};
    return team;
}

/* The least value of a cell over the offsets of one child. */
static ushort least_of(global const ushort *table,
    global const ulong4 *offsets,
    global const uint *plan,
    ulong2 guards,
    const cell_t *cell,
    const team_t *team)
{
    uint2 group = group_of(cell->packed, plan);
    global const uint *moves = plan + BIT_WORDS * BITS;
    ushort best = UNREACHABLE;
    for (uint j = group.x + team->child; j < group.y; j += team->children) {
        ulong4 offset = offsets[j];
        if (fits(offset, cell->packed, guards)) {
            global const uint *move = moves + MOVE_WORDS * j;
            ushort before = table[place_before(cell, offset, move, plan, guards)];
            best = min(best, add_sat(before, (ushort)move[1]));
        }
    }
    return best;
}

/* The last parameters of the kernels that fill. With CHILDREN a word of local memory for each
 * work-item. */
#if CHILDREN
#define CHILD_PARAMETERS , local uint *least
#define CHILD_ARGUMENTS , least
#define TAKE_CHILD TAKE_PART(least)
#else
#define CHILD_PARAMETERS
#define CHILD_ARGUMENTS
#define TAKE_CHILD
#endif

/* Fills cells of a level of the block that starts with this cell. A team begins with the cell of
 * its number behind `first`, and proceeds by `step` cells as long as it is below `width`. Only busy
 * teams fill. All work-items of a group have the same `first`, `step` and `width`. */
static void fill_part(global ushort *table,
    global const ulong4 *offsets,
    global const uint *plan,
    ulong2 guards,
    global const uint *axes,
    uint dimensions,
    global const uint *counts,
    uint levels,
    const cell_t *corner,
    uint level,
    uint first,
    uint width,
    uint step,
    team_t team,
    int busy CHILD_PARAMETERS)
{
    uint number = first + team.number;
#if CHILDREN
    local uint *found = least + ((uint)get_local_id(0) - team.child);
    /* At least one round, and the same number in the whole group, since rounds have barriers. */
    do {
        cell_t cell = *corner;
        int fills = busy && number < width;
        if (fills) {
            find_cell(&cell, axes, dimensions, counts, levels, level, number);
            fills = cell.place > 0;
        }
        if (team.child == 0) {
            *found = UNREACHABLE;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (fills) {
            atomic_min(found, (uint)least_of(table, offsets, plan, guards, &cell, &team));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (fills && team.child == 0) {
            table[cell.place] = (ushort)*found;
        }
        first += step;
        number += step;
    } while (first < width);
#else
    for (; busy && number < width; number += step) {
        cell_t cell = *corner;
        find_cell(&cell, axes, dimensions, counts, levels, level, number);
        if (cell.place > 0) {
            table[cell.place] = least_of(table, offsets, plan, guards, &cell, &team);
        }
    }
#endif
}

/* Fills cells `first` to first + count - 1 of a level of the whole box, which is one block. The
 * level is not the first one. */
kernel void lattice_partition_level(
    BOX(ushort), uint counts_at, uint levels, uint level, uint first, uint count CHILD_PARAMETERS)
{
    TAKE_CHILD;
    team_t team = team_of((uint)get_local_id(0), (uint)get_local_size(0));
    const cell_t corner = {(ulong2)(0), (ulong2)(0), 0};
    fill_part(table, offsets, plan, (ulong2)(guards_low, guards_high), plan + axes_at, dimensions,
        plan + counts_at, levels, &corner, level, first + (uint)get_group_id(0) * team.count,
        first + count, count, team, team.number < team.count CHILD_ARGUMENTS);
}

/* Fills blocks of a block level from `block_first` on, one for each work-group. Each block is
 * filled level by level, from `level_first` to level_end - 1, and in each level the cells `first`
 * to end - 1. */
kernel void lattice_partition_block(BOX(ushort),
    uint block_counts_at,
    uint block_levels,
    uint block_level,
    uint block_first,
    uint counts_at,
    uint levels,
    uint level_first,
    uint level_end,
    uint first,
    uint end CHILD_PARAMETERS)
{
    TAKE_CHILD;
    team_t team = team_of((uint)get_local_id(0), (uint)get_local_size(0));
    global const uint *axes = plan + axes_at;
    global const uint *counts = plan + counts_at;
    uint block = block_first + (uint)get_group_id(0);
    cell_t corner;
    find_block(&corner, axes, dimensions, plan + block_counts_at, block_levels, block_level, block);
    for (uint level = level_first; level < level_end; ++level) {
        uint width = min(counts[level], end);
        fill_part(table, offsets, plan, (ulong2)(guards_low, guards_high), axes, dimensions, counts,
            levels, &corner, level, first, width, team.count, team,
            team.number < team.count CHILD_ARGUMENTS);
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

/* Traceback from a cell, `steps` steps away from the last one, towards cell 0, by at most
 * `max_steps` steps. Each step is the first offset of the cell's group that explains its value. One
 * work-group runs it. Writes to `traceback`:
 * - the place and the packed vector (two words) of the cell reached;
 * - the number of steps so far;
 * - the value of the cell where this traceback began;
 * - from word TRACEBACK_HEAD on, all steps' offsets.
 *
 * If it makes no step, it has found no explanation. */
kernel void lattice_partition_traceback(BOX(const ushort),
    uint place,
    ulong packed_low,
    ulong packed_high,
    uint steps,
    uint max_steps,
    global ulong *traceback GROUP_ARRAYS)
{
    TAKE_PART(group_arrays);
    GROUP_ARRAY(uint, nearest, 1);
    uint lane = (uint)get_local_id(0);
    uint lanes = (uint)get_local_size(0);
    ulong2 guards = (ulong2)(guards_low, guards_high);
    global const uint *axes = plan + axes_at;
    global const uint *moves = plan + BIT_WORDS * BITS;
    cell_t cell = {(ulong2)(packed_low, packed_high), (ulong2)(0), place};
    ushort value = table[place];
    if (lane == 0) {
        traceback[4] = value;
    }
    for (uint step = 0; step < max_steps && cell.place != 0 && value != UNREACHABLE; ++step) {
        cell.inner = (ulong2)(0);
        for (uint d = 0; d < dimensions; ++d) {
            global const uint *axis = axes + AXIS_WORDS * d;
            ulong word = axis[3] < 64 ? cell.packed.x : cell.packed.y;
            uint component = (uint)(word >> (axis[3] & 63)) & axis[4];
            cell.inner += at_shift(component % axis[0], axis[3]);
        }
        uint2 group = group_of(cell.packed, plan);
        if (lane == 0) {
            *nearest = UINT_MAX;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        value = table[cell.place];
        for (uint j = group.x + lane; j < group.y; j += lanes) {
            if (fits(offsets[j], cell.packed, guards)) {
                global const uint *move = moves + MOVE_WORDS * j;
                ushort before = table[place_before(&cell, offsets[j], move, plan, guards)];
                if (add_sat(before, (ushort)move[1]) == value) {
                    atomic_min(nearest, j);
                    break;
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint found = *nearest;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (found == UINT_MAX) {
            break;
        }
        cell.place = place_before(&cell, offsets[found], moves + MOVE_WORDS * found, plan, guards);
        cell.packed -= offsets[found].xy;
        if (lane == 0) {
            traceback[TRACEBACK_HEAD + steps] = found;
        }
        ++steps;
    }

    if (lane == 0) {
        traceback[0] = cell.place;
        traceback[1] = cell.packed.x;
        traceback[2] = cell.packed.y;
        traceback[3] = steps;
    }
}
