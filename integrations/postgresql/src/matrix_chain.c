/* makespan.matrix_chain() */
#include "interval_dp.h"

#include <fmgr.h>
#include <funcapi.h>
#include <miscadmin.h>
#include <utils/builtins.h>

#include "call.h"
#include "options.h"
#include "status.h"

PG_FUNCTION_INFO_V1(makespan_matrix_chain);

/* The function's arguments. */
enum { MATRICES, OPTIONS };

/* Columns of the argument "matrices". */
enum { MATRIX, ROWS, COLUMNS, WIDTH };

/* The rows of each matrix, and the columns of the last one. */
static int64 *dimensions_of(const Items *matrices)
{
    const Label *names = matrices->labels->items;
    size_t count = matrices->labels->count;
    int64 *dimensions = mkspg_array(count + 1, sizeof(int64), "the matrices");
    for (size_t matrix = 0; matrix < count; matrix++) {
        size_t row = matrices->row_of[matrix];
        int64 rows = mkspg_cell(&matrices->rows, row, ROWS).number;
        if (matrix > 0 && dimensions[matrix] != rows) {
            ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("matrices \"%s\" and \"%s\" do not fit", names[matrix - 1].text,
                    names[matrix].text),
                errdetail("The first one has " INT64_FORMAT " columns, the second one " INT64_FORMAT
                          " rows.",
                    dimensions[matrix], rows),
                errhint("Name the matrices such that their order is that of the product."),
                mkspg_at_row(&matrices->rows, row));
        }
        dimensions[matrix] = rows;
        dimensions[matrix + 1] = mkspg_cell(&matrices->rows, row, COLUMNS).number;
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
        CHECK_FOR_INTERRUPTS();
        Datum values[VERDICT + VERDICT_WIDTH];
        bool nulls[VERDICT + VERDICT_WIDTH] = {false};
        const Branch *node = &tree->nodes[step];
        values[STEP] = Int32GetDatum((int32)step + 1);
        values[LEFT_FROM] = mkspg_label_datum(matrices, node->first);
        values[LEFT_TO] = mkspg_label_datum(matrices, node->split - 1);
        values[RIGHT_FROM] = mkspg_label_datum(matrices, node->split);
        values[RIGHT_TO] = mkspg_label_datum(matrices, node->last - 1);
        mkspg_append_verdict(&tree->verdict, values, nulls, VERDICT);
        tuplestore_putvalues(to->setResult, to->setDesc, values, nulls);
    }
}

Datum makespan_matrix_chain(PG_FUNCTION_ARGS)
{
    Call call = mkspg_begin(fcinfo);
    mks_options *options = mkspg_options("interval_dp", mkspg_optional_object(fcinfo, OPTIONS));
    Labels *labels = mkspg_labels("matrix");
    Handle *handle = mkspg_interval_dp();
    mks_interval_dp_instance *instance;
    const Column columns[WIDTH] = {
        [MATRIX] = NEW_LABEL("matrix", REQUIRED, labels),
        [ROWS] = NUMBER("rows", REQUIRED, 1, PG_INT64_MAX),
        [COLUMNS] = NUMBER("columns", REQUIRED, 1, PG_INT64_MAX),
    };
    Items matrices =
        mkspg_read_items("matrices", mkspg_text(fcinfo, MATRICES, "matrices"), columns, WIDTH);
    mkspg_check_query(mks_interval_dp_instance_matrix_chain_i64(
                          dimensions_of(&matrices), (size_t)labels->count + 1, &instance),
        "matrices", labels);
    mkspg_replace(handle, instance);
    Tree tree = mkspg_solve_interval_dp(handle, options);
    put_products(&tree, labels, call.rows);
    return mkspg_end(&call);
}
