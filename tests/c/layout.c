/* Sizes and offsets of the structs programs allocate are part of the ABI. This file changes only by
 * additions. */
#include <makespan.h>

#define SIZE(type, size) _Static_assert(sizeof(type) == (size), #type)
#define FIELD(type, field, offset) \
    _Static_assert(offsetof(type, field) == (offset), #type "." #field)

_Static_assert(sizeof(mks_status) == 4, "mks_status");

SIZE(mks_context_options, 80);
FIELD(mks_context_options, struct_size, 0);
FIELD(mks_context_options, engine, 8);
FIELD(mks_context_options, device, 12);
FIELD(mks_context_options, threads, 16);
FIELD(mks_context_options, log_level, 20);
FIELD(mks_context_options, log_callback, 24);
FIELD(mks_context_options, log_user_data, 32);
FIELD(mks_context_options, cache_directory, 40);
FIELD(mks_context_options, further_devices, 48);
FIELD(mks_context_options, further_device_count, 56);
FIELD(mks_context_options, reserved, 64);

SIZE(mks_device_info, 880);
FIELD(mks_device_info, struct_size, 0);
FIELD(mks_device_info, kind, 8);
FIELD(mks_device_info, compute_units, 12);
FIELD(mks_device_info, max_work_group_size, 16);
FIELD(mks_device_info, local_memory_bytes, 24);
FIELD(mks_device_info, global_memory_bytes, 32);
FIELD(mks_device_info, max_allocation_bytes, 40);
FIELD(mks_device_info, name, 48);
FIELD(mks_device_info, vendor, 176);
FIELD(mks_device_info, platform, 240);
FIELD(mks_device_info, driver_version, 368);
FIELD(mks_device_info, architecture, 432);
FIELD(mks_device_info, platform_version, 496);
FIELD(mks_device_info, device_version, 624);
FIELD(mks_device_info, opencl_c_version, 752);

SIZE(mks_solve_options, 104);
FIELD(mks_solve_options, struct_size, 0);
FIELD(mks_solve_options, time_limit_seconds, 8);
FIELD(mks_solve_options, iteration_limit, 16);
FIELD(mks_solve_options, memory_limit_bytes, 24);
FIELD(mks_solve_options, seed, 32);
FIELD(mks_solve_options, engine, 40);
FIELD(mks_solve_options, reserved_flags, 44);
FIELD(mks_solve_options, stop, 48);
FIELD(mks_solve_options, progress_callback, 56);
FIELD(mks_solve_options, progress_user_data, 64);
FIELD(mks_solve_options, reserved, 72);

SIZE(mks_progress, 72);
FIELD(mks_progress, struct_size, 0);
FIELD(mks_progress, elapsed_seconds, 8);
FIELD(mks_progress, phase, 16);
FIELD(mks_progress, incumbent, 24);
FIELD(mks_progress, bound, 32);
FIELD(mks_progress, has_incumbent, 40);
FIELD(mks_progress, has_bound, 44);
FIELD(mks_progress, fraction, 48);
FIELD(mks_progress, incumbent_f64, 56);
FIELD(mks_progress, bound_f64, 64);

SIZE(mks_parallel_machines_options, 64);
FIELD(mks_parallel_machines_options, struct_size, 0);
FIELD(mks_parallel_machines_options, method, 8);
FIELD(mks_parallel_machines_options, reserved_flags, 12);
FIELD(mks_parallel_machines_options, epsilon, 16);
FIELD(mks_parallel_machines_options, reserved, 24);
FIELD(mks_parallel_machines_options, segments, 40);
FIELD(mks_parallel_machines_options, traversal, 44);
FIELD(mks_parallel_machines_options, partitioned_dimensions, 48);
FIELD(mks_parallel_machines_options, divisor_rule, 52);
FIELD(mks_parallel_machines_options, launches, 56);
FIELD(mks_parallel_machines_options, reserved_choice, 60);

SIZE(mks_cutting_stock_options, 48);
FIELD(mks_cutting_stock_options, struct_size, 0);
FIELD(mks_cutting_stock_options, method, 8);
FIELD(mks_cutting_stock_options, reserved_flags, 12);
FIELD(mks_cutting_stock_options, reserved, 16);

SIZE(mks_flow_shop_options, 160);
FIELD(mks_flow_shop_options, struct_size, 0);
FIELD(mks_flow_shop_options, method, 8);
FIELD(mks_flow_shop_options, reserved_flags, 12);
FIELD(mks_flow_shop_options, start, 16);
FIELD(mks_flow_shop_options, start_jobs, 24);
FIELD(mks_flow_shop_options, bound, 32);
FIELD(mks_flow_shop_options, branching, 36);
FIELD(mks_flow_shop_options, upper_bound, 40);
FIELD(mks_flow_shop_options, checkpoint, 48);
FIELD(mks_flow_shop_options, checkpoint_interval_seconds, 56);
FIELD(mks_flow_shop_options, search, 64);
FIELD(mks_flow_shop_options, placement, 68);
FIELD(mks_flow_shop_options, pool_size, 72);
FIELD(mks_flow_shop_options, pool_unsorted, 80);
FIELD(mks_flow_shop_options, pool_branches, 84);
FIELD(mks_flow_shop_options, beam_width, 88);
FIELD(mks_flow_shop_options, trajectories, 96);
FIELD(mks_flow_shop_options, neighbourhood, 104);
FIELD(mks_flow_shop_options, evaluation, 108);
FIELD(mks_flow_shop_options, tenure, 112);
FIELD(mks_flow_shop_options, local_columns, 116);
FIELD(mks_flow_shop_options, tabu_list, 120);
FIELD(mks_flow_shop_options, reserved_number, 124);
FIELD(mks_flow_shop_options, reserved, 128);

SIZE(mks_lattice_dp_options, 64);
FIELD(mks_lattice_dp_options, struct_size, 0);
FIELD(mks_lattice_dp_options, recurrence, 8);
FIELD(mks_lattice_dp_options, reserved_flags, 12);
FIELD(mks_lattice_dp_options, reserved, 16);
FIELD(mks_lattice_dp_options, traversal, 48);
FIELD(mks_lattice_dp_options, partitioned_dimensions, 52);
FIELD(mks_lattice_dp_options, divisor_rule, 56);
FIELD(mks_lattice_dp_options, launches, 60);

SIZE(mks_recurrence_definition, 168);
FIELD(mks_recurrence_definition, struct_size, 0);
FIELD(mks_recurrence_definition, semiring, 8);
FIELD(mks_recurrence_definition, idempotent, 12);
FIELD(mks_recurrence_definition, modulus, 16);
FIELD(mks_recurrence_definition, length, 24);
FIELD(mks_recurrence_definition, instances, 32);
FIELD(mks_recurrence_definition, offsets, 40);
FIELD(mks_recurrence_definition, offset_count, 48);
FIELD(mks_recurrence_definition, initial, 56);
FIELD(mks_recurrence_definition, initial_count, 64);
FIELD(mks_recurrence_definition, weights, 72);
FIELD(mks_recurrence_definition, weight_count, 80);
FIELD(mks_recurrence_definition, terms, 88);
FIELD(mks_recurrence_definition, term_count, 96);
FIELD(mks_recurrence_definition, operator_source, 104);
FIELD(mks_recurrence_definition, combine, 112);
FIELD(mks_recurrence_definition, weigh, 120);
FIELD(mks_recurrence_definition, user_data, 128);
FIELD(mks_recurrence_definition, reserved, 136);

SIZE(mks_recurrence_options, 64);
FIELD(mks_recurrence_options, struct_size, 0);
FIELD(mks_recurrence_options, method, 8);
FIELD(mks_recurrence_options, output, 12);
FIELD(mks_recurrence_options, fold, 16);
FIELD(mks_recurrence_options, choices, 24);
FIELD(mks_recurrence_options, reserved_flags, 28);
FIELD(mks_recurrence_options, reserved, 32);

SIZE(mks_knapsack_options, 48);
FIELD(mks_knapsack_options, struct_size, 0);
FIELD(mks_knapsack_options, method, 8);
FIELD(mks_knapsack_options, reserved_flags, 12);
FIELD(mks_knapsack_options, reserved, 16);

SIZE(mks_interval_dp_options, 96);
FIELD(mks_interval_dp_options, struct_size, 0);
FIELD(mks_interval_dp_options, method, 8);
FIELD(mks_interval_dp_options, cell_type, 12);
FIELD(mks_interval_dp_options, assume_quadrangle, 16);
FIELD(mks_interval_dp_options, reserved_flags, 20);
FIELD(mks_interval_dp_options, cells, 24);
FIELD(mks_interval_dp_options, cell_count, 32);
FIELD(mks_interval_dp_options, group_size, 40);
FIELD(mks_interval_dp_options, groups, 48);
FIELD(mks_interval_dp_options, mapping_k, 56);
FIELD(mks_interval_dp_options, reserved, 64);

SIZE(mks_interval_dp_form_i64, 160);
FIELD(mks_interval_dp_form_i64, struct_size, 0);
FIELD(mks_interval_dp_form_i64, semiring, 8);
FIELD(mks_interval_dp_form_i64, reserved_flags, 12);
FIELD(mks_interval_dp_form_i64, leaves, 16);
FIELD(mks_interval_dp_form_i64, leaf_count, 24);
FIELD(mks_interval_dp_form_i64, row, 32);
FIELD(mks_interval_dp_form_i64, column, 40);
FIELD(mks_interval_dp_form_i64, table, 48);
FIELD(mks_interval_dp_form_i64, left, 56);
FIELD(mks_interval_dp_form_i64, split, 64);
FIELD(mks_interval_dp_form_i64, right, 72);
FIELD(mks_interval_dp_form_i64, split_cost, 80);
FIELD(mks_interval_dp_form_i64, user_data, 88);
FIELD(mks_interval_dp_form_i64, magnitude, 96);
FIELD(mks_interval_dp_form_i64, split_source, 104);
FIELD(mks_interval_dp_form_i64, data, 112);
FIELD(mks_interval_dp_form_i64, data_count, 120);
FIELD(mks_interval_dp_form_i64, reserved, 128);

SIZE(mks_interval_dp_form_f64, 160);
FIELD(mks_interval_dp_form_f64, struct_size, 0);
FIELD(mks_interval_dp_form_f64, semiring, 8);
FIELD(mks_interval_dp_form_f64, reserved_flags, 12);
FIELD(mks_interval_dp_form_f64, leaves, 16);
FIELD(mks_interval_dp_form_f64, leaf_count, 24);
FIELD(mks_interval_dp_form_f64, row, 32);
FIELD(mks_interval_dp_form_f64, column, 40);
FIELD(mks_interval_dp_form_f64, table, 48);
FIELD(mks_interval_dp_form_f64, left, 56);
FIELD(mks_interval_dp_form_f64, split, 64);
FIELD(mks_interval_dp_form_f64, right, 72);
FIELD(mks_interval_dp_form_f64, split_cost, 80);
FIELD(mks_interval_dp_form_f64, user_data, 88);
FIELD(mks_interval_dp_form_f64, magnitude, 96);
FIELD(mks_interval_dp_form_f64, split_source, 104);
FIELD(mks_interval_dp_form_f64, data, 112);
FIELD(mks_interval_dp_form_f64, data_count, 120);
FIELD(mks_interval_dp_form_f64, reserved, 128);

int main(void)
{
    return 0;
}
