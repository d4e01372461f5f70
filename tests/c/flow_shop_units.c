/* Units of work: a proof in parts on two threads, with bytes between them, and what is refused. */
#include "check.h"
#include <makespan_units.h>
#include <pthread.h>

/* Decomposed nodes of the proof that no schedule of ta014 is shorter than 1377. */
enum { JOBS = 20, PARTS = 4 };
static const uint64_t NODES = 19285;

static mks_options *proof(const char *upper_bound)
{
    return options_with(
        "flow_shop", "method", "branch-and-bound", "upper_bound", upper_bound, NULL);
}

static uint64_t nodes_of(const mks_flow_shop_unit *unit)
{
    uint64_t nodes = 0;
    CHECK_OK(mks_flow_shop_unit_nodes(unit, &nodes));
    return nodes;
}

static int is_done(const mks_flow_shop_unit *unit)
{
    int32_t done = 7;
    CHECK_OK(mks_flow_shop_unit_is_done(unit, &done));
    return done;
}

/* The same unit, by way of its bytes. */
static mks_flow_shop_unit *copy_of(
    const mks_flow_shop_unit *unit, const mks_flow_shop_instance *instance, mks_options *options)
{
    const uint8_t *bytes = NULL;
    size_t length = 0;
    mks_flow_shop_unit *copy = NULL;
    CHECK_OK(mks_flow_shop_unit_bytes_view(unit, &bytes, &length));
    CHECK_OK(mks_flow_shop_unit_from_bytes(instance, options, bytes, length, &copy));
    return copy;
}

struct work {
    const mks_context *context;
    const mks_flow_shop_upper_bound *bound;
    mks_flow_shop_unit **parts;
};

static void *work_on(void *given)
{
    const struct work *work = given;
    for (int part = 0; part < PARTS / 2; part++) {
        uint64_t nodes = 0;
        const uint64_t before = nodes_of(work->parts[part]);
        CHECK_OK(
            mks_flow_shop_unit_run(work->context, work->parts[part], NULL, work->bound, &nodes));
        CHECK(nodes_of(work->parts[part]) == before + nodes && is_done(work->parts[part]));
    }
    return NULL;
}

/* Parts on two threads have the nodes of the whole tree together. */
static void share(const mks_context *context, const mks_flow_shop_instance *instance)
{
    mks_options *options = proof("1377");
    mks_flow_shop_unit *whole = NULL, *parts[PARTS];
    mks_flow_shop_upper_bound *bound = NULL;
    uint64_t known = 0;
    int64_t limit = 0, least = 0;
    size_t open = 0;
    CHECK_OK(mks_flow_shop_unit_create(instance, options, &whole));
    CHECK_OK(mks_flow_shop_unit_open_nodes(whole, &open));
    CHECK(open == 1 && nodes_of(whole) == 0 && !is_done(whole));
    CHECK_OK(mks_flow_shop_unit_bound(whole, &least));
    CHECK_OK(mks_flow_shop_unit_limit(whole, &limit));
    CHECK(least < limit && limit == 1377);
    CHECK_OK(mks_flow_shop_unit_split(whole, PARTS, parts));
    CHECK_OK(mks_flow_shop_upper_bound_create(&bound));
    CHECK_OK(mks_flow_shop_upper_bound_get(bound, &known));
    CHECK(known == UINT64_MAX);
    struct work halves[2] = {{context, bound, parts}, {context, bound, parts + PARTS / 2}};
    pthread_t threads[2];
    for (int half = 0; half < 2; half++) {
        CHECK(pthread_create(&threads[half], NULL, work_on, &halves[half]) == 0);
    }
    for (int half = 0; half < 2; half++) {
        CHECK(pthread_join(threads[half], NULL) == 0);
    }
    for (int part = 1; part < PARTS; part++) {
        mks_flow_shop_unit *copy = copy_of(parts[part], instance, options);
        CHECK_OK(mks_flow_shop_unit_merge(parts[0], copy));
        mks_flow_shop_unit_free(copy);
    }
    CHECK(nodes_of(parts[0]) == NODES && is_done(parts[0]));
    CHECK_OK(mks_flow_shop_upper_bound_get(bound, &known));
    CHECK(known == 1377);
    for (int part = 0; part < PARTS; part++) {
        mks_flow_shop_unit_free(parts[part]);
    }
    mks_flow_shop_unit_free(whole);
    mks_flow_shop_upper_bound_free(bound);
    mks_options_free(options);
}

