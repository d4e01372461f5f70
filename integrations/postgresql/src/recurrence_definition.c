#include "recurrence.h"

#include "rows.h"
#include "status.h"

/* Columns of the argument "offsets". */
enum { OFFSET, WEIGHT, OFFSET_WIDTH };

/* Columns of lists: the position in the list, the number there, the table of a batch. */
enum { KEY, VALUE, TABLE, LIST_WIDTH };

/* What the lists of a query are. */
typedef struct ListKind {
    const char *argument;
    const char *key; /* The column of positions. */
    int64 first;     /* The least and the largest position. */
    int64 last;
    size_t count;          /* Numbers of a list. */
    const uint64 *offsets; /* The positions, decreasing; NULL: all from the first to the last. */
    Column value;
    Column table;
} ListKind;

/* One list after the other. */
typedef struct Lists {
    const int64 *values;
    size_t count; /* Numbers of all lists. */
} Lists;

static const Semiring semirings[] = {
    {"min-plus", MKS_RECURRENCE_SEMIRING_MIN_PLUS, PG_INT64_MAX},
    {"max-plus", MKS_RECURRENCE_SEMIRING_MAX_PLUS, PG_INT64_MIN},
    {"sum-product", MKS_RECURRENCE_SEMIRING_SUM_PRODUCT, 0},
    {"modular", MKS_RECURRENCE_SEMIRING_MODULAR, 0},
    {"or-and", MKS_RECURRENCE_SEMIRING_OR_AND, 0},
    {"max-min", MKS_RECURRENCE_SEMIRING_MAX_MIN, 0},
};

const Semiring *mkspg_find_semiring(const char *name)
{
    for (size_t index = 0; index < lengthof(semirings); index++) {
        if (strcmp(semirings[index].name, name) == 0) {
            return &semirings[index];
        }
    }
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
        errmsg("semiring \"%s\" is unknown", name),
        errdetail(
            "The semirings are min-plus, max-plus, sum-product, modular, or-and and max-min."),
        errhint("Custom operators are for programs, which have code for them."),
        errcontext("argument \"semiring\""));
    pg_unreachable();
}

/* The offsets, the largest one first, and their weights if the query has any. */
static void read_offsets(mks_recurrence_definition *definition, const char *query)
{
    const Column columns[OFFSET_WIDTH] = {
        [OFFSET] = NUMBER("offset", REQUIRED, 1, PG_INT64_MAX),
        [WEIGHT] = NUMBER("weight", OPTIONAL, PG_INT64_MIN, PG_INT64_MAX),
    };
    size_t count;
    Rows rows = mkspg_read_rows("offsets", query, columns, OFFSET_WIDTH);
    const size_t *order = mkspg_rows_in_order(&rows, OFFSET, &count);
    uint64 *offsets = mkspg_array(count, sizeof(uint64), "the offsets");
    int64 *weights = mkspg_array(count, sizeof(int64), "the offsets");
    for (size_t index = 0; index < count; index++) {
        size_t row = order[count - 1 - index];
        offsets[index] = (uint64)mkspg_cell(&rows, row, OFFSET).number;
        weights[index] = mkspg_cell(&rows, row, WEIGHT).number;
    }
    definition->offsets = offsets;
    definition->offset_count = count;
    if (mkspg_has_column(&rows, WEIGHT)) {
        definition->weights = weights;
        definition->weight_count = count;
    }
}

/* The position of the key of a row in its list. */
static size_t position_of(const ListKind *kind, const Rows *rows, size_t row)
{
    int64 key = mkspg_cell(rows, row, KEY).number;
    if (kind->offsets == NULL) {
        return (size_t)(key - kind->first);
    }
    size_t low = 0, high = kind->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (kind->offsets[middle] > (uint64)key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == kind->count || kind->offsets[low] != (uint64)key) {
        ereport(ERROR, errcode(ERRCODE_FOREIGN_KEY_VIOLATION),
            errmsg("%s " INT64_FORMAT " is unknown", kind->key, key),
            errdetail(
                "Column \"%s\" has a value that is not in argument \"%ss\".", kind->key, kind->key),
            errhint("Join the two queries to the same rows."), mkspg_at_row(rows, row));
    }
    return low;
}

/* Refuses too few rows; too many have a position twice. */
static void check_count(const ListKind *kind, const Rows *rows, size_t lists)
{
    if (rows->count / lists < kind->count) {
        ereport(ERROR, errcode(ERRCODE_NO_DATA_FOUND), errmsg("%ss have no value", kind->key),
            errdetail("The query has %zu of the %zu rows for the %ss from " INT64_FORMAT
                      " to " INT64_FORMAT "%s.",
                rows->count, lists * kind->count, kind->key, kind->first, kind->last,
                lists > 1 ? psprintf(" of %zu instances", lists) : ""),
            errhint("Give each of these %ss a row.", kind->key),
            errcontext("query in argument \"%s\"", kind->argument));
    }
}

