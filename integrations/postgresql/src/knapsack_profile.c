/* makespan.knapsack_profile() */
#include <postgres.h>

#include <fmgr.h>
#include <funcapi.h>
#include <makespan.h>

#include "call.h"
#include "handle.h"
#include "items.h"
#include "options.h"
#include "solve.h"
#include "status.h"

PG_FUNCTION_INFO_V1(makespan_knapsack_profile);

/* The function's arguments. */
enum { ITEMS, CAPACITY, OPTIONS };

/* Columns of the argument "items". */
enum { ITEM, PROFIT, WEIGHT, COPIES, WIDTH };

static void free_instance(void *instance)
{
    mks_knapsack_instance_free(instance);
}

static mks_status solve(const mks_context *context,
    const void *instance,
    const mks_options *options,
    mks_result **result)
{
    return mks_knapsack_profile(context, instance, options, result);
}

/* A row for each capacity. */
static void put_profits(const mks_result *result, ReturnSetInfo *to)
{
    enum { CAPACITY_OF, PROFIT_OF, VERDICT };
    Verdict verdict = mkspg_verdict(result);
    const uint64 *profits;
    size_t count;
    if (!verdict.has_solution) {
        return;
    }
    mkspg_check(mks_knapsack_profile_view(result, &profits, &count));
    for (size_t capacity = 0; capacity < count; capacity++) {
        Datum values[VERDICT + VERDICT_WIDTH];
        bool nulls[VERDICT + VERDICT_WIDTH] = {false};
        values[CAPACITY_OF] = Int64GetDatum((int64)capacity);
        values[PROFIT_OF] = Int64GetDatum((int64)profits[capacity]);
        mkspg_put_row(&verdict, values, nulls, VERDICT, to);
    }
}

Datum makespan_knapsack_profile(PG_FUNCTION_ARGS)
{
    Call call = mkspg_begin(fcinfo);
    mks_options *options = mkspg_options("knapsack", mkspg_optional_object(fcinfo, OPTIONS));
    Labels *labels = mkspg_labels("item");
    Handle *handle = mkspg_handle(free_instance);
    mks_knapsack_instance *instance;
    const Column columns[WIDTH] = {
        [ITEM] = NEW_LABEL("item", REQUIRED, labels),
        [PROFIT] = AMOUNT("profit", REQUIRED),
        [WEIGHT] = AMOUNT("weight", REQUIRED),
        [COPIES] = AMOUNT("copies", NULLABLE),
    };
    Items items = mkspg_read_items("items", mkspg_text(fcinfo, ITEMS, "items"), columns, WIDTH);
    uint64 capacity = mkspg_amount(fcinfo, CAPACITY, "capacity");
    mkspg_check_query(mks_knapsack_instance_create(mkspg_item_amounts(&items, PROFIT, 0),
                          mkspg_item_amounts(&items, WEIGHT, 0), mkspg_item_copies(&items, COPIES),
                          labels->count, capacity, &instance),
        "items", labels);
    mkspg_replace(handle, instance);
    put_profits(mkspg_solve(solve, handle->pointer, options, labels, "items"), call.rows);
    return mkspg_end(&call);
}
