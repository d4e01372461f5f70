/* makespan.lattice_packing() */
#include <postgres.h>

#include <fmgr.h>
#include <funcapi.h>
#include <makespan.h>
#include <miscadmin.h>

#include "call.h"
#include "handle.h"
#include "items.h"
#include "options.h"
#include "solve.h"
#include "status.h"

PG_FUNCTION_INFO_V1(makespan_lattice_packing);

/* The function's arguments. */
enum { ITEMS, CAPACITY, OPTIONS };

/* Columns of the argument "items". */
enum { ITEM, SIZE, COUNT, WIDTH };

static void free_instance(void *instance)
{
    mks_lattice_dp_instance_free(instance);
}

static mks_status solve(const mks_context *context,
    const void *instance,
    const mks_options *options,
    mks_result **result)
{
    return mks_lattice_dp_solve(context, instance, options, result);
}

/* A row for each item type of a container. */
static void put_container(size_t container,
    const uint64 *counts,
    const Labels *items,
    const Verdict *verdict,
    ReturnSetInfo *to)
{
    enum { CONTAINER, NAME, COUNT_OF, VERDICT };
    for (size_t item = 0; item < items->count; item++) {
        CHECK_FOR_INTERRUPTS();
        if (counts[item] == 0) {
            continue;
        }
        Datum values[VERDICT + VERDICT_WIDTH];
        bool nulls[VERDICT + VERDICT_WIDTH] = {false};
        values[CONTAINER] = Int32GetDatum((int32)container + 1);
        values[NAME] = mkspg_label_datum(items, item);
        values[COUNT_OF] = Int64GetDatum((int64)counts[item]);
        mkspg_put_row(verdict, values, nulls, VERDICT, to);
    }
}

static void put_containers(const mks_result *result, const Labels *items, ReturnSetInfo *to)
{
    Verdict verdict = mkspg_verdict(result);
    size_t count;
    if (!verdict.has_solution) {
        return;
    }
    mkspg_check(mks_lattice_dp_step_count(result, &count));
    uint64 *counts = mkspg_array(items->count, sizeof(uint64), "the items");
    for (size_t container = 0; container < count; container++) {
        mkspg_check(mks_lattice_dp_step(result, container, counts, items->count));
        put_container(container, counts, items, &verdict, to);
    }
}

Datum makespan_lattice_packing(PG_FUNCTION_ARGS)
{
    Call call = mkspg_begin(fcinfo);
    mks_options *options = mkspg_options("lattice_dp", mkspg_optional_object(fcinfo, OPTIONS));
    Labels *labels = mkspg_labels("item");
    Handle *handle = mkspg_handle(free_instance);
    mks_lattice_dp_instance *instance;
    const Column columns[WIDTH] = {
        [ITEM] = NEW_LABEL("item", REQUIRED, labels),
        [SIZE] = NUMBER("size", REQUIRED, 1, PG_INT64_MAX),
        [COUNT] = AMOUNT("count", OPTIONAL),
    };
    Items items = mkspg_read_items("items", mkspg_text(fcinfo, ITEMS, "items"), columns, WIDTH);
    uint64 capacity = mkspg_amount(fcinfo, CAPACITY, "capacity");
    mkspg_check_query(mks_lattice_dp_packing_create(mkspg_item_amounts(&items, SIZE, 1),
                          mkspg_item_amounts(&items, COUNT, 1), labels->count, capacity, &instance),
        "items", labels);
    mkspg_replace(handle, instance);
    put_containers(
        mkspg_solve(solve, handle->pointer, options, labels, "items"), labels, call.rows);
    return mkspg_end(&call);
}
