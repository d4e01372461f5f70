/* Pinned work of parallel machines, cutting stock and the knapsack: it is part of every solution, a
 * check and a start are held to it, and it can be read back. */
#include "check.h"

static void machines(const mks_context *context)
{
    static const uint32_t JOBS_PINNED[2] = {0, 1}, PLACES[2] = {2, 2}, TWICE[2] = {1, 1},
                          BEYOND[2] = {0, 3}, NO_JOB[2] = {0, 7};
    static const uint32_t MOVED[7] = {2, 0, 1, 1, 0, 0, 1}, KEPT[7] = {2, 2, 1, 1, 0, 0, 0};
    mks_parallel_machines_instance *plain = graham(), *pinned = NULL;
    REFUSED(mks_parallel_machines_instance_with_pinned(NULL, JOBS_PINNED, PLACES, 2, &pinned),
        "instance: is NULL");
    REFUSED(mks_parallel_machines_instance_with_pinned(plain, NULL, PLACES, 2, &pinned),
        "pinned: is NULL");
    REFUSED(mks_parallel_machines_instance_with_pinned(plain, JOBS_PINNED, NULL, 2, &pinned),
        "machines: is NULL");
    REFUSED(mks_parallel_machines_instance_with_pinned(plain, JOBS_PINNED, PLACES, 2, NULL),
        "changed: is NULL");
    REFUSED(mks_parallel_machines_instance_with_pinned(plain, TWICE, PLACES, 2, &pinned),
        "pinned[1]: job 1 is pinned already");
    REFUSED(mks_parallel_machines_instance_with_pinned(plain, NO_JOB, PLACES, 2, &pinned),
        "pinned[1]: there is no job 7, only 7");
    REFUSED(mks_parallel_machines_instance_with_pinned(plain, JOBS_PINNED, BEYOND, 2, &pinned),
        "machines[1]: there is no machine 3, only 3");
    CHECK(pinned == NULL);
    CHECK_OK(mks_parallel_machines_instance_with_pinned(plain, JOBS_PINNED, PLACES, 2, &pinned));

    const uint32_t *list = NULL;
    size_t count = 77;
    CHECK_OK(mks_parallel_machines_instance_pinned_view(plain, &list, &count));
    CHECK(count == 0);
    CHECK_OK(mks_parallel_machines_instance_pinned_view(pinned, &list, &count));
    CHECK(count == 2 && memcmp(list, JOBS_PINNED, sizeof JOBS_PINNED) == 0);
    CHECK_OK(mks_parallel_machines_instance_pinned_machines_view(pinned, &list, &count));
    CHECK(count == 2 && memcmp(list, PLACES, sizeof PLACES) == 0);
    REFUSED(mks_parallel_machines_instance_pinned_view(pinned, NULL, &count), "pinned: is NULL");
    REFUSED(
        mks_parallel_machines_instance_pinned_machines_view(pinned, &list, NULL), "count: is NULL");

    int64_t makespan = 77;
    REFUSED(mks_parallel_machines_check(pinned, MOVED, 7, &makespan),
        "assignment[1]: is machine 0, but the job is pinned to 2");
    CHECK(makespan == 77);
    CHECK_OK(mks_parallel_machines_check(pinned, KEPT, 7, &makespan));
    CHECK(makespan == 10);

    mks_result *result = NULL;
    uint32_t assignment[7];
    CHECK_OK(mks_parallel_machines_solve(context, pinned, NULL, &result));
    const mks_summary summary = summary_of(result);
    CHECK(summary.status == MKS_SOLUTION_STATUS_OPTIMAL && summary.objective == 10);
    CHECK(summary.bound == 10);
    CHECK_OK(mks_parallel_machines_assignment(result, assignment, 7));
    CHECK(assignment[0] == 2 && assignment[1] == 2);
    mks_result_free(result);
    SOLVE_FAILS(mks_parallel_machines, context, pinned,
        options_with("parallel_machines", "method", "ptas", NULL), MKS_STATUS_UNSUPPORTED,
        "the method ptas with pinned jobs");
    mks_options *start = options_with("parallel_machines", NULL);
    CHECK_OK(mks_options_set_list(start, "start", MOVED, 7));
    SOLVE_REFUSED(mks_parallel_machines, context, pinned, start, "start[1]: is machine 0");
    mks_parallel_machines_instance_free(plain);
    mks_parallel_machines_instance_free(pinned);
}

