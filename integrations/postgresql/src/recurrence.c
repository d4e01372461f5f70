/* makespan.recurrence() */
#include <postgres.h>

#include <fmgr.h>
#include <funcapi.h>
#include <makespan.h>
#include <miscadmin.h>

#include "call.h"
#include "handle.h"
#include "options.h"
#include "rows.h"
#include "solve.h"
#include "status.h"
#include "verdict.h"

PG_FUNCTION_INFO_V1(makespan_recurrence);

/* The function's arguments. */
enum { OFFSETS, INITIAL, LENGTH, SEMIRING, MODULUS, TERMS, OPTIONS };

/* Columns of the argument "offsets". */
enum { OFFSET, WEIGHT, OFFSET_WIDTH };

/* Columns of the arguments "initial" and "terms". */
enum { ELEMENT, VALUE, ELEMENT_WIDTH };

typedef struct Semiring {
    const char *name;
    int32 number;
    int64 unreachable; /* What a null stands for; 0 if the semiring has no such value. */
} Semiring;

static const Semiring semirings[] = {
    {"min-plus", MKS_RECURRENCE_SEMIRING_MIN_PLUS, PG_INT64_MAX},
    {"max-plus", MKS_RECURRENCE_SEMIRING_MAX_PLUS, PG_INT64_MIN},
    {"sum-product", MKS_RECURRENCE_SEMIRING_SUM_PRODUCT, 0},
    {"modular", MKS_RECURRENCE_SEMIRING_MODULAR, 0},
    {"or-and", MKS_RECURRENCE_SEMIRING_OR_AND, 0},
    {"max-min", MKS_RECURRENCE_SEMIRING_MAX_MIN, 0},
};

static void free_instance(void *instance)
{
    mks_recurrence_instance_free(instance);
}

static mks_status solve(const mks_context *context,
    const void *instance,
    const mks_options *options,
    mks_result **result)
{
    return mks_recurrence_solve(context, instance, options, result);
}

static const Semiring *find_semiring(const char *name)
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
        errhint("Custom operators are for programs, which have code for them."));
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

/* The values of the elements from first to the one before end, which all need a row. */
static const int64 *read_elements(
    const char *argument, const char *query, const Semiring *semiring, uint64 first, uint64 end)
{
    const Column columns[ELEMENT_WIDTH] = {
        [ELEMENT] = NUMBER("element", REQUIRED, (int64)first, (int64)end - 1),
        [VALUE] = NUMBER(
            "value", semiring->unreachable != 0 ? NULLABLE : REQUIRED, PG_INT64_MIN, PG_INT64_MAX),
    };
    size_t count;
    Rows rows = mkspg_read_rows(argument, query, columns, ELEMENT_WIDTH);
    const size_t *order = mkspg_rows_in_order(&rows, ELEMENT, &count);
    int64 *values = mkspg_array(count, sizeof(int64), "the elements");
    for (size_t index = 0; index < count; index++) {
        Cell value = mkspg_cell(&rows, order[index], VALUE);
        values[index] = value.is_null ? semiring->unreachable : value.number;
    }
    if (count != end - first) {
        ereport(ERROR, errcode(ERRCODE_NO_DATA_FOUND), errmsg("elements have no value"),
            errdetail("%zu of the " UINT64_FORMAT " elements from " UINT64_FORMAT
                      " to " UINT64_FORMAT " have one.",
                count, end - first, first, end - 1),
            errhint("Give each of these elements a row."),
            errcontext("query in argument \"%s\"", argument));
    }
    return values;
}

