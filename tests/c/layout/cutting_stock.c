/* Layout of the structs that programs allocate for cutting stock. */
#include "layout.h"

SIZE(mks_cutting_stock_options, 48);
FIELD(mks_cutting_stock_options, struct_size, 0);
FIELD(mks_cutting_stock_options, method, 8);
FIELD(mks_cutting_stock_options, reserved_flags, 12);
FIELD(mks_cutting_stock_options, reserved, 16);
