/* Permutation flow shop: NULL, wrong arrays, texts, files, options and results. */
#include "check.h"
#include <stddef.h>

static const uint32_t TIMES[4] = {3, 2, 1, 4};

static void one_call(void)
{
    int64_t makespan = 77, bound = 77;
    uint32_t order[2] = {77, 77};
    REFUSED(mks_flow_shop(NULL, 2, 2, order, &makespan, &bound), "times: is NULL");
    REFUSED(mks_flow_shop(TIMES, 2, 2, NULL, &makespan, &bound), "permutation: is NULL");
    REFUSED(mks_flow_shop(TIMES, 2, 2, order, NULL, &bound), "makespan: is NULL");
    REFUSED(mks_flow_shop(TIMES, 2, 2, order, &makespan, NULL), "bound: is NULL");
    REFUSED(mks_flow_shop(TIMES, SIZE_MAX, 2, order, &makespan, &bound), "times");
    REFUSED(mks_flow_shop(TIMES, 0, 2, order, &makespan, &bound), "jobs: must be at least 1");
    REFUSED(mks_flow_shop(TIMES, 2, 0, order, &makespan, &bound), "machines: must be at least 1");
    CHECK(order[0] == 77 && order[1] == 77 && makespan == 77 && bound == 77);
}

static void instances(void)
{
    mks_flow_shop_instance *made = NULL;
    const uint32_t huge[1] = {UINT32_MAX};
    REFUSED(mks_flow_shop_instance_create(NULL, 2, 2, &made), "times: is NULL");
    REFUSED(mks_flow_shop_instance_create(TIMES, 2, 2, NULL), "instance: is NULL");
    REFUSED(
        mks_flow_shop_instance_create(huge, 1, 1, &made), "times: schedules might last 8589934590");
    REFUSED_SOURCES(mks_flow_shop);
    REFUSED(mks_flow_shop_instance_parse("1 9\n\xff", 5, &made), "text[4]: is not UTF-8");
    CHECK_FAILS(mks_flow_shop_instance_parse("1 2 3\n4 5", 9, &made), MKS_STATUS_PARSE,
        "line 2: 2 numbers");
    CHECK_FAILS(mks_flow_shop_instance_parse("1 2 3\n4 5 -6", 12, &made), MKS_STATUS_PARSE,
        "-6 is negative");
    CHECK_FAILS(
        mks_flow_shop_instance_parse("", 0, &made), MKS_STATUS_PARSE, "line 1: the file is empty");
    CHECK_FAILS(mks_flow_shop_instance_read(__FILE__, &made), MKS_STATUS_PARSE, "line 1");
    REFUSED(mks_flow_shop_instance_named(NULL, &made), "name: is NULL");
    REFUSED(mks_flow_shop_instance_named("ta001", NULL), "instance: is NULL");
    REFUSED(mks_flow_shop_instance_named("ta121", &made), "name: is no known instance");
    CHECK(made == NULL);
}

