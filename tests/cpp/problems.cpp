/* The right use of every problem, with arrays whose lengths do not fit in between. */
#include "check.hpp"

using namespace makespan;
using u32s = std::vector<std::uint32_t>;
using u64s = std::vector<std::uint64_t>;
using i64s = std::vector<std::int64_t>;

template <class T> static std::vector<T> list(view<T> elements)
{
    return std::vector<T>(elements.begin(), elements.end());
}

static void cutting(const context &context)
{
    const u64s lengths{6, 4, 3};
    const auto packed = cutting_stock::pack(lengths, 10);
    CHECK(packed.bins == 2 && packed.bound == 2 && packed.bin_of.size() == 3);
    const u64s demands{2, 2, 3};
    const cutting_stock::instance instance(lengths, demands, 10);
    CHECK(instance.types() == 3 && instance.stock_length() == 10);
    CHECK(instance.lengths() == lengths && instance.demands() == demands);
    const auto result = cutting_stock::solve(context, instance);
    std::uint64_t pieces = 0;
    for (const auto &pattern : result.patterns()) {
        CHECK(pattern.counts.size() == 3);
        pieces += pattern.pieces;
    }
    CHECK(result.is_optimal() && result.objective() == 3 && pieces == 3);
    CHECK(cutting_stock::instance::parse("2 10\n5\n6\n").types() == 2);
    REFUSED(cutting_stock::instance(lengths, u64s{1, 2}, 10), "demands: has 2 entries");
}

static void flow(const context &context)
{
    const u64s times{5, 9, 3, 2, 6, 8};
    const auto quick = flow_shop::sequence(times, 2, 3);
    flow_shop::instance instance(times, 2, 3);
    CHECK(instance.jobs() == 2 && instance.machines() == 3 && instance.times() == times);
    CHECK(instance.check(quick.permutation) == quick.makespan);
    CHECK(instance.check(u32s{1, 0}) == 20 && quick.makespan == 20);
    const auto result = flow_shop::solve(context, instance);
    CHECK(result.objective() == 20 && result.permutation() == (u32s{1, 0}));
    CHECK(result.starts().size() == 6);
    const auto pinned = instance.with_pinned(u32s{0});
    CHECK(flow_shop::solve(context, pinned).permutation() == (u32s{0, 1}));
    CHECK(instance.with_ready_times(u64s{100, 0, 0}).check(u32s{1, 0}) == 120);
    CHECK(flow_shop::instance::named("ta001").jobs() == 20);
    REFUSED(flow_shop::instance(times, 4, 2), "times: has 6 entries, expected 8");
    REFUSED(flow_shop::sequence(times, SIZE_MAX, 3), "too many");
    REFUSED(instance.check(u32s{0}), "permutation");
    REFUSED(flow_shop::instance::named("ta999"), "no known instance");
}

static void intervals(const context &context)
{
    const i64s dimensions{30, 35, 15, 5, 10, 20, 25};
    const auto chain = interval_dp::matrix_chain(dimensions);
    CHECK(chain.multiplications == 15125 && chain.splits.size() == 5);
    const auto instance = interval_dp::instance::matrix_chain(dimensions);
    CHECK(instance.points() == 7);
    options wanted(interval_dp::name);
    const auto result = interval_dp::solve(context, instance, wanted);
    CHECK(result.objective() == 15125);
    CHECK(result.parenthesisation() == "((A1 (A2 A3)) ((A4 A5) A6))");
    CHECK(result.nodes().size() == 5 && result.nodes()[0].split == 3);
    CHECK(result.dot().find("graph") != std::string::npos && !result.cell_type_used().empty());
    const std::vector<double> square{0, 0, 1, 0, 1, 1, 0, 1};
    const auto polygon = interval_dp::instance::convex_polygon(square);
    const auto real = interval_dp::solve(context, polygon);
    CHECK(!real.objective() && real.summary().objective_f64 > 6.8);
    const std::vector<std::int64_t> keys{3, 1}, gaps{0, 1, 0};
    CHECK(interval_dp::solve(context, interval_dp::instance::search_tree(keys, gaps)).objective());
    REFUSED(interval_dp::instance::search_tree(keys, keys), "gaps: has 2 entries, expected 3");
    REFUSED(interval_dp::instance::convex_polygon(std::vector<double>{1, 2, 3}), "coordinates");
    auto form = interval_dp::form_i64();
    const i64s leaves{1, 2, 3};
    form.leaves = leaves.data();
    form.leaf_count = leaves.size();
    CHECK(interval_dp::solve(context, interval_dp::instance(form)).objective() == 6);
    const auto random = interval_dp::instance::random(interval_dp::kind::triangulation, 5, 1, 9);
    CHECK(interval_dp::solve(context, random).is_optimal());
}

static void sacks(const context &context)
{
    const u64s profits{6, 10, 12}, weights{1, 2, 3};
    const auto filled = knapsack::fill(profits, weights, 5);
    CHECK(filled.profit == 22 && filled.counts == (u64s{0, 1, 1}));
    const u64s copies{knapsack::unlimited, 1, 1};
    const knapsack::instance instance(profits, weights, copies, 5);
    CHECK(instance.items() == 3 && instance.capacity() == 5 && instance.profits() == profits);
    CHECK(instance.weights() == weights && instance.copies().size() == 3);
    const auto result = knapsack::solve(context, instance);
    CHECK(result.objective() == 30 && result.counts() == (u64s{5, 0, 0}));
    const knapsack::instance single(profits, weights, 5);
    const auto profile = knapsack::profile(context, single);
    CHECK(list(profile.values()) == (u64s{0, 6, 10, 16, 18, 22}));
    const u64s many{6, 10, 12, 1, 0, 0};
    const auto batch = knapsack::solve_profits(context, single, many, 2);
    CHECK(
        list(batch.profits()) == (u64s{22, 1}) && list(batch.counts()) == (u64s{0, 1, 1, 1, 0, 0}));
    REFUSED(knapsack::solve_profits(context, single, profits, 2), "profits: has 3");
    REFUSED(knapsack::fill(profits, many, 5), "weights: has 6");
}

