/* Single machines: every function, in right use. */
#include "check.h"

enum { JOBS = 5 };

static const uint64_t TIMES[JOBS] = {3, 1, 2, 8, 5};
static const uint64_t WEIGHTS[JOBS] = {1, 4, 2, 3, 10};
static const uint32_t ORDER[JOBS] = {1, 4, 2, 3, 0};

static void one_call(void)
{
    uint32_t order[JOBS];
    int64_t cost = 77, bound = 77;
    CHECK_OK(mks_single_machine(TIMES, WEIGHTS, JOBS, 60, order, &cost, &bound));
    CHECK(cost == 147 && bound == 147 && memcmp(order, ORDER, sizeof ORDER) == 0);
    CHECK_OK(mks_single_machine(NULL, NULL, 0, 60, NULL, &cost, &bound));
    CHECK(cost == 0 && bound == 0);
}

static void check_instance(const mks_single_machine_instance *instance)
{
    size_t jobs = 0;
    uint64_t times[JOBS], weights[JOBS + 1] = {77, 77, 77, 77, 77, 77};
    CHECK_OK(mks_single_machine_instance_jobs(instance, &jobs));
    CHECK_OK(mks_single_machine_instance_times(instance, times, JOBS));
    CHECK_OK(mks_single_machine_instance_weights(instance, weights, JOBS + 1));
    CHECK(jobs == JOBS && weights[JOBS] == 77);
    CHECK(memcmp(times, TIMES, sizeof TIMES) == 0);
    CHECK(memcmp(weights, WEIGHTS, sizeof WEIGHTS) == 0);
}

int main(void)
{
    one_call();
    mks_context *context = cpu_context(1);
    mks_single_machine_instance *instance = NULL, *parsed = NULL;
    CHECK_OK(mks_single_machine_instance_create(TIMES, WEIGHTS, JOBS, &instance));
    check_instance(instance);
    const char text[] = "5\n3 1\n1 4\n2 2\n8 3\n5 10\n";
    CHECK_OK(mks_single_machine_instance_parse(text, strlen(text), &parsed));
    check_instance(parsed);
    mks_single_machine_instance_free(parsed);

    mks_result *result = NULL;
    SOLVED(mks_single_machine, context, instance,
        options_with("single_machine", "time_limit", "60", NULL), &result);
    /* A result needs neither context nor instance. */
    mks_single_machine_instance_free(instance);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    const char *problem = NULL;
    uint32_t order[JOBS];
    CHECK_OK(mks_result_problem(result, &problem));
    CHECK_OK(mks_single_machine_order(result, order, JOBS));
    const mks_summary summary = summary_of(result);
    CHECK(strcmp(problem, "single_machine") == 0);
    CHECK(summary.status == MKS_SOLUTION_STATUS_OPTIMAL);
    CHECK(summary.objective == 147 && memcmp(order, ORDER, sizeof ORDER) == 0);
    mks_result_free(result);
    return 0;
}
