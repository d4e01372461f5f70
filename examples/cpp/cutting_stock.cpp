/* Twelve parcels in as few vans as possible, with one call of up to ten seconds. */
#include <chrono>
#include <cstdint>
#include <iostream>
#include <makespan.hpp>
#include <vector>

int main()
{
    try {
        const std::vector<std::uint64_t> volumes{57, 49, 48, 44, 38, 36, 33, 31, 29, 27, 24, 22};
        const auto plan = makespan::cutting_stock::pack(volumes, 100, std::chrono::seconds(10));
        for (std::size_t parcel = 0; parcel < volumes.size(); parcel++) {
            std::cout << "parcel of " << volumes[parcel] << ": van " << plan.bin_of[parcel] << '\n';
        }
        std::cout << plan.bins << " vans; no packing needs fewer than " << plan.bound << '\n';
    } catch (const makespan::error &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return 0;
}
