/* Proves in two parts that no schedule is shorter than 1377, and counts the nodes. */
#include <iostream>
#include <makespan_units.hpp>

namespace shop = makespan::flow_shop;

int main()
{
    try {
        const makespan::context context;
        makespan::options options(shop::name);
        options.set("method", "branch-and-bound").set("upper_bound", 1377);
        auto parts = shop::unit(shop::instance::named("ta014"), options).split(2);
        const shop::upper_bound bound;
        // Each part could also go to another machine, by bytes().
        for (shop::unit &part : parts) {
            part.run(context, bound);
        }
        parts[0].merge(parts[1]);
        if (!parts[0].is_done()) {
            return 1;
        }
        std::cout << "no schedule is shorter than " << parts[0].limit() << ": " << parts[0].nodes()
                  << " nodes\n";
    } catch (const makespan::error &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
