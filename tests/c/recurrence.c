/* Recurrences: one call, definitions, operators of the program's own, texts, knapsacks, choices. */
#include "check.h"
#include <math.h>

#define INF INT64_MAX

/* Pays amounts with coins of 5 and 2. */
static const uint64_t COINS[2] = {5, 2};
static const int64_t ONES[2] = {1, 1};
static const int64_t SMALL[5] = {0, INF, 1, INF, 2};
enum { AMOUNTS = 12 };
static const int64_t FEWEST[AMOUNTS] = {0, INF, 1, INF, 2, 1, 3, 2, 4, 3, 2, 4};

static mks_recurrence_definition coins(void)
{
    mks_recurrence_definition definition;
    CHECK_OK(mks_recurrence_definition_init(&definition, sizeof definition));
    definition.length = AMOUNTS;
    definition.offsets = COINS, definition.offset_count = 2;
    definition.initial = SMALL, definition.initial_count = 5;
    definition.weights = ONES, definition.weight_count = 2;
    return definition;
}

static void check_table(const mks_context *context,
    const mks_recurrence_instance *instance,
    const char *method,
    const int64_t *expected)
{
    mks_result *result = NULL;
    const int64_t *values = NULL, *last = NULL;
    size_t count = 0;
    SOLVED(mks_recurrence, context, instance, options_with("recurrence", "method", method, NULL),
        &result);
    CHECK_OK(mks_recurrence_values_view(result, &values, &count));
    CHECK(count == AMOUNTS && memcmp(values, expected, AMOUNTS * sizeof *values) == 0);
    CHECK_OK(mks_recurrence_last_view(result, &last, &count));
    const mks_summary summary = summary_of(result);
    CHECK(count == 1 && *last == expected[AMOUNTS - 1] && summary.objective == *last);
    CHECK(summary.status == MKS_SOLUTION_STATUS_OPTIMAL);
    mks_result_free(result);
}

static void check_choices(const mks_context *context, const mks_recurrence_instance *instance)
{
    const uint32_t expected[AMOUNTS - 5] = {0, 1, 0, 1, 0, 0, 1};
    mks_result *result = NULL;
    const uint32_t *choices = NULL;
    size_t count = 0;
    SOLVED(mks_recurrence, context, instance, options_with("recurrence", "choices", "true", NULL),
        &result);
    CHECK_OK(mks_recurrence_choices_view(result, &choices, &count));
    CHECK(count == AMOUNTS - 5);
    /* 5 = 5, 6 = 2 + 2 + 2, 7 = 5 + 2, ... */
    for (size_t i = 0; i < AMOUNTS - 5; i++) {
        int64_t before = FEWEST[5 + i - COINS[choices[i]]];
        CHECK(before + 1 == FEWEST[5 + i]);
    }
    CHECK(choices[0] == expected[0] && choices[1] == expected[1]);
    mks_result_free(result);
}

/* Choices that were asked for are there even if they are none. */
static void no_choices(const mks_context *context)
{
    mks_recurrence_definition definition = coins();
    definition.length = 5;
    mks_recurrence_instance *instance = NULL;
    mks_result *result = NULL;
    CHECK_OK(mks_recurrence_instance_create(&definition, &instance));
    SOLVED(mks_recurrence, context, instance, options_with("recurrence", "choices", "1", NULL),
        &result);
    const uint32_t *choices = NULL;
    size_t count = 77;
    CHECK_OK(mks_recurrence_choices_view(result, &choices, &count));
    CHECK(count == 0);
    mks_result_free(result);
    mks_recurrence_instance_free(instance);

    definition.semiring = MKS_RECURRENCE_SEMIRING_OR_AND, definition.weights = NULL,
    definition.weight_count = 0;
    CHECK_OK(mks_recurrence_instance_create(&definition, &instance));
    SOLVE_FAILS(mks_recurrence, context, instance,
        options_with("recurrence", "choices", "true", NULL), MKS_STATUS_UNSUPPORTED, "or-and");
    mks_recurrence_instance_free(instance);
}

static int64_t larger(int64_t left, int64_t right, void *calls)
{
    (void)calls;
    return left > right ? left : right;
}

static int64_t plus(int64_t weight, int64_t value, void *calls)
{
    ++*(int64_t *)calls;
    return weight + value;
}

static void custom_operator(void)
{
    mks_context *context = cpu_context(1);
    int64_t calls = 0;
    const int64_t start[5] = {0, 1, 2, 3, 4}, gains[2] = {7, 1};
    const int64_t expected[AMOUNTS] = {0, 1, 2, 3, 4, 7, 8, 9, 10, 11, 14, 15};
    mks_recurrence_definition definition = coins();
    definition.semiring = MKS_RECURRENCE_SEMIRING_CUSTOM;
    definition.initial = start, definition.weights = gains;
    definition.combine = larger, definition.weigh = plus, definition.user_data = &calls;
    mks_recurrence_instance *instance = NULL;
    CHECK_OK(mks_recurrence_instance_create(&definition, &instance));
    check_table(context, instance, "auto", expected);
    CHECK(calls >= 14);
    mks_recurrence_instance_free(instance);

    /* On devices alone: there is none here. */
    definition.combine = NULL, definition.weigh = NULL;
    definition.operator_source = "long combine(long a, long b) { return max(a, b); }";
    CHECK_OK(mks_recurrence_instance_create(&definition, &instance));
    mks_result *result = NULL;
    CHECK_FAILS(
        mks_recurrence_solve(context, instance, NULL, &result), MKS_STATUS_UNSUPPORTED, "callback");
    CHECK(result == NULL);
    mks_recurrence_instance_free(instance);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
}