static void instance_functions(const mks_flow_shop_instance *instance)
{
    mks_flow_shop_instance *made = NULL;
    size_t count = 77;
    int64_t makespan = 77;
    uint32_t times[4] = {77};
    const uint32_t late[2] = {0, UINT32_MAX}, twice[2] = {1, 1};
    REFUSED(mks_flow_shop_instance_jobs(NULL, &count), "instance: is NULL");
    REFUSED(mks_flow_shop_instance_jobs(instance, NULL), "jobs: is NULL");
    REFUSED(mks_flow_shop_instance_machines(NULL, &count), "instance: is NULL");
    REFUSED(mks_flow_shop_instance_machines(instance, NULL), "machines: is NULL");
    REFUSED(mks_flow_shop_instance_times(NULL, times, 4), "instance: is NULL");
    REFUSED(mks_flow_shop_instance_times(instance, NULL, 4), "times: is NULL");
    REFUSED(mks_flow_shop_instance_times(instance, times, 3), "times: has room for 3");
    REFUSED(mks_flow_shop_instance_with_ready_times(NULL, late, 2, &made), "instance: is NULL");
    REFUSED(
        mks_flow_shop_instance_with_ready_times(instance, NULL, 2, &made), "ready_times: is NULL");
    REFUSED(mks_flow_shop_instance_with_ready_times(instance, late, 1, &made),
        "ready_times: 1 ready times");
    REFUSED(mks_flow_shop_instance_with_ready_times(instance, late, 2, &made),
        "ready_times: schedules might last");
    REFUSED(mks_flow_shop_instance_with_ready_times(instance, late, 2, NULL), "changed: is NULL");
    REFUSED(mks_flow_shop_instance_with_pinned(NULL, twice, 1, &made), "instance: is NULL");
    REFUSED(mks_flow_shop_instance_with_pinned(instance, NULL, 1, &made), "pinned: is NULL");
    REFUSED(mks_flow_shop_instance_with_pinned(instance, twice, 2, &made),
        "pinned[1]: job 1 stands at position 0");
    REFUSED(mks_flow_shop_instance_with_pinned(instance, twice, 1, NULL), "changed: is NULL");
    REFUSED(mks_flow_shop_makespan(NULL, twice, 2, &makespan), "instance: is NULL");
    REFUSED(mks_flow_shop_makespan(instance, NULL, 2, &makespan), "permutation: is NULL");
    REFUSED(mks_flow_shop_makespan(instance, twice, 1, &makespan),
        "permutation: 1 positions for 2 jobs");
    REFUSED(mks_flow_shop_makespan(instance, twice, 2, &makespan),
        "permutation[1]: job 1 stands at position 0");
    REFUSED(mks_flow_shop_makespan(instance, twice, 2, NULL), "makespan: is NULL");
    CHECK(made == NULL && count == 77 && times[0] == 77 && makespan == 77);
}

/* Fields of 32 bits with values that they do not take. */
static const struct {
    size_t field;
    int32_t value;
    const char *refusal;
} WRONG_FIELDS[] = {
    {offsetof(mks_flow_shop_options, method), 99, "options.method: 99"},
    {offsetof(mks_flow_shop_options, bound), 3, "options.bound: 3"},
    {offsetof(mks_flow_shop_options, branching), 6, "options.branching: 6"},
    {offsetof(mks_flow_shop_options, search), 2, "options.search: 2"},
    {offsetof(mks_flow_shop_options, placement), -1, "options.placement: -1"},
    {offsetof(mks_flow_shop_options, neighbourhood), 7, "options.neighbourhood: 7"},
    {offsetof(mks_flow_shop_options, evaluation), 7, "options.evaluation: 7"},
    {offsetof(mks_flow_shop_options, local_columns), 2, "options.local_columns: 2"},
    {offsetof(mks_flow_shop_options, tabu_list), 2, "options.tabu_list: 2"},
    {offsetof(mks_flow_shop_options, tenure), 0, "tenure: must be at least 1"},
    {offsetof(mks_flow_shop_options, tenure), 4097, "tenure: must be at most 4096"},
    {offsetof(mks_flow_shop_options, reserved_number), 1, "options: a reserved field"},
};

