/* The memory of a work-group: local memory, or on a device that has none (LOCAL_MEMORY 0) a part of
 * global memory. There, `local` means `global`. Each parameter with local memory is a buffer: the
 * bytes of a part in its first word, and from PARTS_AT on a part for each work-group. The arrays
 * that a kernel declares share one more such buffer. The host's side is
 * src/opencl/queue/group_memory.rs.
 *
 * A kernel begins with TAKE_PART for each parameter with local memory. Where it declares arrays by
 * GROUP_ARRAY, it has GROUP_ARRAYS behind its last parameter and takes the part of `group_arrays`
 * too. */

#if LOCAL_MEMORY
#define TAKE_PART(name)
#define GROUP_ARRAYS
#define GROUP_ARRAY(type, name, length) local type name[length]
#else
#define local global
#undef CLK_LOCAL_MEM_FENCE
#define CLK_LOCAL_MEM_FENCE CLK_GLOBAL_MEM_FENCE
#define GROUP_NUMBER \
    (get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2)))
#define TAKE_PART(name) \
    name = (global void *)((global uchar *)name + PARTS_AT \
        + GROUP_NUMBER * *(global const uint *)name)
#define GROUP_ARRAYS , global uchar *group_arrays
#define GROUP_ARRAY(type, name, length) \
    global type *name = (global void *)group_arrays; \
    group_arrays += (sizeof(*name) * (length) + PARTS_AT - 1) / PARTS_AT * PARTS_AT
#endif
