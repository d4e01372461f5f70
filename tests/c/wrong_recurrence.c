/* Recurrences: NULL, wrong arrays, definitions, texts, options and results. */
#include "check.h"
#include <math.h>

static const uint64_t OFFSETS[2] = {3, 1};
static const int64_t INITIAL[3] = {0, 0, 0};

static mks_recurrence_definition good_definition(void)
{
    mks_recurrence_definition definition;
    CHECK_OK(mks_recurrence_definition_init(&definition, sizeof definition));
    definition.length = 10;
    definition.offsets = OFFSETS, definition.offset_count = 2;
    definition.initial = INITIAL, definition.initial_count = 3;
    return definition;
}

static void one_call(void)
{
    int64_t values[5] = {77};
    REFUSED(mks_recurrence_min_plus(NULL, NULL, 2, INITIAL, 5, 60, values), "offsets: is NULL");
    REFUSED(mks_recurrence_min_plus(OFFSETS, NULL, 2, NULL, 5, 60, values), "initial: is NULL");
    REFUSED(mks_recurrence_min_plus(OFFSETS, NULL, 2, INITIAL, 5, 60, NULL), "values: is NULL");
    REFUSED(mks_recurrence_min_plus(OFFSETS, NULL, 0, INITIAL, 5, 60, values),
        "offsets: there are none");
    REFUSED(mks_recurrence_min_plus(OFFSETS, NULL, 2, INITIAL, 2, 60, values), "length: is 2");
    /* Initial values beyond the length are not read. */
    const uint64_t far[2] = {1000000, 1}, farthest[1] = {UINT64_MAX};
    REFUSED(mks_recurrence_min_plus(far, NULL, 2, INITIAL, 5, 60, values),
        "length: is 5, below the 1000000 initial values");
    REFUSED(mks_recurrence_min_plus(farthest, NULL, 1, INITIAL, 5, 60, values),
        "length: is 5, below the 18446744073709551615 initial");
    REFUSED(mks_recurrence_min_plus(OFFSETS, NULL, 2, INITIAL, 5, -1, values),
        "time_limit_seconds: -1");
    REFUSED(mks_recurrence_min_plus(OFFSETS, NULL, 2, INITIAL, 5, (double)NAN, values),
        "time_limit_seconds: NaN");
    CHECK(values[0] == 77);
}

