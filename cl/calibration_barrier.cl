/* Barriers across all work-groups of a launch. `state` has the barrier's counter, then a mark for
 * each group, then what each group read of the next group's mark behind the last barrier. */
kernel void calibration_barrier(volatile global uint *state, uint mark, uint rounds)
{
    uint group = (uint)get_group_id(0);
    uint groups = (uint)get_num_groups(0);
    if (get_local_id(0) == 0) {
        state[1 + group] = mark + group;
    }
    for (uint round = 0; round < rounds; round++) {
        device_barrier(state, (round + 1) * groups);
    }
    if (get_local_id(0) == 0) {
        state[1 + groups + group] = fresh(state + 1 + (group + 1) % groups);
    }
}
