/* The recurrence of single items, level by level. src/lattice_dp/unit_steps/ has it and the
 * proofs. */

#if CELL_BYTES == 2
typedef ushort cell_t;
#else
typedef uint cell_t;
#endif

/* Fills the cells of ranks first to first + count - 1 of a level. `axes` has two words for each
 * axis: the distance of neighbouring cells and the size of an item. Row d of `counts` has, for each
 * sum, the number of vectors of the axes from d on; a cell's components follow from its rank by
 * these counts. */
kernel void lattice_unit_steps(global cell_t *table,
    global const uint2 *axes,
    uint axis_count,
    global const uint *counts,
    uint levels,
    uint level,
    uint first,
    uint count,
    uint capacity,
    uint load_bits)
{
    size_t item = get_global_id(0);
    if (item >= count) {
        return;
    }
    uint rank = first + (uint)item;
    uint sum = level;
    uint place = 0;
    /* Bit d is set if the cell has an item of axis d. */
    ulong used = 0;
    for (uint d = 0; d < axis_count; ++d) {
        global const uint *row = counts + (d + 1) * levels;
        uint component = 0;
        while (rank >= row[sum]) {
            rank -= row[sum];
            --sum;
            ++component;
        }
        place += component * axes[d].x;
        used |= (ulong)(component > 0) << d;
    }

    uint best = UINT_MAX;
    for (uint d = 0; d < axis_count; ++d) {
        if (used >> d & 1) {
            uint size = axes[d].y;
            uint before = table[place - axes[d].x];
            uint load = before & ((1u << load_bits) - 1);
            uint after = load + size <= capacity ? before + size
                                                 : ((before >> load_bits) + 1) << load_bits | size;
            best = min(best, after);
        }
    }
    table[place] = (cell_t)best;
}
