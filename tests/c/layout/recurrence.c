/* Layout of the structs that programs allocate for recurrences. */
#include "layout.h"

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