/* A coordinator keeps a copy, gives a part of it away, and gets a remainder. */
static void coordinate(const mks_context *context, const mks_flow_shop_instance *instance)
{
    mks_options *options = proof("1377"),
                *budget = options_with("flow_shop", "iteration_limit", "500", NULL);
    mks_flow_shop_unit *held = NULL, *halves[2];
    mks_flow_shop_upper_bound *bound = NULL;
    uint64_t nodes = 0, epoch = 0, done = 0;
    CHECK_OK(mks_flow_shop_upper_bound_create(&bound));
    CHECK_OK(mks_flow_shop_unit_create(instance, options, &held));
    CHECK_OK(mks_flow_shop_unit_set_epoch(held, 9));
    mks_flow_shop_unit *worker = copy_of(held, instance, options);
    CHECK_OK(mks_flow_shop_unit_epoch(worker, &epoch));
    CHECK(epoch == 9);
    CHECK_OK(mks_flow_shop_unit_run(context, worker, budget, bound, &nodes));
    CHECK(nodes > 0 && nodes <= 500 && !is_done(worker));
    done += nodes;
    CHECK_OK(mks_flow_shop_unit_intersect(held, worker));
    CHECK_OK(mks_flow_shop_unit_split(held, 2, halves));
    CHECK_OK(mks_flow_shop_unit_set_epoch(halves[0], 9));
    CHECK_OK(mks_flow_shop_unit_set_epoch(halves[1], 10));
    /* What the split decomposed. */
    done += nodes_of(halves[0]);
    REFUSED(mks_flow_shop_unit_intersect(halves[1], worker),
        "remainder: is of epoch 9, the unit is of epoch 10");
    /* The worker knows nothing of the split. Its remainder has both halves. */
    CHECK_OK(mks_flow_shop_unit_intersect(halves[0], worker));
    for (int half = 0; half < 2; half++) {
        CHECK_OK(mks_flow_shop_unit_run(context, halves[half], NULL, bound, &nodes));
        CHECK(is_done(halves[half]));
        done += nodes;
    }
    CHECK(done == NODES);
    mks_flow_shop_unit_free(held);
    mks_flow_shop_unit_free(worker);
    mks_flow_shop_unit_free(halves[0]);
    mks_flow_shop_unit_free(halves[1]);
    mks_flow_shop_upper_bound_free(bound);
    mks_options_free(options);
    mks_options_free(budget);
}

/* A schedule and a bound from elsewhere. */
static void learn(const mks_context *context, const mks_flow_shop_instance *instance)
{
    mks_options *options = options_with("flow_shop", "method", "branch-and-bound", NULL);
    mks_flow_shop_unit *unit = NULL;
    mks_flow_shop_upper_bound *bound = NULL;
    uint32_t best[JOBS], order[JOBS];
    int64_t makespan = 0, again = 0, limit = 0;
    uint64_t nodes = 7;
    CHECK_OK(mks_flow_shop_unit_create(instance, options, &unit));
    CHECK_OK(mks_flow_shop_unit_best(unit, best, JOBS, &makespan));
    CHECK_OK(mks_flow_shop_check(instance, best, JOBS, &again));
    CHECK(makespan == again && makespan >= 1377);
    for (uint32_t job = 0; job < JOBS; job++) {
        order[job] = job;
    }
    CHECK_OK(mks_flow_shop_unit_offer(unit, order, JOBS));
    CHECK_OK(mks_flow_shop_unit_best(unit, order, JOBS, &again));
    CHECK(makespan == again && memcmp(best, order, sizeof best) == 0);
    order[0] = order[1];
    REFUSED(mks_flow_shop_unit_offer(unit, order, JOBS), "stands at position 0 already");
    REFUSED(mks_flow_shop_unit_best(unit, order, JOBS - 1, &again), "permutation: has room for 19");
    CHECK_OK(mks_flow_shop_upper_bound_create(&bound));
    CHECK_OK(mks_flow_shop_upper_bound_lower(bound, 5));
    CHECK_OK(mks_flow_shop_unit_run(context, unit, NULL, bound, &nodes));
    CHECK_OK(mks_flow_shop_unit_limit(unit, &limit));
    CHECK(nodes == 0 && is_done(unit) && limit == 5);
    mks_flow_shop_unit_free(unit);
    mks_flow_shop_upper_bound_free(bound);
    mks_options_free(options);
}