/* Puts the numbers of the rows in their places. */
static const int64 *place_values(
    const ListKind *kind, const Rows *rows, bool has_tables, size_t count, int64 null_value)
{
    int64 *values = mkspg_array(count, sizeof(int64), "the elements");
    size_t *row_after = mkspg_array(count, sizeof(size_t), "the elements");
    for (size_t row = 0; row < rows->count; row++) {
        Cell value = mkspg_cell(rows, row, VALUE);
        size_t table = has_tables ? (size_t)mkspg_cell(rows, row, TABLE).number : 0;
        size_t place = table * kind->count + position_of(kind, rows, row);
        if (row_after[place] != 0) {
            ereport(ERROR, errcode(ERRCODE_UNIQUE_VIOLATION),
                errmsg("column \"%s\" has the value " INT64_FORMAT " twice", kind->key,
                    mkspg_cell(rows, row, KEY).number),
                errdetail("Row %zu has it already.", row_after[place]),
                errhint(
                    "Give each %s one row%s.", kind->key, has_tables ? " in each instance" : ""),
                mkspg_at_row(rows, row));
        }
        row_after[place] = row + 1;
        values[place] = value.is_null ? null_value : value.number;
    }
    return values;
}

/* Reads a list for each table of a batch, or one list for all. */
static Lists read_lists(
    const ListKind *kind, const char *query, Labels *tables, const Semiring *semiring)
{
    const Column columns[LIST_WIDTH] = {
        [KEY] = NUMBER(kind->key, REQUIRED, kind->first, kind->last),
        [VALUE] = kind->value,
        [TABLE] = kind->table,
    };
    Rows rows =
        mkspg_read_rows(kind->argument, query, columns, tables == NULL ? TABLE : LIST_WIDTH);
    bool has_tables = tables != NULL && mkspg_has_column(&rows, TABLE);
    if (has_tables && kind->table.source == NULL) {
        mkspg_renumber_column(&rows, TABLE, mkspg_sort_labels(tables));
    }
    size_t lists = has_tables ? tables->count : 1;
    check_count(kind, &rows, lists);
    size_t count = lists * kind->count;
    return (Lists){place_values(kind, &rows, has_tables, count, semiring->unreachable), count};
}

/* Lists of the elements from the first one to the one before the end. */
static ListKind elements_of(
    const char *argument, uint64 first, uint64 end, const Semiring *semiring, Column table)
{
    Need need = semiring->unreachable != 0 ? NULLABLE : REQUIRED;
    return (ListKind){argument, "element", (int64)first, (int64)end - 1, end - first, NULL,
        NUMBER("value", need, PG_INT64_MIN, PG_INT64_MAX), table};
}

static ListKind weights_of(const mks_recurrence_definition *definition, Column table)
{
    size_t count = definition->offset_count;
    return (ListKind){"weights", "offset", (int64)definition->offsets[count - 1],
        (int64)definition->offsets[0], count, definition->offsets,
        NUMBER("weight", REQUIRED, PG_INT64_MIN, PG_INT64_MAX), table};
}

mks_recurrence_definition mkspg_read_recurrence(
    const RecurrenceText *text, const Semiring *semiring, Labels *tables)
{
    const char *source = "argument \"initial\"";
    const Column adds_table = NEW_LABEL("instance", REQUIRED, tables);
    const Column names_table = KNOWN_LABEL("instance", REQUIRED, tables, source);
    const Column may_name_table = KNOWN_LABEL("instance", OPTIONAL, tables, source);
    mks_recurrence_definition definition;
    mkspg_check(mks_recurrence_definition_init(&definition, sizeof definition));
    definition.semiring = semiring->number;
    definition.modulus = text->modulus;
    definition.length = text->length;
    read_offsets(&definition, text->offsets);
    uint64 preset = definition.offsets[0];
    ListKind kind = elements_of("initial", 0, preset, semiring, adds_table);
    Lists lists = read_lists(&kind, text->initial, tables, semiring);
    definition.initial = lists.values;
    definition.initial_count = lists.count;
    definition.instances = tables == NULL ? 1 : tables->count;
    if (text->terms != NULL && definition.length > preset) {
        kind = elements_of("terms", preset, definition.length, semiring, may_name_table);
        lists = read_lists(&kind, text->terms, tables, semiring);
        definition.terms = lists.values;
        definition.term_count = lists.count;
    }
    if (text->weights != NULL) {
        kind = weights_of(&definition, names_table);
        lists = read_lists(&kind, text->weights, tables, semiring);
        definition.weights = lists.values;
        definition.weight_count = lists.count;
    }
    return definition;
}
