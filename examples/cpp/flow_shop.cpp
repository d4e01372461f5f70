/* Four jobs through three machines in the same sequence, with one call of up to ten seconds. */
#include <chrono>
#include <cstdint>
#include <iostream>
#include <makespan.hpp>
#include <vector>

int main()
{
    try {
        // A row for each job, a column for each machine.
        const std::vector<std::uint64_t> times{5, 9, 3, 2, 6, 8, 7, 3, 5, 4, 8, 2};
        const auto plan = makespan::flow_shop::sequence(times, 4, 3, std::chrono::seconds(10));
        std::cout << "sequence:";
        for (const std::uint32_t job : plan.permutation) {
            std::cout << ' ' << job;
        }
        std::cout << "\nmakespan " << plan.makespan << ", bound " << plan.bound << '\n';
    } catch (const makespan::error &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return 0;
}
