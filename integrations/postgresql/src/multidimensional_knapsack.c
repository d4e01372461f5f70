/* makespan.multidimensional_knapsack() */
#include <postgres.h>

#include <fmgr.h>
#include <makespan.h>
#include <utils/builtins.h>

#include "call.h"
#include "handle.h"
#include "items.h"
#include "options.h"
#include "solve.h"
#include "status.h"

PG_FUNCTION_INFO_V1(makespan_multidimensional_knapsack);

/* The function's arguments. */
enum { ITEMS, WEIGHTS, CAPACITIES, OPTIONS };

/* Columns of the arguments. */
enum { ITEM, PROFIT, COPIES, START, ITEM_WIDTH };
enum { WEIGHT_ITEM, WEIGHT_DIMENSION, WEIGHT, WEIGHT_WIDTH };
enum { DIMENSION, CAPACITY, CAPACITY_WIDTH };

static void free_instance(void *instance)
{
    mks_multidimensional_knapsack_instance_free(instance);
}

static mks_status solve(const mks_context *context,
    const void *instance,
    const mks_options *options,
    mks_result **result)
{
    return mks_multidimensional_knapsack_solve(context, instance, options, result);
}

static uint64 *read_capacities(Labels *dimensions, const char *query)
{
    const Column columns[CAPACITY_WIDTH] = {
        [DIMENSION] = NEW_LABEL("dimension", REQUIRED, dimensions),
        [CAPACITY] = AMOUNT("capacity", REQUIRED),
    };
    Rows rows = mkspg_read_rows("capacities", query, columns, CAPACITY_WIDTH);
    size_t *row_of = mkspg_row_of_each(&rows, DIMENSION);
    uint64 *capacities = mkspg_array(dimensions->count, sizeof(uint64), "the dimensions");
    for (size_t dimension = 0; dimension < dimensions->count; dimension++) {
        capacities[dimension] = (uint64)mkspg_cell(&rows, row_of[dimension], CAPACITY).number;
    }
    return capacities;
}

/* The weights of all items in the first dimension come first; a weight without a row is 0. */
static uint64 *read_weights(Labels *items, Labels *dimensions, const char *query)
{
    const Column columns[WEIGHT_WIDTH] = {
        [WEIGHT_ITEM] = KNOWN_LABEL("item", REQUIRED, items, "argument \"items\""),
        [WEIGHT_DIMENSION] =
            KNOWN_LABEL("dimension", REQUIRED, dimensions, "argument \"capacities\""),
        [WEIGHT] = AMOUNT("weight", REQUIRED),
    };
    Rows rows = mkspg_read_rows("weights", query, columns, WEIGHT_WIDTH);
    return mkspg_item_table(&rows, WEIGHT_DIMENSION, WEIGHT_ITEM, WEIGHT);
}

static void create(FunctionCallInfo fcinfo, const Items *items, Handle *handle)
{
    Labels *dimensions = mkspg_labels("dimension");
    const uint64 *capacities =
        read_capacities(dimensions, mkspg_text(fcinfo, CAPACITIES, "capacities"));
    const uint64 *weights =
        read_weights(items->labels, dimensions, mkspg_text(fcinfo, WEIGHTS, "weights"));
    const Origin origins[] = {{"weights", IN_QUERY("weights")},
        {"capacities", IN_QUERY("capacities")}, {NULL, IN_QUERY("items")}};
    mks_multidimensional_knapsack_instance *instance;
    mkspg_check_origins(
        mks_multidimensional_knapsack_instance_create(mkspg_item_amounts(items, PROFIT, 0), weights,
            mkspg_item_copies(items, COPIES), items->labels->count, capacities, dimensions->count,
            &instance),
        origins, items->labels);
    mkspg_replace(handle, instance);
}

Datum makespan_multidimensional_knapsack(PG_FUNCTION_ARGS)
{
    Call call = mkspg_begin(fcinfo);
    mks_options *options =
        mkspg_options("multidimensional_knapsack", mkspg_optional_object(fcinfo, OPTIONS));
    Labels *labels = mkspg_labels("item");
    Handle *handle = mkspg_handle(free_instance);
    const Column columns[ITEM_WIDTH] = {
        [ITEM] = NEW_LABEL("item", REQUIRED, labels),
        [PROFIT] = AMOUNT("profit", REQUIRED),
        [COPIES] = AMOUNT("copies", NULLABLE),
        [START] = AMOUNT("start", OPTIONAL),
    };
    Items items =
        mkspg_read_items("items", mkspg_text(fcinfo, ITEMS, "items"), columns, ITEM_WIDTH);
    create(fcinfo, &items, handle);
    mkspg_set_item_start(options, &items, START);
    const mks_result *result = mkspg_solve(solve, handle->pointer, options, labels, "items");
    uint64 *counts = mkspg_array(labels->count, sizeof(uint64), "the items");
    Verdict verdict = mkspg_verdict(result);
    if (verdict.has_solution) {
        mkspg_check(mks_multidimensional_knapsack_counts(result, counts, labels->count));
        mkspg_put_counts(&items, counts, &verdict, call.rows);
    }
    return mkspg_end(&call);
}