static void stock(const mks_context *context)
{
    static const uint64_t LENGTHS[2] = {6, 4}, DEMANDS[2] = {2, 2};
    /* A piece with two items of the second type, and one without items. */
    static const uint64_t PIECES[2] = {1, 1}, COUNTS[4] = {0, 2, 0, 0}, TOO_LONG[4] = {0, 2, 2, 0};
    static const uint64_t MANY[2] = {1, 2}, EACH[4] = {0, 1, 0, 1}, ALL[2] = {2, 0};
    mks_cutting_stock_instance *plain = NULL, *pinned = NULL;
    CHECK_OK(mks_cutting_stock_instance_create(LENGTHS, DEMANDS, 2, 10, &plain));
    REFUSED(
        mks_cutting_stock_instance_with_pinned(plain, NULL, COUNTS, 2, &pinned), "pieces: is NULL");
    REFUSED(
        mks_cutting_stock_instance_with_pinned(plain, PIECES, NULL, 2, &pinned), "counts: is NULL");
    REFUSED(mks_cutting_stock_instance_with_pinned(plain, PIECES, COUNTS, SIZE_MAX, &pinned),
        "patterns: ");
    REFUSED(
        mks_cutting_stock_instance_with_pinned(plain, PIECES, COUNTS, 2, NULL), "changed: is NULL");
    REFUSED(mks_cutting_stock_instance_with_pinned(plain, PIECES, TOO_LONG, 2, &pinned),
        "patterns[1]: is 12 long");
    REFUSED(mks_cutting_stock_instance_with_pinned(plain, MANY, EACH, 2, &pinned),
        "patterns: have 3 items of type 1, the demand is 2");
    CHECK(pinned == NULL);
    CHECK_OK(mks_cutting_stock_instance_with_pinned(plain, PIECES, COUNTS, 2, &pinned));

    size_t count = 77;
    uint64_t pieces = 77, counts[2] = {77, 77};
    CHECK_OK(mks_cutting_stock_instance_pinned_count(plain, &count));
    CHECK(count == 0);
    CHECK_OK(mks_cutting_stock_instance_pinned_count(pinned, &count));
    CHECK(count == 2);
    CHECK_OK(mks_cutting_stock_instance_pinned_pieces(pinned, 1, &pieces));
    CHECK(pieces == 1);
    CHECK_OK(mks_cutting_stock_instance_pinned_counts(pinned, 0, counts, 2));
    CHECK(counts[0] == 0 && counts[1] == 2);
    REFUSED(mks_cutting_stock_instance_pinned_pieces(pinned, 2, &pieces), "index: 2 is not below");
    REFUSED(mks_cutting_stock_instance_pinned_counts(pinned, 2, counts, 2), "index: 2 is not");
    REFUSED(mks_cutting_stock_instance_pinned_counts(pinned, 0, counts, 1), "counts: has room");

    static const uint64_t PAIRS[2] = {1, 1}, BOTH[4] = {1, 1, 1, 1};
    int64_t used = 77;
    CHECK_OK(mks_cutting_stock_check(plain, PAIRS, BOTH, 2, &used));
    CHECK(used == 2);
    REFUSED(mks_cutting_stock_check(pinned, PAIRS, BOTH, 2, &used),
        "patterns[0]: has 1 items of type 1, 2 are pinned");

    mks_result *result = NULL;
    CHECK_OK(mks_cutting_stock_solve(context, pinned, NULL, &result));
    const mks_summary summary = summary_of(result);
    CHECK(summary.status == MKS_SOLUTION_STATUS_OPTIMAL && summary.objective == 3);
    CHECK_OK(mks_cutting_stock_pattern_counts(result, 0, counts, 2));
    CHECK(counts[0] == 0 && counts[1] == 2);
    mks_result_free(result);
    static const uint32_t START[6] = {2, 2, 0, 1, 1, 1};
    mks_options *start = options_with("cutting_stock", NULL);
    CHECK_OK(mks_options_set_list(start, "start", START, 6));
    SOLVE_REFUSED(mks_cutting_stock, context, pinned, start, "start[0]: has 1 items of type 1");
    mks_cutting_stock_instance_free(pinned);

    /* Every item is on a piece already. */
    CHECK_OK(mks_cutting_stock_instance_with_pinned(plain, ALL, BOTH, 1, &pinned));
    CHECK_OK(mks_cutting_stock_solve(context, pinned, NULL, &result));
    CHECK(summary_of(result).objective == 2);
    mks_result_free(result);
    mks_cutting_stock_instance_free(plain);
    mks_cutting_stock_instance_free(pinned);
}

