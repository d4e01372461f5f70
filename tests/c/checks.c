/* Checks of given solutions, and reading back what an instance was made of. */
#include "check.h"

static void machines(void)
{
    const uint32_t plan[7] = {0, 1, 2, 2, 0, 1, 1}, lost[7] = {0, 1, 2, 2, 0, 3, 1};
    mks_parallel_machines_instance *jobs = graham();
    int64_t makespan = 77;
    REFUSED(mks_parallel_machines_check(jobs, lost, 7, &makespan),
        "assignment[5]: there is no machine 3, only 3");
    REFUSED(mks_parallel_machines_check(jobs, plan, 6, &makespan), "assignment: 6 machines");
    REFUSED(mks_parallel_machines_check(jobs, NULL, 7, &makespan), "assignment: is NULL");
    REFUSED(mks_parallel_machines_check(jobs, plan, 7, NULL), "makespan: is NULL");
    CHECK(makespan == 77);
    CHECK_OK(mks_parallel_machines_check(jobs, plan, 7, &makespan));
    CHECK(makespan == 11);
    mks_parallel_machines_instance_free(jobs);
}

static void flow_shop(void)
{
    const uint64_t times[6] = {3, 2, 1, 4, 2, 1}, ready[2] = {0, 9};
    const uint32_t order[3] = {2, 1, 0}, twice[3] = {2, 2, 0}, first[1] = {1}, *pinned = order;
    uint64_t ready_times[2] = {77, 77};
    size_t count = 77;
    int64_t makespan = 77;
    mks_flow_shop_instance *plain = NULL, *late = NULL, *fixed = NULL;
    CHECK_OK(mks_flow_shop_instance_create(times, 3, 2, &plain));
    CHECK_OK(mks_flow_shop_instance_with_ready_times(plain, ready, 2, &late));
    CHECK_OK(mks_flow_shop_instance_with_pinned(late, first, 1, &fixed));
    REFUSED(mks_flow_shop_check(plain, twice, 3, &makespan), "permutation[1]: job 2");
    REFUSED(mks_flow_shop_check(fixed, order, 3, &makespan), "permutation[0]: job 1 is pinned");
    CHECK(makespan == 77);
    CHECK_OK(mks_flow_shop_check(plain, order, 3, &makespan));
    CHECK(makespan == 9);
    CHECK_OK(mks_flow_shop_instance_ready_times(plain, ready_times, 2));
    CHECK(ready_times[0] == 0 && ready_times[1] == 0);
    CHECK_OK(mks_flow_shop_instance_ready_times(fixed, ready_times, 2));
    CHECK(ready_times[0] == 0 && ready_times[1] == 9);
    REFUSED(mks_flow_shop_instance_ready_times(fixed, ready_times, 1), "ready_times: has room");
    CHECK_OK(mks_flow_shop_instance_pinned_view(plain, &pinned, &count));
    CHECK(count == 0);
    CHECK_OK(mks_flow_shop_instance_pinned_view(fixed, &pinned, &count));
    CHECK(count == 1 && pinned[0] == 1);
    REFUSED(mks_flow_shop_instance_pinned_view(fixed, NULL, &count), "pinned: is NULL");
    REFUSED(mks_flow_shop_instance_pinned_view(fixed, &pinned, NULL), "count: is NULL");
    mks_flow_shop_instance_free(plain);
    mks_flow_shop_instance_free(late);
    mks_flow_shop_instance_free(fixed);
}

static void cutting_stock(void)
{
    const uint64_t lengths[2] = {6, 4}, demands[2] = {2, 2};
    const uint64_t pieces[2] = {1, 1}, counts[4] = {1, 1, 1, 1}, long_ones[4] = {2, 0, 0, 2};
    const uint64_t beyond[2] = {1, UINT64_MAX};
    int64_t used = 77;
    mks_cutting_stock_instance *bars = NULL;
    CHECK_OK(mks_cutting_stock_instance_create(lengths, demands, 2, 10, &bars));
    REFUSED(mks_cutting_stock_check(bars, pieces, long_ones, 2, &used), "patterns[0]: is 12 long");
    REFUSED(mks_cutting_stock_check(bars, pieces, counts, 1, &used),
        "patterns: 1 items of type 0 are cut, the demand is 2");
    REFUSED(mks_cutting_stock_check(bars, beyond, counts, 2, &used), "pieces[1]: is 1844");
    REFUSED(mks_cutting_stock_check(bars, pieces, beyond, 1, &used), "counts[1]: is 1844");
    REFUSED(mks_cutting_stock_check(bars, NULL, counts, 2, &used), "pieces: is NULL");
    REFUSED(mks_cutting_stock_check(bars, pieces, NULL, 2, &used), "counts: is NULL");
    REFUSED(mks_cutting_stock_check(bars, pieces, counts, SIZE_MAX, &used), "patterns: ");
    CHECK(used == 77);
    CHECK_OK(mks_cutting_stock_check(bars, pieces, counts, 2, &used));
    CHECK(used == 2);
    mks_cutting_stock_instance_free(bars);
}

