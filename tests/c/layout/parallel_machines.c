/* Layout of the structs that programs allocate for parallel machines. */
#include "layout.h"

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
