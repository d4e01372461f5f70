/* Seven jobs on three machines, with handles, a limit and progress. */
#include <chrono>
#include <cstdint>
#include <iostream>
#include <makespan.hpp>
#include <vector>

int main()
{
    try {
        const std::vector<std::uint64_t> hours{5, 5, 4, 4, 3, 3, 3};
        const makespan::context context;
        const makespan::parallel_machines::instance instance(hours, 3);
        makespan::options options(makespan::parallel_machines::name);
        options.set("time_limit", std::chrono::seconds(10));
        // An exception in the callback would end the solve and come out of it.
        int reports = 0;
        options.on_progress([&](const makespan::progress &) {
            reports++;
            return makespan::control::go_on;
        });
        const auto result = makespan::parallel_machines::solve(context, instance, options);
        for (const std::uint32_t machine : result.assignment()) {
            std::cout << "machine " << machine << '\n';
        }
        std::cout << result.objective().value() << " hours"
                  << (result.is_optimal() ? ", proved optimal" : "")
                  << (reports > 0 ? ", with progress\n" : "\n");
    } catch (const makespan::error &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return 0;
}
