/* A whole table in one launch: all work-groups stay until the end and wait for each other after
 * every slab. Comes after device_barrier.cl and lattice_dp.cl. */

/* Fills the slabs of the first `dimensions` dimensions, and then traces the path back from the
 * last cell. The slabs of the other dimensions are filled already.
 *
 * `work` holds the barrier's counter, from word 4 on the plan of `rows` rows, and then the
 * traceback, with WAITED_IN_VAIN as the value if a group gave up waiting. The plan is copied to
 * local memory, because a barrier of the device empties the cache. */
kernel void lattice_resident(global cell_t *part_0,
    global ulong *work,
    local ulong4 *plan,
    uint rows,
    uint dimension_first,
    uint dimensions,
    ulong guards_low,
    ulong guards_high,
    ulong last,
    ulong last_low,
    ulong last_high GROUP_ARRAYS)
{
    TAKE_PART(plan);
    TAKE_PART(group_arrays);
    GROUP_ARRAY(uint, nearest, 1);
    volatile global uint *arrived = (volatile global uint *)work;
    for (uint i = get_local_id(0); i < rows; i += get_local_size(0)) {
        plan[i] = vload4(i + 1, work);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong2 guards = (ulong2)(guards_low, guards_high);
    uint expected = 0;
    for (uint d = dimensions; d > 0; --d) {
        ulong4 size = plan[dimension_first + 2 * (d - 1)];
        ulong4 rest = plan[dimension_first + 2 * (d - 1) + 1];
        uint stride = (uint)size.x;
        /* A work-item computes the same inner cell in all slabs, and further ones only if the slabs
         * are wider than the launch. */
        ulong2 own = inner_vector(plan, (uint)rest.z, (uint)rest.w, (uint)get_global_id(0));
        for (uint component = 1; component <= (uint)size.y; ++component) {
            ulong2 packed = at_shift(component, (uint)rest.x);
            ulong2 inside = own;
            for (ulong inner = get_global_id(0); inner < stride;) {
                fill_cell(THE_TABLE, plan, (uint)size.z, (uint)size.w, guards,
                    component * size.x + inner, packed + inside);
                inner += get_global_size(0);
                if (inner < stride) {
                    inside = inner_vector(plan, (uint)rest.z, (uint)rest.w, (uint)inner);
                }
            }
            expected += get_num_groups(0);
            device_barrier(arrived, expected);
        }
    }
    if (get_group_id(0) == 0) {
        trace_back(THE_TABLE, plan, dimension_first, guards, last, 0, (ulong2)(last_low, last_high),
            0, UINT_MAX, work + 4 * (rows + 1), nearest);
        /* A group that gives up at the last barrier reads nothing more. One that gives up earlier
         * says so before it arrives at the last one. */
        if (get_local_id(0) == 0 && fresh(arrived) >= BARRIER_GIVEN_UP) {
            work[4 * (rows + 1) + 4] = WAITED_IN_VAIN;
        }
    }
}