static mks_recurrence_definition read_definition(FunctionCallInfo fcinfo, const Semiring *semiring)
{
    mks_recurrence_definition definition;
    const char *terms = mkspg_optional_text(fcinfo, TERMS);
    mkspg_check(mks_recurrence_definition_init(&definition, sizeof definition));
    definition.semiring = semiring->number;
    definition.modulus = PG_ARGISNULL(MODULUS) ? 0 : mkspg_amount(fcinfo, MODULUS, "modulus");
    definition.length = mkspg_amount(fcinfo, LENGTH, "length");
    read_offsets(&definition, mkspg_text(fcinfo, OFFSETS, "offsets"));
    uint64 preset = definition.offsets[0];
    definition.initial =
        read_elements("initial", mkspg_text(fcinfo, INITIAL, "initial"), semiring, 0, preset);
    definition.initial_count = preset;
    if (terms != NULL && definition.length > preset) {
        definition.terms = read_elements("terms", terms, semiring, preset, definition.length);
        definition.term_count = definition.length - preset;
    }
    return definition;
}

/* The elements that a result has: all, or the last one. */
typedef struct Table {
    const int64 *values;
    const uint32 *choices; /* Of elements that are not initial; NULL unless they were asked for. */
    size_t count;
} Table;

static Table table_of(const mks_result *result)
{
    Table table = {NULL, NULL, 0};
    size_t count;
    if (mks_recurrence_values_view(result, &table.values, &table.count) != MKS_STATUS_OK) {
        mkspg_check(mks_recurrence_last_view(result, &table.values, &table.count));
    }
    (void)mks_recurrence_choices_view(result, &table.choices, &count);
    return table;
}

static bool is_unreachable(const Semiring *semiring, int64 value)
{
    return semiring->unreachable != 0 && value == semiring->unreachable;
}

/* The objective is the last element, whose value may be unreachable. */
static Verdict verdict_on(const Table *table, const Semiring *semiring, Verdict verdict)
{
    bool is_null = is_unreachable(semiring, table->values[table->count - 1]);
    return is_null ? mkspg_without_objective(verdict) : verdict;
}

static void put_elements(const Table *table,
    const mks_recurrence_definition *definition,
    const Semiring *semiring,
    const Verdict *verdict,
    ReturnSetInfo *to)
{
    enum { NUMBER_OF, VALUE_OF, CHOICE, VERDICT };
    uint64 first = definition->length - table->count, preset = definition->offsets[0];
    for (uint64 element = first; element < definition->length; element++) {
        CHECK_FOR_INTERRUPTS();
        Datum values[VERDICT + VERDICT_WIDTH] = {0};
        bool nulls[VERDICT + VERDICT_WIDTH] = {false};
        int64 value = table->values[element - first];
        uint32 choice = table->choices != NULL && element >= preset
            ? table->choices[element - preset]
            : PG_UINT32_MAX;
        values[NUMBER_OF] = Int64GetDatum((int64)element);
        values[VALUE_OF] = Int64GetDatum(value);
        nulls[VALUE_OF] = is_unreachable(semiring, value);
        nulls[CHOICE] = choice == PG_UINT32_MAX;
        if (choice != PG_UINT32_MAX) {
            values[CHOICE] = Int64GetDatum((int64)definition->offsets[choice]);
        }
        mkspg_append_verdict(verdict, values, nulls, VERDICT);
        tuplestore_putvalues(to->setResult, to->setDesc, values, nulls);
    }
}

Datum makespan_recurrence(PG_FUNCTION_ARGS)
{
    Call call = mkspg_begin(fcinfo);
    mks_options *options = mkspg_options("recurrence", mkspg_optional_object(fcinfo, OPTIONS));
    Handle *handle = mkspg_handle(free_instance);
    mks_recurrence_instance *instance;
    const Semiring *semiring = find_semiring(mkspg_text(fcinfo, SEMIRING, "semiring"));
    mks_recurrence_definition definition = read_definition(fcinfo, semiring);
    mkspg_check(mks_recurrence_instance_create(&definition, &instance));
    mkspg_replace(handle, instance);
    const mks_result *result = mkspg_solve(solve, handle->pointer, options, NULL);
    Verdict verdict = mkspg_verdict(result);
    if (verdict.has_solution) {
        Table table = table_of(result);
        verdict = verdict_on(&table, semiring, verdict);
        put_elements(&table, &definition, semiring, &verdict, call.rows);
    }
    return mkspg_end(&call);
}
