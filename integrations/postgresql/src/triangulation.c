/* makespan.triangulation() */
#include "interval_dp.h"

#include <fmgr.h>
#include <funcapi.h>
#include <miscadmin.h>
#include <utils/builtins.h>

#include "call.h"
#include "options.h"
#include "status.h"

PG_FUNCTION_INFO_V1(makespan_triangulation);

/* The function's arguments. */
enum { VERTICES, OPTIONS };

/* Columns of the argument "vertices". */
enum { VERTEX, WEIGHT, WIDTH };

static void put_triangles(const Tree *tree, const Labels *vertices, ReturnSetInfo *to)
{
    enum { TRIANGLE, FIRST, SECOND, THIRD, VERDICT };
    for (size_t index = 0; index < tree->count; index++) {
        CHECK_FOR_INTERRUPTS();
        Datum values[VERDICT + VERDICT_WIDTH];
        bool nulls[VERDICT + VERDICT_WIDTH] = {false};
        const Branch *node = &tree->nodes[index];
        values[TRIANGLE] = Int32GetDatum((int32)index + 1);
        values[FIRST] = mkspg_label_datum(vertices, node->first);
        values[SECOND] = mkspg_label_datum(vertices, node->split);
        values[THIRD] = mkspg_label_datum(vertices, node->last);
        mkspg_append_verdict(&tree->verdict, values, nulls, VERDICT);
        tuplestore_putvalues(to->setResult, to->setDesc, values, nulls);
    }
}

Datum makespan_triangulation(PG_FUNCTION_ARGS)
{
    Call call = mkspg_begin(fcinfo);
    mks_options *options = mkspg_options("interval_dp", mkspg_optional_object(fcinfo, OPTIONS));
    Labels *labels = mkspg_labels("vertex");
    Handle *handle = mkspg_interval_dp();
    mks_interval_dp_instance *instance;
    const Column columns[WIDTH] = {
        [VERTEX] = NEW_LABEL("vertex", REQUIRED, labels),
        [WEIGHT] = NUMBER("weight", REQUIRED, 1, PG_INT64_MAX),
    };
    Items vertices =
        mkspg_read_items("vertices", mkspg_text(fcinfo, VERTICES, "vertices"), columns, WIDTH);
    const int64 *weights = (const int64 *)mkspg_item_amounts(&vertices, WEIGHT, 0);
    mkspg_check_query(mks_interval_dp_instance_triangulation_i64(weights, labels->count, &instance),
        "vertices", labels);
    mkspg_replace(handle, instance);
    Tree tree = mkspg_solve_interval_dp(handle, options);
    put_triangles(&tree, labels, call.rows);
    return mkspg_end(&call);
}
