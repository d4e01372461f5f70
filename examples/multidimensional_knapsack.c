/* Ten pallets for a truck with limits of weight, volume and floor, the best choice, with one call
 * of up to ten seconds. */
#include <inttypes.h>
#include <makespan.h>
#include <stdio.h>

int main(void)
{
    const uint64_t profits[10] = {31, 20, 27, 45, 12, 38, 16, 24, 9, 33};
    const uint64_t weights[3][10] = {{14, 9, 13, 22, 5, 17, 8, 11, 4, 16},
        {6, 11, 8, 12, 9, 7, 10, 5, 3, 13}, {3, 2, 5, 4, 1, 6, 2, 3, 1, 5}};
    const uint64_t limits[3] = {60, 40, 16};
    uint64_t taken[10];
    int64_t profit, bound;
    const mks_status status = mks_multidimensional_knapsack_fill(
        profits, weights[0], 10, limits, 3, 10, taken, &profit, &bound);
    if (status != MKS_STATUS_OK) {
        fprintf(stderr, "%s\n", mks_last_error());
        return 1;
    }
    printf("pallets:");
    for (int pallet = 0; pallet < 10; pallet++) {
        if (taken[pallet] > 0) {
            printf(" %d", pallet);
        }
    }
    printf("\nprofit %" PRId64 ", bound %" PRId64 "\n", profit, bound);
    return 0;
}
