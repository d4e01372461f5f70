/* Multidimensional knapsack: NULL, wrong arrays, texts, files, options and results. */
#include "check.h"
#include <math.h>

static const uint64_t PROFITS[2] = {6, 4};
static const uint64_t WEIGHTS[4] = {3, 2, 1, 1};
static const uint64_t CAPACITIES[2] = {4, 2};

static void one_call(void)
{
    uint64_t counts[2] = {77, 77};
    int64_t profit = 77, bound = 77;
    REFUSED(mks_multidimensional_knapsack_fill(
                NULL, WEIGHTS, 2, CAPACITIES, 2, 60, counts, &profit, &bound),
        "profits: is NULL");
    REFUSED(mks_multidimensional_knapsack_fill(
                PROFITS, NULL, 2, CAPACITIES, 2, 60, counts, &profit, &bound),
        "weights: is NULL");
    REFUSED(mks_multidimensional_knapsack_fill(
                PROFITS, WEIGHTS, 2, NULL, 2, 60, counts, &profit, &bound),
        "capacities: is NULL");
    REFUSED(mks_multidimensional_knapsack_fill(
                PROFITS, WEIGHTS, 2, CAPACITIES, SIZE_MAX, 60, counts, &profit, &bound),
        "dimensions: ");
    REFUSED(mks_multidimensional_knapsack_fill(
                PROFITS, WEIGHTS, 2, CAPACITIES, 2, 60, NULL, &profit, &bound),
        "counts: is NULL");
    REFUSED(mks_multidimensional_knapsack_fill(
                PROFITS, WEIGHTS, 2, CAPACITIES, 2, 60, counts, NULL, &bound),
        "profit: is NULL");
    REFUSED(mks_multidimensional_knapsack_fill(
                PROFITS, WEIGHTS, 2, CAPACITIES, 2, 60, counts, &profit, NULL),
        "bound: is NULL");
    REFUSED(mks_multidimensional_knapsack_fill(
                PROFITS, WEIGHTS, 2, CAPACITIES, 2, (double)NAN, counts, &profit, &bound),
        "time_limit_seconds: NaN");
    CHECK(counts[0] == 77 && counts[1] == 77 && profit == 77 && bound == 77);
}

static void instances(void)
{
    mks_multidimensional_knapsack_instance *made = NULL;
    const uint64_t huge[2] = {(uint64_t)1 << 62, (uint64_t)1 << 62}, beyond[2] = {4, UINT64_MAX};
    const uint64_t many[17] = {0}, nothing[4] = {0, 1, 0, 1}, unbounded[2] = {UINT64_MAX, 1};
    REFUSED(
        mks_multidimensional_knapsack_instance_create(NULL, WEIGHTS, NULL, 2, CAPACITIES, 2, &made),
        "profits: is NULL");
    REFUSED(
        mks_multidimensional_knapsack_instance_create(PROFITS, NULL, NULL, 2, CAPACITIES, 2, &made),
        "weights: is NULL");
    REFUSED(
        mks_multidimensional_knapsack_instance_create(PROFITS, WEIGHTS, NULL, 2, NULL, 2, &made),
        "capacities: is NULL");
    REFUSED(mks_multidimensional_knapsack_instance_create(
                PROFITS, WEIGHTS, NULL, 2, CAPACITIES, 2, NULL),
        "instance: is NULL");
    REFUSED(mks_multidimensional_knapsack_instance_create(NULL, NULL, NULL, 0, many, 17, &made),
        "capacities: more than 16 dimensions");
    REFUSED(
        mks_multidimensional_knapsack_instance_create(PROFITS, WEIGHTS, NULL, 2, beyond, 2, &made),
        "capacities[1]: is");
    REFUSED(mks_multidimensional_knapsack_instance_create(
                PROFITS, nothing, unbounded, 2, CAPACITIES, 2, &made),
        "copies[0]: is unbounded");
    CHECK_FAILS(
        mks_multidimensional_knapsack_instance_create(huge, WEIGHTS, NULL, 2, CAPACITIES, 2, &made),
        MKS_STATUS_OVERFLOW, "profits");
    CHECK_FAILS(
        mks_multidimensional_knapsack_instance_create(PROFITS, huge, NULL, 2, huge, 1, &made),
        MKS_STATUS_OVERFLOW, "weights");
    REFUSED_SOURCES(mks_multidimensional_knapsack);
    CHECK_FAILS(
        mks_multidimensional_knapsack_instance_read(__FILE__, &made), MKS_STATUS_PARSE, "line 1");
    CHECK_FAILS(mks_multidimensional_knapsack_instance_parse("1 1 0\n5\n", 8, &made),
        MKS_STATUS_PARSE, "line 2: the file ends");
    CHECK(made == NULL);
}

