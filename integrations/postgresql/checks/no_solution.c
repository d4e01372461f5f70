/* Stands before the library, by LD_PRELOAD: every solve seems to have been stopped without a
 * solution, which solves of some problems never are. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <makespan.h>

mks_status mks_result_summary(const struct mks_result *result, struct mks_summary *summary)
{
    mks_status (*library)(const struct mks_result *, struct mks_summary *);
    *(void **)&library = dlsym(RTLD_NEXT, "mks_result_summary");
    mks_status status = library(result, summary);
    summary->status = MKS_SOLUTION_STATUS_STOPPED;
    summary->has_objective = 0;
    summary->has_bound = 0;
    return status;
}

mks_status mks_knapsack_counts(const struct mks_result *result, uint64_t *counts, size_t capacity)
{
    (void)result, (void)counts, (void)capacity;
    return MKS_STATUS_NOT_AVAILABLE;
}

mks_status mks_multidimensional_knapsack_counts(
    const struct mks_result *result, uint64_t *counts, size_t capacity)
{
    return mks_knapsack_counts(result, counts, capacity);
}

mks_status mks_cutting_stock_pattern_count(const struct mks_result *result, size_t *count)
{
    (void)count;
    return mks_knapsack_counts(result, NULL, 0);
}
