/* Single machines: NULL, wrong arrays, texts, files, options and results. */
#include "check.h"

static const uint64_t TIMES[2] = {3, 1};
static const uint64_t WEIGHTS[2] = {1, 4};

static void one_call(void)
{
    int64_t cost = 77, bound = 77;
    uint32_t order[2] = {77, 77};
    REFUSED(mks_single_machine(NULL, WEIGHTS, 2, 60, order, &cost, &bound), "times: is NULL");
    REFUSED(mks_single_machine(TIMES, NULL, 2, 60, order, &cost, &bound), "weights: is NULL");
    REFUSED(mks_single_machine(TIMES, WEIGHTS, 2, 60, NULL, &cost, &bound), "order: is NULL");
    REFUSED(mks_single_machine(TIMES, WEIGHTS, 2, 60, order, NULL, &bound), "cost: is NULL");
    REFUSED(mks_single_machine(TIMES, WEIGHTS, 2, 60, order, &cost, NULL), "bound: is NULL");
    REFUSED(mks_single_machine(TIMES, WEIGHTS, 2, -1, order, &cost, &bound), "time_limit_seconds");
    CHECK(order[0] == 77 && order[1] == 77 && cost == 77 && bound == 77);
}

static void instances(void)
{
    mks_single_machine_instance *made = NULL;
    const uint64_t zero[2] = {1, 0}, huge[2] = {UINT64_MAX, 1};
    REFUSED(mks_single_machine_instance_create(NULL, WEIGHTS, 2, &made), "times: is NULL");
    REFUSED(mks_single_machine_instance_create(TIMES, NULL, 2, &made), "weights: is NULL");
    REFUSED(mks_single_machine_instance_create(TIMES, WEIGHTS, 2, NULL), "instance: is NULL");
    REFUSED(mks_single_machine_instance_create(zero, WEIGHTS, 2, &made), "times[1]: must be");
    CHECK_FAILS(mks_single_machine_instance_create(huge, WEIGHTS, 2, &made), MKS_STATUS_OVERFLOW,
        "does not fit into 63 bits");
    CHECK_FAILS(mks_single_machine_instance_parse("1\n0 2", 5, &made), MKS_STATUS_PARSE, "line 2");
    CHECK_FAILS(mks_single_machine_instance_read(__FILE__, &made), MKS_STATUS_PARSE, "line 1");
    CHECK(made == NULL);
    REFUSED_SOURCES(mks_single_machine);
}

static void instance_functions(const mks_single_machine_instance *instance)
{
    size_t jobs = 77;
    uint64_t numbers[2] = {77, 77};
    REFUSED(mks_single_machine_instance_jobs(NULL, &jobs), "instance: is NULL");
    REFUSED(mks_single_machine_instance_jobs(instance, NULL), "jobs: is NULL");
    REFUSED(mks_single_machine_instance_times(NULL, numbers, 2), "instance: is NULL");
    REFUSED(mks_single_machine_instance_times(instance, NULL, 2), "times: is NULL");
    REFUSED(mks_single_machine_instance_times(instance, numbers, 1), "times: has room for 1");
    REFUSED(mks_single_machine_instance_weights(NULL, numbers, 2), "instance: is NULL");
    REFUSED(mks_single_machine_instance_weights(instance, NULL, 2), "weights: is NULL");
    REFUSED(mks_single_machine_instance_weights(instance, numbers, 1), "weights: has room for 1");
    CHECK(jobs == 77 && numbers[0] == 77 && numbers[1] == 77);
}

static void result_functions(
    const mks_context *context, const mks_single_machine_instance *instance)
{
    uint32_t order[2] = {77, 77};
    mks_result *result = NULL;
    CHECK_OK(mks_single_machine_solve(context, instance, NULL, &result));
    REFUSED(mks_single_machine_order(NULL, order, 2), "result: is NULL");
    REFUSED(mks_single_machine_order(result, NULL, 2), "order: is NULL");
    REFUSED(mks_single_machine_order(result, order, 1), "order: has room for 1");
    mks_result_free(result);

    mks_parallel_machines_instance *jobs = graham();
    CHECK_OK(mks_parallel_machines_solve(context, jobs, NULL, &result));
    REFUSED(mks_single_machine_order(result, order, 2), "result: is one of parallel_machines");
    CHECK(order[0] == 77 && order[1] == 77);
    mks_result_free(result);
    mks_parallel_machines_instance_free(jobs);
}

int main(void)
{
    mks_single_machine_instance_free(NULL);
    one_call();
    instances();
    mks_context *context = cpu_context(1);
    mks_single_machine_instance *instance = NULL;
    CHECK_OK(mks_single_machine_instance_create(TIMES, WEIGHTS, 2, &instance));
    instance_functions(instance);
    REFUSED_SOLVES(mks_single_machine, context, instance);
    result_functions(context, instance);
    mks_single_machine_instance_free(instance);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}
