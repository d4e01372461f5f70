/* A whole table in one launch: all work-groups stay until the end and wait for each other after every slab. Begins
 * with lattice_dp.cl.
 *
 * OpenCL promises no progress between work-groups: the host starts no more groups than the device is known to run
 * at once, which is one where nothing is known. */

#ifdef INLINE_PTX
/* OpenCL C 1.2 orders memory within a work-group only. */
static void device_fence(void)
{
    asm volatile("membar.gl;" ::: "memory");
}

static uint fresh(volatile __global uint *address)
{
    uint value;
    asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
}
#else
static void device_fence(void)
{
    mem_fence(CLK_GLOBAL_MEM_FENCE);
}

static uint fresh(volatile __global uint *address)
{
    return atomic_or(address, 0);
}
#endif

/* Waits for all work-items of all groups. `arrived` counts the groups of all barriers so far, `expected` up to
 * this one. */
static void device_barrier(volatile __global uint *arrived, uint expected)
{
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_num_groups(0) > 1) {
        if (get_local_id(0) == 0) {
            device_fence();
            atomic_inc(arrived);
            while (fresh(arrived) < expected) {
            }
            device_fence();
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

/* `work` holds the count of the groups arrived, at word 4 the plan, of `rows` rows, and then the walk back. The plan
 * is copied to local memory: a barrier of the device empties the cache.
 *
 * The slabs of the first `dimensions` dimensions, the others being filled in already, then the walk back from the
 * last cell. */
__kernel void lattice_resident(
    TABLE,
    __global ulong *work,
    __local ulong4 *plan,
    uint rows,
    uint dimension_first,
    uint dimensions,
    ulong guards_low,
    ulong guards_high,
    ulong last,
    ulong last_low,
    ulong last_high)
{
    __local uint nearest;
    volatile __global uint *arrived = (volatile __global uint *)work;
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
        for (uint component = 1; component <= (uint)size.y; ++component) {
            ulong2 packed = at_shift(component, (uint)rest.x);
            for (ulong inner = get_global_id(0); inner < stride; inner += get_global_size(0)) {
                fill_cell(
                    THE_TABLE, plan, (uint)size.z, (uint)size.w, (uint)rest.z, (uint)rest.w, guards,
                    component * size.x, packed, (uint)inner);
            }
            expected += get_num_groups(0);
            device_barrier(arrived, expected);
        }
    }
    if (get_group_id(0) == 0) {
        walk_back(
            THE_TABLE, plan, dimension_first, guards, last, (ulong2)(last_low, last_high), 0, UINT_MAX,
            work + 4 * (rows + 1), &nearest);
    }
}