static void knapsack(void)
{
    const uint64_t profits[2] = {5, 4}, weights[2] = {3, 2}, copies[2] = {1, 2};
    const uint64_t good[2] = {1, 1}, heavy[2] = {1, 2}, many[2] = {0, 3};
    int64_t profit = 77;
    mks_knapsack_instance *items = NULL;
    CHECK_OK(mks_knapsack_instance_create(profits, weights, copies, 2, 5, &items));
    REFUSED(mks_knapsack_check(items, heavy, 2, &profit), "counts: weigh 7, the capacity is 5");
    REFUSED(mks_knapsack_check(items, many, 2, &profit), "counts[1]: is 3, the most is 2");
    REFUSED(mks_knapsack_check(items, good, 1, &profit), "counts: 1 counts for 2 items");
    CHECK(profit == 77);
    CHECK_OK(mks_knapsack_check(items, good, 2, &profit));
    CHECK(profit == 9);
    mks_knapsack_instance_free(items);
}

static void lattice(void)
{
    const uint64_t sizes[2] = {3, 2}, offsets[6] = {5, 0, 1, 0, 1, 1}, costs[3] = {9, 2, 3};
    const uint32_t way[2] = {1, 2}, stray[2] = {2, 2}, unknown[1] = {7};
    uint64_t list[6] = {77};
    size_t count = 77;
    int64_t cost = 77;
    mks_lattice_dp_instance *box = NULL;
    CHECK_OK(mks_lattice_dp_instance_create(sizes, 2, offsets, costs, 3, &box));
    REFUSED(mks_lattice_dp_check(box, stray, 2, &cost), "steps[1]: leaves the box");
    REFUSED(mks_lattice_dp_check(box, unknown, 1, &cost), "steps[0]: there is no offset 7");
    REFUSED(mks_lattice_dp_check(box, way, 1, &cost), "steps: end before cell 0");
    REFUSED(mks_lattice_dp_packing_check(box, list, 1, &cost), "instance: is a lattice");
    REFUSED(mks_lattice_dp_packing_counts(box, list, 6), "instance: is a lattice");
    REFUSED(mks_lattice_dp_packing_capacity(box, list), "instance: is a lattice");
    CHECK(cost == 77 && list[0] == 77);
    CHECK_OK(mks_lattice_dp_check(box, way, 2, &cost));
    CHECK(cost == 5);
    CHECK_OK(mks_lattice_dp_instance_offset_count(box, &count));
    CHECK(count == 3);
    CHECK_OK(mks_lattice_dp_instance_sizes(box, list, 6));
    CHECK(memcmp(list, sizes, sizeof sizes) == 0);
    CHECK_OK(mks_lattice_dp_instance_costs(box, list, 6));
    CHECK(memcmp(list, costs, sizeof costs) == 0);
    CHECK_OK(mks_lattice_dp_instance_offsets(box, list, 6));
    CHECK(memcmp(list, offsets, sizeof offsets) == 0);
    mks_lattice_dp_instance_free(box);
}

