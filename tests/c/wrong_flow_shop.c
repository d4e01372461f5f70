/* Permutation flow shop: NULL, wrong arrays, texts, files, options and results. */
#include "check.h"
#include <math.h>

static const uint64_t TIMES[4] = {3, 2, 1, 4};

static void one_call(void)
{
    int64_t makespan = 77, bound = 77;
    uint32_t order[2] = {77, 77};
    REFUSED(mks_flow_shop(NULL, 2, 2, 60, order, &makespan, &bound), "times: is NULL");
    REFUSED(mks_flow_shop(TIMES, 2, 2, 60, NULL, &makespan, &bound), "permutation: is NULL");
    REFUSED(mks_flow_shop(TIMES, 2, 2, 60, order, NULL, &bound), "makespan: is NULL");
    REFUSED(mks_flow_shop(TIMES, 2, 2, 60, order, &makespan, NULL), "bound: is NULL");
    REFUSED(mks_flow_shop(TIMES, SIZE_MAX, 2, 60, order, &makespan, &bound), "times");
    REFUSED(mks_flow_shop(TIMES, 0, 2, 60, order, &makespan, &bound), "jobs: must be at least 1");
    REFUSED(
        mks_flow_shop(TIMES, 2, 0, 60, order, &makespan, &bound), "machines: must be at least 1");
    REFUSED(mks_flow_shop(TIMES, 2, 2, -1, order, &makespan, &bound), "time_limit_seconds: -1");
    REFUSED(mks_flow_shop(TIMES, 2, 2, (double)NAN, order, &makespan, &bound),
        "time_limit_seconds: NaN");
    CHECK(order[0] == 77 && order[1] == 77 && makespan == 77 && bound == 77);
}

static void instances(void)
{
    mks_flow_shop_instance *made = NULL;
    const uint64_t huge[1] = {UINT32_MAX}, beyond[1] = {UINT64_MAX};
    REFUSED(mks_flow_shop_instance_create(NULL, 2, 2, &made), "times: is NULL");
    REFUSED(mks_flow_shop_instance_create(TIMES, 2, 2, NULL), "instance: is NULL");
    REFUSED(
        mks_flow_shop_instance_create(huge, 1, 1, &made), "times: schedules might last 8589934590");
    REFUSED(mks_flow_shop_instance_create(beyond, 1, 1, &made),
        "times[0]: is 18446744073709551615, 2^32 or more");
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
    uint64_t times[4] = {77};
    const uint64_t late[2] = {0, UINT32_MAX};
    const uint32_t twice[2] = {1, 1};
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
    REFUSED(mks_flow_shop_check(NULL, twice, 2, &makespan), "instance: is NULL");
    REFUSED(mks_flow_shop_check(instance, NULL, 2, &makespan), "permutation: is NULL");
    REFUSED(
        mks_flow_shop_check(instance, twice, 1, &makespan), "permutation: 1 positions for 2 jobs");
    REFUSED(mks_flow_shop_check(instance, twice, 2, &makespan),
        "permutation[1]: job 1 stands at position 0");
    REFUSED(mks_flow_shop_check(instance, twice, 2, NULL), "makespan: is NULL");
    CHECK(made == NULL && count == 77 && times[0] == 77 && makespan == 77);
}

/* Values that an option does not take. */
static const struct {
    const char *name, *value, *words;
} WRONG_VALUES[] = {
    {"method", "simplex", "method: must be one of auto, neh, branch-and-bound, beam, "},
    {"bound", "lb3", "bound: must be one of lb1, lb2, lb1-lb2, not \"lb3\""},
    {"branching", "", "branching: must be one of min-branch, "},
    {"exploration", "3", "exploration: must be one of on-device, host-pool, tree-pool"},
    {"pool_placement", "-1", "pool_placement: must be one of auto, "},
    {"neighbourhood", "7", "neighbourhood: must be one of insertion, swap"},
    {"evaluation", "7", "evaluation: must be one of full, stored, prefix, "},
    {"tabu_list", "2", "tabu_list: must be one of attributes, sequences"},
    {"local_columns", "2", "local_columns: must be true or false, not \"2\""},
    {"tenure", "0", "tenure: must be from 1 to 4096, not 0"},
    {"tenure", "4097", "tenure: must be from 1 to 4096, not 4097"},
    {"tenure", "auto", "tenure: must be a whole number"},
    {"trajectories", "65537", "trajectories: must be from 1 to 65536, not 65537"},
    {"beam_width", "0", "beam_width: must be at least 1, not 0"},
    {"pool_size", "0", "pool_size: must be from 1 to "},
    {"pool_budget", "4097", "pool_budget: must be from 1 to 4096, not 4097"},
    {"upper_bound", "-1", "upper_bound: must be a whole number"},
    {"checkpoint", "", "checkpoint: is empty"},
    {"checkpoint_interval", "-1", "checkpoint_interval: must be 0 or more, not -1"},
    {"start", "0 x", "start: \"x\" is not a whole number that fits"},
};