static void sacks_of_dimensions(const context &context)
{
    const u64s profits{6, 10, 12}, weights{1, 2, 3, 4, 1, 1}, capacities{5, 5};
    const auto filled = multidimensional_knapsack::fill(profits, weights, capacities);
    CHECK(filled.profit == 22 && filled.counts == (u64s{0, 1, 1}));
    const u64s copies{multidimensional_knapsack::unlimited, 1, 1};
    std::vector<multidimensional_knapsack::instance> instances;
    instances.emplace_back(profits, weights, copies, capacities);
    instances.emplace_back(profits, weights, capacities);
    CHECK(instances[0].items() == 3 && instances[0].dimensions() == 2);
    CHECK(instances[0].profits() == profits && instances[0].weights() == weights);
    CHECK(instances[0].copies() == copies && instances[0].capacities() == capacities);
    const auto result = multidimensional_knapsack::solve(context, instances[1]);
    CHECK(result.objective() == 22 && instances[1].check(result.counts()) == 22);
    CHECK(multidimensional_knapsack::solve_batch(context, instances)[0].objective() == 22);
    REFUSED(multidimensional_knapsack::fill(profits, profits, capacities), "weights: has 3");
}

static void lattices(const context &context)
{
    const u64s sizes{3, 3}, offsets{1, 0, 0, 1, 1, 1};
    const u64s costs{2, 2, 3};
    CHECK(lattice_dp::cost(sizes, offsets, costs) == 6);
    CHECK(!lattice_dp::cost(sizes, u64s{1, 0}, u64s{1}));
    std::vector<lattice_dp::instance> instances;
    instances.emplace_back(sizes, offsets, costs);
    CHECK(instances[0].cells() == 9 && instances[0].dimensions() == 2);
    const auto result = lattice_dp::solve(context, instances[0]);
    CHECK(result.steps().size() == 2 && result.positions() == (u32s{2, 2}));
    CHECK(lattice_dp::solve_batch(context, instances)[0].objective() == 6);
    const auto packing = lattice_dp::instance::packing(u64s{6, 4}, u64s{2, 2}, 10);
    const auto packed = lattice_dp::solve(context, packing);
    CHECK(packed.objective() == 2 && packed.steps()[0].size() == 2);
    CHECK_THROWS(packed.positions(), MKS_STATUS_NOT_AVAILABLE, "");
    REFUSED(lattice_dp::cost(sizes, u64s{1}, costs), "offsets: has 1");
}

static void machines(const context &context)
{
    const u64s times{5, 5, 4, 4, 3, 3, 3};
    const auto quick = parallel_machines::assign(times, 3, std::chrono::seconds(10));
    CHECK(quick.makespan == 9 && quick.bound == 9);
    const parallel_machines::instance instance(times, 3);
    CHECK(instance.jobs() == 7 && instance.machines() == 3 && instance.times() == times);
    CHECK(instance.check(quick.assignment) == 9);
    const auto result = parallel_machines::solve(context, instance);
    CHECK(result.is_optimal() && result.bound() == 9 && result.problem() == "parallel_machines");
    CHECK(instance.check(result.assignment()) == 9 && result.starts().size() == 7);
    CHECK(!result.method().empty() && !result.device() && !result.warning());
    CHECK(result.trace().back().objective == 9);
    for (const auto &[name, value] : result.statistics()) {
        CHECK(result.statistic(name) == value);
    }
    CHECK_THROWS(result.statistic("none such"), MKS_STATUS_NOT_AVAILABLE, "none such");
}

static void tables(const context &context)
{
    const u64s offsets{2, 1};
    const i64s initial{0, 1}, weights{3, 1};
    CHECK(recurrence::min_plus(offsets, weights, initial, 4) == (i64s{0, 1, 2, 3}));
    CHECK(recurrence::min_plus(offsets, {}, initial, 3) == (i64s{0, 1, 0}));
    REFUSED(recurrence::min_plus(offsets, weights, i64s{0}, 4), "initial: has 1");
    auto definition = recurrence::definition();
    definition.semiring = MKS_RECURRENCE_SEMIRING_SUM_PRODUCT;
    definition.length = 10;
    definition.offsets = offsets.data();
    definition.offset_count = 2;
    definition.initial = initial.data();
    definition.initial_count = 2;
    const recurrence::instance instance(definition);
    CHECK(instance.length() == 10 && instance.preset() == 2 && instance.count() == 1);
    const auto result = recurrence::solve(context, instance);
    CHECK(result.values()[9] == 34 && list(result.last()) == (i64s{34}));
    CHECK_THROWS(result.choices(), MKS_STATUS_NOT_AVAILABLE, "choices");
    const auto sack = recurrence::instance::knapsack(u64s{3, 4}, u64s{1, 2}, 3);
    const auto chosen =
        recurrence::solve(context, sack, options(recurrence::name).set("choices", true));
    CHECK(chosen.choices().size() == 8);
}

int main()
{
    const context context = cpu_context();
    cutting(context);
    flow(context);
    intervals(context);
    sacks(context);
    sacks_of_dimensions(context);
    lattices(context);
    machines(context);
    tables(context);
    return 0;
}