static void options(const mks_context *context, const mks_flow_shop_instance *instance)
{
    mks_result *result = NULL;
    mks_flow_shop_options good, bad;
    const uint32_t start[2] = {0, 2};
    REFUSED_SOLVES(mks_flow_shop, context, instance);
    CHECK_OK(mks_flow_shop_options_init(&good, sizeof good));
    for (size_t i = 0; i < sizeof WRONG_FIELDS / sizeof WRONG_FIELDS[0]; i++) {
        bad = good;
        memcpy((char *)&bad + WRONG_FIELDS[i].field, &WRONG_FIELDS[i].value,
            sizeof WRONG_FIELDS[i].value);
        REFUSED(
            mks_flow_shop_solve(context, instance, &bad, NULL, &result), WRONG_FIELDS[i].refusal);
    }
    bad = good, bad.checkpoint = "x", bad.checkpoint_interval_seconds = -1;
    REFUSED(mks_flow_shop_solve(context, instance, &bad, NULL, &result),
        "options.checkpoint_interval_seconds");
    bad = good, bad.checkpoint = "x";
    REFUSED(mks_flow_shop_solve(context, instance, &bad, NULL, &result),
        "checkpoint: is for branch-and-bound alone");
    bad = good, bad.method = MKS_FLOW_SHOP_METHOD_BRANCH_AND_BOUND, bad.checkpoint = "missing/x";
    CHECK_FAILS(
        mks_flow_shop_solve(context, instance, &bad, NULL, &result), MKS_STATUS_IO, "missing/x");
    bad = good, bad.method = MKS_FLOW_SHOP_METHOD_BRANCH_AND_BOUND, bad.checkpoint = __FILE__;
    REFUSED(mks_flow_shop_solve(context, instance, &bad, NULL, &result), "is no checkpoint");
    bad = good, bad.method = MKS_FLOW_SHOP_METHOD_BRANCH_AND_BOUND,
    bad.search = MKS_FLOW_SHOP_SEARCH_HOST_POOL;
    bad.pool_size = 0;
    REFUSED(mks_flow_shop_solve(context, instance, &bad, NULL, &result), "pool_size: is 0");
    bad = good, bad.pool_unsorted = 1;
    REFUSED(mks_flow_shop_solve(context, instance, &bad, NULL, &result),
        "options.search: is not the host's pool");
    bad = good, bad.tenure = 9;
    REFUSED(
        mks_flow_shop_solve(context, instance, &bad, NULL, &result), "tenure: is for tabu alone");
    bad = good, bad.trajectories = 65537;
    REFUSED(mks_flow_shop_solve(context, instance, &bad, NULL, &result),
        "trajectories: must be at most 65536");
    const uint32_t twice[3] = {1, 1, 0};
    bad = good, bad.start = twice, bad.start_jobs = 3;
    REFUSED(mks_flow_shop_solve(context, instance, &bad, NULL, &result),
        "start: 3 positions for 2 jobs");
    bad.start_jobs = 2;
    REFUSED(mks_flow_shop_solve(context, instance, &bad, NULL, &result),
        "start[1]: job 1 stands at position 0");
    bad = good, bad.start_jobs = 2;
    REFUSED(mks_flow_shop_solve(context, instance, &bad, NULL, &result), "options.start: is NULL");
    bad = good, bad.start = start;
    REFUSED(mks_flow_shop_solve(context, instance, &bad, NULL, &result),
        "start: 0 positions for 2 jobs");
    bad.start_jobs = 2;
    REFUSED(
        mks_flow_shop_solve(context, instance, &bad, NULL, &result), "start[1]: there is no job 2");
    CHECK(result == NULL);
}

/* Options that a search refuses, with and without a device. */
static void limits_and_engines(const mks_context *context, const mks_flow_shop_instance *instance)
{
    static const int32_t SEARCHES[4] = {MKS_FLOW_SHOP_METHOD_AUTO, MKS_FLOW_SHOP_METHOD_BEAM,
        MKS_FLOW_SHOP_METHOD_ITERATED_GREEDY, MKS_FLOW_SHOP_METHOD_TABU};
    static const int32_t WITHOUT_KERNELS[2] = {
        MKS_FLOW_SHOP_METHOD_NEH, MKS_FLOW_SHOP_METHOD_ITERATED_GREEDY};
    mks_result *result = NULL;
    mks_flow_shop_options options;
    mks_solve_options good, bad;
    CHECK_OK(mks_flow_shop_options_init(&options, sizeof options));
    CHECK_OK(mks_solve_options_init(&good, sizeof good));
    for (size_t i = 0; i < 4; i++) {
        options.method = SEARCHES[i];
        bad = good, bad.iteration_limit = 0;
        REFUSED(mks_flow_shop_solve(context, instance, &options, &bad, &result),
            "iteration_limit: must be at least 1");
    }
    bad = good, bad.engine = MKS_ENGINE_DEVICE;
    for (size_t i = 0; i < 2; i++) {
        options.method = WITHOUT_KERNELS[i];
        CHECK_FAILS(mks_flow_shop_solve(context, instance, &options, &bad, &result),
            MKS_STATUS_UNSUPPORTED, "on a device");
    }
    CHECK(result == NULL);
}

