/* makespan.flow_shop() */
#include <postgres.h>

#include <makespan.h>
#include <utils/builtins.h>

#include "call.h"
#include "options.h"
#include "shop.h"
#include "solve.h"
#include "status.h"
#include "verdict.h"

PG_FUNCTION_INFO_V1(makespan_flow_shop);

enum { OPERATIONS, JOBS, MACHINES, SETUPS, OBJECTIVE, BLOCKING, OPTIONS };

static void free_instance(void *instance)
{
    mks_flow_shop_instance_free(instance);
}

static mks_status solve(const mks_context *context,
    const void *instance,
    const mks_options *options,
    mks_result **result)
{
    return mks_flow_shop_solve(context, instance, options, result);
}

static void set_model(FlowShop *shop, const char *objective, bool blocking)
{
    mks_flow_shop_instance *changed;
    if (blocking) {
        mkspg_check_argument(
            mks_flow_shop_instance_with_blocking(mkspg_flow_shop_instance(shop), &changed),
            "blocking");
        mkspg_replace(shop->handle, changed);
    }
    if (objective != NULL) {
        mkspg_check_argument(mks_flow_shop_instance_with_objective(
                                 mkspg_flow_shop_instance(shop), objective, &changed),
            "objective");
        mkspg_replace(shop->handle, changed);
    }
}

static FlowShop read_shop(FunctionCallInfo fcinfo)
{
    FlowShop shop = {0};
    const char *jobs = mkspg_optional_text(fcinfo, JOBS);
    shop.jobs = mkspg_labels("job");
    shop.machines = mkspg_labels("machine");
    shop.handle = mkspg_handle(free_instance);
    mkspg_read_operations(&shop, mkspg_text(fcinfo, OPERATIONS, "operations"));
    if (jobs != NULL) {
        mkspg_read_jobs(&shop, jobs);
    }
    mkspg_read_machines(&shop, mkspg_optional_text(fcinfo, MACHINES));
    mkspg_create_flow_shop(&shop);
    mkspg_apply_ready_times(&shop);
    mkspg_apply_setups(&shop, mkspg_optional_text(fcinfo, SETUPS));
    mkspg_apply_jobs(&shop);
    set_model(&shop, mkspg_optional_text(fcinfo, OBJECTIVE),
        !PG_ARGISNULL(BLOCKING) && PG_GETARG_BOOL(BLOCKING));
    return shop;
}

/* A row for each operation, in the order of the sequence and of the machines. */
static void put_plan(const FlowShop *shop, const mks_result *result, ReturnSetInfo *to)
{
    enum { JOB, MACHINE_NAME, PLACE, STARTS, ENDS, VERDICT, WIDTH = VERDICT + VERDICT_WIDTH };
    size_t jobs = shop->jobs->count, machines = shop->machines->count;
    Verdict verdict = mkspg_verdict(result);
    if (!verdict.has_solution) {
        return;
    }
    uint32 *sequence = mkspg_array(jobs, sizeof(uint32), "the jobs");
    uint64 *starts = mkspg_array(jobs * machines, sizeof(uint64), "the operations");
    mkspg_check(mks_flow_shop_permutation(result, sequence, jobs));
    mkspg_check(mks_flow_shop_starts(result, starts, jobs * machines));
    for (size_t row = 0; row < jobs * machines; row++) {
        Datum values[WIDTH];
        bool nulls[WIDTH] = {false};
        size_t job = sequence[row / machines], machine = row % machines;
        size_t operation = job * machines + machine;
        values[JOB] = mkspg_label_datum(shop->jobs, job);
        values[MACHINE_NAME] = mkspg_label_datum(shop->machines, machine);
        values[PLACE] = Int32GetDatum((int32)(row / machines) + 1);
        values[STARTS] = Int64GetDatum((int64)starts[operation]);
        values[ENDS] = Int64GetDatum((int64)(starts[operation] + shop->times[operation]));
        mkspg_put_row(&verdict, values, nulls, VERDICT, to);
        pfree(DatumGetPointer(values[JOB]));
        pfree(DatumGetPointer(values[MACHINE_NAME]));
    }
}

Datum makespan_flow_shop(PG_FUNCTION_ARGS)
{
    Call call = mkspg_begin(fcinfo);
    mks_options *options = mkspg_options("flow_shop", mkspg_optional_object(fcinfo, OPTIONS));
    FlowShop shop = read_shop(fcinfo);
    if (shop.start != NULL) {
        mkspg_set_start(options, shop.start, shop.jobs->count);
    }
    put_plan(&shop,
        mkspg_solve(solve, mkspg_flow_shop_instance(&shop), options, shop.jobs,
            shop.start != NULL ? "jobs" : "operations"),
        call.rows);
    return mkspg_end(&call);
}
