/* makespan.cutting_stock() */
#include <postgres.h>

#include <fmgr.h>
#include <makespan.h>
#include <utils/builtins.h>

#include "call.h"
#include "handle.h"
#include "items.h"
#include "options.h"
#include "patterns.h"
#include "solve.h"
#include "status.h"

PG_FUNCTION_INFO_V1(makespan_cutting_stock);

/* The function's arguments. */
enum { ITEMS, STOCK_LENGTH, PINNED, START, OPTIONS };

/* Columns of the argument "items". */
enum { ITEM, LENGTH, DEMAND, ITEM_WIDTH };

static void free_instance(void *instance)
{
    mks_cutting_stock_instance_free(instance);
}

static mks_status solve(const mks_context *context,
    const void *instance,
    const mks_options *options,
    mks_result **result)
{
    return mks_cutting_stock_solve(context, instance, options, result);
}

static void create(const Items *items, uint64 stock_length, const char *pinned, Handle *handle)
{
    mks_cutting_stock_instance *instance, *changed;
    mkspg_check_query(
        mks_cutting_stock_instance_create(mkspg_item_amounts(items, LENGTH, 0),
            mkspg_item_amounts(items, DEMAND, 1), items->labels->count, stock_length, &instance),
        "items", items->labels);
    mkspg_replace(handle, instance);
    if (pinned != NULL) {
        Patterns patterns = mkspg_read_patterns("pinned", pinned, items->labels);
        mkspg_check_query(mks_cutting_stock_instance_with_pinned(
                              instance, patterns.pieces, patterns.counts, patterns.count, &changed),
            "pinned", patterns.names);
        mkspg_replace(handle, changed);
    }
}

Datum makespan_cutting_stock(PG_FUNCTION_ARGS)
{
    Call call = mkspg_begin(fcinfo);
    mks_options *options = mkspg_options("cutting_stock", mkspg_optional_object(fcinfo, OPTIONS));
    const char *start = mkspg_optional_text(fcinfo, START);
    Labels *labels = mkspg_labels("item");
    Handle *handle = mkspg_handle(free_instance);
    uint64 stock_length = mkspg_amount(fcinfo, STOCK_LENGTH, "stock_length");
    if (stock_length == 0) {
        ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
            errmsg("argument \"stock_length\" is 0"),
            errdetail("Items are cut from pieces of this length."), errhint("Give 1 or more."),
            errcontext("argument \"stock_length\""));
    }
    const Column columns[ITEM_WIDTH] = {
        [ITEM] = NEW_LABEL("item", REQUIRED, labels),
        [LENGTH] = NUMBER("length", REQUIRED, 1, (int64)stock_length),
        [DEMAND] = NUMBER("demand", OPTIONAL, 0, PG_UINT32_MAX),
    };
    Items items =
        mkspg_read_items("items", mkspg_text(fcinfo, ITEMS, "items"), columns, ITEM_WIDTH);
    create(&items, stock_length, mkspg_optional_text(fcinfo, PINNED), handle);
    /* The numbers in a message about the start are those of its patterns. */
    const Labels *named = labels;
    if (start != NULL) {
        Patterns patterns = mkspg_read_patterns("start", start, labels);
        mkspg_set_pattern_start(options, &patterns, labels->count);
        named = patterns.names;
    }
    mkspg_put_patterns(
        mkspg_solve(solve, handle->pointer, options, named, start != NULL ? "start" : "items"),
        labels, call.rows);
    return mkspg_end(&call);
}
