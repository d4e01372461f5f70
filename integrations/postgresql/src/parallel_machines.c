/* makespan.parallel_machines() */
#include <postgres.h>

#include <fmgr.h>
#include <makespan.h>
#include <miscadmin.h>
#include <utils/builtins.h>

#include "call.h"
#include "handle.h"
#include "options.h"
#include "rows.h"
#include "solve.h"
#include "status.h"
#include "verdict.h"

PG_FUNCTION_INFO_V1(makespan_parallel_machines);
PG_FUNCTION_INFO_V1(makespan_parallel_machines_count);

/* The function's arguments. */
enum { JOBS, MACHINES, OPTIONS };

/* Columns of the argument "jobs". */
enum { JOB, DURATION, PINNED, START, JOB_WIDTH };

typedef struct ParallelMachines {
    Labels *jobs;
    Labels *machines;
    Rows rows;
    size_t *row_of; /* The row of each job. */
    uint64 *times;
    Handle *handle;
} ParallelMachines;

static void free_instance(void *instance)
{
    mks_parallel_machines_instance_free(instance);
}

static mks_status solve(const mks_context *context,
    const void *instance,
    const mks_options *options,
    mks_result **result)
{
    return mks_parallel_machines_solve(context, instance, options, result);
}

static Labels *named_machines(const char *query)
{
    enum { NAME, WIDTH };
    Labels *machines = mkspg_labels("machine");
    const Column columns[WIDTH] = {[NAME] = NEW_LABEL("machine", REQUIRED, machines)};
    Rows rows = mkspg_read_rows("machines", query, columns, WIDTH);
    mkspg_renumber_column(&rows, NAME, mkspg_sort_labels(machines));
    (void)mkspg_row_of_each(&rows, NAME);
    return machines;
}

/* Machines that are named by their numbers from 1. */
static Labels *numbered_machines(uint64 count)
{
    Labels *machines = mkspg_labels("machine");
    if (count == 0 || count > PG_INT32_MAX) {
        ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
            errmsg("argument \"machines\" is " UINT64_FORMAT, count),
            errdetail("There is at least one machine, and at most %d.", PG_INT32_MAX),
            errhint("Give the number of machines, or a query that names them."),
            errcontext("argument \"machines\""));
    }
    for (uint64 number = 1; number <= count; number++) {
        if (number % 1024 == 0) {
            CHECK_FOR_INTERRUPTS();
            mkspg_limit_memory(CurrentMemoryContext, 0, "the machines");
        }
        char text[MAXINT8LEN + 1];
        pg_lltoa((int64)number, text);
        (void)mkspg_add_label(machines, text, Int32GetDatum((int32)number), INT4OID, InvalidOid);
    }
    return machines;
}

static void read_jobs(ParallelMachines *plan, const char *query)
{
    const char *source = "argument \"machines\"";
    const Column columns[JOB_WIDTH] = {
        [JOB] = NEW_LABEL("job", REQUIRED, plan->jobs),
        [DURATION] = AMOUNT("duration", REQUIRED),
        [PINNED] = KNOWN_LABEL("pinned", NULLABLE, plan->machines, source),
        [START] = KNOWN_LABEL("start", NULLABLE, plan->machines, source),
    };
    plan->rows = mkspg_read_rows("jobs", query, columns, JOB_WIDTH);
    mkspg_renumber_column(&plan->rows, JOB, mkspg_sort_labels(plan->jobs));
    plan->row_of = mkspg_row_of_each(&plan->rows, JOB);
}

/* Jobs whose machine is given by a column, and these machines. Returns how many there are. */
static size_t machines_of(const ParallelMachines *plan, int column, uint32 *jobs, uint32 *machines)
{
    size_t count = 0;
    for (size_t job = 0; job < plan->jobs->count; job++) {
        Cell machine = mkspg_cell(&plan->rows, plan->row_of[job], column);
        if (!machine.is_null) {
            jobs[count] = (uint32)job;
            machines[count++] = (uint32)machine.number;
        }
    }
    return count;
}

static void create(ParallelMachines *plan)
{
    size_t jobs = plan->jobs->count;
    mks_parallel_machines_instance *instance;
    plan->times = mkspg_array(jobs, sizeof(uint64), "the jobs");
    for (size_t job = 0; job < jobs; job++) {
        plan->times[job] = (uint64)mkspg_cell(&plan->rows, plan->row_of[job], DURATION).number;
    }
    mkspg_check_query(
        mks_parallel_machines_instance_create(plan->times, jobs, plan->machines->count, &instance),
        "jobs", plan->jobs);
    mkspg_replace(plan->handle, instance);
}

