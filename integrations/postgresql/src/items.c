#include "items.h"

#include <utils/builtins.h>

#include "options.h"

Items mkspg_read_items(const char *argument, const char *query, const Column *columns, int width)
{
    Items items = {mkspg_read_rows(argument, query, columns, width), columns[0].labels, NULL};
    mkspg_renumber_column(&items.rows, 0, mkspg_sort_labels(items.labels));
    items.row_of = mkspg_row_of_each(&items.rows, 0);
    return items;
}

uint64 *mkspg_item_amounts(const Items *items, int column, uint64 absent)
{
    size_t count = items->labels->count;
    uint64 *amounts = mkspg_array(count, sizeof(uint64), "the items");
    bool has_column = mkspg_has_column(&items->rows, column);
    for (size_t item = 0; item < count; item++) {
        Cell cell = mkspg_cell(&items->rows, items->row_of[item], column);
        amounts[item] = has_column ? (uint64)cell.number : absent;
    }
    return amounts;
}

Number *mkspg_item_numbers(const Items *items, int column)
{
    size_t count = items->labels->count;
    Number *numbers = mkspg_array(count, sizeof(Number), "the items");
    for (size_t item = 0; item < count; item++) {
        numbers[item] = mkspg_cell(&items->rows, items->row_of[item], column).value;
    }
    return numbers;
}

uint64 *mkspg_item_copies(const Items *items, int column)
{
    uint64 *copies = mkspg_item_amounts(items, column, 1);
    if (!mkspg_has_column(&items->rows, column)) {
        return copies;
    }
    for (size_t item = 0; item < items->labels->count; item++) {
        if (mkspg_cell(&items->rows, items->row_of[item], column).is_null) {
            copies[item] = PG_UINT64_MAX;
        }
    }
    return copies;
}

uint64 *mkspg_item_table(const Rows *rows, int place, int item, int amount)
{
    const Labels *places = rows->columns[place].labels, *items = rows->columns[item].labels;
    const char *what = psprintf("the %s", rows->argument);
    size_t count = (size_t)places->count * items->count;
    uint64 *amounts = mkspg_array(count, sizeof(uint64), what);
    bool *is_given = mkspg_array(count, sizeof(bool), what);
    for (size_t row = 0; row < rows->count; row++) {
        size_t place_number = (size_t)mkspg_cell(rows, row, place).number;
        size_t item_number = (size_t)mkspg_cell(rows, row, item).number;
        size_t index = place_number * items->count + item_number;
        if (is_given[index]) {
            ereport(ERROR, errcode(ERRCODE_UNIQUE_VIOLATION),
                errmsg("item \"%s\" has two %s in %s \"%s\"", items->items[item_number].text,
                    rows->argument, places->noun, places->items[place_number].text),
                errdetail(
                    "An item has one %s in each %s.", rows->columns[amount].name, places->noun),
                errhint("Give each pair one row, for example by GROUP BY."),
                mkspg_at_row(rows, row));
        }
        is_given[index] = true;
        amounts[index] = (uint64)mkspg_cell(rows, row, amount).number;
    }
    return amounts;
}

void mkspg_set_item_start(mks_options *options, const Items *items, int column)
{
    if (!mkspg_has_column(&items->rows, column)) {
        return;
    }
    uint32 *counts = mkspg_array(items->labels->count, sizeof(uint32), "the items");
    for (size_t item = 0; item < items->labels->count; item++) {
        size_t row = items->row_of[item];
        int64 count = mkspg_cell(&items->rows, row, column).number;
        if (count > PG_UINT32_MAX) {
            ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                errmsg("column \"start\" has the value " INT64_FORMAT, count),
                errdetail(
                    "A selection to start from has at most %u copies of an item.", PG_UINT32_MAX),
                errhint("Leave out the column."), mkspg_at_row(&items->rows, row));
        }
        counts[item] = (uint32)count;
    }
    mkspg_set_start(options, counts, items->labels->count);
}

void mkspg_put_counts(
    const Items *items, const uint64 *counts, const Verdict *verdict, ReturnSetInfo *to)
{
    enum { ITEM, COUNT, VERDICT, WIDTH = VERDICT + VERDICT_WIDTH };
    for (size_t item = 0; item < items->labels->count; item++) {
        Datum values[WIDTH];
        bool nulls[WIDTH] = {false};
        values[ITEM] = mkspg_label_datum(items->labels, item);
        values[COUNT] = Int64GetDatum((int64)counts[item]);
        mkspg_put_row(verdict, values, nulls, VERDICT, to);
        pfree(DatumGetPointer(values[ITEM]));
    }
}
