#include "patterns.h"

#include <miscadmin.h>
#include <utils/builtins.h>

#include "options.h"
#include "rows.h"
#include "status.h"
#include "verdict.h"

enum { PATTERN, PIECES, ITEM, COUNT, WIDTH };

/* A row without an item belongs to a pattern of empty pieces. */
static void add_row(Patterns *patterns, const Rows *rows, size_t row, size_t types, bool *is_known)
{
    size_t pattern = (size_t)mkspg_cell(rows, row, PATTERN).number;
    uint64 pieces = (uint64)mkspg_cell(rows, row, PIECES).number;
    Cell item = mkspg_cell(rows, row, ITEM);
    const Label *names = patterns->names->items;
    if (is_known[pattern] && patterns->pieces[pattern] != pieces) {
        ereport(ERROR, errcode(ERRCODE_CARDINALITY_VIOLATION),
            errmsg("pattern \"%s\" has two numbers of pieces", names[pattern].text),
            errdetail("They are " UINT64_FORMAT " and " UINT64_FORMAT ".",
                patterns->pieces[pattern], pieces),
            errhint("Give all rows of a pattern the same number of pieces."),
            mkspg_at_row(rows, row));
    }
    is_known[pattern] = true;
    patterns->pieces[pattern] = pieces;
    if (!item.is_null) {
        uint64 *count = &patterns->counts[pattern * types + (size_t)item.number];
        if (*count > 0) {
            ereport(ERROR, errcode(ERRCODE_UNIQUE_VIOLATION),
                errmsg("pattern \"%s\" has item \"%s\" twice", names[pattern].text,
                    rows->columns[ITEM].labels->items[item.number].text),
                errdetail("A pattern has one number of each item."),
                errhint("Add up the counts, for example by GROUP BY."), mkspg_at_row(rows, row));
        }
        *count = (uint64)mkspg_cell(rows, row, COUNT).number;
    }
}

Patterns mkspg_read_patterns(const char *argument, const char *query, Labels *items)
{
    Labels *names = mkspg_labels("pattern");
    const Column columns[WIDTH] = {
        [PATTERN] = NEW_LABEL("pattern", REQUIRED, names),
        [PIECES] = AMOUNT("pieces", REQUIRED),
        [ITEM] = KNOWN_LABEL("item", NULLABLE, items, "argument \"items\""),
        [COUNT] = AMOUNT("count", REQUIRED),
    };
    Rows rows = mkspg_read_rows(argument, query, columns, WIDTH);
    mkspg_renumber_column(&rows, PATTERN, mkspg_sort_labels(names));
    Patterns patterns = {names, names->count, NULL, NULL};
    bool *is_known = mkspg_array(names->count, sizeof(bool), "the patterns");
    patterns.pieces = mkspg_array(names->count, sizeof(uint64), "the patterns");
    patterns.counts =
        mkspg_array((size_t)names->count * items->count, sizeof(uint64), "the patterns");
    for (size_t row = 0; row < rows.count; row++) {
        add_row(&patterns, &rows, row, items->count, is_known);
    }
    return patterns;
}

/* A number of the option "start". */
static uint32 narrow(uint64 number)
{
    if (number > PG_UINT32_MAX) {
        ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
            errmsg("number " UINT64_FORMAT " is too large for a packing to start from", number),
            errdetail("The largest number is %u.", PG_UINT32_MAX),
            errhint("Leave out the argument \"start\"."),
            errcontext("query in argument \"start\""));
    }
    return (uint32)number;
}

/* For each pattern its pieces, its number of cuts, and item and count of each cut. */
void mkspg_set_pattern_start(mks_options *options, const Patterns *patterns, size_t types)
{
    size_t most = patterns->count * (2 + 2 * types), length = 0;
    uint32 *numbers = mkspg_array(most, sizeof(uint32), "the patterns");
    for (size_t pattern = 0; pattern < patterns->count; pattern++) {
        CHECK_FOR_INTERRUPTS();
        numbers[length++] = narrow(patterns->pieces[pattern]);
        uint32 *cuts = &numbers[length++];
        for (size_t item = 0; item < types; item++) {
            uint64 count = patterns->counts[pattern * types + item];
            if (count > 0) {
                numbers[length++] = (uint32)item;
                numbers[length++] = narrow(count);
                *cuts += 1;
            }
        }
    }
    mkspg_set_start(options, numbers, length);
}

static void put_row(
    ReturnSetInfo *to, const Verdict *verdict, const int64 *numbers, const char *item)
{
    enum { VERDICT = WIDTH };
    Datum values[WIDTH + VERDICT_WIDTH];
    bool nulls[WIDTH + VERDICT_WIDTH] = {false};
    values[PATTERN] = Int32GetDatum((int32)numbers[PATTERN]);
    values[PIECES] = Int64GetDatum(numbers[PIECES]);
    values[ITEM] = item == NULL ? (Datum)0 : CStringGetTextDatum(item);
    nulls[ITEM] = item == NULL;
    values[COUNT] = Int64GetDatum(numbers[COUNT]);
    mkspg_put_row(verdict, values, nulls, VERDICT, to);
}

void mkspg_put_patterns(const mks_result *result, const Labels *items, ReturnSetInfo *to)
{
    size_t patterns;
    Verdict verdict = mkspg_verdict(result);
    if (!verdict.has_solution) {
        return;
    }
    uint64 *counts = mkspg_array(items->count, sizeof(uint64), "the items");
    mkspg_check(mks_cutting_stock_pattern_count(result, &patterns));
    for (size_t pattern = 0; pattern < patterns; pattern++) {
        uint64 pieces;
        bool is_empty = true;
        mkspg_check(mks_cutting_stock_pattern_pieces(result, pattern, &pieces));
        mkspg_check(mks_cutting_stock_pattern_counts(result, pattern, counts, items->count));
        int64 numbers[WIDTH] = {[PATTERN] = (int64)pattern + 1, [PIECES] = (int64)pieces};
        for (size_t item = 0; item < items->count; item++) {
            if (counts[item] > 0) {
                numbers[COUNT] = (int64)counts[item];
                put_row(to, &verdict, numbers, items->items[item].text);
                is_empty = false;
            }
        }
        if (is_empty) {
            put_row(to, &verdict, numbers, NULL);
        }
    }
}
