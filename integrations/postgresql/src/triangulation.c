/* makespan.triangulation(), makespan.triangulation_real() and makespan.convex_polygon() */
#include "interval_dp.h"

#include <fmgr.h>
#include <funcapi.h>
#include <utils/builtins.h>

#include "call.h"
#include "options.h"
#include "status.h"

PG_FUNCTION_INFO_V1(makespan_triangulation);
PG_FUNCTION_INFO_V1(makespan_triangulation_real);
PG_FUNCTION_INFO_V1(makespan_convex_polygon);

/* The function's arguments. */
enum { VERTICES, OPTIONS };

/* Columns of the argument "vertices". */
enum { VERTEX, WEIGHT, WIDTH };
enum { X = WEIGHT, Y, POINT_WIDTH };

typedef mks_status (*Creator)(const Items *vertices, mks_interval_dp_instance **instance);

static mks_status create_whole(const Items *vertices, mks_interval_dp_instance **instance)
{
    const Number *weights = mkspg_item_numbers(vertices, WEIGHT);
    return mks_interval_dp_instance_triangulation_i64(
        &weights->whole, vertices->labels->count, instance);
}

static mks_status create_real(const Items *vertices, mks_interval_dp_instance **instance)
{
    const Number *weights = mkspg_item_numbers(vertices, WEIGHT);
    return mks_interval_dp_instance_triangulation_f64(
        &weights->real, vertices->labels->count, instance);
}

static mks_status create_polygon(const Items *vertices, mks_interval_dp_instance **instance)
{
    size_t count = vertices->labels->count;
    const Number *x = mkspg_item_numbers(vertices, X), *y = mkspg_item_numbers(vertices, Y);
    double *coordinates = mkspg_array(2 * count, sizeof(double), "the vertices");
    for (size_t vertex = 0; vertex < count; vertex++) {
        coordinates[2 * vertex] = x[vertex].real;
        coordinates[2 * vertex + 1] = y[vertex].real;
    }
    return mks_interval_dp_instance_convex_polygon(coordinates, count, instance);
}

static void put_triangles(const Tree *tree, const Labels *vertices, ReturnSetInfo *to)
{
    enum { TRIANGLE, FIRST, SECOND, THIRD, VERDICT };
    for (size_t index = 0; index < tree->count; index++) {
        Datum values[VERDICT + VERDICT_WIDTH];
        bool nulls[VERDICT + VERDICT_WIDTH] = {false};
        const Branch *node = &tree->nodes[index];
        values[TRIANGLE] = Int32GetDatum((int32)index + 1);
        values[FIRST] = mkspg_label_datum(vertices, node->first);
        values[SECOND] = mkspg_label_datum(vertices, node->split);
        values[THIRD] = mkspg_label_datum(vertices, node->last);
        mkspg_put_row(&tree->verdict, values, nulls, VERDICT, to);
    }
}

static Datum triangulate(FunctionCallInfo fcinfo, const Column *columns, int width, Creator create)
{
    Call call = mkspg_begin(fcinfo);
    mks_options *options = mkspg_tree_options(mkspg_optional_object(fcinfo, OPTIONS));
    Labels *labels = mkspg_labels("vertex");
    Handle *handle = mkspg_interval_dp();
    mks_interval_dp_instance *instance;
    Column known[POINT_WIDTH] = {[VERTEX] = NEW_LABEL("vertex", REQUIRED, labels)};
    memcpy(&known[WEIGHT], columns, sizeof(Column) * (Size)(width - WEIGHT));
    Items vertices =
        mkspg_read_items("vertices", mkspg_text(fcinfo, VERTICES, "vertices"), known, width);
    mkspg_check_query(create(&vertices, &instance), "vertices", labels);
    mkspg_replace(handle, instance);
    Tree tree = mkspg_tree(mkspg_interval_dp_result(handle, options, "vertices"));
    put_triangles(&tree, labels, call.rows);
    return mkspg_end(&call);
}

Datum makespan_triangulation(PG_FUNCTION_ARGS)
{
    const Column weight = NUMBER("weight", REQUIRED, 1, PG_INT64_MAX);
    return triangulate(fcinfo, &weight, WIDTH, create_whole);
}

Datum makespan_triangulation_real(PG_FUNCTION_ARGS)
{
    const Column weight = REAL("weight", REQUIRED);
    return triangulate(fcinfo, &weight, WIDTH, create_real);
}

Datum makespan_convex_polygon(PG_FUNCTION_ARGS)
{
    const Column point[] = {REAL("x", REQUIRED), REAL("y", REQUIRED)};
    return triangulate(fcinfo, point, POINT_WIDTH, create_polygon);
}
