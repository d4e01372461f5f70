/* makespan.interval_dp() and makespan.interval_dp_real() */
#include "interval_dp.h"

#include <fmgr.h>
#include <funcapi.h>

#include "call.h"
#include "interval_form.h"
#include "options.h"
#include "status.h"

PG_FUNCTION_INFO_V1(makespan_interval_dp);
PG_FUNCTION_INFO_V1(makespan_interval_dp_real);

/* The function's arguments. */
enum { LEAVES, POINTS, COSTS, SEMIRING, OPTIONS };

/* Columns of the function, before those of the verdict. */
enum { FIRST, SPLIT, LAST, VALUE, VERDICT };

static void put_node(const Branch *node, const Verdict *verdict, ReturnSetInfo *to)
{
    Datum values[VERDICT + VERDICT_WIDTH] = {0};
    bool nulls[VERDICT + VERDICT_WIDTH] = {false};
    values[FIRST] = Int32GetDatum((int32)node->first);
    values[SPLIT] = Int32GetDatum((int32)node->split);
    values[LAST] = Int32GetDatum((int32)node->last);
    nulls[VALUE] = true;
    mkspg_put_row(verdict, values, nulls, VERDICT, to);
}

static void put_cell(
    int32 first, int32 last, Datum value, const Verdict *verdict, ReturnSetInfo *to)
{
    Datum values[VERDICT + VERDICT_WIDTH] = {0};
    bool nulls[VERDICT + VERDICT_WIDTH] = {false};
    values[FIRST] = Int32GetDatum(first);
    nulls[SPLIT] = true;
    values[LAST] = Int32GetDatum(last);
    values[VALUE] = value;
    mkspg_put_row(verdict, values, nulls, VERDICT, to);
}

/* The option "cells", such as "0,5 3,9". */
static char *wanted_cells(const mks_options *options)
{
    size_t length;
    mkspg_check(mks_options_get(options, "cells", NULL, 0, &length));
    char *text = palloc(length + 1);
    mkspg_check(mks_options_get(options, "cells", text, length + 1, &length));
    return text;
}

/* The values of the wanted cells, of which the text has the points. */
static void put_cells(const mks_result *result,
    bool is_real,
    const char *cells,
    const Verdict *verdict,
    ReturnSetInfo *to)
{
    const int64 *wholes = NULL;
    const double *reals = NULL;
    size_t count;
    mkspg_check(is_real ? mks_interval_dp_cell_values_f64_view(result, &reals, &count)
                        : mks_interval_dp_cell_values_i64_view(result, &wholes, &count));
    for (size_t index = 0; index < count; index++) {
        char *rest;
        int32 first = (int32)strtol(cells, &rest, 10);
        int32 last = (int32)strtol(rest + 1, &rest, 10);
        cells = rest;
        put_cell(first, last, is_real ? Float8GetDatum(reals[index]) : Int64GetDatum(wholes[index]),
            verdict, to);
    }
}

static Datum solve_form(FunctionCallInfo fcinfo, bool is_real)
{
    Call call = mkspg_begin(fcinfo);
    mks_options *options = mkspg_options("interval_dp", mkspg_optional_object(fcinfo, OPTIONS));
    Handle *handle = mkspg_interval_dp();
    mks_interval_dp_instance *instance;
    IntervalForm form = mkspg_read_interval_form(mkspg_text(fcinfo, SEMIRING, "semiring"), is_real,
        mkspg_text(fcinfo, LEAVES, "leaves"), mkspg_optional_text(fcinfo, POINTS),
        mkspg_optional_text(fcinfo, COSTS));
    const Origin origins[] = {{"form.row", IN_QUERY("points")}, {"form.column", IN_QUERY("points")},
        {"form.left", IN_QUERY("points")}, {"form.split", IN_QUERY("points")},
        {"form.right", IN_QUERY("points")}, {"form.table", IN_QUERY("costs")},
        {"not supported", IN_ARGUMENT("semiring")}, {NULL, IN_QUERY("leaves")}};
    mkspg_check_origins(mkspg_create_interval_form(&form, &instance), origins, NULL);
    mkspg_replace(handle, instance);
    const char *cells = wanted_cells(options);
    const mks_result *result = mkspg_interval_dp_result(handle, options, "leaves");
    Tree tree = mkspg_tree(result);
    for (size_t index = 0; index < tree.count; index++) {
        put_node(&tree.nodes[index], &tree.verdict, call.rows);
    }
    if (tree.verdict.has_solution && cells[0] != '\0') {
        put_cells(result, is_real, cells, &tree.verdict, call.rows);
    } else if (tree.verdict.has_solution && tree.count == 0) {
        put_cell(0, (int32)form.leaf_count, tree.verdict.values[VERDICT_OBJECTIVE], &tree.verdict,
            call.rows);
    }
    return mkspg_end(&call);
}

Datum makespan_interval_dp(PG_FUNCTION_ARGS)
{
    return solve_form(fcinfo, false);
}

Datum makespan_interval_dp_real(PG_FUNCTION_ARGS)
{
    return solve_form(fcinfo, true);
}