/* Options that do not fit the method, each other or the instance of two jobs. */
static const struct {
    const char *first, *first_value, *second, *second_value, *words;
} WRONG_PAIRS[] = {
    {"method", "auto", "checkpoint", "x", "checkpoint: applies only to branch-and-bound"},
    {"method", "auto", "tenure", "9", "tenure: applies only to tabu"},
    {"method", "branch-and-bound", "checkpoint", __FILE__, "is no checkpoint"},
    {"method", "branch-and-bound", "pool_sorted", "false",
        "exploration: is neither host-pool nor tree-pool"},
    {"method", "auto", "start", "1 1 0", "start: 3 positions for 2 jobs"},
    {"method", "auto", "start", "1 1", "start[1]: job 1 stands at position 0"},
    {"method", "auto", "start", "", "start: 0 positions for 2 jobs"},
    {"method", "auto", "start", "0 2", "start[1]: there is no job 2"},
    {"method", "auto", "iteration_limit", "0", "iteration_limit: must be at least 1"},
    {"method", "beam", "iteration_limit", "0", "iteration_limit: must be at least 1"},
    {"method", "iterated-greedy", "iteration_limit", "0", "iteration_limit: must be at least 1"},
    {"method", "tabu", "iteration_limit", "0", "iteration_limit: must be at least 1"},
};

static void options(const mks_context *context, const mks_flow_shop_instance *instance)
{
    mks_options *unchanged = options_with("flow_shop", NULL);
    REFUSED_SOLVES(mks_flow_shop, context, instance);
    for (size_t i = 0; i < sizeof WRONG_VALUES / sizeof *WRONG_VALUES; i++) {
        check_refusal(
            unchanged, WRONG_VALUES[i].name, WRONG_VALUES[i].value, WRONG_VALUES[i].words);
    }
    mks_options_free(unchanged);
    for (size_t i = 0; i < sizeof WRONG_PAIRS / sizeof *WRONG_PAIRS; i++) {
        SOLVE_REFUSED(mks_flow_shop, context, instance,
            options_with("flow_shop", WRONG_PAIRS[i].first, WRONG_PAIRS[i].first_value,
                WRONG_PAIRS[i].second, WRONG_PAIRS[i].second_value, NULL),
            WRONG_PAIRS[i].words);
    }
    SOLVE_FAILS(mks_flow_shop, context, instance,
        options_with("flow_shop", "method", "branch-and-bound", "checkpoint", "missing/x", NULL),
        MKS_STATUS_IO, "missing/x");
}

static void engines(const mks_context *context, const mks_flow_shop_instance *instance)
{
    static const char *const WITHOUT_KERNELS[2] = {"neh", "iterated-greedy"};
    for (size_t i = 0; i < 2; i++) {
        SOLVE_FAILS(mks_flow_shop, context, instance,
            options_with("flow_shop", "method", WITHOUT_KERNELS[i], "engine", "device", NULL),
            MKS_STATUS_UNSUPPORTED, "on a device");
    }
}

/* An instance that its heuristic does not solve. */
static void memory(const mks_context *context)
{
    mks_flow_shop_instance *instance = NULL;
    CHECK_OK(mks_flow_shop_instance_named("ta001", &instance));
    SOLVE_FAILS(mks_flow_shop, context, instance,
        options_with(
            "flow_shop", "method", "tabu", "trajectories", "1000", "memory_limit", "100000", NULL),
        MKS_STATUS_OUT_OF_MEMORY, "1000 trajectories of tabu search needs ");
    SOLVE_FAILS(mks_flow_shop, context, instance,
        options_with("flow_shop", "method", "iterated-greedy", "trajectories", "1000",
            "memory_limit", "100000", NULL),
        MKS_STATUS_OUT_OF_MEMORY, "heads and tails of the trajectories needs ");
    SOLVE_FAILS(mks_flow_shop, context, instance,
        options_with("flow_shop", "method", "beam", "memory_limit", "900", NULL),
        MKS_STATUS_OUT_OF_MEMORY, "a node of beam search needs ");
    mks_flow_shop_instance_free(instance);
}

static void result_functions(const mks_context *context, const mks_flow_shop_instance *instance)
{
    mks_result *result = NULL;
    uint32_t order[2] = {77, 77};
    uint64_t starts[4] = {77};
    CHECK_OK(mks_flow_shop_solve(context, instance, NULL, &result));
    REFUSED(mks_flow_shop_permutation(NULL, order, 2), "result: is NULL");
    REFUSED(mks_flow_shop_permutation(result, NULL, 2), "permutation: is NULL");
    REFUSED(mks_flow_shop_permutation(result, order, 1), "permutation: has room for 1");
    REFUSED(mks_flow_shop_starts(NULL, starts, 4), "result: is NULL");
    REFUSED(mks_flow_shop_starts(result, NULL, 4), "starts: is NULL");
    REFUSED(mks_flow_shop_starts(result, starts, 3), "starts: has room for 3");
    mks_result_free(result);

    mks_parallel_machines_instance *jobs = graham();
    CHECK_OK(mks_parallel_machines_solve(context, jobs, NULL, &result));
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
    engines(context, instance);
    memory(context);
    result_functions(context, instance);
    mks_flow_shop_instance_free(instance);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}
