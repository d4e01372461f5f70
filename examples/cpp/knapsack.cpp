/* Ten orders for a week of sixty hours, the best choice, with one call of up to ten seconds. */
#include <chrono>
#include <cstdint>
#include <iostream>
#include <makespan.hpp>
#include <vector>

int main()
{
    try {
        const std::vector<std::uint64_t> profits{31, 20, 27, 45, 12, 38, 16, 24, 9, 33};
        const std::vector<std::uint64_t> hours{14, 9, 13, 22, 5, 17, 8, 11, 4, 16};
        const auto choice = makespan::knapsack::fill(profits, hours, 60, std::chrono::seconds(10));
        std::cout << "orders:";
        for (std::size_t order = 0; order < choice.counts.size(); order++) {
            if (choice.counts[order] > 0) {
                std::cout << ' ' << order;
            }
        }
        std::cout << "\nprofit " << choice.profit << ", bound " << choice.bound << '\n';
    } catch (const makespan::error &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return 0;
}
