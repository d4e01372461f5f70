/* Multidimensional knapsack: every function, in right use. */
#include "check.h"
#include <math.h>

enum { ITEMS = 3, DIMENSIONS = 2 };

static const uint64_t PROFITS[ITEMS] = {10, 7, 4};
static const uint64_t WEIGHTS[DIMENSIONS * ITEMS] = {6, 5, 3, 1, 4, 2};
static const uint64_t COPIES[ITEMS] = {1, 2, UINT64_MAX};
static const uint64_t CAPACITIES[DIMENSIONS] = {12, 5};

static void check_instance(
    const mks_multidimensional_knapsack_instance *instance, const uint64_t *copies)
{
    size_t items = 0, dimensions = 0;
    uint64_t profits[ITEMS], weights[DIMENSIONS * ITEMS], found[ITEMS + 1] = {77, 77, 77, 77},
                                                                        capacities[DIMENSIONS];
    CHECK_OK(mks_multidimensional_knapsack_instance_items(instance, &items));
    CHECK_OK(mks_multidimensional_knapsack_instance_dimensions(instance, &dimensions));
    CHECK_OK(mks_multidimensional_knapsack_instance_profits(instance, profits, ITEMS));
    CHECK_OK(mks_multidimensional_knapsack_instance_weights(instance, weights, DIMENSIONS * ITEMS));
    CHECK_OK(mks_multidimensional_knapsack_instance_copies(instance, found, ITEMS + 1));
    CHECK_OK(mks_multidimensional_knapsack_instance_capacities(instance, capacities, DIMENSIONS));
    CHECK(items == ITEMS && dimensions == DIMENSIONS && found[ITEMS] == 77);
    CHECK(memcmp(profits, PROFITS, sizeof PROFITS) == 0
        && memcmp(weights, WEIGHTS, sizeof WEIGHTS) == 0);
    CHECK(memcmp(found, copies, ITEMS * sizeof *copies) == 0
        && memcmp(capacities, CAPACITIES, sizeof CAPACITIES) == 0);
}

/* Checks the solution against the objective, which it returns. */
static int64_t check_result(
    const mks_multidimensional_knapsack_instance *instance, const mks_result *result)
{
    const char *problem = NULL;
    uint64_t counts[ITEMS];
    int64_t profit = 0;
    const mks_summary summary = summary_of(result);
    CHECK_OK(mks_result_problem(result, &problem));
    CHECK_OK(mks_multidimensional_knapsack_counts(result, counts, ITEMS));
    for (size_t dimension = 0; dimension < DIMENSIONS; dimension++) {
        uint64_t weight = 0;
        for (size_t item = 0; item < ITEMS; item++) {
            weight += counts[item] * WEIGHTS[dimension * ITEMS + item];
        }
        CHECK(weight <= CAPACITIES[dimension]);
    }
    CHECK_OK(mks_multidimensional_knapsack_check(instance, counts, ITEMS, &profit));
    CHECK(strcmp(problem, "multidimensional_knapsack") == 0 && profit == summary.objective);
    CHECK(summary.bound >= summary.objective && summary.sense == MKS_SENSE_MAXIMISE);
    return summary.objective;
}

static int64_t solve(const mks_context *context,
    const mks_multidimensional_knapsack_instance *instance,
    const char *method)
{
    mks_result *result = NULL;
    SOLVED(mks_multidimensional_knapsack, context, instance,
        options_with("multidimensional_knapsack", "method", method, NULL), &result);
    const int64_t objective = check_result(instance, result);
    mks_result_free(result);
    return objective;
}

static void batch(
    const mks_context *context, mks_multidimensional_knapsack_instance *const instances[2])
{
    mks_result *results[2] = {NULL, NULL};
    CHECK_OK(mks_multidimensional_knapsack_solve_batch(context, instances, 2, NULL, results));
    for (size_t i = 0; i < 2; i++) {
        CHECK(check_result(instances[i], results[i]) == (i == 0 ? 18 : 17));
        mks_result_free(results[i]);
    }
}

static void fill(void)
{
    uint64_t counts[ITEMS];
    int64_t profit = 0, bound = 0;
    CHECK_OK(mks_multidimensional_knapsack_fill(
        PROFITS, WEIGHTS, ITEMS, CAPACITIES, DIMENSIONS, INFINITY, counts, &profit, &bound));
    CHECK(profit == 17 && bound == 17 && counts[0] == 1 && counts[1] == 1 && counts[2] == 0);
    CHECK_OK(mks_multidimensional_knapsack_fill(
        NULL, NULL, 0, CAPACITIES, DIMENSIONS, 60, NULL, &profit, &bound));
    CHECK(profit == 0 && bound == 0);
    /* Without dimensions, everything fits. */
    CHECK_OK(mks_multidimensional_knapsack_fill(
        PROFITS, NULL, ITEMS, NULL, 0, 60, counts, &profit, &bound));
    CHECK(profit == 21 && bound == 21);
}

int main(void)
{
    fill();
    static const uint64_t ones[ITEMS] = {1, 1, 1}, start[ITEMS] = {0, 1, 0};
    int64_t profit = 0;
    mks_context *context = cpu_context(2);
    mks_multidimensional_knapsack_instance *instances[2] = {NULL, NULL};
    CHECK_OK(mks_multidimensional_knapsack_instance_create(
        PROFITS, WEIGHTS, COPIES, ITEMS, CAPACITIES, DIMENSIONS, &instances[0]));
    check_instance(instances[0], COPIES);
    const char text[] = "3 2 17\n10 7 4\n6 5 3\n1 4 2\n12 5\nbeyond the length";
    CHECK_OK(mks_multidimensional_knapsack_instance_parse(
        text, strlen("3 2 17\n10 7 4\n6 5 3\n1 4 2\n12 5\n"), &instances[1]));
    check_instance(instances[1], ones);
    CHECK_OK(mks_multidimensional_knapsack_check(instances[1], start, ITEMS, &profit));
    CHECK(profit == 7);

    CHECK(solve(context, instances[0], "auto") == 18);
    CHECK(solve(context, instances[0], "branch-and-bound") == 18);
    CHECK(solve(context, instances[0], "dense") == 18);
    CHECK(solve(context, instances[0], "greedy") <= 18);
    CHECK(solve(context, instances[1], "auto") == 17);
    batch(context, instances);
    mks_multidimensional_knapsack_instance_free(instances[0]);
    mks_multidimensional_knapsack_instance_free(instances[1]);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}
