/* makespan.knapsack() */
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

PG_FUNCTION_INFO_V1(makespan_knapsack);

/* The function's arguments. */
enum { ITEMS, CAPACITY, OPTIONS };

/* Columns of the argument "items". */
enum { ITEM, PROFIT, WEIGHT, COPIES, PINNED, START, WIDTH };

static void free_instance(void *instance)
{
    mks_knapsack_instance_free(instance);
}

static mks_status solve(const mks_context *context,
    const void *instance,
    const mks_options *options,
    mks_result **result)
{
    return mks_knapsack_solve(context, instance, options, result);
}

static void create(const Items *items, uint64 capacity, Handle *handle)
{
    mks_knapsack_instance *instance;
    mkspg_check_query(mks_knapsack_instance_create(mkspg_item_amounts(items, PROFIT, 0),
                          mkspg_item_amounts(items, WEIGHT, 0), mkspg_item_copies(items, COPIES),
                          items->labels->count, capacity, &instance),
        "items", items->labels);
    mkspg_replace(handle, instance);
    if (mkspg_has_column(&items->rows, PINNED)) {
        mks_knapsack_instance *changed;
        mkspg_check_query(mks_knapsack_instance_with_pinned(instance,
                              mkspg_item_amounts(items, PINNED, 0), items->labels->count, &changed),
            "items", items->labels);
        mkspg_replace(handle, changed);
    }
}

Datum makespan_knapsack(PG_FUNCTION_ARGS)
{
    Call call = mkspg_begin(fcinfo);
    mks_options *options = mkspg_options("knapsack", mkspg_optional_object(fcinfo, OPTIONS));
    Labels *labels = mkspg_labels("item");
    Handle *handle = mkspg_handle(free_instance);
    const Column columns[WIDTH] = {
        [ITEM] = NEW_LABEL("item", REQUIRED, labels),
        [PROFIT] = AMOUNT("profit", REQUIRED),
        [WEIGHT] = AMOUNT("weight", REQUIRED),
        [COPIES] = AMOUNT("copies", NULLABLE),
        [PINNED] = AMOUNT("pinned", OPTIONAL),
        [START] = AMOUNT("start", OPTIONAL),
    };
    Items items = mkspg_read_items("items", mkspg_text(fcinfo, ITEMS, "items"), columns, WIDTH);
    create(&items, mkspg_amount(fcinfo, CAPACITY, "capacity"), handle);
    mkspg_set_item_start(options, &items, START);
    const mks_result *result = mkspg_solve(solve, handle->pointer, options, labels, "items");
    uint64 *counts = mkspg_array(labels->count, sizeof(uint64), "the items");
    Verdict verdict = mkspg_verdict(result);
    if (verdict.has_solution) {
        mkspg_check(mks_knapsack_counts(result, counts, labels->count));
        mkspg_put_counts(&items, counts, &verdict, call.rows);
    }
    return mkspg_end(&call);
}
