/* A barrier for all work-groups of a launch.
 *
 * OpenCL promises no progress between work-groups. The host therefore starts no more groups than
 * the device is known to run at once, and one group if that number is unknown. If a group waits in
 * vain nevertheless, it gives up after BARRIER_POLLS polls. All groups then pass all barriers at
 * once, and the host discards the results. */

#ifdef INLINE_PTX
/* OpenCL C 1.2 orders memory within a work-group only. */
static void device_fence(void)
{
    asm volatile("membar.gl;" ::: "memory");
}

static uint fresh(volatile global uint *address)
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

static uint fresh(volatile global uint *address)
{
    return atomic_or(address, 0);
}
#endif

/* Waits for all work-items of all groups. `arrived` counts the groups' arrivals at all barriers so
 * far; `expected` is the count at which this barrier is complete. A count from BARRIER_GIVEN_UP on
 * means that a group gave up. */
static void device_barrier(volatile global uint *arrived, uint expected)
{
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_num_groups(0) > 1) {
        if (get_local_id(0) == 0) {
            device_fence();
            atomic_inc(arrived);
            uint polls = 0;
            while (fresh(arrived) < expected) {
                if (++polls == BARRIER_POLLS) {
                    atomic_or(arrived, BARRIER_GIVEN_UP);
                }
            }
            device_fence();
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
