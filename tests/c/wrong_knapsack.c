/* Knapsack: NULL, wrong arrays, texts, files, options and results. */
#include "check.h"
#include <math.h>

static const uint64_t PROFITS[2] = {6, 4};
static const uint64_t WEIGHTS[2] = {3, 2};
static const uint64_t ZERO[2] = {1, 0};
static const uint64_t UNBOUNDED[2] = {1, UINT64_MAX};

static void one_call(void)
{
    uint64_t counts[2] = {77, 77};
    int64_t profit = 77, bound = 77;
    REFUSED(
        mks_knapsack_fill(NULL, WEIGHTS, 2, 4, 60, counts, &profit, &bound), "profits: is NULL");
    REFUSED(
        mks_knapsack_fill(PROFITS, NULL, 2, 4, 60, counts, &profit, &bound), "weights: is NULL");
    REFUSED(
        mks_knapsack_fill(PROFITS, WEIGHTS, 2, 4, 60, NULL, &profit, &bound), "counts: is NULL");
    REFUSED(mks_knapsack_fill(PROFITS, WEIGHTS, 2, 4, 60, counts, NULL, &bound), "profit: is NULL");
    REFUSED(mks_knapsack_fill(PROFITS, WEIGHTS, 2, 4, 60, counts, &profit, NULL), "bound: is NULL");
    REFUSED(mks_knapsack_fill(PROFITS, WEIGHTS, 2, 4, -1, counts, &profit, &bound),
        "time_limit_seconds: -1");
    REFUSED(mks_knapsack_fill(PROFITS, WEIGHTS, 2, 4, (double)NAN, counts, &profit, &bound),
        "time_limit_seconds: NaN");
    CHECK(counts[0] == 77 && counts[1] == 77 && profit == 77 && bound == 77);
    CHECK(mks_knapsack_fill(PROFITS, WEIGHTS, 2, 0, 60, counts, &profit, &bound) == MKS_STATUS_OK);
    CHECK(counts[0] == 0 && counts[1] == 0 && profit == 0 && bound == 0);
}

static void instances(void)
{
    mks_knapsack_instance *made = NULL;
    const uint64_t huge[2] = {(uint64_t)1 << 62, (uint64_t)1 << 62};
    REFUSED(mks_knapsack_instance_create(NULL, WEIGHTS, NULL, 2, 4, &made), "profits: is NULL");
    REFUSED(mks_knapsack_instance_create(PROFITS, NULL, NULL, 2, 4, &made), "weights: is NULL");
    REFUSED(mks_knapsack_instance_create(PROFITS, WEIGHTS, NULL, 2, 4, NULL), "instance: is NULL");
    REFUSED(mks_knapsack_instance_create(PROFITS, ZERO, UNBOUNDED, 2, 4, &made),
        "copies[1]: is unbounded");
    REFUSED(
        mks_knapsack_instance_create(PROFITS, WEIGHTS, NULL, 2, UINT64_MAX, &made), "capacity: is");
    CHECK_FAILS(mks_knapsack_instance_create(huge, WEIGHTS, NULL, 2, 4, &made), MKS_STATUS_OVERFLOW,
        "profits");
    CHECK_FAILS(mks_knapsack_instance_create(PROFITS, huge, NULL, 2, INT64_MAX, &made),
        MKS_STATUS_OVERFLOW, "weights");
    REFUSED_SOURCES(mks_knapsack);
    CHECK_FAILS(mks_knapsack_instance_read(__FILE__, &made), MKS_STATUS_PARSE, "line 1");
    CHECK_FAILS(mks_knapsack_instance_parse("2\n0 5 3\n", 8, &made), MKS_STATUS_PARSE,
        "line 2: the file ends");
    CHECK_FAILS(mks_knapsack_instance_parse("2 9\n5 3\n4", 9, &made), MKS_STATUS_PARSE,
        "line 3: 1 numbers");
    CHECK(made == NULL);
}

