#include "interval_form.h"

#include <miscadmin.h>

#include "status.h"

/* Columns of the argument "leaves". */
enum { LEAF, VALUE, LEAF_WIDTH };

/* Columns of the argument "points": the number of the point, then its costs. */
enum { POINT, FIRST_COST, POINT_WIDTH = FIRST_COST + POINT_COSTS };

/* Columns of the argument "costs". */
enum { FIRST, LAST, COST, COST_WIDTH };

static int32 find_semiring(const char *name)
{
    static const char *const names[] = {
        [MKS_INTERVAL_DP_SEMIRING_MIN_PLUS] = "min-plus",
        [MKS_INTERVAL_DP_SEMIRING_MAX_PLUS] = "max-plus",
        [MKS_INTERVAL_DP_SEMIRING_MAX_MIN] = "max-min",
        [MKS_INTERVAL_DP_SEMIRING_OR_AND] = "or-and",
        [MKS_INTERVAL_DP_SEMIRING_PLUS_TIMES] = "plus-times",
    };
    for (size_t index = 0; index < lengthof(names); index++) {
        if (strcmp(names[index], name) == 0) {
            return (int32)index;
        }
    }
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
        errmsg("semiring \"%s\" is unknown", name),
        errdetail("The semirings are min-plus, max-plus, max-min, or-and and plus-times."),
        errhint("Spell one of them, with small letters."), errcontext("argument \"semiring\""));
    pg_unreachable();
}

static void refuse_gap(const Rows *rows, const char *noun, int64 number)
{
    ereport(ERROR, errcode(ERRCODE_NO_DATA_FOUND),
        errmsg("%s " INT64_FORMAT " is missing", noun, number),
        errdetail("The %s numbers have no gap.", noun),
        errhint("Number them in the query, for example by row_number()."),
        errcontext("query in argument \"%s\"", rows->argument));
}

/* The rows in the order of their numbers in column 0, which are first, first + 1, ... */
static size_t *numbered_rows(const Rows *rows, const char *noun, int64 first, size_t *count)
{
    size_t *order = mkspg_rows_in_order(rows, 0, count);
    for (size_t index = 0; index < *count; index++) {
        if (mkspg_cell(rows, order[index], 0).number != first + (int64)index) {
            refuse_gap(rows, noun, first + (int64)index);
        }
    }
    return order;
}

static const Number *column_of(const Rows *rows, const size_t *order, size_t count, int column)
{
    Number *numbers = mkspg_array(count, sizeof(Number), "the numbers");
    for (size_t index = 0; index < count; index++) {
        numbers[index] = mkspg_cell(rows, order[index], column).value;
    }
    return numbers;
}

static void read_leaves(IntervalForm *form, const char *query)
{
    const Column columns[LEAF_WIDTH] = {
        [LEAF] = NUMBER("leaf", REQUIRED, 1, PG_INT32_MAX - 1),
        [VALUE] = WHOLE_OR_REAL("value", REQUIRED, PG_INT64_MIN, form->is_real),
    };
    Rows rows = mkspg_read_rows("leaves", query, columns, LEAF_WIDTH);
    const size_t *order = numbered_rows(&rows, "leaf", 1, &form->leaf_count);
    form->leaves = column_of(&rows, order, form->leaf_count, VALUE);
}

/* Refuses some of the columns from the first to the last one: the query has all of them or none. */
static void check_together(const Rows *rows, int first, int last)
{
    for (int column = first; column < last; column++) {
        if (mkspg_has_column(rows, column) != mkspg_has_column(rows, column + 1)) {
            int missing = mkspg_has_column(rows, column) ? column + 1 : column;
            ereport(ERROR, errcode(ERRCODE_UNDEFINED_COLUMN),
                errmsg("column \"%s\" is missing", rows->columns[missing].name),
                errdetail("\"row\" and \"column\" are together the costs of cells, and \"left\", "
                          "\"split\" and \"right\" those of splits."),
                errhint("Add the column to the query, or leave out the others."),
                errcontext("query in argument \"%s\"", rows->argument));
        }
    }
}

static void read_points(IntervalForm *form, const char *query)
{
    const Column columns[POINT_WIDTH] = {
        [POINT] = NUMBER("point", REQUIRED, 0, (int64)form->leaf_count),
        [FIRST_COST + ROW_COST] = WHOLE_OR_REAL("row", OPTIONAL, PG_INT64_MIN, form->is_real),
        [FIRST_COST + COLUMN_COST] = WHOLE_OR_REAL("column", OPTIONAL, PG_INT64_MIN, form->is_real),
        [FIRST_COST + LEFT_FACTOR] = WHOLE_OR_REAL("left", OPTIONAL, PG_INT64_MIN, form->is_real),
        [FIRST_COST + SPLIT_FACTOR] = WHOLE_OR_REAL("split", OPTIONAL, PG_INT64_MIN, form->is_real),
        [FIRST_COST + RIGHT_FACTOR] = WHOLE_OR_REAL("right", OPTIONAL, PG_INT64_MIN, form->is_real),
    };
    size_t count;
    Rows rows = mkspg_read_rows("points", query, columns, POINT_WIDTH);
    const size_t *order = numbered_rows(&rows, "point", 0, &count);
    if (count <= form->leaf_count) {
        refuse_gap(&rows, "point", (int64)count);
    }
    check_together(&rows, FIRST_COST + ROW_COST, FIRST_COST + COLUMN_COST);
    check_together(&rows, FIRST_COST + LEFT_FACTOR, FIRST_COST + RIGHT_FACTOR);
    for (int cost = 0; cost < POINT_COSTS; cost++) {
        if (mkspg_has_column(&rows, FIRST_COST + cost)) {
            form->point_costs[cost] = column_of(&rows, order, count, FIRST_COST + cost);
        }
    }
}

