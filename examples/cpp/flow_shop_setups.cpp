/* Four jobs through two machines, with set-ups between colours, due dates and an objective of two
 * stages. */
#include <cstdint>
#include <iostream>
#include <makespan.hpp>
#include <vector>

int main()
{
    try {
        const std::vector<std::uint64_t> times{5, 4, 3, 6, 6, 2, 2, 5};
        const std::vector<std::uint32_t> colour_of{0, 1, 0, 1};
        // From white to red takes 3, back takes 7.
        const std::vector<std::uint64_t> setups{0, 3, 7, 0};
        const std::vector<std::int64_t> due_dates{12, 14, 22, 30};
        const auto shop = makespan::flow_shop::instance(times, 4, 2)
                              .with_family_setups(colour_of, 2, setups)
                              .with_due_dates(due_dates)
                              .with_objective("total-tardiness,makespan");
        const makespan::context context;
        const auto plan = makespan::flow_shop::solve(context, shop);
        std::cout << "sequence:";
        for (const std::uint32_t job : plan.permutation()) {
            std::cout << ' ' << job;
        }
        const auto values = plan.values();
        std::cout << "\ntotal tardiness " << values[0] << ", makespan " << values[1] << '\n';
    } catch (const makespan::error &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return 0;
}