static void instance_functions(const mks_knapsack_instance *instance)
{
    size_t items = 77;
    uint64_t list[2] = {77, 77}, capacity = 77;
    REFUSED(mks_knapsack_instance_items(NULL, &items), "instance: is NULL");
    REFUSED(mks_knapsack_instance_items(instance, NULL), "items: is NULL");
    REFUSED(mks_knapsack_instance_capacity(NULL, &capacity), "instance: is NULL");
    REFUSED(mks_knapsack_instance_capacity(instance, NULL), "capacity: is NULL");
    REFUSED(mks_knapsack_instance_profits(NULL, list, 2), "instance: is NULL");
    REFUSED(mks_knapsack_instance_profits(instance, list, 1), "profits: has room for 1");
    REFUSED(mks_knapsack_instance_weights(instance, NULL, 2), "weights: is NULL");
    REFUSED(mks_knapsack_instance_copies(instance, list, 1), "copies: has room for 1");
    CHECK(items == 77 && list[0] == 77 && capacity == 77);
    mks_knapsack_instance_free(NULL);
}

static void solves(const mks_context *context, const mks_knapsack_instance *instance)
{
    mks_options *options = options_with("knapsack", NULL);
    mks_options *others = options_with("flow_shop", NULL);
    mks_result *result = NULL;
    uint64_t counts[2] = {77, 77};
    REFUSED_SOLVES(mks_knapsack, context, instance);
    check_refusal(options, "method", "99", "method: must be one of auto, greedy, core, dense");
    REFUSED(mks_knapsack_profile(context, instance, others, &result), "not of knapsack");
    REFUSED(mks_knapsack_solve_profits(context, instance, PROFITS, 1, others, &result),
        "options: are those of flow_shop, not of knapsack");
    CHECK_OK(mks_options_set(options, "method", "core"));
    REFUSED(
        mks_knapsack_profile(context, instance, options, &result), "method: core is not for this");
    CHECK_OK(mks_options_set(options, "method", "dense"));
    REFUSED(mks_knapsack_solve_profits(context, instance, PROFITS, 1, options, &result),
        "method: dense");
    REFUSED(
        mks_knapsack_solve_profits(context, instance, NULL, 1, NULL, &result), "profits: is NULL");
    REFUSED(mks_knapsack_solve_profits(context, instance, PROFITS, SIZE_MAX, NULL, &result),
        "instances: ");
    CHECK(result == NULL);
    mks_options_free(options);
    mks_options_free(others);
    CHECK_OK(mks_knapsack_solve(context, instance, NULL, &result));
    REFUSED(mks_knapsack_counts(NULL, counts, 2), "result: is NULL");
    REFUSED(mks_knapsack_counts(result, NULL, 2), "counts: is NULL");
    REFUSED(mks_knapsack_counts(result, counts, 1), "counts: has room for 1");
    const uint64_t *list = NULL;
    size_t count = 77;
    REFUSED(mks_knapsack_profile_view(result, &list, &count), "knapsack");
    REFUSED(mks_knapsack_batch_profits_view(result, &list, &count), "knapsack");
    REFUSED(mks_knapsack_batch_counts_view(result, &list, &count), "knapsack");
    CHECK(list == NULL && count == 77);
    CHECK(counts[0] == 77 && counts[1] == 77);
    mks_result_free(result);
}

/* A table of 2^62 capacities is refused with its size. */
static void too_large(const mks_context *context)
{
    mks_knapsack_instance *instance = NULL;
    const uint64_t weights[2] = {3, ((uint64_t)1 << 62) - 2};
    CHECK_OK(mks_knapsack_instance_create(PROFITS, weights, NULL, 2, (uint64_t)1 << 62, &instance));
    SOLVE_FAILS(mks_knapsack, context, instance, options_with("knapsack", "method", "dense", NULL),
        MKS_STATUS_OUT_OF_MEMORY, "4611686018427387905 capacities");
    mks_knapsack_instance_free(instance);
}

int main(void)
{
    one_call();
    instances();
    mks_context *context = cpu_context(1);
    mks_knapsack_instance *instance = NULL;
    CHECK_OK(mks_knapsack_instance_create(PROFITS, WEIGHTS, NULL, 2, 4, &instance));
    instance_functions(instance);
    solves(context, instance);
    too_large(context);
    mks_knapsack_instance_free(instance);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}