static void instance_functions(const mks_multidimensional_knapsack_instance *instance)
{
    size_t size = 77;
    uint64_t list[4] = {77, 77, 77, 77};
    REFUSED(mks_multidimensional_knapsack_instance_items(NULL, &size), "instance: is NULL");
    REFUSED(mks_multidimensional_knapsack_instance_items(instance, NULL), "items: is NULL");
    REFUSED(
        mks_multidimensional_knapsack_instance_dimensions(instance, NULL), "dimensions: is NULL");
    REFUSED(mks_multidimensional_knapsack_instance_profits(instance, list, 1),
        "profits: has room for 1");
    REFUSED(mks_multidimensional_knapsack_instance_weights(instance, list, 3),
        "weights: has room for 3");
    REFUSED(mks_multidimensional_knapsack_instance_copies(instance, NULL, 2), "copies: is NULL");
    REFUSED(mks_multidimensional_knapsack_instance_capacities(instance, list, 1),
        "capacities: has room for 1");
    CHECK(size == 77 && list[0] == 77);
    mks_multidimensional_knapsack_instance_free(NULL);
}

static void solves(
    const mks_context *context, const mks_multidimensional_knapsack_instance *instance)
{
    mks_options *options = options_with("multidimensional_knapsack", NULL);
    mks_result *result = NULL;
    uint64_t counts[2] = {77, 77};
    const uint64_t heavy[2] = {1, 1};
    int64_t profit = 77;
    REFUSED_SOLVES(mks_multidimensional_knapsack, context, instance);
    check_refusal(
        options, "method", "core", "method: must be one of auto, greedy, branch-and-bound, dense");
    mks_options_free(options);
    SOLVE_REFUSED(mks_multidimensional_knapsack, context, instance,
        options_with("multidimensional_knapsack", "start", "1 1", NULL), "start: weigh 5");
    CHECK_OK(mks_multidimensional_knapsack_solve(context, instance, NULL, &result));
    REFUSED(mks_multidimensional_knapsack_counts(NULL, counts, 2), "result: is NULL");
    REFUSED(mks_multidimensional_knapsack_counts(result, NULL, 2), "counts: is NULL");
    REFUSED(mks_multidimensional_knapsack_counts(result, counts, 1), "counts: has room for 1");
    REFUSED(mks_knapsack_counts(result, counts, 2), "multidimensional_knapsack");
    REFUSED(mks_multidimensional_knapsack_check(instance, heavy, 2, &profit),
        "counts: weigh 5 in dimension 0, the capacity is 4");
    CHECK(counts[0] == 77 && counts[1] == 77 && profit == 77);
    mks_result_free(result);
}

/* A table of more cells than any memory has is refused with its size. */
static void too_large(const mks_context *context)
{
    const uint64_t profits[4] = {5, 6, 5, 6}, capacities[2] = {1800000, 1800001};
    const uint64_t weights[8] = {500009, 499979, 500029, 499943, 500057, 499957, 500069, 499969};
    mks_multidimensional_knapsack_instance *instance = NULL;
    CHECK_OK(mks_multidimensional_knapsack_instance_create(
        profits, weights, NULL, 4, capacities, 2, &instance));
    SOLVE_FAILS(mks_multidimensional_knapsack, context, instance,
        options_with("multidimensional_knapsack", "method", "dense", NULL),
        MKS_STATUS_OUT_OF_MEMORY, "a knapsack table of ");
    mks_multidimensional_knapsack_instance_free(instance);
}

int main(void)
{
    one_call();
    instances();
    mks_context *context = cpu_context(1);
    mks_multidimensional_knapsack_instance *instance = NULL;
    CHECK_OK(mks_multidimensional_knapsack_instance_create(
        PROFITS, WEIGHTS, NULL, 2, CAPACITIES, 2, &instance));
    instance_functions(instance);
    solves(context, instance);
    too_large(context);
    mks_multidimensional_knapsack_instance_free(instance);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}
