/* Warm starts by the option "start". Without time, only the start can give these objectives. */
#include "check.hpp"

using namespace makespan;

int main()
{
    using numbers = std::vector<std::uint64_t>;
    const context context = cpu_context();
    const parallel_machines::instance jobs(numbers{5, 5, 4, 4, 3, 3, 3}, 3);
    options schedule(parallel_machines::name);
    schedule.set("time_limit", 0).set("start", {0, 1, 0, 1, 2, 2, 2});
    CHECK(parallel_machines::solve(context, jobs, schedule).objective() == 9);
    schedule.set("start", {0, 1, 3, 0, 0, 0, 0});
    REFUSED(parallel_machines::solve(context, jobs, schedule), "start[2]: there is no machine 3");

    const cutting_stock::instance stock(numbers{4, 3}, numbers{2, 4}, 10);
    options packing(cutting_stock::name);
    packing.set("time_limit", 0).set("start", {2, 2, 0, 1, 1, 2});
    CHECK(cutting_stock::solve(context, stock, packing).objective() == 2);

    const knapsack::instance items(numbers{8, 10, 10}, numbers{4, 6, 6}, 12);
    options selection(knapsack::name);
    selection.set("time_limit", 0).set("start", {0, 1, 1});
    CHECK(knapsack::solve(context, items, selection).objective() == 20);
    return 0;
}
