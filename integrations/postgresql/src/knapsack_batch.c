/* makespan.knapsack_batch(): knapsacks with the same items and other profits. */
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

PG_FUNCTION_INFO_V1(makespan_knapsack_batch);

/* The function's arguments. */
enum { ITEMS, PROFITS, CAPACITY, OPTIONS };

/* Columns of the arguments. */
enum { ITEM, WEIGHT, COPIES, ITEM_WIDTH };
enum { INSTANCE, PROFIT_ITEM, PROFIT, PROFIT_WIDTH };

/* The instance of the library, and the profits of its solves. */
typedef struct Batch {
    Handle *instance;
    Labels *items;
    Labels *names; /* Of the knapsacks. */
    uint64 *profits;
} Batch;

static void free_instance(void *instance)
{
    mks_knapsack_instance_free(instance);
}

static mks_status solve(const mks_context *context,
    const void *instance,
    const mks_options *options,
    mks_result **result)
{
    const Batch *batch = instance;
    return mks_knapsack_solve_profits(
        context, batch->instance->pointer, batch->profits, batch->names->count, options, result);
}

/* The profits of one knapsack after the other; a profit without a row is 0. */
static uint64 *read_profits(Labels *names, Labels *items, const char *query)
{
    const Column columns[PROFIT_WIDTH] = {
        [INSTANCE] = NEW_LABEL("instance", REQUIRED, names),
        [PROFIT_ITEM] = KNOWN_LABEL("item", REQUIRED, items, "argument \"items\""),
        [PROFIT] = AMOUNT("profit", REQUIRED),
    };
    Rows rows = mkspg_read_rows("profits", query, columns, PROFIT_WIDTH);
    mkspg_renumber_column(&rows, INSTANCE, mkspg_sort_labels(names));
    return mkspg_item_table(&rows, INSTANCE, PROFIT_ITEM, PROFIT);
}

static void create(FunctionCallInfo fcinfo, const Items *items, Handle *handle)
{
    size_t count = items->labels->count;
    const uint64 *none = mkspg_array(count, sizeof(uint64), "the items");
    mks_knapsack_instance *instance;
    mkspg_check_query(mks_knapsack_instance_create(none, mkspg_item_amounts(items, WEIGHT, 0),
                          mkspg_item_copies(items, COPIES), count,
                          mkspg_amount(fcinfo, CAPACITY, "capacity"), &instance),
        "items", items->labels);
    mkspg_replace(handle, instance);
}

/* A row for each knapsack and item. */
static void put_counts(const Batch *batch, const mks_result *result, ReturnSetInfo *to)
{
    enum { NAME, ITEM_OF, COUNT, PROFIT_OF, VERDICT };
    Verdict verdict = mkspg_verdict(result);
    const uint64 *counts, *profits;
    size_t items = batch->items->count, count;
    if (!verdict.has_solution) {
        return;
    }
    mkspg_check(mks_knapsack_batch_counts_view(result, &counts, &count));
    mkspg_check(mks_knapsack_batch_profits_view(result, &profits, &count));
    for (size_t place = 0; place < count * items; place++) {
        Datum values[VERDICT + VERDICT_WIDTH];
        bool nulls[VERDICT + VERDICT_WIDTH] = {false};
        values[NAME] = mkspg_label_datum(batch->names, place / items);
        values[ITEM_OF] = mkspg_label_datum(batch->items, place % items);
        values[COUNT] = Int64GetDatum((int64)counts[place]);
        values[PROFIT_OF] = Int64GetDatum((int64)profits[place / items]);
        mkspg_put_row(&verdict, values, nulls, VERDICT, to);
        pfree(DatumGetPointer(values[NAME]));
        pfree(DatumGetPointer(values[ITEM_OF]));
    }
}

Datum makespan_knapsack_batch(PG_FUNCTION_ARGS)
{
    Call call = mkspg_begin(fcinfo);
    mks_options *options = mkspg_options("knapsack", mkspg_optional_object(fcinfo, OPTIONS));
    Batch batch = {
        mkspg_handle(free_instance), mkspg_labels("item"), mkspg_labels("instance"), NULL};
    const Column columns[ITEM_WIDTH] = {
        [ITEM] = NEW_LABEL("item", REQUIRED, batch.items),
        [WEIGHT] = AMOUNT("weight", REQUIRED),
        [COPIES] = AMOUNT("copies", NULLABLE),
    };
    Items items =
        mkspg_read_items("items", mkspg_text(fcinfo, ITEMS, "items"), columns, ITEM_WIDTH);
    batch.profits = read_profits(batch.names, batch.items, mkspg_text(fcinfo, PROFITS, "profits"));
    create(fcinfo, &items, batch.instance);
    put_counts(&batch, mkspg_solve(solve, &batch, options, batch.names, "profits"), call.rows);
    return mkspg_end(&call);
}
