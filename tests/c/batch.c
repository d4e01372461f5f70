/* Batches: many instances in, their results out, and handles of another type. */
#include "check.h"

enum { COUNT = 20 };

/* Every result has this objective and status; ends the results. */
static void all(mks_result **results, int64_t objective, int32_t status)
{
    for (size_t i = 0; i < COUNT; i++) {
        const mks_summary summary = summary_of(results[i]);
        CHECK(summary.status == status);
        CHECK(status == MKS_SOLUTION_STATUS_STOPPED ? !summary.has_objective
                                                    : summary.objective == objective);
        mks_result_free(results[i]);
    }
}

static int32_t on_progress(const mks_progress *progress, void *share)
{
    if (progress->fraction >= 0) {
        CHECK(progress->fraction >= *(double *)share && progress->fraction <= 1);
        *(double *)share = progress->fraction;
    }
    return MKS_CONTROL_CONTINUE;
}

/* Solves COUNT times one instance, without and with time; refuses wrong arguments. */
#define CHECK_BATCH(type, solve_batch, context, instance, owner, objective) \
    do { \
        type *instances[COUNT]; \
        mks_result *results[COUNT]; \
        for (size_t i = 0; i < COUNT; i++) { \
            instances[i] = instance; \
        } \
        CHECK_OK(solve_batch(context, instances, COUNT, NULL, results)); \
        all(results, objective, MKS_SOLUTION_STATUS_OPTIMAL); \
        double share = 0; \
        mks_options *options = options_with(owner, "time_limit", "60", NULL); \
        CHECK_OK(mks_options_set_progress(options, on_progress, &share)); \
        CHECK_OK(solve_batch(context, instances, COUNT, options, results)); \
        CHECK(share >= 1); \
        all(results, objective, MKS_SOLUTION_STATUS_OPTIMAL); \
        CHECK_OK(mks_options_set(options, "time_limit", "0")); \
        share = 0; \
        CHECK_OK(solve_batch(context, instances, COUNT, options, results)); \
        all(results, 0, MKS_SOLUTION_STATUS_STOPPED); \
        mks_options_free(options); \
        CHECK_OK(solve_batch(context, NULL, 0, NULL, NULL)); \
        results[0] = NULL; \
        REFUSED(solve_batch(NULL, instances, COUNT, NULL, results), "context: is NULL"); \
        REFUSED(solve_batch(context, NULL, COUNT, NULL, results), "instances: is NULL"); \
        REFUSED(solve_batch(context, instances, COUNT, NULL, NULL), "results: is NULL"); \
        REFUSED(solve_batch(context, instances, SIZE_MAX, NULL, results), "instances"); \
        instances[7] = NULL; \
        REFUSED(solve_batch(context, instances, COUNT, NULL, results), "instances[7]: is NULL"); \
        instances[7] = (type *)(void *)(uintptr_t)(const void *)context; \
        REFUSED( \
            solve_batch(context, instances, COUNT, NULL, results), "instances[7]: is no " #type); \
        CHECK(results[0] == NULL); \
    } while (0)

/* A handle of another type is refused, and stays. */
static void other_handles(mks_context *context)
{
    mks_parallel_machines_instance *jobs = graham();
    mks_stop *stop = NULL;
    mks_result *result = NULL;
    size_t threads = 0;
    CHECK_OK(mks_stop_create(&stop));
    REFUSED(mks_context_threads((const mks_context *)(const void *)jobs, &threads),
        "context: is no mks_context");
    REFUSED(mks_context_free((mks_context *)(void *)stop), "context: is no mks_context");
    REFUSED(mks_flow_shop_solve(
                context, (const mks_flow_shop_instance *)(const void *)jobs, NULL, &result),
        "instance: is no mks_flow_shop_instance");
    REFUSED(mks_parallel_machines_solve(
                context, jobs, (const mks_options *)(const void *)stop, &result),
        "options: is no mks_options");
    mks_result_free((mks_result *)(void *)stop);
    CHECK(strstr(mks_last_error(), "result: is no mks_result") != NULL);
    CHECK_OK(mks_stop_trip(stop));
    CHECK(result == NULL);
    mks_stop_free(stop);
    mks_parallel_machines_instance_free(jobs);
}

int main(void)
{
    static const uint64_t times[6] = {3, 2, 1, 4, 2, 1};
    static const uint64_t profits[3] = {10, 7, 4}, weights[3] = {4, 6, 5};
    static const uint64_t lengths[4] = {44, 24, 20, 14};
    static const uint64_t demands[4] = {4, 6, 4, 6};
    static const uint64_t sizes[1] = {8}, offsets[2] = {1, 3};
    static const uint64_t costs[2] = {1, 1};
    static const int64_t dimensions[4] = {2, 3, 4, 5};
    mks_context *context = cpu_context(2);
    mks_parallel_machines_instance *jobs = graham();
    mks_flow_shop_instance *shop = NULL;
    mks_knapsack_instance *items = NULL;
    mks_cutting_stock_instance *stock = NULL;
    mks_lattice_dp_instance *lattice = NULL;
    static const uint64_t distances[2] = {2, 1};
    static const int64_t steps[2] = {5, 3}, begin[2] = {0, 3};
    mks_interval_dp_instance *chain = NULL;
    mks_recurrence_instance *way = NULL;
    mks_recurrence_definition definition;
    CHECK_OK(mks_lattice_dp_instance_create(sizes, 1, offsets, costs, 2, &lattice));
    CHECK_OK(mks_interval_dp_instance_matrix_chain_i64(dimensions, 4, &chain));
    CHECK_OK(mks_recurrence_definition_init(&definition, sizeof definition));
    definition.length = 12;
    definition.offsets = distances;
    definition.offset_count = 2;
    definition.initial = begin;
    definition.initial_count = 2;
    definition.weights = steps;
    definition.weight_count = 2;
    CHECK_OK(mks_recurrence_instance_create(&definition, &way));
    CHECK_OK(mks_flow_shop_instance_create(times, 3, 2, &shop));
    CHECK_OK(mks_knapsack_instance_create(profits, weights, NULL, 3, 10, &items));
    CHECK_OK(mks_cutting_stock_instance_create(lengths, demands, 4, 100, &stock));
    CHECK_BATCH(mks_parallel_machines_instance, mks_parallel_machines_solve_batch, context, jobs,
        "parallel_machines", 9);
    CHECK_BATCH(mks_flow_shop_instance, mks_flow_shop_solve_batch, context, shop, "flow_shop", 8);
    CHECK_BATCH(mks_knapsack_instance, mks_knapsack_solve_batch, context, items, "knapsack", 17);
    CHECK_BATCH(mks_cutting_stock_instance, mks_cutting_stock_solve_batch, context, stock,
        "cutting_stock", 5);
    CHECK_BATCH(
        mks_lattice_dp_instance, mks_lattice_dp_solve_batch, context, lattice, "lattice_dp", 3);
    CHECK_BATCH(
        mks_interval_dp_instance, mks_interval_dp_solve_batch, context, chain, "interval_dp", 64);
    CHECK_BATCH(
        mks_recurrence_instance, mks_recurrence_solve_batch, context, way, "recurrence", 28);
    mks_recurrence_instance_free(way);
    mks_lattice_dp_instance_free(lattice);
    mks_interval_dp_instance_free(chain);
    mks_parallel_machines_instance_free(jobs);
    mks_flow_shop_instance_free(shop);
    mks_knapsack_instance_free(items);
    mks_cutting_stock_instance_free(stock);
    other_handles(context);
    CHECK_OK(mks_context_free(context));
    return 0;
}