static void packing(void)
{
    const uint64_t sizes[2] = {6, 4}, counts[2] = {2, 2}, full[4] = {1, 1, 1, 1};
    const uint64_t heavy[4] = {2, 0, 0, 2};
    uint64_t list[2] = {77, 77}, capacity = 77;
    size_t count = 77;
    int64_t used = 77;
    mks_lattice_dp_instance *items = NULL;
    CHECK_OK(mks_lattice_dp_packing_create(sizes, counts, 2, 10, &items));
    REFUSED(
        mks_lattice_dp_packing_check(items, heavy, 2, &used), "containers[0]: has a load of 12");
    REFUSED(mks_lattice_dp_packing_check(items, full, 1, &used),
        "containers: 1 items of type 0 are packed, not 2");
    REFUSED(mks_lattice_dp_packing_check(items, full, SIZE_MAX, &used), "containers: ");
    REFUSED(mks_lattice_dp_check(items, NULL, 0, &used), "instance: is a packing");
    REFUSED(mks_lattice_dp_instance_offset_count(items, &count), "instance: is a packing");
    REFUSED(mks_lattice_dp_instance_offsets(items, list, 2), "instance: is a packing");
    CHECK(used == 77 && count == 77 && list[0] == 77);
    CHECK_OK(mks_lattice_dp_packing_check(items, full, 2, &used));
    CHECK(used == 2);
    CHECK_OK(mks_lattice_dp_instance_sizes(items, list, 2));
    CHECK(memcmp(list, sizes, sizeof sizes) == 0);
    CHECK_OK(mks_lattice_dp_packing_counts(items, list, 2));
    CHECK(memcmp(list, counts, sizeof counts) == 0);
    CHECK_OK(mks_lattice_dp_packing_capacity(items, &capacity));
    CHECK(capacity == 10);
    mks_lattice_dp_instance_free(items);
}

static int64_t split(size_t i, size_t k, size_t j, void *user_data)
{
    return (int64_t)(i + k + j) + *(const int64_t *)user_data;
}

static void intervals(void)
{
    const int64_t dimensions[4] = {2, 3, 4, 5};
    const uint32_t tree[6] = {0, 2, 3, 0, 1, 2}, swapped[6] = {0, 1, 2, 0, 2, 3};
    int64_t value = 77;
    double real = 77;
    int32_t is_real = 77;
    mks_interval_dp_instance *chain = NULL, *again = NULL;
    CHECK_OK(mks_interval_dp_instance_matrix_chain_i64(dimensions, 4, &chain));
    REFUSED(mks_interval_dp_check_i64(chain, swapped, 2, &value), "nodes[0]: does not split");
    REFUSED(mks_interval_dp_check_i64(chain, tree, 1, &value), "nodes: 1 nodes for 4 points");
    REFUSED(mks_interval_dp_check_i64(chain, tree, SIZE_MAX, &value), "count: ");
    CHECK_FAILS(mks_interval_dp_check_f64(chain, tree, 2, &real), MKS_STATUS_NOT_AVAILABLE,
        "numbers of the other type");
    CHECK(value == 77);
    CHECK_OK(mks_interval_dp_check_i64(chain, tree, 2, &value));
    CHECK(value == 64);
    CHECK_OK(mks_interval_dp_instance_is_real(chain, &is_real));
    CHECK(is_real == 0);

    /* The form makes the same instance again. */
    mks_interval_dp_form_i64 form;
    mks_interval_dp_form_f64 other;
    CHECK_OK(mks_interval_dp_form_i64_init(&form, sizeof form));
    CHECK_OK(mks_interval_dp_form_f64_init(&other, sizeof other));
    CHECK_OK(mks_interval_dp_instance_form_i64_view(chain, &form));
    CHECK(form.leaf_count == 3 && memcmp(form.left, dimensions, sizeof dimensions) == 0);
    CHECK_FAILS(mks_interval_dp_instance_form_f64_view(chain, &other), MKS_STATUS_NOT_AVAILABLE,
        "numbers of the other type");
    CHECK_OK(mks_interval_dp_instance_create_i64(&form, &again));
    CHECK_OK(mks_interval_dp_check_i64(again, tree, 2, &value));
    CHECK(value == 64);
    mks_interval_dp_instance_free(again);

    int64_t extra = 100;
    form.left = form.split = form.right = NULL;
    form.split_cost = split, form.user_data = &extra, form.magnitude = 1000;
    form.split_source = "(VALUE)(i + k + j) + data[0]";
    form.data = &extra, form.data_count = 1;
    CHECK_OK(mks_interval_dp_instance_create_i64(&form, &again));
    mks_interval_dp_instance_free(chain);
    CHECK_OK(mks_interval_dp_form_i64_init(&form, sizeof form));
    CHECK_OK(mks_interval_dp_instance_form_i64_view(again, &form));
    CHECK(form.split_cost == split && form.user_data == &extra && form.magnitude == 1000);
    CHECK(strcmp(form.split_source, "(VALUE)(i + k + j) + data[0]") == 0);
    CHECK(form.data_count == 1 && form.data[0] == 100 && form.left == NULL);
    CHECK_OK(mks_interval_dp_check_i64(again, tree, 2, &value));
    CHECK(value == 105 + 103);
    mks_interval_dp_instance_free(again);

    const double weights[3] = {1, 2, 4};
    CHECK_OK(mks_interval_dp_instance_triangulation_f64(weights, 3, &again));
    CHECK_OK(mks_interval_dp_instance_is_real(again, &is_real));
    const uint32_t triangle[3] = {0, 1, 2};
    CHECK_OK(mks_interval_dp_check_f64(again, triangle, 1, &real));
    CHECK_OK(mks_interval_dp_instance_form_f64_view(again, &other));
    CHECK(is_real == 1 && real > 7.9 && real < 8.1 && other.leaf_count == 2);
    mks_interval_dp_instance_free(again);
}

