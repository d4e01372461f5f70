/* Knapsack: every function, in right use. */
#include "check.h"
#include <math.h>

enum { ITEMS = 3, CAPACITY = 10 };

static const uint64_t PROFITS[ITEMS] = {10, 7, 4};
static const uint64_t WEIGHTS[ITEMS] = {6, 5, 3};
static const uint64_t COPIES[ITEMS] = {1, 2, UINT64_MAX};

static void check_instance(const mks_knapsack_instance *instance)
{
    size_t items = 0;
    uint64_t capacity = 0, profits[ITEMS], weights[ITEMS], copies[ITEMS + 1] = {77, 77, 77, 77};
    CHECK_OK(mks_knapsack_instance_items(instance, &items));
    CHECK_OK(mks_knapsack_instance_capacity(instance, &capacity));
    CHECK_OK(mks_knapsack_instance_profits(instance, profits, ITEMS));
    CHECK_OK(mks_knapsack_instance_weights(instance, weights, ITEMS));
    CHECK_OK(mks_knapsack_instance_copies(instance, copies, ITEMS + 1));
    CHECK(items == ITEMS && capacity == CAPACITY && copies[ITEMS] == 77);
    CHECK(memcmp(profits, PROFITS, sizeof PROFITS) == 0
        && memcmp(weights, WEIGHTS, sizeof WEIGHTS) == 0);
    CHECK(memcmp(copies, COPIES, sizeof COPIES) == 0);
}

/* Checks the solution against the objective, which it returns. */
static int64_t check_result(const mks_result *result)
{
    const char *problem = NULL;
    uint64_t counts[ITEMS], profit = 0, weight = 0;
    const mks_summary summary = summary_of(result);
    CHECK_OK(mks_result_problem(result, &problem));
    CHECK_OK(mks_knapsack_counts(result, counts, ITEMS));
    for (size_t item = 0; item < ITEMS; item++) {
        CHECK(counts[item] <= COPIES[item]);
        profit += counts[item] * PROFITS[item];
        weight += counts[item] * WEIGHTS[item];
    }
    CHECK(strcmp(problem, "knapsack") == 0 && weight <= CAPACITY);
    CHECK((int64_t)profit == summary.objective && summary.bound >= summary.objective);
    CHECK(summary.sense == MKS_SENSE_MAXIMISE);
    return summary.objective;
}

static int64_t solve(
    const mks_context *context, const mks_knapsack_instance *instance, const char *method)
{
    mks_result *result = NULL;
    SOLVED(
        mks_knapsack, context, instance, options_with("knapsack", "method", method, NULL), &result);
    const int64_t objective = check_result(result);
    mks_result_free(result);
    return objective;
}

static void profile(const mks_context *context, const mks_knapsack_instance *instance)
{
    static const uint64_t expected[CAPACITY + 1] = {0, 0, 0, 4, 4, 7, 10, 10, 11, 14, 14};
    const uint64_t *values = NULL;
    size_t count = 0;
    mks_result *result = NULL;
    CHECK_OK(mks_knapsack_profile(context, instance, NULL, &result));
    CHECK_OK(mks_knapsack_profile_view(result, &values, &count));
    CHECK(count == CAPACITY + 1 && memcmp(values, expected, sizeof expected) == 0);
    mks_result_free(result);
}

static void batch(const mks_context *context, const mks_knapsack_instance *instance)
{
    /* The last one wants nothing. */
    static const uint64_t profits[3 * ITEMS] = {10, 7, 4, 1, 1, 9, 0, 0, 0};
    static const uint64_t expected[3] = {14, 27, 0};
    const uint64_t *best = NULL, *counts = NULL;
    size_t knapsacks = 0, numbers = 0;
    const char *problem = NULL;
    mks_result *result = NULL;
    CHECK_OK(mks_knapsack_solve_profits(context, instance, profits, 3, NULL, &result));
    CHECK_OK(mks_result_problem(result, &problem));
    CHECK_OK(mks_knapsack_batch_profits_view(result, &best, &knapsacks));
    CHECK_OK(mks_knapsack_batch_counts_view(result, &counts, &numbers));
    CHECK(knapsacks == 3 && numbers == 3 * ITEMS);
    CHECK(strcmp(problem, "knapsack_batch") == 0 && summary_of(result).objective == 41
        && memcmp(best, expected, sizeof expected) == 0);
    for (size_t one = 0; one < 3; one++) {
        uint64_t profit = 0, weight = 0;
        for (size_t item = 0; item < ITEMS; item++) {
            profit += counts[one * ITEMS + item] * profits[one * ITEMS + item];
            weight += counts[one * ITEMS + item] * WEIGHTS[item];
        }
        CHECK(profit == best[one] && weight <= CAPACITY);
    }
    mks_result_free(result);
}