static void knapsack(const mks_context *context)
{
    static const uint64_t PROFITS[3] = {8, 10, 10}, WEIGHTS[3] = {4, 6, 6};
    static const uint64_t FIRST[3] = {1, 0, 0}, TWO[3] = {2, 0, 0}, HEAVY[3] = {1, 1, 1};
    static const uint64_t OTHERS[3] = {0, 1, 1};
    mks_knapsack_instance *plain = NULL, *pinned = NULL;
    CHECK_OK(mks_knapsack_instance_create(PROFITS, WEIGHTS, NULL, 3, 12, &plain));
    REFUSED(mks_knapsack_instance_with_pinned(plain, NULL, 3, &pinned), "pinned: is NULL");
    REFUSED(mks_knapsack_instance_with_pinned(plain, FIRST, 3, NULL), "changed: is NULL");
    REFUSED(mks_knapsack_instance_with_pinned(plain, FIRST, 2, &pinned),
        "pinned: 2 counts for 3 items");
    REFUSED(mks_knapsack_instance_with_pinned(plain, TWO, 3, &pinned),
        "pinned[0]: is 2, the most is 1");
    REFUSED(mks_knapsack_instance_with_pinned(plain, HEAVY, 3, &pinned),
        "pinned: weigh 16, the capacity is 12");
    CHECK(pinned == NULL);
    CHECK_OK(mks_knapsack_instance_with_pinned(plain, FIRST, 3, &pinned));

    const uint64_t *list = NULL;
    size_t count = 77;
    CHECK_OK(mks_knapsack_instance_pinned_view(plain, &list, &count));
    CHECK(count == 0);
    CHECK_OK(mks_knapsack_instance_pinned_view(pinned, &list, &count));
    CHECK(count == 3 && memcmp(list, FIRST, sizeof FIRST) == 0);
    int64_t profit = 77;
    REFUSED(mks_knapsack_check(pinned, OTHERS, 3, &profit), "counts[0]: is 0, 1 copies are pinned");
    CHECK(profit == 77);
    CHECK_OK(mks_knapsack_check(plain, OTHERS, 3, &profit));
    CHECK(profit == 20);

    mks_result *result = NULL;
    uint64_t counts[3];
    CHECK_OK(mks_knapsack_solve(context, pinned, NULL, &result));
    const mks_summary summary = summary_of(result);
    CHECK(summary.status == MKS_SOLUTION_STATUS_OPTIMAL && summary.objective == 18);
    CHECK_OK(mks_knapsack_counts(result, counts, 3));
    CHECK(counts[0] == 1 && counts[1] + counts[2] == 1);
    mks_result_free(result);
    static const uint32_t START[3] = {0, 1, 1};
    mks_options *start = options_with("knapsack", NULL);
    CHECK_OK(mks_options_set_list(start, "start", START, 3));
    SOLVE_REFUSED(mks_knapsack, context, pinned, start, "start[0]: is 0, 1 copies are pinned");
    result = NULL;
    CHECK_FAILS(mks_knapsack_profile(context, pinned, NULL, &result), MKS_STATUS_UNSUPPORTED,
        "a profit for every capacity with pinned copies");
    CHECK_FAILS(mks_knapsack_solve_profits(context, pinned, PROFITS, 1, NULL, &result),
        MKS_STATUS_UNSUPPORTED, "a batch of knapsacks with pinned copies");
    CHECK(result == NULL);

    /* A batch may have both. */
    mks_knapsack_instance *both[2] = {plain, pinned};
    mks_result *results[2] = {NULL, NULL};
    CHECK_OK(mks_knapsack_solve_batch(context, both, 2, NULL, results));
    CHECK(summary_of(results[0]).objective == 20 && summary_of(results[1]).objective == 18);
    mks_result_free(results[0]);
    mks_result_free(results[1]);
    mks_knapsack_instance_free(plain);
    mks_knapsack_instance_free(pinned);
}

int main(void)
{
    mks_context *context = cpu_context(2);
    machines(context);
    stock(context);
    knapsack(context);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}
