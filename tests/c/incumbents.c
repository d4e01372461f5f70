/* The best solution that a progress callback reads is the one of which it hears, in every method of
 * the problems that have solutions on the way. */
#include "check.h"

enum { JOBS = 60, MACHINES = 11, MOST_ITEMS = 500 };

/* What the callbacks need to evaluate a solution. */
typedef struct {
    const void *instance;
    const uint64_t *sizes;
    const uint64_t *profits;
    size_t items;
    int reports;
    int solutions;
} Problem;

static uint64_t numbers[2][MOST_ITEMS];

/* The result has the values of the report and belongs to the library. */
static const mks_result *incumbent_of(const mks_progress *progress, Problem *problem)
{
    problem->reports++;
    CHECK((progress->incumbent != NULL) == (progress->has_objective == 1));
    if (progress->incumbent == NULL) {
        return NULL;
    }
    problem->solutions++;
    const mks_summary summary = summary_of(progress->incumbent);
    CHECK(summary.has_objective == 1 && summary.objective == progress->objective);
    CHECK(summary.has_bound == progress->has_bound && summary.bound == progress->bound);
    CHECK(summary.status == MKS_SOLUTION_STATUS_FEASIBLE
        || (summary.status == MKS_SOLUTION_STATUS_OPTIMAL && summary.objective == summary.bound));
    const char *text = NULL;
    CHECK_OK(mks_result_method(progress->incumbent, &text));
    CHECK(*text == '\0');
    union {
        const mks_result *constant;
        mks_result *mutable;
    } lent = {progress->incumbent};
    mks_result_free(lent.mutable);
    return progress->incumbent;
}

static int32_t schedule(const mks_progress *progress, void *user_data)
{
    Problem *problem = user_data;
    const mks_result *incumbent = incumbent_of(progress, problem);
    if (incumbent != NULL) {
        uint32_t assignment[JOBS];
        uint64_t starts[JOBS], end = 0;
        int64_t makespan = 0;
        CHECK_OK(mks_parallel_machines_assignment(incumbent, assignment, JOBS));
        CHECK_OK(mks_parallel_machines_check(problem->instance, assignment, JOBS, &makespan));
        CHECK(makespan == progress->objective);
        CHECK_OK(mks_parallel_machines_starts(incumbent, starts, JOBS));
        for (size_t job = 0; job < JOBS; job++) {
            end = starts[job] + problem->sizes[job] > end ? starts[job] + problem->sizes[job] : end;
        }
        CHECK((int64_t)end == progress->objective);
        REFUSED(mks_flow_shop_permutation(incumbent, assignment, JOBS),
            "result: is one of parallel_machines, not of flow_shop");
    }
    return MKS_CONTROL_CONTINUE;
}

static int32_t sequence(const mks_progress *progress, void *user_data)
{
    Problem *problem = user_data;
    const mks_result *incumbent = incumbent_of(progress, problem);
    if (incumbent != NULL) {
        uint32_t permutation[JOBS];
        int64_t makespan = 0;
        CHECK_OK(mks_flow_shop_permutation(incumbent, permutation, JOBS));
        CHECK_OK(mks_flow_shop_check(problem->instance, permutation, problem->items, &makespan));
        CHECK(makespan == progress->objective);
    }
    return MKS_CONTROL_CONTINUE;
}

static int32_t packing(const mks_progress *progress, void *user_data)
{
    Problem *problem = user_data;
    const mks_result *incumbent = incumbent_of(progress, problem);
    if (incumbent != NULL) {
        uint64_t counts[JOBS], cut[JOBS] = {0};
        size_t patterns = 0;
        int64_t pieces = 0;
        CHECK_OK(mks_cutting_stock_pattern_count(incumbent, &patterns));
        for (size_t pattern = 0; pattern < patterns; pattern++) {
            uint64_t used = 0;
            CHECK_OK(mks_cutting_stock_pattern_pieces(incumbent, pattern, &used));
            CHECK_OK(mks_cutting_stock_pattern_counts(incumbent, pattern, counts, JOBS));
            for (size_t item = 0; item < problem->items; item++) {
                cut[item] += used * counts[item];
            }
            pieces += (int64_t)used;
        }
        for (size_t item = 0; item < problem->items; item++) {
            CHECK(cut[item] == 1);
        }
        CHECK(pieces == progress->objective);
    }
    return MKS_CONTROL_CONTINUE;
}

