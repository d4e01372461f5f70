/* Whole tables in one launch, by levels or by blocks: all work-groups stay until the end and wait
 * for each other after every step. Comes after device_barrier.cl and lattice_partition.cl.
 * `arrived` is 0 when the launch begins. */

/* Fills all levels of the whole box, which is one block. */
kernel void lattice_partition_levels(
    BOX(ushort), volatile global uint *arrived, uint counts_at, uint levels CHILD_PARAMETERS)
{
    TAKE_CHILD;
    global const uint *counts = plan + counts_at;
    team_t team = team_of((uint)get_local_id(0), (uint)get_local_size(0));
    const cell_t corner = {(ulong2)(0), (ulong2)(0), 0};
    uint expected = 0;
    for (uint level = 1; level < levels; ++level) {
        fill_part(table, offsets, plan, (ulong2)(guards_low, guards_high), plan + axes_at,
            dimensions, counts, levels, &corner, level, (uint)get_group_id(0) * team.count,
            counts[level], (uint)get_num_groups(0) * team.count, team,
            team.number < team.count CHILD_ARGUMENTS);
        expected += get_num_groups(0);
        device_barrier(arrived, expected);
    }
}

/* Fills all block levels. BLOCK_GROUP work-items, a crew, fill a block, so that a work-group fills
 * several blocks at a time. */
kernel void lattice_partition_blocks(BOX(ushort),
    volatile global uint *arrived,
    uint block_counts_at,
    uint block_levels,
    uint counts_at,
    uint levels CHILD_PARAMETERS)
{
    TAKE_CHILD;
    global const uint *axes = plan + axes_at;
    global const uint *block_counts = plan + block_counts_at;
    global const uint *counts = plan + counts_at;
    uint lanes = min((uint)BLOCK_GROUP, (uint)get_local_size(0));
    team_t team = team_of((uint)get_local_id(0) % lanes, lanes);
    uint crew = (uint)get_local_id(0) / lanes;
    uint crews = (uint)get_local_size(0) / lanes;
    uint expected = 0;
    for (uint block_level = 0; block_level < block_levels; ++block_level) {
        uint width = block_counts[block_level];
        /* All crews of a group make the same number of rounds, since the rounds contain a
         * barrier. */
        for (uint first = (uint)get_group_id(0) * crews; first < width;
            first += (uint)get_num_groups(0) * crews) {
            int has_block = crew < crews && first + crew < width;
            cell_t corner = {(ulong2)(0), (ulong2)(0), 0};
            if (has_block) {
                find_block(&corner, axes, dimensions, block_counts, block_levels, block_level,
                    first + crew);
            }
            for (uint level = 0; level < levels; ++level) {
                fill_part(table, offsets, plan, (ulong2)(guards_low, guards_high), axes, dimensions,
                    counts, levels, &corner, level, 0, counts[level], team.count, team,
                    has_block && team.number < team.count CHILD_ARGUMENTS);
                barrier(CLK_GLOBAL_MEM_FENCE);
            }
        }
        expected += get_num_groups(0);
        device_barrier(arrived, expected);
    }
}
