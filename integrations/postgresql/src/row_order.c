/* Rows by their labels, and sequences of labels. */
#include "rows.h"

#include <miscadmin.h>
#include <utils/memutils.h>

/* A label with its position in a sequence. */
typedef struct Place {
    int64 position;
    size_t row;
} Place;

size_t *mkspg_row_of_each(const Rows *rows, int column)
{
    const Labels *labels = rows->columns[column].labels;
    size_t *row_of = mkspg_array(labels->count, sizeof(size_t), "the rows");
    for (size_t number = 0; number < labels->count; number++) {
        row_of[number] = SIZE_MAX;
    }
    for (size_t row = 0; row < rows->count; row++) {
        size_t number = (size_t)mkspg_cell(rows, row, column).number;
        if (row_of[number] != SIZE_MAX) {
            ereport(ERROR, errcode(ERRCODE_UNIQUE_VIOLATION),
                errmsg("%s \"%s\" appears twice", labels->noun, labels->items[number].text),
                errdetail("It is already in row %zu.", row_of[number] + 1),
                errhint("Give each %s one row, for example by GROUP BY.", labels->noun),
                mkspg_at_row(rows, row));
        }
        row_of[number] = row;
    }
    for (size_t number = 0; number < labels->count; number++) {
        if (row_of[number] == SIZE_MAX) {
            ereport(ERROR, errcode(ERRCODE_NO_DATA_FOUND),
                errmsg("%s \"%s\" is missing", labels->noun, labels->items[number].text),
                errdetail("Each of the %u %ss needs a row.", labels->count, labels->noun),
                errhint("Check the conditions of the queries, or use an outer join."),
                errcontext("query in argument \"%s\"", rows->argument));
        }
    }
    return row_of;
}

static int compare(const void *one, const void *other)
{
    const Place *left = one, *right = other;
    CHECK_FOR_INTERRUPTS();
    if (left->position != right->position) {
        return left->position < right->position ? -1 : 1;
    }
    return left->row < right->row ? -1 : left->row > right->row;
}

size_t *mkspg_rows_in_order(const Rows *rows, int positions, size_t *count)
{
    Place *places = mkspg_array(rows->count, sizeof(Place), "the rows");
    size_t *order = mkspg_array(rows->count, sizeof(size_t), "the rows");
    size_t length = 0;
    for (size_t row = 0; row < rows->count; row++) {
        Cell position = mkspg_cell(rows, row, positions);
        if (!position.is_null) {
            places[length++] = (Place){position.number, row};
        }
    }
    qsort(places, length, sizeof(Place), compare);
    for (size_t index = 0; index < length; index++) {
        if (index > 0 && places[index - 1].position == places[index].position) {
            ereport(ERROR, errcode(ERRCODE_UNIQUE_VIOLATION),
                errmsg("column \"%s\" has the value " INT64_FORMAT " twice",
                    rows->columns[positions].name, places[index].position),
                errdetail("Row %zu has it already.", places[index - 1].row + 1),
                errhint("Number the rows, for example by row_number()."),
                mkspg_at_row(rows, places[index].row));
        }
        order[index] = places[index].row;
    }
    pfree(places);
    *count = length;
    return order;
}

uint32 *mkspg_sequence(const Rows *rows, int labels, int positions, size_t *count)
{
    size_t *order = mkspg_rows_in_order(rows, positions, count);
    uint32 *sequence = mkspg_array(*count, sizeof(uint32), "the rows");
    for (size_t index = 0; index < *count; index++) {
        sequence[index] = (uint32)mkspg_cell(rows, order[index], labels).number;
    }
    pfree(order);
    return sequence;
}