static void definitions(void)
{
    mks_recurrence_instance *made = NULL;
    const uint64_t same[2] = {3, 3}, zero[2] = {3, 0};
    const int64_t huge[3] = {0, INT64_MAX - 1, 0}, heavy[2] = {INT64_MAX, 1};
    mks_recurrence_definition good = good_definition(), bad;
    REFUSED(mks_recurrence_definition_init(NULL, sizeof good), "definition: is NULL");
    REFUSED(mks_recurrence_definition_init(&bad, 8), "size 8");
    REFUSED(mks_recurrence_instance_create(NULL, &made), "definition: is NULL");
    REFUSED(mks_recurrence_instance_create(&good, NULL), "instance: is NULL");
    bad = good, bad.semiring = 7;
    REFUSED(mks_recurrence_instance_create(&bad, &made), "definition.semiring: 7");
    bad = good, bad.semiring = MKS_RECURRENCE_SEMIRING_MODULAR;
    REFUSED(mks_recurrence_instance_create(&bad, &made), "modulus: is 0");
    bad = good, bad.modulus = 7;
    REFUSED(mks_recurrence_instance_create(&bad, &made),
        "definition.modulus: has no meaning for this semiring");
    bad = good, bad.operator_source = "long combine(long a, long b) { return a; }";
    REFUSED(
        mks_recurrence_instance_create(&bad, &made), "definition.operator_source: has no meaning");
    bad = good, bad.idempotent = 1;
    REFUSED(mks_recurrence_instance_create(&bad, &made), "definition.idempotent: has no meaning");
    bad = good, bad.semiring = MKS_RECURRENCE_SEMIRING_CUSTOM;
    REFUSED(mks_recurrence_instance_create(&bad, &made), "operator: has neither");
    bad.idempotent = 2;
    REFUSED(mks_recurrence_instance_create(&bad, &made), "definition.idempotent: 2");
    bad.idempotent = 0, bad.operator_source = "\xff";
    REFUSED(
        mks_recurrence_instance_create(&bad, &made), "definition.operator_source[0]: is not UTF-8");
    bad = good, bad.offsets = NULL;
    REFUSED(mks_recurrence_instance_create(&bad, &made), "definition.offsets: is NULL");
    bad = good, bad.initial = NULL;
    REFUSED(mks_recurrence_instance_create(&bad, &made), "definition.initial: is NULL");
    bad = good, bad.weight_count = 2;
    REFUSED(mks_recurrence_instance_create(&bad, &made), "definition.weights: is NULL");
    bad = good, bad.term_count = 7;
    REFUSED(mks_recurrence_instance_create(&bad, &made), "definition.terms: is NULL");
    bad = good, bad.offsets = same;
    REFUSED(mks_recurrence_instance_create(&bad, &made), "offsets[1]: is 3");
    bad = good, bad.offsets = zero;
    REFUSED(mks_recurrence_instance_create(&bad, &made), "offsets[1]: must be at least 1");
    bad = good, bad.initial_count = 2;
    REFUSED(mks_recurrence_instance_create(&bad, &made), "initial: 2 values");
    bad = good, bad.initial = huge;
    REFUSED(mks_recurrence_instance_create(&bad, &made), "initial[1]");
    bad = good, bad.instances = 0;
    REFUSED(mks_recurrence_instance_create(&bad, &made), "instances: must be at least 1");
    bad = good, bad.length = 2;
    REFUSED(mks_recurrence_instance_create(&bad, &made), "length: is 2");
    bad = good, bad.weights = heavy, bad.weight_count = 2;
    REFUSED(mks_recurrence_instance_create(&bad, &made), "weights[0]: is unreachable");
    bad.semiring = MKS_RECURRENCE_SEMIRING_SUM_PRODUCT;
    CHECK_FAILS(
        mks_recurrence_instance_create(&bad, &made), MKS_STATUS_OVERFLOW, "sum of the weights");
    CHECK(made == NULL);
}

static void other_sources(void)
{
    mks_recurrence_instance *made = NULL;
    const uint64_t ones[2] = {1, 1}, rich[2] = {1, UINT64_C(1) << 59};
    REFUSED(mks_recurrence_instance_create_knapsack(ones, NULL, 2, 5, &made), "weights: is NULL");
    REFUSED(mks_recurrence_instance_create_knapsack(NULL, ones, 2, 5, &made), "profits: is NULL");
    REFUSED(mks_recurrence_instance_create_knapsack(ones, ones, 2, 0, &made),
        "capacity: must be at least 1");
    REFUSED(mks_recurrence_instance_create_knapsack(ones, ones, 2, 5, NULL), "instance: is NULL");
    CHECK_FAILS(mks_recurrence_instance_create_knapsack(ones, ones, 2, UINT64_MAX, &made),
        MKS_STATUS_OVERFLOW, "number of elements");
    CHECK_FAILS(mks_recurrence_instance_create_knapsack(rich, ones, 2, 5, &made),
        MKS_STATUS_OVERFLOW, "the sum of the profits does not fit into the range up to 2^59");
    CHECK_FAILS(mks_recurrence_instance_create_knapsack(ones, ones, 2, UINT64_C(1) << 60, &made),
        MKS_STATUS_OUT_OF_MEMORY, "a row of 1152921504606846977 elements");
    REFUSED_SOURCES(mks_recurrence);
    CHECK_FAILS(mks_recurrence_instance_read(__FILE__, &made), MKS_STATUS_PARSE, "line 1");
    CHECK_FAILS(mks_recurrence_instance_parse("length x", 8, &made), MKS_STATUS_PARSE, "line 1");
    const char *many =
        "semiring min-plus\nlength 900000001\noffsets 900000000..1\ninitial 0*900000000";
    CHECK_FAILS(mks_recurrence_instance_parse_within(many, strlen(many), 64 << 20, &made),
        MKS_STATUS_OUT_OF_MEMORY, "line 3");
    const char *row = "capacity 99999999\nweights 3\nprofits 4";
    CHECK_FAILS(mks_recurrence_instance_parse_within(row, strlen(row), 64 << 20, &made),
        MKS_STATUS_OUT_OF_MEMORY, "row");
    CHECK_FAILS(mks_recurrence_instance_read_within("/no/such/file", 0, &made), MKS_STATUS_IO,
        "/no/such/file");
    CHECK(made == NULL);
}

