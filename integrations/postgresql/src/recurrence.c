/* makespan.recurrence() and makespan.recurrence_batch() */
#include "recurrence.h"

#include <fmgr.h>
#include <funcapi.h>

#include "call.h"
#include "handle.h"
#include "options.h"
#include "solve.h"
#include "status.h"
#include "verdict.h"

PG_FUNCTION_INFO_V1(makespan_recurrence);
PG_FUNCTION_INFO_V1(makespan_recurrence_batch);

/* The functions' arguments; only that of a batch has weights. */
enum { OFFSETS, INITIAL, LENGTH, SEMIRING, MODULUS, TERMS, OPTIONS };
enum { BATCH_WEIGHTS = TERMS + 1, BATCH_OPTIONS };

/* Columns of the functions, before those of the verdict. A batch has the name of the table first.
 */
enum { ELEMENT, VALUE, CHOICE, VERDICT };

typedef struct Recurrence {
    const Semiring *semiring;
    mks_recurrence_definition definition;
    const Labels *tables; /* NULL for a single table. */
} Recurrence;

/* The elements that a result has: all, or the last one of each table. */
typedef struct Elements {
    const int64 *values;
    const uint32 *choices; /* Of elements that are not initial; NULL unless they were asked for. */
    size_t count;          /* Of a table. */
} Elements;

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

static Elements elements_of(const mks_result *result, size_t tables)
{
    Elements elements = {NULL, NULL, 0};
    size_t count, choices;
    if (mks_recurrence_values_view(result, &elements.values, &count) != MKS_STATUS_OK) {
        mkspg_check(mks_recurrence_last_view(result, &elements.values, &count));
    }
    (void)mks_recurrence_choices_view(result, &elements.choices, &choices);
    elements.count = count / tables;
    return elements;
}

static bool is_unreachable(const Semiring *semiring, int64 value)
{
    return semiring->unreachable != 0 && value == semiring->unreachable;
}

/* The objective is the last element of the first table, whose value may be unreachable. */
static Verdict verdict_on(const Elements *elements, const Semiring *semiring, Verdict verdict)
{
    bool is_null = is_unreachable(semiring, elements->values[elements->count - 1]);
    return is_null ? mkspg_without_objective(verdict) : verdict;
}

/* The position of the offset that gives an element its value, or PG_UINT32_MAX. */
static uint32 choice_of(
    const Recurrence *recurrence, const Elements *elements, size_t table, uint64 element)
{
    uint64 preset = recurrence->definition.offsets[0];
    if (elements->choices == NULL || element < preset) {
        return PG_UINT32_MAX;
    }
    return elements->choices[table * (recurrence->definition.length - preset) + element - preset];
}

static void put_table(const Recurrence *recurrence,
    const Elements *elements,
    size_t table,
    const Verdict *verdict,
    ReturnSetInfo *to)
{
    const mks_recurrence_definition *definition = &recurrence->definition;
    int name = recurrence->tables == NULL ? 0 : 1;
    for (size_t index = 0; index < elements->count; index++) {
        Datum row[1 + VERDICT + VERDICT_WIDTH] = {0};
        bool row_nulls[1 + VERDICT + VERDICT_WIDTH] = {false};
        Datum *values = &row[name];
        bool *nulls = &row_nulls[name];
        uint64 element = definition->length - elements->count + index;
        int64 value = elements->values[table * elements->count + index];
        uint32 choice = choice_of(recurrence, elements, table, element);
        if (recurrence->tables != NULL) {
            row[0] = mkspg_label_datum(recurrence->tables, table);
        }
        values[ELEMENT] = Int64GetDatum((int64)element);
        values[VALUE] = Int64GetDatum(value);
        nulls[VALUE] = is_unreachable(recurrence->semiring, value);
        nulls[CHOICE] = choice == PG_UINT32_MAX;
        if (choice != PG_UINT32_MAX) {
            values[CHOICE] = Int64GetDatum((int64)definition->offsets[choice]);
        }
        mkspg_put_row(verdict, row, row_nulls, name + VERDICT, to);
        if (recurrence->tables != NULL) {
            pfree(DatumGetPointer(row[0]));
        }
    }
}

static void put_tables(const Recurrence *recurrence, const mks_result *result, ReturnSetInfo *to)
{
    Verdict verdict = mkspg_verdict(result);
    size_t tables = recurrence->definition.instances;
    if (verdict.has_solution) {
        Elements elements = elements_of(result, tables);
        verdict = verdict_on(&elements, recurrence->semiring, verdict);
        for (size_t table = 0; table < tables; table++) {
            put_table(recurrence, &elements, table, &verdict, to);
        }
    }
}

static Datum fill(FunctionCallInfo fcinfo, bool is_batch)
{
    Call call = mkspg_begin(fcinfo);
    mks_options *options = mkspg_options(
        "recurrence", mkspg_optional_object(fcinfo, is_batch ? BATCH_OPTIONS : OPTIONS));
    Labels *tables = is_batch ? mkspg_labels("instance") : NULL;
    Handle *handle = mkspg_handle(free_instance);
    mks_recurrence_instance *instance;
    const Semiring *semiring = mkspg_find_semiring(mkspg_text(fcinfo, SEMIRING, "semiring"));
    const RecurrenceText text = {
        .offsets = mkspg_text(fcinfo, OFFSETS, "offsets"),
        .initial = mkspg_text(fcinfo, INITIAL, "initial"),
        .terms = mkspg_optional_text(fcinfo, TERMS),
        .weights = is_batch ? mkspg_optional_text(fcinfo, BATCH_WEIGHTS) : NULL,
        .length = mkspg_amount(fcinfo, LENGTH, "length"),
        .modulus = PG_ARGISNULL(MODULUS) ? 0 : mkspg_amount(fcinfo, MODULUS, "modulus"),
    };
    Recurrence recurrence = {semiring, mkspg_read_recurrence(&text, semiring, tables), tables};
    const Origin origins[] = {{"modulus", IN_ARGUMENT("modulus")},
        {"length", IN_ARGUMENT("length")}, {"initial", IN_QUERY("initial")},
        {"terms", IN_QUERY("terms")},
        {"weights", text.weights != NULL ? IN_QUERY("weights") : IN_QUERY("offsets")},
        {NULL, IN_QUERY("offsets")}};
    mkspg_check_origins(
        mks_recurrence_instance_create(&recurrence.definition, &instance), origins, NULL);
    mkspg_replace(handle, instance);
    put_tables(
        &recurrence, mkspg_solve(solve, handle->pointer, options, NULL, "offsets"), call.rows);
    return mkspg_end(&call);
}

Datum makespan_recurrence(PG_FUNCTION_ARGS)
{
    return fill(fcinfo, false);
}

Datum makespan_recurrence_batch(PG_FUNCTION_ARGS)
{
    return fill(fcinfo, true);
}
