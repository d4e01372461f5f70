/* Pinned work of parallel machines, cutting stock and the knapsack. */
#include "check.hpp"

using namespace makespan;
using u32s = std::vector<std::uint32_t>;
using u64s = std::vector<std::uint64_t>;

int main()
{
    const context context = cpu_context();
    const parallel_machines::instance jobs(u64s{5, 5, 4, 4, 3, 3, 3}, 3);
    const auto running = jobs.with_pinned(u32s{0, 1}, u32s{2, 2});
    CHECK(running.pinned().size() == 2 && running.pinned_machines()[1] == 2);
    CHECK(jobs.pinned().empty());
    const auto planned = parallel_machines::solve(context, running);
    CHECK(planned.is_optimal() && planned.objective() == 10);
    CHECK(running.check(planned.assignment()) == 10 && planned.assignment()[0] == 2);
    REFUSED(running.check(u32s{0, 1, 2, 2, 0, 1, 1}), "assignment[0]: is machine 0");
    REFUSED(jobs.with_pinned(u32s{0, 1}, u32s{2}), "machines: has 1 entries, expected 2");

    const cutting_stock::instance bars(u64s{6, 4}, u64s{2, 2}, 10);
    const auto begun = bars.with_pinned({{1, {0, 2}}, {1, {0, 0}}});
    CHECK(begun.pinned().size() == 2 && begun.pinned()[0].counts == (u64s{0, 2}));
    CHECK(begun.pinned()[1].pieces == 1 && bars.pinned().empty());
    const auto packed = cutting_stock::solve(context, begun);
    CHECK(packed.is_optimal() && packed.objective() == 3);
    CHECK(packed.patterns()[0].counts == (u64s{0, 2}) && begun.check(packed.patterns()) == 3);
    REFUSED(begun.check({{2, {1, 1}}}), "patterns[0]: has 1 items of type 1, 2 are pinned");
    REFUSED(bars.with_pinned({{1, {0}}}), "counts: has 1 entries");

    const knapsack::instance sack(u64s{8, 10, 10}, u64s{4, 6, 6}, 12);
    const auto filled = sack.with_pinned(u64s{1, 0, 0});
    CHECK(filled.pinned().size() == 3 && sack.pinned().empty());
    const auto chosen = knapsack::solve(context, filled);
    CHECK(chosen.is_optimal() && chosen.objective() == 18 && chosen.counts()[0] == 1);
    REFUSED(filled.check(u64s{0, 1, 1}), "counts[0]: is 0, 1 copies are pinned");
    REFUSED(sack.with_pinned(u64s{2, 0, 0}), "pinned[0]: is 2");
    return 0;
}