static void refuse_pair(const Rows *rows, size_t row, const char *fault)
{
    ereport(ERROR, errcode(ERRCODE_UNIQUE_VIOLATION),
        errmsg("points " INT64_FORMAT " and " INT64_FORMAT " %s",
            mkspg_cell(rows, row, FIRST).number, mkspg_cell(rows, row, LAST).number, fault),
        errdetail("Each pair of points, of which the first one is less, has one cost."),
        errhint("Give each pair one row, for example by GROUP BY."), mkspg_at_row(rows, row));
}

/* The costs of all pairs: (0, 1), (0, 2), ..., (1, 2), ... */
static void read_costs(IntervalForm *form, const char *query)
{
    int64 last_point = (int64)form->leaf_count;
    if (form->point_costs[ROW_COST] != NULL) {
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("cells have two costs"),
            errdetail(
                "The columns \"row\" and \"column\" of argument \"points\" give their costs."),
            errhint("Leave out these columns or this argument."),
            errcontext("query in argument \"costs\""));
    }
    const Column columns[COST_WIDTH] = {
        [FIRST] = NUMBER("first", REQUIRED, 0, last_point),
        [LAST] = NUMBER("last", REQUIRED, 0, last_point),
        [COST] = WHOLE_OR_REAL("cost", REQUIRED, PG_INT64_MIN, form->is_real),
    };
    Rows rows = mkspg_read_rows("costs", query, columns, COST_WIDTH);
    size_t points = form->leaf_count + 1, count = points * (points - 1) / 2;
    Number *table = mkspg_array(count, sizeof(Number), "the costs");
    bool *is_given = mkspg_array(count, sizeof(bool), "the costs");
    for (size_t row = 0; row < rows.count; row++) {
        size_t first = (size_t)mkspg_cell(&rows, row, FIRST).number;
        size_t last = (size_t)mkspg_cell(&rows, row, LAST).number;
        if (first >= last) {
            refuse_pair(&rows, row, "are not in order");
        }
        size_t place = first * (2 * points - first - 1) / 2 + (last - first - 1);
        if (is_given[place]) {
            refuse_pair(&rows, row, "have two costs");
        }
        is_given[place] = true;
        table[place] = mkspg_cell(&rows, row, COST).value;
    }
    if (rows.count < count) {
        ereport(ERROR, errcode(ERRCODE_NO_DATA_FOUND), errmsg("pairs of points have no cost"),
            errdetail("%zu of %zu pairs have one.", rows.count, count),
            errhint("Give each pair a row, for example by an outer join."),
            errcontext("query in argument \"costs\""));
    }
    form->table = table;
}

IntervalForm mkspg_read_interval_form(
    const char *semiring, bool is_real, const char *leaves, const char *points, const char *costs)
{
    IntervalForm form = {find_semiring(semiring), is_real, 0, NULL, {NULL}, NULL};
    read_leaves(&form, leaves);
    if (points != NULL) {
        read_points(&form, points);
    }
    if (costs != NULL) {
        read_costs(&form, costs);
    }
    return form;
}

static const int64 *wholes(const Number *numbers)
{
    return numbers == NULL ? NULL : &numbers->whole;
}

static const double *reals(const Number *numbers)
{
    return numbers == NULL ? NULL : &numbers->real;
}

static mks_status create_whole(const IntervalForm *form, mks_interval_dp_instance **instance)
{
    mks_interval_dp_form_i64 whole;
    mkspg_check(mks_interval_dp_form_i64_init(&whole, sizeof whole));
    whole.semiring = form->semiring;
    whole.leaves = wholes(form->leaves);
    whole.leaf_count = form->leaf_count;
    whole.row = wholes(form->point_costs[ROW_COST]);
    whole.column = wholes(form->point_costs[COLUMN_COST]);
    whole.table = wholes(form->table);
    whole.left = wholes(form->point_costs[LEFT_FACTOR]);
    whole.split = wholes(form->point_costs[SPLIT_FACTOR]);
    whole.right = wholes(form->point_costs[RIGHT_FACTOR]);
    return mks_interval_dp_instance_create_i64(&whole, instance);
}

static mks_status create_real(const IntervalForm *form, mks_interval_dp_instance **instance)
{
    mks_interval_dp_form_f64 real;
    mkspg_check(mks_interval_dp_form_f64_init(&real, sizeof real));
    real.semiring = form->semiring;
    real.leaves = reals(form->leaves);
    real.leaf_count = form->leaf_count;
    real.row = reals(form->point_costs[ROW_COST]);
    real.column = reals(form->point_costs[COLUMN_COST]);
    real.table = reals(form->table);
    real.left = reals(form->point_costs[LEFT_FACTOR]);
    real.split = reals(form->point_costs[SPLIT_FACTOR]);
    real.right = reals(form->point_costs[RIGHT_FACTOR]);
    return mks_interval_dp_instance_create_f64(&real, instance);
}

mks_status mkspg_create_interval_form(const IntervalForm *form, mks_interval_dp_instance **instance)
{
    return form->is_real ? create_real(form, instance) : create_whole(form, instance);
}
