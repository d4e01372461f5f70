#include "rows.h"

#include <executor/spi.h>
#include <miscadmin.h>
#include <utils/memutils.h>

#include "settings.h"
#include "value.h"

/* Rows that are copied at once. */
enum { FIRST_BATCH = 16, BATCH = 1024 };

/* The query that is being read, for the context of errors. */
typedef struct Reading {
    Rows *rows;
    size_t capacity;
    size_t row; /* The row, counted from 1; 0 before the first one. */
    ValueReader *readers;
    MemoryContext memory;
} Reading;

static void describe(void *argument)
{
    const Reading *reading = argument;
    if (reading->row > 0) {
        errcontext(
            "row %zu of the query in argument \"%s\"", reading->row, reading->rows->argument);
    } else {
        errcontext("query in argument \"%s\"", reading->rows->argument);
    }
}

int mkspg_at_row(const Rows *rows, size_t row)
{
    return errcontext("row %zu of the query in argument \"%s\"", row + 1, rows->argument);
}

static void refuse_size(Size bytes, const char *what)
{
    ereport(ERROR, errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
        errmsg("%s need more memory than makespan.memory_limit allows", what),
        errdetail("They need at least %zu bytes.", bytes),
        errhint("Plan fewer rows, or let an administrator raise makespan.memory_limit."));
}

void mkspg_limit_memory(MemoryContext memory, Size further, const char *what)
{
    Size bytes = MemoryContextMemAllocated(memory, true) + further;
    if (bytes > mkspg_memory_limit()) {
        refuse_size(bytes, what);
    }
}