static void instance_functions(const mks_recurrence_instance *instance)
{
    uint64_t value = 77;
    size_t count = 77;
    REFUSED(mks_recurrence_instance_length(NULL, &value), "instance: is NULL");
    REFUSED(mks_recurrence_instance_length(instance, NULL), "length: is NULL");
    REFUSED(mks_recurrence_instance_preset(NULL, &value), "instance: is NULL");
    REFUSED(mks_recurrence_instance_preset(instance, NULL), "preset: is NULL");
    REFUSED(mks_recurrence_instance_count(NULL, &count), "instance: is NULL");
    REFUSED(mks_recurrence_instance_count(instance, NULL), "count: is NULL");
    REFUSED(mks_recurrence_instance_largest_fold(NULL, &value), "instance: is NULL");
    REFUSED(mks_recurrence_instance_largest_fold(instance, NULL), "fold: is NULL");
    CHECK(value == 77 && count == 77);
}

static void options(const mks_context *context, const mks_recurrence_instance *instance)
{
    mks_options *unchanged = options_with("recurrence", NULL);
    REFUSED_SOLVES(mks_recurrence, context, instance);
    check_refusal(unchanged, "method", "9", "method: must be one of auto, sequential, ");
    check_refusal(unchanged, "values", "2", "values: must be one of table, last");
    check_refusal(unchanged, "choices", "2", "choices: must be true or false");
    check_refusal(unchanged, "fold", "-1", "fold: must be a whole number");
    mks_options_free(unchanged);

    SOLVE_REFUSED(mks_recurrence, context, instance, options_with("recurrence", "fold", "1", NULL),
        "fold: applies only to the p-fold pipeline");
    SOLVE_REFUSED(mks_recurrence, context, instance,
        options_with("recurrence", "method", "p-fold", "fold", "2", NULL), "fold: is 2");
    SOLVE_FAILS(mks_recurrence, context, instance,
        options_with("recurrence", "method", "sliding-window", NULL), MKS_STATUS_UNSUPPORTED,
        "gaps");
}

static void result_functions(const mks_context *context, const mks_recurrence_instance *instance)
{
    mks_result *result = NULL;
    const int64_t *values = NULL;
    const uint32_t *choices = NULL;
    size_t count = 77;
    CHECK_OK(mks_recurrence_solve(context, instance, NULL, &result));
    REFUSED(mks_recurrence_values_view(NULL, &values, &count), "result: is NULL");
    REFUSED(mks_recurrence_values_view(result, NULL, &count), "values: is NULL");
    REFUSED(mks_recurrence_values_view(result, &values, NULL), "count: is NULL");
    REFUSED(mks_recurrence_last_view(NULL, &values, &count), "result: is NULL");
    REFUSED(mks_recurrence_choices_view(NULL, &choices, &count), "result: is NULL");
    CHECK_FAILS(
        mks_recurrence_choices_view(result, &choices, &count), MKS_STATUS_NOT_AVAILABLE, "choices");
    CHECK(values == NULL && choices == NULL && count == 77);
    mks_result_free(result);

    mks_parallel_machines_instance *jobs = graham();
    CHECK_OK(mks_parallel_machines_solve(context, jobs, NULL, &result));
    REFUSED(
        mks_recurrence_values_view(result, &values, &count), "result: is one of parallel_machines");
    REFUSED(
        mks_recurrence_last_view(result, &values, &count), "result: is one of parallel_machines");
    REFUSED(mks_recurrence_choices_view(result, &choices, &count),
        "result: is one of parallel_machines");
    mks_result_free(result);
    mks_parallel_machines_instance_free(jobs);
}

int main(void)
{
    mks_recurrence_instance_free(NULL);
    one_call();
    definitions();
    other_sources();
    mks_context *context = cpu_context(1);
    mks_recurrence_instance *instance = NULL;
    mks_recurrence_definition definition = good_definition();
    CHECK_OK(mks_recurrence_instance_create(&definition, &instance));
    instance_functions(instance);
    options(context, instance);
    result_functions(context, instance);
    mks_recurrence_instance_free(instance);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}
