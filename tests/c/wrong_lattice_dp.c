/* The lattice dynamic program: NULL, wrong arrays, texts, files, options and results. */
#include "check.h"

#define REFUSED(call, words) CHECK_FAILS(call, MKS_STATUS_INVALID_ARGUMENT, words)

static const uint32_t SIZES[2] = {3, 2};
static const uint32_t OFFSETS[4] = {1, 0, 0, 1};
static const uint16_t COSTS[2] = {2, 2};

static void one_call(void)
{
    uint64_t cost = 77;
    REFUSED(mks_lattice_dp_cost(NULL, 2, OFFSETS, COSTS, 2, &cost), "sizes: is NULL");
    REFUSED(mks_lattice_dp_cost(SIZES, 2, NULL, COSTS, 2, &cost), "offsets: is NULL");
    REFUSED(mks_lattice_dp_cost(SIZES, 2, OFFSETS, NULL, 2, &cost), "costs: is NULL");
    REFUSED(mks_lattice_dp_cost(SIZES, 2, OFFSETS, COSTS, 2, NULL), "cost: is NULL");
    CHECK(cost == 77);
}

static void instances(void)
{
    mks_lattice_dp_instance *made = NULL;
    const uint32_t empty[2] = {3, 0}, huge[2] = {1 << 20, 1 << 20}, zeros[4] = {1, 0, 0, 0};
    const uint32_t wide[48] = {2, 2, 2, 2};
    const uint64_t items[2] = {4, 17};
    const uint32_t counts[2] = {1, 1};
    REFUSED(mks_lattice_dp_instance_create(SIZES, 2, OFFSETS, COSTS, 2, NULL), "instance: is NULL");
    REFUSED(mks_lattice_dp_instance_create(empty, 2, OFFSETS, COSTS, 2, &made), "sizes[1]: must be at least 1");
    REFUSED(mks_lattice_dp_instance_create(wide, 48, NULL, NULL, 0, &made), "sizes[4]: must be at least 1");
    REFUSED(mks_lattice_dp_instance_create(SIZES, 2, zeros, COSTS, 2, &made), "offsets[1]: is all zeros");
    CHECK_FAILS(mks_lattice_dp_instance_create(huge, 2, OFFSETS, COSTS, 2, &made), MKS_STATUS_OUT_OF_MEMORY,
                "a lattice of 1099511627776 cells needs");
    CHECK_FAILS(mks_lattice_dp_instance_create(SIZES, 2, OFFSETS, COSTS, SIZE_MAX, &made), MKS_STATUS_OVERFLOW,
                "dimensions and count");
    const uint32_t long_line[1] = {60000};
    const uint32_t one[1] = {1};
    CHECK_FAILS(mks_lattice_dp_instance_create(long_line, 1, one, COSTS, 1, &made), MKS_STATUS_UNSUPPORTED,
                "lattice values up to 119998, above 65534");
    REFUSED(mks_lattice_dp_packing_create(NULL, counts, 2, 16, &made), "sizes: is NULL");
    REFUSED(mks_lattice_dp_packing_create(items, NULL, 2, 16, &made), "counts: is NULL");
    REFUSED(mks_lattice_dp_packing_create(items, counts, 2, 16, &made), "sizes[1]: must be from 1 to the capacity 16");
    REFUSED(mks_lattice_dp_instance_parse(NULL, 3, &made), "text: is NULL");
    REFUSED(mks_lattice_dp_instance_parse("sizes 3", 7, NULL), "instance: is NULL");
    CHECK_FAILS(mks_lattice_dp_instance_parse("sizes x", 7, &made), MKS_STATUS_PARSE, "line 1: a size is expected");
    REFUSED(mks_lattice_dp_instance_read(NULL, &made), "path: is NULL");
    CHECK_FAILS(mks_lattice_dp_instance_read("/nowhere/x.lattice", &made), MKS_STATUS_IO, "/nowhere/x.lattice");
    CHECK(made == NULL);
}

static void solves(const mks_context *context)
{
    mks_lattice_dp_instance *way = NULL, *packing = NULL;
    mks_lattice_dp_options options;
    mks_result *result = NULL;
    uint64_t cells = 77, costs[2] = {77, 77};
    size_t count = 77;
    uint32_t vector[2] = {77, 77};
    const uint64_t items[1] = {4};
    const uint32_t counts[1] = {3};
    CHECK_OK(mks_lattice_dp_instance_create(SIZES, 2, OFFSETS, COSTS, 2, &way));
    CHECK_OK(mks_lattice_dp_packing_create(items, counts, 1, 16, &packing));
    REFUSED(mks_lattice_dp_instance_cells(packing, &cells), "instance: is a packing, not a lattice");
    REFUSED(mks_lattice_dp_instance_cells(NULL, &cells), "instance: is NULL");
    REFUSED(mks_lattice_dp_instance_dimensions(way, NULL), "dimensions: is NULL");

    REFUSED(mks_lattice_dp_options_init(NULL, sizeof options), "options: is NULL");
    CHECK_OK(mks_lattice_dp_options_init(&options, sizeof options));
    options.recurrence = 2;
    REFUSED(mks_lattice_dp_solve(context, packing, &options, NULL, &result), "options.recurrence: 2");
    options.recurrence = 0, options.reserved[1] = 1;
    REFUSED(mks_lattice_dp_solve(context, packing, &options, NULL, &result), "options: a reserved field is not zero");
    REFUSED(mks_lattice_dp_solve(NULL, way, NULL, NULL, &result), "context: is NULL");
    REFUSED(mks_lattice_dp_solve(context, NULL, NULL, NULL, &result), "instance: is NULL");
    REFUSED(mks_lattice_dp_solve(context, way, NULL, NULL, NULL), "result: is NULL");

    const mks_lattice_dp_instance *list[2] = {way, NULL};
    REFUSED(mks_lattice_dp_solve_batch(context, NULL, 2, NULL, costs), "instances: is NULL");
    REFUSED(mks_lattice_dp_solve_batch(context, list, 2, NULL, costs), "instances[1]: is NULL");
    list[1] = packing;
    REFUSED(mks_lattice_dp_solve_batch(context, list, 2, NULL, costs), "instances[1]: is a packing, not a lattice");
    REFUSED(mks_lattice_dp_solve_batch(context, list, 1, NULL, NULL), "costs: is NULL");
    CHECK(cells == 77 && costs[0] == 77 && result == NULL);

    CHECK_OK(mks_lattice_dp_solve(context, way, NULL, NULL, &result));
    CHECK_OK(mks_lattice_dp_step_count(result, &count));
    REFUSED(mks_lattice_dp_step(result, count, vector, 2), "index: 3 is not below 3");
    REFUSED(mks_lattice_dp_step(result, 0, vector, 1), "vector: has room for 1 elements, 2 are needed");
    REFUSED(mks_lattice_dp_positions(result, vector, 2), "positions: has room for 2 elements, 3 are needed");
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
    solves(context);
    CHECK(mks_context_free(context) == MKS_STATUS_OK);
    return 0;
}