void *mkspg_array(size_t count, size_t size, const char *what)
{
    Size taken = MemoryContextMemAllocated(CurrentMemoryContext, true);
    uint64 limit = Min(mkspg_memory_limit(), MaxAllocHugeSize);
    if (taken > limit || count > (limit - taken) / size) {
        refuse_size(count > (SIZE_MAX - taken) / size ? SIZE_MAX : count * size + taken, what);
    }
    return MemoryContextAllocExtended(
        CurrentMemoryContext, Max(count, 1) * size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

/* A list of the columns that a query may have. */
static const char *names(const Column *columns, int width)
{
    StringInfoData text;
    initStringInfo(&text);
    for (int index = 0; index < width; index++) {
        appendStringInfo(&text, "%s%s", index > 0 ? ", " : "", columns[index].name);
        if (columns[index].need != REQUIRED) {
            appendStringInfoString(&text, " (optional)");
        }
    }
    return text.data;
}

static Column *find_column(Rows *rows, const char *name)
{
    for (int index = 0; index < rows->width; index++) {
        if (strcmp(rows->columns[index].name, name) == 0) {
            return &rows->columns[index];
        }
    }
    return NULL;
}

static void match_columns(Rows *rows, TupleDesc descriptor)
{
    for (int attribute = 1; attribute <= descriptor->natts; attribute++) {
        const char *name = NameStr(TupleDescAttr(descriptor, attribute - 1)->attname);
        Column *column = find_column(rows, name);
        if (column == NULL) {
            ereport(ERROR, errcode(ERRCODE_UNDEFINED_COLUMN),
                errmsg("column \"%s\" is unknown", name),
                errdetail(
                    "Columns are found by their names: %s.", names(rows->columns, rows->width)),
                errhint("Leave the column out of the query, or rename it by AS."));
        }
        if (column->attribute != 0) {
            ereport(ERROR, errcode(ERRCODE_DUPLICATE_COLUMN),
                errmsg("column \"%s\" appears twice", name),
                errdetail("Columns are found by their names."),
                errhint("Leave one of them out of the query."));
        }
        column->attribute = attribute;
    }
    for (int index = 0; index < rows->width; index++) {
        const Column *column = &rows->columns[index];
        if (column->attribute == 0 && column->need == REQUIRED) {
            ereport(ERROR, errcode(ERRCODE_UNDEFINED_COLUMN),
                errmsg("column \"%s\" is missing", column->name),
                errdetail(
                    "Columns are found by their names: %s.", names(rows->columns, rows->width)),
                errhint("Add the column to the query, or rename another one by AS."));
        }
    }
}

static void prepare(Reading *reading, TupleDesc descriptor)
{
    Rows *rows = reading->rows;
    match_columns(rows, descriptor);
    reading->readers = palloc0(sizeof(ValueReader) * (Size)rows->width);
    for (int index = 0; index < rows->width; index++) {
        const Column *column = &rows->columns[index];
        if (column->attribute != 0) {
            reading->readers[index] =
                mkspg_value_reader(column, TupleDescAttr(descriptor, column->attribute - 1));
        }
    }
}

static void make_room(Reading *reading)
{
    Rows *rows = reading->rows;
    if (rows->count < reading->capacity) {
        return;
    }
    size_t capacity = reading->capacity * 2 + 64;
    Size bytes = capacity * (Size)rows->width * sizeof(Cell);
    mkspg_limit_memory(reading->memory, bytes, "the rows");
    rows->cells = rows->cells == NULL ? MemoryContextAllocHuge(reading->memory, bytes)
                                      : repalloc_huge(rows->cells, bytes);
    reading->capacity = capacity;
}

static void copy_row(Reading *reading, HeapTuple tuple, TupleDesc descriptor)
{
    Rows *rows = reading->rows;
    make_room(reading);
    reading->row = rows->count + 1;
    for (int index = 0; index < rows->width; index++) {
        const Column *column = &rows->columns[index];
        Cell *cell = &rows->cells[rows->count * (size_t)rows->width + (size_t)index];
        bool is_null = true;
        Datum value = 0;
        if (column->attribute != 0) {
            value = SPI_getbinval(tuple, descriptor, column->attribute, &is_null);
            if (is_null) {
                mkspg_allow_null(column);
            }
        }
        cell->is_null = is_null;
        cell->value =
            is_null ? (Number){0} : mkspg_read_value(&reading->readers[index], column, value);
    }
    rows->count++;
    mkspg_limit_memory(reading->memory, 0, "the rows");
}

static Portal open_query(const char *query)
{
    SPIPlanPtr plan = SPI_prepare(query, 0, NULL);
    if (plan == NULL) {
        elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
    }
    if (!SPI_is_cursor_plan(plan)) {
        ereport(ERROR, errcode(ERRCODE_SYNTAX_ERROR), errmsg("text is not one query"),
            errdetail("The text is: %s", query),
            errhint("Give one SELECT, VALUES or TABLE command."));
    }
    return SPI_cursor_open(NULL, plan, NULL, NULL, true);
}

static void read_all(Reading *reading, const char *query)
{
    Portal portal = open_query(query);
    MemoryContext batch =
        AllocSetContextCreate(CurrentMemoryContext, "makespan rows", ALLOCSET_DEFAULT_SIZES);
    prepare(reading, portal->tupDesc);
    /* The memory of a batch does not count, so the first ones are small. */
    for (long size = FIRST_BATCH;; size = Min(2 * size, BATCH)) {
        SPI_cursor_fetch(portal, true, size);
        if (SPI_processed == 0) {
            break;
        }
        MemoryContext before = MemoryContextSwitchTo(batch);
        for (uint64 index = 0; index < SPI_processed; index++) {
            copy_row(reading, SPI_tuptable->vals[index], SPI_tuptable->tupdesc);
        }
        reading->row = 0;
        MemoryContextSwitchTo(before);
        MemoryContextReset(batch);
        SPI_freetuptable(SPI_tuptable);
    }
    SPI_cursor_close(portal);
    if (reading->rows->count == 0) {
        ereport(ERROR, errcode(ERRCODE_NO_DATA_FOUND), errmsg("query has no rows"),
            errdetail("There is nothing to plan."), errhint("Check the conditions of the query."));
    }
}

Rows mkspg_read_rows(const char *argument, const char *query, const Column *columns, int width)
{
    Size bytes = sizeof(Column) * (Size)width;
    Rows rows = {argument, memcpy(palloc(bytes), columns, bytes), width, 0, NULL};
    Reading reading = {&rows, 0, 0, NULL, CurrentMemoryContext};
    ErrorContextCallback callback = {error_context_stack, describe, &reading};
    error_context_stack = &callback;
    SPI_connect();
    read_all(&reading, query);
    SPI_finish();
    error_context_stack = callback.previous;
    return rows;
}

Cell mkspg_cell(const Rows *rows, size_t row, int column)
{
    CHECK_FOR_INTERRUPTS();
    return rows->cells[row * (size_t)rows->width + (size_t)column];
}

bool mkspg_has_column(const Rows *rows, int column)
{
    return rows->columns != NULL && rows->columns[column].attribute != 0;
}

void mkspg_renumber_column(Rows *rows, int column, const uint32 *ranks)
{
    for (size_t row = 0; row < rows->count; row++) {
        CHECK_FOR_INTERRUPTS();
        Cell *cell = &rows->cells[row * (size_t)rows->width + (size_t)column];
        if (!cell->is_null) {
            cell->number = ranks[cell->number];
        }
    }
}
