/* Warm starts by the option "start": the result is never worse, and a wrong start is refused by its
 * name. */
#include "check.h"

static mks_options *starting(const char *owner, const uint32_t *start, size_t count)
{
    mks_options *options = options_with(owner, "time_limit", "0", NULL);
    CHECK_OK(mks_options_set_list(options, "start", start, count));
    return options;
}

/* Solves without time: only the start can give this objective. */
#define STARTS(group, owner, instance, start, expected) \
    do { \
        mks_result *result = NULL; \
        SOLVED(group, context, instance, starting(owner, start, sizeof start / sizeof *start), \
            &result); \
        CHECK(summary_of(result).objective == (expected)); \
        mks_result_free(result); \
    } while (0)

#define REFUSED_START(group, owner, instance, start, words) \
    SOLVE_REFUSED( \
        group, context, instance, starting(owner, start, sizeof start / sizeof *start), words)

int main(void)
{
    mks_context *context = cpu_context(1);

    mks_parallel_machines_instance *jobs = graham();
    static const uint32_t MACHINES[7] = {0, 1, 0, 1, 2, 2, 2},
                          NO_MACHINE[7] = {0, 1, 3, 0, 0, 0, 0};
    STARTS(mks_parallel_machines, "parallel_machines", jobs, MACHINES, 9);
    REFUSED_START(mks_parallel_machines, "parallel_machines", jobs, NO_MACHINE,
        "start[2]: there is no machine 3, only 3");
    mks_parallel_machines_instance_free(jobs);

    mks_cutting_stock_instance *stock = NULL;
    static const uint64_t LENGTHS[2] = {4, 3}, DEMANDS[2] = {2, 4};
    /* Two pieces with two cuts, one of the first type and two of the second. */
    static const uint32_t PATTERNS[6] = {2, 2, 0, 1, 1, 2}, TOO_LONG[4] = {1, 1, 0, 3};
    CHECK_OK(mks_cutting_stock_instance_create(LENGTHS, DEMANDS, 2, 10, &stock));
    STARTS(mks_cutting_stock, "cutting_stock", stock, PATTERNS, 2);
    REFUSED_START(mks_cutting_stock, "cutting_stock", stock, TOO_LONG,
        "start[0]: is 12 long, a stock piece only 10");
    mks_cutting_stock_instance_free(stock);
    mks_options *options = options_with("cutting_stock", NULL);
    REFUSED(mks_options_set_list(options, "start", PATTERNS, 5), "start: ends within a pattern");
    CHECK_OK(mks_options_set_list(options, "start", PATTERNS, 6));
    check_value(options, "start", "2 2 0 1 1 2");
    mks_options_free(options);

    mks_knapsack_instance *items = NULL;
    static const uint64_t PROFITS[3] = {8, 10, 10}, WEIGHTS[3] = {4, 6, 6};
    static const uint32_t COUNTS[3] = {0, 1, 1}, TOO_MANY[3] = {0, 2, 0};
    CHECK_OK(mks_knapsack_instance_create(PROFITS, WEIGHTS, NULL, 3, 12, &items));
    STARTS(mks_knapsack, "knapsack", items, COUNTS, 20);
    REFUSED_START(mks_knapsack, "knapsack", items, TOO_MANY, "start[1]: is 2");
    mks_knapsack_instance_free(items);

    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}