static void pin(ParallelMachines *plan)
{
    uint32 *jobs = mkspg_array(plan->jobs->count, sizeof(uint32), "the jobs");
    uint32 *machines = mkspg_array(plan->jobs->count, sizeof(uint32), "the jobs");
    size_t count = machines_of(plan, PINNED, jobs, machines);
    mks_parallel_machines_instance *changed;
    if (count > 0) {
        mkspg_check_query(mks_parallel_machines_instance_with_pinned(
                              plan->handle->pointer, jobs, machines, count, &changed),
            "jobs", NULL);
        mkspg_replace(plan->handle, changed);
    }
}

static void set_start(const ParallelMachines *plan, mks_options *options)
{
    uint32 *jobs = mkspg_array(plan->jobs->count, sizeof(uint32), "the jobs");
    uint32 *machines = mkspg_array(plan->jobs->count, sizeof(uint32), "the jobs");
    size_t count = machines_of(plan, START, jobs, machines);
    if (count == plan->jobs->count) {
        mkspg_set_start(options, machines, count);
    } else if (count > 0) {
        ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
            errmsg("column \"start\" is null in some rows"),
            errdetail("%zu of %u jobs have a machine to start from.", count, plan->jobs->count),
            errhint("Give all jobs a machine, or none."), errcontext("query in argument \"jobs\""));
    }
}

/* A row for each job, in the order of its number. */
static void put_plan(const ParallelMachines *plan, const mks_result *result, ReturnSetInfo *to)
{
    enum { NAME, MACHINE, STARTS, ENDS, VERDICT, WIDTH = VERDICT + VERDICT_WIDTH };
    size_t jobs = plan->jobs->count;
    Verdict verdict = mkspg_verdict(result);
    if (!verdict.has_solution) {
        return;
    }
    uint32 *machine_of = mkspg_array(jobs, sizeof(uint32), "the jobs");
    uint64 *starts = mkspg_array(jobs, sizeof(uint64), "the jobs");
    mkspg_check(mks_parallel_machines_assignment(result, machine_of, jobs));
    mkspg_check(mks_parallel_machines_starts(result, starts, jobs));
    for (size_t job = 0; job < jobs; job++) {
        Datum values[WIDTH];
        bool nulls[WIDTH] = {false};
        values[NAME] = mkspg_label_datum(plan->jobs, job);
        values[MACHINE] = mkspg_label_datum(plan->machines, machine_of[job]);
        values[STARTS] = Int64GetDatum((int64)starts[job]);
        values[ENDS] = Int64GetDatum((int64)(starts[job] + plan->times[job]));
        mkspg_put_row(&verdict, values, nulls, VERDICT, to);
        pfree(DatumGetPointer(values[NAME]));
        pfree(DatumGetPointer(values[MACHINE]));
    }
}

static void plan_jobs(FunctionCallInfo fcinfo, Labels *machines, ReturnSetInfo *rows)
{
    ParallelMachines plan = {0};
    mks_options *options =
        mkspg_options("parallel_machines", mkspg_optional_object(fcinfo, OPTIONS));
    plan.jobs = mkspg_labels("job");
    plan.machines = machines;
    plan.handle = mkspg_handle(free_instance);
    read_jobs(&plan, mkspg_text(fcinfo, JOBS, "jobs"));
    create(&plan);
    pin(&plan);
    set_start(&plan, options);
    put_plan(&plan, mkspg_solve(solve, plan.handle->pointer, options, plan.jobs, "jobs"), rows);
}

Datum makespan_parallel_machines(PG_FUNCTION_ARGS)
{
    Call call = mkspg_begin(fcinfo);
    plan_jobs(fcinfo, named_machines(mkspg_text(fcinfo, MACHINES, "machines")), call.rows);
    return mkspg_end(&call);
}

Datum makespan_parallel_machines_count(PG_FUNCTION_ARGS)
{
    Call call = mkspg_begin(fcinfo);
    plan_jobs(fcinfo, numbered_machines(mkspg_amount(fcinfo, MACHINES, "machines")), call.rows);
    return mkspg_end(&call);
}
