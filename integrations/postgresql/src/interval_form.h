/* The general form of an interval program, from queries. */
#ifndef MKSPG_INTERVAL_FORM_H
#define MKSPG_INTERVAL_FORM_H

#include <postgres.h>

#include <makespan.h>

#include "rows.h"

/* Costs that each point has. The first two are sums, the others factors of a product. */
enum { ROW_COST, COLUMN_COST, LEFT_FACTOR, SPLIT_FACTOR, RIGHT_FACTOR, POINT_COSTS };

/* An interval program. Lists are NULL where the queries lack them. */
typedef struct IntervalForm {
    int32 semiring;
    bool is_real;
    size_t leaf_count; /* One less than the number of points. */
    const Number *leaves;
    const Number *point_costs[POINT_COSTS];
    const Number *table; /* Of all pairs of points. */
} IntervalForm;

/* Reads the queries, of which those of points and of costs may be NULL. */
extern IntervalForm mkspg_read_interval_form(
    const char *semiring, bool is_real, const char *leaves, const char *points, const char *costs);

/* Creates the instance of the library. */
extern mks_status mkspg_create_interval_form(
    const IntervalForm *form, mks_interval_dp_instance **instance);

#endif
