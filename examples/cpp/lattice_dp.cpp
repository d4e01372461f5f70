/* The cheapest path through a box of 9 x 8 x 7 cells, with one call of up to ten seconds. */
#include <chrono>
#include <cstdint>
#include <iostream>
#include <makespan.hpp>
#include <vector>

int main()
{
    try {
        const std::vector<std::uint64_t> sizes{9, 8, 7};
        // Three numbers for each move, and its cost.
        const std::vector<std::uint64_t> moves{
            1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1};
        const std::vector<std::uint64_t> costs{3, 3, 3, 4, 4, 5};
        const auto cost = makespan::lattice_dp::cost(sizes, moves, costs, std::chrono::seconds(10));
        std::cout << "the cheapest path costs " << cost.value() << '\n';
    } catch (const makespan::error &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return 0;
}
