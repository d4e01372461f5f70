/* Slab after slab, each in one launch or several. Comes after lattice_dp.cl. */

/* Fills cells `first` to first + count - 1, counted from the cell of index `base` with packed
 * vector `base_low`, `base_high`. All of them are in one slab. */
kernel void lattice_slab(TABLE,
    global const ulong4 *plan,
    uint offset_first,
    uint offset_end,
    uint component_first,
    uint component_end,
    ulong guards_low,
    ulong guards_high,
    ulong base,
    ulong base_low,
    ulong base_high,
    uint first,
    uint count)
{
    size_t item = get_global_id(0);
    if (item < count) {
        uint inner = first + (uint)item;
        ulong2 packed = (ulong2)(base_low, base_high)
            + inner_vector(plan, component_first, component_end, inner);
        fill_cell(THE_TABLE, plan, offset_first, offset_end, (ulong2)(guards_low, guards_high),
            base + inner, packed);
    }
}

/* Traceback from the given cell on, to the first one below `least`. */
kernel void lattice_traceback(TABLE,
    global const ulong4 *plan,
    uint dimension_first,
    ulong guards_low,
    ulong guards_high,
    ulong index,
    ulong least,
    ulong packed_low,
    ulong packed_high,
    uint steps,
    uint max_steps,
    global ulong *traceback GROUP_ARRAYS)
{
    TAKE_PART(group_arrays);
    GROUP_ARRAY(uint, nearest, 1);
    trace_back(THE_TABLE, plan, dimension_first, (ulong2)(guards_low, guards_high), index, least,
        (ulong2)(packed_low, packed_high), steps, max_steps, traceback, nearest);
}
