/* Checks of given solutions, reading back, and batches of every problem. */
#include "check.hpp"

using namespace makespan;
using u32s = std::vector<std::uint32_t>;
using u64s = std::vector<std::uint64_t>;
using i64s = std::vector<std::int64_t>;

/* Solves many copies of an instance, by a vector, an array and a view. */
template <class Make> static void batch(const context &context, Make make, std::int64_t objective)
{
    std::vector<decltype(make())> instances;
    for (int copy = 0; copy < 5; copy++) {
        instances.push_back(make());
    }
    const auto results = solve_batch(context, instances);
    CHECK(results.size() == 5);
    for (const auto &result : results) {
        CHECK(result.is_optimal() && result.objective() == objective);
    }
    decltype(make()) two[] = {make(), make()};
    CHECK(solve_batch(context, two).size() == 2);
    CHECK(solve_batch(context, view<decltype(make())>(two, 1)).size() == 1);
    options at_once(results[0].problem());
    at_once.set("time_limit", 0);
    for (const auto &result : solve_batch(context, instances, at_once)) {
        CHECK(result.summary().status == MKS_SOLUTION_STATUS_STOPPED && !result.objective());
    }
    const auto taken = std::move(instances[3]);
    REFUSED(solve_batch(context, instances), "instances[3]: is NULL");
}

static void batches(const context &context)
{
    batch(context, [] { return cutting_stock::instance(u64s{6, 4}, u64s{2, 2}, 10); }, 2);
    batch(context, [] { return flow_shop::instance(u64s{3, 2, 1, 4, 2, 1}, 3, 2); }, 8);
    batch(context, [] { return interval_dp::instance::matrix_chain(i64s{2, 3, 4, 5}); }, 64);
    batch(context, [] { return knapsack::instance(u64s{10, 7, 4}, u64s{4, 6, 5}, 10); }, 17);
    batch(context, [] { return lattice_dp::instance(u64s{8}, u64s{1, 3}, u64s{1, 1}); }, 3);
    batch(context, [] { return parallel_machines::instance(u64s{5, 5, 4, 4, 3, 3, 3}, 3); }, 9);
    batch(context, [] { return recurrence::instance::knapsack(u64s{3, 4}, u64s{1, 2}, 3); }, 7);
}

static void checks()
{
    const cutting_stock::instance bars(u64s{6, 4}, u64s{2, 2}, 10);
    CHECK(bars.check({{2, {1, 1}}}) == 2);
    REFUSED(bars.check({{2, {2, 0}}}), "patterns[0]: is 12 long");
    REFUSED(bars.check({{2, {2}}}), "counts: has 1 entries");
    const knapsack::instance sack(u64s{5, 4}, u64s{3, 2}, 5);
    CHECK(sack.check(u64s{1, 1}) == 9);
    REFUSED(sack.check(u64s{2, 0}), "counts[0]: is 2");
    const lattice_dp::instance box(u64s{3, 2}, u64s{5, 0, 1, 0, 1, 1}, u64s{9, 2, 3});
    CHECK(box.check(u32s{1, 2}) == 5);
    REFUSED(box.check(u32s{2, 2}), "steps[1]: leaves the box");
    CHECK(box.sizes() == (u64s{3, 2}) && box.costs() == (u64s{9, 2, 3}));
    CHECK(box.offsets() == (u64s{5, 0, 1, 0, 1, 1}));
    const auto items = lattice_dp::instance::packing(u64s{6, 4}, u64s{2, 2}, 10);
    CHECK(items.check({u64s{1, 1}, u64s{1, 1}}) == 2);
    REFUSED(items.check({u64s{2, 0}, u64s{0, 2}}), "containers[0]: has a load of 12");
    CHECK(items.counts() == (u64s{2, 2}) && items.capacity() == 10);
    REFUSED(items.costs(), "instance: is a packing");

    const flow_shop::instance shop(u64s{3, 2, 1, 4, 2, 1}, 3, 2);
    const auto later = shop.with_ready_times(u64s{0, 9}).with_pinned(u32s{1});
    CHECK(later.ready_times() == (u64s{0, 9}));
    CHECK(later.pinned().size() == 1 && later.pinned()[0] == 1 && shop.pinned().empty());
    REFUSED(later.check(u32s{0, 1, 2}), "permutation[0]: job 1 is pinned");
    REFUSED(shop.with_ready_times(u64s{UINT64_MAX, 0}), "ready_times[0]: is 1844");
    const parallel_machines::instance jobs(u64s{3, 2}, 2);
    REFUSED(jobs.check(u32s{0, 2}), "assignment[1]: there is no machine 2");
    REFUSED(parallel_machines::instance(u64s{1}, SIZE_MAX), "machines: is 1844");
}

static void forms(const context &context)
{
    const auto chain = interval_dp::instance::matrix_chain(i64s{2, 3, 4, 5});
    const auto solved = interval_dp::solve(context, chain);
    CHECK(chain.check_i64(solved.nodes()) == 64 && !chain.is_real());
    CHECK(interval_dp::instance(chain.form_i64()).check_i64(solved.nodes()) == 64);
    CHECK_THROWS(chain.form_f64(), MKS_STATUS_NOT_AVAILABLE, "other type");
    CHECK_THROWS(chain.check_f64(solved.nodes()), MKS_STATUS_NOT_AVAILABLE, "other type");
    const std::vector<interval_dp::node> wrong{{0, 1, 2}, {0, 2, 3}};
    REFUSED(chain.check_i64(wrong), "nodes[0]: does not split");
    const auto triangle = interval_dp::instance::triangulation(std::vector<double>{1, 2, 4});
    CHECK(triangle.is_real() && triangle.form_f64().leaf_count == 2);

    const u64s offsets{2, 1};
    const i64s initial{0, 1}, table{0, 1, 1, 2, 3, 5};
    auto definition = recurrence::definition();
    definition.semiring = MKS_RECURRENCE_SEMIRING_SUM_PRODUCT;
    definition.length = 6;
    definition.offsets = offsets.data();
    definition.offset_count = 2;
    definition.initial = initial.data();
    definition.initial_count = 2;
    const recurrence::instance numbers(definition);
    CHECK(numbers.check(table) == 5);
    CHECK(recurrence::instance(numbers.definition()).check(table) == 5);
    REFUSED(numbers.check(i64s{0, 1, 1, 2, 4, 5}), "values[4]: is 4, by definition 3");
    CHECK_THROWS(numbers.weights(), MKS_STATUS_NOT_AVAILABLE, "no knapsack");
    const auto sack = recurrence::instance::knapsack(u64s{3, 4}, u64s{1, 2}, 3);
    CHECK(sack.weights()[1] == 2 && sack.profits()[1] == 4);
    CHECK_THROWS(sack.definition(), MKS_STATUS_NOT_AVAILABLE, "knapsack");
}

int main()
{
    const context context = cpu_context();
    batches(context);
    checks();
    forms(context);
    return 0;
}