static void far_away(const mks_context *context)
{
    const uint64_t offsets[2] = {2, 1};
    const int64_t start[2] = {0, 1};
    mks_recurrence_definition definition = coins();
    definition.semiring = MKS_RECURRENCE_SEMIRING_MODULAR, definition.modulus = 1000000007;
    definition.offsets = offsets, definition.initial = start, definition.initial_count = 2;
    definition.weights = NULL, definition.weight_count = 0;
    definition.length = UINT64_C(1000000000000000001);
    mks_recurrence_instance *instance = NULL;
    CHECK_OK(mks_recurrence_instance_create(&definition, &instance));
    mks_result *result = NULL;
    const int64_t *last = NULL, *table = NULL;
    const uint32_t *choices = NULL;
    size_t count = 0;
    SOLVED(mks_recurrence, context, instance, options_with("recurrence", "values", "last", NULL),
        &result);
    CHECK_OK(mks_recurrence_last_view(result, &last, &count));
    CHECK(count == 1 && *last == 209783453);
    CHECK_FAILS(
        mks_recurrence_values_view(result, &table, &count), MKS_STATUS_NOT_AVAILABLE, "table");
    CHECK_FAILS(
        mks_recurrence_choices_view(result, &choices, &count), MKS_STATUS_NOT_AVAILABLE, "choices");
    mks_result_free(result);
    mks_recurrence_instance_free(instance);
}

static void knapsack(const mks_context *context)
{
    const uint64_t weights[3] = {4, 6, 5}, profits[3] = {5, 7, 9};
    mks_recurrence_instance *instance = NULL;
    uint64_t length = 0, preset = 0, fold = 0;
    size_t count = 0;
    CHECK_OK(mks_recurrence_instance_create_knapsack(profits, weights, 3, 10, &instance));
    CHECK_OK(mks_recurrence_instance_length(instance, &length));
    CHECK_OK(mks_recurrence_instance_preset(instance, &preset));
    CHECK_OK(mks_recurrence_instance_count(instance, &count));
    CHECK_OK(mks_recurrence_instance_largest_fold(instance, &fold));
    CHECK(length == 44 && preset == 11 && count == 1 && fold == 7);
    /* The k-stage pipeline, and the p-fold one up to the largest p that is safe. */
    for (int64_t p = 0; p <= 8; p++) {
        mks_options *options =
            options_with("recurrence", "method", p == 0 ? "pipeline" : "p-fold", NULL);
        if (p > 0) {
            CHECK_OK(mks_options_set_int64(options, "fold", p));
        }
        mks_result *result = NULL;
        if (p == 8) {
            SOLVE_REFUSED(mks_recurrence, context, instance, options,
                "fold: is 8; these offsets are safe from 1 to 7");
            continue;
        }
        SOLVED(mks_recurrence, context, instance, options, &result);
        CHECK(summary_of(result).objective == 14);
        mks_result_free(result);
    }
    mks_recurrence_instance_free(instance);
}

int main(void)
{
    int64_t values[AMOUNTS];
    CHECK_OK(mks_recurrence_min_plus(COINS, ONES, 2, SMALL, AMOUNTS, INFINITY, values));
    CHECK(memcmp(values, FEWEST, sizeof values) == 0);
    CHECK_OK(mks_recurrence_min_plus(COINS, NULL, 2, SMALL, AMOUNTS, INFINITY, values));
    CHECK(values[AMOUNTS - 1] == 0);

    mks_context *context = cpu_context(2);
    mks_recurrence_definition definition = coins();
    mks_recurrence_instance *instance = NULL, *parsed = NULL;
    CHECK_OK(mks_recurrence_instance_create(&definition, &instance));
    static const char *const METHODS[7] = {
        "auto", "sequential", "tournament", "pipeline", "two-by-two", "p-fold", "blocked"};
    for (size_t i = 0; i < 7; i++) {
        check_table(context, instance, METHODS[i], FEWEST);
    }
    check_choices(context, instance);
    const char text[] =
        "semiring min-plus\nlength 12\noffsets 5 2\nweights 1*2\ninitial 0 inf 1 inf 2\nbeyond";
    CHECK_OK(mks_recurrence_instance_parse(text, strlen(text) - strlen("beyond"), &parsed));
    check_table(context, parsed, "p-fold", FEWEST);
    mks_recurrence_instance_free(parsed);
    mks_recurrence_instance_free(instance);
    no_choices(context);
    far_away(context);
    knapsack(context);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    custom_operator();
    return 0;
}