static void batch_edges(const mks_context *context, const mks_knapsack_instance *instance)
{
    static const uint64_t profits[2 * ITEMS] = {10, 7, 4, 1, 1, 9};
    const uint64_t *best = NULL;
    size_t count = 0;
    mks_result *result = NULL;
    mks_options *few = options_with("knapsack", "iteration_limit", "1", NULL);
    CHECK_OK(mks_knapsack_solve_profits(context, instance, profits, 2, few, &result));
    mks_options_free(few);
    const mks_summary summary = summary_of(result);
    CHECK(summary.status == MKS_SOLUTION_STATUS_STOPPED && summary.interrupted == 1);
    CHECK(summary.has_objective == 0 && summary.has_bound == 0);
    CHECK_FAILS(
        mks_knapsack_batch_profits_view(result, &best, &count), MKS_STATUS_NOT_AVAILABLE, "");
    mks_result_free(result);

    static const uint64_t large[2 * ITEMS] = {10, 7, 4, UINT64_MAX, 1, 9};
    result = NULL;
    REFUSED(mks_knapsack_solve_profits(context, instance, large, 2, NULL, &result),
        "profits[3]: instance 1 has");
    CHECK(result == NULL);

    /* Without items, nothing is worth anything. */
    mks_knapsack_instance *empty = NULL;
    CHECK_OK(mks_knapsack_instance_create(NULL, NULL, NULL, 0, CAPACITY, &empty));
    CHECK_OK(mks_knapsack_solve_profits(context, empty, NULL, 2, NULL, &result));
    CHECK_OK(mks_knapsack_batch_profits_view(result, &best, &count));
    CHECK(best[0] == 0 && best[1] == 0);
    mks_result_free(result);
    mks_knapsack_instance_free(empty);
}

static void fill(void)
{
    uint64_t counts[ITEMS];
    int64_t profit = 0, bound = 0;
    CHECK_OK(
        mks_knapsack_fill(PROFITS, WEIGHTS, ITEMS, CAPACITY, INFINITY, counts, &profit, &bound));
    CHECK(profit == 14 && bound == 14 && counts[0] == 1 && counts[1] == 0 && counts[2] == 1);
    CHECK_OK(mks_knapsack_fill(NULL, NULL, 0, CAPACITY, 60, NULL, &profit, &bound));
    CHECK(profit == 0 && bound == 0);
}

int main(void)
{
    fill();
    mks_context *context = cpu_context(2);
    mks_knapsack_instance *instance = NULL, *parsed = NULL;
    CHECK_OK(mks_knapsack_instance_create(PROFITS, WEIGHTS, COPIES, ITEMS, CAPACITY, &instance));
    check_instance(instance);
    const char text[] = "3 10\n10 6 1\n7 5 2\n4 3 inf\nbeyond the length";
    CHECK_OK(mks_knapsack_instance_parse(text, strlen("3 10\n10 6 1\n7 5 2\n4 3 inf\n"), &parsed));
    check_instance(parsed);
    mks_knapsack_instance_free(parsed);

    CHECK(solve(context, instance, "auto") == 14);
    CHECK(solve(context, instance, "core") == 14);
    CHECK(solve(context, instance, "dense") == 14);
    CHECK(solve(context, instance, "greedy") <= 14);
    profile(context, instance);
    batch(context, instance);
    batch_edges(context, instance);

    /* Everything by default; a result needs neither context nor instance. */
    mks_result *result = NULL;
    CHECK_OK(mks_knapsack_solve(context, instance, NULL, &result));
    mks_knapsack_instance_free(instance);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    CHECK(check_result(result) == 14);
    mks_result_free(result);
    return 0;
}
