/* Whole tables in one launch, by levels or by blocks: all work-groups stay until the end and wait
 * for each other after every step. Comes after device_barrier.cl and lattice_partition.cl.
 * `arrived` is 0 when the launch begins. */

/* Fills all levels of the whole box, which is one block. */
kernel void lattice_partition_levels(
    BOX(ushort), volatile global uint *arrived, uint counts_at, uint levels)
{
    global const uint *counts = plan + counts_at;
    const cell_t corner = {(ulong2)(0), (ulong2)(0), 0};
    uint expected = 0;
    for (uint level = 1; level < levels; ++level) {
        fill_part(table, offsets, plan, (ulong2)(guards_low, guards_high), plan + axes_at,
            dimensions, counts, levels, &corner, level, (uint)get_global_id(0), counts[level],
            (uint)get_global_size(0));
        expected += get_num_groups(0);
        device_barrier(arrived, expected);
    }
}

/* Fills all block levels. BLOCK_GROUP work-items fill a block, so that a work-group fills several
 * blocks at a time. */
kernel void lattice_partition_blocks(BOX(ushort),
    volatile global uint *arrived,
    uint block_counts_at,
    uint block_levels,
    uint counts_at,
    uint levels)
{
    global const uint *axes = plan + axes_at;
    global const uint *block_counts = plan + block_counts_at;
    global const uint *counts = plan + counts_at;
    uint lanes = min((uint)BLOCK_GROUP, (uint)get_local_size(0));
    uint lane = (uint)get_local_id(0) % lanes;
    uint team = (uint)get_local_id(0) / lanes;
    uint teams = (uint)get_local_size(0) / lanes;
    uint expected = 0;
    for (uint block_level = 0; block_level < block_levels; ++block_level) {
        uint width = block_counts[block_level];
        /* All teams of a group make the same number of rounds, since the rounds contain a
         * barrier. */
        for (uint first = (uint)get_group_id(0) * teams; first < width;
            first += (uint)get_num_groups(0) * teams) {
            int busy = team < teams && first + team < width;
            cell_t corner;
            if (busy) {
                find_block(&corner, axes, dimensions, block_counts, block_levels, block_level,
                    first + team);
            }
            for (uint level = 0; level < levels; ++level) {
                if (busy) {
                    fill_part(table, offsets, plan, (ulong2)(guards_low, guards_high), axes,
                        dimensions, counts, levels, &corner, level, lane, counts[level], lanes);
                }
                barrier(CLK_GLOBAL_MEM_FENCE);
            }
        }
        expected += get_num_groups(0);
        device_barrier(arrived, expected);
    }
}
