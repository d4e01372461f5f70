/* Cutting stock and bin packing: every function, in right use. */
#include "check.h"
#include <math.h>

enum { TYPES = 4 };

/* First-fit decreasing cuts 6 pieces, the optimum is 5. */
static const uint64_t LENGTHS[TYPES] = {44, 24, 20, 14};
static const uint64_t DEMANDS[TYPES] = {4, 6, 4, 6};

static void check_instance(const mks_cutting_stock_instance *instance)
{
    size_t types = 0;
    uint64_t stock_length = 0, lengths[TYPES];
    uint64_t demands[TYPES + 1] = {77, 77, 77, 77, 77};
    CHECK_OK(mks_cutting_stock_instance_types(instance, &types));
    CHECK_OK(mks_cutting_stock_instance_stock_length(instance, &stock_length));
    CHECK_OK(mks_cutting_stock_instance_lengths(instance, lengths, TYPES));
    CHECK_OK(mks_cutting_stock_instance_demands(instance, demands, TYPES + 1));
    CHECK(types == TYPES && stock_length == 100 && demands[TYPES] == 77);
    CHECK(memcmp(lengths, LENGTHS, sizeof LENGTHS) == 0
        && memcmp(demands, DEMANDS, sizeof DEMANDS) == 0);
}

/* Adds the patterns up; returns the number of stock pieces. */
static int64_t check_patterns(const mks_result *result)
{
    size_t patterns = 0;
    uint64_t cut[TYPES] = {0};
    int64_t total = 0;
    CHECK_OK(mks_cutting_stock_pattern_count(result, &patterns));
    for (size_t index = 0; index < patterns; index++) {
        uint64_t pieces = 0, counts[TYPES];
        uint64_t length = 0;
        CHECK_OK(mks_cutting_stock_pattern_pieces(result, index, &pieces));
        CHECK_OK(mks_cutting_stock_pattern_counts(result, index, counts, TYPES));
        for (size_t type = 0; type < TYPES; type++) {
            length += counts[type] * LENGTHS[type];
            cut[type] += pieces * counts[type];
        }
        CHECK(length <= 100);
        total += (int64_t)pieces;
    }
    for (size_t type = 0; type < TYPES; type++) {
        CHECK(cut[type] == DEMANDS[type]);
    }
    return total;
}

static int64_t solve(const mks_context *context,
    const mks_cutting_stock_instance *instance,
    const char *method,
    int32_t expected_status)
{
    mks_result *result = NULL;
    SOLVED(mks_cutting_stock, context, instance,
        options_with("cutting_stock", "method", method, NULL), &result);
    const char *problem = NULL;
    CHECK_OK(mks_result_problem(result, &problem));
    const mks_summary summary = summary_of(result);
    CHECK(strcmp(problem, "cutting_stock") == 0 && summary.status == expected_status);
    CHECK(check_patterns(result) == summary.objective);
    mks_result_free(result);
    return summary.objective;
}

static void pack(void)
{
    const uint64_t lengths[6] = {6, 3, 7, 4, 5, 5};
    uint32_t bin_of[6];
    uint64_t loads[3] = {0};
    int64_t bins = 0, bound = 0;
    CHECK_OK(mks_cutting_stock_pack(lengths, 6, 10, INFINITY, bin_of, &bins, &bound));
    CHECK(bins == 3 && bound == 3);
    for (size_t item = 0; item < 6; item++) {
        CHECK(bin_of[item] < 3);
        loads[bin_of[item]] += lengths[item];
    }
    CHECK(loads[0] == 10 && loads[1] == 10 && loads[2] == 10);
    CHECK_OK(mks_cutting_stock_pack(NULL, 0, 10, 0, NULL, &bins, &bound));
    CHECK(bins == 0 && bound == 0);
}

int main(void)
{
    pack();
    mks_context *context = cpu_context(2);
    mks_cutting_stock_instance *instance = NULL, *parsed = NULL;
    CHECK_OK(mks_cutting_stock_instance_create(LENGTHS, DEMANDS, TYPES, 100, &instance));
    check_instance(instance);
    const char text[] = "4 100\n44 4\n24 6\n20 4\n14 6\nbeyond the length";
    CHECK_OK(
        mks_cutting_stock_instance_parse(text, strlen("4 100\n44 4\n24 6\n20 4\n14 6\n"), &parsed));
    check_instance(parsed);
    mks_cutting_stock_instance_free(parsed);

    CHECK(solve(context, instance, "auto", MKS_SOLUTION_STATUS_OPTIMAL) == 5);
    CHECK(solve(context, instance, "ffd", MKS_SOLUTION_STATUS_FEASIBLE) == 6);
    CHECK(solve(context, instance, "exact", MKS_SOLUTION_STATUS_OPTIMAL) == 5);

    /* Everything by default; a result needs neither context nor instance. */
    mks_result *result = NULL;
    CHECK_OK(mks_cutting_stock_solve(context, instance, NULL, &result));
    mks_cutting_stock_instance_free(instance);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    CHECK(check_patterns(result) == 5);
    mks_result_free(result);
    return 0;
}
