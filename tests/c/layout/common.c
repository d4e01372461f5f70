/* Layout of the structs that programs allocate for all problems. */
#include "layout.h"

_Static_assert(sizeof(mks_status) == 4, "mks_status");

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

SIZE(mks_device_speeds, 96);
FIELD(mks_device_speeds, struct_size, 0);
FIELD(mks_device_speeds, measured, 8);
FIELD(mks_device_speeds, has_barrier, 12);
FIELD(mks_device_speeds, measured_at, 16);
FIELD(mks_device_speeds, launch_seconds, 24);
FIELD(mks_device_speeds, round_trip_seconds, 32);
FIELD(mks_device_speeds, to_device_rate, 40);
FIELD(mks_device_speeds, to_host_rate, 48);
FIELD(mks_device_speeds, add_min_rate, 56);
FIELD(mks_device_speeds, wide_add_min_rate, 64);
FIELD(mks_device_speeds, global_rate, 72);
FIELD(mks_device_speeds, local_rate, 80);
FIELD(mks_device_speeds, barrier_seconds, 88);

SIZE(mks_processor_speeds, 64);
FIELD(mks_processor_speeds, struct_size, 0);
FIELD(mks_processor_speeds, measured, 8);
FIELD(mks_processor_speeds, threads, 12);
FIELD(mks_processor_speeds, measured_at, 16);
FIELD(mks_processor_speeds, core_add_min_rate, 24);
FIELD(mks_processor_speeds, core_serial_rate, 32);
FIELD(mks_processor_speeds, core_memory_rate, 40);
FIELD(mks_processor_speeds, memory_rate, 48);
FIELD(mks_processor_speeds, wake_seconds, 56);

SIZE(mks_progress, 96);
FIELD(mks_progress, struct_size, 0);
FIELD(mks_progress, elapsed_seconds, 8);
FIELD(mks_progress, phase, 16);
FIELD(mks_progress, fraction, 24);
FIELD(mks_progress, sense, 32);
FIELD(mks_progress, stages, 36);
FIELD(mks_progress, is_real, 40);
FIELD(mks_progress, has_objective, 44);
FIELD(mks_progress, has_bound, 48);
FIELD(mks_progress, objective, 56);
FIELD(mks_progress, bound, 64);
FIELD(mks_progress, objective_f64, 72);
FIELD(mks_progress, bound_f64, 80);
FIELD(mks_progress, incumbent, 88);

SIZE(mks_summary, 96);
FIELD(mks_summary, struct_size, 0);
FIELD(mks_summary, status, 8);
FIELD(mks_summary, sense, 12);
FIELD(mks_summary, stages, 16);
FIELD(mks_summary, interrupted, 20);
FIELD(mks_summary, engine, 24);
FIELD(mks_summary, is_real, 28);
FIELD(mks_summary, has_objective, 32);
FIELD(mks_summary, has_bound, 36);
FIELD(mks_summary, objective, 40);
FIELD(mks_summary, bound, 48);
FIELD(mks_summary, objective_f64, 56);
FIELD(mks_summary, bound_f64, 64);
FIELD(mks_summary, guarantee, 72);
FIELD(mks_summary, seconds, 80);
FIELD(mks_summary, setup_seconds, 88);

SIZE(mks_trace_point, 48);
FIELD(mks_trace_point, seconds, 0);
FIELD(mks_trace_point, has_objective, 8);
FIELD(mks_trace_point, has_bound, 12);
FIELD(mks_trace_point, objective, 16);
FIELD(mks_trace_point, bound, 24);
FIELD(mks_trace_point, objective_f64, 32);
FIELD(mks_trace_point, bound_f64, 40);

SIZE(mks_option_info, 88);
FIELD(mks_option_info, struct_size, 0);
FIELD(mks_option_info, name, 8);
FIELD(mks_option_info, text, 16);
FIELD(mks_option_info, kind, 24);
FIELD(mks_option_info, choices, 32);
FIELD(mks_option_info, methods, 40);
FIELD(mks_option_info, default_value, 48);
FIELD(mks_option_info, unset, 56);
FIELD(mks_option_info, tier, 64);
FIELD(mks_option_info, minimum, 72);
FIELD(mks_option_info, maximum, 80);
