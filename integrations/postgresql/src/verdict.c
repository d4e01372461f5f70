#include "verdict.h"

#include <catalog/pg_type_d.h>
#include <fmgr.h>
#include <miscadmin.h>
#include <utils/array.h>
#include <utils/builtins.h>
#include <utils/json.h>
#include <utils/jsonb.h>
#include <utils/memutils.h>

#include "status.h"

PG_FUNCTION_INFO_V1(makespan_last_solve);

/* Most stages of an objective. */
enum { STAGES = 4 };

/* The last result of this session; the texts live in `memory`. */
static struct {
    MemoryContext memory;
    const char *problem;
    const char *method;
    const char *device;
    const char *fallback;
    const char *warning;
    const char *statistics;
    mks_summary summary;
    int64 stages[STAGES];
    size_t stage_count;
} last;

static const char *status_name(int32 status)
{
    switch (status) {
    case MKS_SOLUTION_STATUS_OPTIMAL:
        return "optimal";
    case MKS_SOLUTION_STATUS_FEASIBLE:
        return "feasible";
    case MKS_SOLUTION_STATUS_INFEASIBLE:
        return "infeasible";
    default:
        return "stopped";
    }
}

static const char *statistics_of(const mks_result *result)
{
    StringInfoData text;
    size_t count;
    initStringInfo(&text);
    mkspg_check(mks_result_statistic_count(result, &count));
    appendStringInfoChar(&text, '{');
    for (size_t index = 0; index < count; index++) {
        const char *name;
        uint64 value;
        mkspg_check(mks_result_statistic_name(result, index, &name));
        mkspg_check(mks_result_statistic(result, name, &value));
        appendStringInfoString(&text, index > 0 ? "," : "");
        escape_json(&text, name);
        appendStringInfo(&text, ":" UINT64_FORMAT, value);
    }
    appendStringInfoChar(&text, '}');
    return text.data;
}

static const char *copy(const char *text)
{
    return text == NULL ? NULL : pstrdup(text);
}

static void keep_stages(const mks_result *result)
{
    bool has_stages = last.summary.has_objective && !last.summary.is_real;
    last.stage_count = has_stages ? last.summary.stages : 0;
    if (last.stage_count == 1) {
        last.stages[0] = last.summary.objective;
    } else if (last.stage_count > 1) {
        mkspg_check(mks_flow_shop_values(result, last.stages, STAGES));
    }
}

static void keep(const mks_result *result)
{
    const char *problem, *method, *device, *fallback, *warning;
    if (last.memory == NULL) {
        last.memory =
            AllocSetContextCreate(TopMemoryContext, "makespan last solve", ALLOCSET_SMALL_SIZES);
    }
    last.problem = NULL;
    MemoryContextReset(last.memory);
    MemoryContext before = MemoryContextSwitchTo(last.memory);
    mkspg_check(mks_summary_init(&last.summary, sizeof last.summary));
    mkspg_check(mks_result_summary(result, &last.summary));
    keep_stages(result);
    mkspg_check(mks_result_problem(result, &problem));
    mkspg_check(mks_result_method(result, &method));
    mkspg_check(mks_result_device(result, &device));
    mkspg_check(mks_result_fallback(result, &fallback));
    mkspg_check(mks_result_warning(result, &warning));
    last.method = copy(method);
    last.device = copy(device);
    last.fallback = copy(fallback);
    last.warning = copy(warning);
    last.statistics = statistics_of(result);
    last.problem = copy(problem);
    MemoryContextSwitchTo(before);
}

/* What to do about a result without a plan. */
static const char *way_out(const mks_summary *summary)
{
    if (summary->has_bound) {
        return "makespan.last_solve() has the proved bound.";
    }
    return summary->status == MKS_SOLUTION_STATUS_INFEASIBLE
        ? "Change the values that allow no plan."
        : "Raise the limit that ended the solve.";
}

