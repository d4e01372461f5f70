/* The lattice dynamic program: NULL, wrong arrays, texts, files, options and results. */
#include "check.h"
#include <math.h>

static const uint64_t SIZES[2] = {3, 2};
static const uint64_t OFFSETS[4] = {1, 0, 0, 1};
static const uint64_t COSTS[2] = {2, 2};

static void one_call(void)
{
    int64_t cost = 77;
    REFUSED(mks_lattice_dp_cost(NULL, 2, OFFSETS, COSTS, 2, 60, &cost), "sizes: is NULL");
    REFUSED(mks_lattice_dp_cost(SIZES, 2, NULL, COSTS, 2, 60, &cost), "offsets: is NULL");
    REFUSED(mks_lattice_dp_cost(SIZES, 2, OFFSETS, NULL, 2, 60, &cost), "costs: is NULL");
    REFUSED(mks_lattice_dp_cost(SIZES, 2, OFFSETS, COSTS, 2, 60, NULL), "cost: is NULL");
    REFUSED(mks_lattice_dp_cost(SIZES, 2, OFFSETS, COSTS, 2, -1, &cost), "time_limit_seconds: -1");
    REFUSED(mks_lattice_dp_cost(SIZES, 2, OFFSETS, COSTS, 2, (double)NAN, &cost),
        "time_limit_seconds: NaN");
    CHECK(cost == 77);
}

static void instances(void)
{
    mks_lattice_dp_instance *made = NULL;
    const uint64_t empty[2] = {3, 0}, huge[2] = {1 << 20, 1 << 20}, zeros[4] = {1, 0, 0, 0};
    const uint64_t wide[48] = {2, 2, 2, 2};
    const uint64_t items[2] = {4, 17};
    const uint64_t counts[2] = {1, 1};
    REFUSED(mks_lattice_dp_instance_create(SIZES, 2, OFFSETS, COSTS, 2, NULL), "instance: is NULL");
    REFUSED(mks_lattice_dp_instance_create(empty, 2, OFFSETS, COSTS, 2, &made),
        "sizes[1]: must be at least 1");
    REFUSED(mks_lattice_dp_instance_create(wide, 48, NULL, NULL, 0, &made),
        "sizes[4]: must be at least 1");
    REFUSED(mks_lattice_dp_instance_create(SIZES, 2, zeros, COSTS, 2, &made),
        "offsets[1]: is all zeros");
    CHECK_FAILS(mks_lattice_dp_instance_create(huge, 2, OFFSETS, COSTS, 2, &made),
        MKS_STATUS_OUT_OF_MEMORY, "a lattice of 1099511627776 cells needs");
    CHECK_FAILS(mks_lattice_dp_instance_create(SIZES, 2, OFFSETS, COSTS, SIZE_MAX, &made),
        MKS_STATUS_OVERFLOW, "dimensions and count");
    const uint64_t long_line[1] = {60000};
    const uint64_t one[1] = {1};
    CHECK_FAILS(mks_lattice_dp_instance_create(long_line, 1, one, COSTS, 1, &made),
        MKS_STATUS_UNSUPPORTED, "lattice values up to 119998, above 65534");
    REFUSED(mks_lattice_dp_packing_create(NULL, counts, 2, 16, &made), "sizes: is NULL");
    REFUSED(mks_lattice_dp_packing_create(items, NULL, 2, 16, &made), "counts: is NULL");
    REFUSED(mks_lattice_dp_packing_create(items, counts, 2, 16, &made),
        "sizes[1]: must be from 1 to the capacity 16");
    REFUSED_SOURCES(mks_lattice_dp);
    CHECK_FAILS(mks_lattice_dp_instance_read(__FILE__, &made), MKS_STATUS_PARSE, "line 1");
    CHECK_FAILS(mks_lattice_dp_instance_parse("sizes x", 7, &made), MKS_STATUS_PARSE,
        "line 1: a size is expected");
    CHECK(made == NULL);
}

/* Sizes that are too large. */
static void limits(const mks_context *context)
{
    mks_lattice_dp_instance *large = NULL;
    const uint64_t sizes[3] = {100, 100, 100}, larger[3] = {2000, 2000, 2000}, steps[3] = {1, 1, 1};
    uint64_t twos[40];
    for (int i = 0; i < 40; i++) {
        twos[i] = 2;
    }
    /* As many dimensions as cells can be counted for, and one more. */
    CHECK_OK(mks_lattice_dp_instance_create(twos, 39, NULL, NULL, 0, &large));
    mks_lattice_dp_instance_free(large), large = NULL;
    CHECK_FAILS(mks_lattice_dp_instance_create(twos, 40, NULL, NULL, 0, &large),
        MKS_STATUS_OUT_OF_MEMORY, "a lattice of 1099511627776 cells needs");
    CHECK(large == NULL);

    CHECK_OK(mks_lattice_dp_instance_create(sizes, 3, steps, COSTS, 1, &large));
    SOLVE_FAILS(mks_lattice_dp, context, large,
        options_with("lattice_dp", "memory_limit", "1K", NULL), MKS_STATUS_OUT_OF_MEMORY,
        "a lattice of 1000000 cells needs");
    mks_lattice_dp_instance_free(large);

    CHECK_OK(mks_lattice_dp_instance_create(larger, 3, steps, COSTS, 1, &large));
    SOLVE_FAILS(mks_lattice_dp, context, large,
        options_with("lattice_dp", "traversal", "levels", NULL), MKS_STATUS_UNSUPPORTED,
        "a lattice of 8000000000 cells by levels or blocks");
    mks_lattice_dp_instance_free(large);
}