static int32_t selection(const mks_progress *progress, void *user_data)
{
    Problem *problem = user_data;
    const mks_result *incumbent = incumbent_of(progress, problem);
    if (incumbent != NULL) {
        uint64_t counts[MOST_ITEMS], profit = 0;
        CHECK_OK(mks_knapsack_counts(incumbent, counts, MOST_ITEMS));
        for (size_t item = 0; item < problem->items; item++) {
            profit += counts[item] * problem->profits[item];
        }
        CHECK((int64_t)profit == progress->objective);
    }
    return MKS_CONTROL_CONTINUE;
}

static mks_options *watched(
    const char *owner, const char *method, mks_progress_callback callback, Problem *problem)
{
    mks_options *options = options_with(owner, "method", method, "time_limit", "0.1", NULL);
    problem->reports = problem->solutions = 0;
    CHECK_OK(mks_options_set_progress(options, callback, problem));
    return options;
}

/* Solves with each method and counts what the callback has read. */
#define FOLLOWED(group, owner, instance, callback, problem, ...) \
    do { \
        const char *const methods[] = {__VA_ARGS__}; \
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) { \
            mks_result *result = NULL; \
            SOLVED(group, context, instance, watched(owner, methods[i], callback, &problem), \
                &result); \
            CHECK(problem.reports >= problem.solutions && problem.solutions > 1); \
            mks_result_free(result); \
        } \
    } while (0)

int main(void)
{
    mks_context *context = cpu_context(2);
    uint64_t state = 1;
    for (size_t i = 0; i < MOST_ITEMS; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        numbers[0][i] = 1000 + (state >> 33) % 3000;
        numbers[1][i] = numbers[0][i] + 300;
    }

    mks_parallel_machines_instance *jobs = NULL;
    CHECK_OK(mks_parallel_machines_instance_create(numbers[0], JOBS, MACHINES, &jobs));
    Problem planned = {.instance = jobs, .sizes = numbers[0], .items = JOBS};
    FOLLOWED(mks_parallel_machines, "parallel_machines", jobs, schedule, planned, "auto", "lpt",
        "multifit", "exact");
    mks_parallel_machines_instance_free(jobs);

    mks_flow_shop_instance *shop = NULL;
    CHECK_OK(mks_flow_shop_instance_named("ta031", &shop));
    Problem sequenced = {.instance = shop, .items = 50};
    FOLLOWED(mks_flow_shop, "flow_shop", shop, sequence, sequenced, "auto", "neh",
        "branch-and-bound", "beam", "iterated-greedy", "tabu");
    mks_flow_shop_instance_free(shop);

    mks_cutting_stock_instance *stock = NULL;
    uint64_t one_of_each[JOBS];
    for (size_t i = 0; i < JOBS; i++) {
        one_of_each[i] = 1;
    }
    CHECK_OK(mks_cutting_stock_instance_create(numbers[0], one_of_each, JOBS, 10000, &stock));
    Problem packed = {.instance = stock, .items = JOBS};
    FOLLOWED(mks_cutting_stock, "cutting_stock", stock, packing, packed, "auto", "ffd", "exact");
    mks_cutting_stock_instance_free(stock);

    mks_knapsack_instance *items = NULL;
    CHECK_OK(
        mks_knapsack_instance_create(numbers[1], numbers[0], NULL, MOST_ITEMS, 600000, &items));
    Problem selected = {.instance = items, .profits = numbers[1], .items = MOST_ITEMS};
    FOLLOWED(
        mks_knapsack, "knapsack", items, selection, selected, "auto", "greedy", "core", "dense");
    mks_knapsack_instance_free(items);

    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}
