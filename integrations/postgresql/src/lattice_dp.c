/* makespan.lattice_dp() and makespan.lattice_packing() */
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

PG_FUNCTION_INFO_V1(makespan_lattice_dp);
PG_FUNCTION_INFO_V1(makespan_lattice_packing);

/* The functions' arguments. */
enum { SIZES, MOVES, STEPS, OPTIONS };
enum { ITEMS, CAPACITY, PACKING_OPTIONS };

/* Columns of the arguments. */
enum { DIMENSION, SIZE, BOX_WIDTH };
enum { MOVE, COST, MOVE_WIDTH };
enum { STEP_MOVE, STEP_DIMENSION, STEP, VECTOR_WIDTH };
enum { ITEM, ITEM_SIZE, COUNT, ITEM_WIDTH };

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

/* The vectors of the moves, one after the other; a step without a row is 0. */
static uint64 *read_vectors(Labels *moves, Labels *dimensions, const char *query)
{
    const Column columns[VECTOR_WIDTH] = {
        [STEP_MOVE] = KNOWN_LABEL("move", REQUIRED, moves, "argument \"moves\""),
        [STEP_DIMENSION] = KNOWN_LABEL("dimension", REQUIRED, dimensions, "argument \"sizes\""),
        [STEP] = NUMBER("step", REQUIRED, 1, PG_UINT32_MAX),
    };
    Rows rows = mkspg_read_rows("steps", query, columns, VECTOR_WIDTH);
    size_t width = dimensions->count;
    uint64 *vectors = mkspg_array(moves->count * width, sizeof(uint64), "the steps");
    for (size_t row = 0; row < rows.count; row++) {
        size_t move = (size_t)mkspg_cell(&rows, row, STEP_MOVE).number;
        size_t dimension = (size_t)mkspg_cell(&rows, row, STEP_DIMENSION).number;
        uint64 *step = &vectors[move * width + dimension];
        if (*step != 0) {
            ereport(ERROR, errcode(ERRCODE_UNIQUE_VIOLATION),
                errmsg("move \"%s\" has two steps in dimension \"%s\"", moves->items[move].text,
                    dimensions->items[dimension].text),
                errdetail("A move has one step in each dimension."),
                errhint("Give each pair one row, for example by GROUP BY."),
                mkspg_at_row(&rows, row));
        }
        *step = (uint64)mkspg_cell(&rows, row, STEP).number;
    }
    return vectors;
}

static void create(FunctionCallInfo fcinfo, const Items *moves, Handle *handle)
{
    Labels *dimensions = mkspg_labels("dimension");
    const Column columns[BOX_WIDTH] = {
        [DIMENSION] = NEW_LABEL("dimension", REQUIRED, dimensions),
        [SIZE] = NUMBER("size", REQUIRED, 1, PG_UINT32_MAX),
    };
    Items sizes = mkspg_read_items("sizes", mkspg_text(fcinfo, SIZES, "sizes"), columns, BOX_WIDTH);
    const uint64 *vectors =
        read_vectors(moves->labels, dimensions, mkspg_text(fcinfo, STEPS, "steps"));
    const Origin origins[] = {{"sizes", IN_QUERY("sizes")}, {"a lattice", IN_QUERY("sizes")},
        {"offsets", IN_QUERY("steps")}, {NULL, IN_QUERY("moves")}};
    mks_lattice_dp_instance *instance;
    mkspg_check_origins(
        mks_lattice_dp_instance_create(mkspg_item_amounts(&sizes, SIZE, 1), dimensions->count,
            vectors, mkspg_item_amounts(moves, COST, 0), moves->labels->count, &instance),
        origins, moves->labels);
    mkspg_replace(handle, instance);
}

/* The moves in their order, which is the reverse of the library's. */
static void put_moves(const mks_result *result, const Labels *moves, ReturnSetInfo *to)
{
    enum { NUMBER_OF, NAME, VERDICT };
    Verdict verdict = mkspg_verdict(result);
    size_t count;
    if (!verdict.has_solution) {
        return;
    }
    mkspg_check(mks_lattice_dp_step_count(result, &count));
    uint32 *positions = mkspg_array(count, sizeof(uint32), "the moves");
    mkspg_check(mks_lattice_dp_positions(result, positions, count));
    for (size_t index = 0; index < count; index++) {
        Datum values[VERDICT + VERDICT_WIDTH];
        bool nulls[VERDICT + VERDICT_WIDTH] = {false};
        values[NUMBER_OF] = Int32GetDatum((int32)index + 1);
        values[NAME] = mkspg_label_datum(moves, positions[count - 1 - index]);
        mkspg_put_row(&verdict, values, nulls, VERDICT, to);
    }
}

Datum makespan_lattice_dp(PG_FUNCTION_ARGS)
{
    Call call = mkspg_begin(fcinfo);
    mks_options *options = mkspg_options("lattice_dp", mkspg_optional_object(fcinfo, OPTIONS));
    Labels *labels = mkspg_labels("move");
    Handle *handle = mkspg_handle(free_instance);
    const Column columns[MOVE_WIDTH] = {
        [MOVE] = NEW_LABEL("move", REQUIRED, labels),
        [COST] = AMOUNT("cost", REQUIRED),
    };
    Items moves =
        mkspg_read_items("moves", mkspg_text(fcinfo, MOVES, "moves"), columns, MOVE_WIDTH);
    create(fcinfo, &moves, handle);
    put_moves(mkspg_solve(solve, handle->pointer, options, labels, "moves"), labels, call.rows);
    return mkspg_end(&call);
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
    mks_options *options =
        mkspg_options("lattice_dp", mkspg_optional_object(fcinfo, PACKING_OPTIONS));
    Labels *labels = mkspg_labels("item");
    Handle *handle = mkspg_handle(free_instance);
    mks_lattice_dp_instance *instance;
    const Column columns[ITEM_WIDTH] = {
        [ITEM] = NEW_LABEL("item", REQUIRED, labels),
        [ITEM_SIZE] = NUMBER("size", REQUIRED, 1, PG_INT64_MAX),
        [COUNT] = AMOUNT("count", OPTIONAL),
    };
    Items items =
        mkspg_read_items("items", mkspg_text(fcinfo, ITEMS, "items"), columns, ITEM_WIDTH);
    uint64 capacity = mkspg_amount(fcinfo, CAPACITY, "capacity");
    mkspg_check_query(mks_lattice_dp_packing_create(mkspg_item_amounts(&items, ITEM_SIZE, 1),
                          mkspg_item_amounts(&items, COUNT, 1), labels->count, capacity, &instance),
        "items", labels);
    mkspg_replace(handle, instance);
    put_containers(
        mkspg_solve(solve, handle->pointer, options, labels, "items"), labels, call.rows);
    return mkspg_end(&call);
}
