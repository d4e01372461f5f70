/* Layout of the structs that programs allocate for single machines. */
#include "layout.h"

SIZE(mks_single_machine_options, 48);
FIELD(mks_single_machine_options, struct_size, 0);
FIELD(mks_single_machine_options, reserved_flags, 8);
FIELD(mks_single_machine_options, reserved, 16);