static void traversals(const mks_context *context,
    const mks_lattice_dp_instance *way,
    const mks_lattice_dp_instance *packing)
{
    mks_options *unchanged = options_with("lattice_dp", NULL);
    check_refusal(unchanged, "recurrence", "2", "recurrence: must be one of configurations, ");
    check_refusal(unchanged, "traversal", "-1", "traversal: must be one of slabs, levels, blocks");
    check_refusal(unchanged, "launches", "3", "launches: must be one of auto, stepwise, ");
    check_refusal(unchanged, "children", "2", "children: must be one of loop, parallel");
    check_refusal(unchanged, "divisors", "", "divisors: must be one of tabulated, printed");
    check_refusal(unchanged, "partition", "10", "partition: must be from 3 to 9, not 10");
    mks_options_free(unchanged);

    SOLVE_REFUSED(mks_lattice_dp, context, way, options_with("lattice_dp", "partition", "3", NULL),
        "partition: applies only to the traversal 'blocks'");
    SOLVE_REFUSED(mks_lattice_dp, context, way,
        options_with("lattice_dp", "traversal", "levels", "divisors", "printed", NULL),
        "divisors: applies only to the traversal 'blocks'");
    SOLVE_REFUSED(mks_lattice_dp, context, way,
        options_with("lattice_dp", "recurrence", "unit-steps", NULL),
        "recurrence: applies only to packings");
    SOLVE_REFUSED(mks_lattice_dp, context, packing,
        options_with("lattice_dp", "traversal", "levels", NULL),
        "traversal: applies only to lattices");
    SOLVE_REFUSED(mks_lattice_dp, context, packing,
        options_with("lattice_dp", "launches", "persistent", NULL),
        "launches: applies only to lattices");
}

static void solves(const mks_context *context)
{
    mks_lattice_dp_instance *way = NULL, *packing = NULL;
    mks_result *result = NULL;
    uint64_t cells = 77;
    mks_result *results[2] = {NULL};
    size_t count = 77;
    uint64_t vector[2] = {77, 77};
    uint32_t positions[2] = {77, 77};
    const uint64_t items[1] = {4};
    const uint64_t counts[1] = {3};
    CHECK_OK(mks_lattice_dp_instance_create(SIZES, 2, OFFSETS, COSTS, 2, &way));
    CHECK_OK(mks_lattice_dp_packing_create(items, counts, 1, 16, &packing));
    REFUSED(
        mks_lattice_dp_instance_cells(packing, &cells), "instance: is a packing, not a lattice");
    REFUSED(mks_lattice_dp_instance_cells(NULL, &cells), "instance: is NULL");
    REFUSED(mks_lattice_dp_instance_dimensions(way, NULL), "dimensions: is NULL");

    REFUSED_SOLVES(mks_lattice_dp, context, way);
    traversals(context, way, packing);

    mks_lattice_dp_instance *list[2] = {way, NULL};
    REFUSED(mks_lattice_dp_solve_batch(context, NULL, 2, NULL, results), "instances: is NULL");
    REFUSED(mks_lattice_dp_solve_batch(context, list, 2, NULL, results), "instances[1]: is NULL");
    list[1] = packing;
    REFUSED(mks_lattice_dp_solve_batch(context, list, 2, NULL, results),
        "instances[1]: is of another kind than those before: some are packings");
    REFUSED(mks_lattice_dp_solve_batch(context, list, 1, NULL, NULL), "results: is NULL");
    CHECK(cells == 77 && results[0] == NULL && result == NULL);

    CHECK_OK(mks_lattice_dp_solve(context, way, NULL, &result));
    CHECK_OK(mks_lattice_dp_step_count(result, &count));
    REFUSED(mks_lattice_dp_step(result, count, vector, 2), "index: 3 is not below 3");
    REFUSED(
        mks_lattice_dp_step(result, 0, vector, 1), "vector: has room for 1 elements, 2 are needed");
    REFUSED(mks_lattice_dp_positions(result, positions, 2),
        "positions: has room for 2 elements, 3 are needed");
    CHECK(vector[0] == 77);
    mks_result_free(result);
    mks_lattice_dp_instance_free(way);
    mks_lattice_dp_instance_free(packing);
    mks_lattice_dp_instance_free(NULL);
}

int main(void)
{
    mks_context *context = cpu_context(2);
    one_call();
    instances();
    limits(context);
    solves(context);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}
