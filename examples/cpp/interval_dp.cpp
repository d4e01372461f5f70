/* The cheapest order of multiplying six matrices, as a tree. */
#include <chrono>
#include <cstdint>
#include <iostream>
#include <makespan.hpp>
#include <vector>

int main()
{
    try {
        // Matrix i has dimensions[i] rows and dimensions[i + 1] columns.
        const std::vector<std::int64_t> dimensions{30, 35, 15, 5, 10, 20, 25};
        const makespan::context context;
        const auto chain = makespan::interval_dp::instance::matrix_chain(dimensions);
        const auto result = makespan::interval_dp::solve(context, chain);
        std::cout << result.parenthesisation() << ": " << result.objective().value()
                  << " multiplications\n";
    } catch (const makespan::error &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return 0;
}
