/* makespan.matrix_chain() and makespan.matrix_chain_real() */
#include "interval_dp.h"

#include <fmgr.h>
#include <funcapi.h>
#include <miscadmin.h>
#include <utils/builtins.h>

#include "call.h"
#include "options.h"
#include "status.h"

PG_FUNCTION_INFO_V1(makespan_matrix_chain);
PG_FUNCTION_INFO_V1(makespan_matrix_chain_real);

/* The function's arguments. */
enum { MATRICES, OPTIONS };

/* Columns of the argument "matrices". */
enum { MATRIX, ROWS, COLUMNS, WIDTH };

static const char *text_of(Number number, bool is_real)
{
    return is_real ? psprintf("%g", number.real) : psprintf(INT64_FORMAT, number.whole);
}

static bool is_equal(Number one, Number other, bool is_real)
{
    return is_real ? one.real == other.real : one.whole == other.whole;
}

/* The rows of each matrix, and the columns of the last one. */
static Number *dimensions_of(const Items *matrices, bool is_real)
{
    const Label *names = matrices->labels->items;
    size_t count = matrices->labels->count;
    Number *dimensions = mkspg_array(count + 1, sizeof(Number), "the matrices");
    for (size_t matrix = 0; matrix < count; matrix++) {
        size_t row = matrices->row_of[matrix];
        Number rows = mkspg_cell(&matrices->rows, row, ROWS).value;
        if (matrix > 0 && !is_equal(dimensions[matrix], rows, is_real)) {
            ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("matrices \"%s\" and \"%s\" do not fit", names[matrix - 1].text,
                    names[matrix].text),
                errdetail("The first one has %s columns, the second one %s rows.",
                    text_of(dimensions[matrix], is_real), text_of(rows, is_real)),
                errhint("Name the matrices such that their order is that of the product."),
                mkspg_at_row(&matrices->rows, row));
        }
        dimensions[matrix] = rows;
        dimensions[matrix + 1] = mkspg_cell(&matrices->rows, row, COLUMNS).value;
    }
    return dimensions;
}

/* Parts before the products of them, from the left to the right. */
static int compare(const void *one, const void *other)
{
    const Branch *left = one, *right = other;
    CHECK_FOR_INTERRUPTS();
    if (left->last != right->last) {
        return left->last < right->last ? -1 : 1;
    }
    return left->first > right->first ? -1 : left->first < right->first;
}

static void put_products(const Tree *tree, const Labels *matrices, ReturnSetInfo *to)
{
    enum { STEP, LEFT_FROM, LEFT_TO, RIGHT_FROM, RIGHT_TO, VERDICT };
    qsort(tree->nodes, tree->count, sizeof(Branch), compare);
    for (size_t step = 0; step < tree->count; step++) {
        Datum values[VERDICT + VERDICT_WIDTH];
        bool nulls[VERDICT + VERDICT_WIDTH] = {false};
        const Branch *node = &tree->nodes[step];
        values[STEP] = Int32GetDatum((int32)step + 1);
        values[LEFT_FROM] = mkspg_label_datum(matrices, node->first);
        values[LEFT_TO] = mkspg_label_datum(matrices, node->split - 1);
        values[RIGHT_FROM] = mkspg_label_datum(matrices, node->split);
        values[RIGHT_TO] = mkspg_label_datum(matrices, node->last - 1);
        mkspg_put_row(&tree->verdict, values, nulls, VERDICT, to);
    }
}

static mks_status create(
    const Number *dimensions, size_t count, bool is_real, mks_interval_dp_instance **instance)
{
    return is_real ? mks_interval_dp_instance_matrix_chain_f64(&dimensions->real, count, instance)
                   : mks_interval_dp_instance_matrix_chain_i64(&dimensions->whole, count, instance);
}

static Datum order_products(FunctionCallInfo fcinfo, bool is_real)
{
    Call call = mkspg_begin(fcinfo);
    mks_options *options = mkspg_tree_options(mkspg_optional_object(fcinfo, OPTIONS));
    Labels *labels = mkspg_labels("matrix");
    Handle *handle = mkspg_interval_dp();
    mks_interval_dp_instance *instance;
    const Column columns[WIDTH] = {
        [MATRIX] = NEW_LABEL("matrix", REQUIRED, labels),
        [ROWS] = WHOLE_OR_REAL("rows", REQUIRED, 1, is_real),
        [COLUMNS] = WHOLE_OR_REAL("columns", REQUIRED, 1, is_real),
    };
    Items matrices =
        mkspg_read_items("matrices", mkspg_text(fcinfo, MATRICES, "matrices"), columns, WIDTH);
    const Number *dimensions = dimensions_of(&matrices, is_real);
    mkspg_check_query(
        create(dimensions, (size_t)labels->count + 1, is_real, &instance), "matrices", labels);
    mkspg_replace(handle, instance);
    Tree tree = mkspg_tree(mkspg_interval_dp_result(handle, options, "matrices"));
    put_products(&tree, labels, call.rows);
    return mkspg_end(&call);
}

Datum makespan_matrix_chain(PG_FUNCTION_ARGS)
{
    return order_products(fcinfo, false);
}

Datum makespan_matrix_chain_real(PG_FUNCTION_ARGS)
{
    return order_products(fcinfo, true);
}
