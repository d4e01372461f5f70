/* The lattice dynamic program: one call, lattices and packings, texts, batches, both recurrences.
 */
#include "check.h"
#include <math.h>

/* From one corner of a box of 3 x 2 cells to the other. */
static const uint64_t SIZES[2] = {3, 2};
static const uint64_t OFFSETS[6] = {1, 0, 0, 1, 1, 1};
static const uint64_t COSTS[3] = {2, 2, 3};
/* Two containers of 7 + 9 and 8 + 8. */
static const uint64_t ITEMS[3] = {7, 8, 9};
static const uint64_t COUNTS[3] = {1, 2, 1};

static mks_lattice_dp_instance *lattice(void)
{
    mks_lattice_dp_instance *made = NULL;
    CHECK_OK(mks_lattice_dp_instance_create(SIZES, 2, OFFSETS, COSTS, 3, &made));
    return made;
}

static mks_lattice_dp_instance *packing(void)
{
    mks_lattice_dp_instance *made = NULL;
    CHECK_OK(mks_lattice_dp_packing_create(ITEMS, COUNTS, 3, 16, &made));
    return made;
}

static void check_way(
    const mks_context *context, const mks_lattice_dp_instance *instance, const mks_options *options)
{
    mks_result *result = NULL;
    int64_t cost = 0;
    uint64_t reached[2] = {0, 0}, vector[2];
    uint32_t positions[3];
    size_t steps = 0;
    const char *problem = NULL;
    CHECK_OK(mks_lattice_dp_solve(context, instance, options, &result));
    CHECK_OK(mks_result_problem(result, &problem));
    CHECK(strcmp(problem, "lattice_dp") == 0);
    const mks_summary summary = summary_of(result);
    CHECK(summary.objective == 5 && summary.bound == 5);
    CHECK_OK(mks_lattice_dp_step_count(result, &steps));
    CHECK(steps == 2);
    CHECK_OK(mks_lattice_dp_positions(result, positions, 3));
    for (size_t i = 0; i < steps; i++) {
        CHECK_OK(mks_lattice_dp_step(result, i, vector, 2));
        CHECK(memcmp(vector, OFFSETS + 2 * positions[i], sizeof vector) == 0);
        reached[0] += vector[0], reached[1] += vector[1];
        cost += (int64_t)COSTS[positions[i]];
    }
    CHECK(reached[0] == 2 && reached[1] == 1 && cost == summary.objective);
    mks_result_free(result);
}

static void check_traversals(const mks_context *context, const mks_lattice_dp_instance *instance)
{
    static const char *const TRAVERSALS[3] = {"slabs", "levels", "blocks"};
    static const char *const LAUNCHES[3] = {"auto", "stepwise", "persistent"};
    mks_options *options = options_with("lattice_dp", NULL);
    for (size_t i = 0; i < 9; i++) {
        CHECK_OK(mks_options_set(options, "traversal", TRAVERSALS[i / 3]));
        CHECK_OK(mks_options_set(options, "launches", LAUNCHES[i % 3]));
        check_way(context, instance, options);
    }
    CHECK_OK(mks_options_set(options, "partition", "4"));
    CHECK_OK(mks_options_set(options, "divisors", "printed"));
    CHECK_OK(mks_options_set(options, "children", "parallel"));
    check_way(context, instance, options);
    mks_options_free(options);
}

static void check_packing(
    const mks_context *context, const mks_lattice_dp_instance *instance, const char *recurrence)
{
    mks_result *result = NULL;
    uint64_t packed[3] = {0, 0, 0}, counts[3];
    uint32_t positions[4];
    size_t containers = 0;
    SOLVED(mks_lattice_dp, context, instance,
        options_with("lattice_dp", "recurrence", recurrence, NULL), &result);
    CHECK_OK(mks_lattice_dp_step_count(result, &containers));
    CHECK(summary_of(result).objective == 2 && containers == 2);
    for (size_t i = 0; i < containers; i++) {
        CHECK_OK(mks_lattice_dp_step(result, i, counts, 3));
        CHECK(7 * counts[0] + 8 * counts[1] + 9 * counts[2] <= 16);
        for (size_t item = 0; item < 3; item++) {
            packed[item] += counts[item];
        }
    }
    CHECK(memcmp(packed, COUNTS, sizeof packed) == 0);
    CHECK_FAILS(mks_lattice_dp_positions(result, positions, 4), MKS_STATUS_NOT_AVAILABLE,
        "list of offsets");
    mks_result_free(result);
}

static void check_texts(const mks_context *context)
{
    const char *text = "sizes 3 2\noffset 2  1 0\noffset 2  0 1\noffset 3  1 1\n";
    mks_lattice_dp_instance *parsed = NULL;
    uint64_t cells = 0;
    size_t dimensions = 0;
    CHECK_OK(mks_lattice_dp_instance_parse(text, strlen(text), &parsed));
    CHECK_OK(mks_lattice_dp_instance_cells(parsed, &cells));
    CHECK_OK(mks_lattice_dp_instance_dimensions(parsed, &dimensions));
    CHECK(cells == 6 && dimensions == 2);
    check_way(context, parsed, NULL);
    mks_lattice_dp_instance_free(parsed);
}

static void check_batch(const mks_context *context, mks_lattice_dp_instance *instance)
{
    const char *text = "sizes 3\noffset 1 3\n";
    mks_lattice_dp_instance *blocked = NULL;
    CHECK_OK(mks_lattice_dp_instance_parse(text, strlen(text), &blocked));
    mks_lattice_dp_instance *instances[3] = {instance, blocked, instance};
    mks_result *results[3] = {NULL};
    CHECK_OK(mks_lattice_dp_solve_batch(context, instances, 3, NULL, results));
    for (int i = 0; i < 3; i++) {
        const mks_summary found = summary_of(results[i]);
        CHECK(found.status
            == (i == 1 ? MKS_SOLUTION_STATUS_INFEASIBLE : MKS_SOLUTION_STATUS_OPTIMAL));
        CHECK(found.objective == (i == 1 ? 0 : 5));
        mks_result_free(results[i]);
    }
    mks_lattice_dp_instance *items = packing();
    instances[1] = items;
    REFUSED(mks_lattice_dp_solve_batch(context, instances, 3, NULL, results),
        "instances[1]: is of another kind than those before: some are packings");
    CHECK_OK(mks_lattice_dp_solve_batch(context, &instances[1], 1, NULL, results));
    CHECK(summary_of(results[0]).status == MKS_SOLUTION_STATUS_OPTIMAL);
    mks_result_free(results[0]);
    mks_lattice_dp_instance_free(items);
    mks_lattice_dp_instance_free(blocked);
}

int main(void)
{
    int64_t cost = 0;
    CHECK_OK(mks_lattice_dp_cost(SIZES, 2, OFFSETS, COSTS, 3, INFINITY, &cost));
    CHECK(cost == 5);
    CHECK_OK(mks_lattice_dp_cost(SIZES, 2, OFFSETS, COSTS, 1, 60, &cost));
    CHECK(cost == INT64_MAX);

    mks_context *context = cpu_context(2);
    mks_lattice_dp_instance *way = lattice(), *items = packing();
    check_way(context, way, NULL);
    check_traversals(context, way);
    check_packing(context, items, "configurations");
    check_packing(context, items, "unit-steps");
    check_texts(context);
    check_batch(context, way);
    mks_lattice_dp_instance_free(way);
    mks_lattice_dp_instance_free(items);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}
