/* The best solution so far inside a progress callback, for each problem that has some. */
#include "check.hpp"

using namespace makespan;

/* Solves and evaluates each solution that is read; returns their number. */
template <class Result, class Instance, class Solve, class Evaluate>
static int follow(const char *name, const Instance &instance, Solve solve, Evaluate evaluate)
{
    int solutions = 0;
    options options(name);
    options.set("time_limit", 0.1).on_progress([&](const progress &running) {
        const auto best = incumbent<Result>(running, instance);
        CHECK(best.has_value() == (running.has_objective != 0));
        if (best) {
            CHECK(best->objective() == running.objective && best->problem() == name);
            CHECK(evaluate(*best) == running.objective);
            solutions++;
        }
        return control::go_on;
    });
    const Result result = solve(cpu_context(), instance, options);
    CHECK(evaluate(result) == result.objective());
    return solutions;
}

int main()
{
    std::vector<std::uint64_t> sizes(60), profits(60);
    for (std::size_t i = 0; i < sizes.size(); i++) {
        sizes[i] = 1000 + i * i * 7919 % 3001;
        profits[i] = sizes[i] + 300;
    }

    const parallel_machines::instance jobs(sizes, 11);
    CHECK(follow<parallel_machines::result>(parallel_machines::name, jobs, parallel_machines::solve,
              [&](const parallel_machines::result &best) { return jobs.check(best.assignment()); })
        > 1);

    const flow_shop::instance shop = flow_shop::instance::named("ta031");
    CHECK(follow<flow_shop::result>(flow_shop::name, shop, flow_shop::solve,
              [&](const flow_shop::result &best) { return shop.check(best.permutation()); })
        > 1);

    const std::vector<std::uint64_t> demands(sizes.size(), 1);
    const cutting_stock::instance stock(sizes, demands, 10000);
    CHECK(follow<cutting_stock::result>(cutting_stock::name, stock, cutting_stock::solve,
              [](const cutting_stock::result &best) {
                  std::int64_t pieces = 0;
                  for (const cutting_stock::pattern &pattern : best.patterns()) {
                      pieces += static_cast<std::int64_t>(pattern.pieces);
                  }
                  return pieces;
              })
        > 1);

    const knapsack::instance items(profits, sizes, 70000);
    CHECK(follow<knapsack::result>(knapsack::name, items, knapsack::solve,
              [&](const knapsack::result &best) {
                  const std::vector<std::uint64_t> counts = best.counts();
                  std::uint64_t profit = 0;
                  for (std::size_t i = 0; i < counts.size(); i++) {
                      profit += counts[i] * profits[i];
                  }
                  return static_cast<std::int64_t>(profit);
              })
        > 1);
    return 0;
}
