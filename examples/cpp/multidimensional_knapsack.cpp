/* Ten pallets for a truck with limits of weight, volume and floor, the best choice, with one call
 * of up to ten seconds. */
#include <chrono>
#include <cstdint>
#include <iostream>
#include <makespan.hpp>
#include <vector>

int main()
{
    try {
        const std::vector<std::uint64_t> profits{31, 20, 27, 45, 12, 38, 16, 24, 9, 33};
        const std::vector<std::uint64_t> weights{14, 9, 13, 22, 5, 17, 8, 11, 4, 16, /* weight */
            6, 11, 8, 12, 9, 7, 10, 5, 3, 13,                                        /* volume */
            3, 2, 5, 4, 1, 6, 2, 3, 1, 5};                                           /* floor */
        const std::vector<std::uint64_t> limits{60, 40, 16};
        const auto choice = makespan::multidimensional_knapsack::fill(
            profits, weights, limits, std::chrono::seconds(10));
        std::cout << "pallets:";
        for (std::size_t pallet = 0; pallet < choice.counts.size(); pallet++) {
            if (choice.counts[pallet] > 0) {
                std::cout << ' ' << pallet;
            }
        }
        std::cout << "\nprofit " << choice.profit << ", bound " << choice.bound << '\n';
    } catch (const makespan::error &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return 0;
}