/* An instance that its heuristic does not solve. */
static void memory(const mks_context *context)
{
    mks_result *result = NULL;
    mks_flow_shop_instance *instance = NULL;
    mks_flow_shop_options options;
    mks_solve_options limited;
    CHECK_OK(mks_flow_shop_instance_named("ta001", &instance));
    CHECK_OK(mks_flow_shop_options_init(&options, sizeof options));
    CHECK_OK(mks_solve_options_init(&limited, sizeof limited));
    limited.memory_limit_bytes = 100000;
    options.trajectories = 1000;
    options.method = MKS_FLOW_SHOP_METHOD_TABU;
    CHECK_FAILS(mks_flow_shop_solve(context, instance, &options, &limited, &result),
        MKS_STATUS_OUT_OF_MEMORY, "1000 trajectories of tabu search needs ");
    options.method = MKS_FLOW_SHOP_METHOD_ITERATED_GREEDY;
    CHECK_FAILS(mks_flow_shop_solve(context, instance, &options, &limited, &result),
        MKS_STATUS_OUT_OF_MEMORY, "heads and tails of the trajectories needs ");
    limited.memory_limit_bytes = 900;
    options.method = MKS_FLOW_SHOP_METHOD_BEAM;
    options.trajectories = 0;
    CHECK_FAILS(mks_flow_shop_solve(context, instance, &options, &limited, &result),
        MKS_STATUS_OUT_OF_MEMORY, "a node of beam search needs ");
    CHECK(result == NULL);
    mks_flow_shop_instance_free(instance);
}

static void result_functions(const mks_context *context, const mks_flow_shop_instance *instance)
{
    mks_result *result = NULL;
    uint32_t order[2] = {77, 77};
    uint64_t starts[4] = {77};
    CHECK_OK(mks_flow_shop_solve(context, instance, NULL, NULL, &result));
    REFUSED(mks_flow_shop_permutation(NULL, order, 2), "result: is NULL");
    REFUSED(mks_flow_shop_permutation(result, NULL, 2), "permutation: is NULL");
    REFUSED(mks_flow_shop_permutation(result, order, 1), "permutation: has room for 1");
    REFUSED(mks_flow_shop_starts(NULL, starts, 4), "result: is NULL");
    REFUSED(mks_flow_shop_starts(result, NULL, 4), "starts: is NULL");
    REFUSED(mks_flow_shop_starts(result, starts, 3), "starts: has room for 3");
    mks_result_free(result);

    mks_parallel_machines_instance *jobs = graham();
    CHECK_OK(mks_parallel_machines_solve(context, jobs, NULL, NULL, &result));
    REFUSED(mks_flow_shop_permutation(result, order, 2), "result: is one of parallel_machines");
    REFUSED(mks_flow_shop_starts(result, starts, 4), "result: is one of parallel_machines");
    CHECK(order[0] == 77 && starts[0] == 77);
    mks_result_free(result);
    mks_parallel_machines_instance_free(jobs);
}

int main(void)
{
    mks_flow_shop_instance_free(NULL);
    one_call();
    instances();
    mks_context *context = cpu_context(1);
    mks_flow_shop_instance *instance = NULL;
    CHECK_OK(mks_flow_shop_instance_create(TIMES, 2, 2, &instance));
    instance_functions(instance);
    options(context, instance);
    limits_and_engines(context, instance);
    memory(context);
    result_functions(context, instance);
    mks_flow_shop_instance_free(instance);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}
