/* Layout of the structs that programs allocate for flow shops. */
#include "layout.h"

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
