/* Lower bounds of a pool of nodes that the host keeps, one work-item each: the parallel evaluation
 * of bounds of Melab, Chakroun, Mezmaz and Tuyttens. The host's part is in
 * src/flow_shop/exact/pool/. Comes after flow_shop_pool_bounds.cl.
 *
 * A node is a child of one of the `orders`. Each order has a parent's jobs: those at the front, the
 * free ones and those at the back; `ends` has the number of jobs at each end. `children` has the
 * parent's index, and twice the position of the job that the child fixes, plus 1 at the back. */

kernel void flow_shop_pool_bound(TABLE_PARAMETERS,
    global const JOB_T *orders,
    global const uint *ends,
    global const uint2 *children,
    global uint *bounds,
    uint first_item,
    uint end_item)
{
    uint item = first_item + get_global_id(0);
    DECLARE_TIMES;
    DECLARE_JOHNSON;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item >= end_item) {
        return;
    }
    int front[MACHINES], back[MACHINES], remaining[MACHINES];
    uint is_free[(JOBS + 31) / 32];
    uint2 child = children[item];
    global const JOB_T *order = orders + (ulong)child.x * JOBS;
    int at_front = ends[2 * child.x], at_back = ends[2 * child.x + 1];
    surroundings(ptm, rm, qm, order, 1, at_front, at_back, front, back, remaining, is_free);
    become_child(ptm, order[child.y / 2], child.y % 2, front, back, remaining, is_free);
    bounds[item] = bound_of(ptm, lm, near_jm, far_jm, mm, front, back, remaining, is_free);
}