Verdict mkspg_verdict(const mks_result *result)
{
    keep(result);
    const mks_summary *summary = &last.summary;
    Verdict verdict = {
        {CStringGetTextDatum(status_name(summary->status)),
            summary->is_real ? Float8GetDatum(summary->objective_f64)
                             : Int64GetDatum(summary->objective),
            summary->is_real ? Float8GetDatum(summary->bound_f64) : Int64GetDatum(summary->bound)},
        {false, !summary->has_objective, !summary->has_bound},
        summary->status == MKS_SOLUTION_STATUS_OPTIMAL
            || summary->status == MKS_SOLUTION_STATUS_FEASIBLE,
    };
    if (last.warning != NULL) {
        ereport(WARNING, errmsg("%s", last.warning));
    }
    if (!verdict.has_solution) {
        ereport(NOTICE, errmsg("there is no plan: the status is %s", status_name(summary->status)),
            errhint("%s", way_out(summary)));
    }
    return verdict;
}

Verdict mkspg_without_objective(Verdict verdict)
{
    last.summary.has_objective = last.summary.has_bound = 0;
    last.stage_count = 0;
    verdict.nulls[VERDICT_OBJECTIVE] = verdict.nulls[VERDICT_BOUND] = true;
    return verdict;
}

void mkspg_put_row(const Verdict *verdict, Datum *values, bool *nulls, int first, ReturnSetInfo *to)
{
    CHECK_FOR_INTERRUPTS();
    for (int index = 0; index < VERDICT_WIDTH; index++) {
        values[first + index] = verdict->values[index];
        nulls[first + index] = verdict->nulls[index];
    }
    tuplestore_putvalues(to->setResult, to->setDesc, values, nulls);
}

static Datum stages(void)
{
    Datum values[STAGES];
    for (size_t index = 0; index < last.stage_count; index++) {
        values[index] = Int64GetDatum(last.stages[index]);
    }
    return PointerGetDatum(construct_array(
        values, (int)last.stage_count, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

static void put_text(Datum *value, bool *is_null, const char *text)
{
    *is_null = text == NULL;
    if (text != NULL) {
        *value = CStringGetTextDatum(text);
    }
}

Datum makespan_last_solve(PG_FUNCTION_ARGS)
{
    enum { WIDTH = 16 };
    TupleDesc descriptor;
    Datum values[WIDTH] = {0};
    bool nulls[WIDTH] = {false};
    const mks_summary *summary = &last.summary;
    if (last.problem == NULL) {
        PG_RETURN_NULL();
    }
    if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE) {
        elog(ERROR, "makespan.last_solve() returns a row");
    }
    put_text(&values[0], &nulls[0], last.problem);
    put_text(&values[1], &nulls[1], last.method);
    put_text(&values[2], &nulls[2], status_name(summary->status));
    values[3] = Int64GetDatum(summary->objective);
    nulls[3] = !summary->has_objective || summary->is_real;
    values[4] = Int64GetDatum(summary->bound);
    nulls[4] = !summary->has_bound || summary->is_real;
    values[5] = stages();
    values[6] = BoolGetDatum(summary->interrupted != 0);
    values[7] = Float8GetDatum(summary->seconds);
    values[8] = Float8GetDatum(summary->setup_seconds);
    put_text(&values[9], &nulls[9], summary->engine == MKS_ENGINE_CPU ? "cpu" : "device");
    put_text(&values[10], &nulls[10], last.device);
    put_text(&values[11], &nulls[11], last.fallback);
    put_text(&values[12], &nulls[12], last.warning);
    values[13] = DirectFunctionCall1(jsonb_in, CStringGetDatum(last.statistics));
    values[14] = Float8GetDatum(summary->objective_f64);
    nulls[14] = !summary->has_objective || !summary->is_real;
    values[15] = Float8GetDatum(summary->bound_f64);
    nulls[15] = !summary->has_bound || !summary->is_real;
    return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls));
}
