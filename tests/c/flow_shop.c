/* Permutation flow shop: every function, in right use. */
#include "check.h"
#include <math.h>

enum { JOBS = 3, MACHINES = 2 };

/* Johnson's rule gives 1, 0, 2, which ends at 8. */
static const uint64_t TIMES[JOBS * MACHINES] = {3, 2, 1, 4, 2, 1};

static void check_instance(const mks_flow_shop_instance *instance)
{
    size_t jobs = 0, machines = 0;
    uint64_t times[JOBS * MACHINES];
    CHECK_OK(mks_flow_shop_instance_jobs(instance, &jobs));
    CHECK_OK(mks_flow_shop_instance_machines(instance, &machines));
    CHECK(jobs == JOBS && machines == MACHINES);
    CHECK_OK(mks_flow_shop_instance_times(instance, times, JOBS * MACHINES));
    CHECK(memcmp(times, TIMES, sizeof TIMES) == 0);
}

/* The makespan of a result, which its own schedule confirms. */
static int64_t check_result(const mks_flow_shop_instance *instance, const mks_result *result)
{
    uint32_t permutation[JOBS];
    uint64_t starts[JOBS * MACHINES];
    int64_t makespan = 0;
    CHECK_OK(mks_flow_shop_permutation(result, permutation, JOBS));
    CHECK_OK(mks_flow_shop_starts(result, starts, JOBS * MACHINES));
    CHECK_OK(mks_flow_shop_check(instance, permutation, JOBS, &makespan));
    const size_t last = permutation[JOBS - 1] * MACHINES + MACHINES - 1;
    CHECK(makespan == summary_of(result).objective);
    CHECK((int64_t)(starts[last] + TIMES[last]) == makespan);
    return makespan;
}

static int64_t solve(const mks_context *context,
    const mks_flow_shop_instance *instance,
    const char *method,
    const uint32_t *start)
{
    mks_result *result = NULL;
    mks_options *options = options_with("flow_shop", "method", method, NULL);
    if (start != NULL) {
        CHECK_OK(mks_options_set_list(options, "start", start, JOBS));
    }
    SOLVED(mks_flow_shop, context, instance, options, &result);
    const int64_t makespan = check_result(instance, result);
    mks_result_free(result);
    return makespan;
}

/* Tabu search with either list. */
static void tabu_lists(const mks_context *context, const mks_flow_shop_instance *instance)
{
    static const char *const LISTS[2] = {"attributes", "sequences"};
    mks_options *options =
        options_with("flow_shop", "method", "tabu", "neighbourhood", "swap", NULL);
    check_value(options, "tabu_list", "attributes");
    check_value(options, "tenure", "10");
    for (int i = 0; i < 2; i++) {
        mks_result *result = NULL;
        CHECK_OK(mks_options_set(options, "tabu_list", LISTS[i]));
        CHECK_OK(mks_flow_shop_solve(context, instance, options, &result));
        CHECK(check_result(instance, result) == 8);
        mks_result_free(result);
    }
    mks_options_free(options);
}

static void one_call(void)
{
    uint32_t permutation[JOBS];
    int64_t makespan = 0, bound = 0;
    CHECK_OK(mks_flow_shop(TIMES, JOBS, MACHINES, INFINITY, permutation, &makespan, &bound));
    CHECK(makespan == 8 && bound == 8 && permutation[0] == 1);
}

static void named(void)
{
    mks_flow_shop_instance *instance = NULL;
    size_t jobs = 0;
    CHECK_OK(mks_flow_shop_instance_named("ta021", &instance));
    CHECK_OK(mks_flow_shop_instance_jobs(instance, &jobs));
    CHECK(jobs == 20);
    mks_flow_shop_instance_free(instance);
}

/* No schedule is shorter than 8, and ones shorter than 3 are looked for: the result says that there
 * are none. */
static void no_better_than(const mks_context *context, const mks_flow_shop_instance *instance)
{
    mks_result *result = NULL;
    uint32_t permutation[JOBS];
    const char checkpoint[] = "flow_shop.checkpoint";
    mks_options *options = options_with("flow_shop", "method", "branch-and-bound", "bound", "lb2",
        "branching", "max-sum", "upper_bound", "3", "checkpoint", checkpoint, NULL);
    SOLVED(mks_flow_shop, context, instance, options, &result);
    const mks_summary summary = summary_of(result);
    CHECK(summary.status == MKS_SOLUTION_STATUS_INFEASIBLE);
    CHECK(summary.has_bound == 1 && summary.bound == 8);
    CHECK(summary.has_objective == 0 && summary.objective == 0);
    CHECK(isnan(summary.objective_f64) && isnan(summary.guarantee));
    CHECK(mks_flow_shop_permutation(result, permutation, JOBS) == MKS_STATUS_NOT_AVAILABLE);
    mks_result_free(result);
    CHECK(remove(checkpoint) == 0);
}

int main(void)
{
    one_call();
    named();
    mks_context *context = cpu_context(2);
    mks_flow_shop_instance *instance = NULL, *parsed = NULL, *late = NULL, *pinned = NULL;
    CHECK_OK(mks_flow_shop_instance_create(TIMES, JOBS, MACHINES, &instance));
    check_instance(instance);
    const char text[] = "3 2\n3 1 2\n2 4 1\nbeyond the length";
    CHECK_OK(mks_flow_shop_instance_parse(text, strlen("3 2\n3 1 2\n2 4 1\n"), &parsed));
    check_instance(parsed);
    mks_flow_shop_instance_free(parsed);

    const uint32_t start[JOBS] = {2, 0, 1};
    CHECK(solve(context, instance, "auto", NULL) == 8);
    CHECK(solve(context, instance, "neh", start) == 8);
    CHECK(solve(context, instance, "branch-and-bound", NULL) == 8);
    CHECK(solve(context, instance, "beam", NULL) == 8);
    CHECK(solve(context, instance, "iterated-greedy", start) == 8);
    CHECK(solve(context, instance, "tabu", start) == 8);
    tabu_lists(context, instance);

    no_better_than(context, instance);
    const uint64_t ready_times[MACHINES] = {0, 9};
    const uint32_t first[1] = {2};
    CHECK_OK(mks_flow_shop_instance_with_ready_times(instance, ready_times, MACHINES, &late));
    CHECK(solve(context, late, "auto", NULL) == 16);
    CHECK_OK(mks_flow_shop_instance_with_pinned(instance, first, 1, &pinned));
    CHECK(solve(context, pinned, "auto", NULL) == 9);
    mks_flow_shop_instance_free(late);
    mks_flow_shop_instance_free(pinned);

    /* Everything by default; a result needs neither context nor instance. */
    mks_result *result = NULL;
    CHECK_OK(mks_flow_shop_solve(context, instance, NULL, &result));
    CHECK(check_result(instance, result) == 8);
    mks_flow_shop_instance_free(instance);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    uint64_t starts[JOBS * MACHINES];
    CHECK_OK(mks_flow_shop_starts(result, starts, JOBS * MACHINES));
    mks_result_free(result);
    return 0;
}
