/* What calls cost: small solves from C, in processor time, and batches.
 *
 *     calls knapsack | one-call | progress | batches
 *
 * Each line has the best and the median of several rounds; batches have processor time, too. The harness `solves` prints the batches
 * of the same instances in Rust: `cargo bench --bench solves -- batches`. */
#include <makespan.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void must(mks_status status)
{
    if (status != MKS_STATUS_OK) {
        fprintf(stderr, "%s\n", mks_last_error());
        exit(1);
    }
}

static double now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The numbers of both programs. */
static uint64_t state = 1;

static uint64_t below(uint64_t limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % limit;
}

static int by_size(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

enum { ROUNDS = 5 };

/* Each line comes at once, also in a pipe. */
static void print(const char *what, double *seconds, double parts)
{
    qsort(seconds, ROUNDS, sizeof *seconds, by_size);
    printf("%-40s best %9.3f us, median %9.3f us\n", what, seconds[0] / parts * 1e6,
        seconds[ROUNDS / 2] / parts * 1e6);
    fflush(stdout);
}

static mks_context *context_of(int64_t threads)
{
    mks_context *context;
    mks_options *options;
    must(mks_options_create("context", &options));
    must(mks_options_set(options, "engine", "cpu"));
    must(mks_options_set_int64(options, "threads", threads));
    must(mks_context_create(options, &context));
    mks_options_free(options);
    return context;
}

enum { ITEMS = 20, CAPACITY = 100 };

static mks_knapsack_instance *sack(void)
{
    uint64_t profits[ITEMS], weights[ITEMS];
    for (size_t item = 0; item < ITEMS; item++) {
        weights[item] = 1 + below(30);
        profits[item] = 1 + below(30);
    }
    mks_knapsack_instance *instance;
    must(mks_knapsack_instance_create(profits, weights, NULL, ITEMS, CAPACITY, &instance));
    return instance;
}

/* Instance, solve, summary, solution, and the end of both, in one context. */
static void through_handles(void)
{
    enum { SOLVES = 20000 };
    mks_context *context = context_of(2);
    double seconds[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        const double start = now(CLOCK_PROCESS_CPUTIME_ID);
        for (int solve = 0; solve < SOLVES; solve++) {
            mks_knapsack_instance *instance = sack();
            mks_result *result;
            mks_summary summary;
            uint64_t counts[ITEMS];
            must(mks_knapsack_solve(context, instance, NULL, &result));
            must(mks_summary_init(&summary, sizeof summary));
            must(mks_result_summary(result, &summary));
            must(mks_knapsack_counts(result, counts, ITEMS));
            mks_result_free(result);
            mks_knapsack_instance_free(instance);
        }
        seconds[round] = now(CLOCK_PROCESS_CPUTIME_ID) - start;
    }
    print("a knapsack through handles", seconds, SOLVES);
    must(mks_context_free(context));
}

static void one_call(void)
{
    enum { SOLVES = 20000 };
    double seconds[ROUNDS];
    uint64_t profits[ITEMS], weights[ITEMS], counts[ITEMS];
    int64_t profit, bound;
    for (int round = 0; round < ROUNDS; round++) {
        const double start = now(CLOCK_PROCESS_CPUTIME_ID);
        for (int solve = 0; solve < SOLVES; solve++) {
            for (size_t item = 0; item < ITEMS; item++) {
                weights[item] = 1 + below(30);
                profits[item] = 1 + below(30);
            }
            must(mks_knapsack_fill(
                profits, weights, ITEMS, CAPACITY, INFINITY, counts, &profit, &bound));
        }
        seconds[round] = now(CLOCK_PROCESS_CPUTIME_ID) - start;
    }
    print("a knapsack through one call", seconds, SOLVES);
}

static int32_t go_on(const mks_progress *progress, void *user_data)
{
    (void)progress, (void)user_data;
    return MKS_CONTROL_CONTINUE;
}

/* Processor time of one solve by a number of iterations. */
static double solve_heard(mks_context *context, const mks_flow_shop_instance *instance,
    mks_options *options, int is_heard)
{
    mks_result *result;
    must(mks_options_set_progress(options, is_heard ? go_on : NULL, NULL));
    const double start = now(CLOCK_PROCESS_CPUTIME_ID);
    must(mks_flow_shop_solve(context, instance, options, &result));
    const double seconds = now(CLOCK_PROCESS_CPUTIME_ID) - start;
    mks_result_free(result);
    return seconds;
}

enum { PAIRS = 101 };

/* Solves in turn with and without a callback that does nothing. What disturbs the machine lengthens
 * single solves, so the least times and the median of the pairs count. */
static void progress(void)
{
    mks_context *context = context_of(1);
    mks_flow_shop_instance *instance;
    mks_options *options;
    must(mks_flow_shop_instance_named("ta051", &instance));
    must(mks_options_create("flow_shop", &options));
    must(mks_options_set(options, "method", "iterated-greedy"));
    must(mks_options_set(options, "iteration_limit", "100"));
    double with[PAIRS], without[PAIRS], factors[PAIRS];
    for (int pair = 0; pair < PAIRS; pair++) {
        for (int turn = 0; turn < 2; turn++) {
            const int is_heard = (pair + turn) % 2;
            *(is_heard ? &with[pair] : &without[pair]) =
                solve_heard(context, instance, options, is_heard);
        }
        factors[pair] = with[pair] / without[pair];
    }
    qsort(with, PAIRS, sizeof *with, by_size);
    qsort(without, PAIRS, sizeof *without, by_size);
    qsort(factors, PAIRS, sizeof *factors, by_size);
    printf("a flow shop without a callback: best %.3f ms; with one: best %.3f ms\n",
        without[0] * 1e3, with[0] * 1e3);
    printf("with over without: best %.4f; median of %d pairs %.4f, quartiles %.4f and %.4f\n",
        with[0] / without[0], PAIRS, factors[PAIRS / 2], factors[PAIRS / 4],
        factors[3 * PAIRS / 4]);
    mks_options_free(options);
    mks_flow_shop_instance_free(instance);
    must(mks_context_free(context));
}

/* Batches with two threads; freeing the results counts, as it does in Rust. */
#define BATCH(what, type, count, make, solve_batch, release, options) \
    do { \
        type **instances = malloc(count * sizeof *instances); \
        mks_result **results = malloc(count * sizeof *results); \
        double seconds[ROUNDS], processor[ROUNDS]; \
        state = 1; \
        for (size_t i = 0; i < count; i++) { \
            instances[i] = make(); \
        } \
        for (int round = 0; round < ROUNDS; round++) { \
            const double start = now(CLOCK_MONOTONIC); \
            const double before = now(CLOCK_PROCESS_CPUTIME_ID); \
            must(solve_batch(context, instances, count, options, results)); \
            for (size_t i = 0; i < count; i++) { \
                mks_result_free(results[i]); \
            } \
            seconds[round] = now(CLOCK_MONOTONIC) - start; \
            processor[round] = now(CLOCK_PROCESS_CPUTIME_ID) - before; \
        } \
        print(what, seconds, count); \
        print("  processor time", processor, count); \
        for (size_t i = 0; i < count; i++) { \
            release(instances[i]); \
        } \
        free(instances); \
        free(results); \
    } while (0)

static mks_parallel_machines_instance *jobs(void)
{
    uint64_t times[20];
    for (size_t job = 0; job < 20; job++) {
        times[job] = 1 + below(100);
    }
    mks_parallel_machines_instance *instance;
    must(mks_parallel_machines_instance_create(times, 20, 4, &instance));
    return instance;
}

static mks_flow_shop_instance *shop(void)
{
    uint64_t times[50];
    for (size_t operation = 0; operation < 50; operation++) {
        times[operation] = 1 + below(99);
    }
    mks_flow_shop_instance *instance;
    must(mks_flow_shop_instance_create(times, 10, 5, &instance));
    return instance;
}

static void batches(void)
{
    mks_context *context = context_of(2);
    mks_options *options;
    must(mks_options_create("flow_shop", &options));
    must(mks_options_set(options, "method", "neh"));
    BATCH("100000 knapsacks", mks_knapsack_instance, 100000u, sack, mks_knapsack_solve_batch,
        mks_knapsack_instance_free, NULL);
    BATCH("100000 P||Cmax", mks_parallel_machines_instance, 100000u, jobs,
        mks_parallel_machines_solve_batch, mks_parallel_machines_instance_free, NULL);
    BATCH("10000 flow shops of 10 x 5 by NEH", mks_flow_shop_instance, 10000u, shop,
        mks_flow_shop_solve_batch, mks_flow_shop_instance_free, options);
    mks_options_free(options);
    must(mks_context_free(context));
}

int main(int count, char **arguments)
{
    const char *what = count == 2 ? arguments[1] : "";
    if (strcmp(what, "knapsack") == 0) {
        through_handles();
    } else if (strcmp(what, "one-call") == 0) {
        one_call();
    } else if (strcmp(what, "progress") == 0) {
        progress();
    } else if (strcmp(what, "batches") == 0) {
        batches();
    } else {
        fprintf(stderr, "usage: calls knapsack|one-call|progress|batches\n");
        return 2;
    }
    return 0;
}
