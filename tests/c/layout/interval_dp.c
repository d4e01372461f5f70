/* Layout of the structs that programs allocate for interval programs. */
#include "layout.h"

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