/* Units and checkpoints, which have the same content. */
static void files(const mks_context *context, const mks_flow_shop_instance *instance)
{
    const char path[] = "flow_shop_units.checkpoint";
    mks_options *options = proof("1377"), *with_file = proof("1377");
    mks_flow_shop_unit *unit = NULL, *again = NULL;
    mks_flow_shop_upper_bound *bound = NULL;
    mks_result *result = NULL;
    uint64_t nodes = 0;
    CHECK_OK(mks_flow_shop_upper_bound_create(&bound));
    CHECK_OK(mks_flow_shop_unit_create(instance, options, &unit));
    CHECK_OK(mks_flow_shop_unit_run(context, unit, NULL, bound, &nodes));
    CHECK_OK(mks_flow_shop_unit_write_checkpoint(unit, path));
    CHECK_OK(mks_flow_shop_unit_read_checkpoint(instance, options, path, &again));
    CHECK(nodes_of(again) == NODES && is_done(again));
    CHECK_OK(mks_options_set(with_file, "checkpoint", path));
    CHECK_OK(mks_flow_shop_solve(context, instance, with_file, &result));
    CHECK(summary_of(result).status == MKS_SOLUTION_STATUS_INFEASIBLE);
    CHECK(summary_of(result).bound == 1377);
    REFUSED(mks_flow_shop_unit_create(instance, with_file, &again), "checkpoint: units of work");
    CHECK_FAILS(mks_flow_shop_unit_read_checkpoint(instance, options, "/nowhere/x", &again),
        MKS_STATUS_IO, "/nowhere/x");
    CHECK_FAILS(
        mks_flow_shop_unit_write_checkpoint(unit, "/nowhere/x"), MKS_STATUS_IO, "/nowhere/x");
    CHECK(remove(path) == 0);
    mks_result_free(result);
    mks_flow_shop_unit_free(unit);
    mks_flow_shop_unit_free(again);
    mks_flow_shop_upper_bound_free(bound);
    mks_options_free(options);
    mks_options_free(with_file);
}

static void refusals(const mks_flow_shop_instance *instance)
{
    mks_options *options = proof("1377"),
                *other =
                    options_with("flow_shop", "method", "branch-and-bound", "bound", "lb2", NULL);
    mks_flow_shop_unit *unit = NULL, *none = NULL, *stranger = NULL, *parts[1];
    mks_flow_shop_instance *blocking = NULL;
    const uint8_t *bytes = NULL;
    uint8_t damaged[512];
    size_t length = 0;
    REFUSED(mks_flow_shop_unit_create(instance, NULL, &none), "method: must be branch-and-bound");
    CHECK_OK(mks_flow_shop_instance_with_blocking(instance, &blocking));
    CHECK_FAILS(mks_flow_shop_unit_create(blocking, options, &none), MKS_STATUS_UNSUPPORTED,
        "units of work");
    CHECK_OK(mks_flow_shop_unit_create(instance, options, &unit));
    CHECK_OK(mks_flow_shop_unit_bytes_view(unit, &bytes, &length));
    CHECK(length < sizeof damaged);
    memcpy(damaged, bytes, length);
    damaged[length / 2] ^= 1;
    REFUSED(mks_flow_shop_unit_from_bytes(instance, options, damaged, length, &none),
        "bytes: is damaged");
    REFUSED(mks_flow_shop_unit_from_bytes(instance, other, bytes, length, &none),
        "bytes: belongs to a search with other options");
    memcpy(damaged, bytes, length);
    damaged[8]++;
    REFUSED(mks_flow_shop_unit_from_bytes(instance, options, damaged, length, &none),
        "bytes: has a version that this library does not know");
    CHECK_OK(mks_flow_shop_unit_create(instance, other, &stranger));
    REFUSED(mks_flow_shop_unit_merge(unit, stranger), "other: belongs to another search tree");
    REFUSED(mks_flow_shop_unit_merge(unit, NULL), "other: is NULL");
    REFUSED(mks_flow_shop_unit_intersect(unit, NULL), "remainder: is NULL");
    REFUSED(mks_flow_shop_unit_split(unit, 0, parts), "count: must be at least 1, not 0");
    CHECK(none == NULL);
    mks_flow_shop_unit_free(unit);
    mks_flow_shop_unit_free(stranger);
    mks_flow_shop_instance_free(blocking);
    mks_options_free(options);
    mks_options_free(other);
}

int main(void)
{
    mks_context *context = NULL;
    mks_flow_shop_instance *instance = NULL;
    mks_options *of_context = options_with("context", "engine", "cpu", "threads", "2", NULL);
    CHECK_OK(mks_context_create(of_context, &context));
    mks_options_free(of_context);
    CHECK_OK(mks_flow_shop_instance_named("ta014", &instance));
    share(context, instance);
    coordinate(context, instance);
    learn(context, instance);
    files(context, instance);
    refusals(instance);
    mks_flow_shop_instance_free(instance);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}
