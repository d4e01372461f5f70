/* The fewest coins of 1, 3 and 4 for amounts up to 10, with one call of up to ten seconds. */
#include <chrono>
#include <cstdint>
#include <iostream>
#include <makespan.hpp>
#include <vector>

int main()
{
    try {
        // An amount is reached from the amounts 4, 3 and 1 below it, with one coin more.
        const std::vector<std::uint64_t> coins{4, 3, 1};
        const std::vector<std::int64_t> one_more{1, 1, 1};
        const std::vector<std::int64_t> initial{0, 1, 2, 1};
        const auto fewest =
            makespan::recurrence::min_plus(coins, one_more, initial, 11, std::chrono::seconds(10));
        for (std::size_t amount = 0; amount < fewest.size(); amount++) {
            std::cout << amount << " needs " << fewest[amount] << " coins\n";
        }
    } catch (const makespan::error &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return 0;
}
