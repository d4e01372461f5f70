/* Layout of the structs that programs allocate for knapsacks. */
#include "layout.h"

SIZE(mks_knapsack_options, 48);
FIELD(mks_knapsack_options, struct_size, 0);
FIELD(mks_knapsack_options, method, 8);
FIELD(mks_knapsack_options, reserved_flags, 12);
FIELD(mks_knapsack_options, reserved, 16);
