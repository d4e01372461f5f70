/* Layout of the structs that programs allocate for lattices. */
#include "layout.h"

SIZE(mks_lattice_dp_options, 64);
FIELD(mks_lattice_dp_options, struct_size, 0);
FIELD(mks_lattice_dp_options, recurrence, 8);
FIELD(mks_lattice_dp_options, reserved_flags, 12);
FIELD(mks_lattice_dp_options, reserved, 16);
FIELD(mks_lattice_dp_options, traversal, 48);
FIELD(mks_lattice_dp_options, partitioned_dimensions, 52);
FIELD(mks_lattice_dp_options, divisor_rule, 56);
FIELD(mks_lattice_dp_options, launches, 60);