static int64_t larger(int64_t left, int64_t right, void *user_data)
{
    (void)user_data;
    return left > right ? left : right;
}

static void recurrences(void)
{
    const uint64_t offsets[2] = {2, 1};
    const int64_t initial[2] = {0, 1}, weights[2] = {1, 1}, fibonacci[6] = {0, 1, 1, 2, 3, 5};
    int64_t last = 77, wrong[6] = {0, 1, 1, 2, 4, 5};
    mks_recurrence_definition definition;
    CHECK_OK(mks_recurrence_definition_init(&definition, sizeof definition));
    definition.semiring = MKS_RECURRENCE_SEMIRING_SUM_PRODUCT, definition.length = 6;
    definition.offsets = offsets, definition.offset_count = 2;
    definition.initial = initial, definition.initial_count = 2;
    definition.weights = weights, definition.weight_count = 2;
    mks_recurrence_instance *numbers = NULL, *again = NULL;
    CHECK_OK(mks_recurrence_instance_create(&definition, &numbers));
    REFUSED(mks_recurrence_check(numbers, wrong, 6, &last), "values[4]: is 4, by definition 3");
    REFUSED(mks_recurrence_check(numbers, wrong, 5, &last), "values: 5 values");
    wrong[0] = 7;
    REFUSED(mks_recurrence_check(numbers, wrong, 6, &last), "values[0]: is 7, by definition 0");
    CHECK(last == 77);
    CHECK_OK(mks_recurrence_check(numbers, fibonacci, 6, &last));
    CHECK(last == 5);

    CHECK_OK(mks_recurrence_instance_definition_view(numbers, &definition));
    CHECK(definition.offsets != offsets && definition.weight_count == 2);
    CHECK_OK(mks_recurrence_instance_create(&definition, &again));
    CHECK_OK(mks_recurrence_check(again, fibonacci, 6, &last));
    mks_recurrence_instance_free(again);

    definition.semiring = MKS_RECURRENCE_SEMIRING_CUSTOM, definition.combine = larger;
    definition.idempotent = 1, definition.user_data = &last;
    definition.weights = NULL, definition.weight_count = 0;
    CHECK_OK(mks_recurrence_instance_create(&definition, &again));
    CHECK_OK(mks_recurrence_definition_init(&definition, sizeof definition));
    CHECK_OK(mks_recurrence_instance_definition_view(again, &definition));
    CHECK(definition.combine == larger && definition.user_data == &last);
    CHECK(definition.idempotent == 1 && definition.operator_source == NULL);
    CHECK(definition.semiring == MKS_RECURRENCE_SEMIRING_CUSTOM && definition.terms == NULL);
    const uint64_t *list = NULL;
    const int64_t *gains = NULL;
    size_t count = 77;
    CHECK_FAILS(mks_recurrence_instance_weights_view(again, &list, &count),
        MKS_STATUS_NOT_AVAILABLE, "no knapsack");
    CHECK(count == 77);
    mks_recurrence_instance_free(again);
    mks_recurrence_instance_free(numbers);

    const uint64_t profits[2] = {5, 4}, heavy[2] = {3, 2};
    CHECK_OK(mks_recurrence_instance_create_knapsack(profits, heavy, 2, 5, &again));
    CHECK_OK(mks_recurrence_instance_weights_view(again, &list, &count));
    CHECK(count == 2 && memcmp(list, heavy, sizeof heavy) == 0);
    CHECK_OK(mks_recurrence_instance_profits_view(again, &gains, &count));
    CHECK(count == 2 && gains[0] == 5 && gains[1] == 4);
    CHECK_FAILS(mks_recurrence_instance_definition_view(again, &definition),
        MKS_STATUS_NOT_AVAILABLE, "a knapsack has no definition");
    mks_recurrence_instance_free(again);
}

int main(void)
{
    machines();
    flow_shop();
    cutting_stock();
    knapsack();
    lattice();
    packing();
    intervals();
    recurrences();
    return 0;
}
